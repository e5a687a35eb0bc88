"""What all commands share: errors, options, the reading of pages, and where output goes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TextIO, TypeVar

import click
from rich.console import Console
from rich.progress import track

from unweave import api
from unweave.cli import signals
from unweave.cli.terminal import show_page
from unweave.errors import PageError, SourceError, UnweaveError, UsageError
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.page import Page
from unweave.page.parse import is_url, read_file
from unweave.page.render import Renderer
from unweave.selectors.evaluation import SamplePage
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.sinks.page_tables import open_table_writer
from unweave.sinks.registry import FILE_FORMATS, infer_format
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import choose_source, is_collection
from unweave.sources.source import FetchedPage, Item, Skipped
from unweave.table import Table
from unweave.text_cleaning import replace_control_characters
from unweave.variants import Variant

STANDARD_INPUT = "-"
TERMINAL_FORMAT = "table"

T = TypeVar("T")

DONE, SOME_FAILED, WRONG_USE = 0, 1, 2

_SWITCHES = {"yes": True, "true": True, "no": False, "false": False}


OUTPUT, KEPT_WORK = "unweave.output", "unweave.kept_work"
"""Keys of a context's ``meta``: the Output of the command, and a function that names the folder of work to go on with."""


class Group(click.Group):
    """Turns errors and signals into one line and an exit status; nothing prints a traceback at a user."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, and note where its output goes, for the message at an interruption."""
        for parameter in cmd.params:
            if parameter.name == "output" and parameter.callback is None:
                parameter.callback = _note_output
        super().add_command(cmd, name)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program."""
        with signals.raised():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
            raise  # click knows what to do
        except (Exception, KeyboardInterrupt) as error:
            if number := signals.received() or (
                isinstance(error, KeyboardInterrupt) and signals.INTERRUPT
            ):
                # What it interrupts may turn it into another error.
                complain(_interruption(number, ctx.meta.get(OUTPUT)))
                status = signals.STATUS + number
            elif message := _message(error):
                complain(message)
                status = WRONG_USE
            else:
                raise
            if (
                KEPT_WORK in ctx.meta
                and not isinstance(error, UsageError)
                and (kept := ctx.meta[KEPT_WORK]())
            ):
                complain(
                    f"finished work is kept in {kept}: the same command continues with it, --fresh starts over"
                )
        return ctx.exit(status)


def _message(error: BaseException) -> str | None:
    """Return what to say about an error; None about one that nobody foresaw."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and not isinstance(error, UnweaveError):
        reason = error.strerror or str(error)
        return (
            f"{os.fsdecode(error.filename)}: {reason}"
            if isinstance(error.filename, str | bytes)
            else reason
        )
    return str(error) if isinstance(error, UnweaveError) else None


@dataclass(frozen=True)
class Output:
    """Where the output of a command goes, and which file is there when it begins."""

    path: str
    before: tuple[int, int] | None

    def state(self) -> str:
        """Say what became of the output of a command that was interrupted."""
        if self.path == STANDARD_OUTPUT:
            return "the output may be incomplete"
        if "://" in self.path:  # it may have a password in it
            return "the database has all tables of this run, or none"
        after = _identity(self.path)
        if after is None:
            return f"{self.path} was not written"
        if not os.path.isfile(self.path) and not os.path.isdir(self.path):
            return f"{self.path} may be incomplete"
        return (
            f"{self.path} was not changed" if after == self.before else f"{self.path} is complete"
        )


def _note_output(ctx: click.Context, _: click.Parameter, path: str) -> str:
    ctx.meta[OUTPUT] = Output(path, _identity(path))
    return path


def _identity(path: str) -> tuple[int, int] | None:
    """Return what differs between two files that had one name after the other; None if there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns


def _interruption(number: int, output: Output | None) -> str:
    how = (
        "interrupted" if number == signals.INTERRUPT else f"terminated by {signals.name_of(number)}"
    )
    return f"{how}: {output.state()}" if output else how


# Options that several commands have.
output_option = click.option(
    "-o",
    "--output",
    metavar="OUT",
    default=STANDARD_OUTPUT,
    help="File to write; its ending tells the format.",
)
format_option = click.option(
    "--format",
    "chosen_format",
    type=click.Choice([*FILE_FORMATS, TERMINAL_FORMAT]),
    help="Output format, where the ending of OUT does not tell.",
)
charset_option = click.option(
    "--charset", metavar="NAME", help="Encoding of the pages, as the HTTP header gave it."
)
url_option = click.option(
    "--url", metavar="URL", help="Address of the pages: links and pictures are made absolute."
)
keep_constant_option = click.option(
    "--keep-constant",
    is_flag=True,
    help="Keep columns that say the same in every row in CSV and the like, too.",
)
allow_private_option = click.option(
    "--allow-private",
    is_flag=True,
    help="Fetch pages from addresses of this machine and network too.",
)

like_option = click.option(
    "--like",
    metavar="XPATH",
    multiple=True,
    help="Twice: elements in two records of the list that is meant. It is the only table then.",
)
column_option = click.option(
    "--column",
    "columns",
    metavar="COLUMN[=NAME][:TYPE]",
    multiple=True,
    help="A column that is wanted, and its new name and type; COLUMN@link has its links. Others are left out.",
)

variant_option = click.option(
    "--variant",
    type=click.Choice([*map(str, Variant)]),
    help="With a method of a paper: as it is printed, with its errors corrected, or improved.  [default: corrected]",
)
parameter_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="A parameter of the method, such as k=5. docs/methods.md lists them.",
)


def crawl_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of crawls; it gets them as ``reach``, which is None without --crawl."""

    @wraps(command)
    def with_reach(
        *args: Any, crawl: bool, max_pages: int, delay: float, **parameters: Any
    ) -> None:
        command(*args, reach=CrawlOptions(max_pages, delay=delay) if crawl else None, **parameters)

    options = [
        click.option(
            "--crawl",
            is_flag=True,
            help="Crawl the site of each address, as its robots.txt allows.",
        ),
        click.option(
            "--max-pages",
            metavar="N",
            type=click.IntRange(min=1),
            default=1_000,
            show_default=True,
            help="With --crawl: at most N pages of each site.",
        ),
        click.option(
            "--delay",
            metavar="SECONDS",
            type=click.FloatRange(min=0),
            default=1.0,
            show_default=True,
            help="With --crawl: the least time between two requests to a host.",
        ),
    ]
    for option in reversed(options):
        with_reach = option(with_reach)
    return with_reach


def read_parameters(
    given: Sequence[str], options: Container[str] = ()
) -> dict[str, str | int | float | bool]:
    """Return the parameters of a method by name, from texts such as ``k=5`` and ``nested=yes``.

    What is in ``options`` was given already, by an option of its own.
    """
    found: dict[str, str | int | float | bool] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise UsageError(f"a parameter is given as NAME=VALUE, not as {text!r}")
        if name in found or name in options:
            raise UsageError(f"the parameter {name} is given twice")
        found[name] = _value_of(value)
    return found


def _value_of(text: str) -> str | int | float | bool:
    """Return what a text stands for: a switch, a number, or itself."""
    if text in _SWITCHES:
        return _SWITCHES[text]
    for type in (int, float):
        with suppress(ValueError):
            return type(text)
    return text


def table_sink(
    stack: ExitStack,
    output: str,
    format: str,
    *,
    number: int | None = None,
    many: bool,
    with_fit: bool = False,
    values: bool = False,
) -> Callable[[str, Sequence[Table]], None]:
    """What takes the tables of one page after the other, until the stack is closed."""
    if format == TERMINAL_FORMAT:
        return partial(show_page, console_for(stack, output), number=number)
    return stack.enter_context(
        open_table_writer(
            output, format, table=number, name_pages=many, with_fit=with_fit, values=values
        )
    ).write


def console_for(stack: ExitStack, output: str) -> Console:
    """Where tables are drawn. What is drawn has been made harmless, so a terminal gets it with its colours."""
    is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
    return Console() if is_shown else Console(file=stack.enter_context(open_text(output)))


def default_format(output: str) -> str:
    """The format that is asked for by the name of the output, or by what stands at its end."""
    if output != STANDARD_OUTPUT:
        return infer_format(output)
    return TERMINAL_FORMAT if is_terminal(sys.stdout) else "jsonl"


def is_terminal(stream: TextIO | None) -> bool:
    """Does somebody look at it?"""
    return stream is not None and stream.isatty()


class Reader:
    """Reads one page after the other; those that cannot be read are named on standard error and in ``failed``."""

    def __init__(
        self,
        *,
        charset: str | None,
        url: str | None = None,
        renderer: Renderer | None = None,
        allow_private: bool = False,
    ) -> None:
        self.failed: list[str] = []
        self._charset = charset
        self._url = url
        self._renderer = renderer
        self._allow_private = allow_private

    def pages(self, names: Sequence[str], *, progress: bool) -> Iterator[tuple[str, Page]]:
        """Each page that can be read, with its name."""
        for name, page in self._each(names, self._page, progress):
            _tell_notes(name, page)
            yield name, page

    def crawled(
        self, sources: Sequence[str], reach: CrawlOptions | None = None
    ) -> Iterator[tuple[str, Page]]:
        """Each page of the sources that can be read, with its name: pages, folders and archives of them, and sites.

        Sites are crawled so far; without a reach, an address is that of one page. What is no page is counted by its reason.
        """
        if reach is not None and not any(map(is_url, sources)):
            raise UsageError("--crawl goes with the address of a site")
        if reach is None and not any(map(is_collection, sources)):
            yield from self.pages(sources, progress=True)
            return
        for source in sources:
            if reach is not None and is_url(source):
                yield from self._collection(source, choose_source(source, reach).read(source))
            elif is_collection(source):
                yield from self._collection(source, choose_source(source).read(source))
            else:
                yield from self.pages([source], progress=False)

    def _collection(self, source: str, items: Iterable[Item]) -> Iterator[tuple[str, Page]]:
        """Each page of a folder, an archive or a crawl; says how many others there are, and why they are not read."""
        aside = Counter[str]()
        count_read = 0
        try:
            for item in items:
                if isinstance(item, Skipped):
                    aside[item.reason] += 1
                elif isinstance(item, FetchedPage):
                    try:
                        page = self._parse(item)
                    except PageError as error:
                        aside[str(error)] += 1
                    else:
                        _tell_notes(item.name, page)
                        count_read += 1
                        yield item.name, page
        except SourceError as error:
            self.fail(source, error)
        else:
            if not count_read:
                self.fail(source, PageError("there is no page in it"))
        for reason, count in aside.most_common():
            complain(f"{source}: {count} set aside: {reason}")

    def _parse(self, item: FetchedPage) -> Page:
        url = item.name if item.is_url else self._url
        return Page.parse(item.body, url=url, charset=item.charset or self._charset)

    def samples(self, names: Sequence[str]) -> list[SamplePage]:
        """The pages that can be read, to try selectors on."""
        found: list[SamplePage] = []
        for name, sample in self._each(names, self._sample, progress=True):
            _tell_notes(name, sample.page)
            found.append(sample)
        return found

    def _each(
        self, names: Sequence[str], read: Callable[[str], T], progress: bool
    ) -> Iterator[tuple[str, T]]:
        for name in _with_progress(names, progress):
            try:
                yield name, read(name)
            except (PageError, SourceError) as error:
                self.fail(name, error)

    def all(self, names: Sequence[str]) -> tuple[list[str], list[Page]]:
        """The pages that can be read, together, and their names."""
        read = list(self.pages(names, progress=True))
        return [name for name, _ in read], [page for _, page in read]

    def fail(self, name: str, error: PageError | SourceError) -> None:
        """Say why a page cannot be used."""
        self.failed.append(name)
        complain(str(error) if isinstance(error, SourceError) else f"{name}: {error}")

    def _page(self, name: str) -> Page:
        if self._renderer:
            source: str | bytes = _standard_input() if name == STANDARD_INPUT else name
            return Page.render(
                source, url=self._url, charset=self._charset, renderer=self._renderer
            )
        markup, url, charset = self._read(name)
        return Page.parse(markup, url=url, charset=charset)

    def _sample(self, name: str) -> SamplePage:
        markup, _, charset = self._read(name)
        return api.sample(markup, charset=charset)

    def _read(self, name: str) -> tuple[bytes, str | None, str | None]:
        """Return the bytes of a page, its address and its charset, as far as they are known."""
        if is_url(name):
            answer = api.fetch(name, allow_private=self._allow_private)
            return answer.body, self._url or answer.url, self._charset or answer.charset
        markup = _standard_input() if name == STANDARD_INPUT else read_file(name)
        return markup, self._url, self._charset


def _tell_notes(name: str, page: Page) -> None:
    for note in page.notes:
        complain(f"{name}: {note}")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)


def _with_progress(names: Sequence[str], wanted: bool) -> Iterator[str]:
    """A progress bar for many pages, on a terminal that shows nothing else meanwhile."""
    console = Console(stderr=True)
    shown = wanted and len(names) > 1 and console.is_terminal
    yield from track(names, "Reading pages", console=console, disable=not shown, transient=True)


def complain(message: str) -> None:
    """Say something on standard error, if it is still there: not after the terminal was closed."""
    with suppress(OSError):
        click.echo(f"unweave: {replace_control_characters(message)}", err=True)
