"""Regions of pages, candidate landmarks and splits (Cetorelli et al., sections 3.3 and 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from unweave.wrappers.landmarks.tokens import (
    MAX_CONDITIONS,
    Condition,
    Conditions,
    Landmark,
    TokenSequence,
    list_generalizations,
)

Region = tuple[int, int, int]
"""The tokens of a page from a start to an end: page, start, end."""

RegionSet = tuple[Region, ...]
"""The regions that one node of a landmark tree parses, at most one of each page."""

ABSENT = -1
"""The position of a landmark in a region that does not have it."""

# A page with more landmarks is hostile; no more conditions are combined then.
_MAX_LANDMARKS = 100_000


class Split(NamedTuple):
    """A candidate landmark of a region set; regions without it are extracted as they are."""

    landmark: int
    """Its number in ``TokenTable.landmarks``."""
    positions: tuple[int, ...]
    """Where it is in each region, or ABSENT."""
    rank: tuple[object, ...] = ()
    """The order of equally good candidates, the smallest first (GREEDY-INF, section 5.2)."""


@dataclass(frozen=True, eq=False)
class TokenTable:
    """The tokens of the pages that a grammar is learned from, as numbers.

    Every token has a symbol, its text or tag. A text is matched by one landmark, a start tag by
    each of its generalizations that k pages have, an end tag by none.
    """

    symbols: Sequence[Sequence[int]]
    """The symbol of every token of each page."""
    partners: Sequence[Sequence[int]]
    landmark_ids: Sequence[Sequence[int]]
    """The landmarks that match the tokens of each page, in the order of the tokens."""
    landmark_positions: Sequence[Sequence[int]]
    """The position of the token for each entry of ``landmark_ids``."""
    landmark_offsets: Sequence[Sequence[int]]
    """How many entries of ``landmark_ids`` are before each token."""
    depths: Sequence[Sequence[int]]
    landmarks: Sequence[Landmark]
    """The landmarks by number, those with fewer conditions first."""
    k: int
    """A landmark occurs exactly once in at least this many regions (k-SEP, section 5)."""

    @property
    def whole_pages(self) -> RegionSet:
        """The pages that are not empty, each as one region."""
        return tuple((page, 0, len(row)) for page, row in enumerate(self.symbols) if row)

    def find_splits(self, regions: RegionSet) -> list[Split]:
        """Return the candidate landmarks of a region set.

        A candidate occurs at most once in each region and exactly once in k of them, with its
        partner. Of candidates at the same positions, only the most general is returned.
        """
        counts: Counter[int] = Counter()
        positions: dict[int, dict[int, int]] = defaultdict(dict)
        repeated: set[int] = set()
        for number, (page, start, end) in enumerate(regions):
            first, last = self.landmark_offsets[page][start], self.landmark_offsets[page][end]
            ids = self.landmark_ids[page][first:last]
            if len(set(ids)) < len(ids):
                repeated.update(landmark for landmark, count in Counter(ids).items() if count > 1)
            counts.update(ids)
            partners = self.partners[page]
            for landmark, position in zip(
                ids, self.landmark_positions[page][first:last], strict=True
            ):
                if start <= partners[position] < end:
                    positions[landmark][number] = position
        splits: dict[tuple[int, ...], Split] = {}
        for landmark, by_region in positions.items():
            if landmark in repeated or len(by_region) < self.k:
                continue
            if counts[landmark] > len(by_region):
                continue  # the partner of a tag is in another region
            key = tuple([by_region.get(number, ABSENT) for number in range(len(regions))])
            known = splits.get(key)
            if known is None or landmark < known.landmark:
                splits[key] = Split(landmark, key)
        return [split._replace(rank=self._rank(split, regions)) for split in splits.values()]

    def _rank(self, split: Split, regions: RegionSet) -> tuple[object, ...]:
        """Return a sort key: texts before tags, longer texts first, then by depth and position."""
        landmark = self.landmarks[split.landmark]
        length = len(landmark.text) if landmark.text is not None else -1
        number = next(index for index, at in enumerate(split.positions) if at != ABSENT)
        page, position = regions[number][0], split.positions[number]
        return -length, self.depths[page][position], page, position, str(landmark)

    def split_regions(
        self, regions: RegionSet, split: Split
    ) -> tuple[RegionSet, RegionSet, RegionSet]:
        """Return the regions left of a landmark, inside and right of it, without empty ones."""
        left: list[Region] = []
        inside: list[Region] = []
        right: list[Region] = []
        for (page, start, end), position in zip(regions, split.positions, strict=True):
            if position == ABSENT:
                continue
            partner = self.partners[page][position]
            if start < position:
                left.append((page, start, position))
            if position + 1 < partner:
                inside.append((page, position + 1, partner))
            if partner + 1 < end:
                right.append((page, partner + 1, end))
        return tuple(left), tuple(inside), tuple(right)

    def apply_split(self, regions: RegionSet, split: Split) -> tuple[int, tuple[RegionSet, ...]]:
        """Return the number of tokens in regions without the landmark, and the sets of the rest."""
        finished = 0
        for (_, start, end), position in zip(regions, split.positions, strict=True):
            if position == ABSENT:
                finished += end - start
        return finished, tuple(filter(None, self.split_regions(regions, split)))

    def count_matched(self, regions: RegionSet, split: Split) -> int:
        """Return how many tokens a landmark and its end tag match."""
        count = 0
        for (page, _, _), position in zip(regions, split.positions, strict=True):
            if position != ABSENT:
                count += 1 if self.partners[page][position] == position else 2
        return count


def count_tokens(regions: RegionSet) -> int:
    """Return the number of tokens of regions."""
    return sum(end - start for _, start, end in regions)


# ---- building the table --------------------------------------------------------------------------

TokenKey = tuple[str | None, str, Conditions]
"""All that landmarks can match of a token: its text, its tag and its conditions."""


def build_token_table(pages: Sequence[TokenSequence], k: int) -> TokenTable:
    """Return the tokens of pages as numbers, with the landmarks that at least k pages have."""
    landmarks, ids_by_key = _number_landmarks(pages, k)
    numbers: dict[tuple[str | None, str], int] = {}
    symbols: list[list[int]] = []
    ids_of_tokens: list[list[tuple[int, ...]]] = []
    for page in pages:
        row: list[int] = []
        for token, partner in zip(page.tokens, page.partners, strict=True):
            symbol = token.text, token.tag
            if token.text is None and not token.tag:
                symbol = None, f"/{page.tokens[partner].tag}"
            row.append(numbers.setdefault(symbol, len(numbers)))
        symbols.append(row)
        ids_of_tokens.append(
            [ids_by_key.get((token.text, token.tag, token.conditions), ()) for token in page.tokens]
        )
    return TokenTable(
        symbols=symbols,
        partners=[page.partners for page in pages],
        landmark_ids=[[number for ids in row for number in ids] for row in ids_of_tokens],
        landmark_positions=[
            [position for position, ids in enumerate(row) for _ in ids] for row in ids_of_tokens
        ],
        landmark_offsets=[list(accumulate(map(len, row), initial=0)) for row in ids_of_tokens],
        depths=[_compute_depths(page) for page in pages],
        landmarks=landmarks,
        k=k,
    )


def _compute_depths(page: TokenSequence) -> list[int]:
    depths: list[int] = []
    depth = 0
    for position, partner in enumerate(page.partners):
        depth -= partner < position
        depths.append(depth)
        depth += partner > position
    return depths


def _number_landmarks(
    pages: Sequence[TokenSequence], k: int
) -> tuple[list[Landmark], Mapping[TokenKey, tuple[int, ...]]]:
    """Return the landmarks of at least k pages, and the numbers of those that match each token.

    The landmarks of a tag form the lattice of section 6. Of landmarks that match the same tokens,
    only the most general is kept.
    """
    pages_with: defaultdict[TokenKey, set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for token in page.tokens:
            if token.text is not None or token.tag:
                pages_with[token.text, token.tag, token.conditions].add(number)
    common = _find_common_conditions(pages_with, k)
    keys_of: defaultdict[Landmark, list[TokenKey]] = defaultdict(list)
    for count in range(MAX_CONDITIONS + 1):
        if len(keys_of) > _MAX_LANDMARKS:
            break
        for key in pages_with:
            for landmark in _list_landmarks(key, common, count):
                keys_of[landmark].append(key)
    landmarks: list[Landmark] = []
    ids_by_key: defaultdict[TokenKey, tuple[int, ...]] = defaultdict(tuple)
    matched: set[frozenset[TokenKey]] = set()
    for landmark in sorted(keys_of, key=lambda mark: (len(mark.conditions), str(mark))):
        keys = frozenset(keys_of[landmark])
        if keys in matched:
            continue
        matched.add(keys)
        if len(set[int]().union(*(pages_with[key] for key in keys))) >= k:
            for key in keys:
                ids_by_key[key] += (len(landmarks),)
            landmarks.append(landmark)
    return landmarks, ids_by_key


def _find_common_conditions(
    pages_with: Mapping[TokenKey, set[int]], k: int
) -> Mapping[str, set[Condition]]:
    """Return the conditions on each tag that it fulfils on at least k pages."""
    pages: defaultdict[tuple[str, Condition], set[int]] = defaultdict(set)
    for (_, tag, conditions), numbers in pages_with.items():
        for condition in conditions:
            pages[tag, condition] |= numbers
    common: defaultdict[str, set[Condition]] = defaultdict(set)
    for (tag, condition), numbers in pages.items():
        if len(numbers) >= k:
            common[tag].add(condition)
    return common


def _list_landmarks(
    key: TokenKey, common: Mapping[str, set[Condition]], count: int
) -> Iterable[Landmark]:
    """Return the landmarks with this number of conditions that match a token."""
    text, tag, conditions = key
    if text is None:
        return list_generalizations(tag, conditions & common.get(tag, set()), count)
    return () if count else (Landmark(text),)
