"""Tell from many pages together which fields of a wrapper are no longer what was learned.

One page may lack a field, or have an odd value. If many do, and the learned pages did not, the site
has changed.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from functools import lru_cache
from math import comb
from typing import NamedTuple

from unweave.wrappers.base import MIN_FIT, Extraction, Wrapper
from unweave.wrappers.fields.apply import Field, FieldWrapper

_MAX_CHANCE = 0.001
"""So improbable are counts that are reported, if the pages are like the learned ones."""

_MAX_NAMED_FIELDS = 8

_MIN_SAME_PAGES = 5
"""So many pages with one value tell that a field that differed no longer does."""


class Change(StrEnum):
    """What has become of a field, in the words of a report."""

    MISSING = "missing"
    MOVED = "in another place"
    UNUSUAL = "unlike the learned values"
    CONSTANT = "the same value everywhere"


class FieldChange(NamedTuple):
    """A field that differs from what was learned on many pages."""

    name: str
    change: Change
    pages: int
    """On how many pages."""
    of: int
    """Of how many pages: all, or those that have the field."""


class DriftMonitor:
    """Counts what becomes of the fields of a wrapper on the pages that it is applied to."""

    def __init__(self, wrapper: Wrapper) -> None:
        self._fields = _list_result_fields(wrapper) if isinstance(wrapper, FieldWrapper) else {}
        self._learned_pages = wrapper.pages if isinstance(wrapper, FieldWrapper) else 0
        self._pages = self._low_fits = 0
        self._present: Counter[str] = Counter()
        self._moved: Counter[str] = Counter()
        self._unusual: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {name: Counter() for name in self._fields}

    def add(self, extraction: Extraction) -> None:
        """Count the fields of a page."""
        self._pages += 1
        self._low_fits += extraction.fit < MIN_FIT
        for name, value in (extraction.fields or {}).items():
            self._present[name] += 1
            counts = self._values.get(name)
            # Two values are enough to tell that a field differs.
            if counts is not None and (len(counts) < 2 or str(value) in counts):
                counts[str(value)] += 1
        self._moved.update(extraction.moved)
        self._unusual.update(extraction.unusual)

    def summarize(self, *, with_fits: bool = True) -> list[str]:
        """Return a line for each kind of change, with the fields and on how many pages it is.

        ``with_fits`` adds a line on how many pages have a low fit.
        """
        lines: list[str] = []
        changes = self.find_changes()
        for kind in Change:
            found = [each for each in changes if each.change is kind]
            named = [
                f"{each.name} ({each.pages} of {each.of} pages)"
                for each in found[:_MAX_NAMED_FIELDS]
            ]
            if len(found) > len(named):
                named.append(f"{len(found) - len(named)} more fields")
            if named:
                lines.append(f"{kind}: {', '.join(named)}")
        if with_fits and self._low_fits:
            lines.append(
                f"unlike the learned pages: {self._low_fits} of {self._pages} pages"
                f" (fit below {MIN_FIT:g})"
            )
        return lines

    def find_changes(self) -> list[FieldChange]:
        """Return the fields that are not as they were learned, in the order of the result."""
        changes: list[FieldChange] = []
        for name, field in self._fields.items():
            present = self._present[name]
            # What every learned page had may be missing on one of as many others.
            learned = self._learned_pages
            usual = (field.share * learned + 1) / (learned + 2)
            missing = self._pages - present
            if missing and _compute_tail(missing, self._pages, 1 - usual) < _MAX_CHANCE:
                changes.append(FieldChange(name, Change.MISSING, missing, self._pages))
            rare = 1 / (learned + 2)
            for change, counts in ((Change.UNUSUAL, self._unusual), (Change.MOVED, self._moved)):
                count = min(counts[name], present)
                if count and _compute_tail(count, present, rare) < _MAX_CHANCE:
                    changes.append(FieldChange(name, change, count, present))
            is_same = len(self._values[name]) == 1
            if field.look.is_distinct and present >= _MIN_SAME_PAGES and is_same:
                changes.append(FieldChange(name, Change.CONSTANT, present, present))
        return changes


def _list_result_fields(wrapper: FieldWrapper) -> dict[str, Field]:
    """Return the fields of the result by their names in it; one may be selected twice."""
    if not wrapper.selected:
        return {field.name: field for field in wrapper.columns}
    fields = {field.name: field for field in wrapper.fields}
    return {each.name: fields[each.field] for each in wrapper.selected if each.field in fields}


@lru_cache(maxsize=10_000)  # many fields are missing on the same number of pages
def _compute_tail(count: int, total: int, probability: float) -> float:
    """Return the probability of this many or more of a total, each with this probability."""
    if total > 1_000:  # the counts are as telling in proportion, and the sum stays short
        count, total = count * 1_000 // total, 1_000
    return sum(
        comb(total, number) * probability**number * (1 - probability) ** (total - number)
        for number in range(count, total + 1)
    )
