"""A wrapper for list pages: the aligned seed of partial tree alignment.

The DEPTA paper remarks that the seed can be used to extract data items from other pages of the same template (sections 1
and 4.4.2), and leaves open how. Here, what has most in common with the seed by simple tree matching is a record of the new
page, and the nodes that match say which column an item belongs to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from unweave.errors import PageTooLarge, UsageError, WorkLimit, WrapperError
from unweave.lists.data_records import K, T
from unweave.lists.listing import IMAGE, LINK, TEXT, AlignedItem, AlignedRecord, Record
from unweave.lists.methods import depta
from unweave.lists.methods.depta import DeptaOptions
from unweave.lists.methods.mdr import check_parameters
from unweave.lists.paper_alignment import RecordTrees, assign_keys, is_linked_key
from unweave.page.page import Page
from unweave.table import URL_TYPES, Cell, CellNodes, Column, Table
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import SubtreeClasses, Tree, is_preorder
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import Description, Extraction, FieldDescription, Wrapper

if TYPE_CHECKING:
    from unweave.selectors.evaluation import SamplePage
    from unweave.selectors.export import Export

_SHOWN_STEPS = 3
MAX_NODES = 200_000
MAX_MATCHING = 6_000_000
_MAX_COLUMNS = 10_000
_MAX_CELLS = 2_000_000
MAX_ROOTS = 20
_LEAST_MIN_SIMILARITY = 0.1


class SeedColumn(NamedTuple):
    """A column, and the items that it takes: of this kind and number within a node of the seed."""

    node: int
    kind: str
    number: int
    column: Column


class Mining(NamedTuple):
    """The parameters of DEPTA that the records were found with."""

    k: int = K
    t: float = T
    variant: Variant = Variant.CORRECTED

    def draw(self, page: Page) -> Page:
        """Return the page as the method reads it."""
        return depta.nest_by_layout(page, DeptaOptions(variant=self.variant, t=self.t))


@dataclass(frozen=True)
class SeedWrapper(Wrapper):
    """The aligned seed of a list, with the columns of its items."""

    method = "depta"
    gives_fields = False

    seed: Tree
    """What all records have in common below an artificial root, optional parts included."""
    columns: tuple[SeedColumn, ...]
    """In the order of the seed."""
    joined: frozenset[int]
    """The nodes of the seed whose running text is one item."""
    roots: tuple[tuple[str, ...], ...]
    """The labels of the elements that records were seen to consist of."""
    is_adjacent: bool
    """Are the elements of a record adjacent siblings? Else records are looked for among the lists that are mined anew."""
    record_size: float
    """How many nodes a record has on average."""
    min_similarity: float
    """How similar to the seed a record is at least."""
    mining: Mining

    # ---- apply -----------------------------------------------------------------------------------------------

    def apply(self, page: Page) -> Extraction:
        """Extract the list of a page as a table. The fit is the share of the records' items that have a column."""
        page = self.mining.draw(page)
        try:
            records, rows = self._read(page)
        except WorkLimit:
            raise PageTooLarge("the page is too large for this wrapper") from None
        if not records:
            return Extraction(warnings=page.notes)
        if len(records) * len(self.columns) > _MAX_CELLS:
            raise PageTooLarge(f"the table would have more than {_MAX_CELLS:,} cells")
        cells: list[list[Cell]] = [[None] * len(self.columns) for _ in records]
        nodes: CellNodes = [[()] * len(self.columns) for _ in records]
        placed = 0
        for number, row in enumerate(rows):
            for column, item in self._in_columns(row):
                cells[number][column], nodes[number][column] = item.value, (item.node,)
                placed += 1
        items = sum(map(len, rows))
        fit = placed / items if items else 0.0
        columns = tuple(own.column for own in self.columns)
        texts = [page.join_subtrees(record) for record in records]
        document = page.original or page
        table = Table(columns, cells, nodes, records, texts, score=fit, page=document)
        return Extraction(table=table, fit=fit, warnings=page.notes)

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes of each column's cells; addresses have none."""
        page = self.mining.draw(page)
        table = self.apply(page).table
        found: dict[str, list[int]] = {}
        if table is None:
            return found
        for row, sources in zip(table.rows, table.nodes, strict=True):
            for column, cell, nodes in zip(table.columns, row, sources, strict=True):
                if isinstance(cell, str) and column.type not in URL_TYPES:
                    chunks = [
                        chunk
                        for node in nodes
                        for chunk in page.text_nodes(node)
                        if page.texts[chunk] in cell
                    ]
                    found.setdefault(column.name, []).extend(chunks)
        return found

    def find(self, page: Page) -> list[Record]:
        """The records of a page that are like the seed. Raises WorkLimit if the page is too large."""
        return self._read(page)[0]

    def _read(self, page: Page) -> tuple[list[Record], list[AlignedRecord]]:
        """The records, and their items with their keys."""
        classes = SubtreeClasses()
        matcher = Matcher(classes, budget=MAX_MATCHING)
        shapes = RecordTrees(page, classes, running_text=self.mining.variant is not Variant.PRINTED)
        seed = classes.classify(self.seed)[0]
        records = _Finder(self, page, shapes, matcher, seed).records()
        rows: list[AlignedRecord] = []
        for number, record in enumerate(records):
            links = shapes.map_links(
                record,
                {
                    node: place
                    for place, node in matcher.find_mapping(seed, shapes.classify_record(record))
                },
            )
            rows.append(
                assign_keys(
                    shapes.join_running_texts(shapes.read_items(record), links, self.joined),
                    links,
                    number,
                )
            )
        return records, rows

    def _in_columns(self, row: AlignedRecord) -> Iterator[tuple[int, AlignedItem]]:
        """The items of a record that have a column."""
        for item in row:
            if is_linked_key(item.key) and (column := self._column_of.get(item.key)) is not None:
                yield column, item

    @cached_property
    def _column_of(self) -> dict[tuple[int, str, int], int]:
        return {(own.node, own.kind, own.number): column for column, own in enumerate(self.columns)}

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        lines: list[str] = []
        for path, column in self._paths():
            lines.append(f"{column.name} ({column.type}) at {'/'.join(path)}")
        size = len(self.seed) - 1
        return Description(
            f"the seed of a list: records of {size} nodes, optional ones included", tuple(lines)
        )

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe each column."""
        for path, column in self._paths():
            located_by = f"{'/'.join(path[-_SHOWN_STEPS:])} of a record"
            yield FieldDescription(column.name, located_by, False)

    def _paths(self) -> Iterator[tuple[list[str], Column]]:
        """The labels from a record to the node of each column, and the column."""
        for own in self.columns:
            above = [self.seed.labels[node] for node in self.seed.ancestors(own.node)]
            yield above[-2::-1], own.column

    def to_selectors(
        self, form: str = "xpath", samples: Sequence[SamplePage] = (), **options: Any
    ) -> Export:
        """Raise WrapperError: no selector matches trees."""
        raise WrapperError(
            "a wrapper of depta finds records by matching trees, which no selector does: learn one with --method records"
        )

    # ---- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "seed": [list(node) for node in zip(self.seed.labels, self.seed.parents, strict=True)],
            "columns": [
                [own.node, own.kind, own.number, own.column.to_json()] for own in self.columns
            ],
            "joined": sorted(self.joined),
            "roots": self.roots,
            "is_adjacent": self.is_adjacent,
            "record_size": self.record_size,
            "min_similarity": self.min_similarity,
            "mining": {"k": self.mining.k, "t": self.mining.t, "variant": str(self.mining.variant)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SeedWrapper:
        """Read plain data, which may come from anywhere."""
        try:
            wrapper = cls(
                seed=Tree(
                    [str(label) for label, _ in data["seed"]],
                    [int(parent) for _, parent in data["seed"]],
                ),
                columns=tuple(
                    SeedColumn(int(node), str(kind), int(number), Column.from_json(column))
                    for node, kind, number, column in data["columns"]
                ),
                joined=frozenset(map(int, data["joined"])),
                roots=tuple(tuple(map(str, labels)) for labels in data["roots"]),
                is_adjacent=_read_switch(data["is_adjacent"]),
                record_size=float(data["record_size"]),
                min_similarity=float(data["min_similarity"]),
                mining=_read_mining(data["mining"]),
            )
        except (
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            OverflowError,
            AttributeError,
        ) as error:
            raise WrapperError(f"the wrapper is broken: {type(error).__name__} {error}") from None
        wrapper._check()
        return wrapper

    def _check(self) -> None:
        size = len(self.seed)
        if not 1 < size <= MAX_NODES or not is_preorder(self.seed.parents):
            raise WrapperError("the wrapper is broken: its seed is no tree")
        if not 0 < len(self.columns) <= _MAX_COLUMNS:
            raise WrapperError(f"the wrapper is broken: it has {len(self.columns)} columns")
        if not all(0 < own.node < size and own.kind in (TEXT, LINK, IMAGE) for own in self.columns):
            raise WrapperError("the wrapper is broken: a column is of no node of the seed")
        names = {own.column.name for own in self.columns}
        if len(names) != len(self.columns) or len(self._column_of) != len(self.columns):
            raise WrapperError("the wrapper is broken: two columns are the same")
        if not 0 < len(self.roots) <= MAX_ROOTS or not all(self.roots):
            raise WrapperError("the wrapper is broken: it has no roots of records")
        if (
            not 0 < self.record_size <= MAX_NODES
            or not _LEAST_MIN_SIMILARITY <= self.min_similarity <= 1
        ):
            raise WrapperError("the wrapper is broken: a number in it is out of range")


def _read_mining(data: dict[str, Any]) -> Mining:
    k, t = data["k"], data["t"]
    if type(k) is not int or type(t) not in (int, float):
        raise ValueError("k or t")
    try:
        check_parameters(k, t)
        return Mining(k, t, check_variant(data["variant"]))
    except UsageError as error:
        raise WrapperError(f"the wrapper is broken: {error}") from None


def _read_switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is expected")
    return value


class _Finder:
    """Finds the records of a page: runs of adjacent siblings that are similar to the seed."""

    def __init__(
        self, wrapper: SeedWrapper, page: Page, shapes: RecordTrees, matcher: Matcher, seed: int
    ) -> None:
        self._wrapper, self._page, self._shapes = wrapper, page, shapes
        self._matcher, self._seed = matcher, seed

    def records(self) -> list[Record]:
        """The records at the tag path that has most of what is similar to the seed, in document order."""
        at_path: defaultdict[int, list[Record]] = defaultdict(list)
        weights: defaultdict[int, float] = defaultdict(float)
        paths = self._page.tree.path_ids
        for value, record in self._similar_runs():
            at_path[paths[record[0]]].append(record)
            weights[paths[record[0]]] += value
        return sorted(at_path[max(weights, key=weights.__getitem__)]) if weights else []

    def _similar_runs(self) -> list[tuple[float, Record]]:
        """Runs of siblings that are similar enough, the most similar first where they overlap."""
        runs = self._runs() if self._wrapper.is_adjacent else self._mined_records()
        candidates = [(self._similarity(run), run) for run in runs]
        good = [own for own in candidates if own[0] >= self._wrapper.min_similarity]
        ends = self._page.tree.ends
        taken: set[int] = set()
        found: list[tuple[float, Record]] = []
        for value, run in sorted(good, key=lambda own: (-own[0], own[1])):
            nodes = [node for root in run for node in range(root, ends[root])]
            self._matcher.spend(len(nodes))
            if taken.isdisjoint(nodes):
                taken.update(nodes)
                found.append((value, run))
        return found

    def _mined_records(self) -> Iterator[Record]:
        k, t, variant = self._wrapper.mining
        for listing in depta.find(self._page, k=k, t=t, variant=variant):
            yield from listing.records

    def _runs(self) -> Iterator[Record]:
        """The runs of adjacent siblings that have the labels of a record's parts."""
        tree = self._page.tree
        first_labels = {labels[0] for labels in self._wrapper.roots}
        for node, label in enumerate(tree.labels):
            if label not in first_labels:
                continue
            for labels in self._wrapper.roots:
                run = [node]
                while len(run) < len(labels) and tree.labels[run[-1]] == labels[len(run) - 1]:
                    following = tree.ends[run[-1]]
                    if following >= len(tree) or tree.parents[following] != tree.parents[node]:
                        break
                    run.append(following)
                if [tree.labels[part] for part in run] == list(labels):
                    yield tuple(run)

    def _similarity(self, run: Record) -> float:
        """How many nodes the run and the seed share, as a share of the run's size and that of a usual record."""
        sizes, usual_size = self._matcher.classes.sizes, self._wrapper.record_size
        shape = self._shapes.classify_record(run)
        most = similarity(min(sizes[shape], sizes[self._seed]), sizes[shape], usual_size)
        if most < self._wrapper.min_similarity:
            return most  # matching a tree that is much larger or smaller would be in vain
        return similarity(
            self._matcher.compute_similarity(self._seed, shape), sizes[shape], usual_size
        )


def similarity(shared: int, size: int, usual_size: float) -> float:
    """The nodes that a record shares with the seed over the mean of its size and the usual one, at most 1."""
    return min(1.0, 2 * shared / (size + usual_size))
