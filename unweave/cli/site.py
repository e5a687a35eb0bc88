"""The command ``site``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack

import click

from unweave import api
from unweave.cli.shared import (
    DONE,
    KEPT_WORK,
    SOME_FAILED,
    open_console,
    output_option,
    print_message,
)
from unweave.cli.terminal import show_site
from unweave.pipeline.options import SAMPLE_PAGES, STEPS
from unweave.pipeline.progress import show_progress
from unweave.pipeline.run_folder import RunFolder, get_default_folder
from unweave.runners.runner import RUNNER_NAMES
from unweave.sinks.folder import FOLDER_FORMATS
from unweave.sinks.output import STANDARD_OUTPUT


@click.command(epilog="Example:  unweave site crawl.warc.gz -o crawl.duckdb")
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@output_option(required=True, help="NAME.duckdb, NAME.db, postgresql://..., or a folder.")
@click.option(
    "--format",
    "chosen_format",
    type=click.Choice(FOLDER_FORMATS),
    help="Format of the files in a folder.  [default: parquet]",
)
@click.option(
    "--schema",
    metavar="NAME",
    default="public",
    show_default=True,
    help="With PostgreSQL: schema of the tables.",
)
@click.option(
    "--work",
    metavar="DIR",
    help="Folder for the results of each step; it is kept.  [default: OUT.work]",
)
@click.option(
    "--until",
    type=click.Choice(STEPS),
    default="write",
    show_default=True,
    help="The last step to run.",
)
@click.option("--fresh", is_flag=True, help="Discard the work of an earlier run.")
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(min=2),
    default=SAMPLE_PAGES,
    show_default=True,
    help="Learn from N pages of each site.",
)
@click.option(
    "--texts",
    is_flag=True,
    help="Write all values as text, without conversion to numbers and dates.",
)
@click.option(
    "--column",
    "columns",
    metavar="TABLE.COLUMN[=NAME][:TYPE]",
    multiple=True,
    help="Write only these columns of a table, in this order; can be repeated.",
)
@click.option(
    "--runner",
    type=click.Choice(RUNNER_NAMES),
    default=RUNNER_NAMES[0],
    show_default=True,
    help="Where the work runs: in processes, in this process, or on a Ray cluster.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Number of workers.  [default: one for each core]",
)
@click.option("--address", metavar="HOST:PORT", help="With --runner ray: address of the cluster.")
@click.option(
    "--max-pages",
    metavar="N",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Crawl: maximum number of pages.",
)
@click.option(
    "--max-depth",
    metavar="N",
    type=click.IntRange(min=0),
    help="Crawl: maximum number of links from the start page.",
)
@click.option(
    "--host",
    "hosts",
    metavar="HOST",
    multiple=True,
    help="Crawl: also follow links to this host; can be repeated.",
)
@click.option(
    "--delay",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Crawl: minimum time between two requests to a host.",
)
def site(
    sources: Sequence[str],
    output: str,
    chosen_format: str | None,
    schema: str,
    work: str | None,
    until: str,
    fresh: bool,
    sample: int,
    texts: bool,
    columns: Sequence[str],
    runner: str,
    workers: int | None,
    address: str | None,
    max_pages: int,
    max_depth: int | None,
    hosts: Sequence[str],
    delay: float,
) -> None:
    """Sort the pages of sites into tables, one for each template.

    A SOURCE is a folder, a file, an archive (.warc, .warc.gz, .zip, .tar, ...), a sitemap, or
    the URL of a site, which is crawled as its robots.txt allows. A run that was stopped continues
    when the same command is run again. With --work, other columns can be written without
    learning again.
    """
    folder = RunFolder(work or get_default_folder(output))
    click.get_current_context().meta[KEPT_WORK] = lambda: (
        str(folder.path) if folder.has_results() else None
    )
    with show_progress() as progress:
        summary = api.site(
            sources,
            output,
            format=chosen_format,
            schema=schema,
            work=work,
            until=until,
            fresh=fresh,
            sample=sample,
            texts=texts,
            columns=columns,
            runner=runner,
            workers=workers,
            address=address,
            max_pages=max_pages,
            max_depth=max_depth,
            hosts=hosts,
            delay=delay,
            progress=progress,
        )
    if until != STEPS[-1]:
        print_message(f"stopped after step {until}; the results are in {summary.work}")
        sys.exit(DONE)
    with ExitStack() as stack:
        show_site(open_console(stack, STANDARD_OUTPUT), summary)
    sys.exit(DONE if summary.pages else SOME_FAILED)
