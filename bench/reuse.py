"""Wrappers for lists: learned from one page of a site, applied to its other pages, against mining each page anew.

    python -m bench.reuse --data ../shared/data --score ../shared/score/score.py

Prints the mean F1 of records over all pairs of pages of a site (four pages a site at most), over those pairs whose first
page was mined right, and the time of applying as a share of that of mining, measured in one run.
"""

from __future__ import annotations

import importlib.util
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rich.table import Table as Grid

import unweave
from bench.corpus import find_page_sets
from bench.reporting import make_console, make_parser
from unweave import Table, UnweaveError

_SETS = ("estuka2017", "webdext")
_PAGES_A_SITE = 4
_RIGHT = 0.9


class Pair(NamedTuple):
    """One page learned from, another applied to."""

    applied: float
    mined: float
    learned_from: float
    apply_seconds: float
    mine_seconds: float


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument(
        "--method", choices=("auto", "depta"), default="auto", help="how to learn, and how to mine"
    )
    parser.add_argument("--variant", default="", help="of depta")
    arguments = parser.parse_args()
    parameters = {
        "method": arguments.method,
        **({"variant": arguments.variant} if arguments.variant else {}),
    }
    sets = find_page_sets(arguments.data, "records", _SETS)
    if not sets or not arguments.score.exists():
        print(
            f"No pages with truth in {arguments.data}, or no scorer at {arguments.score}: nothing was measured."
        )
        return
    grid = Grid(
        "set",
        "pairs",
        "applied",
        "mined",
        "pairs learned right",
        "applied",
        "mined",
        "time of mining",
    )
    for page_set in sets:
        sites: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for page in page_set.read_pages():
            sites[page["site"]].append(page)
        with ProcessPoolExecutor() as workers:
            jobs = [
                (page_set.folder, pages[:_PAGES_A_SITE], arguments.score, parameters)
                for pages in sites.values()
            ]
            pairs = [
                pair for found in workers.map(_pairs, *zip(*jobs, strict=True)) for pair in found
            ]
        right = [pair for pair in pairs if pair.learned_from > _RIGHT]
        share = sum(pair.apply_seconds for pair in pairs) / sum(pair.mine_seconds for pair in pairs)
        grid.add_row(page_set.name, *_means(pairs), *_means(right), f"{share:.2f}")
    make_console().print(grid)


def _means(pairs: list[Pair]) -> tuple[str, str, str]:
    applied, mined = (sum(pair[k] for pair in pairs) / len(pairs) for k in (0, 1))
    return str(len(pairs)), f"{applied:.3f}", f"{mined:.3f}"


def _pairs(
    folder: Path, pages: list[dict[str, Any]], score: Path, parameters: dict[str, Any]
) -> list[Pair]:
    scorer = _load(score)
    found: list[Pair] = []
    for one, other in permutations(pages, 2):
        try:
            wrapper = unweave.learn([folder / one["page"]], **parameters)
        except UnweaveError:
            continue
        begin = time.perf_counter()
        applied, _ = unweave.apply(wrapper, folder / other["page"])
        between = time.perf_counter()
        mined = _first(folder / other["page"], parameters)
        end = time.perf_counter()
        own = _f1(scorer, one, _first(folder / one["page"], parameters))
        scores = (
            _f1(scorer, other, applied if isinstance(applied, Table) else None),
            _f1(scorer, other, mined),
            own,
        )
        found.append(Pair(*scores, between - begin, end - between))
    return found


def _first(path: Path, parameters: dict[str, Any]) -> Table | None:
    tables = unweave.records(path, **parameters)
    return tables[0] if tables else None


def _f1(scorer: ModuleType, truth: dict[str, Any], table: Table | None) -> float:
    if table is None:
        return 0.0
    pairs, given, _ = scorer.score_table(truth, {"rows": [], "texts": table.texts})
    return float(scorer.f1(len(pairs) / given, len(pairs) / len(truth["records"])))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("scorer", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
