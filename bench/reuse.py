"""Wrappers for lists, learned from one page and applied to other pages, against ``records``.

    python -m bench.reuse --data ../shared/data --score ../shared/score/score.py

Prints the mean F1 of records over all pairs of pages of a site (of at most four pages), the same
over pairs whose first page was extracted correctly, and the time of ``apply`` as a share of that of
``records``, measured in one run.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from rich.table import Table as Grid

import unweave
from bench.corpus import find_page_sets
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave import Table, UnweaveError

_SETS = ("estuka2017", "webdext")
_MAX_PAGES_PER_SITE = 4
_MIN_CORRECT_F1 = 0.9


class Pair(NamedTuple):
    """The F1 of a page that is learned from and of another, and the times."""

    applied: float
    direct: float
    """The F1 of ``records`` on the page that the wrapper is applied to."""
    learned: float
    """The F1 of ``records`` on the page that the wrapper is learned from."""
    apply_seconds: float
    direct_seconds: float


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument(
        "--method", choices=("auto", "depta"), default="auto", help="of learn and records"
    )
    parser.add_argument("--variant", default="", help="of depta")
    arguments = parser.parse_args()
    parameters = {
        "method": arguments.method,
        **({"variant": arguments.variant} if arguments.variant else {}),
    }
    sets = find_page_sets(arguments.data, "records", _SETS)
    if not sets or not arguments.score.exists():
        print(f"No pages in {arguments.data}, or no scorer: nothing was measured.")
        return
    grid = Grid(
        "set",
        "pairs",
        "applied",
        "records",
        "pairs learned correctly",
        "applied",
        "records",
        "time share",
    )
    for page_set in sets:
        sites = page_set.group_by_site()
        with ProcessPoolExecutor() as workers:
            jobs = [
                (page_set.folder, pages[:_MAX_PAGES_PER_SITE], arguments.score, parameters)
                for pages in sites.values()
            ]
            pairs: list[Pair] = []
            for site_pairs in workers.map(_measure_pairs, *zip(*jobs, strict=True)):
                pairs += site_pairs
        correct = [pair for pair in pairs if pair.learned > _MIN_CORRECT_F1]
        share = sum(pair.apply_seconds for pair in pairs) / sum(
            pair.direct_seconds for pair in pairs
        )
        grid.add_row(page_set.name, *_format_means(pairs), *_format_means(correct), f"{share:.2f}")
    make_console().print(grid)


def _format_means(pairs: list[Pair]) -> tuple[str, str, str]:
    applied, direct = (sum(pair[k] for pair in pairs) / len(pairs) for k in (0, 1))
    return str(len(pairs)), f"{applied:.3f}", f"{direct:.3f}"


def _measure_pairs(
    folder: Path, pages: list[dict[str, Any]], score: Path, parameters: dict[str, Any]
) -> list[Pair]:
    scorer = load_scorer(score)
    pairs: list[Pair] = []
    for first, second in permutations(pages, 2):
        try:
            wrapper = unweave.learn([folder / first["page"]], **parameters)
        except UnweaveError:
            continue
        begin = time.perf_counter()
        applied = unweave.apply(wrapper, folder / second["page"]).table
        applied_at = time.perf_counter()
        direct = _find_first_table(folder / second["page"], parameters)
        end = time.perf_counter()
        learned = _find_first_table(folder / first["page"], parameters)
        pairs.append(
            Pair(
                _compute_f1(scorer, second, applied),
                _compute_f1(scorer, second, direct),
                _compute_f1(scorer, first, learned),
                applied_at - begin,
                end - applied_at,
            )
        )
    return pairs


def _find_first_table(path: Path, parameters: dict[str, Any]) -> Table | None:
    tables = unweave.records(path, **parameters)
    return tables[0] if tables else None


def _compute_f1(scorer: ModuleType, truth: dict[str, Any], table: Table | None) -> float:
    if table is None:
        return 0.0
    matched, count, _ = scorer.score_table(truth, {"rows": [], "texts": table.texts})
    return float(scorer.f1(len(matched) / count, len(matched) / len(truth["records"])))


if __name__ == "__main__":
    main()
