"""Required types: what a user says that the list holds, such as prices or images (DEPTA, section 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from unweave.errors import UsageError
from unweave.lists.candidates import Spans
from unweave.lists.listing import Record
from unweave.lists.page_index import PageIndex
from unweave.values.parsing import detect_type
from unweave.values.types import Type

# A list has a type if this share of its first records have it.
_MIN_RECORD_SHARE = 0.5
_MAX_RECORDS_TESTED = 40
_MIN_TEXT_LENGTH = 80

_VALUE_TYPES = {
    "price": {Type.PRICE},
    "date": {Type.DATE, Type.DATETIME},
    "time": {Type.TIME, Type.DATETIME},
    "integer": {Type.INTEGER},
    "number": {Type.INTEGER, Type.NUMBER},
    "percentage": {Type.PERCENTAGE},
}
REQUIRABLE_TYPES = (*_VALUE_TYPES, "image", "url", "text")
"""The types that can be required."""


def parse_required_types(want: Iterable[str]) -> tuple[str, ...]:
    """Return the required types, given as a sequence or separated by commas; raise a UsageError if one is unknown."""
    if isinstance(want, str):
        want = want.split(",")
    names = tuple(name for word in want if (name := word.strip()))
    for name in names:
        if name not in REQUIRABLE_TYPES:
            raise UsageError(f"cannot look for {name!r}; there are {', '.join(REQUIRABLE_TYPES)}")
    return names


def count_required_types(
    index: PageIndex, spans: Spans, records: Sequence[Record], required: Iterable[str]
) -> int:
    """Return the number of required types that most of the records have."""
    count = 0
    tested = list(islice(zip(spans, records, strict=True), _MAX_RECORDS_TESTED))
    for name in required:
        having = sum(_has_type(index, name, range(*span), record) for span, record in tested)
        count += having >= _MIN_RECORD_SHARE * len(tested)
    return count


def _has_type(index: PageIndex, name: str, texts: range, record: Record) -> bool:
    """Tell whether a record, with these text nodes, has something of a type."""
    page = index.page
    if name == "image":
        return index.image_sums[index.ends[record[-1]]] > index.image_sums[record[0]]
    if name == "url":
        return index.link_length_sums[texts.stop] > index.link_length_sums[texts.start]
    if name == "text":
        return any(len(page.texts[text]) >= _MIN_TEXT_LENGTH for text in texts)
    # A value may follow a label: "Price: 9.98".
    types = _VALUE_TYPES[name]
    return any(detect_type(page.texts[text].rsplit(": ", 1)[-1]) in types for text in texts)
