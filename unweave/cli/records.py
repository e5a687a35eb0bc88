"""The command ``records``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

from unweave import api
from unweave.cli.reading import PageReader
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    TERMINAL_FORMAT,
    allow_private_option,
    charset_option,
    choose_format,
    column_option,
    format_option,
    is_terminal,
    keep_constant_option,
    like_option,
    open_console,
    open_table_writer,
    output_option,
    parameter_option,
    parse_parameters,
    print_message,
    render_options,
    report_match,
    schema_option,
    url_option,
    variant_option,
    want_option,
)
from unweave.cli.terminal import show_page
from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import PageError, UsageError
from unweave.lists.data_tables import find_data_tables
from unweave.lists.method import METHODS, ListMethod, find_tables
from unweave.lists.table_building import Tables
from unweave.page.page import Page
from unweave.page.render import Renderer
from unweave.schema import Schema
from unweave.sinks.output import STANDARD_OUTPUT
from unweave.sinks.page_tables import get_row_pages, write_multi_page_table
from unweave.sinks.registry import is_tabular, is_typed
from unweave.table import Table
from unweave.wrappers.column_schema import select_schema

MIN_CONFIDENT_SCORE = 0.2
"""Of first tables with a lower score, one in ten is the page's list (see quality.md)."""


@click.command(epilog="Example:  unweave records examples/products.html -o products.csv")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option()
@click.option(
    "--method",
    metavar="[auto|mdr|depta|ctvs|...]",
    default="auto",
    show_default=True,
    help="How to find lists; packages can add methods.",
)
@variant_option
@parameter_option
@want_option
@click.option(
    "--together", is_flag=True, help="The pages continue one list: write it as one table."
)
@click.option(
    "--table",
    "number",
    metavar="N",
    type=click.IntRange(min=1),
    help="Only the N-th table of each page.",
)
@click.option(
    "--all",
    "alternatives",
    is_flag=True,
    help="Also tables that are less likely lists, and other ways to cut the same text.",
)
@click.option(
    "--data",
    "from_data",
    is_flag=True,
    help="The lists in the page's scripts (JSON-LD, JSON, state), microdata and RDFa instead.",
)
@like_option
@column_option
@schema_option
@click.option("--values", is_flag=True, help="In CSV, convert numbers and dates to plain values.")
@keep_constant_option
@format_option
@charset_option
@url_option
@allow_private_option
@render_options
def records(
    pages: Sequence[str],
    output: str,
    method: str,
    variant: str | None,
    parameters: Sequence[str],
    want: str | None,
    together: bool,
    number: int | None,
    alternatives: bool,
    from_data: bool,
    like: Sequence[str],
    columns: Sequence[str],
    schema: str | None,
    values: bool,
    keep_constant: bool,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
    rendering: dict[str, Any] | None,
) -> None:
    """Find the lists of each PAGE and write them as tables, best first.

    A PAGE is a file, a URL, or - for standard input. Without -o, a terminal shows the best table,
    and a pipe gets JSON Lines, one line for each page. With --together, all pages are one list, and
    the URL of the page after the last one is printed if there is one.
    """
    if together and method != "auto":
        raise UsageError("--together requires --method auto")
    if number and (like or together):
        option = "--like" if like else "--together"
        raise UsageError(f"--table cannot be used with {option}, which gives one table")
    if like and together:
        raise UsageError("--like cannot be used with --together")
    if alternatives and (like or together):
        option = "--like" if like else "--together"
        raise UsageError(f"--all cannot be used with {option}, which gives one table")
    if from_data:
        _check_data_options(method, want, together, alternatives, like, rendering)
    if schema and columns:
        raise UsageError("--schema cannot be used with --column")
    options = {"want": want, "like": like, "variant": variant, "alternatives": alternatives}
    given = {name: value for name, value in options.items() if value}
    list_method: ListMethod = METHODS.make(method, given | parse_parameters(parameters, given))
    find = find_data_tables if from_data else partial(find_tables, method=list_method)
    is_default = method == "auto" and not from_data
    format = chosen_format or choose_format(output)
    selection = Selection(
        number or 1,
        parse_columns(columns),
        keep_constant,
        values or is_typed(format),
        Schema.load(schema) if schema else None,
    )
    with ExitStack() as stack:
        renderer = None
        if rendering is not None:
            renderer = stack.enter_context(Renderer(**rendering))
        reader = PageReader(
            charset=charset, url=url, renderer=renderer, allow_private=allow_private
        )
        if together:
            _write_joined_list(stack, reader, pages, output, format, values, want, selection)
        else:
            is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
            write = open_table_writer(
                stack, output, format, number=number, many=len(pages) > 1, values=values
            )
            for name, page in reader.read_pages(pages, progress=not is_shown):
                try:
                    tables = _find_tables(name, page, find, number, is_default)
                    if not tables and is_tabular(format):  # other formats show that there is none
                        print_message(f"{name}: no list was found")
                    write(name, selection.apply(tables))
                except UsageError as error:
                    if not (columns or like):
                        raise
                    # The columns or elements may be missing on this page only.
                    reader.report_failure(name, PageError(str(error)))
        if len(reader.failed) == len(pages):
            sys.exit(SOME_FAILED)  # inside the block: the exit discards the unfinished output
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _check_data_options(
    method: str,
    want: str | None,
    together: bool,
    alternatives: bool,
    like: Sequence[str],
    rendering: dict[str, Any] | None,
) -> None:
    """Raise UsageError for an option that has no meaning for lists of data."""
    given = {
        "--method": method != "auto",
        "--want": want,
        "--together": together,
        "--all": alternatives,
        "--like": like,
        "--render": rendering is not None,
    }
    for option, value in given.items():
        if value:
            raise UsageError(f"--data cannot be used with {option}")


@dataclass(frozen=True)
class Selection:
    """Which table and columns are written."""

    number: int
    columns: tuple[ColumnSpec, ...]
    keep_constant: bool
    has_values: bool
    """Whether cells are converted to values, so that some may be left empty."""
    schema: Schema | None = None

    def apply(self, tables: Sequence[Table]) -> Sequence[Table]:
        """Return the tables to write, up to the chosen one, with the selected columns."""
        if self.keep_constant:
            tables = [table.keep_constant_columns() for table in tables]
        if not (self.columns or self.schema) or len(tables) < self.number:
            return tables
        table = tables[self.number - 1]
        if self.schema is None:
            table = table.select(*self.columns)
        else:
            table, matches = select_schema(table, self.schema)
            for wanted, column, confidence in matches:
                report_match(wanted.name, column, confidence, noun="column")
        if self.has_values:
            for name, count in table.count_unconverted().items():
                print_message(
                    f"column {name}: {count} of {len(table)} cells are empty:"
                    " they do not convert to its type"
                )
        return [*tables[: self.number - 1], table]


def _find_tables(
    name: str,
    page: Page,
    find: Callable[[Page], Tables],
    number: int | None,
    is_default: bool,
) -> Sequence[Table]:
    """Return the tables of a page, and print warnings about them."""
    tables = find(page)
    for warning in tables.warnings:
        print_message(f"{name}: {warning}")
    if number and tables and number > len(tables):
        message = f"{name}: there is no table {number}, only {len(tables)}"
        print_message(f"{message}; --all gives less likely ones" if is_default else message)
    if is_default and tables:
        _warn_if_unsure(name, tables[0].score)
    return tables


def _warn_if_unsure(name: str, score: float) -> None:
    """Print a warning if the first table may not be the page's list."""
    if score < MIN_CONFIDENT_SCORE:
        shown = math.floor(100 * score) / 100  # rounding could give the threshold itself
        print_message(
            f"{name}: the first table has a score of {shown:.2f}, below {MIN_CONFIDENT_SCORE}:"
            " it may not be the page's list"
        )


def _write_joined_list(
    stack: ExitStack,
    reader: PageReader,
    names: Sequence[str],
    output: str,
    format: str,
    values: bool,
    want: str | None,
    selection: Selection,
) -> None:
    """Write the list that the pages continue as one table."""
    pages = list(reader.read_pages(names, progress=True))
    if not pages:
        return
    read_names = [name for name, _ in pages]
    table, next_url = api.join_records([page for _, page in pages], want=want or ())
    if table:
        _warn_if_unsure(f"{len(pages)} pages", table.score)
        (table,) = selection.apply([table])
    _report_pages_without_rows(read_names, table)
    if next_url and is_tabular(format):
        print_message(f"next page: {next_url}")
    if format == TERMINAL_FORMAT:
        console = open_console(stack, output)
        show_page(console, f"{len(pages)} pages", [table] if table else [])
        if next_url:
            console.print(f"next page: {next_url}", soft_wrap=True, markup=False, highlight=False)
        return
    write_multi_page_table(output, format, read_names, table, next_url, values=values)


def _report_pages_without_rows(names: Sequence[str], table: Table | None) -> None:
    """Print the names of the pages that have no row in the table."""
    if table is None:
        for name in names:
            print_message(f"{name}: no list was found")
        return
    names_with_rows = get_row_pages(names, table)
    for name in names:
        if name not in names_with_rows:
            example = f"{table.page.xpath(table.records[0][0])} of {names_with_rows[0]}"
            print_message(
                f"{name}: skipped: it has no list at the position of the others, such as"
                f" {example}; read it without --together"
            )
