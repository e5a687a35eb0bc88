"""The commands ``cluster`` and ``news``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack

import click

from unweave import api
from unweave.cli.reading import PageReader
from unweave.cli.shared import (
    DONE,
    SOME_FAILED,
    TERMINAL_FORMAT,
    allow_private_option,
    charset_option,
    choose_format,
    crawl_options,
    format_option,
    open_console,
    output_option,
    print_message,
    variant_option,
)
from unweave.cli.terminal import show_article
from unweave.clustering import clusters
from unweave.content.document import render_article
from unweave.content.news import LABELS, NewsOptions, read_articles
from unweave.page.page import Page
from unweave.sinks.output import STANDARD_OUTPUT
from unweave.sinks.registry import infer_format, open_row_writer
from unweave.sources.crawl import CrawlOptions
from unweave.wrappers.base import Wrapper


def _parse_threshold(ctx: click.Context, param: click.Parameter, value: str) -> float:
    try:
        return clusters.PAPER_THRESHOLD if value == "paper" else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor 'paper'") from None


@click.command(epilog="Example:  unweave cluster pages/*.html -o clusters.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option()
@click.option(
    "--threshold",
    metavar="S",
    callback=_parse_threshold,
    default=str(clusters.DEFAULT_THRESHOLD),
    show_default=True,
    help="Minimum average similarity of the pages of a cluster: 0 to 1, or 'paper' for 0.8.",
)
@crawl_options
@charset_option
@allow_private_option
def cluster(
    pages: Sequence[str],
    output: str,
    threshold: float,
    crawl: CrawlOptions | None,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Sort pages by the template that they were generated from.

    A PAGE is a file, a URL, or - for standard input. A folder or an archive (.warc, .zip,
    .tar, ...) stands for all its pages, and with --crawl a URL for all pages of its site.

    The output has one line for each page with the number of its cluster. Clusters are numbered in
    the order of their first pages.
    """
    reader = PageReader(charset=charset, allow_private=allow_private)
    names, loaded = _read_pages(reader, pages, crawl)
    numbers = api.cluster(loaded, threshold=threshold)
    if not names:
        sys.exit(SOME_FAILED)
    for warning in numbers.warnings:
        print_message(warning)
    with open_row_writer(
        output, "jsonl" if output == STANDARD_OUTPUT else infer_format(output)
    ) as rows:
        for name, number in zip(names, numbers, strict=True):
            rows.write({"page": name, "cluster": number})
    sys.exit(SOME_FAILED if reader.failed else DONE)


@click.command(epilog="Example:  unweave news pages/*.html -o news.jsonl")
@click.argument("pages", metavar="PAGE...", nargs=-1, required=True)
@output_option()
@click.option(
    "--labels",
    type=click.Choice(list(LABELS)),
    default="default",
    show_default=True,
    help="How to find title and body; paper follows the rules of Reis et al. alone.",
)
@click.option(
    "--patterns",
    metavar="WRAPPER.json",
    help="With --labels paper: a wrapper of learn --method news-pattern.",
)
@variant_option
@click.option("--markdown", is_flag=True, help="Add the article as Markdown.")
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
    markdown: bool,
    crawl: CrawlOptions | None,
    chosen_format: str | None,
    charset: str | None,
    allow_private: bool,
) -> None:
    """Extract the article of each PAGE: title, body, date and authors.

    A PAGE is a file, a URL, or - for standard input. A folder or an archive (.warc, .zip,
    .tar, ...) stands for all its pages, and with --crawl a URL for all pages of its site.

    Pages of one or many sites are clustered by template first, because what the pages of a template
    share is boilerplate. A single PAGE works too. A page without an article, such as a front page,
    has null as title and body. The body has one line for each paragraph.
    """
    format = chosen_format or choose_format(output)
    wrapper = None if patterns is None else Wrapper.load(patterns)
    options = NewsOptions(labels=labels, variant=variant, patterns=wrapper)
    reader = PageReader(charset=charset, allow_private=allow_private)
    names, loaded = _read_pages(reader, pages, crawl)
    if not names:
        sys.exit(SOME_FAILED)
    articles = read_articles(loaded, options)
    for warning in articles.warnings:
        print_message(warning)
    if labels == "paper" and not any(articles) and not articles.warnings:
        print_message(
            "no articles were found: the rules of the paper need several pages of one template"
        )
    with ExitStack() as stack:
        if format == TERMINAL_FORMAT:
            console = open_console(stack, output)
            for name, article in zip(names, articles, strict=True):
                show_article(console, name, article)
        else:
            rows = stack.enter_context(open_row_writer(output, format))
            for name, page, article in zip(names, loaded, articles, strict=True):
                row = {"page": name, **article.to_dict()}
                if markdown:
                    row["markdown"] = render_article(page, article)
                rows.write(row)
    sys.exit(SOME_FAILED if reader.failed else DONE)


def _read_pages(
    reader: PageReader, sources: Sequence[str], crawl: CrawlOptions | None
) -> tuple[list[str], list[Page]]:
    """Return the names of the pages that could be read, and the pages."""
    pages = list(reader.read_all_pages(sources, crawl))
    return [name for name, _ in pages], [page for _, page in pages]
