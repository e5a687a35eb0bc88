"""A page as the studio draws it: a tree of harmless elements, and never markup.

What a browser would parse, a stranger could write so that it is parsed otherwise than we did. So the browser gets elements
by their names, with attributes that only change how they look, and makes them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from turbohtml import Doctype, Document, Element, Namespace, Node, Text

from unweave.page.page import Page
from unweave.page.parse import DROPPED_TAGS, TEXTLESS_TAGS
from unweave.studio.assets import (
    Look,
    as_picture,
    as_sheet,
    is_picture,
    is_sheet,
    picture_of,
    sheet_of,
)
from unweave.studio.styles import sanitize_css

Drawing = dict[str, Any]

# They load something, run something or change what addresses mean. What stands for them is an empty element.
_REPLACED = frozenset(
    "applet audio base canvas embed fencedframe frame frameset iframe object param plaintext portal source track"
    " video".split()
)
_HARMLESS_NAME = re.compile(r"[a-z][a-z0-9-]*")
_SVG = frozenset(
    "svg g path rect circle ellipse line polyline polygon text tspan title desc defs linearGradient radialGradient stop"
    " clipPath mask symbol pattern".split()
)
_NAMESPACES = {Namespace.SVG: "svg:", Namespace.MATHML: "math:"}

# Attributes that change the look of an element, or what a screen reader says of it. No ``name``: it would hide the
# document's own properties from our script.
_ATTRIBUTES = frozenset(
    "abbr align alt aria-hidden aria-label bgcolor border cellpadding cellspacing checked class clear color cols colspan"
    " datetime dir disabled face height hidden hspace id label lang media multiple nowrap open placeholder reversed role"
    " rows rowspan rules scope selected size span start style title type valign value vspace width wrap".split()
)
_SVG_ATTRIBUTES = frozenset(
    "class clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule gradientTransform gradientUnits height id offset"
    " opacity points preserveAspectRatio r rx ry stop-color stop-opacity stroke stroke-dasharray stroke-linecap"
    " stroke-linejoin stroke-opacity stroke-width style text-anchor transform viewBox width x x1 x2 y y1 y2".split()
)
# All others of SVG are read as CSS, and may name addresses: ``fill="url(…)"``.
_NAMES = frozenset(["class", "id"])
# A link looks like one if it leads somewhere: to a place that cannot be, and that nobody has visited.
_LINKS = frozenset(["a", "area"])
_NOWHERE = "https://page.invalid/"

# A page with scripts and fewer letters and digits than this has nothing to show before they run: "Loading…", "Please wait".
_MIN_SHOWN_CHARACTERS = 60
_SHOWN = frozenset(["img", "svg", "input", "video", "canvas"])

_LOOK_ONLY = -1
_LEFT_OUT = -2
_TOP = -1

# Document types of the last century, with which browsers still draw as they did then.
_QUIRKS = (
    "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 ",
    "-//ietf//dtd html",
    "-//netscape",
    "-//microsoft",
)
_QUIRKS_WITHOUT_SYSTEM = ("-//w3c//dtd html 4.01 transitional", "-//w3c//dtd html 4.01 frameset")


def draw(document: Document, page: Page, looks: Mapping[str, Look]) -> Drawing:
    """The drawing of a page, with those of its style sheets and pictures that are at hand, by their addresses."""
    names: dict[str, int] = {}
    left_out: set[str] = set()
    nodes: list[list[Any]] = []
    places: dict[Node | None, int] = {document: _TOP}
    count = chunk = 0
    for node in document.descendants:
        parent = places.get(node.parent, _LEFT_OUT)
        if parent == _LEFT_OUT:
            continue
        if type(node) is Element:
            sheet = _sheet(node, looks, left_out)
            if sheet is not None:
                nodes += [
                    [parent, names.setdefault("style", len(names)), _LOOK_ONLY, _media(node)],
                    [len(nodes), sheet],
                ]
            if node.tag in DROPPED_TAGS:
                continue
            places[node] = len(nodes)
            attributes = _attributes(node, looks, left_out)
            nodes.append([parent, names.setdefault(_name(node), len(names)), count, attributes])
            count += 1
        elif type(node) is Text and parent != _TOP and _tag(node.parent) not in TEXTLESS_TAGS:
            blank = node.data.isspace()
            nodes.append([parent, node.data] if blank else [parent, node.data, chunk])
            chunk += not blank
    if count != len(page.tree) or chunk != len(page.texts):
        raise AssertionError("the drawing has other nodes than the page")
    return {
        "title": page.title,
        "is_empty": _is_empty(document, page),
        "quirks": _has_quirks(document),
        "left_out": len(left_out),
        "can_load": any(
            page.resolve_url(address).startswith(("http://", "https://")) for address in left_out
        ),
        "names": list(names),
        "nodes": nodes,
    }


def addresses(document: Document) -> Iterator[str]:
    """Where the style sheets and the pictures of a page are, as it says it: style sheets first, and each address once."""
    elements = list(document.iter_elements())
    sheets = [sheet_of(element) for element in elements if is_sheet(element)]
    pictures = [picture_of(element) for element in elements if is_picture(element)]
    return iter(dict.fromkeys(address for address in [*sheets, *pictures] if address))


def _is_empty(document: Document, page: Page) -> bool:
    """Return whether a page has nothing to show until its scripts make it."""
    tags = {element.tag for element in document.iter_elements()}
    if "script" not in tags or tags & _SHOWN:
        return False
    title = _text_of(page.title)
    return sum(len(_text_of(text)) for text in page.texts) - len(title) < _MIN_SHOWN_CHARACTERS


def _text_of(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _tag(node: Node | None) -> str:
    return node.tag if isinstance(node, Element) else ""


def _sheet(element: Element, looks: Mapping[str, Look], left_out: set[str]) -> str | None:
    """The text of a style sheet, if the element has or names one."""
    if element.tag == "style" and element.namespace is Namespace.HTML:
        return sanitize_css(str(element.text))
    if is_sheet(element):
        address = sheet_of(element)
        if address in looks:
            return sanitize_css(as_sheet(looks[address]))
        left_out.add(address)
    return None


def _media(element: Element) -> dict[str, str]:
    media = element.attr("media")
    return {"media": media} if media else {}


def _name(element: Element) -> str:
    """The name of the element that is made: its own if that is harmless."""
    name = element.tag
    if element.namespace is Namespace.SVG:
        return f"svg:{name}" if name in _SVG else "svg:g"
    if element.namespace is not Namespace.HTML:
        return _NAMESPACES[element.namespace] + (name if _HARMLESS_NAME.fullmatch(name) else "mrow")
    return name if _HARMLESS_NAME.fullmatch(name) and name not in _REPLACED else "span"


def _attributes(element: Element, looks: Mapping[str, Look], left_out: set[str]) -> dict[str, str]:
    is_html = element.namespace is Namespace.HTML
    allowed = _ATTRIBUTES if is_html else _SVG_ATTRIBUTES
    found: dict[str, str] = {}
    for name, value in element.attrs.items():
        if name in allowed:
            text = value if isinstance(value, str) else " ".join(value or ())
            is_css = name == "style" or not (is_html or name in _NAMES)
            found[name] = sanitize_css(text) if is_css else text
    if element.tag in _LINKS and element.attr("href") is not None:
        found["href"] = _NOWHERE
    if element.tag == "img":
        found.pop("id", None)  # pictures in forms hide the form's own properties by their ids
    if is_picture(element) and (address := picture_of(element)):
        if picture := as_picture(address, looks.get(address)):
            found["src"] = picture
        else:
            left_out.add(address)
    return found


def _has_quirks(document: Document) -> bool:
    """Does a browser draw the page by the rules of old?"""
    kind = next((node for node in document.children if isinstance(node, Doctype)), None)
    if kind is None:
        return True
    public = (kind.public_id or "").casefold()
    return public.startswith(_QUIRKS) or (
        not kind.system_id and public.startswith(_QUIRKS_WITHOUT_SYSTEM)
    )
