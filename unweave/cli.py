"""The command line: parses words, calls the api, prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Any, TextIO

import click
from rich.console import Console
from rich.progress import track

from unweave import __version__, api
from unweave.errors import PageError, SourceError, UnweaveError, UsageError
from unweave.induce.landmarks.learn import Search
from unweave.news.article import Article
from unweave.page.limits import DEFAULT_LIMITS
from unweave.page.page import Page
from unweave.page.render import Renderer
from unweave.sinks.files import FORMATS, STANDARD_OUTPUT, format_of, open_rows, open_text, open_writer
from unweave.table import Table
from unweave.terminal import gap, show_article, show_fields, show_page, show_wrapper
from unweave.text import plain
from unweave.wrappers.fields import Fields
from unweave.wrappers.landmark import LandmarkWrapper
from unweave.wrappers.slots import SlotWrapper
from unweave.wrappers.tables import Table as Nested
from unweave.wrappers.tokens import Unit
from unweave.wrappers.wrapper import Wrapper, dumps, gives_fields, load

STANDARD_INPUT = "-"
TERMINAL_FORMAT = "table"

_DONE, _SOME_FAILED, _WRONG_USE = 0, 1, 2
_MOST_NAMED = 8


class _Group(click.Group):
    """Turns errors into one line and an exit status; nothing prints a traceback at a user."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # click ends quietly
        except UnweaveError as error:
            _complain(str(error))
        except MemoryError:
            _complain("out of memory")
        except OSError as error:
            _complain(error.strerror or str(error))
        return ctx.exit(_WRONG_USE)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="unweave")
def main() -> None:
    """Take web pages apart into template and data: pages in, tables out."""


# Options that several commands have.
_output = click.option(
    "-o", "--output", metavar="OUT", default=STANDARD_OUTPUT, help="File to write; its ending tells the format."
)
_format = click.option(
    "--format",
    "chosen_format",
    type=click.Choice([*FORMATS, TERMINAL_FORMAT]),
    help="Output format, where the ending of OUT does not tell.",
)
_charset = click.option("--charset", metavar="NAME", help="Encoding of the pages, as the HTTP header gave it.")
_url = click.option("--url", metavar="URL", help="Address of the pages: links and pictures are made absolute.")


@main.command(epilog="Example:  unweave records examples/products.html -o products.csv")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@_output
@click.option(
    "--method", type=click.Choice(list(api.METHODS)), default="auto", show_default=True, help="How to find records."
)
@click.option("--table", "number", metavar="N", type=click.IntRange(min=1), help="Only the N-th table of each page.")
@_format
@_charset
@_url
@click.option("--render", is_flag=True, help="Draw the pages in Chromium first, and use what can be seen.")
@click.option("--network", is_flag=True, help="With --render: let pages load what they ask for.")
@click.option("--no-scripts", is_flag=True, help="With --render: do not run the pages' scripts.")
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="With --render."
)
def records(
    pages: Sequence[str],
    output: str,
    method: str,
    number: int | None,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    render: bool,
    network: bool,
    no_scripts: bool,
    timeout: float,
) -> None:
    """Find the lists of each PAGE and give them as tables, best first.

    A PAGE is a file, - for standard input, or, with --render and --network, an address. Without -o, a terminal shows the
    best table, and a pipe gets JSON Lines, one page a line.
    """
    if (network or no_scripts) and not render:
        raise UsageError("--network and --no-scripts go with --render")
    format = chosen_format or _default_format(output)
    is_shown = output == STANDARD_OUTPUT and _is_terminal(sys.stdout)
    with ExitStack() as stack:
        renderer = None
        if render:
            renderer = stack.enter_context(Renderer(network=network, scripts=not no_scripts, timeout=timeout))
        reader = _Reader(charset=charset, url=url, renderer=renderer)
        show = _sink(stack, output, format, number=number, many=len(pages) > 1)
        for name, tables in reader.tables(pages, method=method, number=number, progress=not is_shown):
            show(name, tables)
        if len(reader.failed) == len(pages):
            sys.exit(_SOME_FAILED)  # before the output is closed, so that an older result stays as it was
    sys.exit(_SOME_FAILED if reader.failed else _DONE)


@main.command(epilog="Example:  unweave learn examples/products.html -o products.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="WRAPPER.json", required=True, help="File to write the wrapper to.")
@click.option("--method", type=click.Choice(list(api.LEARNERS)), default="auto", show_default=True, help="What to learn.")
@click.option(
    "--search", type=click.Choice([*map(str, Search)]), help="With landmark: how to look for it.  [default: exact]"
)
@click.option("--tokens", type=click.Choice([*map(str, Unit)]), help="With landmark: the unit of text.  [default: words]")
@click.option("-k", metavar="K", type=click.IntRange(min=1), help="With landmark: stands in K pages or more.  [default: 2]")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Learn from N of the pages only.")
@click.option(
    "--seed",
    metavar="S",
    type=int,
    default=0,
    show_default=True,
    help="With --sample: which N are drawn; with landmark: chance.",
)
@_charset
def learn(
    pages: Sequence[str],
    output: str,
    method: str,
    search: str | None,
    tokens: str | None,
    k: int | None,
    sample: int | None,
    seed: int,
    charset: str | None,
) -> None:
    """Learn a wrapper from pages of one template: what the pages have in common, and where the data stands.

    The wrapper is plain JSON. It is used by unweave apply, which finds the same on other pages without searching. The
    method fields learns what each page tells, records the list that the pages have, pattern what differs from page to page
    as a whole, landmark a grammar that splits pages at what stands in each of them once; auto is fields for several pages,
    and records for one.
    """
    chosen = {"search": search, "tokens": tokens, "k": k}
    parameters: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if method == "landmark":
        parameters["seed"] = seed
    elif parameters:
        raise UsageError("--search, --tokens and -k go with --method landmark")
    drawn = pages if sample is None or sample >= len(pages) else Random(seed).sample(pages, sample)  # noqa: S311
    reader = _Reader(charset=charset, url=None, renderer=None)
    found = [page for _, page in reader.pages(drawn, progress=True)]
    if not found:
        sys.exit(_SOME_FAILED)
    wrapper = api.learn(found, method=method, **parameters)
    if isinstance(wrapper, LandmarkWrapper) and wrapper.bound not in (None, wrapper.cost):
        _complain(f"the search was stopped before its end: {gap(wrapper)}")
    with open_text(output) as file:
        file.write(dumps(wrapper) + "\n")
    sys.exit(_SOME_FAILED if reader.failed else _DONE)


@main.command(epilog="Example:  unweave apply products.json examples/products.html -o products.csv")
@click.argument("wrapper", metavar="WRAPPER.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@_output
@click.option(
    "--min-fit",
    metavar="FIT",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Set pages aside that fit less than this, and say what they lack.",
)
@_format
@_charset
@_url
def apply(
    wrapper: str,
    pages: Sequence[str],
    output: str,
    min_fit: float,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
) -> None:
    """Find on each PAGE what a wrapper was learned for.

    Of a wrapper for lists, the output is that of unweave records, with one table a page at most. Of one for fields, it has
    the fields of each page by name. Both tell the fit: 1 if all is as it was learned, 0 if nothing was found.
    """
    learned = load(wrapper)
    format = chosen_format or _default_format(output)
    reader = _Reader(charset=charset, url=url, renderer=None)
    is_shown = output == STANDARD_OUTPUT and _is_terminal(sys.stdout)
    with ExitStack() as stack:
        show = _found_sink(stack, output, format, learned, many=len(pages) > 1)
        for name, page in reader.pages(pages, progress=not is_shown):
            try:
                found, fit = learned.apply(page)
            except PageError as error:
                reader.fail(name, error)
                continue
            if fit < min_fit:
                reader.fail(
                    name, PageError(f"set aside: it fits {fit:.2f}, less than {min_fit:g}{_lacking(learned, page)}")
                )
                continue
            if found is None:
                _complain(f"{name}: does not fit the wrapper: nothing was found")
            show(name, found, fit)
        if len(reader.failed) == len(pages):
            sys.exit(_SOME_FAILED)  # before the output is closed, so that an older result stays as it was
    sys.exit(_SOME_FAILED if reader.failed else _DONE)


def _lacking(wrapper: Wrapper, page: Page) -> str:
    """The fields or landmarks that every page should have and this one has not, in words."""
    missing = wrapper.missing(page) if isinstance(wrapper, SlotWrapper | LandmarkWrapper) else []
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    return f"; missing: {', '.join(missing[:_MOST_NAMED])}{more}" if missing else ""


@main.command(epilog="Example:  unweave show site.json")
@click.argument("wrapper", metavar="WRAPPER.json")
def show(wrapper: str) -> None:
    """Explain a wrapper: its fields, what tells them, on how many pages they were seen, and examples."""
    learned = load(wrapper)
    with ExitStack() as stack:
        show_wrapper(_console(stack, STANDARD_OUTPUT), wrapper, learned)


def _found_sink(
    stack: ExitStack, output: str, format: str, wrapper: Wrapper, *, many: bool
) -> Callable[[str, Table | Fields | None, float], None]:
    """What takes what a wrapper finds on one page after the other, fields or tables, until the stack is closed."""
    if not gives_fields(wrapper):
        show = _sink(stack, output, format, many=many, with_fit=True)
        return lambda name, found, fit: show(name, [found] if isinstance(found, Table) else [])
    tables = wrapper.tables if isinstance(wrapper, SlotWrapper) else ()
    if format == TERMINAL_FORMAT:
        console = _console(stack, output)
        return lambda name, found, fit: show_fields(console, name, _fields(found), fit, tables)
    rows = stack.enter_context(open_rows(output, format))
    if format == "csv":
        return lambda name, found, fit: rows.write({"page": name, "fit": round(fit, 4), **_fields(found)})
    return lambda name, found, fit: rows.write(_line(name, _fields(found), fit, tables))


def _line(page: str, fields: Fields, fit: float, tables: Sequence[Nested]) -> dict[str, Any]:
    """What JSON tells of a page: its fields, and which of them are columns of one table."""
    columns = {table.name: [own.name for own in table.columns if own.name in fields] for table in tables}
    nested = {name: own for name, own in columns.items() if own}
    return {"page": page, "fields": fields, **({"tables": nested} if nested else {}), "fit": round(fit, 4)}


def _fields(found: Table | Fields | None) -> Fields:
    return found if isinstance(found, dict) else {}


def _similarity(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A similarity, or the name of one."""
    try:
        return api.THRESHOLDS["paper"] if value == "paper" else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no number, and not the word paper") from None


@main.command(epilog="Example:  unweave cluster pages/*.html -o clusters.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@_output
@click.option(
    "--threshold",
    metavar="S",
    callback=_similarity,
    default=str(api.THRESHOLDS["default"]),
    show_default=True,
    help="How alike the pages of two groups must be on average to be one: from 0 to 1, or paper for 0.8.",
)
@_charset
def cluster(pages: Sequence[str], output: str, threshold: float, charset: str | None) -> None:
    """Sort pages by the template that they were made from.

    The output has one page a line with the number of its cluster. Clusters are numbered in the order of their first pages.
    """
    reader = _Reader(charset=charset, url=None, renderer=None)
    names, found = reader.all(pages)
    numbers = api.cluster(found, threshold=threshold)
    if not names:
        sys.exit(_SOME_FAILED)
    with open_rows(output, "jsonl" if output == STANDARD_OUTPUT else format_of(output)) as rows:
        for name, number in zip(names, numbers, strict=True):
            rows.write({"page": name, "cluster": number})
    sys.exit(_SOME_FAILED if reader.failed else _DONE)


@main.command(epilog="Example:  unweave news pages/*.html -o news.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@_output
@click.option(
    "--labels",
    type=click.Choice(list(api.LABELS)),
    default="default",
    show_default=True,
    help="How to tell title and body; paper does it by the rules of Reis et al. alone.",
)
@_format
@_charset
def news(pages: Sequence[str], output: str, labels: str, chosen_format: str | None, charset: str | None) -> None:
    """Find the article of each PAGE: title, body, date and authors.

    Pages of one site or of many are sorted by template first: what those of one template share is no news. A PAGE alone is
    read as well. One that is no article, such as a front page, has null as title and body. The body has a paragraph a line.
    """
    format = chosen_format or _default_format(output)
    reader = _Reader(charset=charset, url=None, renderer=None)
    names, found = reader.all(pages)
    if not names:
        sys.exit(_SOME_FAILED)
    articles = api.news(found, labels=labels)
    if labels == "paper" and not any(articles):
        _complain("no articles were found: the rules of the paper need several pages of one template")
    with ExitStack() as stack:
        show = _article_sink(stack, output, format)
        for name, article in zip(names, articles, strict=True):
            show(name, article)
    sys.exit(_SOME_FAILED if reader.failed else _DONE)


def _article_sink(stack: ExitStack, output: str, format: str) -> Callable[[str, Article], None]:
    """What takes one article after the other, until the stack is closed."""
    if format == TERMINAL_FORMAT:
        return partial(show_article, _console(stack, output))
    rows = stack.enter_context(open_rows(output, format))
    return lambda name, article: rows.write({"page": name, **article.to_dict()})


def _sink(
    stack: ExitStack, output: str, format: str, *, number: int | None = None, many: bool, with_fit: bool = False
) -> Callable[[str, list[Table]], None]:
    """What takes the tables of one page after the other, until the stack is closed."""
    if format == TERMINAL_FORMAT:
        return partial(show_page, _console(stack, output), number=number)
    return stack.enter_context(open_writer(output, format, table=number, many=many, with_fit=with_fit)).write


def _console(stack: ExitStack, output: str) -> Console:
    """Where tables are drawn. What is drawn has been made harmless, so a terminal gets it with its colours."""
    is_terminal = output == STANDARD_OUTPUT and _is_terminal(sys.stdout)
    return Console() if is_terminal else Console(file=stack.enter_context(open_text(output)))


def _default_format(output: str) -> str:
    if output != STANDARD_OUTPUT:
        return format_of(output)
    return TERMINAL_FORMAT if _is_terminal(sys.stdout) else "jsonl"


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


class _Reader:
    """Reads one page after the other; those that cannot be read are named on standard error and in ``failed``."""

    def __init__(self, *, charset: str | None, url: str | None, renderer: Renderer | None) -> None:
        self.failed: list[str] = []
        self._charset = charset
        self._url = url
        self._renderer = renderer

    def tables(
        self, names: Sequence[str], *, method: str, number: int | None, progress: bool
    ) -> Iterator[tuple[str, list[Table]]]:
        """The tables of each page that can be read."""
        for name, page in self.pages(names, progress=progress):
            known = len(page.notes)
            tables = api.records(page, method=method)
            for note in page.notes[known:]:
                _complain(f"{name}: {note}")
            if number and number > len(tables):
                _complain(f"{name}: there is no table {number}, only {len(tables)}")
            yield name, tables

    def pages(self, names: Sequence[str], *, progress: bool) -> Iterator[tuple[str, Page]]:
        """Each page that can be read, with its name."""
        for name in _with_progress(names, progress):
            try:
                page = self._page(name)
            except (PageError, SourceError) as error:
                self.fail(name, error)
                continue
            for note in page.notes:
                _complain(f"{name}: {note}")
            yield name, page

    def all(self, names: Sequence[str]) -> tuple[list[str], list[Page]]:
        """The pages that can be read, together, and their names."""
        read = list(self.pages(names, progress=True))
        return [name for name, _ in read], [page for _, page in read]

    def fail(self, name: str, error: PageError | SourceError) -> None:
        """Say why a page cannot be used."""
        self.failed.append(name)
        _complain(str(error) if isinstance(error, SourceError) else f"{name}: {error}")

    def _page(self, name: str) -> Page:
        source: str | bytes = _standard_input() if name == STANDARD_INPUT else name
        if self._renderer:
            return Page.render(source, url=self._url, charset=self._charset, renderer=self._renderer)
        if isinstance(source, bytes):
            return Page.parse(source, charset=self._charset, url=self._url)
        return Page.load(source, charset=self._charset, url=self._url)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)


def _with_progress(names: Sequence[str], wanted: bool) -> Iterator[str]:
    """A progress bar for many pages, on a terminal that shows nothing else meanwhile."""
    console = Console(stderr=True)
    shown = wanted and len(names) > 1 and console.is_terminal
    yield from track(names, "Reading pages", console=console, disable=not shown, transient=True)


def _complain(message: str) -> None:
    click.echo(f"unweave: {plain(message)}", err=True)
