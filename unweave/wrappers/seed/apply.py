"""The wrapper of DEPTA: the seed of partial tree alignment, used on other pages.

The paper remarks that the seed can extract data from other pages of the template (sections 1 and
4.4.2) and leaves open how. Here, the sub-trees that share the most nodes with the seed by simple
tree matching are the records, and an item belongs to the column of the seed's node that matches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from unweave.errors import PageTooLarge, WorkLimit
from unweave.lists.listing import IMAGE, LINK, TEXT, Record
from unweave.lists.methods.depta import DeptaOptions, find_lists, nest_by_layout
from unweave.lists.paper_alignment import RecordTrees, assign_keys, is_linked_key
from unweave.page.page import Page
from unweave.table import Column
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import SubtreeClasses, Tree, is_preorder
from unweave.variants import Variant
from unweave.wrappers.base import Description, Extraction, FieldDescription, Wrapper
from unweave.wrappers.list_tables import (
    DESCRIBED_STEPS,
    AssignedItem,
    build_table,
    check_columns,
    check_table_size,
    find_text_nodes,
)

MAX_MATCHING_COST = 6_000_000
"""The budget of tree matching on one page, in the units of Matcher."""

# Limits of a wrapper file.
_MAX_NODES = 200_000
MAX_ROOTS = 20
_LOWEST_MIN_SIMILARITY = 0.1


class SeedColumn(NamedTuple):
    """A column, and its items: those of a kind and number in a node of the seed."""

    node: int
    kind: str
    number: int
    column: Column


@dataclass(frozen=True)
class SeedWrapper(Wrapper):
    """The seed of a list, with the columns of its items."""

    method = "depta"
    gives_fields = False

    seed: Tree
    """The nodes of all records below an artificial root, optional ones included."""
    seed_columns: tuple[SeedColumn, ...]
    """In the order of the seed."""
    joined: frozenset[int]
    """The nodes of the seed whose running text is one item."""
    roots: tuple[tuple[str, ...], ...]
    """The tags of the roots of records, the most common first."""
    is_adjacent: bool
    """Whether the roots of a record are adjacent siblings; else, records are mined on each page."""
    record_size: float
    """The mean number of nodes of a record."""
    min_similarity: float
    """The minimum similarity of a record to the seed."""
    options: DeptaOptions
    """The parameters that the records were found with."""

    def apply(self, page: Page) -> Extraction:
        """Extract the list of a page. The fit is the share of the records' items with a column."""
        page = nest_by_layout(page, self.options)
        try:
            reader = _SeedReader(self, page)
            records = reader.find_records()
            if not records:
                return Extraction(warnings=page.warnings)
            check_table_size(records, self.seed_columns)
            rows = list(map(reader.assign_items, records))
        except WorkLimit:
            raise PageTooLarge("the page is too large for this wrapper") from None
        table = build_table(page, self.columns, records, rows, Page.join_subtrees)
        return Extraction(table=table, fit=table.score, warnings=page.warnings)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes of each column's cells; addresses have none."""
        page = nest_by_layout(page, self.options)
        return find_text_nodes(page, self.apply(page).table)

    def find_records(self, page: Page) -> list[Record]:
        """Return the records of a page. Raises WorkLimit if the page is too large."""
        return _SeedReader(self, page).find_records()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns without their nodes."""
        return tuple(seed_column.column for seed_column in self.seed_columns)

    @cached_property
    def column_numbers(self) -> dict[tuple[int, str, int], int]:
        """The number of the column of each key of a linked item."""
        return {
            (node, kind, count): number
            for number, (node, kind, count, _) in enumerate(self.seed_columns)
        }

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        lines: list[str] = []
        for path, column in self._list_paths():
            lines.append(f"{column.name} ({column.type}) at {'/'.join(path)}")
        size = len(self.seed) - 1
        return Description(
            f"the seed of a list: records of {size} nodes, optional ones included", tuple(lines)
        )

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each column."""
        for path, column in self._list_paths():
            located_by = f"{'/'.join(path[-DESCRIBED_STEPS:])} of a record"
            yield FieldDescription(column.name, located_by, False)

    def _list_paths(self) -> Iterator[tuple[list[str], Column]]:
        """Yield the tags from a record to the node of each column, and the column."""
        for seed_column in self.seed_columns:
            tags = [self.seed.labels[node] for node in self.seed.ancestors(seed_column.node)]
            yield tags[-2::-1], seed_column.column

    # ---- JSON ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data."""
        options = self.options
        return {
            "seed": list(map(list, zip(self.seed.labels, self.seed.parents, strict=True))),
            "columns": [
                [node, kind, number, column.to_json()]
                for node, kind, number, column in self.seed_columns
            ],
            "joined": sorted(self.joined),
            "roots": self.roots,
            "is_adjacent": self.is_adjacent,
            "record_size": self.record_size,
            "min_similarity": self.min_similarity,
            "mining": {"k": options.k, "t": options.t, "variant": str(options.variant)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SeedWrapper:
        """Read untrusted plain data."""
        columns: list[SeedColumn] = []
        for node, kind, number, column in data["columns"]:
            columns.append(SeedColumn(int(node), str(kind), int(number), Column.from_json(column)))
        k, t = data["mining"]["k"], data["mining"]["t"]
        if type(k) is not int or type(t) not in (int, float):
            raise ValueError("k or t is not a number")
        if not isinstance(data["is_adjacent"], bool):
            raise ValueError("is_adjacent is not true or false")
        wrapper = cls(
            seed=Tree(
                [str(tag) for tag, _ in data["seed"]], [int(parent) for _, parent in data["seed"]]
            ),
            seed_columns=tuple(columns),
            joined=frozenset(map(int, data["joined"])),
            roots=tuple(tuple(map(str, tags)) for tags in data["roots"]),
            is_adjacent=data["is_adjacent"],
            record_size=float(data["record_size"]),
            min_similarity=float(data["min_similarity"]),
            options=DeptaOptions(k=k, t=t, variant=data["mining"]["variant"]),
        )
        wrapper._check()
        return wrapper

    def _check(self) -> None:
        """Raise ValueError if the values do not belong together, or are out of range."""
        size = len(self.seed)
        if not 1 < size <= _MAX_NODES or not is_preorder(self.seed.parents):
            raise ValueError("its seed is not a tree")
        if not self.seed_columns:
            raise ValueError("it has no columns")
        for node, kind, _, _ in self.seed_columns:
            if not 0 < node < size or kind not in (TEXT, LINK, IMAGE):
                raise ValueError("a column has no node of the seed, or an unknown kind")
        check_columns(self.columns)
        if len(self.column_numbers) < len(self.seed_columns):
            raise ValueError("two columns have the same items")
        if not 0 < len(self.roots) <= MAX_ROOTS or not all(self.roots):
            raise ValueError("it has no roots of records")
        if not 0 < self.record_size <= _MAX_NODES:
            raise ValueError("the size of a record is out of range")
        if not _LOWEST_MIN_SIMILARITY <= self.min_similarity <= 1:
            raise ValueError("the minimum similarity is out of range")


class _SeedReader:
    """Finds the records of a page that are similar to the seed, and the columns of their items."""

    def __init__(self, wrapper: SeedWrapper, page: Page) -> None:
        self._wrapper = wrapper
        self._page = page
        classes = SubtreeClasses()
        self._matcher = Matcher(classes, budget=MAX_MATCHING_COST)
        is_printed = wrapper.options.variant == Variant.PRINTED
        self._trees = RecordTrees(page, classes, running_text=not is_printed)
        self._seed = classes.classify(wrapper.seed)[0]

    def find_records(self) -> list[Record]:
        """Return the records at the tag path with the highest sum of similarities, in order."""
        records: defaultdict[int, list[Record]] = defaultdict(list)
        scores: defaultdict[int, float] = defaultdict(float)
        path_ids = self._page.tree.path_ids
        for similarity, record in self._find_similar_runs():
            path = path_ids[record[0]]
            records[path].append(record)
            scores[path] += similarity
        return sorted(records[max(scores, key=scores.__getitem__)]) if scores else []

    def assign_items(self, record: Record) -> list[AssignedItem]:
        """Return the items of a record with the numbers of their columns."""
        trees, wrapper = self._trees, self._wrapper
        mapping = self._matcher.find_mapping(self._seed, trees.classify_record(record))
        links = trees.map_links(record, {node: seed_node for seed_node, node in mapping})
        items = trees.join_running_texts(trees.read_items(record), links, wrapper.joined)
        assigned: list[AssignedItem] = []
        for item in assign_keys(items, links, 0):
            number = wrapper.column_numbers.get(item.key) if is_linked_key(item.key) else None
            assigned.append((number, item))
        return assigned

    def _find_similar_runs(self) -> list[tuple[float, Record]]:
        """Return runs that are similar enough; of overlapping ones, the most similar."""
        if self._wrapper.is_adjacent:
            runs = list(self._find_runs())
        else:
            listings = find_lists(self._page, self._wrapper.options)
            runs = [record for listing in listings for record in listing.records]
        candidates = [(self._measure_similarity(run), run) for run in runs]
        candidates.sort(key=lambda candidate: (-candidate[0], candidate[1]))
        ends = self._page.tree.ends
        taken: set[int] = set()
        selected: list[tuple[float, Record]] = []
        for similarity, run in candidates:
            if similarity < self._wrapper.min_similarity:
                break
            nodes = [node for root in run for node in range(root, ends[root])]
            self._matcher.spend(len(nodes))
            if taken.isdisjoint(nodes):
                taken.update(nodes)
                selected.append((similarity, run))
        return selected

    def _find_runs(self) -> Iterator[Record]:
        """Yield the runs of adjacent siblings that have the tags of a record's roots."""
        tree = self._page.tree
        first_tags = {tags[0] for tags in self._wrapper.roots}
        for node, label in enumerate(tree.labels):
            if label not in first_tags:
                continue
            for tags in self._wrapper.roots:
                run = [node]
                while len(run) < len(tags) and tree.labels[run[-1]] == tags[len(run) - 1]:
                    sibling = tree.ends[run[-1]]
                    if sibling >= len(tree) or tree.parents[sibling] != tree.parents[node]:
                        break
                    run.append(sibling)
                if [tree.labels[root] for root in run] == list(tags):
                    yield tuple(run)

    def _measure_similarity(self, run: Record) -> float:
        sizes, mean_size = self._matcher.classes.sizes, self._wrapper.record_size
        run_class = self._trees.classify_record(run)
        size = sizes[run_class]
        upper_bound = compute_similarity(min(size, sizes[self._seed]), size, mean_size)
        if upper_bound < self._wrapper.min_similarity:
            return upper_bound  # so that trees of very different sizes need not be matched
        shared = self._matcher.compute_similarity(self._seed, run_class)
        return compute_similarity(shared, size, mean_size)


def compute_similarity(shared: int, size: int, mean_size: float) -> float:
    """Return the share of nodes in common, relative to the size and the mean size of records."""
    return min(1.0, 2 * shared / (size + mean_size))
