"""Everything on a page that might be a list.

Children that begin alike, with and without what follows each of them, of one parent and of all at one path of tags;
children whose trees are alike; all elements of a class; and the lists that DEPTA finds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence

from unweave.records.auto.outline import Outline, Span
from unweave.records.ctvs.groups import Groups
from unweave.records.ctvs.tags import T
from unweave.records.region import Listing, Record

# A list has so much of the page's letters.
_LEAST_SHARE = 0.01
# Controls of forms hold choices, and no content.
_CONTROLS = frozenset(["select", "optgroup", "datalist"])
# A hostile page could ask for more.
_MOST_CANDIDATES = 2_000
_MOST_RECORDS = 200_000
# Two children that are alike begin alike.
_LEAST_COMPARED = 3

Spans = tuple[Span, ...]

SOURCES = ("depta", "children", "runs", "families", "classes", "alike")
"""Where candidates come from, by name."""

Found = Iterator[tuple[str, list[Record]]]
"""Records that may be a list, each time with their source."""


def candidates(
    outline: Outline, known: Iterable[Listing] = (), sources: Container[str] = frozenset(SOURCES)
) -> dict[Spans, Listing]:
    """The candidates by the texts of their records; ``known`` are the lists that DEPTA finds."""
    found: dict[Spans, Listing] = {}
    least = max(1, _LEAST_SHARE * outline.letters[-1])
    first, stop, letters = outline.first, outline.stop, outline.letters
    room = _MOST_RECORDS
    for source, records in _all(outline, known, least):
        room -= len(records)
        if room < 0 or len(found) >= _MOST_CANDIDATES:
            break
        placed = [(first[record[0]], stop[record[-1]]) for record in records]
        if sum([letters[after] - letters[before] for before, after in placed]) < least or source not in sources:
            continue
        spans = tuple([(before, after) for before, after in placed if after > before])
        if len(spans) > 1 and spans not in found:
            with_text = [record for record, (before, after) in zip(records, placed, strict=True) if after > before]
            found[spans] = Listing(tuple(with_text))
    return found


def _all(outline: Outline, known: Iterable[Listing], least: float) -> Found:
    for listing in known:
        yield "depta", list(listing.records)
    families: defaultdict[int, list[int]] = defaultdict(list)
    for node, kids in enumerate(outline.kids):
        if kids and outline.labels[node] not in _CONTROLS:
            families[outline.page.tree.paths[node]].append(node)
            if len(kids) > 1 and outline.letters_of(node) >= least:
                yield from _of_family(outline, [node])
    for parents in families.values():
        # Parents with one child each would only repeat what the parents themselves are.
        has_siblings = len(parents) > 1 and any(len(outline.kids[node]) > 1 for node in parents)
        if has_siblings and sum([outline.letters_of(node) for node in parents]) >= least:
            yield from _of_family(outline, parents)
    yield from _anywhere(outline)
    yield from _alike(outline, least)


def _of_family(outline: Outline, parents: Sequence[int]) -> Found:
    """For everything that children begin with: those children; of one parent, each with its siblings up to the next too."""
    is_single = len(parents) == 1
    beginning: defaultdict[str, list[int]] = defaultdict(list)
    kids, tokens = outline.kids, outline.tokens
    children = 0
    for parent in parents:
        children += len(kids[parent])
        for child in kids[parent]:
            for token in tokens(child):
                beginning[token].append(child)
    for starts in dict.fromkeys([tuple(own) for own in beginning.values() if len(own) > 1]):  # often two tell the same
        yield "children" if is_single else "families", [(node,) for node in starts]
        if is_single and len(starts) < children and outline.may_walk(children):
            yield "runs", _runs(outline, parents[0], set(starts))


def _runs(outline: Outline, parent: int, starts: set[int]) -> list[Record]:
    """Records that begin at these children and end before the next; the last one ends like the others."""
    runs: list[list[int]] = []
    for child in outline.page.tree.children(parent):
        if child in starts:
            runs.append([child])
        elif runs:
            runs[-1].append(child)
    *others, last = runs
    if others:
        longest = max(map(len, others))
        usual = {outline.labels[node] for run in others for node in run}
        stop = next((k for k, node in enumerate(last) if k and outline.labels[node] not in usual), len(last))
        del last[min(longest, stop) :]
    return [tuple(run) for run in runs]


def _anywhere(outline: Outline) -> Found:
    """All elements of a class, wherever they stand, but for those inside of others."""
    of_class: defaultdict[str, list[int]] = defaultdict(list)
    ends = outline.ends
    for node in outline.with_text:
        for word in outline.classes(node):
            own = of_class[word]
            if not own or node >= ends[own[-1]]:
                own.append(node)
    for nodes in of_class.values():
        if len(nodes) > 1:
            yield "classes", [(node,) for node in nodes]


def _alike(outline: Outline, least: float) -> Found:
    """Children of one parent whose trees are alike, whatever their tags; equal ones begin alike as well."""
    groups, tags, ends = Groups(T), outline.page.tree.tags, outline.ends
    for parent, children in enumerate(outline.kids):
        if len(children) < _LEAST_COMPARED or outline.letters_of(parent) < least or outline.labels[parent] in _CONTROLS:
            continue
        strings = [tags[child : ends[child]] for child in children]
        if len(set(strings)) > 1:
            found: defaultdict[int, list[Record]] = defaultdict(list)
            for child, letter in zip(children, groups.of(strings), strict=True):
                if letter is not None:
                    found[letter].append((child,))
            for records in found.values():
                yield "alike", records
