"""Measure how far greedy landmark trees are from the best ones, on small parts of real pages.

The parts are region sets of greedy trees of whole pages: those that a search visits on these pages.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import unweave
from bench.corpus import PageSet
from unweave.wrappers.landmarks.exact import search_exact
from unweave.wrappers.landmarks.regions import (
    RegionSet,
    TokenTable,
    build_token_table,
    count_tokens,
)
from unweave.wrappers.landmarks.search import SearchResult, search_astar, search_greedy
from unweave.wrappers.landmarks.tokens import TokenUnit, tokenize

_SIZES = ((20, 40), (40, 80), (80, 160), (160, 320), (320, 640))
_SETS_OF_A_SIZE = 2
_PAGES = (2, 3, 5)
_MAX_TOKENS = 8000
"""Of the pages of a draw together; the greedy trees of larger ones take long."""

_BUDGET = 50_000
_REGION_SIZES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True)
class Solved:
    """A region set, and the result of each search."""

    pages: int
    tokens: int
    greedy: SearchResult
    a_star: SearchResult
    printed: SearchResult
    """A* with the estimate as it is printed."""
    exact: SearchResult


def print_optimum(page_set: PageSet, *, every: int) -> None:
    """Print how many sets are solved, the cost of greedy and best trees, and the splits."""
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for page in page_set.read_pages():
        sites[page["site"]].append(page["page"])
    names = list(sites)[::every]
    with ProcessPoolExecutor() as workers:
        by_site = dict(
            zip(
                names,
                workers.map(_solve_site, repeat(page_set.folder), map(sites.__getitem__, names)),
                strict=True,
            )
        )
    everything = [solved for solutions in by_site.values() for solved in solutions]
    print(
        f"{len(everything)} region sets of {len(names)} sites of {page_set.name};"
        f" words, k = 2, budget {_BUDGET:,}"
    )
    print(
        "pages, tokens: sets; solved by exact, by A*; greedy and best cost of the solved;"
        " bound and cost of the others"
    )
    for pages in _PAGES:
        for least, most in _SIZES:
            chosen = [
                solved
                for solved in everything
                if solved.pages == pages and least <= solved.tokens < most
            ]
            if chosen:
                print(f"  {pages}, {least:3} to {most - 1:3}: {_format_costs(chosen)}")
    print(f"  all: {_format_costs(everything)}")
    both = [regions for regions in everything if _is_solved(regions.a_star)]
    printed, best = (
        sum(regions.printed.cost for regions in both),
        sum(regions.a_star.cost for regions in both),
    )
    worse = sum(regions.printed.cost > regions.a_star.cost for regions in both)
    print(
        f"cost where A* ended: {best}; with the printed estimate {printed}"
        f" (worse on {worse} of {len(both)})"
    )
    print("splits where A* ended: greedy, A*, exact; share that greedy saves against A*")
    for name, solutions in by_site.items():
        chosen = [solved for solved in solutions if _is_solved(solved.a_star)]
        if chosen:
            print(f"  {name:28} {_format_splits(chosen)}")
    print(f"  all                          {_format_splits(both)}")
    print("splits by tokens of the region (up to), A* less greedy:", _format_more_splits(both))


def _solve_site(folder: Path, names: Sequence[str]) -> list[Solved]:
    solved: list[Solved] = []
    for pages in _PAGES:
        drawn = random.Random(0).sample(names, min(pages, len(names)))
        rows = [
            tokenize(unweave.load_page(folder / name), TokenUnit.WORDS, attributes=True)
            for name in drawn
        ]
        if sum(len(row.tokens) for row in rows) > _MAX_TOKENS:
            continue
        table = build_token_table(rows, 2)
        tree = search_greedy(table).tree
        for least, most in _SIZES:
            sets = [regions for regions in tree if least <= count_tokens(regions) < most]
            chosen = random.Random(1).sample(sets, min(_SETS_OF_A_SIZE, len(sets)))
            solved.extend(_solve(table, pages, regions) for regions in chosen)
    return solved


def _solve(table: TokenTable, pages: int, regions: RegionSet) -> Solved:
    return Solved(
        pages,
        count_tokens(regions),
        search_greedy(table, regions=regions),
        search_astar(table, budget=_BUDGET, regions=regions),
        search_astar(table, budget=_BUDGET, regions=regions, is_printed=True),
        search_exact(table, budget=_BUDGET, regions=regions),
    )


def _is_solved(result: SearchResult) -> bool:
    return result.cost == result.bound


def _format_costs(solutions: Sequence[Solved]) -> str:
    solved = [regions for regions in solutions if _is_solved(regions.exact)]
    others = [regions for regions in solutions if not _is_solved(regions.exact)]
    by_a_star = sum(_is_solved(regions.a_star) for regions in solutions)
    by_greedy, best = (
        sum(regions.greedy.cost for regions in solved),
        sum(regions.exact.cost for regions in solved),
    )
    worse = sum(regions.greedy.cost > regions.exact.cost for regions in solved)
    bounds, costs = (
        sum(regions.exact.bound or 0 for regions in others),
        sum(regions.exact.cost for regions in others),
    )
    return (
        f"{len(solutions)}; {len(solved)}, {by_a_star};"
        f" {by_greedy} and {best} (greedy is worse on {worse}); {bounds} and {costs}"
    )


def _format_splits(solutions: Sequence[Solved]) -> str:
    by_greedy, by_a_star, by_exact = (
        sum(getattr(regions, name).splits.total for regions in solutions)
        for name in ("greedy", "a_star", "exact")
    )
    saved = 1 - by_greedy / by_a_star if by_a_star else 0.0
    return f"{by_greedy:6}, {by_a_star:6}, {by_exact:6}; {saved:.0%}"


def _format_more_splits(solutions: Sequence[Solved]) -> str:
    more: Counter[int] = Counter()
    for regions in solutions:
        for sign, result in ((1, regions.a_star), (-1, regions.greedy)):
            for tokens, count in result.splits.by_region_size.items():
                more[next(most for most in _REGION_SIZES if tokens <= most)] += sign * count
    return ", ".join(f"{most}: {more[most]}" for most in _REGION_SIZES)
