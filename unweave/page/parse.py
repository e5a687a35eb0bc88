"""Parsing: bytes to the arrays of a page.

turbohtml detects the encoding and builds the tree as browsers do (docs/explanation/dependencies.md
says why it
was chosen); this module copies its tree into arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import turbohtml
from turbohtml import Document, DocumentFragment, Element, Node, Text

from unweave.errors import EmptyPage, SourceError
from unweave.page.limits import DEFAULT_LIMITS, Limits, refuse_hostile_markup
from unweave.page.metadata import Metadata, build_metadata
from unweave.page.page_data import Script, may_hold_data
from unweave.page.sniffing import (
    check_is_html,
    detect_large_page_charset,
    detect_unmarked_utf16,
    is_mislabelled_utf8,
    normalize_charset,
)
from unweave.trees.tree import ROOT_PARENT, Tree

DROPPED_TAGS = frozenset("script style noscript template meta link noframes noembed".split())
"""Elements that are never drawn, or are code. All elements of such a tag are left out of the tree,
so that the numbers in XPaths stay the same.
"""
TEXTLESS_TAGS = frozenset(["iframe"])
"""Elements whose text is markup for browsers that cannot draw them."""
PREFORMATTED_TAGS = frozenset("pre listing xmp plaintext".split())
"""Elements whose white space is shown as it is."""
JSON_LD_TYPE = "application/ld+json"

_URL_ATTRIBUTES = {"href": frozenset(["a", "area"]), "src": frozenset(["img"])}
_NODES_OF_EMPTY_PAGE = 3  # the parser adds html, head and body to every document
_DROPPED = -2  # the number of open elements that are left out
_SPLIT_ATTRIBUTES = frozenset(
    "accept-charset accesskey class dropzone headers rel rev sandbox sizes".split()
)
"""Attributes of which the parser gives the words."""
_RAW_TAGS = PREFORMATTED_TAGS | frozenset("code kbd samp tt".split())
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

Attributes = dict[str, str]
Identifiers = tuple[str | None, str | None, str | None]
"""The class, the id and the property (``itemprop``) of an element."""
NO_IDENTIFIERS: Identifiers = (None, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """The arrays of a page; ``Page`` describes them.

    Attributes and metadata that are not given are read from the tree of the parser when they are
    first needed; without such a tree, they are empty.
    """

    tree: Tree
    texts: list[str]
    text_parents: list[int]
    text_positions: list[int]
    unspaced_texts: list[int]
    """The text nodes without white space between them and the text node before."""
    attributes: list[Attributes] | None = None
    identifiers: list[Identifiers] | None = None
    node_urls: list[str | None] | None = None
    metadata: Metadata | None = None
    raw_texts: dict[int, str] | None = None
    document: Document | None = None
    """The tree of the parser."""
    encoding: str | None = None
    warnings: tuple[str, ...] = ()


def is_url(source: object) -> bool:
    """Tell whether a source is a URL of the web, and not a path."""
    return isinstance(source, str) and source[:8].casefold().startswith(("http://", "https://"))


def read_file(path: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Read a file, but not more than one byte beyond the limit."""
    try:
        with Path(path).open("rb") as file:
            return file.read(limits.bytes + 1)
    except FileNotFoundError:
        if is_url(path):
            raise SourceError(f"{path}: is a URL, not a file: use unweave.load_page") from None
        raise SourceError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise SourceError(f"{path}: is a folder; give its files, or use unweave site") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SourceError(f"{path!r}: invalid file name: {error}") from None


def parse_html(
    markup: bytes | str, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Parse HTML. Raises PageTooLarge, NotHTML or EmptyPage for what is not a usable page."""
    if isinstance(markup, str):
        # Lone surrogates, which a str may have and bytes may not, are replaced as in bytes.
        markup, charset = markup.encode(errors="surrogatepass"), "utf-8"
    limits.check_bytes(len(markup))
    check_is_html(markup)
    refuse_hostile_markup(markup)
    warnings: list[str] = []
    document = build_document(markup, charset, warnings)
    parsed = _copy_document(document, limits, warnings)
    if len(parsed.tree) <= _NODES_OF_EMPTY_PAGE and not parsed.texts:
        reason = "the page has no content: no elements and no text"
        if b"<script" in markup.lower():
            reason += "; scripts make it: render it in a browser (--render)"
        raise EmptyPage(reason)
    return parsed


def build_document(markup: bytes, charset: str | None, warnings: list[str]) -> Document:
    """Build the tree of the parser. Oddities of the encoding are added to ``warnings``."""
    label = normalize_charset(charset) if charset else None
    if charset and not label:
        warnings.append(f"unknown charset {charset!r} was ignored")
    encoding = label or detect_unmarked_utf16(markup) or detect_large_page_charset(markup)
    document = _run_parser(markup, encoding)
    if label is None and is_mislabelled_utf8(markup, document.encoding):
        return _run_parser(markup, "utf-8")
    return document


def _run_parser(markup: bytes, encoding: str | None) -> Document:
    return turbohtml.parse(
        markup,
        encoding=encoding,
        detect_encoding=True,
        positions=False,
        scripting=True,  # as in a browser: noscript then holds text only, and is left out
        allow_declarative_shadow_roots=False,
    )


def _copy_document(document: Document, limits: Limits, warnings: list[str]) -> ParsedDocument:
    """Copy the tree of the parser into arrays, in one pass.

    Only the open elements are referenced on the way: to keep all of them would slow down large
    pages by the memory alone.
    """
    labels: list[str] = []
    parents: list[int] = []
    raw_texts: list[str] = []
    is_after_blank: list[bool] = []
    text_parents: list[int] = []
    text_positions: list[int] = []
    max_nodes, max_open = limits.nodes, limits.depth + 1
    innermost: Node | None = document
    open_nodes: list[Node | None] = [document]
    open_numbers = [ROOT_PARENT]
    count = 0
    is_blank = True
    for node in document.descendants:
        if type(node) is Element:
            parent = node.parent
            while innermost is not parent:
                open_nodes.pop()
                open_numbers.pop()
                innermost = open_nodes[-1]
            parent_number = open_numbers[-1]
            label = node.tag
            innermost = node
            open_nodes.append(node)
            if parent_number == _DROPPED or label in DROPPED_TAGS:
                open_numbers.append(_DROPPED)
                continue
            open_numbers.append(count)
            count += 1
            if count > max_nodes or len(open_nodes) > max_open:
                limits.check_nodes(count)
                limits.check_depth(len(open_nodes) - 1)
            labels.append(label)
            parents.append(parent_number)
        elif type(node) is Text:
            parent = node.parent
            while innermost is not parent:
                open_nodes.pop()
                open_numbers.pop()
                innermost = open_nodes[-1]
            parent_number = open_numbers[-1]
            if parent_number == _DROPPED:
                continue
            raw = node.data
            if raw.isspace():
                is_blank = True
            elif labels[parent_number] not in TEXTLESS_TAGS:
                raw_texts.append(raw)
                is_after_blank.append(is_blank)
                text_parents.append(parent_number)
                text_positions.append(count)
                is_blank = False
        elif type(node) is DocumentFragment:  # the content of a template
            open_nodes.append(node)
            open_numbers.append(_DROPPED)
            innermost = node
    limits.check_names(set(labels))
    texts, unspaced_texts = fold_whitespace(raw_texts, is_after_blank)
    if any(_REPLACEMENT in text for text in texts):
        warnings.append(
            f"some bytes are not {document.encoding or 'text'} and were replaced by {_REPLACEMENT}"
        )
    return ParsedDocument(
        tree=Tree(labels, parents),
        texts=texts,
        text_parents=text_parents,
        text_positions=text_positions,
        unspaced_texts=unspaced_texts,
        document=document,
        encoding=document.encoding,
        warnings=tuple(warnings),
    )


def fold_whitespace(
    raw_texts: Sequence[str], is_after_blank: Sequence[bool]
) -> tuple[list[str], list[int]]:
    """Return texts with their white space folded, and the numbers of the unspaced ones.

    ``is_after_blank`` tells for each text whether white space was left out before it.
    """
    texts = [" ".join(raw.split()) for raw in raw_texts]
    unspaced_texts = [
        text_node
        for text_node in range(1, len(raw_texts))
        if not is_after_blank[text_node]
        and not raw_texts[text_node][0].isspace()
        and not raw_texts[text_node - 1][-1].isspace()
    ]
    return texts, unspaced_texts


# ---- attributes and metadata of the parser's tree ------------------------------------------------


def list_elements(document: Document) -> list[Element]:
    """Return the elements that ``_copy_document`` keeps, in the same order."""
    dropped: set[Node] = set()
    for element in document.select(", ".join(DROPPED_TAGS)):
        dropped.add(element)
        dropped.update(element.descendants)
    return [element for element in document.iter_elements() if element not in dropped]


def read_attributes(elements: Iterable[Element]) -> list[Attributes]:
    """Return the attributes of every element."""
    return [_convert_attributes(element) for element in elements]


def read_attribute(element: Element, name: str) -> str | None:
    """Return one attribute as ``read_attributes`` does, or None."""
    value = element.attr(name)
    return " ".join(value.split()) if value and name in _SPLIT_ATTRIBUTES else value


def read_identifiers(elements: Iterable[Element]) -> list[Identifiers]:
    """Return the identifiers of every element, the classes with one space between them."""
    folded: dict[str, str] = {}
    identifiers: list[Identifiers] = []
    for element in elements:
        classes = element.attr("class")
        if classes:
            known = folded.get(classes)
            if known is None:
                known = folded[classes] = " ".join(classes.split())
            classes = known
        elif classes is None and element.attr("id") is None and element.attr("itemprop") is None:
            identifiers.append(NO_IDENTIFIERS)
            continue
        identifiers.append((classes, element.attr("id"), element.attr("itemprop")))
    return identifiers


def find_attribute(document: Document, numbers: Mapping[Element, int], name: str) -> dict[int, str]:
    """Return the values of one attribute by the numbers of the elements that have it.

    This takes a fraction of the time of ``read_attributes``.
    """
    elements = document.select(f"[{name}]")
    return {numbers[node]: node.attr(name) or "" for node in elements if node in numbers}


def select_urls(tags: Sequence[str], find: Callable[[str], Mapping[int, str]]) -> list[str | None]:
    """Return the URL of every link and image, given what finds an attribute by name."""
    urls: list[str | None] = [None] * len(tags)
    for name, labels in _URL_ATTRIBUTES.items():
        for node, url in find(name).items():
            if tags[node] in labels:
                urls[node] = url
    return urls


def read_metadata(document: Document) -> Metadata:
    """Return the metadata of the meta, link and script elements."""
    return build_metadata(
        map(_convert_attributes, document.find_all("meta")),
        [script.text for script in document.find_all("script", type=JSON_LD_TYPE)],
        map(_convert_attributes, document.find_all("link")),
    )


def read_data_scripts(document: Document) -> list[Script]:
    """Return the scripts that may hold data."""
    scripts = (
        Script((each.attr("type") or "").strip(), each.attr("id") or "", each.text)
        for each in document.find_all("script")
    )
    return [script for script in scripts if may_hold_data(script)]


def read_raw_texts(
    document: Document, numbers: Mapping[Element, int], texts_of: Callable[[int], range]
) -> dict[int, str]:
    """Return the text nodes in elements of code with their white space, by number.

    White space that is a text node by itself is added to the text node after it. ``texts_of``
    returns the text nodes of an element by its number.
    """
    raw_texts: dict[int, str] = {}
    for element in document.select(", ".join(_RAW_TAGS)):
        if element not in numbers:
            continue
        text_nodes = texts_of(numbers[element])
        if text_nodes and text_nodes.start not in raw_texts:
            found = _list_raw_texts(element)
            if len(found) == len(text_nodes):
                raw_texts.update(zip(text_nodes, found, strict=True))
    return raw_texts


def _list_raw_texts(element: Element) -> list[str]:
    """Return the texts that ``_copy_document`` keeps of an element, with the blank ones before."""
    dropped: set[Node | None] = set()
    texts: list[str] = []
    blank = ""
    for node in element.descendants:
        if isinstance(node, Text):
            parent = node.parent
            if parent in dropped:
                continue
            if node.data.isspace():
                blank += node.data
            elif not isinstance(parent, Element) or parent.tag not in TEXTLESS_TAGS:
                texts.append(blank + node.data)
                blank = ""
        elif (
            isinstance(node, DocumentFragment)
            or (isinstance(node, Element) and node.tag in DROPPED_TAGS)
            or node.parent in dropped
        ):
            dropped.add(node)
    return texts


def is_raw_tag(tag: str) -> bool:
    """Tell whether white space matters in an element: code and preformatted text."""
    return tag in _RAW_TAGS


def read_noscript(document: Document) -> str:
    """Return the markup for browsers without scripts, that of the body only."""
    body = document.find("body")
    if body is None:
        return ""
    return "\n".join([element.text for element in body.find_all("noscript")])


def _convert_attributes(element: Element) -> Attributes:
    """Return the attributes of an element; those that the parser splits are joined by spaces."""
    values: dict[str, Any] = element.attrs.copy()
    for name, value in values.items():
        if type(value) is not str:
            values[name] = " ".join(value or ())
    return values
