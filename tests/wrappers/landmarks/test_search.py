"""The searches of the paper: its running example, budgets, and the number of splits."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracles import smallest_extraction
from tests.wrappers.landmarks.tables import (
    EVERYTHING,
    STAR_WARS,
    build_shuffled_table,
    build_table,
    find_split,
    tables,
)
from unweave.wrappers.landmarks.exact import search_exact
from unweave.wrappers.landmarks.regions import count_tokens
from unweave.wrappers.landmarks.search import (
    Greedy,
    Ties,
    WorkBudget,
    compute_cost,
    search_astar,
    search_greedy,
    search_random,
)


@pytest.mark.parametrize(
    "find",
    [search_exact, search_greedy, search_astar],
    ids=["branch and bound", "greedy", "A*"],
)
def test_the_running_example_has_the_optimum_of_table_1(find):
    table = build_table(EVERYTHING, STAR_WARS)
    assert find(table).cost == 8 + 11


@pytest.mark.parametrize(("root", "best"), [('"The"', 27), ('"Title"', 23), ("<br>", 19)])
def test_roots_of_the_running_example_that_are_worse_than_others(root, best):
    table = build_table(EVERYTHING, STAR_WARS)
    finished, parts = table.apply_split(
        table.whole_pages, find_split(table, table.whole_pages, root)
    )
    assert finished + sum(smallest_extraction(table, part) for part in parts) == best


def test_figure_2b_leaves_more_than_figure_2a():
    table = build_table(EVERYTHING, STAR_WARS)
    tree, regions = {}, table.whole_pages
    for name in ('"Descr."',):
        tree[regions] = find_split(table, regions, name)
    left, _, right = table.split_regions(regions, tree[regions])
    tree[left] = find_split(table, left, '"Price"')
    first, _, _ = table.split_regions(left, tree[left])
    tree[first] = find_split(table, first, '"Title"')
    assert (
        compute_cost(table, tree) - count_tokens(right) == 8
    )  # <b>, </b> <div> and </div> of both pages
    assert smallest_extraction(table, right) == 8 + 11


def test_the_bound_of_the_paper_misleads_its_search():
    table = build_table("u c a b", "a b c b")
    assert compute_cost(table, search_astar(table, is_printed=True).tree) == 6
    assert (
        search_astar(table).cost
        == search_exact(table).cost
        == smallest_extraction(table, table.whole_pages)
        == 4
    )


@given(tables)
def test_splits_are_counted_once_and_for_every_region(table):
    by_greedy, by_a_star = search_greedy(table), search_astar(table, budget=2000)
    assert by_greedy.splits.total == len(by_greedy.tree)
    for found in (by_greedy, by_a_star, search_exact(table)):
        assert found.splits.total >= len(found.tree)
        assert (
            table.k * found.splits.total
            <= found.splits.by_region_size.total()
            <= len(table.whole_pages) * found.splits.total
        )


@given(tables, st.integers(0, 60), st.booleans())
def test_a_star_with_a_budget_has_a_valid_bound(table, budget, is_printed):
    found = search_astar(table, budget=budget, is_printed=is_printed)
    assert (
        found.bound
        <= smallest_extraction(table, table.whole_pages)
        <= found.cost
        == compute_cost(table, found.tree)
    )


def test_a_star_without_work_gives_the_greedy_tree(monkeypatch):
    table = build_shuffled_table(30)
    monkeypatch.setattr("unweave.wrappers.landmarks.search.MAX_WORK", 5000)
    found = search_astar(table)
    assert found.tree == search_greedy(table).tree
    assert found.bound < found.cost


@given(tables, st.integers())
def test_trees_of_all_searches_end_where_no_candidate_is_left(table, seed):
    assume(table.find_splits(table.whole_pages))
    for tree in (
        search_greedy(table, ties=Ties.RANDOM, random=Random(seed)).tree,
        search_random(table, Random(seed)).tree,
        search_exact(table, budget=30).tree,
    ):
        waiting = [table.whole_pages]
        while waiting:
            regions = waiting.pop()
            assert (regions in tree) == bool(table.find_splits(regions))
            if regions in tree:
                waiting.extend(table.apply_split(regions, tree[regions])[1])


def test_regions_are_not_split_when_the_work_is_done():
    table = build_table("a b c d e f", "a b c d e f")
    work = WorkBudget(83)
    search = Greedy(table, work=work)
    assert (
        search.choose_split(table.whole_pages)[0] is not None
    )  # 12 tokens, 12 marks, and 16 moves
    assert 0 <= work.left <= 20
    assert search.choose_split(((0, 0, 5), (1, 0, 5))) == (None, 0)  # 10 tokens and as many marks
    assert (
        compute_cost(table, search_exact(table, budget=0).tree) == 0
    )  # the greedy tree is not part of that budget


def test_splits_that_move_all_tokens_stay_within_the_work():
    table = build_shuffled_table(300)
    work = WorkBudget(20_000)
    split, _ = Greedy(table, work=work).choose_split(table.whole_pages)
    assert split is not None
    assert (
        -2 * count_tokens(table.whole_pages) <= work.left <= 0
    )  # what one split more than allowed moves
