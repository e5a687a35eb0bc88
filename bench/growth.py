"""How partial tree alignment grows with the number of records, as ratios measured in one run.

    python -m bench.growth

Records of about 60 nodes with optional fields, of a few dozen shapes; time a record as a multiple of that for 50 records.
"""

from __future__ import annotations

import math
import random
import sys
import time

from rich.console import Console
from rich.table import Table

from unweave import Page
from unweave.records.columns import RecordShapes, align_trees
from unweave.trees.matching import Matcher
from unweave.trees.tree import Classes

_COUNTS = (50, 100, 200, 500, 1_000, 2_000)
_RUNS = 3


def main() -> None:
    """Print the table."""
    console = Console(width=120 if not sys.stdout.isatty() else None)
    grid = Table(
        "records of 60 nodes", *(f"{count:,}" for count in _COUNTS), title="Time a record, as a multiple of the smallest"
    )
    for name, chance in (("one field in ten is missing", 0.1), ("half of the fields are missing", 0.5)):
        times = [_time_a_record(count, chance) for count in _COUNTS]
        grid.add_row(name, *(f"{value / times[0]:.2f}" for value in times))
    console.print(grid)


def _time_a_record(count: int, missing: float) -> float:
    page = Page.parse(_page(count, missing))
    roots = [node for node, label in enumerate(page.tree.labels) if label == "article"]
    best = math.inf
    for _ in range(_RUNS):
        begin = time.perf_counter()
        shapes = RecordShapes(page, Classes())
        align_trees([(shapes, (root,)) for root in roots], Matcher(shapes.classes))
        best = min(best, time.perf_counter() - begin)
    return best / count


def _page(count: int, missing: float) -> str:
    chance = random.Random(1)
    fields = ["<p><b>a</b><i>b</i><u>c</u></p>", "<div><a href=x>d</a><span>e</span></div>", "<ul><li>f<li>g<li>h</ul>"]

    def record() -> str:
        optional = "".join(f"<section><h4>t</h4>{fields[k % 3]}</section>" for k in range(11) if chance.random() >= missing)
        return f"<article><h3><a href=x>title</a></h3>{optional}<footer><time>date</time></footer></article>"

    return f"<main>{''.join(record() for _ in range(count))}</main>"


if __name__ == "__main__":
    main()
