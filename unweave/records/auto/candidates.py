"""Everything on a page that might be a list: siblings that begin alike, with and without what follows each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from unweave.records.auto.outline import Outline, Span
from unweave.records.region import Listing, Record

# A list has so much of the page's letters.
_LEAST_SHARE = 0.01
# Controls of forms hold choices, and no content.
_CONTROLS = frozenset(["select", "optgroup", "datalist"])
# A hostile page could ask for more.
_MOST_CANDIDATES = 2_000
_MOST_RECORDS = 200_000

Spans = tuple[Span, ...]


def candidates(outline: Outline, known: Iterable[Listing] = ()) -> dict[Spans, Listing]:
    """The candidates by the texts of their records, with the lists that other methods know."""
    found: dict[Spans, Listing] = {}
    least = max(1, _LEAST_SHARE * outline.letters[-1])
    room = _MOST_RECORDS
    for records in _all(outline, known, least):
        room -= len(records)
        if room < 0 or len(found) >= _MOST_CANDIDATES:
            break
        with_text = [record for record in records if outline.stop[record[-1]] > outline.first[record[0]]]
        spans = tuple(map(outline.span, with_text))
        if len(spans) > 1 and spans not in found and sum(map(outline.count_letters, spans)) >= least:
            found[spans] = Listing(tuple(with_text))
    return found


def _all(outline: Outline, known: Iterable[Listing], least: float) -> Iterator[list[Record]]:
    for listing in known:
        yield list(listing.records)
    for parents in _families(outline):
        if sum(outline.count_letters((outline.first[node], outline.stop[node])) for node in parents) >= least:
            yield from _of_family(outline, parents)
    yield from _anywhere(outline)


def _families(outline: Outline) -> Iterator[list[int]]:
    """Parents whose children are looked at together: each with several, and all at one path of tags."""
    by_path: defaultdict[int, list[int]] = defaultdict(list)
    for node, kids in enumerate(outline.kids):
        if kids and outline.labels[node] not in _CONTROLS:
            by_path[outline.paths[node]].append(node)
            if len(kids) > 1:
                yield [node]
    yield from (parents for parents in by_path.values() if len(parents) > 1)


def _of_family(outline: Outline, parents: Sequence[int]) -> Iterator[list[Record]]:
    """For everything that children begin with: those children, and each of them with its siblings up to the next."""
    beginning: defaultdict[str, list[int]] = defaultdict(list)
    for parent in parents:
        for child in outline.kids[parent]:
            for token in outline.tokens(child):
                beginning[token].append(child)
    children = sum(len(outline.kids[parent]) for parent in parents)
    for starts in dict.fromkeys(map(tuple, beginning.values())):  # a tag, a class and a beginning often tell the same
        if len(starts) > 1:
            yield [(node,) for node in starts]
            if len(starts) < children:
                yield _runs(outline, parents, set(starts))


def _runs(outline: Outline, parents: Sequence[int], starts: set[int]) -> list[Record]:
    """Records that begin at these children and end before the next; the last of a parent ends like the others."""
    runs: list[list[int]] = []
    last_of: list[int] = []
    for parent in parents:
        before = len(runs)
        for child in outline.page.tree.children(parent):
            if child in starts:
                runs.append([child])
            elif len(runs) > before:
                runs[-1].append(child)
        if len(runs) > before:
            last_of.append(len(runs) - 1)
    lasts = set(last_of)
    others = [run for number, run in enumerate(runs) if number not in lasts]
    if others:
        longest = max(map(len, others))
        usual = {outline.labels[node] for run in others for node in run}
        for number in last_of:
            run = runs[number]
            stop = next((k for k, node in enumerate(run) if k and outline.labels[node] not in usual), len(run))
            del run[min(longest, stop) :]
    return [tuple(run) for run in runs]


def _anywhere(outline: Outline) -> Iterator[list[Record]]:
    """All elements of a class, wherever they stand, but for those inside of others."""
    of_class: defaultdict[str, list[int]] = defaultdict(list)
    for node, label in enumerate(outline.labels):
        if outline.stop[node] > outline.first[node]:
            for word in dict.fromkeys((outline.page.names[node][0] or "").split()):
                own = of_class[f"{label}.{word}"]
                if not own or node >= outline.ends[own[-1]]:
                    own.append(node)
    for nodes in of_class.values():
        if len(nodes) > 1:
            yield [(node,) for node in nodes]
