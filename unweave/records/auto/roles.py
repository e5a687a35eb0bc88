"""Roles: which elements of a list's records are the same part of each record.

Two elements have the same role if they stand at the same path of tags in their records and all elements on the way
have the same classes; cells of tables must stand in the same column, too. Classes that few records have at that path,
such as the number or the state of one item, are noise and do not count: a class counts if most of the records that have
the path have it there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from unweave.page.page import Page
from unweave.records.region import Listing, Record

_STEADY = 0.6
_LEAST_STEADY = 2

Roles = Mapping[int, int]
"""The number of the role of each element in the records of a list."""

Step = tuple[int, str | None]
"""A path of tags, and the classes of an element there."""


def roles_of(page: Page, listing: Listing) -> Roles:
    """The roles of all elements in the records of a list."""
    paths = _paths(page, listing)
    kept = _steady_classes(page, listing, paths)
    names, parents, ends = page.names, page.tree.parents, page.tree.ends
    column_of = page.grid.columns
    numbers: dict[tuple[int, tuple[str, ...], int, int], int] = {}
    roles: dict[int, int] = {}
    for record in listing.records:
        for root in record:
            roles[root] = numbers.setdefault((-1, (), paths[root], 0), len(numbers))
            for node in range(root + 1, ends[root]):
                key = (roles[parents[node]], kept[paths[node], names[node][0]], paths[node], column_of.get(node, 0))
                roles[node] = numbers.setdefault(key, len(numbers))
    return roles


def _paths(page: Page, listing: Listing) -> Mapping[int, int]:
    """A number for the path of tags to each element, seen from its record."""
    labels, parents, ends = page.tree.labels, page.tree.parents, page.tree.ends
    numbers: dict[tuple[int, str], int] = {}
    paths: dict[int, int] = {}
    for record in listing.records:
        for part, root in enumerate(record):
            paths[root] = numbers.setdefault((-1 - part, labels[root]), len(numbers))
            for node in range(root + 1, ends[root]):
                paths[node] = numbers.setdefault((paths[parents[node]], labels[node]), len(numbers))
    return paths


def _steady_classes(page: Page, listing: Listing, paths: Mapping[int, int]) -> dict[Step, tuple[str, ...]]:
    """The classes that count, for every step of the records. Records that are made alike are counted at once."""
    names, ends = page.names, page.tree.ends

    def steps(record: Record) -> frozenset[Step]:
        return frozenset([(paths[node], names[node][0]) for root in record for node in range(root, ends[root])])

    with_path: Counter[int] = Counter()
    with_class: Counter[tuple[int, str]] = Counter()
    made = Counter(map(steps, listing.records))
    for own, times in made.items():
        for path in {path for path, _ in own}:
            with_path[path] += times
        for step in {(path, word) for path, classes in own if classes for word in classes.split()}:
            with_class[step] += times
    kept: dict[Step, tuple[str, ...]] = {}
    for path, classes in {step for own in made for step in own}:
        least = max(_LEAST_STEADY, _STEADY * with_path[path])
        words = sorted(set((classes or "").split()))
        kept[path, classes] = tuple([word for word in words if with_class[path, word] >= least])
    return kept
