"""Speed as ratios that are measured in one run: seconds mean little on a busy machine.

    python -m bench.speed --data ../shared/data

First, ``records``, ``news`` of one page, and ``apply`` are compared with ``lxml.etree``, which
parses the same bytes and iterates over the elements once. The times are sums over the pages of a
set of the best of several runs; without the data, the example pages are used. Then the time per
node of ``records`` is measured on pages of 1,000 to 300,000 nodes.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from lxml import etree
from rich.console import Console
from rich.table import Table

import unweave
from bench.corpus import NEWS, find_page_sets
from bench.reporting import make_console, make_parser
from unweave import Page, PageError

_RUNS = 5
_NEWS_STEP = 3  # every third page of the sets of news is used
_PAGES_TO_LEARN = 6
_WRAPPER_METHODS = ("pattern", "fields")
_SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    console = make_console()
    _print_records(console, data)
    _print_news(console, data)
    _print_wrappers(console, data)
    _print_growth(console)


# ---- ratio to lxml -------------------------------------------------------------------------------


def _run_lxml(markup: bytes) -> None:
    root = etree.fromstring(markup, etree.HTMLParser())
    if root is not None:
        for _ in root.iter():
            pass


_CALLS: dict[str, Callable[[bytes], object]] = {
    "lxml": _run_lxml,
    "Page.parse": Page.parse,
    "auto, best table": lambda markup: [table.rows for table in unweave.records(markup)[:1]],
    "auto, all tables": lambda markup: [table.rows for table in unweave.records(markup)],
    "records mdr": lambda markup: unweave.records(markup, method="mdr"),
    "records depta": lambda markup: unweave.records(markup, method="depta"),
    "records ctvs": lambda markup: unweave.records(markup, method="ctvs"),
}


def _print_records(console: Console, data: Path) -> None:
    grid = Table(
        "set",
        "pages",
        "nodes per page",
        *_CALLS,
        "mdr, µs per node",
        title="Time as a multiple of lxml's",
    )
    sets = {
        page_set.name: page_set.list_paths()
        for page_set in find_page_sets(data, "records", ("estuka2017", "vints-zhao1"))
    }
    for name, paths in (sets or {"examples": sorted(Path("examples").glob("*.html"))}).items():
        pages = _read_pages(paths)
        nodes = sum(len(Page.parse(markup).tree) for markup in pages)
        seconds = {name: _measure_seconds(call, pages) for name, call in _CALLS.items()}
        ratios = [f"{value / seconds['lxml']:.2f}" for value in seconds.values()]
        per_node = f"{1e6 * seconds['records mdr'] / nodes:.1f}"
        grid.add_row(name, str(len(pages)), str(nodes // len(pages)), *ratios, per_node)
    console.print(grid)


def _print_news(console: Console, data: Path) -> None:
    grid = Table(
        "set",
        "pages",
        "lxml",
        "Page.parse",
        "news",
        title="News of one page, time as a multiple of lxml's",
    )
    sets = {
        each.name: each.list_paths()[::_NEWS_STEP] for each in find_page_sets(data, "news", NEWS)
    }
    for name, paths in (sets or {"examples": sorted(Path("examples/news").glob("*.html"))}).items():
        pages = _read_pages(paths)
        calls: list[Callable[[bytes], object]] = [
            _run_lxml,
            Page.parse,
            lambda markup: unweave.news([markup]),
        ]
        seconds = [_measure_seconds(call, pages) for call in calls]
        grid.add_row(name, str(len(pages)), *(f"{value / seconds[0]:.2f}" for value in seconds))
    console.print(grid)


def _print_wrappers(console: Console, data: Path) -> None:
    """Print the time of wrappers, learned from some pages of a site and applied to others."""
    sites: list[list[Path]] = []
    for page_set in find_page_sets(data, "detail", ("swde",)):
        sites += page_set.list_paths_by_site()
    sites = sites or [sorted(Path("examples/shop").glob("*.html")) * 2]
    total = dict.fromkeys(("lxml", "Page.parse", *_WRAPPER_METHODS), 0.0)
    applied = learned = 0
    for paths in sites:
        try:
            wrappers = [
                unweave.learn(paths[:_PAGES_TO_LEARN], method=method) for method in _WRAPPER_METHODS
            ]
        except unweave.WrapperError:
            continue  # no two of these pages are similar enough for a pattern
        learned += 1
        pages = _read_pages(paths[_PAGES_TO_LEARN : 2 * _PAGES_TO_LEARN])
        calls: list[Callable[[bytes], object]] = [
            _run_lxml,
            Page.parse,
            *(partial(unweave.apply, wrapper) for wrapper in wrappers),
        ]
        for name, call in zip(total, calls, strict=True):
            total[name] += _measure_seconds(call, pages)
        applied += len(pages)
    heads = [*("lxml", "Page.parse"), *(f"apply, {method}" for method in _WRAPPER_METHODS)]
    grid = Table("sites", "pages", *heads, title="Applying wrappers, time as a multiple of lxml's")
    grid.add_row(
        f"{learned} of {len(sites)}",
        str(applied),
        *(f"{value / total['lxml']:.2f}" for value in total.values()),
    )
    console.print(grid)


def _read_pages(paths: Iterable[Path]) -> list[bytes]:
    return [markup for markup in (path.read_bytes() for path in paths) if _can_parse(markup)]


def _can_parse(markup: bytes) -> bool:
    try:
        Page.parse(markup)
    except PageError:
        return False
    return True


def _measure_seconds(call: Callable[[bytes], object], pages: list[bytes]) -> float:
    """Return the sum over pages of the best of several runs; one more run warms up."""
    best = [math.inf] * len(pages)
    for _ in range(_RUNS + 1):
        for number, markup in enumerate(pages):
            begin = time.perf_counter()
            call(markup)
            best[number] = min(best[number], time.perf_counter() - begin)
    return sum(best)


# ---- growth --------------------------------------------------------------------------------------


def _print_growth(console: Console) -> None:
    """Print the time per node as a multiple of that of the smallest page, and n log n."""
    grid = Table(
        "page",
        *(f"{size:,}" for size in _SIZES),
        title="Time per node, as a multiple of the smallest page's",
    )
    for name, generate in _GENERATORS.items():
        times = [_measure_per_node(generate, size) for size in _SIZES]
        grid.add_row(name, *(f"{value / times[0]:.2f}" for value in times))
    grid.add_row(
        "n log n", *(f"{math.log(size) / math.log(_SIZES[0]):.2f}" for size in _SIZES), style="dim"
    )
    console.print(grid)


def _measure_per_node(generate: Callable[[random.Random], Iterator[str]], size: int) -> float:
    markup = _generate_page(generate, size)
    nodes = len(Page.parse(markup).tree)
    best = math.inf
    for _ in range(_RUNS if size < 100_000 else 2):
        begin = time.perf_counter()
        unweave.records(markup, method="mdr")
        best = min(best, time.perf_counter() - begin)
    return best / nodes


def _generate_page(generate: Callable[[random.Random], Iterator[str]], size: int) -> bytes:
    parts: list[str] = []
    nodes = 0
    for part in generate(random.Random(size)):
        parts.append(part)
        nodes += part.count("<") - part.count("</")
        if nodes >= size:
            break
    return f"<html><body>{''.join(parts)}</body></html>".encode()


def _generate_list(rng: random.Random) -> Iterator[str]:
    """Yield products; some lack a field."""
    while True:
        extra = "<p>On sale</p>" if rng.random() < 0.5 else ""
        name = f"<a><img></a><h3><a>Name {rng.random()}</a></h3>"
        yield f"<div>{name}<p>Text</p>{extra}<span>9.98</span></div>"


def _generate_lists(rng: random.Random) -> Iterator[str]:
    """Yield sections with a heading and a list of twelve, each list of another structure."""
    while True:
        tags = rng.choices(["p", "b", "i", "span", "em", "a"], k=rng.randint(2, 8))
        item = "<li>" + "".join(f"<{tag}>text</{tag}>" for tag in tags) + "</li>"
        yield f"<section><h2>Heading</h2><ul>{item * 12}</ul></section>"


def _generate_dissimilar(rng: random.Random) -> Iterator[str]:
    """Yield siblings that are never similar: every comparison is made, and fails."""
    while True:
        tags = rng.choices(["p", "b", "i", "span", "em", "u", "a"], k=rng.randint(1, 30))
        yield "<div>" + "".join(f"<{tag}>text</{tag}>" for tag in tags) + "</div>"


def _generate_soup(rng: random.Random) -> Iterator[str]:
    """Yield sections of random tags."""
    tags = ["div", "p", "span", "b", "ul", "li", "table", "tr", "td", "h2", "a", "br"]
    while True:
        tags_here = [
            f"<{rng.choice(tags)}>word" + f"</{rng.choice(tags)}>" * rng.randint(0, 2)
            for _ in range(40)
        ]
        yield f"<section>{''.join(tags_here)}</section>"


_GENERATORS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "one list": _generate_list,
    "many lists": _generate_lists,
    "no similar siblings": _generate_dissimilar,
    "tag soup": _generate_soup,
}

if __name__ == "__main__":
    main()
