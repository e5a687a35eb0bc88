"""Similarity of tag strings, and groups of similar ones among many.

A tag string has one character a tag, so the tags of a sub-tree are a slice of those of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from unweave.trees.edit_distance import FLOAT_TOLERANCE, are_similar, compute_normalized_distance
from unweave.trees.tree import Tree

# A similarity of at least 0.6 is a normalized distance of at most 0.4 (CTVS).
MAX_TAG_DISTANCE = 0.4

# On one page. Beyond, a string is compared only with the few that are nearest to it in length.
MAX_COMPARISONS = 1_000_000
_MAX_COMPARISONS_PER_STRING_BEYOND = 8
# A comparison costs 1, and 1 more for this many pairs of tags.
_TAG_PAIRS_PER_COMPARISON = 20_000

TagGroup = list[str]
"""Similar tag strings, from short to long."""


def measure_tag_similarity(left: str, right: str) -> float:
    """Return the similarity of two tag strings, from 0 to 1."""
    return max(0.0, 1 - compute_normalized_distance(left, right))


def join_tags(tree: Tree, nodes: Sequence[int]) -> str:
    """Return the tag string of the sub-trees of some nodes, one after the other."""
    tags, ends = tree.tag_string, tree.ends
    return "".join([tags[node : ends[node]] for node in nodes])


class TagGrouper:
    """Groups similar tag strings: a group is a connected component of similarity.

    Equal strings are compared once. Strings are visited from short to long, and a group whose
    longest string is too short for the next one is complete. The longest strings of a group are
    compared first, and one similar string is enough. All calls share one budget of comparisons.
    """

    def __init__(self, max_distance: float) -> None:
        self._max_distance = max_distance
        self._min_length_ratio = (1 - max_distance / 2) / (1 + max_distance / 2)
        self._comparisons_left = MAX_COMPARISONS

    def group(self, strings: Sequence[str]) -> list[int | None]:
        """Return the number of each string's group, None for a string that has no similar one."""
        groups = self._build_groups(sorted(set(strings), key=lambda string: (len(string), string)))
        numbers = {string: number for number, group in enumerate(groups) for string in group}
        sizes = Counter(numbers[string] for string in strings)
        return [numbers[string] if sizes[numbers[string]] > 1 else None for string in strings]

    def _build_groups(self, by_length: Sequence[str]) -> list[TagGroup]:
        complete: list[TagGroup] = []
        # In the order of their longest strings: the last groups are the nearest in length.
        growing: dict[int, TagGroup] = {}
        for string in by_length:
            min_length = len(string) * self._min_length_ratio - FLOAT_TOLERANCE
            while growing and len((shortest := next(iter(growing.values())))[-1]) < min_length:
                complete.append(growing.pop(id(shortest)))
            compared = list(growing.values())
            if self._comparisons_left <= 0:
                compared = list(
                    islice(reversed(growing.values()), _MAX_COMPARISONS_PER_STRING_BEYOND)
                )
            joined = [group for group in compared if self._is_similar(string, group, min_length)]
            for group in joined:
                del growing[id(group)]
            if len(joined) == 1:
                group = joined[0]
            else:
                group = sorted([member for group in joined for member in group], key=len)
            group.append(string)
            growing[id(group)] = group
        return complete + list(growing.values())

    def _is_similar(self, string: str, group: TagGroup, min_length: float) -> bool:
        """Tell whether the string is similar to a member of the group."""
        members = group
        if self._comparisons_left <= 0:
            members = group[-_MAX_COMPARISONS_PER_STRING_BEYOND:]
        for member in reversed(members):
            if len(member) < min_length:
                return False
            self._comparisons_left -= 1 + len(string) * len(member) // _TAG_PAIRS_PER_COMPARISON
            if are_similar(string, member, self._max_distance):
                return True
        return False
