"""How long things take, as ratios measured in one run; seconds mean nothing on a busy machine.

    python -m bench.speed --data ../shared/data

First, ``records``, ``news`` of one page, and ``apply`` of learned wrappers against ``lxml.etree``, which parses the same
bytes and iterates over the elements once: best of several runs a page, all pages of a set summed; without the data, the
example pages are the set. Then, how time a node of ``records`` grows from pages of 1,000 to pages of 300,000 nodes.
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
# One page in so many of the sets of news, and so many pages of each site for a wrapper.
_EVERY = 3
_LEARNED = 6
_LEARNERS = ("pattern", "fields")
_SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)


def main() -> None:
    """Print the tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    console = make_console()
    _against_lxml(console, data)
    _news(console, data)
    _wrappers(console, data)
    _growth(console)


# ---- against lxml ----------------------------------------------------------------------------------------------


def _lxml(markup: bytes) -> None:
    root = etree.fromstring(markup, etree.HTMLParser())
    if root is not None:
        for _ in root.iter():
            pass


_CONTENDERS: dict[str, Callable[[bytes], object]] = {
    "lxml": _lxml,
    "Page.parse": Page.parse,
    "auto, best table": lambda markup: [table.rows for table in unweave.records(markup)[:1]],
    "auto, all tables": lambda markup: [table.rows for table in unweave.records(markup)],
    "records mdr": lambda markup: unweave.records(markup, method="mdr"),
    "records depta": lambda markup: unweave.records(markup, method="depta"),
    "records ctvs": lambda markup: unweave.records(markup, method="ctvs"),
}


def _against_lxml(console: Console, data: Path) -> None:
    grid = Table(
        "set",
        "pages",
        "nodes a page",
        *_CONTENDERS,
        "mdr, µs a node",
        title="Time as a multiple of lxml's",
    )
    sets = {
        page_set.name: page_set.list_paths()
        for page_set in find_page_sets(data, "records", ("estuka2017", "vints-zhao1"))
    }
    for name, paths in (sets or {"examples": sorted(Path("examples").glob("*.html"))}).items():
        pages = _readable(paths)
        nodes = sum(len(Page.parse(markup).tree) for markup in pages)
        seconds = {name: _seconds(call, pages) for name, call in _CONTENDERS.items()}
        ratios = [f"{value / seconds['lxml']:.2f}" for value in seconds.values()]
        each = f"{1e6 * seconds['records mdr'] / nodes:.1f}"
        grid.add_row(name, str(len(pages)), str(nodes // len(pages)), *ratios, each)
    console.print(grid)


def _news(console: Console, data: Path) -> None:
    """The news of one page at a time."""
    grid = Table(
        "set",
        "pages",
        "lxml",
        "Page.parse",
        "news",
        title="News of one page, time as a multiple of lxml's",
    )
    sets = {own.name: own.list_paths()[::_EVERY] for own in find_page_sets(data, "news", NEWS)}
    for name, paths in (sets or {"examples": sorted(Path("examples/news").glob("*.html"))}).items():
        pages = _readable(paths)
        calls: list[Callable[[bytes], object]] = [
            _lxml,
            Page.parse,
            lambda markup: unweave.news([markup]),
        ]
        seconds = [_seconds(call, pages) for call in calls]
        grid.add_row(name, str(len(pages)), *(f"{value / seconds[0]:.2f}" for value in seconds))
    console.print(grid)


def _wrappers(console: Console, data: Path) -> None:
    """Wrappers learned from some pages of a site, applied to others."""
    sites: dict[str, list[Path]] = {}
    for page_set in find_page_sets(data, "detail", ("swde",)):
        for page in page_set.read_pages():
            sites.setdefault(page["site"], []).append(page_set.folder / page["page"])
    sites = sites or {"shop": sorted(Path("examples/shop").glob("*.html")) * 2}
    total = dict.fromkeys(("lxml", "Page.parse", *_LEARNERS), 0.0)
    applied = learned = 0
    for paths in sites.values():
        try:
            wrappers = [unweave.learn(paths[:_LEARNED], method=method) for method in _LEARNERS]
        except unweave.WrapperError:
            continue  # no two of these pages are alike enough for a pattern
        learned += 1
        pages = _readable(paths[_LEARNED : 2 * _LEARNED])
        calls: list[Callable[[bytes], object]] = [
            _lxml,
            Page.parse,
            *(partial(unweave.apply, own) for own in wrappers),
        ]
        for name, call in zip(total, calls, strict=True):
            total[name] += _seconds(call, pages)
        applied += len(pages)
    heads = [*("lxml", "Page.parse"), *(f"apply, {method}" for method in _LEARNERS)]
    grid = Table("sites", "pages", *heads, title="Applying wrappers, time as a multiple of lxml's")
    grid.add_row(
        f"{learned} of {len(sites)}",
        str(applied),
        *(f"{value / total['lxml']:.2f}" for value in total.values()),
    )
    console.print(grid)


def _readable(paths: Iterable[Path]) -> list[bytes]:
    return [markup for markup in (path.read_bytes() for path in paths) if _is_readable(markup)]


def _is_readable(markup: bytes) -> bool:
    try:
        Page.parse(markup)
    except PageError:
        return False
    return True


def _seconds(call: Callable[[bytes], object], pages: list[bytes]) -> float:
    """The sum over pages of the best of several runs. A first round warms up."""
    best = [math.inf] * len(pages)
    for _ in range(_RUNS + 1):
        for number, markup in enumerate(pages):
            begin = time.perf_counter()
            call(markup)
            best[number] = min(best[number], time.perf_counter() - begin)
    return sum(best)


# ---- growth ----------------------------------------------------------------------------------------------------


def _growth(console: Console) -> None:
    """Time a node at each size over time a node at the smallest; n log n allows log(n) / log(1000)."""
    grid = Table(
        "make of the page",
        *(f"{size:,}" for size in _SIZES),
        title="Time a node, as a multiple of the smallest page's",
    )
    for name, make in _MAKES.items():
        times = [_time_a_node(make, size) for size in _SIZES]
        grid.add_row(name, *(f"{value / times[0]:.2f}" for value in times))
    grid.add_row(
        "n log n", *(f"{math.log(size) / math.log(_SIZES[0]):.2f}" for size in _SIZES), style="dim"
    )
    console.print(grid)


def _time_a_node(make: Callable[[random.Random], Iterator[str]], size: int) -> float:
    markup = _page(make, size)
    nodes = len(Page.parse(markup).tree)
    best = math.inf
    for _ in range(_RUNS if size < 100_000 else 2):
        begin = time.perf_counter()
        unweave.records(markup, method="mdr")
        best = min(best, time.perf_counter() - begin)
    return best / nodes


def _page(make: Callable[[random.Random], Iterator[str]], size: int) -> bytes:
    parts: list[str] = []
    nodes = 0
    for part in make(random.Random(size)):
        parts.append(part)
        nodes += part.count("<") - part.count("</")
        if nodes >= size:
            break
    return f"<html><body>{''.join(parts)}</body></html>".encode()


def _one_list(chance: random.Random) -> Iterator[str]:
    """A list of products; some lack a field."""
    while True:
        extra = "<p>On sale</p>" if chance.random() < 0.5 else ""
        yield f"<div><a><img></a><h3><a>Name {chance.random()}</a></h3><p>Text</p>{extra}<span>9.98</span></div>"


def _many_lists(chance: random.Random) -> Iterator[str]:
    """Sections with a heading and a list of a dozen each, every list of another make."""
    while True:
        tags = chance.choices(["p", "b", "i", "span", "em", "a"], k=chance.randint(2, 8))
        item = "<li>" + "".join(f"<{tag}>text</{tag}>" for tag in tags) + "</li>"
        yield f"<section><h2>Heading</h2><ul>{item * 12}</ul></section>"


def _no_two_alike(chance: random.Random) -> Iterator[str]:
    """Siblings that are never similar: every comparison is made, and fails."""
    while True:
        tags = chance.choices(["p", "b", "i", "span", "em", "u", "a"], k=chance.randint(1, 30))
        yield "<div>" + "".join(f"<{tag}>text</{tag}>" for tag in tags) + "</div>"


def _tag_soup(chance: random.Random) -> Iterator[str]:
    """Anything inside anything, in sections."""
    tags = ["div", "p", "span", "b", "ul", "li", "table", "tr", "td", "h2", "a", "br"]
    while True:
        tags_here = [
            f"<{chance.choice(tags)}>word" + f"</{chance.choice(tags)}>" * chance.randint(0, 2)
            for _ in range(40)
        ]
        yield f"<section>{''.join(tags_here)}</section>"


_MAKES: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "one list": _one_list,
    "many lists": _many_lists,
    "no two alike": _no_two_alike,
    "tag soup": _tag_soup,
}

if __name__ == "__main__":
    main()
