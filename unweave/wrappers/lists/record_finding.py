"""Find the records of a page that may be those of a wrapper for lists.

At the learned path, every list of similar records is found, and with it the siblings that look
different. On a page whose path has changed, the parents of records are searched for at the paths
that are most like the learned one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from unweave.lists.listing import Record
from unweave.page.page import Page
from unweave.trees.edit_distance import are_similar
from unweave.trees.tree import ROOT_PARENT

_RELATED_TAGS = (
    "b strong",
    "i em",
    "div center section article main",
    "span font small big",
    "h1 h2 h3 h4 h5 h6",
    "ul ol",
    "td th",
)
"""Tags that redesigns replace by each other."""
_FAMILY_OF_TAG = {tag: tags.split()[0] for tags in _RELATED_TAGS for tag in tags.split()}

# Limits for hostile pages and wrappers.
_MAX_COMPARISONS = 1_000_000  # of sub-trees of a page with shapes
# A comparison costs 1, and 1 more for this many pairs of tags.
_TAG_PAIRS_PER_COMPARISON = 20_000
_MAX_PATHS = 40  # that are most like the learned one
_MAX_PATH_STEPS = 4_000_000  # steps of the page's paths times steps of the learned one


def get_family(tag: str) -> str:
    """Return the tag that stands for all related ones."""
    return _FAMILY_OF_TAG.get(tag, tag)


@dataclass(frozen=True, slots=True)
class RecordPattern:
    """Where the records of a list are, and what they look like."""

    paths: tuple[tuple[str, ...], ...]
    """For each part of a record, the tags from the root of the page to it."""
    shapes: tuple[tuple[tuple[str, ...], ...], ...]
    """For each part of a record, the tags of the most common sub-trees."""
    levels: int
    """How many levels above a record all have a common ancestor: 1 for siblings, 2 for rows."""
    t: float
    """The maximum normalized edit distance of a part and one of its shapes."""


class FoundList(NamedTuple):
    """Records that may be those of the wrapper."""

    records: list[Record]
    path_distance: float
    """The edit distance of the path of their parent and the learned one; 0 if they are equal."""
    siblings: list[int]
    """Elements beside the records with their tag, other sub-trees, and text; none beside records
    of several parts."""


class RecordFinder:
    """Finds the records of a page by the paths and the shapes of the learned ones."""

    def __init__(self, pattern: RecordPattern, page: Page) -> None:
        self._paths = pattern.paths
        self._levels = pattern.levels
        self._t = pattern.t
        self._page, self._tree = page, page.tree
        alphabet = page.tree.alphabet
        labels = set(page.tree.labels)
        families = {ord(alphabet[label]): alphabet[get_family(label)] for label in labels}
        self._tags = page.tree.tag_string.translate(families)
        """The tags of the page, each replaced by that of its family."""
        self._shapes = [
            list(
                dict.fromkeys("".join([alphabet[get_family(tag)] for tag in tags]) for tags in part)
            )
            for part in pattern.shapes
        ]
        self._root_tags = [alphabet[get_family(path[-1])] for path in self._paths]
        self._header_rows = page.table_grid.header_rows
        self._work_left = _MAX_COMPARISONS
        self._is_similar: dict[tuple[int, str], bool] = {}

    def find_exact(self) -> FoundList | None:
        """Return the longest list at the learned path."""
        lists = self._find_lists(self._find_parents(), 0.0)
        return max(lists, key=lambda found: len(found.records), default=None)

    def find_related(self) -> list[FoundList]:
        """Return the longest list at each of the paths that are most like the learned one."""
        tree = self._tree
        family = get_family(self._paths[0][-2])
        distances: dict[int, float] = {}
        nodes: defaultdict[int, list[int]] = defaultdict(list)
        for node, path in enumerate(tree.path_ids):
            if get_family(tree.labels[node]) == family and path in self._path_distances:
                distances[path] = self._path_distances[path]
                nodes[path].append(node)
        lists: list[FoundList] = []
        for path in sorted(distances, key=lambda path: (distances[path], path))[:_MAX_PATHS]:
            found = self._find_lists(nodes[path], distances[path])
            if found:
                lists.append(max(found, key=lambda each: len(each.records)))
        return lists

    def _find_parents(self) -> list[int]:
        """Return the nodes whose path is that to the parent of a record."""
        steps = self._paths[0][:-1]
        labels = self._tree.labels
        depth, last = len(steps), steps[-1]
        found: list[int] = []
        for node, label in enumerate(labels):
            if label == last:
                tags = [labels[each] for each in islice(self._tree.ancestors(node), depth + 1)]
                if len(tags) == depth and tuple(reversed(tags)) == steps:
                    found.append(node)
        return found

    def measure_path(self, root: int) -> float:
        """Return the distance of the path to the parent of a record from the learned one."""
        path = self._tree.path_ids[self._tree.parents[root]]
        return self._path_distances.get(path, float(len(self._paths[0])))

    @cached_property
    def _path_distances(self) -> dict[int, float]:
        """The distance of each path of the page from that to the parent of a record.

        It is an edit distance: it costs 1 to insert, remove or replace a step, and little to
        replace one by a related tag.
        """
        steps = self._paths[0][:-1]
        families = [get_family(step) for step in steps]
        tree = self._tree
        rows: dict[int, list[float]] = {ROOT_PARENT: [float(k) for k in range(len(steps) + 1)]}
        distances: dict[int, float] = {}
        path_ids = tree.path_ids
        for node, path in enumerate(path_ids):
            if path in rows:
                continue
            if len(rows) * len(steps) > _MAX_PATH_STEPS:
                break
            parent = tree.parents[node]
            before = rows[path_ids[parent] if parent != ROOT_PARENT else ROOT_PARENT]
            label, family = tree.labels[node], get_family(tree.labels[node])
            row = [before[0] + 1]
            for number, step in enumerate(steps):
                replaced = 0.0 if label == step else 0.1 if family == families[number] else 1.0
                row.append(min(before[number] + replaced, before[number + 1] + 1, row[number] + 1))
            rows[path] = row
            distances[path] = row[-1]
        return distances

    def _find_lists(self, parents: Iterable[int], path_distance: float) -> list[FoundList]:
        """Return the records below the parents, by their common ancestor."""
        lists: dict[int, FoundList] = {}
        done: set[int] = set()
        for parent in parents:
            if parent in done:
                continue
            rows = self._find_rows(parent)
            done.update(rows)
            ancestor = list(islice(self._tree.ancestors(parent), self._levels))[-1]
            found = lists.setdefault(ancestor, FoundList([], path_distance, []))
            if len(rows) == 1:
                self._find_runs(self._tree.children(parent), found)
                continue
            for record in zip(*map(self._tree.children, rows), strict=False):
                if self._is_record(record):
                    found.records.append(record)
        return [found for found in lists.values() if found.records]

    def _find_rows(self, parent: int) -> list[int]:
        """Return the parents of a record's parts: one, or a row of siblings for each part."""
        parts = len(self._paths)
        has_one_parent = self._levels == 1 and len({path[:-1] for path in self._paths}) == 1
        if parts == 1 or has_one_parent:
            return [parent]
        rows = [parent]
        parents = self._tree.parents
        while len(rows) < parts:
            sibling = self._tree.ends[rows[-1]]
            if sibling >= len(self._tree) or parents[sibling] != parents[parent]:
                return [parent]
            rows.append(sibling)
        return rows

    def _find_runs(self, siblings: Sequence[int], found: FoundList) -> None:
        """Add the runs of siblings that are records, from left to right, and what is beside."""
        length = len(self._paths)
        start = 0
        while start < len(siblings):
            run = tuple(siblings[start : start + length])
            if len(run) == length and self._is_record(run):
                found.records.append(run)
                start += length
                continue
            if length == 1 and self._has_tag(run[0], 0) and self._page.count_texts(run[0]):
                found.siblings.append(run[0])
            start += 1

    def _has_tag(self, node: int, part: int) -> bool:
        """Tell whether a node may be a part of a record; header rows are none."""
        return self._tags[node] == self._root_tags[part] and node not in self._header_rows

    def _is_record(self, nodes: Record) -> bool:
        """Tell whether every node is similar to a shape of its part."""
        for part, node in enumerate(nodes):
            if not self._has_tag(node, part):
                return False
            tags = self._tags[node : self._tree.ends[node]]
            known = self._is_similar.get((part, tags))
            if known is None:
                known = any(self._compare_shapes(tags, shape) for shape in self._shapes[part])
                self._is_similar[part, tags] = known
            if not known:
                return False
        return True

    def _compare_shapes(self, tags: str, shape: str) -> bool:
        """Tell whether two tag strings are similar; all are different once the budget is spent."""
        self._work_left -= 1 + len(tags) * len(shape) // _TAG_PAIRS_PER_COMPARISON
        return self._work_left > 0 and are_similar(tags, shape, self._t)
