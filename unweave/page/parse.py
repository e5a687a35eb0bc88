"""Bytes to Page: the encoding as browsers find it, the tree as browsers build it.

Parsing and decoding are turbohtml's work (docs/dependencies.md says why); this file copies its tree into arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

import turbohtml
from turbohtml import Document, DocumentFragment, Element, Node, Text

from unweave.errors import EmptyPage, SourceError
from unweave.page.content_sniffing import check_is_html
from unweave.page.encoding import (
    detect_large_page_charset,
    detect_unmarked_utf16,
    is_mislabelled_utf8,
    normalize_charset,
)
from unweave.page.hostile_markup import refuse_hostile_markup
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.metadata import Metadata, read_metadata
from unweave.trees.tree import ROOT_PARENT, Tree

# Never drawn, or code: no part of the tree. All elements of a name are left out, so XPath numbers stay what they are.
DROPPED_TAGS = frozenset("script style noscript template meta link noframes noembed".split())
# Drawn, but what stands inside is markup for browsers that cannot draw them.
TEXTLESS_TAGS = frozenset(["iframe"])

# The parser makes html, head and body for every document.
_SKELETON = 3
JSON_LD_TYPE = "application/ld+json"
_LEFT_OUT = -2
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

Attributes = dict[str, str]
Identifiers = tuple[str | None, str | None, str | None]
"""The class, the id and the property of an element."""

KeyAttributes = tuple[list[Identifiers], list[str | None]]
"""For every element its names, and the address that it leads to or shows."""

# The attribute that has the address of an element.
_URL_ATTRIBUTES = {"a": "href", "area": "href", "img": "src"}


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What one pass over a document yields; Page explains the parts."""

    tree: Tree
    texts: list[str]
    text_parents: list[int]
    text_positions: list[int]
    unspaced_texts: list[int]
    read_attributes: Callable[[], list[Attributes]]
    read_key_attributes: Callable[[], KeyAttributes]
    read_metadata: Callable[[], Metadata]
    encoding: str | None
    notes: tuple[str, ...]


def is_url(source: object) -> bool:
    """Is this the address of a page on the web, and no path?"""
    return isinstance(source, str) and source[: len("https://")].casefold().startswith(
        ("http://", "https://")
    )


def read_file(path: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file; never more of it than the limit allows, and one."""
    try:
        with Path(path).open("rb") as file:
            return file.read(limits.bytes + 1)
    except FileNotFoundError:
        if is_url(path):
            raise SourceError(
                f"{path}: is an address, not a file: unweave.load_page fetches it"
            ) from None
        raise SourceError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise SourceError(f"{path}: is a folder, not a page") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SourceError(f"{path!r}: is no name of a file: {error}") from None


def parse_html(
    markup: bytes | str, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> ParsedDocument:
    """Read HTML from bytes or text."""
    if isinstance(markup, str):
        # Halves of a character, which text may have and bytes may not, are replaced as in bytes.
        markup, charset = markup.encode(errors="surrogatepass"), "utf-8"
    limits.check_bytes(len(markup))
    check_is_html(markup)
    refuse_hostile_markup(markup)
    notes: list[str] = []
    document = build_document(markup, charset, notes)
    parsed = _walk(document, limits, notes)
    if len(parsed.tree) <= _SKELETON and not parsed.texts:
        raise EmptyPage("the page has no content: no elements and no text")
    return parsed


def build_document(markup: bytes, charset: str | None, notes: list[str]) -> Document:
    """The parser's own tree of bytes in the encoding that they turn out to have. Notes are added where something is odd."""
    label = normalize_charset(charset) if charset else None
    if charset and not label:
        notes.append(f"unknown charset {charset!r} was ignored")
    document = _build(
        markup, label or detect_unmarked_utf16(markup) or detect_large_page_charset(markup)
    )
    if label is None and is_mislabelled_utf8(markup, document.encoding):
        return _build(markup, "utf-8")
    return document


def _build(markup: bytes, charset: str | None) -> Document:
    """Scripting counts as on, as in a browser: what stands in noscript is then one text, and left out with it."""
    return turbohtml.parse(
        markup,
        encoding=charset,
        detect_encoding=True,
        positions=False,
        scripting=True,
        allow_declarative_shadow_roots=False,
    )


def _walk(document: Document, limits: Limits, notes: list[str]) -> ParsedDocument:
    """One pass over the parser's tree, which fills the arrays of a page.

    Only the open elements are held on the way. Holding all of them would make large pages slow by their memory alone.
    """
    labels: list[str] = []
    parents: list[int] = []
    raws: list[str] = []
    after_blank: list[bool] = []
    text_parents: list[int] = []
    text_positions: list[int] = []
    most_nodes, deepest = limits.nodes, limits.depth + 1
    innermost: Node | None = document
    open_nodes: list[Node | None] = [document]
    open_numbers = [ROOT_PARENT]
    count = 0
    blank = True
    for node in document.descendants:
        if type(node) is Element:
            parent = node.parent
            while innermost is not parent:
                open_nodes.pop()
                open_numbers.pop()
                innermost = open_nodes[-1]
            above = open_numbers[-1]
            label = node.tag
            innermost = node
            open_nodes.append(node)
            if above == _LEFT_OUT or label in DROPPED_TAGS:
                open_numbers.append(_LEFT_OUT)
                continue
            open_numbers.append(count)
            count += 1
            if count > most_nodes or len(open_nodes) > deepest:
                limits.check_nodes(count)
                limits.check_depth(len(open_nodes) - 1)
            labels.append(label)
            parents.append(above)
        elif type(node) is Text:
            parent = node.parent
            while innermost is not parent:
                open_nodes.pop()
                open_numbers.pop()
                innermost = open_nodes[-1]
            owner = open_numbers[-1]
            if owner == _LEFT_OUT:
                continue
            raw = node.data
            if raw.isspace():
                blank = True
            elif labels[owner] not in TEXTLESS_TAGS:
                raws.append(raw)
                after_blank.append(blank)
                text_parents.append(owner)
                text_positions.append(count)
                blank = False
        elif type(node) is DocumentFragment:  # the content of a template, which is left out
            open_nodes.append(node)
            open_numbers.append(_LEFT_OUT)
            innermost = node
    limits.check_names(set(labels))
    texts, unspaced_texts = fold_whitespace(raws, after_blank)
    if any(_REPLACEMENT in text for text in texts):
        notes.append(
            f"some bytes are not {document.encoding or 'text'} and were replaced by {_REPLACEMENT}"
        )
    return ParsedDocument(
        tree=Tree(labels, parents),
        texts=texts,
        text_parents=text_parents,
        text_positions=text_positions,
        unspaced_texts=unspaced_texts,
        read_attributes=partial(_attributes, document),
        read_key_attributes=partial(_key_attributes, document),
        read_metadata=partial(_metadata, document),
        encoding=document.encoding,
        notes=tuple(notes),
    )


def fold_whitespace(
    raws: Sequence[str], after_blank: Sequence[bool]
) -> tuple[list[str], list[int]]:
    """The texts with their white space folded, and those that no white space parts from the one before."""
    texts = [" ".join(raw.split()) for raw in raws]
    unspaced_texts = [
        text_node
        for text_node in range(1, len(raws))
        if not after_blank[text_node]
        and not raws[text_node][0].isspace()
        and not raws[text_node - 1][-1].isspace()
    ]
    return texts, unspaced_texts


def _attributes(document: Document) -> list[Attributes]:
    return [_attributes_of(element) for element in _kept(document)]


def _key_attributes(document: Document) -> KeyAttributes:
    """A few attributes by themselves: that takes half the time of reading all."""
    identifiers: list[Identifiers] = []
    node_urls: list[str | None] = []
    for element in _kept(document):
        identifiers.append((element.attr("class"), element.attr("id"), element.attr("itemprop")))
        attribute = _URL_ATTRIBUTES.get(element.tag)
        node_urls.append(element.attr(attribute) if attribute else None)
    return identifiers, node_urls


def _kept(document: Document) -> Iterator[Element]:
    """The elements that the walk has kept, in the same order."""
    left_out: set[Node | None] = set()
    for element in document.iter_elements():
        parent = element.parent
        if element.tag in DROPPED_TAGS or parent in left_out or type(parent) is DocumentFragment:
            left_out.add(element)
        else:
            yield element


def select_key_attributes(labels: Iterable[str], attributes: Sequence[Attributes]) -> KeyAttributes:
    """The marks of elements of which all attributes are known."""
    identifiers = [(own.get("class"), own.get("id"), own.get("itemprop")) for own in attributes]
    return identifiers, [
        own.get(_URL_ATTRIBUTES.get(label, ""))
        for label, own in zip(labels, attributes, strict=True)
    ]


def _attributes_of(element: Element) -> Attributes:
    return {
        name: value if isinstance(value, str) else " ".join(value or ())
        for name, value in element.attrs.copy().items()
    }


def _metadata(document: Document) -> Metadata:
    return read_metadata(
        map(_attributes_of, document.find_all("meta")),
        [script.text for script in document.find_all("script", type=JSON_LD_TYPE)],
        map(_attributes_of, document.find_all("link")),
    )
