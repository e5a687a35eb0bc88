"""Learning the seed of a list: the records of one page, or of several, aligned by partial tree alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from unweave.errors import UsageError, WorkLimit, WrapperError
from unweave.lists.data_records import K, T
from unweave.lists.listing import Record
from unweave.lists.methods import depta
from unweave.lists.paper_alignment import RecordTrees, TreeAlignment, align_trees, is_linked_key
from unweave.lists.paper_ranking import rank_by_text_and_images
from unweave.lists.table_building import number_columns
from unweave.page.page import Page
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import ROOT_PARENT, SubtreeClasses, Tree
from unweave.variants import Variant, check_variant
from unweave.wrappers.seed.apply import (
    MAX_MATCHING,
    MAX_ROOTS,
    Mining,
    SeedColumn,
    SeedWrapper,
    similarity,
)

_MAX_RECORDS = 500
# Records of other pages may be somewhat less similar to the seed than all that were learned from.
_TOLERANCE = 0.8
_MIN_SIMILARITY = 0.4


@dataclass(frozen=True, kw_only=True)
class SeedOptions:
    """How a seed is learned: which table of the page, and the parameters of DEPTA."""

    table: int = 1
    """The number of the table that ``records --method depta`` gives, from 1 on."""
    k: int = K
    t: float = T
    variant: str = Variant.CORRECTED
    products: bool = False


def learn(pages: Sequence[Page], options: SeedOptions | None = None) -> SeedWrapper:
    """Learn the seed of a table of the first page that has it.

    Records of the other pages that are similar to the seed are aligned with it, and the seed grows.
    """
    options = options or SeedOptions()
    mining = Mining(options.k, options.t, check_variant(options.variant))
    pages = list(map(mining.draw, pages))
    first, records = _first_list(pages, options.table, mining, options.products)
    try:
        wrapper = _aligned([(first, records)], mining)
        others = [
            (page, found) for page in pages if page is not first and (found := wrapper.find(page))
        ]
        return _aligned([(first, records), *others], mining) if others else wrapper
    except WorkLimit:
        raise WrapperError("the records are too large and too different to be aligned") from None


def _first_list(
    pages: Sequence[Page], table: int, mining: Mining, products: bool
) -> tuple[Page, Sequence[Record]]:
    """The first page that has a list, and the records of the one that is asked for."""
    most = 0
    for page in pages:
        k, t, variant = mining
        ranked = rank_by_text_and_images(
            page, depta.find(page, k=k, t=t, variant=variant, products=products)
        )
        most = max(most, len(ranked))
        if len(ranked) >= table:
            return page, ranked[table - 1][1].records
    if most:
        raise UsageError(f"there is no table {table}; the pages have at most {most}")
    raise WrapperError("none of the pages has a list")


def _aligned(found: Sequence[tuple[Page, Sequence[Record]]], mining: Mining) -> SeedWrapper:
    """The wrapper of records that are aligned with each other."""
    classes = SubtreeClasses()
    matcher = Matcher(classes, budget=MAX_MATCHING)
    shapes = [
        (RecordTrees(page, classes, running_text=mining.variant is not Variant.PRINTED), records)
        for page, records in found
    ]
    trees = [(own, record) for own, records in shapes for record in records][:_MAX_RECORDS]
    alignment = align_trees(trees, matcher)
    seed, places = _seed_tree(alignment)
    sizes = [classes.sizes[own.classify_record(record)] for own, record in trees]
    usual_size = sum(sizes) / len(sizes)
    seed_class = classes.classify(seed)[0]
    shared = [
        matcher.compute_similarity(seed_class, own.classify_record(record)) for own, record in trees
    ]
    roots = Counter(
        tuple(page.tree.labels[root] for root in record)
        for page, records in found
        for record in records
    )
    least = min(
        similarity(count, size, usual_size) for count, size in zip(shared, sizes, strict=True)
    )
    return SeedWrapper(
        seed=seed,
        columns=_columns(alignment, places),
        joined=frozenset(places[node] for node in alignment.joined),
        roots=tuple(labels for labels, _ in roots.most_common(MAX_ROOTS)),
        is_adjacent=all(
            page.are_adjacent_siblings(record) for page, records in found for record in records
        ),
        record_size=usual_size,
        min_similarity=max(_MIN_SIMILARITY, _TOLERANCE * least),
        mining=mining,
    )


def _seed_tree(alignment: TreeAlignment) -> tuple[Tree, dict[int, int]]:
    """The seed as a tree, and the place of each of its nodes in preorder."""
    order = alignment.seed.preorder()
    places = {node: place for place, node in enumerate(order)}
    parents = [ROOT_PARENT] * len(order)
    for node in order:
        for child in alignment.seed.children[node]:
            parents[places[child]] = places[node]
    return Tree([alignment.seed.labels[node] for node in order], parents), places


def _columns(alignment: TreeAlignment, places: dict[int, int]) -> tuple[SeedColumn, ...]:
    """The columns of what is linked to the seed, in its order. What is left unlinked is in one record only."""
    keys = [key for key in alignment.order if is_linked_key(key)]
    if not keys:
        raise WrapperError("the records of the list hold nothing")
    heads = number_columns(tuple(kind for _, kind, _ in keys))
    return tuple(
        SeedColumn(places[node], kind, number, column)
        for (node, kind, number), column in zip(keys, heads, strict=True)
    )
