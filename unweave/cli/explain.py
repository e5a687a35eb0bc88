"""The command that shows why a table is what it is."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from unweave import api
from unweave.cli.shared import DONE, SOME_FAILED, STANDARD_INPUT, Reader, charset_option, url_option
from unweave.sinks.files import open_text


@click.command(epilog="Example:  unweave explain examples/products.html")
@click.argument("page", metavar="PAGE")
@click.option("-o", "--output", metavar="OUT.html", help="File to write.  [default: PAGE with .explained.html]")
@click.option("--want", metavar="KIND,...", help="What the list holds, such as price,image: tables with that come first.")
@charset_option
@url_option
def explain(page: str, output: str | None, want: str | None, charset: str | None, url: str | None) -> None:
    """Write a report of how the list of a PAGE was found, as a page for the browser.

    It shows the page with the records outlined and the cells of a column in one colour, the candidates that were looked at,
    and why they lost. Nothing of the page is loaded or run.
    """
    reader = Reader(charset=charset, url=url, renderer=None)
    for name, found in reader.pages([page], progress=False):
        target = output or _beside(name)
        with open_text(target) as file:
            file.write(api.explain(found, name=name, want=want.split(",") if want else ()))
        click.echo(f"{target}", err=True)
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _beside(name: str) -> str:
    return "page.explained.html" if name == STANDARD_INPUT else str(Path(name).with_suffix(".explained.html"))
