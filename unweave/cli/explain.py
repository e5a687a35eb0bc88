"""The command that shows why a table is what it is."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from unweave import api
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    Reader,
    allow_private_option,
    charset_option,
    url_option,
)
from unweave.errors import UsageError
from unweave.page.parse import is_url
from unweave.sinks.output import STANDARD_OUTPUT, open_text


@click.command(epilog="Example:  unweave explain examples/products.html -o products-explained.html")
@click.argument("page", metavar="PAGE")
@click.option("-o", "--output", metavar="OUT.html", default=STANDARD_OUTPUT, help="File to write.")
@click.option(
    "--want",
    metavar="KIND,...",
    help="What the list holds, such as price,image: tables with that come first.",
)
@charset_option
@url_option
@allow_private_option
def explain(
    page: str,
    output: str,
    want: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
) -> None:
    """Write a report of how the list of a PAGE was found, as a page for the browser.

    A PAGE is a file, an address on the web, or - for standard input.

    It shows the page with the records outlined and the cells of a column in one colour, the candidates that were looked at,
    and why they lost. Nothing of the page is loaded or run.
    """
    if output not in (STANDARD_OUTPUT, page) and Path(output).suffix.casefold() not in (
        ".html",
        ".htm",
    ):
        raise UsageError(f"the report is a page: give {output!r} the ending .html")
    is_file = output != STANDARD_OUTPUT and not is_url(page)
    if is_file and Path(output).exists() and Path(page).exists() and Path(output).samefile(page):
        raise UsageError("the report would overwrite the page")
    reader = Reader(charset=charset, url=url, allow_private=allow_private)
    for name, found in reader.pages([page], progress=False):
        report = api.explain(found, name=name, want=want or ())
        with open_text(output) as file:
            file.write(report)
    sys.exit(SOME_FAILED if reader.failed else DONE)
