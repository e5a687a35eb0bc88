"""What users call. The only place where the rooms of the house meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from unweave.errors import UsageError
from unweave.induce import cluster as cluster_pages
from unweave.induce import pattern as induce_pattern
from unweave.induce import records as induce_records
from unweave.induce import slots as induce_slots
from unweave.induce.landmarks import learn as induce_landmarks
from unweave.news import article, paper
from unweave.news.article import Article
from unweave.page.limits import DEFAULT_LIMITS, Limits
from unweave.page.page import Page
from unweave.records import auto, ctvs, depta, mdr
from unweave.records.cells import to_table
from unweave.records.columns import Aligner, by_path, by_tree
from unweave.records.rank import rank
from unweave.records.region import Listing, Record
from unweave.table import Table
from unweave.wrappers.fields import Fields
from unweave.wrappers.wrapper import Wrapper

# Pages could ask for far more output than they have bytes: by nesting lists, or by deep and long XPaths.
_MOST_OUTPUT = 4_000_000

Source = Page | bytes | str | PathLike[str]


Ranked = list[tuple[float, Listing]]
"""Lists, best first, each with its score."""


@dataclass(frozen=True, slots=True)
class Method:
    """How to find the lists of a page, best first, and how to align the records of one."""

    ranked: Callable[..., Ranked]
    aligner: Callable[[Page], Aligner]
    text_of: Callable[[Page, Record], str] = Page.text_of
    """What a record says as a whole."""


def _ranked(find: Callable[..., list[Listing]], order: Callable[[Page, list[Listing]], Ranked]) -> Callable[..., Ranked]:
    return lambda page, **parameters: order(page, find(page, **parameters))


METHODS = {
    "auto": Method(auto.ranked, by_tree, Page.whole_text_of),
    "mdr": Method(_ranked(mdr.find, rank), by_path),
    "depta": Method(_ranked(depta.find, rank), by_tree),
    "ctvs": Method(_ranked(ctvs.find, ctvs.sections), ctvs.by_value),
}
"""The methods by name. ``auto`` is what users get who name none."""


def _learn_list(pages: Sequence[Page]) -> Wrapper:
    return induce_records.learn(pages, depta.find)


LEARNERS: dict[str, Callable[..., Wrapper]] = {
    "auto": lambda pages: induce_slots.learn(pages) if len(pages) > 1 else _learn_list(pages),
    "fields": induce_slots.learn,
    "records": _learn_list,
    "pattern": induce_pattern.learn,
    "landmark": induce_landmarks.learn,
}
"""The ways to learn a wrapper by name."""


def records(
    source: Source,
    *,
    method: str = "auto",
    url: str | None = None,
    charset: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **parameters: Any,
) -> list[Table]:
    """The tables of one page, best first; an empty list if it has none.

    The source is a Page, the bytes of one, a path, or a string: markup if it has a ``<``, else a path. Further keywords are
    the method's own parameters, such as ``k`` and ``t`` of MDR.
    """
    page = read(source, url=url, charset=charset, limits=limits)
    try:
        chosen = METHODS[method]
    except KeyError:
        raise UsageError(f"unknown method {method!r}; there are {', '.join(METHODS)}") from None
    ranked = chosen.ranked(page, **parameters)
    aligner = chosen.aligner(page)
    tables: list[Table] = []
    room = _MOST_OUTPUT
    for score, listing in ranked:
        tables.append(to_table(page, listing, score, aligner, chosen.text_of))
        room -= _weight(tables[-1])
        if room < 0:
            page.notes += (f"only {len(tables)} of {len(ranked)} lists are given: they are too large together",)
            break
    return tables


def _weight(table: Table) -> int:
    """About how large the table's output is: its cells, and the steps of its records' XPaths."""
    steps = sum(1 for _ in table.page.tree.ancestors(table.records[0][0]))
    return len(table.rows) * (len(table.columns) + steps)


def learn(
    sources: Iterable[Source], *, method: str = "auto", limits: Limits = DEFAULT_LIMITS, **parameters: Any
) -> Wrapper:
    """Learn a wrapper from pages of one template, to be applied to others. See ``unweave.wrappers.wrapper`` for files.

    ``fields`` learns what the pages tell, by labels, columns and places. ``records`` learns the list that the pages have in
    common, ``pattern`` what differs between pages of one template as a whole, ``landmark`` a grammar that splits pages at
    what stands once in each. ``auto`` is ``fields`` for several pages, and ``records`` for one. Further keywords are the
    method's own parameters, such as ``search`` and ``tokens`` of ``landmark``.
    """
    if method not in LEARNERS:
        raise UsageError(f"unknown method {method!r}; there are {', '.join(LEARNERS)}")
    pages = [read(source, limits=limits) for source in _several(sources)]
    if not pages:
        raise UsageError("there are no pages to learn from")
    return LEARNERS[method](pages, **parameters)


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


THRESHOLDS = {"default": cluster_pages.DEFAULT, "paper": cluster_pages.PAPER}
"""How alike the pages of a cluster must be, by name."""


def cluster(
    sources: Iterable[Source], *, threshold: float = THRESHOLDS["default"], limits: Limits = DEFAULT_LIMITS
) -> list[int]:
    """The number of each page's cluster: pages made from one template share it. Numbers follow the first pages.

    Two groups of pages are one if their similarity, from 0 to 1, is at least the threshold on average.
    """
    clusters = cluster_pages.Clusters(threshold)
    return clusters.add(read(source, limits=limits) for source in _several(sources))


LABELS: dict[str, tuple[Callable[[Sequence[Page]], list[Article]], float]] = {
    "default": (article.read, THRESHOLDS["default"]),
    "paper": (paper.read, THRESHOLDS["paper"]),
}
"""The ways to tell title and body by name, each with the threshold of its clusters."""


def news(sources: Iterable[Source], *, labels: str = "default", limits: Limits = DEFAULT_LIMITS) -> list[Article]:
    """The articles of pages of one site or of many. A page that is no article gives one that is false.

    Pages are sorted by template first: what those of one template share is no news. One page alone is read as well.
    ``labels="paper"`` tells title and body by the rules of Reis et al. as they are.
    """
    if labels not in LABELS:
        raise UsageError(f"unknown labels {labels!r}; there are {', '.join(LABELS)}")
    tell, threshold = LABELS[labels]
    pages = [read(source, limits=limits) for source in _several(sources)]
    numbers = cluster(pages, threshold=threshold) if len(pages) > 1 else [0] * len(pages)
    found: dict[int, Article] = {}
    for number, group in enumerate(cluster_pages.grouped(range(len(pages)), numbers)):
        articles = tell([pages[place] for place in group])
        found.update({place: replace(one, cluster=number) for place, one in zip(group, articles, strict=True)})
    return [found[place] for place in range(len(pages))]


def _several(sources: Iterable[Source]) -> Iterable[Source]:
    """Sources, and not one where several are asked for: the letters of a path are no pages."""
    if isinstance(sources, (str, bytes, PathLike, Page)):
        raise UsageError("give a list of pages, and not one page")
    return sources


def read(source: Source, *, url: str | None = None, charset: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Page:
    """The page that a source stands for."""
    if isinstance(source, Page):
        return source
    if isinstance(source, bytes) or (isinstance(source, str) and "<" in source):
        return Page.parse(source, url=url, charset=charset, limits=limits)
    return Page.load(source, url=url, charset=charset, limits=limits)
