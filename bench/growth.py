"""How alignment, the search among siblings and learning grow, as ratios measured in one run.

    python -m bench.growth

Partial tree alignment: records of about 60 nodes with optional fields, of a few dozen shapes. CTVS:
siblings of which no two have the same tags, and records whose values share one tag path, so that
only what they say can tell them apart. Time a record, or a sibling, as a multiple of that for the
smallest number.

Learning: three pages that are made to be slow, of a kind each. Time a kilobyte, as a multiple of
that for the smallest size. A figure that falls shows that the work is bounded, one that stays that
it is linear.
"""

from __future__ import annotations

import contextlib
import math
import random
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from unweave import Page, learn
from unweave.errors import UnweaveError
from unweave.lists.listing import Listing
from unweave.lists.methods.ctvs import Ctvs
from unweave.lists.methods.ctvs.regions import find_regions
from unweave.lists.paper_alignment import RecordTrees, align_trees
from unweave.lists.tag_similarity import MAX_TAG_DISTANCE, TagGrouper
from unweave.trees.simple_tree_matching import Matcher
from unweave.trees.tree import SubtreeClasses
from unweave.wrappers.landmarks.learn import LandmarkLearner

_COUNTS = (50, 100, 200, 500, 1_000, 2_000)
_RUNS = 3
_PAGE_KILOBYTES = (60, 125, 250, 500)
_CHAIN_DEPTH = 240
_WORDS = (
    "amber birch cedar dune ember fjord grove heath isle jade"
    " kelp lark moss north oak pine quartz reed slate tide"
).split()


def main() -> None:
    """Print the tables."""
    console = Console(width=120 if not sys.stdout.isatty() else None)
    grid = Table(
        "",
        *(f"{count:,}" for count in _COUNTS),
        title="Time a record or sibling, as a multiple of the smallest number's",
    )
    measures: dict[str, Callable[[int], float]] = {
        "depta: records, one field in ten is missing": lambda count: _time_tree_alignment(
            count, 0.1
        ),
        "depta: records, half of the fields are missing": lambda count: _time_tree_alignment(
            count, 0.5
        ),
        "ctvs: siblings, no two of the same tags": _time_siblings,
        "ctvs: records whose values share one tag path": _time_value_alignment,
    }
    for name, measure in measures.items():
        times = [measure(count) / count for count in _COUNTS]
        grid.add_row(name, *(f"{value / times[0]:.2f}" for value in times))
    console.print(grid)
    grid = Table(
        "learning from three pages of N KB",
        *map(str, _PAGE_KILOBYTES),
        f"seconds for {_PAGE_KILOBYTES[-1]}",
        title="Time a KB, as a multiple of the smallest size's",
    )
    pages: dict[str, tuple[str, Callable[[int, int], str]]] = {
        "pattern: chains of nested elements": ("pattern", _make_chain),
        "pattern: chains with a text at every level": ("pattern", _make_text_chain),
        "fields: texts of which two pages in three have each": ("fields", _make_followers),
        "landmark: the same words": ("landmark", lambda part, page: f"w{part} "),
        "landmark: the same texts, those of two pages in three": ("landmark", _make_followers),
    }
    for name, (method, part) in pages.items():
        times = [_time_learning(method, part, size * 1_000) for size in _PAGE_KILOBYTES]
        rates = [time / size for time, size in zip(times, _PAGE_KILOBYTES, strict=True)]
        grid.add_row(name, *(f"{rate / rates[0]:.2f}" for rate in rates), f"{times[-1]:.1f}")
    console.print(grid)


def _time_learning(method: str, part: Callable[[int, int], str], size: int) -> float:
    """Return the processor time of learning from three pages, also if there is no wrapper."""
    pages = [Page.parse(_make_page(part, page, size)) for page in range(3)]
    start = time.process_time()
    learner = LandmarkLearner(search="greedy") if method == "landmark" else method
    with contextlib.suppress(UnweaveError):
        learn(pages, method=learner)
    return time.process_time() - start


def _make_page(part: Callable[[int, int], str], page: int, size: int) -> str:
    """Return a page of this size, made of parts by their number and that of the page."""
    parts: list[str] = []
    length = number = 0
    while length < size:
        parts.append(part(number, page))
        length += len(parts[-1])
        number += 1
    return f"<main>{''.join(parts)}</main>"


def _make_chain(part: int, page: int) -> str:
    return "<div>" * _CHAIN_DEPTH + f"text {page} {part}" + "</div>" * _CHAIN_DEPTH


def _make_text_chain(part: int, page: int) -> str:
    levels = "".join(f"<div>text {page} {part} {level}" for level in range(_CHAIN_DEPTH))
    return levels + "</div>" * _CHAIN_DEPTH


def _make_followers(part: int, page: int) -> str:
    return f"<p>head</p><p>text {part}</p>" if part % 3 != page else ""


def _time_best(work: Callable[[], object]) -> float:
    best = math.inf
    for _ in range(_RUNS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def _time_tree_alignment(count: int, missing: float) -> float:
    page = Page.parse(_make_optional_fields(count, missing))
    roots = [node for node, label in enumerate(page.tree.labels) if label == "article"]

    def align() -> None:
        shapes = RecordTrees(page, SubtreeClasses())
        align_trees([(shapes, (root,)) for root in roots], Matcher(shapes.classes))

    return _time_best(align)


def _time_siblings(count: int) -> float:
    tree = Page.parse(_make_different_siblings(count)).tree
    return _time_best(lambda: find_regions(tree, TagGrouper(MAX_TAG_DISTANCE)))


def _time_value_alignment(count: int) -> float:
    page = Page.parse(_make_single_path(count))
    listing = Listing(
        tuple((node,) for node, label in enumerate(page.tree.labels) if label == "article")
    )
    return _time_best(lambda: Ctvs().make_aligner(page)(listing))


def _make_optional_fields(count: int, missing: float) -> str:
    rng = random.Random(1)
    fields = [
        "<p><b>a</b><i>b</i><u>c</u></p>",
        "<div><a href=x>d</a><span>e</span></div>",
        "<ul><li>f<li>g<li>h</ul>",
    ]

    def record() -> str:
        optional = "".join(
            f"<section><h4>t</h4>{fields[k % 3]}</section>"
            for k in range(11)
            if rng.random() >= missing
        )
        title, footer = "<h3><a href=x>title</a></h3>", "<footer><time>date</time></footer>"
        return f"<article>{title}{optional}{footer}</article>"

    return f"<main>{''.join(record() for _ in range(count))}</main>"


def _make_different_siblings(count: int) -> str:
    """Return siblings of 30 random tags: hardly any two are similar; every pair is compared."""
    rng = random.Random(1)
    tags = "b i u s em code p h3 h4 div section span a q kbd var sub sup small big".split()

    def sibling() -> str:
        return "".join(f"<{tag}>x</{tag}>" for tag in rng.choices(tags, k=30))

    return f"<main>{''.join(f'<article>{sibling()}</article>' for _ in range(count))}</main>"


def _make_single_path(count: int) -> str:
    rng = random.Random(1)

    def record() -> str:
        title = " ".join(rng.sample(_WORDS, 4))
        fields = [
            f"${rng.randint(1, 99)}",
            f"2016-{rng.randint(10, 12)}-{rng.randint(10, 28)}",
            f"{rng.random():.3f}",
        ]
        values = [
            title,
            *(field for field in fields if rng.random() < 0.8),
            rng.choice(_WORDS),
        ]
        return "<article>" + "".join(f"<p>{value}</p>" for value in values) + "</article>"

    return f"<main>{''.join(record() for _ in range(count))}</main>"


if __name__ == "__main__":
    main()
