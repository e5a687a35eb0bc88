"""Multi-page lists: the list that several pages continue, found on each, chosen by all, and aligned as one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from unweave.lists.default import rank_lists
from unweave.lists.listing import Listing, Record
from unweave.lists.required_types import parse_required_types
from unweave.page.joined_pages import JoinedPages
from unweave.page.page import Page

# JoinedPages of a site differ most near the root, so only the last steps of a path count.
_MAX_PATH_STEPS = 3

RecordPath = tuple[tuple[str, ...], ...]
"""For every part of a record the tags of its root and of the elements around it."""


def find_shared_list(
    pages: Sequence[Page], *, want: Iterable[str] = ()
) -> tuple[float, JoinedPages, Listing] | None:
    """Return the list that the pages share, with its score and the joined pages; None if no page has a list.

    On every page it is the best list whose records have the path that all pages score highest.
    """
    required = parse_required_types(want)
    ranked_lists = [rank_lists(page, want=required) for page in pages]
    paths = [
        [find_record_path(page, listing) for _, listing in lists]
        for page, lists in zip(pages, ranked_lists, strict=True)
    ]
    path_scores: defaultdict[RecordPath, float] = defaultdict(float)
    for lists, paths_of_page in zip(ranked_lists, paths, strict=True):
        best: dict[RecordPath, float] = {}
        for rank, ((score, _), path) in enumerate(zip(lists, paths_of_page, strict=True)):
            # A first rank counts whatever its score: scores of unlike pages may be near 0.
            best.setdefault(path, score + 1 / (10 * (1 + rank)))
        for path, score in best.items():
            path_scores[path] += score
    if not path_scores:
        return None
    chosen = max(path_scores, key=lambda path: (path_scores[path], path))
    joined = JoinedPages(pages)
    records: list[Record] = []
    scores: list[float] = []
    for number, (lists, paths_of_page) in enumerate(zip(ranked_lists, paths, strict=True)):
        if chosen in paths_of_page:
            score, listing = lists[paths_of_page.index(chosen)]
            scores.append(score)
            records += [
                tuple(joined.to_joined_node(number, node) for node in record)
                for record in listing.records
            ]
    return sum(scores) / len(pages), joined, Listing(tuple(records))


def find_record_path(page: Page, listing: Listing) -> RecordPath:
    """Return the path that most of the records have."""
    labels, ancestors = page.tree.labels, page.tree.ancestors
    paths: Counter[RecordPath] = Counter()
    for record in listing.records:
        steps: list[tuple[str, ...]] = []
        for root in record:
            around = zip(ancestors(root), range(_MAX_PATH_STEPS), strict=False)
            steps.append(tuple([labels[node] for node, _ in around]))
        paths[tuple(steps)] += 1
    return paths.most_common(1)[0][0]
