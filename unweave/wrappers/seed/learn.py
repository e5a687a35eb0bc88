"""Learn the seed of a list: records of one or several pages by partial tree alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from unweave.errors import UsageError, WorkLimit, WrapperError
from unweave.lists.listing import Record
from unweave.lists.methods.depta import DeptaOptions, find_lists, nest_by_layout
from unweave.lists.paper_alignment import RecordTrees, align_trees, is_linked_key
from unweave.lists.paper_ranking import rank_by_text_and_images
from unweave.lists.table_building import number_columns
from unweave.page.page import Page
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import ROOT_PARENT, SubtreeClasses, Tree
from unweave.variants import Variant
from unweave.wrappers.learning import Learner
from unweave.wrappers.seed.apply import (
    MAX_MATCHING_COST,
    MAX_ROOTS,
    SeedColumn,
    SeedWrapper,
    compute_similarity,
)

_MAX_RECORDS = 500

# Records of other pages may be somewhat less similar to the seed than the learned ones.
_SIMILARITY_TOLERANCE = 0.8
_MIN_SIMILARITY = 0.4


@dataclass(frozen=True, kw_only=True)
class SeedLearner(DeptaOptions, Learner):
    """Learns the aligned records, the seed, of a list that DEPTA finds."""

    table: int = 1
    """The number of the table that ``records --method depta`` returns, from 1 on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.table < 1:
            raise UsageError(f"table must be at least 1, not {self.table}")

    def learn(self, pages: Sequence[Page]) -> SeedWrapper:
        """Return a wrapper with the seed of the table of the first page that has it.

        Records of the other pages that are similar to the seed are aligned with it, so it grows.
        """
        pages = [nest_by_layout(page, self) for page in pages]
        first, records = _find_table(pages, self)
        try:
            wrapper = _align([(first, records)], self)
            aligned = [(first, records)]
            for page in pages:
                similar = wrapper.find_records(page) if page is not first else []
                if similar:
                    aligned.append((page, similar))
            return _align(aligned, self) if len(aligned) > 1 else wrapper
        except WorkLimit:
            raise WrapperError("the records are too large and different to be aligned") from None


def _find_table(pages: Sequence[Page], options: SeedLearner) -> tuple[Page, Sequence[Record]]:
    """Return the first page that has the table, and its records."""
    max_tables = 0
    for page in pages:
        ranked = rank_by_text_and_images(page, find_lists(page, options))
        max_tables = max(max_tables, len(ranked))
        if len(ranked) >= options.table:
            return page, ranked[options.table - 1][1].records
    if max_tables:
        raise UsageError(f"there is no table {options.table}; the pages have at most {max_tables}")
    raise WrapperError("none of the pages has a list")


def _align(
    records_of_pages: Sequence[tuple[Page, Sequence[Record]]], options: DeptaOptions
) -> SeedWrapper:
    """Return the wrapper of the records of pages, which are aligned with each other."""
    classes = SubtreeClasses()
    matcher = Matcher(classes, budget=MAX_MATCHING_COST)
    records: list[tuple[RecordTrees, Record]] = []
    roots: Counter[tuple[str, ...]] = Counter()
    is_adjacent = True
    for page, records_of_page in records_of_pages:
        trees = RecordTrees(page, classes, running_text=options.variant != Variant.PRINTED)
        for record in records_of_page:
            records.append((trees, record))
            roots[tuple(page.tree.labels[root] for root in record)] += 1
            is_adjacent = is_adjacent and page.are_adjacent_siblings(record)
    records = records[:_MAX_RECORDS]
    alignment = align_trees(records, matcher)

    nodes = alignment.seed.preorder()
    numbers = {node: number for number, node in enumerate(nodes)}
    parents = [ROOT_PARENT] * len(nodes)
    for node in nodes:
        for child in alignment.seed.children[node]:
            parents[numbers[child]] = numbers[node]
    seed = Tree([alignment.seed.labels[node] for node in nodes], parents)

    # An item that is not linked to the seed is in one record only and gets no column.
    keys = [key for key in alignment.order if is_linked_key(key)]
    if not keys:
        raise WrapperError("the records of the list are empty")
    columns = number_columns(tuple(kind for _, kind, _ in keys))
    seed_columns: list[SeedColumn] = []
    for (node, kind, number), column in zip(keys, columns, strict=True):
        seed_columns.append(SeedColumn(numbers[node], kind, number, column))

    record_classes = [trees.classify_record(record) for trees, record in records]
    sizes = [classes.sizes[record_class] for record_class in record_classes]
    mean_size = sum(sizes) / len(sizes)
    seed_class = classes.classify(seed)[0]
    similarities: list[float] = []
    for record_class, size in zip(record_classes, sizes, strict=True):
        shared = matcher.compute_similarity(seed_class, record_class)
        similarities.append(compute_similarity(shared, size, mean_size))
    return SeedWrapper(
        seed=seed,
        seed_columns=tuple(seed_columns),
        joined=frozenset(numbers[node] for node in alignment.joined),
        roots=tuple(tags for tags, _ in roots.most_common(MAX_ROOTS)),
        is_adjacent=is_adjacent,
        record_size=mean_size,
        min_similarity=max(_MIN_SIMILARITY, _SIMILARITY_TOLERANCE * min(similarities)),
        options=DeptaOptions(k=options.k, t=options.t, variant=options.variant),
    )
