"""The command ``text``."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from unweave.cli.reading import PageReader
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    TERMINAL_FORMAT,
    allow_private_option,
    charset_option,
    choose_format,
    crawl_options,
    is_terminal,
    make_format_option,
    open_console,
    output_option,
    print_message,
    render_options,
    url_option,
)
from unweave.cli.terminal import show_text
from unweave.content.document import DOCUMENT_COLUMNS
from unweave.content.texts import iter_named_texts
from unweave.errors import PageError, SourceError, UsageError
from unweave.files import write_text
from unweave.page.parse import is_url
from unweave.page.render import Renderer
from unweave.pipeline.progress import show_progress
from unweave.pipeline.texts import Row, TextOptions, TextRun
from unweave.runners.runner import Runner, make_runner
from unweave.sinks.cells import SiteColumn
from unweave.sinks.folder import FileNames
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.sinks.registry import is_database, is_tabular
from unweave.sinks.streaming import open_database_table, open_table
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import is_collection
from unweave.text_cleaning import replace_control_characters

MARKDOWN, PLAIN_TEXT = "md", "txt"
_TEXT_FORMATS = (MARKDOWN, PLAIN_TEXT)
_DATABASE, _TABLE_NAME = "database", "texts"
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx")
_COLUMN_TYPES = {"confidence": "number", "authors": "list", "tags": "list"}
_COLUMNS = [
    SiteColumn(name, _COLUMN_TYPES.get(name, "text")) for name in ("page", *DOCUMENT_COLUMNS)
]

WriteRow = Callable[[Row], None]


@click.command(epilog="Example:  unweave text crawl.warc.gz -o texts.parquet")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option(
    help="Output file; the ending selects the format. FOLDER/ gets a file for each page."
)
@click.option("--no-links", is_flag=True, help="Markdown without links, with their texts.")
@click.option("--no-images", is_flag=True, help="Markdown without images.")
@click.option(
    "--with-blocks",
    is_flag=True,
    help="In JSON, add the blocks of the content with their XPaths.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Number of processes for folders, archives and sites.  [default: one for each core]",
)
@crawl_options
@make_format_option(MARKDOWN, PLAIN_TEXT)
@charset_option
@url_option
@allow_private_option
@render_options
def text(
    pages: Sequence[str],
    output: str,
    no_links: bool,
    no_images: bool,
    with_blocks: bool,
    workers: int | None,
    crawl: CrawlOptions | None,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
    rendering: dict[str, Any] | None,
) -> None:
    """Extract the main content of each PAGE as text and Markdown, with its metadata.

    A PAGE is a file, a URL, or - for standard input. A folder or an archive (.warc, .zip,
    .tar, ...) stands for all its pages, and with --crawl a URL for all pages of its site; these
    are read by several processes, and may be larger than memory.

    The output is a file (.jsonl, .json, .csv, .xlsx, .parquet, .md, .txt), a database (.duckdb,
    .db, postgresql://...), or FOLDER/ with a file for each page.
    """
    format = _choose_format(output, chosen_format)
    if with_blocks and format not in ("jsonl", "json"):
        raise UsageError("--with-blocks is for JSON")
    if crawl is not None and not any(map(is_url, pages)):
        raise UsageError("--crawl needs the URL of a site")
    collections = [page for page in pages if _is_collection(page, crawl)]
    if rendering is not None and collections:
        raise UsageError(f"--render is for single pages, and {collections[0]} has several")
    options = TextOptions(
        links=not no_links,
        images=not no_images,
        blocks=with_blocks,
        flat=format not in ("jsonl", "json"),
        url=url,
        charset=charset,
    )
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(**rendering)) if rendering is not None else None
        reader = PageReader(
            charset=charset, url=url, renderer=renderer, allow_private=allow_private
        )
        write = _open_output(stack, output, format, is_single=len(pages) == 1 and not collections)
        count = 0
        for row in _iter_rows(stack, reader, pages, options, crawl, workers, output):
            write(row)
            count += 1
        if not count:
            sys.exit(SOME_FAILED)  # inside the block: the exit discards the unfinished output
    sys.exit(SOME_FAILED if reader.failed else DONE)


# ---- reading -------------------------------------------------------------------------------------


def _is_collection(source: str, crawl: CrawlOptions | None) -> bool:
    return is_collection(source) or (crawl is not None and is_url(source))


def _iter_rows(
    stack: ExitStack,
    reader: PageReader,
    sources: Sequence[str],
    options: TextOptions,
    crawl: CrawlOptions | None,
    workers: int | None,
    output: str,
) -> Iterator[Row]:
    """Yield the rows of sources, in order: single pages by this process, all others by workers."""
    runner: Runner | None = None
    is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
    single: list[str] = []
    for source in sources:
        if not _is_collection(source, crawl):
            single.append(source)
            continue
        yield from _iter_single_rows(reader, single, options, is_shown=is_shown)
        single = []
        if runner is None:
            name = "serial" if workers == 1 else "processes"
            runner = stack.enter_context(closing(make_runner(name, workers=workers)))
        yield from _iter_collection_rows(reader, source, options, runner, crawl, is_shown=is_shown)
    yield from _iter_single_rows(reader, single, options, is_shown=is_shown)


def _iter_single_rows(
    reader: PageReader, names: Sequence[str], options: TextOptions, *, is_shown: bool
) -> Iterator[Row]:
    pages = reader.read_pages(names, progress=not is_shown)
    for name, document in iter_named_texts(pages, links=options.links, images=options.images):
        yield options.make_row(name, document)


def _iter_collection_rows(
    reader: PageReader,
    source: str,
    options: TextOptions,
    runner: Runner,
    crawl: CrawlOptions | None,
    *,
    is_shown: bool,
) -> Iterator[Row]:
    """Yield the rows of a folder, an archive or a site; report what cannot be read."""
    with (
        tempfile.TemporaryDirectory(prefix="unweave-") as folder,
        show_progress(is_shown=not is_shown) as progress,
    ):
        run = TextRun(
            [source], Path(folder), options, runner=runner, crawl=crawl, progress=progress
        )
        try:
            yield from run
        except SourceError as error:
            reader.report_failure(source, error)
        else:
            if not run.pages:
                reader.report_failure(source, PageError("contains no pages"))
        for reason, count in run.skipped.most_common():
            print_message(f"{source}: {count} skipped: {reason}")


# ---- writing -------------------------------------------------------------------------------------


def _choose_format(output: str, chosen_format: str | None) -> str:
    """Return the format of an output. Raises UsageError for a combination that is not possible."""
    if _is_folder(output):
        if chosen_format not in (None, *_TEXT_FORMATS):
            raise UsageError(f"a folder gets files of the formats {' and '.join(_TEXT_FORMATS)}")
        return chosen_format or MARKDOWN
    if is_database(output):
        if chosen_format is not None:
            raise UsageError("a format is for files; a database has its own")
        return _DATABASE
    return chosen_format or choose_format(output, _TEXT_FORMATS)


def _is_folder(output: str) -> bool:
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _open_output(stack: ExitStack, output: str, format: str, *, is_single: bool) -> WriteRow:
    """Return what writes the row of a page, until the stack is closed."""
    if _is_folder(output):
        return _FolderWriter(output, format).write
    if format == TERMINAL_FORMAT:
        console = open_console(stack, output)
        return lambda row: show_text(console, row)
    if format in _TEXT_FORMATS:
        file = stack.enter_context(open_text(output))
        return _TextWriter(file.write, format, is_single=is_single).write
    if format == _DATABASE:
        return stack.enter_context(open_database_table(output, _TABLE_NAME, _COLUMNS)).write
    columns = _COLUMNS if is_tabular(format) else []
    return stack.enter_context(open_table(output, format, columns)).write


class _TextWriter:
    """Writes the texts of pages one after the other; of several, each below its name."""

    def __init__(self, write: Callable[[str], object], format: str, *, is_single: bool) -> None:
        self._write = write
        self._format = format
        self._is_single = is_single
        self._is_first = True

    def write(self, row: Row) -> None:
        """Write the text of a page."""
        parts = [] if self._is_first else ["\n"]
        if not self._is_single:
            parts.append(f"{_format_name(row['page'], self._format)}\n\n")
        self._is_first = False
        self._write("".join([*parts, _format_row(row, self._format)]))


class _FolderWriter:
    """Writes a file for each page."""

    def __init__(self, folder: str, format: str) -> None:
        self._folder = Path(folder)
        self._format = format
        self._names = FileNames()

    def write(self, row: Row) -> None:
        """Write the file of a page."""
        name = row["page"].partition("://")[2] if is_url(row["page"]) else row["page"]
        stem, ending = os.path.splitext(name)
        name = self._names.add((stem if ending.lower() in _PAGE_ENDINGS else name).strip("/"))
        path = self._folder / f"{name}.{self._format}"
        write_text(path, _format_row(row, self._format), make_parents=True)


def _format_name(page: str, format: str) -> str:
    """Return a line that names a page: in Markdown a comment, which readers do not see."""
    name = replace_control_characters(page)
    if format == PLAIN_TEXT:
        return f"===== {name} ====="
    return f"<!-- page: {name.replace('--', '%2D%2D')} -->"


def _format_row(row: Row, format: str) -> str:
    if format == MARKDOWN:
        return str(row["markdown"])
    parts = [part for part in (row["title"], row["text"]) if part]
    return "\n\n".join(parts) + "\n" if parts else ""
