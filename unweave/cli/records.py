"""The command that finds the lists of pages."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import click

from unweave import api
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    TERMINAL_FORMAT,
    Reader,
    allow_private_option,
    charset_option,
    column_option,
    complain,
    console_for,
    default_format,
    format_option,
    is_terminal,
    keep_constant_option,
    like_option,
    output_option,
    parameter_option,
    read_parameters,
    table_sink,
    url_option,
    variant_option,
)
from unweave.cli.terminal import show_page
from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import PageError, UsageError
from unweave.page.page import Page
from unweave.page.render import Renderer
from unweave.sinks.output import STANDARD_OUTPUT
from unweave.sinks.page_tables import get_row_pages, write_multi_page_table
from unweave.sinks.registry import is_tabular, is_typed
from unweave.table import Table

MIN_CONFIDENT_SCORE = 0.2
"""Of first tables with a lower score, about one in ten is the page's list (docs/quality.md, with pages that have none)."""


@click.command(epilog="Example:  unweave records examples/products.html -o products.csv")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option
@click.option(
    "--method",
    type=click.Choice(list(api.METHODS)),
    default="auto",
    show_default=True,
    help="How to find records.",
)
@variant_option
@parameter_option
@click.option(
    "--want",
    metavar="KIND,...",
    help="What the list holds, such as price,image: tables with that come first.",
)
@click.option(
    "--together", is_flag=True, help="The pages continue one list: learn from all, give one table."
)
@click.option(
    "--table",
    "number",
    metavar="N",
    type=click.IntRange(min=1),
    help="Only the N-th table of each page.",
)
@like_option
@column_option
@click.option(
    "--values",
    is_flag=True,
    help="In CSV, give numbers and dates as such, and not as they are shown.",
)
@keep_constant_option
@format_option
@charset_option
@url_option
@allow_private_option
@click.option(
    "--render", is_flag=True, help="Draw the pages in Chromium first, and use what can be seen."
)
@click.option("--network", is_flag=True, help="With --render: let pages load what they ask for.")
@click.option("--no-scripts", is_flag=True, help="With --render: do not run the pages' scripts.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="With --render.",
)
def records(
    pages: Sequence[str],
    output: str,
    method: str,
    variant: str | None,
    parameters: Sequence[str],
    want: str | None,
    together: bool,
    number: int | None,
    like: Sequence[str],
    columns: Sequence[str],
    values: bool,
    keep_constant: bool,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
    render: bool,
    network: bool,
    no_scripts: bool,
    timeout: float,
) -> None:
    """Find the lists of each PAGE and give them as tables, best first.

    A PAGE is a file, an address on the web, or - for standard input. Without -o, a terminal shows the best table, and a
    pipe gets JSON Lines, one page a line. With --together, all pages are one list, and the address of the page after the
    last is given if there is one.
    """
    if (network or no_scripts) and not render:
        raise UsageError("--network and --no-scripts go with --render")
    if together and method != "auto":
        raise UsageError("--together goes with --method auto")
    if like and (together or number):
        raise UsageError(
            "--like gives one table: --together and --table have nothing to choose from"
        )
    choices = {"want": want, "like": like, "variant": variant}
    given: dict[str, Any] = {name: value for name, value in choices.items() if value}
    given |= read_parameters(parameters, given)
    api.check_records(method, given)
    picks = parse_columns(columns)
    format = chosen_format or default_format(output)
    with ExitStack() as stack:
        renderer = None
        if render:
            renderer = stack.enter_context(
                Renderer(network=network, scripts=not no_scripts, timeout=timeout)
            )
        reader = Reader(charset=charset, url=url, renderer=renderer, allow_private=allow_private)
        finish = partial(
            _finish, picks=picks, keep_constant=keep_constant, has_values=values or is_typed(format)
        )
        if together:
            if number is not None:
                raise UsageError("--together gives one table: --table has nothing to choose from")
            _one_list(stack, reader, pages, output, format, values, given, finish)
        else:
            is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
            show = table_sink(
                stack, output, format, number=number, many=len(pages) > 1, values=values
            )
            for name, page in reader.pages(pages, progress=not is_shown):
                with _lacking(reader, name, is_choosy=bool(picks or like)):
                    tables = _tables(name, page, method, number, given)
                    if not tables and is_tabular(format):  # the others show that there is none
                        complain(f"{name}: no list was found")
                    show(name, finish(tables, number))
        if len(reader.failed) == len(pages):
            sys.exit(
                SOME_FAILED
            )  # before the output is closed, so that an older result stays as it was
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _tables(
    name: str, page: Page, method: str, number: int | None, parameters: dict[str, Any]
) -> Sequence[Table]:
    """The tables of a page; what is to be said about them is said."""
    tables = api.records(page, method=method, **parameters)
    for note in tables.warnings:
        complain(f"{name}: {note}")
    if number and tables and number > len(tables):
        complain(f"{name}: there is no table {number}, only {len(tables)}")
    if method == "auto" and tables:
        _warn_if_unsure(name, tables[0].score)
    return tables


def _warn_if_unsure(name: str, score: float) -> None:
    """Say on standard error that the first table of a page may not be its list."""
    if score < MIN_CONFIDENT_SCORE:
        shown = math.floor(100 * score) / 100  # rounding could give the threshold itself
        below = f"a score of {shown:.2f}, below {MIN_CONFIDENT_SCORE}"
        complain(f"{name}: the first table has {below}: it may not be the page's list")


@contextmanager
def _lacking(reader: Reader, name: str, *, is_choosy: bool) -> Iterator[None]:
    """If columns or elements are named, a page may lack them that others have: it fails alone."""
    try:
        yield
    except UsageError as error:
        if not is_choosy:
            raise
        reader.fail(name, PageError(str(error)))


def _finish(
    tables: Sequence[Table],
    number: int | None = None,
    *,
    picks: Sequence[ColumnSpec],
    keep_constant: bool,
    has_values: bool,
) -> Sequence[Table]:
    """Return the tables as they are written; if columns are wanted, up to the chosen one: others have other columns."""
    if keep_constant:
        tables = [table.keep_constant_columns() for table in tables]
    chosen = number or 1
    if not picks or len(tables) < chosen:
        return tables
    picked = tables[chosen - 1].select(*picks)
    for name, count in picked.count_unconverted().items() if has_values else ():
        complain(
            f"column {name}: {count} of {len(picked)} cells are left empty: they are not of the type asked for"
        )
    return [*tables[: chosen - 1], picked]


def _name_pages_without(names: Sequence[str], table: Table | None) -> None:
    """Name the pages on standard error of which no row is in the table."""
    pages = get_row_pages(names, table) if table is not None else []
    for name in names:
        if table is None:
            complain(f"{name}: no list was found")
        elif name not in pages:
            example = f"{table.page.xpath(table.records[0][0])} of {pages[0]}"
            complain(
                f"{name}: left out: it has no list where the other pages have theirs, as at {example};"
                " without --together, it is read by itself"
            )


def _one_list(
    stack: ExitStack,
    reader: Reader,
    names: Sequence[str],
    output: str,
    format: str,
    values: bool,
    parameters: dict[str, Any],
    finish: Callable[[Sequence[Table]], Sequence[Table]],
) -> None:
    """The list that the pages continue, as one table."""
    read, found = reader.all(names)
    if not found:
        return
    table, following = api.join_records(found, **parameters)
    if table:
        _warn_if_unsure(f"{len(read)} pages", table.score)
        (table,) = finish([table])
    _name_pages_without(read, table)
    if following and is_tabular(format):
        complain(f"next page: {following}")
    if format == TERMINAL_FORMAT:
        console = console_for(stack, output)
        show_page(console, f"{len(read)} pages", [table] if table else [])
        if following:
            console.print(f"next page: {following}", soft_wrap=True, markup=False, highlight=False)
        return
    write_multi_page_table(output, format, read, table, following, values=values)
