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
from unweave.page.kinds import refuse_other_kinds, utf16_without_mark
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
    notes: list[str] = []
    if isinstance(markup, str):
        document = _build(_without_surrogates(markup), None)
    else:
        refuse_other_kinds(markup)
        charset = charset or utf16_without_mark(markup)
        if charset and not _is_known(charset):
            notes.append(f"unknown charset {charset!r} was ignored")
            charset = None
        document = _build(markup, charset)
    parsed = _walk(document, limits, notes)
    if len(parsed.tree) <= _SKELETON and not parsed.texts:
        raise EmptyPage("the page is empty" if not markup.strip() else "the page has no content: no elements and no text")
    return parsed


_SKELETON = 3
"""The parser makes html, head and body for every document."""


def _is_known(charset: str) -> bool:
    try:
        turbohtml.parse(b"", encoding=charset)
    except LookupError:
        return False
    return True


def _build(markup: bytes | str, charset: str | None) -> Document:
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
    elements: list[Element] = []
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
            elements.append(node)
            labels.append(label)
            parents.append(parent)
        elif type(node) is Text:
            owner = known(node.parent)
            if owner is None:
                continue
            raw = node.data
            text = " ".join(raw.split())
            if not text:
                spaced = True
            elif labels[owner] not in _SILENT:
                if not spaced and not raw[0].isspace():
                    glued.append(len(texts))
                spaced = raw[-1].isspace()
                texts.append(text)
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
        read_attributes=_attribute_reader(elements),
        encoding=document.encoding,
        notes=tuple(notes),
    )


def _attribute_reader(elements: list[Element]) -> Callable[[], list[Attributes]]:
    def read() -> list[Attributes]:
        return [
            {
                name: value if isinstance(value, str) else " ".join(value or ())
                for name, value in element.attrs.copy().items()
            }
            for element in elements
        ]

    return read
