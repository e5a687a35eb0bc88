"""Data regions: siblings that are alike, wherever they stand among their parent's children (section II-A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unweave.page.page import Page
from unweave.records.ctvs.containers import opened
from unweave.records.ctvs.groups import Groups
from unweave.records.ctvs.options import Options
from unweave.records.ctvs.segments import Letters, segment
from unweave.records.ctvs.tags import T, tags_of
from unweave.records.gaps import GapRule
from unweave.records.region import Listing, Record
from unweave.trees.distance import similar
from unweave.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class SiblingRegion:
    """A run of siblings in which some are alike. A letter names a group of those; what is like no other has none."""

    nodes: tuple[int, ...]
    letters: Letters
    auxiliary_follows: bool = False
    """Is the sibling right after the last one auxiliary? It is no part of the region, but a record may stop before it."""


def find(page: Page, options: Options) -> list[Listing]:
    """Return the lists of the page in document order, each as it stands below one parent."""
    tree = page.tree
    groups = Groups(T)
    gap_rule = GapRule(page.boxes, page.unseen) if page.boxes is not None else None

    def find_below(node: int) -> list[Listing]:
        lists = [_segment_region(tree, region, gap_rule, options) for region in find_regions(tree, groups, node)]
        return [Listing(tuple(records)) for records in lists if len(records) > 1]

    listings = find_below(0)
    if options.open_containers:
        listings = [opened(page, listing, find_below) for listing in listings]
    return sorted(listings, key=lambda listing: listing.records)


def find_regions(tree: Tree, groups: Groups, below: int = 0) -> list[SiblingRegion]:
    """All regions. Nothing is looked for below a node that is like one of its siblings: it is a part of a record."""
    found: list[SiblingRegion] = []
    waiting = [below]
    while waiting:
        children = tree.children(waiting.pop())
        if not children:
            continue
        letters = groups.of([tree.tags[child : tree.ends[child]] for child in children])
        waiting.extend(child for child, letter in zip(children, letters, strict=True) if letter is None)
        found.extend(_regions(children, letters))
    return found


def _regions(children: Sequence[int], letters: Letters) -> Iterator[SiblingRegion]:
    """Groups that interleave, as names and descriptions do, are one region; those that follow each other are several."""
    spans: dict[int, range] = {}
    for place, letter in enumerate(letters):
        if letter is not None:
            spans[letter] = range(spans[letter].start if letter in spans else place, place + 1)

    def region(start: int, stop: int) -> SiblingRegion:
        follows = stop < len(letters) and letters[stop] is None
        return SiblingRegion(tuple(children[start:stop]), letters[start:stop], follows)

    start = stop = -1
    for span in sorted(spans.values(), key=lambda span: span.start):
        if span.start >= stop:
            if stop > 0:
                yield region(start, stop)
            start = span.start
        stop = max(stop, span.stop)
    if stop > 0:
        yield region(start, stop)


def _segment_region(tree: Tree, region: SiblingRegion, gap_rule: GapRule | None, options: Options) -> list[Record]:
    """Return the records of a region."""
    nodes = region.nodes

    def record(span: range) -> Record:
        return nodes[span.start : span.stop]

    def is_record(rest: range, last: range) -> bool:
        return options.keep_last and similar(tags_of(tree, record(rest)), tags_of(tree, record(last)), T)

    def has_gaps(spans: Sequence[range]) -> bool:
        return gap_rule is not None and gap_rule.accepts([record(span) for span in spans])

    sizes = [tree.ends[node] - node for node in nodes]
    spans = segment(
        region.letters,
        sizes,
        auxiliary_follows=region.auxiliary_follows,
        is_record=is_record,
        has_gaps=has_gaps,
        prefer_coverage=options.prefer_coverage,
    )
    return [record(span) for span in spans]
