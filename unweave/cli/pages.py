"""Commands that sort pages, and read articles."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
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
    complain,
    console_for,
    crawl_options,
    default_format,
    format_option,
    output_option,
    variant_option,
)
from unweave.cli.terminal import show_article
from unweave.content.article import Article
from unweave.content.news import LABELS, NewsOptions
from unweave.page.page import Page
from unweave.sinks.output import STANDARD_OUTPUT
from unweave.sinks.registry import infer_format, open_row_writer
from unweave.sources.crawl import CrawlOptions
from unweave.wrappers.base import Wrapper


def _similarity(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """A similarity, or the name of one."""
    try:
        return api.THRESHOLDS["paper"] if value == "paper" else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no number, and not the word paper") from None


@click.command(epilog="Example:  unweave cluster pages/*.html -o clusters.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option
@click.option(
    "--threshold",
    metavar="S",
    callback=_similarity,
    default=str(api.THRESHOLDS["default"]),
    show_default=True,
    help="How alike the pages of two groups must be on average to be one: from 0 to 1, or paper for 0.8.",
)
@crawl_options
@charset_option
@allow_private_option
def cluster(
    pages: Sequence[str],
    output: str,
    threshold: float,
    reach: CrawlOptions | None,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Sort pages by the template that they were made from.

    A PAGE is a file, an address on the web, or - for standard input. A folder or an archive (.warc, .zip, .tar and the
    like) stands for all its pages, and with --crawl an address for all pages of its site.

    The output has one page a line with the number of its cluster. Clusters are numbered in the order of their first pages.
    """
    reader = Reader(charset=charset, allow_private=allow_private)
    names, found = _read(reader, pages, reach)
    numbers = api.cluster(found, threshold=threshold)
    if not names:
        sys.exit(SOME_FAILED)
    for note in numbers.notes:
        complain(note)
    with open_row_writer(
        output, "jsonl" if output == STANDARD_OUTPUT else infer_format(output)
    ) as rows:
        for name, number in zip(names, numbers, strict=True):
            rows.write({"page": name, "cluster": number})
    sys.exit(SOME_FAILED if reader.failed else DONE)


@click.command(epilog="Example:  unweave news pages/*.html -o news.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option
@click.option(
    "--labels",
    type=click.Choice(list(LABELS)),
    default="default",
    show_default=True,
    help="How to tell title and body; paper does it by the rules of Reis et al. alone.",
)
@click.option(
    "--patterns",
    metavar="WRAPPER.json",
    help="With the labels of the paper: read with what learn --method news-pattern gave.",
)
@variant_option
@crawl_options
@format_option
@charset_option
@allow_private_option
def news(
    pages: Sequence[str],
    output: str,
    labels: str,
    patterns: str | None,
    variant: str | None,
    reach: CrawlOptions | None,
    chosen_format: str | None,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Find the article of each PAGE: title, body, date and authors.

    A PAGE is a file, an address on the web, or - for standard input. A folder or an archive (.warc, .zip, .tar and the
    like) stands for all its pages, and with --crawl an address for all pages of its site.

    Pages of one site or of many are sorted by template first: what those of one template share is no news. A PAGE alone is
    read as well. One that is no article, such as a front page, has null as title and body. The body has a paragraph a line.
    """
    format = chosen_format or default_format(output)
    options: dict[str, Any] = {"labels": labels, **({"variant": variant} if variant else {})}
    if patterns is not None:
        options["patterns"] = Wrapper.load(patterns)
    NewsOptions(**options)  # wrong options are reported before any page is read
    reader = Reader(charset=charset, allow_private=allow_private)
    names, found = _read(reader, pages, reach)
    if not names:
        sys.exit(SOME_FAILED)
    articles = api.news(found, **options)
    for note in articles.notes:
        complain(note)
    if labels == "paper" and not any(articles) and not articles.notes:
        complain(
            "no articles were found: the rules of the paper need several pages of one template"
        )
    with ExitStack() as stack:
        show = _article_sink(stack, output, format)
        for name, article in zip(names, articles, strict=True):
            show(name, article)
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _read(
    reader: Reader, sources: Sequence[str], reach: CrawlOptions | None
) -> tuple[list[str], list[Page]]:
    """Return the names of the pages of the sources that can be read, and the pages."""
    read = list(reader.crawled(sources, reach))
    return [name for name, _ in read], [page for _, page in read]


def _article_sink(stack: ExitStack, output: str, format: str) -> Callable[[str, Article], None]:
    """What takes one article after the other, until the stack is closed."""
    if format == TERMINAL_FORMAT:
        return partial(show_article, console_for(stack, output))
    rows = stack.enter_context(open_row_writer(output, format))
    return lambda name, article: rows.write({"page": name, **article.to_dict()})
