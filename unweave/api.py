"""The verbs that users call. Each imports what it needs when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, overload

from unweave.errors import UsageError
from unweave.loading import (
    PageInput,
    get_source_name,
    is_page_input,
    list_page_inputs,
    load_page,
)
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.registry import Registry

if TYPE_CHECKING:
    from unweave.column_selection import ColumnSpec
    from unweave.comparison.reading import TableInput, TableName
    from unweave.comparison.table_diff import TableDiff
    from unweave.content.document import Document
    from unweave.content.news import Articles
    from unweave.lists.method import ListMethod
    from unweave.lists.table_building import Tables
    from unweave.page.page import Page
    from unweave.pipeline.options import Progress
    from unweave.pipeline.write import Summary
    from unweave.reports.explain import Report
    from unweave.table import Table
    from unweave.wrappers.base import Extraction, Wrapper
    from unweave.wrappers.extractions import Extractions
    from unweave.wrappers.learning import Learner
    from unweave.wrappers.repair import Repair

T = TypeVar("T")


@overload
def records(  # type: ignore[overload-overlap]  # a string is one source
    source: PageInput,
    *,
    method: str | ListMethod = ...,
    want: str | Iterable[str] = ...,
    like: Sequence[str | int] = ...,
    alternatives: bool = ...,
    data: bool = ...,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Tables: ...


@overload
def records(
    source: Iterable[PageInput],
    *,
    method: str | ListMethod = ...,
    want: str | Iterable[str] = ...,
    like: Sequence[str | int] = ...,
    alternatives: bool = ...,
    data: bool = ...,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Iterator[Tables]: ...


def records(
    source: PageInput | Iterable[PageInput],
    *,
    method: str | ListMethod = "auto",
    want: str | Iterable[str] = (),
    like: Sequence[str | int] = (),
    alternatives: bool = False,
    data: bool = False,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Tables | Iterator[Tables]:
    """Find the lists of a page and return them as tables, best first; of several pages, iterate.

    The first table is the page's list; further ones are other lists of its content. The result is
    empty if the page has no list. ``alternatives`` adds what is less likely a list, and other ways
    to cut the same text into records.

    ``method`` is a name, or a method with options such as ``Mdr(k=5)``. ``want`` names types that
    the records hold (``["price", "image"]``): tables with all of them come first. ``like`` are two
    elements, as XPaths, of two records: their list is the only table. With ``data``, the tables are
    the lists of objects in the page's scripts (JSON-LD, JSON and the state of applications),
    microdata and RDFa instead. The ``warnings`` of the result say what was left out.
    """
    from unweave.lists.data_tables import find_data_tables
    from unweave.lists.method import METHODS, find_tables

    options = {"want": want, "like": like, "alternatives": alternatives}
    if data and (method != "auto" or any(options.values())):
        raise UsageError("data cannot be used with other ways to find lists")
    list_method: ListMethod = _make(METHODS, method, options)

    def find(page: Page) -> Tables:
        return find_data_tables(page) if data else find_tables(page, list_method)

    if is_page_input(source):
        page = load_page(source, url=url, charset=charset, limits=limits)
        return find(page)
    sources = list_page_inputs(source)
    pages = (load_page(each, url=url, charset=charset, limits=limits) for each in sources)
    return map(find, pages)


def join_records(
    sources: PageInput | Iterable[PageInput],
    *,
    want: str | Iterable[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Table | None, str | None]:
    """Return the list that several pages continue as one table, and the URL of the next page.

    Either is None where there is none. The table's ``page`` is all pages joined; its ``find_page``
    tells which of them a node belongs to.
    """
    from unweave.lists.default import DefaultMethod, find_shared_list
    from unweave.lists.method import build_method_table
    from unweave.lists.next_page import find_next_page

    pages = _load_pages(sources, limits)
    if not pages:
        raise UsageError("no pages to read")
    method = DefaultMethod(want=want)
    shared = find_shared_list(pages, want=method.want)
    if shared is None:
        return None, find_next_page(pages[-1])
    score, joined, listing = shared
    table = build_method_table(method, joined, listing, score, method.make_aligner(joined))
    return table, find_next_page(pages[-1])


def explain(
    source: PageInput,
    *,
    name: str = "page",
    want: str | Iterable[str] = (),
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """Return a report in HTML: how the list of a page was found, and why other candidates lost.

    It is a text; notebooks show it in a frame.
    """
    from unweave.reports.explain import build_report

    page = load_page(source, url=url, charset=charset, limits=limits)
    return build_report(page, name=name, want=want)


def learn(
    sources: PageInput | Iterable[PageInput],
    *,
    method: str | Learner = "auto",
    table: int | None = None,
    like: Sequence[str | int] = (),
    columns: Iterable[ColumnSpec | str] = (),
    examples: Mapping[str, str] | None = None,
    schema: Any = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Wrapper:
    """Learn a wrapper from pages of one template.

    ``method`` is a name, or a learner with options such as ``LandmarkLearner(search="greedy")``:

    - ``auto``: ``fields`` from several pages, ``records`` from one;
    - ``fields``: the values that differ from page to page, by label, header and template path;
    - ``records``: the list that the pages have in common;
    - ``depta``: the same, by the aligned records (seed) of DEPTA;
    - ``pattern``: a tree pattern of each template, whose wildcards are fields;
    - ``news-pattern``: such patterns with the title and the body of news;
    - ``landmark``: a grammar that splits pages at tokens that occur once in each.

    The result has the fields or columns of ``columns`` (texts such as ``price=cost:number``), the
    fields that have the values of ``examples`` on one of the pages (``{"title": "The Hobbit"}``),
    or those of a ``schema``: a JSON Schema, its file, a pydantic model or a dataclass. ``table``
    and ``like`` are for lists: the number of the table, and two elements of its records as for
    ``records``.
    """
    from unweave.wrappers.learning import LEARNERS

    options = {
        "table": table,
        "like": like,
        "columns": columns,
        "examples": examples,
        "schema": schema,
    }
    learner: Learner = _make(LEARNERS, method, options)
    pages = _load_pages(sources, limits)
    if not pages:
        raise UsageError("no pages to learn from")
    return learner.learn(pages)


def schema_of(wrapper: Wrapper | str | PathLike[str]) -> dict[str, Any]:
    """Return the JSON Schema of what a wrapper or its file extracts."""
    from unweave.wrappers.base import Wrapper

    learned = wrapper if isinstance(wrapper, Wrapper) else Wrapper.load(wrapper)
    return learned.schema.to_json()


def repair(
    wrapper: Wrapper | str | PathLike[str],
    sources: PageInput | Iterable[PageInput],
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> Repair:
    """Learn a wrapper for fields or lists again from pages of a changed site, with its names.

    Fields of the new ``wrapper`` have the names of the old ones that they correspond to, by the
    texts that both read, labels, names and the look of the values. ``kept``, ``moved``, ``lost``
    and ``new`` of the result name the fields that are located as before, in another way, not at
    all, and that the old wrapper did not have.
    """
    from unweave.wrappers.base import Wrapper
    from unweave.wrappers.repair import repair as repair_wrapper

    learned = wrapper if isinstance(wrapper, Wrapper) else Wrapper.load(wrapper)
    return repair_wrapper(learned, _load_pages(sources, limits))


@overload
def apply(  # type: ignore[overload-overlap]  # a string is one source
    wrapper: Wrapper | str | PathLike[str],
    source: PageInput,
    *,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Extraction: ...


@overload
def apply(
    wrapper: Wrapper | str | PathLike[str],
    source: Iterable[PageInput],
    *,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Extractions: ...


def apply(
    wrapper: Wrapper | str | PathLike[str],
    source: PageInput | Iterable[PageInput],
    *,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Extraction | Extractions:
    """Extract the table or the fields of a page with a wrapper or its file; of several, iterate.

    The iterator has ``to_dicts`` and ``to_pandas`` for the rows of all pages.
    """
    from unweave.wrappers.base import Wrapper
    from unweave.wrappers.extractions import Extractions

    learned = wrapper if isinstance(wrapper, Wrapper) else Wrapper.load(wrapper)
    if is_page_input(source):
        return learned.apply(load_page(source, url=url, charset=charset, limits=limits))
    sources = list_page_inputs(source)
    pages = (
        (get_source_name(each), load_page(each, url=url, charset=charset, limits=limits))
        for each in sources
    )
    return Extractions(learned, pages)


def diff(
    old: TableInput,
    new: TableInput,
    *,
    key: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    all_columns: bool = False,
    table: TableName | Sequence[TableName] = None,
) -> TableDiff:
    """Compare two tables: which rows were added, removed and changed, by field.

    A table is the path of a file that ``apply``, ``records``, ``site`` or another program wrote, or
    an iterable of rows (dictionaries by column name), a ``Table``, or a data frame.

    ``key`` names the columns that identify a row; without it, ``page`` or ``url`` does. Columns in
    ``ignore``, and with ``only`` all others, are left out. A column that only one table has is
    reported, and compared as empty in the other with ``all_columns``. ``table`` is the name of a
    table in a database, or the number of a table of each page; two of them are for the old and the
    new table. The ``warnings`` of the result say if a key is empty or occurs more than once.
    """
    from unweave.comparison.reading import load_tables
    from unweave.comparison.table_diff import compare_tables

    tables = load_tables(old, new, table)
    return compare_tables(*tables, key=key, ignore=ignore, only=only, all_columns=all_columns)


class ClusterNumbers(list[int]):
    """The numbers of the clusters of pages, in the order of the pages."""

    warnings: tuple[str, ...] = ()
    """Messages for the user, such as that some similarities were estimated."""


def cluster(
    sources: PageInput | Iterable[PageInput],
    *,
    threshold: float | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ClusterNumbers:
    """Return the number of each page's cluster: pages of one template share it.

    Clusters are numbered in the order of their first pages. Two clusters are joined if the average
    similarity of their pages, from 0 to 1, is at least the threshold. The ``warnings`` of the
    result say if similarities were estimated, because the pages are too large and too different.
    """
    from unweave.clustering.clusters import DEFAULT_THRESHOLD, Clusters
    from unweave.content.news import describe_estimates

    clusters = Clusters(DEFAULT_THRESHOLD if threshold is None else threshold)
    pages = (load_page(source, limits=limits) for source in list_page_inputs(sources))
    numbers = ClusterNumbers(clusters.add(pages))
    numbers.warnings = tuple(describe_estimates(clusters))
    return numbers


def news(
    sources: PageInput | Iterable[PageInput],
    *,
    labels: str = "default",
    variant: str | None = None,
    patterns: Wrapper | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Articles:
    """Return the article of each page of one or many sites; that of a page without one is false.

    Pages are clustered by template first, because what the pages of a template share is
    boilerplate; one page alone works too. ``labels="paper"`` finds title and body by the rules of
    Reis et al. in a ``variant``: with a pattern of each cluster, or with the ``patterns`` that
    ``learn(method="news-pattern")`` gave, where ``cluster`` is the number of the pattern and None
    for a page that matches none. The ``warnings`` of the result say what could not be read.
    """
    from unweave.content.news import NewsOptions, read_articles

    options = NewsOptions(labels=labels, variant=variant, patterns=patterns)
    return read_articles(_load_pages(sources, limits), options)


@overload
def text(  # type: ignore[overload-overlap]  # a string is one source
    source: PageInput,
    *,
    links: bool = ...,
    images: bool = ...,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Document: ...


@overload
def text(
    source: Iterable[PageInput],
    *,
    links: bool = ...,
    images: bool = ...,
    url: str | None = ...,
    charset: str | None = ...,
    limits: Limits = ...,
) -> Iterator[Document]: ...


def text(
    source: PageInput | Iterable[PageInput],
    *,
    links: bool = True,
    images: bool = True,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Document | Iterator[Document]:
    """Return the main content of a page as text and Markdown, with metadata; of several, iterate.

    Of several pages, those of one site are clustered by template, in batches, because what the
    pages of a template share is boilerplate. ``links`` and ``images`` tell whether the Markdown
    has them. ``url`` makes the links and images of a page absolute that has no URL of its own.
    """
    from unweave.content.document import extract_text
    from unweave.content.texts import iter_texts

    if is_page_input(source):
        page = load_page(source, url=url, charset=charset, limits=limits)
        return extract_text(page, links=links, images=images)
    sources = list_page_inputs(source)
    pages = (load_page(each, url=url, charset=charset, limits=limits) for each in sources)
    return iter_texts(pages, links=links, images=images)


def site(
    sources: str | PathLike[str] | Iterable[str | PathLike[str]],
    out: str | PathLike[str],
    *,
    format: str | None = None,
    schema: str = "public",
    work: str | PathLike[str] | None = None,
    until: str = "write",
    fresh: bool = False,
    sample: int = 300,
    texts: bool = False,
    columns: Iterable[str] = (),
    runner: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    max_pages: int = 10_000,
    max_depth: int | None = None,
    hosts: Iterable[str] = (),
    delay: float = 1.0,
    progress: Progress | bool | None = None,
) -> Summary:
    """Sort the pages of sites into tables, one for each template, and write the tables.

    A source is a folder, a file, an archive, a sitemap, or the URL of a site, which is crawled.
    ``out`` is a DuckDB or SQLite file, a ``postgresql://`` URL, or a folder for files of the
    format. The results of each step are kept in the folder ``work``, and a later run continues
    with them; without it, they are kept beside ``out`` until the run is complete. With ``texts``,
    values are written as the texts that pages show, without conversion to numbers and dates.
    With ``columns``, each as ``TABLE.COLUMN[=NAME][:TYPE]``, a table has those that are named of
    it, in this order.
    ``progress`` is called with the step, the number of its finished tasks and of all; True shows
    bars in a notebook or on a terminal.
    """
    from unweave.pipeline.options import SiteOptions, no_progress
    from unweave.pipeline.progress import show_progress
    from unweave.pipeline.run import run_site
    from unweave.runners.runner import make_runner
    from unweave.sources.crawl import CrawlOptions

    locations = [sources] if isinstance(sources, str | PathLike) else sources
    options = SiteOptions(
        format=format,
        schema=schema,
        work=None if work is None else str(work),
        until=until,
        fresh=fresh,
        sample=sample,
        texts=texts,
        columns=tuple(columns),
        crawl=CrawlOptions(max_pages, max_depth, tuple(hosts), delay),
    )
    bars = show_progress() if progress is True else nullcontext(progress or no_progress)
    with (
        closing(make_runner(runner, workers=workers, address=address)) as chosen_runner,
        bars as report,
    ):
        return run_site(
            [str(location) for location in locations],
            str(out),
            options,
            runner=chosen_runner,
            progress=report,
        )


def _load_pages(sources: PageInput | Iterable[PageInput], limits: Limits) -> list[Page]:
    return [load_page(source, limits=limits) for source in list_page_inputs(sources)]


def _make(registry: Registry[type[T]], method: str | T, options: Mapping[str, Any]) -> T:
    """Return the method of a name with the options that are given, or the method itself."""
    given = {name: value for name, value in options.items() if value}
    if isinstance(method, str):
        return registry.make(method, given)  # type: ignore[no-any-return]
    if given:
        raise UsageError(f"give {next(iter(given))} to the method that you have made")
    return method
