"""The paper's landmark grammars on detail pages with truth: its searches, and the questions that it asks.

    python -m bench.landmarks --data ../shared/data --score ../shared/score/score.py [--seeds 3] [TABLE...]

Tables: searches (random, greedy with both rules for ties, exact; words and whole texts), k (2 to 12), pages (2 to 10, with
and without dynamic tokenization). They take an hour or two on two cores, most of it the exact search.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from bench.corpus import DETAIL, PageSet, page_sets
from bench.floors import add_arguments
from bench.sites import measured
from unweave.induce.landmarks.learn import learn
from unweave.page.page import Page
from unweave.wrappers.wrapper import Wrapper

_UNITS = ("words", "texts")
_SEARCHES: dict[str, dict[str, Any]] = {
    "random": {"search": "random"},
    "greedy, ties at random": {"search": "greedy", "ties": "random"},
    "greedy": {"search": "greedy"},
    "exact": {"search": "exact"},
}
_KS = (2, 3, 4, 6, 8, 10, 12)
_PAGES = (2, 4, 6, 8, 10)
_LEARNED_FROM = 20

Setting = tuple[str, int, dict[str, Any]]
"""A name, how many pages are learned from, and the parameters of the method."""


def searches() -> Iterator[Setting]:
    """The paper's Table 3."""
    for unit in _UNITS:
        for name, how in _SEARCHES.items():
            yield f"{name}, {unit}", _LEARNED_FROM, {**how, "tokens": unit}


def least_pages() -> Iterator[Setting]:
    """The paper's Figure 6d, with the greedy search."""
    for unit in _UNITS:
        for k in _KS:
            yield f"k = {k}, {unit}", _LEARNED_FROM, {"search": "greedy", "tokens": unit, "k": k}


def few_pages() -> Iterator[Setting]:
    """The paper's Figure 6e, with the greedy and with the exact search."""
    for search in ("greedy", "exact"):
        for pages in _PAGES:
            for dynamic in (False, True):
                name = f"{pages} pages, {search}, {'with' if dynamic else 'without'} attributes"
                yield name, pages, {"search": search, "attributes": dynamic}


TABLES = {"searches": searches, "k": least_pages, "pages": few_pages}


def _learn(pages: Sequence[Page], seed: int, **parameters: Any) -> Wrapper:
    return learn(pages, seed=seed, **parameters)


def main() -> None:
    """Measure and print, one setting a line as soon as it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--seeds", type=int, default=3, help="how many draws of the pages that are learned from")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all if none is named")
    arguments = parser.parse_args()
    sets = page_sets(arguments.data, "detail", DETAIL)
    if not sets or not arguments.score.exists():
        print(f"No detail pages with truth in {arguments.data}, or no scorer: nothing was measured.")
        return
    print(f"precision / recall / F1 on {', '.join(own.name for own in sets)}; seconds to learn: median, most")
    for table in arguments.tables or TABLES:
        for name, pages, parameters in TABLES[table]():
            found = [_row(own, arguments, pages, parameters) for own in sets]
            print(f"{name:38}", "   ".join(found), flush=True)


def _row(page_set: PageSet, arguments: argparse.Namespace, pages: int, parameters: dict[str, Any]) -> str:
    own = measured(page_set, arguments.score, partial(_learn, **parameters), sample=pages, seeds=arguments.seeds)
    return f"{own['precision']:.3f} / {own['recall']:.3f} / {own['f1']:.3f} ({own['median']:.1f}, {own['most']:.1f})"


if __name__ == "__main__":
    main()
