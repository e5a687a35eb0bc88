"""The commands ``learn``, ``apply`` and ``show``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from shlex import quote
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
    column_option,
    crawl_options,
    format_option,
    is_terminal,
    keep_constant_option,
    like_option,
    open_console,
    open_table_writer,
    output_option,
    parameter_option,
    parse_parameters,
    print_message,
    report_match,
    schema_option,
    url_option,
    variant_option,
)
from unweave.cli.terminal import show_fields, show_wrapper
from unweave.errors import PageError, UsageError
from unweave.sinks.field_rows import RowSink
from unweave.sinks.output import STANDARD_OUTPUT, open_text
from unweave.sinks.registry import is_tabular, is_typed, open_row_writer
from unweave.sources.crawl import CrawlOptions
from unweave.table import to_json_value
from unweave.variants import Variant
from unweave.wrappers.base import MIN_FIT, Extraction, Fields, Wrapper
from unweave.wrappers.drift import DriftMonitor
from unweave.wrappers.extractions import make_field_row, make_field_row_writer
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.learning import LEARNERS, Learner
from unweave.wrappers.repair import is_repairable, repair

MAX_NAMED_FIELDS = 8
"""How many missing fields an error message names."""


@click.command(epilog="Example:  unweave learn examples/products.html -o products.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option("WRAPPER.json", required=True, help="File to write the wrapper to.")
@click.option(
    "--method",
    metavar="[auto|fields|records|pattern|news-pattern|landmark|depta|...]",
    default="auto",
    show_default=True,
    help="What to learn; packages can add methods.",
)
@variant_option
@parameter_option
@click.option(
    "--search",
    metavar="[exact|astar|greedy|random]",
    help="With landmark: the search strategy.  [default: exact]",
)
@click.option(
    "--tokens",
    metavar="[words|texts]",
    help="With landmark: the unit of text.  [default: words]",
)
@click.option(
    "-k",
    metavar="K",
    type=click.IntRange(min=1),
    help="With landmark: minimum number of pages with a landmark.  [default: 2]",
)
@click.option(
    "--ties",
    metavar="[informed|random]",
    help="With landmark and a greedy search: how ties are broken.  [default: informed]",
)
@click.option(
    "--attributes/--no-attributes",
    default=None,
    help="With landmark: allow attributes of tags in landmarks.  [default: attributes]",
)
@click.option(
    "--budget",
    metavar="N",
    type=click.IntRange(min=0),
    help="With landmark: maximum number of tokens that an exact search examines.",
)
@click.option(
    "--table",
    metavar="N",
    type=click.IntRange(min=1),
    help="With records and depta: learn the N-th table of the pages.",
)
@like_option
@column_option
@click.option(
    "--example",
    "examples",
    metavar="NAME=VALUE",
    multiple=True,
    help="Keep the field with this value on one of the pages, under this name. Repeat for more.",
)
@schema_option
@click.option(
    "--from",
    "old_path",
    metavar="OLD.json",
    help="Learn this wrapper again from pages of a changed site, with its names of fields.",
)
@click.option(
    "--sample", metavar="N", type=click.IntRange(min=1), help="Learn from N of the pages only."
)
@click.option(
    "--seed",
    metavar="S",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of --sample, and of landmark.",
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
    old_path: str | None,
    sample: int | None,
    seed: int,
    crawl: CrawlOptions | None,
    charset: str | None,
    allow_private: bool,
    **options: Any,
) -> None:
    """Learn a wrapper from pages of one template.

    A PAGE is a file, a URL, or - for standard input. A folder or an archive (.warc, .zip,
    .tar, ...) stands for all its pages, and with --crawl a URL for all pages of its site.

    The wrapper is a JSON file for unweave apply, which extracts the same data from other pages.
    Methods: fields learns the values that differ from page to page; records the list of the pages;
    depta the aligned records of that list; pattern a tree pattern of the pages; news-pattern the
    title and body of news pages; landmark a grammar that splits pages at tokens that each of them
    contains once. auto is fields for several pages, and records for one.

    With --from, the wrapper is of the method of OLD.json. Fields that correspond to its fields have
    their names, and a message says which were kept, moved and lost, and which are new.
    """
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "examples" in given:
        given["examples"] = parse_examples(given["examples"])
    if variant is not None:
        given["variant"] = variant
    given |= parse_parameters(parameters, given)
    if old_path is not None and (given or method != "auto"):
        raise UsageError(
            "--from learns what the old wrapper has: give no method and no options of it"
        )
    old = None if old_path is None else Wrapper.load(old_path)
    if method == "landmark":
        given.setdefault("seed", seed)
    learner: Learner = LEARNERS.make(method, given)
    if old is None:
        learner.check_page_count(len(pages))
    if sample is not None and sample < len(pages):
        pages = Random(seed).sample(pages, sample)  # noqa: S311
    reader = PageReader(charset=charset, allow_private=allow_private)
    learned_from = [page for _, page in reader.read_all_pages(pages, crawl)]
    if not learned_from:
        sys.exit(SOME_FAILED)
    if sample is not None and sample < len(learned_from):  # of folders, archives and crawls
        learned_from = Random(seed).sample(learned_from, sample)  # noqa: S311
    if old is None:
        wrapper = learner.learn(learned_from)
    else:
        repaired = repair(old, learned_from)
        wrapper = repaired.wrapper
        for line in str(repaired).splitlines():
            print_message(line)
    if gap := wrapper.describe_gap():
        if given.get("variant") == Variant.PRINTED:
            print_message(f"the estimate that the paper prints cannot prove optimality: {gap}")
        else:
            print_message(f"the search reached its budget: {gap}")
    _report_schema(wrapper)
    with open_text(output) as file:
        file.write(wrapper.dumps() + "\n")
    sys.exit(SOME_FAILED if reader.failed else DONE)


def parse_examples(examples: Sequence[str]) -> dict[str, str]:
    """Parse ``NAME=VALUE`` pairs."""
    parsed: dict[str, str] = {}
    for example in examples:
        name, separator, value = example.partition("=")
        if not (separator and name and value):
            raise UsageError(f"--example takes NAME=VALUE, not {example[:60]!r}")
        if name in parsed:
            raise UsageError(f"two examples are called {name!r}")
        parsed[name] = value
    return parsed


def _report_schema(wrapper: Wrapper) -> None:
    """Print which fields of a schema were not found, or are not sure."""
    for each in wrapper.selected if isinstance(wrapper, FieldWrapper) else ():
        if each.confidence is not None:
            report_match(each.name, each.field, each.confidence)


@click.command(
    epilog="Example:  unweave apply products.json examples/products.html -o products.csv"
)
@click.argument("wrapper_path", metavar="WRAPPER.json")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option()
@click.option(
    "--min-fit",
    metavar="FIT",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Reject pages with a lower fit, and report what they lack.",
)
@column_option
@click.option("--values", is_flag=True, help="In CSV, convert numbers and dates to plain values.")
@keep_constant_option
@format_option
@charset_option
@url_option
@allow_private_option
def apply(
    wrapper_path: str,
    pages: Sequence[str],
    output: str,
    min_fit: float,
    columns: Sequence[str],
    values: bool,
    keep_constant: bool,
    chosen_format: str | None,
    charset: str | None,
    url: str | None,
    allow_private: bool,
) -> None:
    """Extract the data of each PAGE with a wrapper.

    A PAGE is a file, a URL, or - for standard input.

    A wrapper for lists gives the output of unweave records, with at most one table for each page;
    one for fields gives the fields of each page by name. Both give the fit: 1 if the page is like
    those that the wrapper was learned from, 0 if nothing was extracted.
    """
    wrapper = Wrapper.load(wrapper_path)
    if columns:
        wrapper = wrapper.select(*columns)
    format = chosen_format or choose_format(output)
    reader = PageReader(charset=charset, url=url, allow_private=allow_private)
    is_shown = output == STANDARD_OUTPUT and is_terminal(sys.stdout)
    drift = DriftMonitor(wrapper)
    selected = wrapper.selected if isinstance(wrapper, FieldWrapper) else ()
    required = {each.name for each in selected if each.is_required}
    invalid: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    with ExitStack() as stack:
        write = _open_extraction_writer(
            stack, output, format, wrapper, many=len(pages) > 1, values=values
        )
        for name, page in reader.read_pages(pages, progress=not is_shown):
            try:
                extraction = wrapper.apply(page)
                drift.add(extraction)
                if extraction.fit < min_fit:
                    missing = _format_missing(extraction.missing)
                    raise PageError(
                        f"rejected: its fit is {extraction.fit:.2f}, below {min_fit:g}{missing}"
                    )
            except PageError as error:
                reader.report_failure(name, error)
                continue
            invalid.update(extraction.invalid)
            lacking.update(required & set(extraction.missing))
            if not extraction:
                print_message(f"{name}: does not fit the wrapper: nothing was extracted")
            if keep_constant and extraction.table is not None:
                extraction = replace(extraction, table=extraction.table.keep_constant_columns())
            write(name, extraction)
        if len(reader.failed) == len(pages):
            _report_drift(drift, wrapper, wrapper_path, min_fit)
            sys.exit(SOME_FAILED)  # inside the block: the exit discards the unfinished output
    read = len(pages) - len(reader.failed)
    for field, count in lacking.items():
        print_message(f"{field}: {count} of {read} pages have no value, but it is required")
    for field, count in invalid.items():
        print_message(f"{field}: {count} of {read} pages have a value of another type")
    _report_drift(drift, wrapper, wrapper_path, min_fit)
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _report_drift(drift: DriftMonitor, wrapper: Wrapper, wrapper_path: str, min_fit: float) -> None:
    """Print what the pages have in common that the learned pages had not."""
    # Pages of a low fit that were rejected are named already.
    lines = drift.summarize(with_fits=min_fit < MIN_FIT)
    for line in lines:
        print_message(line)
    if lines and is_repairable(wrapper):
        print_message(
            "the site may have changed; to learn its new version under the same names, run"
            f" unweave learn --from {quote(wrapper_path)}"
        )
    elif lines:
        print_message("the site may have changed; learn a new wrapper from its pages")


def _list_names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - MAX_NAMED_FIELDS
    more = f" and {rest} more" if rest > 0 else ""
    return f"{', '.join(names[:MAX_NAMED_FIELDS])}{more}"


def _format_missing(missing: Sequence[str]) -> str:
    """Return the end of an error message that names the missing fields or landmarks."""
    return f"; missing: {_list_names(missing)}" if missing else ""


@click.command(epilog="Example:  unweave show site.json")
@click.argument("wrapper", metavar="WRAPPER.json")
def show(wrapper: str) -> None:
    """Describe a wrapper: its fields, how they are located, and on how many pages they occurred."""
    learned = Wrapper.load(wrapper)
    with ExitStack() as stack:
        show_wrapper(open_console(stack, STANDARD_OUTPUT), wrapper, learned)


def _open_extraction_writer(
    stack: ExitStack, output: str, format: str, wrapper: Wrapper, *, many: bool, values: bool
) -> Callable[[str, Extraction], None]:
    """Return a function that writes the extraction of a page, until the stack is closed."""
    if not wrapper.gives_fields:
        write_tables = open_table_writer(
            stack, output, format, many=many, with_fit=True, values=values
        )

        def write_table(name: str, extraction: Extraction) -> None:
            write_tables(name, [] if extraction.table is None else [extraction.table])

        return write_table

    if format == TERMINAL_FORMAT:
        console = open_console(stack, output)

        def print_fields(name: str, extraction: Extraction) -> None:
            fields = extraction.clean_fields()
            show_fields(console, name, fields, extraction.fit, wrapper.nested_tables)

        return print_fields

    rows: RowSink = stack.enter_context(open_row_writer(output, format))
    if is_tabular(format):
        ordered = make_field_row_writer(rows, wrapper, is_typed=values or is_typed(format))
        stack.callback(ordered.close)
        rows = ordered

    def write_fields(name: str, extraction: Extraction) -> None:
        if is_tabular(format):
            rows.write(make_field_row(wrapper, name, extraction))
            return
        fields, fit = extraction.fields or {}, round(extraction.fit, 4)
        tables = _find_present_tables(fields, wrapper.nested_tables)
        converted = {name: to_json_value(value) for name, value in extraction.values.items()}
        optional = {"tables": tables, "values": converted, "others": extraction.others}
        given = {key: value for key, value in optional.items() if value}
        rows.write({"page": name, "fields": fields, **given, "fit": fit})

    return write_fields


def _find_present_tables(
    fields: Fields, tables: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return the tables inside a page: for each that has columns there, their names."""
    present: dict[str, list[str]] = {}
    for table, columns in tables.items():
        if names := [name for name in columns if name in fields]:
            present[table] = names
    return present
