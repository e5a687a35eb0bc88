"""How far greedy landmark trees are from the best ones, on parts of real pages that are small enough to be solved.

The parts are sets of regions of greedy trees of whole pages: what a search meets when it looks at those pages.
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
    """A set of regions, and what each search found."""

    pages: int
    tokens: int
    greedy: SearchResult
    a_star: SearchResult
    printed: SearchResult
    """A* with the estimate as it is printed."""
    exact: SearchResult


def print_optimum(page_set: PageSet, *, every: int) -> None:
    """Print how many sets were solved, what their greedy trees cost too much, and the splits of each search."""
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
    everything = [solved for own in by_site.values() for solved in own]
    print(
        f"{len(everything)} sets of regions of {len(names)} sites of {page_set.name}; words, k = 2, budget {_BUDGET:,}"
    )
    print(
        "pages, tokens: sets; solved by exact, by A*; greedy and best cost of the solved; bound and cost of the others"
    )
    for pages in _PAGES:
        for least, most in _SIZES:
            own = [
                solved
                for solved in everything
                if solved.pages == pages and least <= solved.tokens < most
            ]
            if own:
                print(f"  {pages}, {least:3} to {most - 1:3}: {_costs(own)}")
    print(f"  all: {_costs(everything)}")
    both = [own for own in everything if _is_solved(own.a_star)]
    printed, best = sum(own.printed.cost for own in both), sum(own.a_star.cost for own in both)
    worse = sum(own.printed.cost > own.a_star.cost for own in both)
    print(
        f"cost where A* ended: {best}; with the printed estimate {printed} (worse on {worse} of {len(both)})"
    )
    print("splits where A* ended: greedy, A*, exact; share that greedy saves against A*")
    for name, solutions in by_site.items():
        own = [solved for solved in solutions if _is_solved(solved.a_star)]
        if own:
            print(f"  {name:28} {_splits(own)}")
    print(f"  all                          {_splits(both)}")
    print("splits by tokens of the region (up to), A* less greedy:", _more_splits(both))


def _solve_site(folder: Path, names: Sequence[str]) -> list[Solved]:
    found: list[Solved] = []
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
            found.extend(_solve(table, pages, regions) for regions in chosen)
    return found


def _solve(table: TokenTable, pages: int, regions: RegionSet) -> Solved:
    return Solved(
        pages,
        count_tokens(regions),
        search_greedy(table, regions=regions),
        search_astar(table, budget=_BUDGET, regions=regions),
        search_astar(table, budget=_BUDGET, regions=regions, is_printed=True),
        search_exact(table, budget=_BUDGET, regions=regions),
    )


def _is_solved(found: SearchResult) -> bool:
    return found.cost == found.bound


def _costs(solutions: Sequence[Solved]) -> str:
    solved = [own for own in solutions if _is_solved(own.exact)]
    others = [own for own in solutions if not _is_solved(own.exact)]
    by_greedy, best = sum(own.greedy.cost for own in solved), sum(own.exact.cost for own in solved)
    worse = sum(own.greedy.cost > own.exact.cost for own in solved)
    bounds, costs = (
        sum(own.exact.bound or 0 for own in others),
        sum(own.exact.cost for own in others),
    )
    return (
        f"{len(solutions)}; {len(solved)}, {sum(_is_solved(own.a_star) for own in solutions)};"
        f" {by_greedy} and {best} (greedy is worse on {worse}); {bounds} and {costs}"
    )


def _splits(solutions: Sequence[Solved]) -> str:
    by_greedy, by_a_star, by_exact = (
        sum(getattr(own, name).splits.total for own in solutions)
        for name in ("greedy", "a_star", "exact")
    )
    saved = 1 - by_greedy / by_a_star if by_a_star else 0.0
    return f"{by_greedy:6}, {by_a_star:6}, {by_exact:6}; {saved:.0%}"


def _more_splits(solutions: Sequence[Solved]) -> str:
    more: Counter[int] = Counter()
    for own in solutions:
        for sign, found in ((1, own.a_star), (-1, own.greedy)):
            for tokens, count in found.splits.by_region_size.items():
                more[next(most for most in _REGION_SIZES if tokens <= most)] += sign * count
    return ", ".join(f"{most}: {more[most]}" for most in _REGION_SIZES)
