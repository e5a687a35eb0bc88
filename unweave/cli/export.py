"""The command that turns a wrapper into selectors or into a spider."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import Progress as Bars

from unweave import api
from unweave.cli.shared import DONE, SOME_FAILED, Reader, allow_private_option, charset_option
from unweave.selectors.export import Progress
from unweave.selectors.expressions import Form
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.wrappers.base import Wrapper

_SPIDER = "scrapy"


@click.command(
    epilog="Example:  unweave export shop.json examples/shop/*.html --as scrapy -o shop.py"
)
@click.argument("wrapper", metavar="WRAPPER.json")
@click.argument("pages", metavar="[PAGE]...", nargs=-1)
@click.option(
    "--as",
    "form",
    type=click.Choice([_SPIDER, *map(str, Form)]),
    default=str(Form.XPATH),
    show_default=True,
    help="A Scrapy spider, or a selector for each field.",
)
@click.option("-o", "--output", metavar="OUT", default=STANDARD_OUTPUT, help="File to write.")
@charset_option
@allow_private_option
def export(
    wrapper: str,
    pages: Sequence[str],
    form: str,
    output: str,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Turn a wrapper into selectors, or into a spider that is ready to run.

    Selectors lean on ids, classes and labels, and count only where nothing else tells. With PAGEs of the site, each is
    tried on them as Scrapy would run it: the plainest is taken that finds what the wrapper finds, and the output tells on
    how many pages it holds. Wrappers of the methods pattern and landmark know no elements, and have no selectors.
    """
    learned = Wrapper.load(wrapper)
    reader = Reader(charset=charset, allow_private=allow_private)
    samples = reader.samples(pages)
    if pages and not samples:
        sys.exit(SOME_FAILED)
    with _progress_bar() as progress:
        if form == _SPIDER:
            text = api.export_spider(learned, pages=samples, progress=progress)
        else:
            text = _json(api.export_selectors(learned, form=form, pages=samples, progress=progress))
    with open_text(output) as file:
        file.write(text)
    sys.exit(SOME_FAILED if reader.failed else DONE)


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """Show on a terminal how many of the fields have their selector."""
    console = Console(stderr=True)
    with Bars(console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task("Choosing selectors", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def _json(selectors: object) -> str:
    """JSON to be read and copied: the space that does not look like another is escaped."""
    return json.dumps(selectors, indent=1, ensure_ascii=False).replace("\xa0", "\\u00a0") + "\n"
