"""Bytes to Page: the encoding as browsers find it, the tree as browsers build it.

Parsing and decoding are turbohtml's work (docs/dependencies.md says why); this file copies its tree into arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import turbohtml
from turbohtml import Document, Element, Node, Text

from unweave.errors import EmptyPage, SourceError
from unweave.page.encoding import charset_of_large, is_really_utf8, transport_charset, unmarked_utf16
from unweave.page.kinds import refuse_many_roots, refuse_other_kinds
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.trees.tree import ROOT_PARENT, Tree

# Never drawn, or code: no part of the tree. All elements of a name are left out, so XPath numbers stay what they are.
DROPPED = frozenset("script style noscript template meta link noframes noembed".split())
# Drawn, but what stands inside is markup for browsers that cannot draw them.
_SILENT = frozenset(["iframe"])

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one pass over a document yields; Page explains the parts."""

    tree: Tree
    texts: list[str]
    owners: list[int]
    places: list[int]
    glued: list[int]
    read_attributes: Callable[[], list[Attributes]]
    encoding: str | None
    notes: tuple[str, ...]


def read_file(path: str | PathLike[str], *, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file; never more of it than the limit allows, and one."""
    try:
        with Path(path).open("rb") as file:
            return file.read(limits.bytes + 1)
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise SourceError(f"{path}: is a folder, not a page") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SourceError(f"{path!r}: is no name of a file: {error}") from None


def parse(markup: bytes | str, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Parsed:
    """Read HTML from bytes or text."""
    limits.check_bytes(len(markup))
    refuse_many_roots(markup)
    notes: list[str] = []
    if isinstance(markup, str):
        document = _build(_without_surrogates(markup))
    else:
        refuse_other_kinds(markup)
        document = _decode_and_build(markup, charset, notes)
    parsed = _walk(document, limits, notes)
    if len(parsed.tree) <= _SKELETON and not parsed.texts:
        raise EmptyPage("the page has no content: no elements and no text")
    return parsed


_SKELETON = 3
"""The parser makes html, head and body for every document."""


def _decode_and_build(markup: bytes, charset: str | None, notes: list[str]) -> Document:
    label = transport_charset(charset) if charset else None
    if charset and not label:
        notes.append(f"unknown charset {charset!r} was ignored")
    document = _build(markup, label or unmarked_utf16(markup) or charset_of_large(markup))
    if label is None and is_really_utf8(markup, document.encoding):
        return _build(markup, "utf-8")
    return document


def _build(markup: bytes | str, charset: str | None = None) -> Document:
    """Scripting counts as on, as in a browser: what stands in noscript is then one text, and left out with it."""
    return turbohtml.parse(
        markup,
        encoding=charset,
        detect_encoding=True,
        positions=False,
        scripting=True,
        allow_declarative_shadow_roots=False,
    )


def _without_surrogates(markup: str) -> str:
    """Text that can be written out again: halves of a character are replaced, as they are in bytes."""
    try:
        markup.encode()
    except UnicodeEncodeError:
        return markup.encode(errors="surrogatepass").decode(errors="replace")
    return markup


def _walk(document: Document, limits: Limits, notes: list[str]) -> Parsed:  # noqa: C901 - the hot loop spares calls
    """One pass over the parser's tree, which fills the arrays of a page."""
    labels: list[str] = []
    parents: list[int] = []
    texts: list[str] = []
    owners: list[int] = []
    places: list[int] = []
    glued: list[int] = []
    most_nodes = limits.nodes
    # What is not in this index is left out, and with it, as it never gets there, all that stands below.
    index: dict[Node | None, int] = {document: ROOT_PARENT}
    known = index.get
    count = 0
    spaced = True
    for node in document.descendants:
        if type(node) is Element:
            parent = known(node.parent)
            if parent is None:
                continue
            label = node.tag
            if label in DROPPED:
                continue
            index[node] = count
            count += 1
            if count > most_nodes:
                limits.check_nodes(count)
            labels.append(label)
            parents.append(parent)
        elif type(node) is Text:
            raw = node.data
            if raw.isspace():
                spaced = True
                continue
            owner = known(node.parent)
            if owner is not None and labels[owner] not in _SILENT:
                if not spaced and not raw[0].isspace():
                    glued.append(len(texts))
                spaced = raw[-1].isspace()
                texts.append(" ".join(raw.split()))
                owners.append(owner)
                places.append(count)
    limits.check_depth(parents)
    if any(_REPLACEMENT in text for text in texts):
        notes.append(f"some bytes are not {document.encoding or 'text'} and were replaced by {_REPLACEMENT}")
    return Parsed(
        tree=Tree(labels, parents),
        texts=texts,
        owners=owners,
        places=places,
        glued=glued,
        read_attributes=_attribute_reader(index),
        encoding=document.encoding,
        notes=tuple(notes),
    )


def _attribute_reader(index: dict[Node | None, int]) -> Callable[[], list[Attributes]]:
    """The attributes of the elements of the index, which are in preorder behind the document."""

    def read() -> list[Attributes]:
        return [
            {
                name: value if isinstance(value, str) else " ".join(value or ())
                for name, value in element.attrs.copy().items()
            }
            for element in index
            if isinstance(element, Element)
        ]

    return read
