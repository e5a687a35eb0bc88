"""Agreement of records with those that a wrapper was learned from, from 0 to 1: the fit.

It is the product of three shares, each 1 if nothing differs: the items that have a column, the
columns that are filled as often as in the learned records, among those that are expected in every
record, and the values that look like the learned values of their column. There, a column counts by
the square of the share of the learned records that have it: what only some records have says
little.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from unweave.lists.listing import TEXT
from unweave.wrappers.base import EXPECTED_SHARE
from unweave.wrappers.list_tables import AssignedItem

MAX_COUNTS = 1_000  # of a wrapper file
_MAX_RECORDS = 1_000_000_000

# Lengths may differ by this factor, and shares of values with digits by this much, on two pages
# of one template.
_MAX_LENGTH_RATIO = 2.0
_MAX_SHARE_DIFFERENCE = 0.3
_MAX_PROFILED_VALUES = 200  # of a column
_DIGIT = re.compile(r"\d")

Rows = Sequence[Sequence[AssignedItem]]
"""The items of each record with the numbers of their columns."""


class Profile(NamedTuple):
    """What the texts of a column look like."""

    length: float
    """The median length in characters."""
    digit_share: float
    """The share of the texts with digits."""
    text_count: int
    """The number of texts that this was measured on."""


@dataclass(frozen=True, slots=True)
class ListStatistics:
    """What the records of the learned pages were like."""

    counts: tuple[int, ...]
    """The number of records of each page."""
    shares: tuple[float, ...]
    """The share of the records that have each column."""
    profiles: Mapping[int, Profile]
    """What the texts of each column look like."""
    sibling_share: float = 0.0
    """The number of elements beside the records that are no records, for each record."""
    sibling_fill: float = 0.0
    """How far the one of them that is most like a record has the columns of the records."""

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        return {
            "counts": self.counts,
            "shares": self.shares,
            "profiles": [[column, *profile] for column, profile in sorted(self.profiles.items())],
            "siblings": [self.sibling_share, self.sibling_fill],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], column_count: int) -> ListStatistics:
        """Read untrusted plain data about this number of columns."""
        sibling_share, sibling_fill = map(float, data["siblings"])
        statistics = cls(
            tuple(map(int, islice(data["counts"], MAX_COUNTS))),
            tuple(map(float, data["shares"])),
            {
                int(column): Profile(float(length), float(digit_share), int(count))
                for column, length, digit_share, count in data["profiles"]
            },
            sibling_share,
            sibling_fill,
        )
        if not statistics.counts or min(statistics.counts) < 1:
            raise ValueError("the statistics are of pages without records")
        if max(statistics.counts) > _MAX_RECORDS:
            raise ValueError("the statistics are of pages with too many records")
        if len(statistics.shares) != column_count:
            raise ValueError("the statistics are not those of its columns")
        if not all(0 <= share <= 1 for share in statistics.shares):
            raise ValueError("a share of the statistics is out of range")
        for column, profile in statistics.profiles.items():
            if not 0 <= column < column_count:
                raise ValueError("the statistics are of a column that does not exist")
            if not (
                0 <= profile.length < math.inf
                and 0 <= profile.digit_share <= 1
                and profile.text_count > 0
            ):
                raise ValueError("the statistics of a column are out of range")
        if not (0 <= sibling_share < math.inf and 0 <= sibling_fill <= 1):
            raise ValueError("the statistics of siblings are out of range")
        return statistics


class Agreement(NamedTuple):
    """How well records agree with the learned ones; each share from 0 to 1."""

    known: float
    """The share of the items that have a column."""
    filled: float
    """How far the columns of the learned records are filled."""
    similar: float
    """How far the values look like those of the learned records."""

    @property
    def fill(self) -> float:
        """How far the records have what the learned records have, whatever else they have."""
        return self.filled * self.similar

    @property
    def fit(self) -> float:
        """The product of the shares."""
        return self.known * self.filled * self.similar


def measure_shares(rows: Rows, column_count: int) -> tuple[float, ...]:
    """Return the share of the records that have each column."""
    counts = [0] * column_count
    for row in rows:
        for column in {column for column, _ in row if column is not None}:
            counts[column] += 1
    return tuple(count / max(1, len(rows)) for count in counts)


def profile_columns(rows: Rows) -> dict[int, Profile]:
    """Return what the texts of each column look like."""
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for row in rows:
        for column, item in row:
            if column is None or item.kind != TEXT:
                continue
            if len(texts[column]) < _MAX_PROFILED_VALUES:
                texts[column].append(item.value)
    return {column: _profile_texts(values) for column, values in texts.items()}


def _profile_texts(texts: Sequence[str]) -> Profile:
    with_digits = sum([_DIGIT.search(text) is not None for text in texts])
    return Profile(median(map(len, texts)), with_digits / len(texts), len(texts))


def measure_agreement(
    rows: Rows, shares: Sequence[float], profiles: Mapping[int, Profile]
) -> Agreement:
    """Return how well the items of records agree with the learned columns.

    Args:
        rows: The items of each record.
        shares: The share of the learned records that have each column.
        profiles: What the learned texts of each column look like.
    """
    items = sum(map(len, rows))
    if not items:
        return Agreement(0.0, 0.0, 0.0)
    known = sum(len({column for column, _ in row} - {None}) for row in rows)
    found = measure_shares(rows, len(shares))
    min_share = min(EXPECTED_SHARE, max(shares, default=0.0))
    expected = [column for column, share in enumerate(shares) if share and share >= min_share]
    profiled = [
        (shares[column] ** 2, _compare_profiles(profile, profiles[column]))
        for column, profile in profile_columns(rows).items()
        if column in profiles
    ]
    return Agreement(
        known / items,
        _average([(1.0, min(1.0, found[column] / shares[column])) for column in expected]),
        _average(profiled),
    )


def _average(values: Iterable[tuple[float, float]]) -> float:
    """Return the mean of weighted values, 1 if there are none."""
    total = weights = 0.0
    for weight, value in values:
        weights += weight
        total += weight * value
    return total / weights if weights else 1.0


def _compare_profiles(left: Profile, right: Profile) -> float:
    """Return how similar the texts of two columns look, from 0 to 1; few texts say little."""
    error = 0.5 / math.sqrt(min(left.text_count, right.text_count))
    ratio = (1 + max(left.length, right.length)) / (1 + min(left.length, right.length))
    length = min(1.0, math.sqrt(_MAX_LENGTH_RATIO * (1 + error) / ratio))
    difference = abs(left.digit_share - right.digit_share)
    return length * (1 - max(0.0, difference - _MAX_SHARE_DIFFERENCE - error))
