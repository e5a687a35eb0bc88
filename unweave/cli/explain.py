"""The command ``explain``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from unweave import api
from unweave.cli.reading import PageReader
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    allow_private_option,
    charset_option,
    is_same_file,
    output_option,
    url_option,
    want_option,
)
from unweave.errors import UsageError
from unweave.page.parse import is_url
from unweave.sinks.output import STANDARD_OUTPUT, open_text


@click.command(epilog="Example:  unweave explain examples/products.html -o products-explained.html")
@click.argument("page", metavar="PAGE")
@output_option("OUT.html", help="File to write.")
@want_option
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
    """Write a report in HTML on how the list of a PAGE was found.

    A PAGE is a file, a URL, or - for standard input.

    The report shows the page with its records outlined and the cells of a column in one colour, the
    other candidates, and why they lost. Nothing of the page is loaded or executed.
    """
    has_html_ending = Path(output).suffix.casefold() in (".html", ".htm")
    if output not in (STANDARD_OUTPUT, page) and not has_html_ending:
        raise UsageError(f"the report is an HTML page: {output!r} must end in .html")
    if not is_url(page) and is_same_file(output, page):
        raise UsageError("the report would overwrite the page")
    reader = PageReader(charset=charset, url=url, allow_private=allow_private)
    for name, loaded in reader.read_pages([page], progress=False):
        report = api.explain(loaded, name=name, want=want or ())
        with open_text(output) as file:
            file.write(report)
    sys.exit(SOME_FAILED if reader.failed else DONE)
