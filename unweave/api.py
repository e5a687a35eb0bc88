"""What users call. The only place where the rooms of the house meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, wraps
from inspect import Parameter, signature
from os import PathLike
from typing import TYPE_CHECKING, Any

from unweave.errors import PageTooLarge, UsageError, WorkLimit
from unweave.exports.export import Progress as ExportProgress
from unweave.exports.export import export, no_progress
from unweave.exports.samples import Sample
from unweave.exports.selectors import Form
from unweave.exports.spider import source as source_of_spider
from unweave.induce import cluster as cluster_pages
from unweave.induce import pattern as induce_pattern
from unweave.induce import records as induce_records
from unweave.induce import seed as induce_seed
from unweave.induce import slots as induce_slots
from unweave.induce.landmarks import learn as induce_landmarks
from unweave.news import article, paper
from unweave.news.article import NO_ARTICLE, Article
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.page.parse import is_url, read_file
from unweave.picks import Pick, picked, picks_of
from unweave.records import auto, ctvs, depta, mdr
from unweave.records.auto.wanted import check_wanted
from unweave.records.cells import Namer, to_table
from unweave.records.columns import Aligner, by_path, by_tree
from unweave.records.pager import next_page
from unweave.records.rank import rank_with_pictures
from unweave.records.region import Listing, Ranked, Record
from unweave.reports.explain import report
from unweave.runners import runner as runners
from unweave.sinks import folder as folders
from unweave.sinks import single
from unweave.sinks.store import DEFAULT_SCHEMA
from unweave.site import build as sites
from unweave.site.build import Summary
from unweave.site.crawled import Reach
from unweave.site.run import SAMPLE, STEPS, Progress, silent
from unweave.table import Table
from unweave.variants import Variant, check_variant
from unweave.wrappers.fields import Fields
from unweave.wrappers.news_pattern import NewsPatternWrapper
from unweave.wrappers.wrapper import Wrapper

if TYPE_CHECKING:
    from unweave.fetching.fetch import Answer, Fetcher

# Pages could ask for far more output than they have bytes: by nesting lists, or by deep and long XPaths.
_MOST_OUTPUT = 4_000_000

_ONE_PAGE = "give a list of pages, and not one page"

Source = Page | bytes | str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Method:
    """How to find the lists of a page, best first, and how to align the records of one."""

    ranked: Callable[..., Ranked]
    aligner: Callable[..., Aligner]
    text_of: Callable[[Page, Record], str] = Page.text_of
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
    return {name: parameter for name, parameter in parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY}


def _given(function: Callable[..., Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the parameters that a function takes."""
    return {name: value for name, value in parameters.items() if name in _keywords(function)}


def _ranked(find: Callable[..., list[Listing]], order: Callable[[Page, list[Listing]], Ranked]) -> Callable[..., Ranked]:
    """Return a function with the parameters of ``find`` that puts what it finds in order."""

    @wraps(find)
    def ranked(page: Page, **parameters: Any) -> Ranked:
        return order(page, find(page, **parameters))

    return ranked


def _auto(page: Page, *, want: Iterable[str] = (), like: Sequence[str | int] = ()) -> Ranked:
    return [(1.0, _meant(page, like))] if like else auto.ranked(page, want=want)


def _meant(page: Page, like: Sequence[str | int]) -> Listing:
    """The list of which two elements, by their XPaths or their numbers, stand in a record each."""
    _check_like(like)
    nodes = [page.at(element) if isinstance(element, str) else element for element in like]
    if missing := [element for element, node in zip(like, nodes, strict=True) if node is None]:
        raise UsageError(f"the page has no element {str(missing[0])[:200]}")
    one, other = (node for node in nodes if node is not None)
    return auto.meant(page, one, other)


METHODS = {
    "auto": Method(_auto, auto.by_role, Page.whole_text_of, auto.columns_of, is_lazy=True),
    "mdr": Method(_ranked(mdr.find, rank_with_pictures), by_path),
    "depta": Method(_ranked(depta.find, rank_with_pictures), by_tree, view=depta.as_drawn),
    "ctvs": Method(ctvs.ranked, ctvs.by_value),
}
"""The methods by name. ``auto`` is what users get who name none."""


def _learn_list(
    pages: Sequence[Page], *, table: int = 1, like: Sequence[str | int] = (), columns: Iterable[Pick | str] = ()
) -> Wrapper:
    ranked = {id(page): _auto(page, like=like) for page in pages}
    most = max(map(len, ranked.values()))
    if most and table > most:
        raise UsageError(f"there is no table {table}; the pages have at most {most}")
    return induce_records.learn(pages, lambda page: ranked[id(page)][table - 1 :], auto.columns_of, picks=picks_of(columns))


def _learn_auto(pages: Sequence[Page], **parameters: Any) -> Wrapper:
    check_learn("auto", parameters, pages=len(pages))
    return induce_slots.learn(pages) if len(pages) > 1 else _learn_list(pages, **parameters)


LEARNERS: dict[str, Callable[..., Wrapper]] = {
    "auto": _learn_auto,
    "fields": induce_slots.learn,
    "records": _learn_list,
    "pattern": induce_pattern.learn,
    "news-pattern": induce_pattern.learn_news,
    "landmark": induce_landmarks.learn,
    "depta": induce_seed.learn,
}
"""The ways to learn a wrapper by name."""


_METHOD_PARAMETERS = {name: method.parameters for name, method in METHODS.items()}
_LEARNER_PARAMETERS = {name: _keywords(_learn_list if name == "auto" else learner) for name, learner in LEARNERS.items()}


def check_records(method: str, parameters: Mapping[str, Any]) -> None:
    """Raise a UsageError if ``records`` cannot take these parameters for this method, whatever the page."""
    _check_names(method, parameters, _METHOD_PARAMETERS)
    check_wanted(parameters.get("want") or ())
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


def _check_names(method: str, given: Mapping[str, Any], allowed: Mapping[str, Mapping[str, Parameter]]) -> None:
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
    is_wrong_bool = isinstance(value, bool) and default is not None and not isinstance(default, bool)
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
        raise UsageError(f"like takes two elements, not {count}: one in each of two records of the list")


def _enumerate(names: Sequence[str]) -> str:
    """Return names as a phrase: ``a, b and c``, or ``none``."""
    *most, last = names or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


class Tables(list[Table]):
    """The tables of a page, best first."""

    notes: tuple[str, ...] = ()
    """What the caller should know of them, such as that some were left out."""


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
        parameters["want"] = check_wanted(parameters["want"] or ())  # once: it may be an iterator
    check_records(method, parameters)
    chosen = METHODS[method]
    page = read(source, url=url, charset=charset, limits=limits)
    page = chosen.view(page, **_given(chosen.view, parameters))
    ranked = chosen.ranked(page, **_given(chosen.ranked, parameters))
    aligner = chosen.aligner(page, **_given(chosen.aligner, parameters))
    tables = Tables()
    room = _MOST_OUTPUT
    for score, listing in ranked:
        tables.append(to_table(page, listing, score, aligner, chosen.text_of, chosen.name))
        if not chosen.is_lazy:
            _ = tables[-1].columns
        room -= _weight(page, listing)
        if room < 0:
            tables.notes = (f"only {len(tables)} of {len(ranked)} lists are given: they are too large together",)
            break
    return tables


def together(
    sources: Iterable[Source], *, want: Iterable[str] = (), limits: Limits = DEFAULT_LIMITS
) -> tuple[Table | None, str | None]:
    """The list that several pages continue as one table, and the address of the page after the last, if there is one.

    The table's ``page`` is all of the pages, and tells by ``page_of`` which of them a node of a record stands on.
    """
    pages = [read(source, limits=limits) for source in _several(sources)]
    if not pages:
        raise UsageError("there are no pages to read")
    found = auto.together(pages, want=want)
    if found is None:
        return None, next_page(pages[-1])
    score, joined, listing = found
    method = METHODS["auto"]
    table = to_table(joined, listing, score, method.aligner(joined), method.text_of, method.name)
    return table, next_page(pages[-1])


def pick(table: Table, columns: Iterable[Pick | str]) -> Table:
    """The table with the columns that are wanted, in this order, and under other names and of other types if asked for.

    A column is named as ``COLUMN[@link][=NAME][:TYPE]``: ``price=cost:number`` is the column price, called cost, a number;
    ``title@link`` has the addresses of the links that the titles stand in or hold.
    """
    return picked(table, columns)


def save(table: Table, path: str | PathLike[str], *, values: bool = False) -> None:
    """Write a table to a file of its own, a record a row: ``.csv``, ``.xlsx``, ``.parquet``, ``.jsonl`` or ``.json``.

    With ``values``, numbers and days are such in CSV and JSON too, and not as they are shown.
    """
    single.save(table, str(path), values=values)


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
    return report(read(source, url=url, charset=charset, limits=limits), name=name, want=want)


def _weight(page: Page, listing: Listing) -> int:
    """About how large the output of a list is: its texts, and the steps of its records' XPaths."""
    steps = sum(1 for _ in page.tree.ancestors(listing.records[0][0]))
    return sum(map(page.count_texts, listing.nodes)) + len(listing.records) * steps


def learn(
    sources: Iterable[Source], *, method: str = "auto", limits: Limits = DEFAULT_LIMITS, **parameters: Any
) -> Wrapper:
    """Learn a wrapper from pages of one template, to be applied to others. See ``unweave.wrappers.wrapper`` for files.

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
    pages = [read(source, limits=limits) for source in _several(sources)]
    if not pages:
        raise UsageError("there are no pages to learn from")
    return LEARNERS[method](pages, **parameters)


def learn_table(table: Table, *, columns: Iterable[Pick | str] = ()) -> tuple[Wrapper, int]:
    """A wrapper of one table that was found, and how many of its rows the wrapper finds on its own page.

    Of the columns that are wanted, it has those that it knows: it is learned from the records that are alike.
    """
    wrapper = induce_records.learn(
        [table.page], lambda page: [(table.score, Listing(tuple(table.records)))], auto.columns_of
    )
    known = {column.name for column in wrapper.columns}
    wrapper = replace(wrapper, picks=tuple(pick for pick in picks_of(columns) if pick.column in known))
    found, _ = wrapper.apply(table.page)
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
    return wrapper.apply(read(source, url=url, charset=charset, limits=limits))


def selectors(
    wrapper: Wrapper,
    *,
    form: str = "xpath",
    pages: Iterable[Source | Sample] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: ExportProgress = no_progress,
) -> dict[str, Any]:
    """The selectors of a wrapper for fields or lists, in XPath 1.0 or the CSS of Scrapy: one for each field or column.

    With pages, each selector is tried on them as Scrapy would run it, and the plainest is taken that finds what the wrapper
    finds there; ``holds`` tells on how many of them. Needs the extra ``crawl`` then. ``progress`` is called with the
    number of fields and columns that are done, and of all of them.
    """
    if form not in list(Form):
        raise UsageError(f"unknown form {form!r}; there are {', '.join(Form)}")
    return export(wrapper, Form(form), _samples(pages, limits), progress=progress).to_json()


def spider(
    wrapper: Wrapper,
    *,
    pages: Iterable[Source | Sample] = (),
    limits: Limits = DEFAULT_LIMITS,
    progress: ExportProgress = no_progress,
) -> str:
    """The source of a Scrapy spider that takes from pages what a wrapper finds. It uses what ``selectors`` gives."""
    return source_of_spider(export(wrapper, Form.XPATH, _samples(pages, limits), progress=progress))


def _samples(sources: Iterable[Source | Sample], limits: Limits) -> list[Sample]:
    if isinstance(sources, (str, bytes, PathLike, Page)):
        raise UsageError(_ONE_PAGE)
    return [own if isinstance(own, Sample) else sample(own, limits=limits) for own in sources]


def sample(source: Source, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Sample:
    """A page to try selectors on."""
    if isinstance(source, Page):
        raise UsageError("selectors are tried on markup, which a Page has no more: give its file or its bytes")
    if isinstance(source, str) and "<" in source:
        return Sample.read(source.encode(errors="surrogatepass"), charset="utf-8", limits=limits)
    if isinstance(source, str) and is_url(source):
        answer = fetch(source, limits=limits)
        return Sample.read(answer.body, charset=charset or answer.charset, limits=limits)
    markup = source if isinstance(source, bytes) else read_file(source, limits=limits)
    return Sample.read(markup, charset=charset, limits=limits)


THRESHOLDS = {"default": cluster_pages.DEFAULT, "paper": cluster_pages.PAPER}
"""How alike the pages of a cluster must be, by name."""


class ClusterNumbers(list[int]):
    """The numbers of the clusters of pages, in the order of the pages."""

    notes: tuple[str, ...] = ()
    """What the caller should know of them, such as that some similarities were estimated."""


def cluster(
    sources: Iterable[Source], *, threshold: float = THRESHOLDS["default"], limits: Limits = DEFAULT_LIMITS
) -> ClusterNumbers:
    """The number of each page's cluster: pages made from one template share it. Numbers follow the first pages.

    Two groups of pages are one if their similarity, from 0 to 1, is at least the threshold on average. The ``notes`` of the
    result say if similarities were estimated, because the pages are too large and too different.
    """
    clusters = cluster_pages.Clusters(threshold)
    numbers = ClusterNumbers(clusters.add(read(source, limits=limits) for source in _several(sources)))
    if clusters.estimated:
        numbers.notes = (
            f"the similarities of {clusters.estimated:,} pairs of pages would have taken too long: upper bounds were used",
        )
    return numbers


LABELS = {"default": THRESHOLDS["default"], "paper": THRESHOLDS["paper"]}
"""The ways to tell title and body by name, each with the threshold of its clusters."""


class Articles(list[Article]):
    """The articles of pages, in the order of the pages."""

    notes: tuple[str, ...] = ()
    """What the caller should know of them, such as that the pages of a cluster could not be read."""


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
    form = check_news(labels=labels, variant=variant, patterns=patterns)
    pages = [read(source, limits=limits) for source in _several(sources)]
    if isinstance(patterns, NewsPatternWrapper):
        return _news_by_patterns(pages, patterns if variant is None else replace(patterns, variant=form))
    numbers = cluster(pages, threshold=LABELS[labels]) if len(pages) > 1 else ClusterNumbers([0] * len(pages))
    notes = list(numbers.notes)
    found: dict[int, Article] = {}
    for number, group in enumerate(cluster_pages.grouped(range(len(pages)), numbers)):
        own = [pages[place] for place in group]
        try:
            articles = article.read(own) if labels == "default" else paper.read(own, variant=form)
        except (WorkLimit, PageTooLarge):
            articles = [NO_ARTICLE] * len(group)
            notes.append(f"cluster {number}: its {len(group)} pages are too large and too different for one pattern")
        found.update({place: replace(one, cluster=number) for place, one in zip(group, articles, strict=True)})
    return _with_notes([found[place] for place in range(len(pages))], notes)


def check_news(*, labels: str = "default", variant: str | None = None, patterns: Wrapper | None = None) -> Variant:
    """Return the variant that is meant; raises a UsageError if ``news`` cannot take these parameters."""
    if labels not in LABELS:
        raise UsageError(f"unknown labels {labels!r}; there are {', '.join(LABELS)}")
    if labels == "default" and (patterns is not None or variant is not None):
        raise UsageError("patterns and variant are for the labels of the paper: give labels paper")
    if patterns is not None and not isinstance(patterns, NewsPatternWrapper):
        raise UsageError("patterns must be a wrapper that was learned by the method news-pattern")
    return check_variant(variant or Variant.CORRECTED)


def _news_by_patterns(pages: Sequence[Page], patterns: NewsPatternWrapper) -> Articles:
    """The articles of pages by the patterns of a wrapper."""
    articles: list[Article] = []
    notes: list[str] = []
    for number, page in enumerate(pages, start=1):
        try:
            found, pattern = paper.read_with(patterns, page)
        except PageTooLarge as error:
            found, pattern = NO_ARTICLE, None
            notes.append(f"page {number}: {error}")
        articles.append(replace(found, cluster=pattern))
    if unmatched := sum(one.cluster is None for one in articles):
        notes.append(f"{unmatched} of {len(pages)} pages match no pattern")
    return _with_notes(articles, notes)


def _with_notes(articles: Iterable[Article], notes: Iterable[str]) -> Articles:
    found = Articles(articles)
    found.notes = tuple(notes)
    return found


RUNNERS = runners.NAMES
"""Who may do the work of ``site``."""

TABLE_FORMATS = folders.FORMATS
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
    sample: int = SAMPLE,
    texts: bool = False,
    runner: str = RUNNERS[0],
    workers: int | None = None,
    address: str | None = None,
    max_pages: int = Reach.pages,
    max_depth: int | None = None,
    hosts: Iterable[str] = (),
    delay: float = Reach.delay,
    progress: Progress = silent,
) -> Summary:
    """Sort the pages of sites into tables, one for each template, and write them to a database or a folder.

    A source is a folder, a file, an archive, a sitemap, or the address of a site, which is crawled. ``out`` is a DuckDB
    file, a ``postgresql://`` address, or a folder for files of the format. What the steps have done is kept in the folder
    ``work``, and taken up again from there; without it, in a folder beside ``out`` until the run is complete. With
    ``texts``, all values are the texts that pages show, and none is a number or a day.
    """
    given = [sources] if isinstance(sources, str | PathLike) else sources
    with closing(runners.runner(runner, workers=workers, address=address)) as hands:
        return sites.build(
            [str(source) for source in given],
            str(out),
            work=None if work is None else str(work),
            until=until,
            fresh=fresh,
            sample=sample,
            texts=texts,
            format=format,
            schema=schema,
            reach=Reach(max_pages, max_depth, tuple(hosts), delay),
            runner=hands,
            progress=progress,
        )


def _several(sources: Iterable[Source]) -> Iterable[Source]:
    """Sources, and not one where several are asked for: the letters of a path are no pages."""
    if isinstance(sources, (str, bytes, PathLike, Page)):
        raise UsageError(_ONE_PAGE)
    return sources


def read(
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
        return Page.parse(answer.body, url=url or answer.url, charset=charset or answer.charset, limits=limits)
    return Page.load(source, url=url, charset=charset, limits=limits)


def fetch(url: str, *, limits: Limits = DEFAULT_LIMITS, allow_private: bool = False) -> Answer:
    """Fetch what stands at an address: its bytes, the address after all redirects, and the charset of the server."""
    return make_fetcher(allow_private).fetch(url, most=limits.bytes)


@cache
def make_fetcher(allow_private: bool) -> Fetcher:
    """Return what fetches addresses. It is made once: it reads the certificates that the system trusts."""
    from unweave.fetching.fetch import Fetcher

    return Fetcher(allow_private=allow_private)
