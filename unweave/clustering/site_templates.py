"""Templates of one site, by the outlines of its pages: the tag paths and the names of elements that a page has.

The pages of a site have a frame in common, which may be larger than what tells their templates apart. So being alike is not
enough: two groups of pages are of one template only if not each of them has something of its own that the other has not.
What only one of them has may be a part that some pages lack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from unweave.clustering.clusters import Linkage
from unweave.page.page import Page
from unweave.page.template_paths import list_identifiers
from unweave.trees.paths import hash_paths

Outline = frozenset[int]

# Of forty real sites of one template each, one pair of pages in a hundred is less alike than that, and no two of two sites
# are half as much alike.
LEAST_ALIKE = 0.5

# What a group of pages has of its own: on so many of its pages, and on so few of the other's.
_OWN, _OTHERS = 0.8, 0.05
# So many pages tell what a group has of its own.
_LEAST_PAGES = 3
# Groups differ if each has so many marks of its own, and so large a share of all that it has.
_LEAST_MARKS, _LEAST_SHARE = 8, 0.08

# So many pages of a template are kept to know it by.
_MOST_EXAMPLES = 12
_NEAREST = 3
# A page belongs to a template if it is nearly as much like its nearest pages as they are like each other, all but a few.
_NEARLY, _ALL_BUT = 0.85, 0.05


def outline(page: Page) -> Outline:
    """What a page is made of, as numbers that are the same wherever they are worked out."""
    labels = page.tree.labels
    found = set(hash_paths(page.tree.parents, labels))
    for label, names in set(zip(labels, page.identifiers, strict=True)):
        found.update(
            crc32(word.encode(errors="surrogatepass")) for word in list_identifiers(label, names)
        )
    return frozenset(found)


def alike(one: Outline, other: Outline) -> float:
    """The share of what two pages are made of that both have, from 0 to 1."""
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def groups(outlines: Sequence[Outline]) -> list[list[int]]:
    """The numbers of the outlines in groups, a group a template, in the order of their first ones."""
    own = _Outlines(outlines)
    return Linkage(range(len(outlines)), own, LEAST_ALIKE, own.differ).groups()


@dataclass(frozen=True)
class _Outlines:
    """The outlines of pages by their numbers."""

    outlines: Sequence[Outline]

    def similarity(self, one: int, other: int) -> float:
        """How alike two pages are."""
        return alike(self.outlines[one], self.outlines[other])

    bound = similarity

    def differ(self, one: Sequence[int], other: Sequence[int]) -> bool:
        """Has each of two groups something of its own?"""
        if min(len(one), len(other)) < _LEAST_PAGES:
            return False
        counts, others = self._counts(one), self._counts(other)
        size = min(counts.total() / len(one), others.total() / len(other))
        least = max(_LEAST_MARKS, _LEAST_SHARE * size)
        return (
            _count_own(counts, len(one), others, len(other)) >= least
            and _count_own(others, len(other), counts, len(one)) >= least
        )

    def _counts(self, group: Sequence[int]) -> Counter[int]:
        return Counter(mark for number in group for mark in self.outlines[number])


def _count_own(counts: Counter[int], pages: int, others: Counter[int], other_pages: int) -> int:
    """How many marks nearly all pages of a group have, and hardly any of the other."""
    return sum(
        [
            count >= _OWN * pages and others[mark] <= _OTHERS * other_pages
            for mark, count in counts.items()
        ]
    )


def examples(outlines: Sequence[Outline]) -> list[Outline]:
    """A few of the outlines that are as different as can be: each the least like those before it."""
    chosen = list(outlines[:1])
    nearest = [alike(chosen[0], own) for own in outlines]
    while len(chosen) < min(_MOST_EXAMPLES, len(outlines)):
        number = min(range(len(outlines)), key=nearest.__getitem__)
        if nearest[number] == 1:
            break
        chosen.append(outlines[number])
        nearest = [
            max(before, alike(chosen[-1], own))
            for before, own in zip(nearest, outlines, strict=True)
        ]
    return chosen


def bound(outlines: Sequence[Outline], examples: Sequence[Outline]) -> float:
    """How much like the examples of a template a page must be to be of it, by the pages that are known to be."""
    likes = sorted(
        _likeness(own, [other for other in examples if other is not own]) for own in outlines
    )
    return max(LEAST_ALIKE, _NEARLY * likes[int(_ALL_BUT * len(likes))])


def nearest(page: Outline, templates: Sequence[tuple[Sequence[Outline], float]]) -> int | None:
    """The number of the template that a page is most like, of those that it is enough like; None if there is none."""
    likes = [_likeness(page, examples) for examples, _ in templates]
    able = [number for number, (_, least) in enumerate(templates) if likes[number] >= least]
    return max(able, key=likes.__getitem__, default=None)


def _likeness(page: Outline, examples: Sequence[Outline]) -> float:
    """How like its nearest of some pages a page is."""
    few = sorted((alike(page, own) for own in examples), reverse=True)[:_NEAREST]
    return sum(few) / len(few) if few else 0.0
