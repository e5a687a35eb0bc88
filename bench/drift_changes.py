"""Changes of the pages of a site, as redesigns make them; the values of the pages stay the same.

All changes edit the markup as text, so that the rest of a page stays as it was, byte for byte. They
are the same in every run: what is chosen depends on the names and texts of the pages only.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import NamedTuple

import turbohtml
from turbohtml import Element

Change = Callable[[bytes], bytes]
"""Changes the markup of a page."""

UNCHANGED = "unchanged"


def keep(markup: bytes) -> bytes:
    """Return the page as it is."""
    return markup


_START_TAG = re.compile(rb"<[a-zA-Z][^<>]*>")
_NAMES = re.compile(rb"""(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""", re.I)
_SINGLE_TEXT = re.compile(rb"(<([a-zA-Z]\w*)(?:\s[^<>]*)?>\s*)([^<>]*[^<>\s])(?=\s*</\2\s*>)")
_CODE_TAGS = (b"script", b"style", b"title", b"textarea")
_WORD_OR_ENTITY = re.compile(rb"&#?\w+;|[a-zA-Z]+")
_LETTERS = (b"aeiou", b"bcdfghjklmnpqrstvwxyz")
_SHIFTED = bytes.maketrans(
    b"".join(letters + letters.upper() for letters in _LETTERS),
    b"".join(
        shifted + shifted.upper() for shifted in (letters[1:] + letters[:1] for letters in _LETTERS)
    ),
)

_BLOCK_TAGS = frozenset("table ul ol dl section article div".split())
_MIN_ROWS = 3
_MIN_PAGE_SHARE = 0.8
_MAX_MARKUP_SHARE = 0.5  # of the page that the moved block may have
_CELL_TAGS = frozenset(["td", "th"])
_WORDS = (b"new", b"top", b"old")


# ---- names and labels ----------------------------------------------------------------------------


def rename_all(markup: bytes) -> bytes:
    """Rename every class and every id, the same way on all pages."""

    def rename(match: re.Match[bytes]) -> bytes:
        quote = match[2][:1] if match[2][:1] in b"\"'" else b""
        names = match[2].strip(b"\"'") if quote else match[2]
        return match[1] + quote + b" ".join(map(_rename, names.split())) + quote

    return _START_TAG.sub(lambda tag: _NAMES.sub(rename, tag[0]), markup)


def _rename(name: bytes) -> bytes:
    return b"r" + hashlib.md5(name).hexdigest()[:7].encode()


def rename_labels(markup: bytes, labels: Collection[str]) -> bytes:
    """Rename labels where they are all the text of an element.

    Letters are replaced one by one, vowels by vowels; case, colons and the number of words stay.
    """

    def rename(match: re.Match[bytes]) -> bytes:
        if match[2].lower() in _CODE_TAGS or _decode(match[3]) not in labels:
            return match[0]
        return match[1] + _WORD_OR_ENTITY.sub(_shift_letters, match[3])

    return _SINGLE_TEXT.sub(rename, markup)


def _shift_letters(match: re.Match[bytes]) -> bytes:
    return match[0] if match[0].startswith(b"&") else match[0].translate(_SHIFTED)


def _decode(raw: bytes) -> str:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("windows-1252", errors="replace")
    return fold_spaces(html.unescape(text))


def fold_spaces(text: str) -> str:
    """Return a text with its white space folded."""
    return " ".join(text.split())


def select_half(labels: Iterable[str]) -> frozenset[str]:
    """Return about half of the labels: which ones depends on each alone, not on its colon."""
    return frozenset(
        fold_spaces(label)
        for label in labels
        if hashlib.md5(label.strip(" :").casefold().encode()).digest()[0] % 2
    )


# ---- the markup of elements ----------------------------------------------------------------------


class _Document:
    """The elements of a page with the positions of their markup.

    The bytes are read as characters one by one, so that positions are those of the bytes.
    """

    def __init__(self, markup: bytes) -> None:
        # The parser counts the end of a line as one character.
        text = markup.replace(b"\r\n", b" \n").replace(b"\r", b"\n").decode("latin-1")
        document = turbohtml.parse(
            text, source_locations=True, scripting=True, allow_declarative_shadow_roots=False
        )
        self.elements = [node for node in document.descendants if isinstance(node, Element)]

    def find_content(self, element: Element) -> int | None:
        """Return where the content of an element starts, or None if it has no start tag."""
        location = element.source_location
        return None if location is None else int(location.start_tag.end_offset)

    def find_span(self, element: Element) -> slice | None:
        """Return where an element is in the markup, or None if it has no start or no end tag."""
        location = element.source_location
        if location is None or location.end_tag is None:
            return None
        return slice(location.start_tag.start_offset, location.end_tag.end_offset)


def _list_children(element: Element) -> list[Element]:
    return [child for child in element.children if isinstance(child, Element)]


def _has_text(element: Element) -> bool:
    return not element.text.isspace() and bool(element.text)


# ---- sections ------------------------------------------------------------------------------------


_BlockKey = tuple[str, int]
"""The tags and classes from the root to a block, and how many such blocks are before it."""


class _Block(NamedTuple):
    span: slice
    follower: slice
    """Of the next sibling."""
    middle: float
    """How far down the body its middle is, from 0 to 1."""


@dataclass(frozen=True)
class SectionMove:
    """A block of the pages of a site, which is moved behind its next sibling."""

    key: _BlockKey | None
    """None if the pages have no such block."""

    @classmethod
    def choose(cls, pages: Sequence[bytes]) -> SectionMove:
        """Choose the block nearest to the middle that most pages have, with texts that differ."""
        middles: dict[_BlockKey, list[float]] = defaultdict(list)
        contents: dict[_BlockKey, set[bytes]] = defaultdict(set)
        for markup in pages:
            for key, block in _iter_blocks(markup):
                middles[key].append(block.middle)
                contents[key].add(markup[block.span])
        frequent = [
            key
            for key, positions in middles.items()
            if len(positions) >= _MIN_PAGE_SHARE * len(pages)
            and len(contents[key]) >= _MIN_PAGE_SHARE * len(positions)
        ]
        return cls(min(frequent, key=lambda key: abs(mean(middles[key]) - 0.5), default=None))

    def __call__(self, markup: bytes) -> bytes:
        """Move the block of a page that has it."""
        for key, block in _iter_blocks(markup) if self.key else ():
            if key == self.key:
                start, end = block.span.start, block.follower.stop
                between = markup[block.span.stop : end]
                return markup[:start] + between + markup[block.span] + markup[end:]
        return markup


def _iter_blocks(markup: bytes) -> Iterator[tuple[_BlockKey, _Block]]:
    """Yield the blocks with several rows and a next sibling, of a page."""
    document = _Document(markup)
    paths: dict[Element, str] = {}
    counts: dict[str, int] = defaultdict(int)
    body = next((element for element in document.elements if element.tag == "body"), None)
    start = (document.find_content(body) if body is not None else None) or 0
    for element in document.elements:
        parent = element.parent
        above = paths.get(parent, "") if isinstance(parent, Element) else ""
        classes = element.attrs.get("class") or ""
        words = classes if isinstance(classes, str) else ".".join(classes)
        path = paths[element] = f"{above}/{element.tag}.{words}"
        if element.tag not in _BLOCK_TAGS:
            continue
        key = (path, counts[path])
        counts[path] += 1
        span = document.find_span(element)
        if span is None or span.stop - span.start > _MAX_MARKUP_SHARE * len(markup):
            continue
        sibling = next((node for node in element.next_siblings if isinstance(node, Element)), None)
        follower = document.find_span(sibling) if sibling is not None else None
        if sibling is None or follower is None or follower.start < span.stop:
            continue
        if not _has_text(sibling) or _count_rows(element) < _MIN_ROWS:
            continue
        middle = ((span.start + span.stop) / 2 - start) / (len(markup) - start)
        yield key, _Block(span, follower, middle)


def _count_rows(element: Element) -> int:
    if element.tag == "table":
        return len(element.find_all("tr"))
    return sum(map(_has_text, _list_children(element)))


# ---- columns -------------------------------------------------------------------------------------


def insert_column(markup: bytes) -> bytes:
    """Insert a cell in front of the cells of each row of all data tables with several columns.

    Header rows get a header. Tables with an even number of rows get numbers, others short words.
    Tables around tables are layout, and left as they are.
    """
    document = _Document(markup)
    insertions: list[tuple[int, bytes]] = []
    for table in document.elements:
        if table.tag != "table" or table.find("table") is not None:
            continue
        rows = [(row, _list_children(row)) for row in table.find_all("tr")]
        if sum(_count_cells(cells) > 1 for _, cells in rows) < 2:
            continue
        for number, (row, cells) in enumerate(rows, start=1):
            start = document.find_content(row)
            if start is None or not _count_cells(cells):
                continue
            is_header = all(cell.tag == "th" for cell in cells)
            word = _WORDS[number % len(_WORDS)] if len(rows) % 2 else str(number).encode()
            insertions.append((start, b"<th>No.</th>" if is_header else b"<td>%s</td>" % word))
    return _insert(markup, insertions)


def _count_cells(children: Iterable[Element]) -> int:
    return sum(child.tag in _CELL_TAGS for child in children)


def _insert(markup: bytes, insertions: Iterable[tuple[int, bytes]]) -> bytes:
    ordered = sorted(insertions)
    ends = [0, *(position for position, _ in ordered), len(markup)]
    kept = [markup[start:end] for start, end in pairwise(ends)]
    return kept[0] + b"".join(
        text + rest for (_, text), rest in zip(ordered, kept[1:], strict=True)
    )


# ---- all changes of a site -----------------------------------------------------------------------

OWN_CHANGES = ("labels", "section", "column", "all names")


def make_change(
    name: str, kinds: Mapping[str, Change], pages: Sequence[bytes], labels: Collection[str]
) -> Change:
    """Return the change of this name, or of several names joined by ``+``.

    Args:
        name: such as ``classes`` or ``ids+wrap``. Sections are moved first, because they are found
            by the classes of the pages as they were.
        kinds: Further changes, by name.
        pages: Some pages of the site, from which the section is chosen that is moved.
        labels: The texts of the labels of the site, of which half are renamed.
    """
    own: dict[str, Callable[[], Change]] = {
        "labels": lambda: _make_label_change(labels),
        "section": lambda: SectionMove.choose(pages),
        "column": lambda: insert_column,
        "all names": lambda: rename_all,
    }
    parts = sorted(name.split("+"), key=lambda part: part != "section")
    changes = [own[part]() if part in own else kinds[part] for part in parts]

    def change(markup: bytes) -> bytes:
        for each in changes:
            markup = each(markup)
        return markup

    return change


def _make_label_change(labels: Collection[str]) -> Change:
    renamed = select_half(labels)
    return lambda markup: rename_labels(markup, renamed)
