"""The command ``export``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import Progress as Bars

from unweave.cli.reading import PageReader
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    allow_private_option,
    charset_option,
    column_option,
    output_option,
)
from unweave.selectors.export import Progress
from unweave.selectors.expressions import Form
from unweave.sinks.output import open_text
from unweave.wrappers.base import Wrapper

_SPIDER = "scrapy"
_PAGE_OBJECT = "web-poet"


@click.command(
    epilog="Example:  unweave export shop.json examples/shop/*.html --as scrapy -o shop.py"
)
@click.argument("wrapper", metavar="WRAPPER.json")
@click.argument("pages", metavar="[PAGE]...", nargs=-1)
@click.option(
    "--as",
    "form",
    type=click.Choice([_SPIDER, _PAGE_OBJECT, *map(str, Form)]),
    default=str(Form.XPATH),
    show_default=True,
    help="A Scrapy spider, a page object of web-poet, or one selector for each field.",
)
@column_option
@output_option(help="File to write.")
@charset_option
@allow_private_option
def export(
    wrapper: str,
    pages: Sequence[str],
    form: str,
    columns: Sequence[str],
    output: str,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Convert a wrapper to selectors, a Scrapy spider or a page object.

    A spider is ready to run with scrapy runspider. A page object of web-poet has a method for each
    field, which subclasses can replace.

    Selectors use ids, classes and labels, and positions only where nothing else distinguishes
    elements. With PAGEs of the site, candidates are tested on them as Scrapy would run them: the
    simplest one that gives what the wrapper extracts is chosen, and the output says on how many
    pages it holds. Fields among the others have selectors if --column names them. Wrappers of the
    methods pattern, landmark and depta have no selectors.
    """
    learned = Wrapper.load(wrapper)
    if columns:
        learned = learned.select(*columns)
    reader = PageReader(charset=charset, allow_private=allow_private)
    samples = reader.read_sample_pages(pages)
    if pages and not samples:
        sys.exit(SOME_FAILED)
    with _progress_bar() as progress:
        if form == _SPIDER:
            text = learned.to_spider(samples, progress=progress)
        elif form == _PAGE_OBJECT:
            text = learned.to_page_object(samples, progress=progress)
        else:
            selectors = learned.selectors(form, samples, progress=progress).to_json()
            text = json.dumps(selectors, indent=1, ensure_ascii=False) + "\n"
            text = text.replace("\xa0", "\\u00a0")  # it looks like an ordinary space
    with open_text(output) as file:
        file.write(text)
    sys.exit(SOME_FAILED if reader.failed else DONE)


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """Show on a terminal how many fields have a selector."""
    console = Console(stderr=True)
    with Bars(console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task("Choosing selectors", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
