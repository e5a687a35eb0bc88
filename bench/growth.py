"""How alignment and the search among siblings grow, as ratios measured in one run.

    python -m bench.growth

Partial tree alignment: records of about 60 nodes with optional fields, of a few dozen shapes. CTVS: siblings of which no
two have the same tags, and records whose values share one tag path, so that only what they say can tell them apart. Time a
record, or a sibling, as a multiple of that for the smallest number.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from unweave import Page
from unweave.records import ctvs
from unweave.records.columns import RecordShapes, align_trees
from unweave.records.ctvs.groups import Groups
from unweave.records.ctvs.regions import find_regions
from unweave.records.ctvs.tags import T
from unweave.records.region import Listing
from unweave.trees.matching import Matcher
from unweave.trees.tree import Classes

_COUNTS = (50, 100, 200, 500, 1_000, 2_000)
_RUNS = 3
_WORDS = (
    "amber birch cedar dune ember fjord grove heath isle jade kelp lark moss north oak pine quartz reed slate tide".split()
)


def main() -> None:
    """Print the tables."""
    console = Console(width=120 if not sys.stdout.isatty() else None)
    grid = Table(
        "", *(f"{count:,}" for count in _COUNTS), title="Time a record or sibling, as a multiple of the smallest number's"
    )
    measures: dict[str, Callable[[int], float]] = {
        "depta: records, one field in ten is missing": lambda count: _tree_alignment(count, 0.1),
        "depta: records, half of the fields are missing": lambda count: _tree_alignment(count, 0.5),
        "ctvs: siblings, no two of the same tags": _siblings,
        "ctvs: records whose values share one tag path": _value_alignment,
    }
    for name, measure in measures.items():
        times = [measure(count) / count for count in _COUNTS]
        grid.add_row(name, *(f"{value / times[0]:.2f}" for value in times))
    console.print(grid)


def _best(work: Callable[[], object]) -> float:
    best = math.inf
    for _ in range(_RUNS):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def _tree_alignment(count: int, missing: float) -> float:
    page = Page.parse(_optional_fields(count, missing))
    roots = [node for node, label in enumerate(page.tree.labels) if label == "article"]

    def align() -> None:
        shapes = RecordShapes(page, Classes())
        align_trees([(shapes, (root,)) for root in roots], Matcher(shapes.classes))

    return _best(align)


def _siblings(count: int) -> float:
    tree = Page.parse(_unlike_siblings(count)).tree
    return _best(lambda: find_regions(tree, Groups(T)))


def _value_alignment(count: int) -> float:
    page = Page.parse(_one_path(count))
    listing = Listing(tuple((node,) for node, label in enumerate(page.tree.labels) if label == "article"))
    return _best(lambda: ctvs.by_value(page)(listing))


def _optional_fields(count: int, missing: float) -> str:
    chance = random.Random(1)
    fields = ["<p><b>a</b><i>b</i><u>c</u></p>", "<div><a href=x>d</a><span>e</span></div>", "<ul><li>f<li>g<li>h</ul>"]

    def record() -> str:
        optional = "".join(f"<section><h4>t</h4>{fields[k % 3]}</section>" for k in range(11) if chance.random() >= missing)
        return f"<article><h3><a href=x>title</a></h3>{optional}<footer><time>date</time></footer></article>"

    return f"<main>{''.join(record() for _ in range(count))}</main>"


def _unlike_siblings(count: int) -> str:
    """Siblings of 30 tags drawn by chance: hardly any two are similar, and every pair must be looked at."""
    chance = random.Random(1)
    tags = "b i u s em code p h3 h4 div section span a q kbd var sub sup small big".split()

    def sibling() -> str:
        return "".join(f"<{tag}>x</{tag}>" for tag in chance.choices(tags, k=30))

    return f"<main>{''.join(f'<article>{sibling()}</article>' for _ in range(count))}</main>"


def _one_path(count: int) -> str:
    chance = random.Random(1)

    def record() -> str:
        title = " ".join(chance.sample(_WORDS, 4))
        fields = [
            f"${chance.randint(1, 99)}",
            f"2016-{chance.randint(10, 12)}-{chance.randint(10, 28)}",
            f"{chance.random():.3f}",
        ]
        given = [title, *(field for field in fields if chance.random() < 0.8), chance.choice(_WORDS)]
        return "<article>" + "".join(f"<p>{value}</p>" for value in given) + "</article>"

    return f"<main>{''.join(record() for _ in range(count))}</main>"


if __name__ == "__main__":
    main()
