"""A page as the studio draws it: a tree of harmless elements, never markup.

A browser may parse untrusted markup differently than we did. So it gets the names of elements, with
attributes that only change how they look, and a script creates them one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from turbohtml import Doctype, Document, Element, Namespace, Node, Text

from unweave.page.page import Page
from unweave.page.parse import DROPPED_TAGS, TEXTLESS_TAGS
from unweave.studio.assets import (
    Asset,
    decode_style_sheet,
    get_image_url,
    get_style_sheet_url,
    is_style_sheet,
    make_image_data_url,
)
from unweave.studio.css_sanitizer import sanitize_css

Drawing = dict[str, Any]
"""The JSON that ``DrawingInfo`` describes."""

# They load or run something, or change what URLs mean. They are drawn as empty elements.
_REPLACED_TAGS = frozenset(
    "applet audio base canvas embed fencedframe frame frameset iframe object param plaintext"
    " portal source track video".split()
)
_VALID_TAG = re.compile(r"[a-z][a-z0-9-]*")
_SVG_TAGS = frozenset(
    "svg g path rect circle ellipse line polyline polygon text tspan title desc defs linearGradient"
    " radialGradient stop clipPath mask symbol pattern".split()
)

# Attributes that change the look of an element, or what a screen reader says of it. Not ``name``:
# it would hide properties of the document from our script.
_HTML_ATTRIBUTES = frozenset(
    "abbr align alt aria-hidden aria-label bgcolor border cellpadding cellspacing checked class"
    " clear color cols colspan datetime dir disabled face height hidden hspace id label lang media"
    " multiple nowrap open placeholder reversed role rows rowspan rules scope selected size span"
    " start style title type valign value vspace width wrap".split()
)
_SVG_ATTRIBUTES = frozenset(
    "class clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule gradientTransform"
    " gradientUnits height id offset opacity points preserveAspectRatio r rx ry stop-color"
    " stop-opacity stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity"
    " stroke-width style text-anchor transform viewBox width x x1 x2 y y1 y2".split()
)
# All other attributes of SVG are parsed as CSS, and may contain URLs: ``fill="url(…)"``.
_PLAIN_SVG_ATTRIBUTES = frozenset(["class", "id"])
_LINK_TAGS = frozenset(["a", "area"])
# A link looks like one only if it has a URL; this one cannot exist, and was never visited.
_INVALID_URL = "https://page.invalid/"

# A page with scripts and fewer letters and digits shows nothing before they run: "Loading…".
_MIN_VISIBLE_CHARACTERS = 60
_VISIBLE_TAGS = frozenset(["img", "svg", "input", "video", "canvas"])

_NO_NODE_NUMBER = -1  # of style elements, which are not nodes of the page
_NO_PARENT = -1
_DROPPED = -2

# Document types of the last century, for which browsers use quirks mode.
_QUIRKS_DOCTYPES = (
    "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 ",
    "-//ietf//dtd html",
    "-//netscape",
    "-//microsoft",
)
_QUIRKS_DOCTYPES_WITHOUT_SYSTEM_ID = (
    "-//w3c//dtd html 4.01 transitional",
    "-//w3c//dtd html 4.01 frameset",
)


def list_asset_urls(document: Document) -> list[str]:
    """Return the URLs of style sheets, then of images, as the page has them and each once."""
    elements = list(document.iter_elements())
    style_sheets = [get_style_sheet_url(element) for element in elements if is_style_sheet(element)]
    images = [get_image_url(element) for element in elements if element.tag == "img"]
    return [url for url in dict.fromkeys([*style_sheets, *images]) if url]


def build_drawing(document: Document, page: Page, assets: Mapping[str, Asset]) -> Drawing:
    """Return the drawing of a page, with the style sheets and images in ``assets``, by URL."""
    names: dict[str, int] = {}
    missing_urls: set[str] = set()
    nodes: list[list[Any]] = []
    positions: dict[Node | None, int] = {document: _NO_PARENT}
    node_number = text_number = 0
    for node in document.descendants:
        parent = positions.get(node.parent, _DROPPED)
        if parent == _DROPPED:
            continue
        if type(node) is Element:
            css = _get_style_sheet(node, assets, missing_urls)
            if css is not None:
                media = node.attr("media")
                attributes = {"media": media} if media else {}
                style = names.setdefault("style", len(names))
                nodes += [[parent, style, _NO_NODE_NUMBER, attributes], [len(nodes), css]]
            if node.tag in DROPPED_TAGS:
                continue
            positions[node] = len(nodes)
            attributes = _filter_attributes(node, assets, missing_urls)
            name = names.setdefault(_choose_name(node), len(names))
            nodes.append([parent, name, node_number, attributes])
            node_number += 1
        elif type(node) is Text and parent != _NO_PARENT:
            if isinstance(node.parent, Element) and node.parent.tag in TEXTLESS_TAGS:
                continue
            is_blank = node.data.isspace()
            nodes.append([parent, node.data] if is_blank else [parent, node.data, text_number])
            text_number += not is_blank
    if node_number != len(page.tree) or text_number != len(page.texts):
        raise AssertionError("the drawing has other nodes than the page")
    missing = map(page.resolve_url, missing_urls)
    return {
        "title": page.title,
        "is_empty": _needs_scripts(document, page),
        "quirks": _has_quirks_mode(document),
        "left_out": len(missing_urls),
        "can_load": any(url.startswith(("http://", "https://")) for url in missing),
        "names": list(names),
        "nodes": nodes,
    }


def _get_style_sheet(
    element: Element, assets: Mapping[str, Asset], missing_urls: set[str]
) -> str | None:
    """Return the text of the style sheet that an element contains or links to, if it does."""
    if element.tag == "style" and element.namespace is Namespace.HTML:
        return sanitize_css(str(element.text))
    if is_style_sheet(element):
        url = get_style_sheet_url(element)
        if url in assets:
            return sanitize_css(decode_style_sheet(assets[url]))
        missing_urls.add(url)
    return None


def _choose_name(element: Element) -> str:
    """Return the name of the element that is created: its own if that is harmless."""
    tag = element.tag
    is_valid = _VALID_TAG.fullmatch(tag) is not None
    if element.namespace is Namespace.SVG:
        return f"svg:{tag}" if tag in _SVG_TAGS else "svg:g"
    if element.namespace is Namespace.MATHML:
        return f"math:{tag}" if is_valid else "math:mrow"
    return tag if is_valid and tag not in _REPLACED_TAGS else "span"


def _filter_attributes(
    element: Element, assets: Mapping[str, Asset], missing_urls: set[str]
) -> dict[str, str]:
    is_html = element.namespace is Namespace.HTML
    allowed = _HTML_ATTRIBUTES if is_html else _SVG_ATTRIBUTES
    attributes: dict[str, str] = {}
    for name, value in element.attrs.items():
        if name in allowed:
            text = value if isinstance(value, str) else " ".join(value or ())
            is_css = name == "style" or not (is_html or name in _PLAIN_SVG_ATTRIBUTES)
            attributes[name] = sanitize_css(text) if is_css else text
    if element.tag in _LINK_TAGS and element.attr("href") is not None:
        attributes["href"] = _INVALID_URL
    if element.tag == "img":
        attributes.pop("id", None)  # the id of an image in a form hides properties of the form
        if url := get_image_url(element):
            data_url = make_image_data_url(url, assets.get(url))
            if data_url:
                attributes["src"] = data_url
            else:
                missing_urls.add(url)
    return attributes


def _needs_scripts(document: Document, page: Page) -> bool:
    """Tell whether a page shows nothing until its scripts run."""
    tags = {element.tag for element in document.iter_elements()}
    if "script" not in tags or tags & _VISIBLE_TAGS:
        return False
    visible = sum(_count_characters(text) for text in page.texts) - _count_characters(page.title)
    return visible < _MIN_VISIBLE_CHARACTERS


def _count_characters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _has_quirks_mode(document: Document) -> bool:
    """Tell whether browsers draw the page as those of the last century did."""
    doctype = next((node for node in document.children if isinstance(node, Doctype)), None)
    if doctype is None:
        return True
    public_id = (doctype.public_id or "").casefold()
    if public_id.startswith(_QUIRKS_DOCTYPES):
        return True
    return not doctype.system_id and public_id.startswith(_QUIRKS_DOCTYPES_WITHOUT_SYSTEM_ID)
