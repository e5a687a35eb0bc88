"""Articles of the pages of one or many sites: pages are clustered by template, then read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from unweave.clustering import clusters
from unweave.clustering.clusters import Clusters
from unweave.content.article import NO_ARTICLE, Article, extract_articles
from unweave.content.blocks import find_blocks
from unweave.errors import PageTooLarge, UsageError, WorkLimit
from unweave.page.page import Page
from unweave.variants import Variant, check_variant
from unweave.wrappers.base import Wrapper
from unweave.wrappers.pattern.apply import Pattern
from unweave.wrappers.pattern.learn import compose_pages
from unweave.wrappers.pattern.news import NewsPatternWrapper

LABELS = {"default": clusters.DEFAULT_THRESHOLD, "paper": clusters.PAPER_THRESHOLD}
"""The ways to find title and body, each with the similarity that pages of a cluster need."""


class Articles(list[Article]):
    """The articles of pages, in the order of the pages."""

    warnings: tuple[str, ...] = ()
    """Messages for the user, such as that the pages of a cluster could not be read."""


@dataclass(frozen=True, slots=True)
class NewsOptions:
    """How ``read_articles`` finds title and body. Raises UsageError for options that conflict."""

    labels: str = "default"
    """``paper`` follows the rules of Reis et al. alone; they need several pages of a template."""
    variant: str | None = None
    """The form of the paper's rules; None for that of the patterns, which is ``corrected``."""
    patterns: Wrapper | None = None
    """The wrapper of ``news-pattern``, perhaps learned from other pages, that reads the pages."""

    def __post_init__(self) -> None:
        if self.labels not in LABELS:
            raise UsageError(f"unknown labels {self.labels!r}; choose from {', '.join(LABELS)}")
        if self.labels == "default" and (self.patterns is not None or self.variant is not None):
            raise UsageError(
                "patterns and variant are for the labels of the paper: give labels paper"
            )
        if self.patterns is not None and not isinstance(self.patterns, NewsPatternWrapper):
            raise UsageError(
                "patterns must be a wrapper that was learned by the method news-pattern"
            )
        check_variant(self.variant or Variant.CORRECTED)


def read_articles(pages: Sequence[Page], options: NewsOptions | None = None) -> Articles:
    """Return the article of each page, with the number of its cluster or pattern.

    Pages that cannot be read have an empty article; the warnings of the result say why.
    """
    options = options or NewsOptions()
    variant = check_variant(options.variant or Variant.CORRECTED)
    wrapper = options.patterns
    if isinstance(wrapper, NewsPatternWrapper):
        if options.variant is not None:
            wrapper = replace(wrapper, variant=variant)
        return _read_with_patterns(pages, wrapper)
    numbers, warnings = _cluster_pages(pages, LABELS[options.labels])
    articles = [NO_ARTICLE] * len(pages)
    for number, group in enumerate(clusters.group_by_cluster(range(len(pages)), numbers)):
        members = [pages[index] for index in group]
        try:
            if options.labels == "paper":
                extracted = extract_by_pattern(members, variant)
            else:
                extracted = extract_articles(members)
        except (WorkLimit, PageTooLarge):
            extracted = [NO_ARTICLE] * len(group)
            warnings.append(
                f"cluster {number}: its {len(group)} pages are too large and too different for"
                " one pattern"
            )
        for index, article in zip(group, extracted, strict=True):
            articles[index] = replace(article, cluster=number)
    return _add_warnings(articles, warnings)


def _cluster_pages(pages: Sequence[Page], threshold: float) -> tuple[list[int], list[str]]:
    """Return the number of each page's cluster, and warnings for the user."""
    if len(pages) < 2:
        return [0] * len(pages), []
    page_clusters = Clusters(threshold)
    numbers = page_clusters.add(pages)
    return numbers, list(describe_estimates(page_clusters))


def describe_estimates(page_clusters: Clusters) -> Iterable[str]:
    """Yield a message for the user if similarities of pages were estimated."""
    if page_clusters.estimated_pairs:
        yield (
            f"the similarities of {page_clusters.estimated_pairs:,} pairs of pages would have taken"
            " too long: upper bounds were used"
        )


def extract_by_pattern(pages: Sequence[Page], variant: Variant) -> list[Article]:
    """Return the articles of pages of one cluster by the pattern that is composed of them.

    This is the method of Reis et al., sections 4.2 to 4.4. Raises WorkLimit if the pages are too
    large and too different for one pattern, and PageTooLarge if one is too large to be matched.
    """
    wrapper = NewsPatternWrapper((Pattern(compose_pages(pages), {}),), variant)
    return [_extract_with_wrapper(wrapper, page)[0] for page in pages]


def _read_with_patterns(pages: Sequence[Page], wrapper: NewsPatternWrapper) -> Articles:
    articles: list[Article] = []
    warnings: list[str] = []
    unmatched = 0
    for number, page in enumerate(pages, start=1):
        try:
            article, pattern = _extract_with_wrapper(wrapper, page)
        except PageTooLarge as error:
            article, pattern = NO_ARTICLE, None
            warnings.append(f"page {number}: {error}")
        articles.append(replace(article, cluster=pattern))
        unmatched += pattern is None
    if unmatched:
        warnings.append(f"{unmatched} of {len(pages)} pages match no pattern")
    return _add_warnings(articles, warnings)


def _extract_with_wrapper(wrapper: NewsPatternWrapper, page: Page) -> tuple[Article, int | None]:
    """Return the article of a page, and the number of the pattern that it matches, or None."""
    labelled = wrapper.label_page(page)
    if labelled is None:
        return NO_ARTICLE, None
    if labelled.body is None:
        return NO_ARTICLE, labelled.pattern
    title = labelled.title.text if labelled.title else None
    in_body = {text_node for run in labelled.body.runs for text_node in run}
    paragraphs = [block.text for block in find_blocks(page) if block.start in in_body]
    return Article(title, tuple(paragraphs) or (labelled.body.text,)), labelled.pattern


def _add_warnings(articles: Iterable[Article], warnings: Iterable[str]) -> Articles:
    result = Articles(articles)
    result.warnings = tuple(warnings)
    return result
