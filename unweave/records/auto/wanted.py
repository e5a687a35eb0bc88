"""What a user says that the list holds: how many of these things the records of a candidate have (DEPTA, section 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from unweave.errors import UsageError
from unweave.fields.types import Type, type_of
from unweave.records.auto.candidates import Spans
from unweave.records.auto.outline import Outline
from unweave.records.region import Record

# A list has what so many of its records have; so many records tell.
_MOST = 0.5
_ENOUGH = 40

_TYPES = {
    "price": {Type.PRICE},
    "date": {Type.DATE, Type.DATETIME},
    "time": {Type.TIME, Type.DATETIME},
    "integer": {Type.INTEGER},
    "number": {Type.INTEGER, Type.FLOAT},
    "percentage": {Type.PERCENTAGE},
}
WANTED = (*_TYPES, "image", "url", "text")
"""What can be asked for."""

# A text of so many letters is one to be read.
_LONG = 80


def check_wanted(want: Iterable[str]) -> tuple[str, ...]:
    """What is wanted, if all of it is known."""
    if isinstance(want, str):
        want = want.split(",")
    found = tuple(stripped for own in want if (stripped := own.strip()))
    for own in found:
        if own not in WANTED:
            raise UsageError(f"cannot look for {own!r}; there are {', '.join(WANTED)}")
    return found


def count_wanted(outline: Outline, spans: Spans, records: Sequence[Record], want: Iterable[str]) -> int:
    """How many of the wanted things most of the records have."""
    found = 0
    for own in want:
        has = _test(outline, own)
        some = list(islice(zip(spans, records, strict=True), _ENOUGH))
        found += sum(has(range(*span), record) for span, record in some) >= _MOST * len(some)
    return found


def _test(outline: Outline, want: str) -> Callable[[range, Record], bool]:
    page, images, links = outline.page, outline.images, outline.link_letters
    if want == "image":
        return lambda chunks, record: images[outline.ends[record[-1]]] > images[record[0]]
    if want == "url":
        return lambda chunks, record: links[chunks.stop] > links[chunks.start]
    if want == "text":
        return lambda chunks, record: any(len(page.texts[chunk]) >= _LONG for chunk in chunks)
    types = _TYPES[want]
    return lambda chunks, record: any(_bare_type(page.texts[chunk]) in types for chunk in chunks)


def _bare_type(text: str) -> Type:
    """The type of a text, or of what stands after its label."""
    return type_of(text.rsplit(": ", 1)[-1])
