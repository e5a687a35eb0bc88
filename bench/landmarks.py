"""Measure landmark grammars on detail pages: the searches of the paper, k and the number of pages.

    python -m bench.landmarks --data FOLDER --score SCORER [--seeds 3] [TABLE...]
    python -m bench.landmarks … --explain     score by each reading of the paper's experiment
    python -m bench.landmarks … --optimum     compare greedy with best trees, and count splits

Tables: searches (random, greedy with both rules for ties, exact; words and whole texts), k (2 to
12), pages (2 to 10, with and without dynamic tokenization). All of them take hours on two cores:
``--only exact`` selects by name, ``--every 4`` takes every fourth site of the largest set,
``--seeds 1`` one draw of the pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bench.corpus import DETAIL, PageSet, find_page_sets
from bench.floors import add_arguments
from bench.landmark_optimum import print_optimum
from bench.landmark_readings import print_readings
from bench.sites import measure_sites
from unweave.page.page import Page
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.learn import LandmarkLearner

_UNITS = ("words", "texts")
_SEARCHES: dict[str, dict[str, Any]] = {
    "random": {"search": "random"},
    "greedy, ties at random": {"search": "greedy", "ties": "random"},
    "greedy": {"search": "greedy"},
    "exact": {"search": "exact"},
}
_KS = (2, 4, 8, 12)
_PAGES = (2, 5, 10)
_LEARNED_PAGES = 20

Setting = tuple[str, int, dict[str, Any]]
"""A name, how many pages are learned from, and the parameters of the method."""


def searches() -> Iterator[Setting]:
    """The paper's Table 3."""
    for unit in _UNITS:
        for name, how in _SEARCHES.items():
            yield f"{name}, {unit}", _LEARNED_PAGES, {**how, "tokens": unit}


def least_pages() -> Iterator[Setting]:
    """The paper's Figure 6d, with the greedy search."""
    for unit in _UNITS:
        for k in _KS:
            yield f"k = {k}, {unit}", _LEARNED_PAGES, {"search": "greedy", "tokens": unit, "k": k}


def few_pages() -> Iterator[Setting]:
    """The paper's Figure 6e, with the greedy and with the exact search."""
    for search in ("greedy", "exact"):
        for pages in _PAGES:
            for dynamic in (False, True):
                name = f"{pages} pages, {search}, {'with' if dynamic else 'without'} attributes"
                yield name, pages, {"search": search, "attributes": dynamic}


TABLES = {"searches": searches, "k": least_pages, "pages": few_pages}


def _learn(pages: Sequence[Page], seed: int, **parameters: Any) -> Wrapper:
    return LandmarkLearner(seed=seed, **parameters).learn(pages)


def main() -> None:
    """Measure and print, one setting a line as soon as it is done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument(
        "--seeds", type=int, default=3, help="how many draws of the pages that are learned from"
    )
    parser.add_argument("--only", default="", help="settings with this in their name")
    parser.add_argument(
        "--explain", action="store_true", help="score by each reading of the paper's experiment"
    )
    parser.add_argument(
        "--optimum", action="store_true", help="solve parts of pages exactly, and count splits"
    )
    parser.add_argument(
        "--every", type=int, default=1, help="every n-th site of a set only; small sets are whole"
    )
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all if none is named"
    )
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "detail", DETAIL)
    if not sets or not arguments.score.exists():
        print(
            f"No detail pages with truth in {arguments.data}, or no scorer: nothing was measured."
        )
        return
    if arguments.explain:
        print_readings(sets[:2], every=arguments.every, only=arguments.only)
        return
    if arguments.optimum:
        print_optimum(sets[0], every=arguments.every)
        return
    print(
        f"precision / recall / F1 on {', '.join(page_set.name for page_set in sets)};"
        " seconds to learn: median, maximum"
    )
    for table in arguments.tables or TABLES:
        for name, pages, parameters in TABLES[table]():
            if arguments.only and arguments.only not in name:
                continue
            found = [_format_row(page_set, arguments, pages, parameters) for page_set in sets]
            print(f"{name:38}", "   ".join(found), flush=True)


def _format_row(
    page_set: PageSet, arguments: argparse.Namespace, pages: int, parameters: dict[str, Any]
) -> str:
    measured = measure_sites(
        page_set,
        arguments.score,
        partial(_learn, **parameters),
        sample=pages,
        seeds=arguments.seeds,
        every=arguments.every if page_set.name == DETAIL[0] else 1,
    )
    scores = " / ".join(f"{measured[name]:.3f}" for name in ("precision", "recall", "f1"))
    return f"{scores} ({measured['median']:.1f}, {measured['maximum']:.1f})"


if __name__ == "__main__":
    main()
