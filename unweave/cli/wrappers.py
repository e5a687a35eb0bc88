"""Commands that learn wrappers, apply them, and explain them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from typing import Any

import click

from unweave import api
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    TERMINAL_FORMAT,
    Reader,
    allow_private_option,
    charset_option,
    column_option,
    complain,
    console_for,
    crawl_options,
    default_format,
    format_option,
    is_terminal,
    keep_constant_option,
    like_option,
    output_option,
    parameter_option,
    read_parameters,
    table_sink,
    url_option,
    variant_option,
)
from unweave.cli.terminal import show_fields, show_wrapper
from unweave.errors import PageError
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.sinks.registry import is_tabular, open_row_writer
from unweave.sources.crawl import CrawlOptions
from unweave.variants import Variant
from unweave.wrappers.base import Extraction, Fields, Wrapper, clean_fields
from unweave.wrappers.landmarks.learn import LandmarkOptions, Search
from unweave.wrappers.landmarks.search import Ties
from unweave.wrappers.landmarks.tokens import TokenUnit

_MOST_NAMED = 8


@click.command(epilog="Example:  unweave learn examples/products.html -o products.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="WRAPPER.json", required=True, help="File to write the wrapper to."
)
@click.option(
    "--method",
    type=click.Choice(list(api.LEARNERS)),
    default="auto",
    show_default=True,
    help="What to learn.",
)
@variant_option
@parameter_option
@click.option(
    "--search",
    type=click.Choice([*map(str, Search)]),
    help="With landmark: how to look for it.  [default: exact]",
)
@click.option(
    "--tokens",
    type=click.Choice([*map(str, TokenUnit)]),
    help="With landmark: the unit of text.  [default: words]",
)
@click.option(
    "-k",
    metavar="K",
    type=click.IntRange(min=1),
    help="With landmark: stands in K pages or more.  [default: 2]",
)
@click.option(
    "--ties",
    type=click.Choice([*map(str, Ties)]),
    help="With landmark and a greedy search: what decides between equals.  [default: informed]",
)
@click.option(
    "--attributes/--no-attributes",
    default=None,
    help="With landmark: whether landmarks may ask for attributes of tags.  [default: attributes]",
)
@click.option(
    "--budget",
    metavar="N",
    type=click.IntRange(min=0),
    help=f"With landmark: how many tokens an exact search looks at.  [default: {LandmarkOptions.budget}]",
)
@click.option(
    "--table",
    "number",
    metavar="N",
    type=click.IntRange(min=1),
    help="With records and depta: the N-th table of the pages.",
)
@like_option
@column_option
@click.option(
    "--sample", metavar="N", type=click.IntRange(min=1), help="Learn from N of the pages only."
)
@click.option(
    "--seed",
    metavar="S",
    type=int,
    default=0,
    show_default=True,
    help="With --sample: which N are drawn; with landmark: chance.",
)
@crawl_options
@charset_option
@allow_private_option
def learn(
    pages: Sequence[str],
    output: str,
    method: str,
    variant: str | None,
    parameters: Sequence[str],
    search: str | None,
    tokens: str | None,
    k: int | None,
    ties: str | None,
    attributes: bool | None,
    budget: int | None,
    number: int | None,
    like: Sequence[str],
    columns: Sequence[str],
    sample: int | None,
    seed: int,
    reach: CrawlOptions | None,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Learn a wrapper from pages of one template: what the pages have in common, and where the data stands.

    A PAGE is a file, an address on the web, or - for standard input. A folder or an archive (.warc, .zip, .tar and the
    like) stands for all its pages, and with --crawl an address for all pages of its site.

    The wrapper is plain JSON. It is used by unweave apply, which finds the same on other pages without searching. The
    method fields learns what each page tells, records the list that the pages have, depta the aligned seed of its records,
    pattern what differs from page to page as a whole, news-pattern title and body of the news of a site, landmark a grammar
    that splits pages at what stands in each of them once; auto is fields for several pages, and records for one.
    """
    chosen = {
        "search": search,
        "tokens": tokens,
        "k": k,
        "table": number,
        "like": like,
        "columns": columns,
    }
    chosen |= {"ties": ties, "attributes": attributes, "budget": budget, "variant": variant}
    given: dict[str, Any] = {
        name: value for name, value in chosen.items() if value not in (None, ())
    }
    given |= read_parameters(parameters, given)
    if method == "landmark":
        given.setdefault("seed", seed)
    api.check_learn(method, given, pages=len(pages))
    drawn = pages if sample is None or sample >= len(pages) else Random(seed).sample(pages, sample)  # noqa: S311
    reader = Reader(charset=charset, allow_private=allow_private)
    found = [page for _, page in reader.crawled(drawn, reach)]
    if not found:
        sys.exit(SOME_FAILED)
    if sample is not None and sample < len(found):
        found = Random(seed).sample(found, sample)  # noqa: S311 - those of folders, archives and crawls
    wrapper = api.learn(found, method=method, **given)
    if gap := wrapper.describe_gap():
        is_printed = given.get("variant") == Variant.PRINTED
        reason = (
            "the printed estimate cannot tell the best"
            if is_printed
            else "the search was stopped before its end"
        )
        complain(f"{reason}: {gap}")
    with open_text(output) as file:
        file.write(wrapper.dumps() + "\n")
    sys.exit(SOME_FAILED if reader.failed else DONE)


@click.command(
    epilog="Example:  unweave apply products.json examples/products.html -o products.csv"
)
@click.argument("wrapper", metavar="WRAPPER.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option
@click.option(
    "--min-fit",
    metavar="FIT",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Set pages aside that fit less than this, and say what they lack.",
)
@keep_constant_option
@format_option
@charset_option
@url_option
@allow_private_option
def apply(
    wrapper: str,
    pages: Sequence[str],
    output: str,
    min_fit: float,
    keep_constant: bool,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
) -> None:
    """Find on each PAGE what a wrapper was learned for.

    A PAGE is a file, an address on the web, or - for standard input.

    Of a wrapper for lists, the output is that of unweave records, with one table a page at most. Of one for fields, it has
    the fields of each page by name. Both tell the fit: 1 if all is as it was learned, 0 if nothing was found.
    """
    learned = Wrapper.load(wrapper)
    format = chosen_format or default_format(output)
    reader = Reader(charset=charset, url=url, allow_private=allow_private)
    is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
    with ExitStack() as stack:
        show = _open_sink(stack, output, format, learned, many=len(pages) > 1)
        for name, page in reader.pages(pages, progress=not is_shown):
            try:
                extraction = learned.apply(page)
            except PageError as error:
                reader.fail(name, error)
                continue
            if extraction.fit < min_fit:
                lacking = _format_missing(extraction.missing)
                reason = f"it fits {extraction.fit:.2f}, less than {min_fit:g}{lacking}"
                reader.fail(name, PageError(f"set aside: {reason}"))
                continue
            if not extraction:
                complain(f"{name}: does not fit the wrapper: nothing was found")
            if keep_constant and extraction.table is not None:
                extraction = replace(extraction, table=extraction.table.keep_constant_columns())
            show(name, extraction)
        if len(reader.failed) == len(pages):
            sys.exit(
                SOME_FAILED
            )  # before the output is closed, so that an older result stays as it was
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _format_missing(missing: Sequence[str]) -> str:
    """Return the end of an error message that names the missing fields or landmarks."""
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    return f"; missing: {', '.join(missing[:_MOST_NAMED])}{more}" if missing else ""


@click.command(epilog="Example:  unweave show site.json")
@click.argument("wrapper", metavar="WRAPPER.json")
def show(wrapper: str) -> None:
    """Explain a wrapper: its fields, what tells them, on how many pages they were seen, and examples."""
    learned = Wrapper.load(wrapper)
    with ExitStack() as stack:
        show_wrapper(console_for(stack, STANDARD_OUTPUT), wrapper, learned)


def _open_sink(
    stack: ExitStack, output: str, format: str, wrapper: Wrapper, *, many: bool
) -> Callable[[str, Extraction], None]:
    """Return a function that writes the extraction of one page after the other until the stack is closed."""
    if not wrapper.gives_fields:
        write = table_sink(stack, output, format, many=many, with_fit=True)
        return lambda name, own: write(name, [] if own.table is None else [own.table])
    tables = wrapper.nested_tables
    if format == TERMINAL_FORMAT:
        console = console_for(stack, output)
        return lambda name, own: show_fields(
            console, name, clean_fields(own.fields or {}), own.fit, tables
        )
    rows = stack.enter_context(open_row_writer(output, format))
    if is_tabular(format):
        return lambda name, own: rows.write(
            {"page": name, "fit": round(own.fit, 4), **clean_fields(own.fields or {})}
        )
    return lambda name, own: rows.write(_line(name, own.fields or {}, own.fit, tables))


def _line(
    page: str, fields: Fields, fit: float, tables: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return a line of JSON output: the fields of a page, and which of them are columns of one table."""
    nested: dict[str, list[str]] = {}
    for table, columns in tables.items():
        if present := [name for name in columns if name in fields]:
            nested[table] = present
    return {
        "page": page,
        "fields": fields,
        **({"tables": nested} if nested else {}),
        "fit": round(fit, 4),
    }
