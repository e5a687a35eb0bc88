"""The command ``diff``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack

import click

from unweave import api
from unweave.cli.shared import (
    DONE,
    TERMINAL_FORMAT,
    choose_format,
    is_same_file,
    make_format_option,
    open_console,
    output_option,
    print_message,
)
from unweave.cli.terminal import show_diff
from unweave.comparison.display import describe_columns
from unweave.comparison.reading import STANDARD_INPUT
from unweave.comparison.writing import HTML_FORMATS, write_diff
from unweave.errors import UsageError

DIFFERENCES = 1
"""The exit status of ``--exit-code`` if there are differences."""


@click.command(epilog="Example:  unweave diff monday.jsonl tuesday.jsonl -o changes.html")
@click.argument("old")
@click.argument("new")
@click.option(
    "--key",
    metavar="COLUMN,...",
    multiple=True,
    help="The columns that identify a row.  [default: page or url]",
)
@click.option(
    "--ignore", metavar="COLUMN", multiple=True, help="Leave this column out. Repeat for more."
)
@click.option(
    "--only", metavar="COLUMN", multiple=True, help="Compare this column only. Repeat for more."
)
@click.option(
    "--all-columns",
    is_flag=True,
    help="Also compare columns that one table lacks, as if they were empty in it.",
)
@click.option(
    "--table",
    "tables",
    metavar="NAME|N",
    multiple=True,
    help="The table of a database, or the N-th table of each page in the output of records. Give"
    " twice for OLD and NEW.",
)
@output_option(help="Output file: .jsonl, .json, .csv, .xlsx, .parquet or .html.")
@make_format_option(HTML_FORMATS[0])
@click.option(
    "--exit-code", is_flag=True, help="Exit with 1 if there are differences, as git diff does."
)
def diff(
    old: str,
    new: str,
    key: Sequence[str],
    ignore: Sequence[str],
    only: Sequence[str],
    all_columns: bool,
    tables: Sequence[str],
    output: str,
    chosen_format: str | None,
    exit_code: bool,
) -> None:
    """Compare two tables: rows that were added, removed and changed, by field.

    OLD and NEW are files that unweave wrote or any others with rows: .jsonl, .json, .csv, .tsv
    (also as .gz and .zst), .parquet, .duckdb or SQLite. Their formats may differ. One of them may
    be - for JSON Lines on standard input.

    A terminal shows a summary and the first changes. Files have all of them; the page .html has up
    to 2000.
    """
    if old == new == STANDARD_INPUT:
        raise UsageError("only one of the tables can be standard input")
    for path in (old, new):
        if is_same_file(output, path):
            raise UsageError(f"the output would overwrite {path}")
    format = chosen_format or choose_format(output, HTML_FORMATS)
    result = api.diff(
        old,
        new,
        key=key,
        ignore=ignore,
        only=only,
        all_columns=all_columns,
        table=tables[0] if len(tables) == 1 else tables or None,
    )
    for warning in result.warnings:
        print_message(warning)
    if format == TERMINAL_FORMAT:
        with ExitStack() as stack:
            show_diff(open_console(stack, output), result)
    else:
        for message in describe_columns(result):
            print_message(message)
        write_diff(result, output, format)
    sys.exit(DIFFERENCES if exit_code and result else DONE)
