"""Branch and bound and its bounds, against exhaustive search."""

import inspect
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import incompressible, smallest_extraction
from tests.wrappers.landmarks.tables import build_shuffled_table, build_table, tables
from unweave.wrappers.landmarks.costs import IncompressibleCost
from unweave.wrappers.landmarks.exact import (
    compute_common_length,
    compute_lower_bound,
    find_removable_tokens,
    is_root_of_best_tree,
    search_exact,
)
from unweave.wrappers.landmarks.regions import TokenTable, count_tokens
from unweave.wrappers.landmarks.search import compute_cost, search_astar, search_greedy


@settings(max_examples=200)
@given(tables)
def test_branch_and_bound_and_a_star_find_the_optimum(table):
    optimum = smallest_extraction(table, table.whole_pages)
    best = search_exact(table)
    assert best.cost == best.bound == compute_cost(table, best.tree) == optimum
    if count_tokens(table.whole_pages) < 20:
        assert search_astar(table).cost == optimum


@given(tables, st.integers(0, 200))
def test_with_a_budget_the_optimum_is_between_the_bound_and_a_tree_no_worse_than_the_greedy_one(
    table, budget
):
    best = search_exact(table, budget=budget)
    assert (
        best.bound
        <= smallest_extraction(table, table.whole_pages)
        <= best.cost
        <= search_greedy(table).cost
    )
    assert compute_cost(table, best.tree) == best.cost


@given(tables, st.randoms(use_true_random=False))
def test_no_tree_extracts_fewer_tokens_than_the_bounds(table, random):
    waiting = [table.whole_pages]
    while waiting:
        regions = waiting.pop()
        optimum = smallest_extraction(table, regions)
        for max_steps in (0, 40, 10**6):
            removable = find_removable_tokens(table, regions, max_steps=max_steps)
            assert compute_lower_bound(table, regions, removable) <= optimum
        assert compute_lower_bound(table, regions, removable) >= incompressible(table, regions)
        splits = table.find_splits(regions)
        for split in splits:
            if is_root_of_best_tree(table, regions, split, removable):
                finished, parts = table.apply_split(regions, split)
                assert finished + sum(smallest_extraction(table, part) for part in parts) == optimum
        if splits:
            waiting.extend(table.apply_split(regions, random.choice(splits))[1])


def test_tokens_that_no_landmark_separates_are_never_landmarks():
    table = build_table("<li> a </li> <li> b </li>", "<li> c </li> <li> d </li>")
    assert IncompressibleCost(table, table.whole_pages).cost == 4  # a, b, c, d
    assert compute_lower_bound(
        table, table.whole_pages, find_removable_tokens(table, table.whole_pages)
    ) == count_tokens(table.whole_pages)
    parted = build_table("<li> a </li> x <li> b </li>", "<li> c </li> x <li> d </li>")
    assert (
        compute_lower_bound(
            parted, parted.whole_pages, find_removable_tokens(parted, parted.whole_pages)
        )
        == search_exact(parted).cost
        == 4
    )


def test_a_tag_is_separated_from_another_that_has_a_class():
    table = build_table(
        "<ul> a </ul> <ul:more> b </ul:more>", "<ul> c </ul> <ul:more> d </ul:more>"
    )
    assert (
        compute_lower_bound(
            table, table.whole_pages, find_removable_tokens(table, table.whole_pages)
        )
        == search_exact(table).cost
        == 4
    )


def test_landmarks_of_all_regions_keep_their_order():
    table = build_table("a b c d", "d c b a")
    assert IncompressibleCost(table, table.whole_pages).cost == 0
    assert (
        compute_lower_bound(
            table, table.whole_pages, find_removable_tokens(table, table.whole_pages)
        )
        == search_exact(table).cost
        == 6
    )


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_longest_common_subsequence(left, right):
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            rows[i + 1][j + 1] = (
                rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
            )
    assert compute_common_length(left, right) == rows[-1][-1]


def count_moves(monkeypatch, table: TokenTable, **options: int) -> int:
    """How many tokens the exact search moves."""
    moved = 0
    move = IncompressibleCost._move_tokens

    def counted(sweep, first, last, side):
        nonlocal moved
        moved += max(0, last - first)
        move(sweep, first, last, side)

    with monkeypatch.context() as patch:
        patch.setattr(IncompressibleCost, "_move_tokens", counted)
        best = search_exact(table, **options)
    assert best.bound <= best.cost == compute_cost(table, best.tree)
    return moved


def test_the_exact_search_moves_no_more_tokens_than_its_work(monkeypatch):
    table = build_shuffled_table(100)
    of_greedy_tree = count_moves(monkeypatch, table, budget=0)
    monkeypatch.setattr("unweave.wrappers.landmarks.exact.MAX_WORK", 50_000)
    assert (
        10_000
        < count_moves(monkeypatch, table) - of_greedy_tree
        < 50_000 + 4 * count_tokens(table.whole_pages)
    )


def test_without_work_for_the_greedy_tree_no_better_one_is_searched(monkeypatch):
    table = build_shuffled_table(200)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.MIN_GREEDY_WORK", 30_000)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.GREEDY_WORK_PER_PAGE", 10_000)
    assert 20_000 < count_moves(monkeypatch, table) < 30_000 + 4 * count_tokens(table.whole_pages)


def test_deep_trees_need_no_recursion():
    words = 200  # every landmark parts one word from the rest
    row = " ".join(f"w{number:03}" for number in range(words))
    table = build_table(row, row)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + words // 2)
    try:
        best = search_exact(table, budget=10**9)
    finally:
        sys.setrecursionlimit(limit)
    assert best.cost == 0
    assert measure_depth(table, best.tree) == words - 1


def measure_depth(table: TokenTable, tree) -> int:
    """How many splits follow each other from the whole pages to a leaf, at most."""
    deepest = 0
    waiting = [(table.whole_pages, 0)]
    while waiting:
        regions, above = waiting.pop()
        deepest = max(deepest, above)
        if regions in tree:
            waiting.extend(
                (part, above + 1) for part in table.apply_split(regions, tree[regions])[1]
            )
    return deepest
