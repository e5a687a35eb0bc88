"""The main content of pages by the shipped models, compared with floors.

    python -m bench.text_shipped --data ../shared/data --score ../shared/score/score.py

The models were fitted to these pages, among others: the figures do not tell how good they are on
other pages, but whether a change of the code makes them worse. Every fifth page is read.
``python -m bench.text`` fits and measures with sites left out.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.corpus import TEXT, find_page_sets
from bench.floors import add_arguments, check_floors
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave.content.main_content import find_main_content
from unweave.page.page import Page

METHOD = "text shipped"
_STEP = 5
FIGURES = ("f1", "kind_right", "with", "without")


def main() -> None:
    """Print the figures, and check the floors."""
    parser = make_parser(__doc__)
    add_arguments(parser)
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "text", TEXT)
    if not sets or not arguments.score.exists():
        print(f"No pages in {arguments.data}/text, or no scorer: nothing was measured.")
        return
    truth = sets[0].read_pages()[::_STEP]
    with ProcessPoolExecutor(2) as workers:
        found = workers.map(
            _read_page, [sets[0].folder / page["page"] for page in truth], chunksize=8
        )
        output = {page["page"]: content for page, content in zip(truth, found, strict=True)}
    scored: dict[str, Any] = load_scorer(arguments.score).score_text(truth, output, 0)[0]
    figures = select_figures(scored)
    grid = Table(*figures, title=f"F1 of words of {len(truth)} pages (fitted)")
    grid.add_row(*(f"{value:.3f}" for value in figures.values()))
    console = make_console(140)
    console.print(grid)
    sys.exit(check_floors(console, arguments, {METHOD: {sets[0].key: figures}}, sets))


def select_figures(scored: dict[str, Any]) -> dict[str, float]:
    """Return the figures that have floors, given those of the scorer."""
    return {**scored["by_kind"], **{name: scored[name] for name in FIGURES}}


def _read_page(path: Path) -> dict[str, str]:
    content = find_main_content(Page.load(path))
    return {"text": "\n".join([block.text for block in content.blocks]), "kind": content.kind}


if __name__ == "__main__":
    main()
