"""Texts of the pages of one or many sites: what the pages of a template share is boilerplate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from unweave.clustering import clusters
from unweave.clustering.clusters import Clusters
from unweave.content.document import Document, extract_text, extract_texts
from unweave.content.shared_template import MIN_PAGES
from unweave.errors import PageTooLarge, WorkLimit
from unweave.page.page import Page
from unweave.sources.source import get_site

PAGES_PER_BATCH = 100
"""The pages that are in memory, and compared with each other, at a time."""
NODES_PER_BATCH = 100_000
"""Fewer pages are taken if they are large: these elements take about 250 MB."""


def iter_texts(
    pages: Iterable[Page], *, links: bool = True, images: bool = True
) -> Iterator[Document]:
    """Yield the document of each page, in order.

    Pages are taken in batches. Those of one site in a batch are clustered by template first.
    """
    named_pages = (("", page) for page in pages)
    for _, document in iter_named_texts(named_pages, links=links, images=images):
        yield document


def iter_named_texts(
    pages: Iterable[tuple[str, Page]], *, links: bool = True, images: bool = True
) -> Iterator[tuple[str, Document]]:
    """Yield the name and the document of each page, as ``iter_texts`` does."""
    for batch in _iter_batches(pages):
        names = [name for name, _ in batch]
        documents = read_batch([page for _, page in batch], links=links, images=images)
        batch.clear()  # the pages are released before those of the next batch are parsed
        yield from zip(names, documents, strict=True)


def _iter_batches(pages: Iterable[tuple[str, Page]]) -> Iterator[list[tuple[str, Page]]]:
    batch: list[tuple[str, Page]] = []
    nodes = 0
    for name, page in pages:
        batch.append((name, page))
        nodes += len(page.tree)
        if len(batch) == PAGES_PER_BATCH or nodes >= NODES_PER_BATCH:
            yield batch
            batch, nodes = [], 0
    if batch:
        yield batch


def read_batch(pages: Sequence[Page], *, links: bool = True, images: bool = True) -> list[Document]:
    """Return the document of each page; those of one site are clustered by template first."""
    documents: dict[int, Document] = {}
    for group in _group_by_template(pages):
        members = [pages[number] for number in group]
        try:
            extracted = extract_texts(members, links=links, images=images)
        except (WorkLimit, PageTooLarge):
            extracted = [extract_text(page, links=links, images=images) for page in members]
        documents.update(zip(group, extracted, strict=True))
    return [documents[number] for number in range(len(pages))]


def _group_by_template(pages: Sequence[Page]) -> Iterator[list[int]]:
    """Yield the numbers of the pages of each template."""
    by_site: dict[str, list[int]] = {}
    for number, page in enumerate(pages):
        by_site.setdefault(get_site(page.url or ""), []).append(number)
    for numbers in by_site.values():
        if len(numbers) < MIN_PAGES:
            yield from ([number] for number in numbers)
            continue
        cluster_numbers = Clusters(clusters.DEFAULT_THRESHOLD).add(
            pages[number] for number in numbers
        )
        yield from clusters.group_by_cluster(numbers, cluster_numbers)
