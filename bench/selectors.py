"""Exported selectors, run by parsel on pages not learned from, against the wrappers.

    python -m bench.selectors --data ../shared/data
    python -m bench.selectors … --sample 20 --pages 30 --every 1 --form xpath

A wrapper is learned from a few pages of each site and exported twice: without sample pages, and
with those that it was learned from. The figures are shares of the values that the wrapper
extracts from other pages; a field without a selector has none.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table as Grid

import unweave
from bench.corpus import DETAIL, PageSet, find_page_sets
from bench.reporting import make_console, make_parser
from unweave.selectors.choice import ChosenSelector, pair_rows
from unweave.selectors.evaluation import (
    SamplePage,
    Value,
    normalize_value,
    read_texts,
    resolve_link,
)
from unweave.selectors.export import Export, ExportedColumn, list_record_texts, list_row_texts
from unweave.selectors.expressions import Form
from unweave.table import Table
from unweave.wrappers.base import Wrapper, is_value
from unweave.wrappers.fields.apply import FieldWrapper

_LISTS = ("webdext", "estuka2017")
_LIST_SAMPLE_SIZE = 2
# Numbers of elements and of results, but not the nearest sibling or label.
_POSITION = re.compile(
    r"/[\w*]+\[\d+\]|\)\[\d+\]|position\(\)|preceding-sibling::\*\)=\d|:nth-(child|of-type)"
)


class FieldResult(NamedTuple):
    """The values of one field of one site on other pages, by wrapper and by selector."""

    group: str
    mode: str
    """Whether the selector was exported with sample pages."""
    chosen: ChosenSelector
    found: int
    """The number of values of the wrapper."""
    same: int
    """The number of them that the selector gives, too."""
    more: int
    """The number of values of the selector where the wrapper has none."""


def main() -> None:
    """Print the figures."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=20, help="pages of a site to learn from")
    parser.add_argument("--pages", type=int, default=30, help="other pages of a site to compare on")
    parser.add_argument("--every", type=int, default=1, help="use every n-th site only")
    parser.add_argument("--form", choices=list(Form), default=Form.XPATH)
    arguments = parser.parse_args()
    sets = [
        *find_page_sets(arguments.data, "detail", DETAIL),
        *find_page_sets(arguments.data, "records", _LISTS),
    ]
    if not sets:
        print(f"No pages in {arguments.data}: nothing was measured.")
    console = make_console()
    for page_set in sets:
        console.print(_build_grid(page_set, arguments))


def _build_grid(page_set: PageSet, arguments: argparse.Namespace) -> Grid:
    sites = page_set.list_paths_by_site()
    is_list = page_set.task == "records"
    jobs = [paths for paths in sites[:: arguments.every] if len(paths) > 1]
    sample = _LIST_SAMPLE_SIZE if is_list else arguments.sample
    with ProcessPoolExecutor() as workers:
        by_site = workers.map(
            _measure_site,
            jobs,
            repeat(is_list),
            repeat(sample),
            repeat(arguments.pages),
            repeat(arguments.form),
        )
        results = [result for site_results in by_site for result in site_results]
    heads = (
        "fields",
        "values",
        "agree",
        "find more",
        "no selector",
        "with a position",
        "hold on all",
        "of these agree",
    )
    grid = Grid("", "", *heads, title=f"{page_set.name}: {arguments.form}")
    for group in ("all", *sorted({result.group for result in results})):
        members = [result for result in results if group in ("all", result.group)]
        for mode in ("without pages", "with pages"):
            grid.add_row(group, mode, *_iter_figures([r for r in members if r.mode == mode]))
    return grid


def _iter_figures(results: Sequence[FieldResult]) -> Iterator[str]:
    given = [result for result in results if result.chosen.selector]
    holding = [
        result for result in given if result.chosen.holds == result.chosen.of and result.chosen.of
    ]
    yield str(len(results))
    yield str(sum(result.found for result in results))
    yield _share(sum(result.same for result in results), sum(result.found for result in results))
    yield _share(sum(result.more for result in results), sum(result.found for result in results))
    yield _share(len(results) - len(given), len(results))
    yield _share(
        sum(_POSITION.search(result.chosen.text or "") is not None for result in given),
        len(given),
    )
    yield _share(len(holding), len(results)) if holding else ""
    yield (
        _share(sum(result.same for result in holding), sum(result.found for result in holding))
        if holding
        else ""
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""


def _measure_site(
    paths: Sequence[Path], is_list: bool, sample: int, max_pages: int, form: str
) -> list[FieldResult]:
    """Learn from a site, export with and without sample pages, and compare on other pages."""
    chosen_paths = random.Random(0).sample(paths, max(1, min(sample, len(paths) - 1)))
    others = [path for path in paths if path not in chosen_paths][:max_pages]
    try:
        wrapper = unweave.learn(chosen_paths, method="records" if is_list else "fields")
        samples, rest = (
            [SamplePage.parse(path.read_bytes()) for path in own] for own in (chosen_paths, others)
        )
    except unweave.UnweaveError:
        return []
    found: list[FieldResult] = []
    for way, tried in (("without pages", []), ("with pages", samples)):
        exported = wrapper.selectors(form, tried)
        counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for page in rest:
            _look(wrapper, exported, page, counts)
        for kind, own in _columns(wrapper, exported):
            count = counts[kind, own.name]
            found.append(
                FieldResult(kind, way, own.chosen, count["found"], count["same"], count["more"])
            )
    return found


def _columns(wrapper: Wrapper, exported: Export) -> Iterator[tuple[str, ExportedColumn]]:
    kinds = (
        {own.name: str(own.locators[0].by) for own in wrapper.fields}
        if isinstance(wrapper, FieldWrapper)
        else {}
    )
    yield from [
        (f"{kinds[own.name]}, {'list' if own.many else 'text'}", own) for own in exported.fields
    ]
    for rows in (*exported.tables, *([exported.rows] if exported.rows else [])):
        yield from [
            ("column of a table" if rows.name else "column of a list", own) for own in rows.columns
        ]


def _look(wrapper: Wrapper, exported: Export, page: SamplePage, counts: Any) -> None:
    """Count what wrapper and selectors find on one page."""
    extraction = wrapper.apply(page.page)
    table = extraction.table
    of_wrapper: dict[str, Any] = extraction.fields or {}
    if table is not None:
        of_wrapper = {
            own.name: [row[number] for row in table.rows]
            for number, own in enumerate(table.columns)
        }
    of_selectors = dict(_found(exported, page, _texts(wrapper, table, page)))
    for kind, own in _columns(wrapper, exported):
        one, other = normalize_value(of_wrapper.get(own.name)), of_selectors.get(own.name)
        for wanted, given in _cells(one, other) if kind.startswith("column of") else [(one, other)]:
            counts[kind, own.name]["found"] += wanted is not None
            counts[kind, own.name]["same"] += wanted is not None and wanted == given
            counts[kind, own.name]["more"] += wanted is None and given is not None


def _texts(wrapper: Wrapper, found: Table | None, page: SamplePage) -> dict[str, list[str]]:
    """What the rows that the wrapper finds say, by the name of their table."""
    if isinstance(wrapper, FieldWrapper):
        return list_row_texts(wrapper, page.page)
    return {"": list_record_texts(found)}


def _cells(one: Value, other: Value) -> list[tuple[Value, Value]]:
    """The cells of a column, row by row."""
    given = other if isinstance(other, list) else []
    wanted = one if isinstance(one, list) else [None] * len(given)
    return list(zip(wanted, given or [None] * len(wanted), strict=True))


def _found(
    exported: Export, page: SamplePage, texts: dict[str, list[str]]
) -> Iterator[tuple[str, Value]]:
    """Yield the values of the selectors on a page by name; rows are paired with the wrapper's."""
    for own in exported.fields:
        if own.chosen.selector and own.chosen.text:
            found = read_texts(page.select(exported.form, own.chosen.text), own.chosen.selector)
            yield own.name, (found or None if own.many else next(iter(found), None))
    for rows in (*exported.tables, *([exported.rows] if exported.rows else [])):
        nodes = page.select(exported.form, rows.chosen.text) if rows.chosen.text else []
        numbers = dict(pair_rows(texts[rows.name], nodes))
        for own in rows.columns:
            yield (
                own.name,
                [
                    _cell(exported, own, page, numbers.get(number))
                    for number in range(len(texts[rows.name]))
                ],
            )


def _cell(exported: Export, own: ExportedColumn, page: SamplePage, row: Any) -> str | None:
    if row is None or not own.chosen.selector or not own.chosen.text:
        return None
    found = read_texts(
        page.select(exported.form, own.chosen.text, row),
        own.chosen.selector,
        bool if exported.rows else is_value,
    )
    cell = next(iter(found), None)
    return resolve_link(page.page, cell) if cell and own.is_url else cell


if __name__ == "__main__":
    main()
