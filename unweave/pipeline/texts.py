"""What the pages of a template say at which place: texts of their own, and texts that nearly all of them have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from unweave.page.page import Page
from unweave.trees.paths import hash_paths

Said = tuple[int, str]
"""The path of an element as a number, and a text in it."""

LEAST_PAGES = 3
"""From so many pages on, what differs from page to page can be told."""
# What at most so many of the pages say at one place is their own, what at least so many say is the template's.
_DIFFERS = 1 / 3
_NEARLY_ALL = 0.8
_LEAST_SHARING = 2


def said(page: Page) -> list[Said]:
    """What each text of a page says, and where."""
    place = hash_paths(page.tree.parents, page.tree.labels)
    return [(place[owner], text) for owner, text in zip(page.text_parents, page.texts, strict=True)]


def own_texts(pages: Sequence[Page]) -> list[set[int]]:
    """For each page the numbers of the texts that hardly any other has at the same place; of too few pages, of all."""
    texts = list(map(said, pages))
    if len(pages) < LEAST_PAGES:
        return [set(range(len(own))) for own in texts]
    pages_with = _pages_with(texts)
    most = max(1.0, _DIFFERS * len(pages))
    return [
        {number for number, text in enumerate(own) if pages_with[text] <= most} for own in texts
    ]


def shared_texts(pages: Sequence[Page]) -> frozenset[Said]:
    """What nearly all pages say at the same place; of one page, nothing."""
    least = max(_LEAST_SHARING, _NEARLY_ALL * len(pages))
    return frozenset(
        text for text, count in _pages_with(map(said, pages)).items() if count >= least
    )


def template_texts(page: Page, shared: Collection[Said]) -> list[int]:
    """The numbers of the texts of a page that are shared."""
    return [number for number, text in enumerate(said(page)) if text in shared]


def _pages_with(texts: Iterable[Sequence[Said]]) -> Counter[Said]:
    return Counter(text for own in texts for text in set(own))
