"""What users call. The only place where the rooms of the house meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from inspect import Parameter, signature
from os import PathLike
from typing import TYPE_CHECKING, Any

from unweave.clustering import clusters as cluster_pages
from unweave.column_selection import ColumnSpec, parse_columns
from unweave.content.news import Articles, NewsOptions, describe_estimates, read_articles
from unweave.errors import UsageError
from unweave.lists import default as auto
from unweave.lists.default import find_list_by_example, find_shared_list
from unweave.lists.listing import Aligner, Listing, RankedLists, Record
from unweave.lists.methods import ctvs, depta, mdr
from unweave.lists.next_page import find_next_page
from unweave.lists.paper_alignment import make_path_aligner, make_tree_aligner
from unweave.lists.paper_ranking import rank_by_text_and_images
from unweave.lists.ranking import parse_required_types
from unweave.lists.table_building import Namer, Tables, build_table
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.page.parse import is_url, read_file
from unweave.pipeline.options import (
    SAMPLE_PAGES,
    STEPS,
    Progress,
    SiteOptions,
    no_progress,
)
from unweave.pipeline.run import run_site
from unweave.pipeline.write import Summary
from unweave.reports.explain import report
from unweave.runners.runner import RUNNER_NAMES, make_runner
from unweave.selectors.evaluation import SamplePage
from unweave.selectors.export import Progress as ExportProgress
from unweave.selectors.export import no_progress as no_export_progress
from unweave.selectors.expressions import Form
from unweave.sinks.folder import FOLDER_FORMATS
from unweave.sinks.registry import DEFAULT_SCHEMA
from unweave.sources.crawl import CrawlOptions
from unweave.table import Table
from unweave.wrappers.base import Fields, Wrapper
from unweave.wrappers.fields import learn as induce_slots
from unweave.wrappers.landmarks import learn as induce_landmarks
from unweave.wrappers.lists import learn as induce_records
from unweave.wrappers.pattern import learn as induce_pattern
from unweave.wrappers.seed import learn as induce_seed

if TYPE_CHECKING:
    from unweave.fetching.fetch import Fetcher, Response

# Pages could ask for far more output than they have bytes: by nesting lists, or by deep and long XPaths.
MAX_OUTPUT_ITEMS = 4_000_000

_ONE_PAGE = "give a list of pages, and not one page"

Source = Page | bytes | str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Method:
    """How to find the lists of a page, best first, and how to align the records of one."""

    ranked: Callable[..., RankedLists]
    aligner: Callable[..., Aligner]
    text_of: Callable[[Page, Record], str] = Page.join_subtrees
    """What a record says as a whole."""
    name: Namer | None = None
    """What the columns are called; numbered by their kinds without it."""
    view: Callable[..., Page] = lambda page: page
    """The page as the method reads it: the same nodes, perhaps nested in another way."""
    is_lazy: bool = False
    """May columns be found when they are asked for? Not where lists share a budget: the first ones come first."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The method's own parameters by name: those of its steps."""
        return {**_keywords(self.ranked), **_keywords(self.aligner)}


def _keywords(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a function that are given by name only."""
    parameters = signature(function).parameters
    return {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind is Parameter.KEYWORD_ONLY
    }


def _given(function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that a function takes."""
    return {name: value for name, value in parameters.items() if name in _keywords(function)}


def _ranked(
    find: Callable[..., list[Listing]], order: Callable[[Page, list[Listing]], RankedLists]
) -> Callable[..., RankedLists]:
    """Return a function with the parameters of ``find`` that puts what it finds in order."""

    @wraps(find)
    def ranked(page: Page, **parameters: Any) -> RankedLists:
        return order(page, find(page, **parameters))

    return ranked


def _auto(page: Page, *, want: Iterable[str] = (), like: Sequence[str | int] = ()) -> RankedLists:
    return [(1.0, _meant(page, like))] if like else auto.rank_lists(page, want=want)


def _meant(page: Page, like: Sequence[str | int]) -> Listing:
    """The list of which two elements, by their XPaths or their numbers, stand in a record each."""
    _check_like(like)
    nodes = [page.find_xpath(element) if isinstance(element, str) else element for element in like]
    if missing := [element for element, node in zip(like, nodes, strict=True) if node is None]:
        raise UsageError(f"the page has no element {str(missing[0])[:200]}")
    one, other = (node for node in nodes if node is not None)
    return find_list_by_example(page, one, other)


METHODS = {
    "auto": Method(_auto, auto.make_aligner, Page.join_siblings, auto.name_columns, is_lazy=True),
    "mdr": Method(_ranked(mdr.find, rank_by_text_and_images), make_path_aligner),
    "depta": Method(
        _ranked(depta.find, rank_by_text_and_images), make_tree_aligner, view=depta.as_drawn
    ),
    "ctvs": Method(ctvs.ranked, ctvs.by_value),
}
"""The methods by name. ``auto`` is what users get who name none."""


def _learn_list(
    pages: Sequence[Page],
    *,
    table: int = 1,
    like: Sequence[str | int] = (),
    columns: Iterable[ColumnSpec | str] = (),
) -> Wrapper:
    candidates = [[listing for _, listing in _auto(page, like=like)] for page in pages]
    most = max(map(len, candidates))
    if most and table > most:
        raise UsageError(f"there is no table {table}; the pages have at most {most}")
    return induce_records.learn(
        pages,
        [listings[table - 1 :] for listings in candidates],
        selected_columns=parse_columns(columns),
    )


def _learn_auto(pages: Sequence[Page], **parameters: Any) -> Wrapper:
    check_learn("auto", parameters, pages=len(pages))
    return induce_slots.learn(pages) if len(pages) > 1 else _learn_list(pages, **parameters)


def _with_options(learn: Callable[..., Wrapper], options: type[Any]) -> Callable[..., Wrapper]:
    """Return a learner that takes the fields of its options as keywords."""

    @wraps(options, updated=())
    def learner(pages: Sequence[Page], **parameters: Any) -> Wrapper:
        return learn(pages, options(**parameters))

    return learner


LEARNERS: dict[str, Callable[..., Wrapper]] = {
    "auto": _learn_auto,
    "fields": induce_slots.learn,
    "records": _learn_list,
    "pattern": _with_options(induce_pattern.learn, induce_pattern.PatternOptions),
    "news-pattern": _with_options(induce_pattern.learn_news, induce_pattern.NewsPatternOptions),
    "landmark": _with_options(induce_landmarks.learn, induce_landmarks.LandmarkOptions),
    "depta": _with_options(induce_seed.learn, induce_seed.SeedOptions),
}
"""The ways to learn a wrapper by name."""


_METHOD_PARAMETERS = {name: method.parameters for name, method in METHODS.items()}
_LEARNER_PARAMETERS = {
    name: _keywords(_learn_list if name == "auto" else learner)
    for name, learner in LEARNERS.items()
}


def check_records(method: str, parameters: Mapping[str, Any]) -> None:
    """Raise a UsageError if ``records`` cannot take these parameters for this method, whatever the page."""
    _check_names(method, parameters, _METHOD_PARAMETERS)
    parse_required_types(parameters.get("want") or ())
    _check_choice(parameters, "want")


def check_learn(method: str, parameters: Mapping[str, Any], *, pages: int | None = None) -> None:
    """Raise a UsageError if ``learn`` cannot take these parameters for this method and number of pages, if it is known."""
    _check_names(method, parameters, _LEARNER_PARAMETERS)
    if parameters.get("table", 1) < 1:
        raise UsageError("tables are counted from 1")
    _check_choice(parameters, "table")
    if method == "auto" and parameters and pages is not None and pages > 1:
        raise UsageError(
            f"{next(iter(parameters))} is a parameter of lists, and auto learns fields from several pages:"
            " give the method records"
        )


def _check_names(
    method: str, given: Mapping[str, Any], allowed: Mapping[str, Mapping[str, Parameter]]
) -> None:
    """Raise a UsageError that names a method or a parameter that is not there and those that are, or a wrong value."""
    if method not in allowed:
        raise UsageError(f"unknown method {method!r}; there are {', '.join(allowed)}")
    for name in given:
        if name not in allowed[method]:
            others = [other for other, names in allowed.items() if name in names]
            hint = f" ({name} is a parameter of {_enumerate(others)})" if others else ""
            has = _enumerate([*allowed[method]])
            raise UsageError(f"the method {method} has no parameter {name}; it has {has}{hint}")
        _check_type(name, given[name], allowed[method][name].default)


def _check_type(name: str, value: Any, default: Any) -> None:
    """Raise a UsageError if the value of a parameter is of another type than its default. A switch has None: it depends."""
    types: dict[type, tuple[type | tuple[type, ...], str]] = {
        bool: (bool, "yes or no"),
        int: (int, "a whole number"),
        float: ((int, float), "a number"),
    }
    wanted, words = types.get(bool if default is None else type(default), (object, ""))
    is_wrong_bool = (
        isinstance(value, bool) and default is not None and not isinstance(default, bool)
    )
    if not isinstance(value, wanted) or (words and is_wrong_bool):
        raise UsageError(f"{name} must be {words}, not {value!r}")


def _check_choice(parameters: Mapping[str, Any], other: str) -> None:
    """Raise a UsageError if ``like`` is no pair, or is given beside another parameter that chooses a table."""
    if not parameters.get("like"):
        return
    _check_like(parameters["like"])
    if parameters.get(other):
        raise UsageError(f"{other} and like cannot be given together: like names the one table")


def _check_like(like: Sequence[str | int]) -> None:
    if isinstance(like, str) or len(like) != 2:
        count = 1 if isinstance(like, str) else len(like)
        raise UsageError(
            f"like takes two elements, not {count}: one in each of two records of the list"
        )


def _enumerate(names: Sequence[str]) -> str:
    """Return names as a phrase: ``a, b and c``, or ``none``."""
    *most, last = names or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def records(
    source: Source,
    *,
    method: str = "auto",
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **parameters: Any,
) -> Tables:
    """The tables of one page, best first; an empty list if it has none. Its ``notes`` say if some were left out.

    The source is a Page, or what ``read`` takes: bytes, a path, or a string that is markup if it has a ``<``, else an
    address on the web if it begins like one, else a path. Further keywords are
    the method's own parameters: ``want`` of ``auto``, a list of what the records hold (``["price", "image"]``), so that
    tables with such columns come first; ``like``, two elements by their XPaths, which gives the one table that has them in
    two records. ``want`` and ``like`` exclude each other. The methods of papers take ``variant`` (``printed``,
    ``corrected`` or ``improved``), ``mdr`` and ``depta`` also ``k`` and ``t``; docs/methods.md lists all.
    """
    if "want" in parameters:
        parameters["want"] = parse_required_types(
            parameters["want"] or ()
        )  # once: it may be an iterator
    check_records(method, parameters)
    chosen = METHODS[method]
    page = load_page(source, url=url, charset=charset, limits=limits)
    page = chosen.view(page, **_given(chosen.view, parameters))
    ranked = chosen.ranked(page, **_given(chosen.ranked, parameters))
    aligner = chosen.aligner(page, **_given(chosen.aligner, parameters))
    builders: list[Callable[[], Table]] = []
    warnings: list[str] = []
    budget = MAX_OUTPUT_ITEMS
    for score, listing in ranked:
        builders.append(
            partial(build_table, page, listing, score, aligner, chosen.text_of, chosen.name)
        )
        budget -= _estimate_output(page, listing)
        if budget < 0:
            warnings.append(
                f"only {len(builders)} of {len(ranked)} lists are given: they are too large together"
            )
            break
    tables = Tables(builders, warnings)
    if not chosen.is_lazy:
        list(tables)  # in order, so that the first lists get the shared budget first
    return tables


def join_records(
    sources: Iterable[Source], *, want: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS
) -> tuple[Table | None, str | None]:
    """The list that several pages continue as one table, and the address of the page after the last, if there is one.

    The table's ``page`` is all of the pages, and tells by ``page_of`` which of them a node of a record stands on.
    """
    pages = [load_page(source, limits=limits) for source in _several(sources)]
    if not pages:
        raise UsageError("there are no pages to read")
    found = find_shared_list(pages, want=want)
    if found is None:
        return None, find_next_page(pages[-1])
    score, joined, listing = found
    method = METHODS["auto"]
    table = build_table(joined, listing, score, method.aligner(joined), method.text_of, method.name)
    return table, find_next_page(pages[-1])


def explain(
    source: Source,
    *,
    name: str = "page",
    want: Iterable[str] = (),
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """A page for the browser that shows how ``auto`` found the list of a page, and why other candidates lost."""
    return report(load_page(source, url=url, charset=charset, limits=limits), name=name, want=want)


def _estimate_output(page: Page, listing: Listing) -> int:
    """About how large the output of a list is: its texts, and the steps of its records' XPaths."""
    steps = sum(1 for _ in page.tree.ancestors(listing.records[0][0]))
    return sum(map(page.count_texts, listing.nodes)) + len(listing.records) * steps


def learn(
    sources: Iterable[Source],
    *,
    method: str = "auto",
    limits: Limits = DEFAULT_LIMITS,
    **parameters: Any,
) -> Wrapper:
    """Learn a wrapper from pages of one template, to be applied to others. See ``Wrapper.save`` for files.

    ``fields`` learns what the pages tell, by labels, columns and places. ``records`` learns the list that the pages have in
    common, ``depta`` the aligned seed of its records, ``pattern`` what differs between pages of one template as a whole,
    ``news-pattern`` title and body of the news of a site by such patterns, ``landmark`` a grammar that splits pages at what
    stands once in each. ``auto`` is ``fields`` for several pages, and ``records`` for one. Further keywords are parameters
    of the method: ``search``, ``tokens``, ``k`` and ``seed`` of ``landmark``; ``variant``, ``threshold`` and ``tolerance``
    of ``news-pattern``; of ``records``, ``table`` for another than the best list, ``like`` as of ``records``, and
    ``columns`` for those that are wanted, as of ``pick``; ``auto`` takes them for one page; ``depta`` takes ``table``, and
    what ``records`` takes for it.
    """
    check_learn(method, parameters)
    pages = [load_page(source, limits=limits) for source in _several(sources)]
    if not pages:
        raise UsageError("there are no pages to learn from")
    return LEARNERS[method](pages, **parameters)


def learn_table(table: Table, *, columns: Iterable[ColumnSpec | str] = ()) -> tuple[Wrapper, int]:
    """A wrapper of one table that was found, and how many of its rows the wrapper finds on its own page.

    Of the columns that are wanted, it has those that it knows: it is learned from the records that are alike.
    """
    wrapper = induce_records.learn([table.page], [[Listing(tuple(table.records))]])
    known = {column.name for column in wrapper.columns}
    wrapper = replace(
        wrapper,
        selected_columns=tuple(pick for pick in parse_columns(columns) if pick.column in known),
    )
    found = wrapper.apply(table.page).table
    rows = set(map(tuple, found.records)) if found is not None else set()
    return wrapper, sum(tuple(record) in rows for record in table.records)


def apply(
    wrapper: Wrapper,
    source: Source,
    *,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Table | Fields | None, float]:
    """What a wrapper finds on a page, and how well it fits, from 0 to 1: a table, or fields by name; None for nothing."""
    extraction = wrapper.apply(load_page(source, url=url, charset=charset, limits=limits))
    found = extraction.fields if extraction.table is None else extraction.table
    return found, extraction.fit


def export_selectors(
    wrapper: Wrapper,
    *,
    form: str = "xpath",
    pages: Iterable[Source | SamplePage] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: ExportProgress = no_export_progress,
) -> dict[str, Any]:
    """The selectors of a wrapper for fields or lists, in XPath 1.0 or the CSS of Scrapy: one for each field or column.

    With pages, each selector is tried on them as Scrapy would run it, and the plainest is taken that finds what the wrapper
    finds there; ``holds`` tells on how many of them. Needs the extra ``crawl`` then. ``progress`` is called with the
    number of fields and columns that are done, and of all of them.
    """
    if form not in list(Form):
        raise UsageError(f"unknown form {form!r}; there are {', '.join(Form)}")
    return wrapper.to_selectors(form, _samples(pages, limits), progress=progress).to_json()


def export_spider(
    wrapper: Wrapper,
    *,
    pages: Iterable[Source | SamplePage] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: ExportProgress = no_export_progress,
) -> str:
    """The source of a Scrapy spider that takes from pages what a wrapper finds. It uses what ``selectors`` gives."""
    return wrapper.to_spider(_samples(pages, limits), progress=progress)


def _samples(sources: Iterable[Source | SamplePage], limits: Limits) -> list[SamplePage]:
    if isinstance(sources, (str, bytes, PathLike, Page)):
        raise UsageError(_ONE_PAGE)
    return [own if isinstance(own, SamplePage) else sample(own, limits=limits) for own in sources]


def sample(
    source: Source, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> SamplePage:
    """A page to try selectors on."""
    if isinstance(source, Page):
        raise UsageError(
            "selectors are tried on markup, which a Page has no more: give its file or its bytes"
        )
    if isinstance(source, str) and "<" in source:
        return SamplePage.parse(
            source.encode(errors="surrogatepass"), charset="utf-8", limits=limits
        )
    if isinstance(source, str) and is_url(source):
        answer = fetch(source, limits=limits)
        return SamplePage.parse(answer.body, charset=charset or answer.charset, limits=limits)
    markup = source if isinstance(source, bytes) else read_file(source, limits=limits)
    return SamplePage.parse(markup, charset=charset, limits=limits)


THRESHOLDS = {"default": cluster_pages.DEFAULT_THRESHOLD, "paper": cluster_pages.PAPER_THRESHOLD}
"""How alike the pages of a cluster must be, by name."""


class ClusterNumbers(list[int]):
    """The numbers of the clusters of pages, in the order of the pages."""

    notes: tuple[str, ...] = ()
    """What the caller should know of them, such as that some similarities were estimated."""


def cluster(
    sources: Iterable[Source],
    *,
    threshold: float = THRESHOLDS["default"],
    limits: Limits = DEFAULT_LIMITS,
) -> ClusterNumbers:
    """The number of each page's cluster: pages made from one template share it. Numbers follow the first pages.

    Two groups of pages are one if their similarity, from 0 to 1, is at least the threshold on average. The ``notes`` of the
    result say if similarities were estimated, because the pages are too large and too different.
    """
    clusters = cluster_pages.Clusters(threshold)
    numbers = ClusterNumbers(
        clusters.add(load_page(source, limits=limits) for source in _several(sources))
    )
    numbers.notes = tuple(describe_estimates(clusters))
    return numbers


def news(
    sources: Iterable[Source],
    *,
    labels: str = "default",
    variant: str | None = None,
    patterns: Wrapper | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Articles:
    """The articles of pages of one site or of many. A page that is no article gives one that is false.

    Pages are sorted by template first: what those of one template share is no news. One page alone is read as well.
    ``labels="paper"`` tells title and body by the rules of Reis et al., in the variant ``printed``, ``corrected`` (which is
    the default, if the patterns say nothing else) or ``improved``: by a pattern of each cluster, or by the ``patterns``
    that ``learn(method="news-pattern")`` gave, which may be of other pages; ``cluster`` is the number of the pattern then,
    and None for a page that matches none. The ``notes`` of the articles say what could not be read.
    """
    options = NewsOptions(labels=labels, variant=variant, patterns=patterns)
    pages = [load_page(source, limits=limits) for source in _several(sources)]
    return read_articles(pages, options)


RUNNERS = RUNNER_NAMES
"""The names of the runners of ``site``."""

TABLE_FORMATS = FOLDER_FORMATS
"""The files of a folder that ``site`` writes."""


def site(
    sources: str | PathLike[str] | Iterable[str | PathLike[str]],
    out: str | PathLike[str],
    *,
    format: str | None = None,
    schema: str = DEFAULT_SCHEMA,
    work: str | PathLike[str] | None = None,
    until: str = STEPS[-1],
    fresh: bool = False,
    sample: int = SAMPLE_PAGES,
    texts: bool = False,
    runner: str = RUNNERS[0],
    workers: int | None = None,
    address: str | None = None,
    max_pages: int = CrawlOptions.max_pages,
    max_depth: int | None = None,
    hosts: Iterable[str] = (),
    delay: float = CrawlOptions.delay,
    progress: Progress = no_progress,
) -> Summary:
    """Sort the pages of sites into tables, one for each template, and write them to a database or a folder.

    A source is a folder, a file, an archive, a sitemap, or the address of a site, which is crawled. ``out`` is a DuckDB
    file, a ``postgresql://`` address, or a folder for files of the format. What the steps have done is kept in the folder
    ``work``, and taken up again from there; without it, in a folder beside ``out`` until the run is complete. With
    ``texts``, all values are the texts that pages show, and none is a number or a day.
    """
    given = [sources] if isinstance(sources, str | PathLike) else sources
    options = SiteOptions(
        format=format,
        schema=schema,
        work=None if work is None else str(work),
        until=until,
        fresh=fresh,
        sample=sample,
        texts=texts,
        crawl=CrawlOptions(max_pages, max_depth, tuple(hosts), delay),
    )
    with closing(make_runner(runner, workers=workers, address=address)) as chosen_runner:
        return run_site(
            [str(source) for source in given],
            str(out),
            options,
            runner=chosen_runner,
            progress=progress,
        )


def _several(sources: Iterable[Source]) -> Iterable[Source]:
    """Sources, and not one where several are asked for: the letters of a path are no pages."""
    if isinstance(sources, (str, bytes, PathLike, Page)):
        raise UsageError(_ONE_PAGE)
    return sources


def load_page(
    source: Source,
    *,
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    allow_private: bool = False,
) -> Page:
    """The page that a source stands for: bytes, markup, a path, or an address that begins with http:// or https://.

    An address is fetched, which needs the extra ``fetch``. Those of the own machine and network are refused unless
    ``allow_private`` is given. ``url`` and ``charset`` overrule what the server says.
    """
    if isinstance(source, Page):
        return source
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        return Page.parse(source, url=url, charset=charset, limits=limits)
    if isinstance(source, str) and is_url(source):
        answer = fetch(source, limits=limits, allow_private=allow_private)
        return Page.parse(
            answer.body, url=url or answer.url, charset=charset or answer.charset, limits=limits
        )
    return Page.load(source, url=url, charset=charset, limits=limits)


def fetch(url: str, *, limits: Limits = DEFAULT_LIMITS, allow_private: bool = False) -> Response:
    """Fetch what stands at an address: its bytes, the address after all redirects, and the charset of the server."""
    return make_fetcher(allow_private).fetch(url, max_bytes=limits.bytes)


@cache
def make_fetcher(allow_private: bool) -> Fetcher:
    """Return what fetches addresses. It is made once: it reads the certificates that the system trusts."""
    from unweave.fetching.fetch import Fetcher

    return Fetcher(allow_private=allow_private)
