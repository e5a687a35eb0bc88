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

Found = Iterator[tuple[str, Sequence[int], Sequence[int]]]
"""Records that may be a list: their source, the first element of each, and the last; the same ones if each has one."""


def candidates(
    outline: Outline, known: Iterable[Listing] = (), sources: Container[str] = frozenset(SOURCES)
) -> dict[Spans, Listing]:
    """The candidates by the texts of their records; ``known`` are the lists that DEPTA finds."""
    found: dict[Spans, Listing] = {}
    least = max(1, _LEAST_SHARE * outline.letters[-1])
    first, stop, before, after = outline.first, outline.stop, outline.letters_before, outline.letters_after
    room = _MOST_RECORDS
    headed_rows = {outline.parents[cell] for cell in outline.page.grid.headers}
    for source, starts, ends in _all(outline, known, least):
        if starts is ends or starts == ends:
            starts = ends = _without_table_parts(outline, starts)
        elif not headed_rows.isdisjoint(ends):
            continue  # a record of a table with headers is one row of it
        room -= len(starts)
        if room < 0 or len(found) >= _MOST_CANDIDATES:
            break
        letters = sum([after[node] for node in ends]) - sum([before[node] for node in starts])
        if letters < least or source not in sources:
            continue
        placed = [(first[one], stop[other]) for one, other in zip(starts, ends, strict=True)]
        spans = tuple([span for span in placed if span[1] > span[0]])
        if len(spans) > 1 and spans not in found:
            pairs = zip(starts, ends, placed, strict=True)
            found[spans] = Listing(
                tuple([_siblings(outline, one, other) for one, other, span in pairs if span[1] > span[0]])
            )
    return found


def _without_table_parts(outline: Outline, nodes: Sequence[int]) -> Sequence[int]:
    """Leave out the header rows of tables with their cells, and the cells below them: they are no records."""
    grid, parents = outline.page.grid, outline.parents
    if not grid.header_rows:
        return nodes
    return [
        node
        for node in nodes
        if node not in grid.header_rows and node not in grid.headers and parents[node] not in grid.header_rows
    ]


def _siblings(outline: Outline, one: int, other: int) -> Record:
    """The elements from one to the other."""
    if one == other:
        return (one,)
    ends = outline.ends
    found = [one]
    while found[-1] != other:
        found.append(ends[found[-1]])
    return tuple(found)


def _all(outline: Outline, known: Iterable[Listing], least: float) -> Found:
    for listing in known:
        yield "depta", [record[0] for record in listing.records], [record[-1] for record in listing.records]
    families: defaultdict[int, list[int]] = defaultdict(list)
    paths = outline.page.tree.paths
    for node, kids in enumerate(outline.kids):
        if kids and outline.labels[node] not in _CONTROLS:
            families[paths[node]].append(node)
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
            for token in tokens[child]:
                beginning[token].append(child)
    for starts in dict.fromkeys([tuple(own) for own in beginning.values() if len(own) > 1]):  # often two tell the same
        yield "children" if is_single else "families", starts, starts
        if is_single and len(starts) < children and outline.may_walk(children):
            yield "runs", starts, _ends_of_runs(outline, parents[0], starts)


def _ends_of_runs(outline: Outline, parent: int, starts: Sequence[int]) -> list[int]:
    """The last siblings of records that begin at these children and end before the next; the last ends like the others."""
    children = outline.page.tree.children(parent)
    number = {child: place for place, child in enumerate(children)}
    *firsts, last = [number[start] for start in starts]
    stops = [*firsts[1:], last]
    longest = max([stop - first for first, stop in zip(firsts, stops, strict=True)])
    usual = {outline.labels[child] for child in children[firsts[0] : last]}
    stop = last + 1
    while stop < min(last + longest, len(children)) and outline.labels[children[stop]] in usual:
        stop += 1
    return [children[place - 1] for place in (*stops, stop)]


def _anywhere(outline: Outline) -> Found:
    """All elements of a class, wherever they stand, but for those inside of others."""
    of_class: defaultdict[str, list[int]] = defaultdict(list)
    ends, classes = outline.ends, outline.classes
    for node in outline.with_text:
        for word in classes[node]:
            own = of_class[word]
            if not own or node >= ends[own[-1]]:
                own.append(node)
    for nodes in of_class.values():
        if len(nodes) > 1:
            yield "classes", nodes, nodes


def _alike(outline: Outline, least: float) -> Found:
    """Children of one parent whose trees are alike, whatever their tags; equal ones begin alike as well."""
    groups, tags, ends = Groups(T), outline.page.tree.tags, outline.ends
    for parent, children in enumerate(outline.kids):
        if len(children) < _LEAST_COMPARED or outline.letters_of(parent) < least or outline.labels[parent] in _CONTROLS:
            continue
        strings = [tags[child : ends[child]] for child in children]
        if len(set(strings)) > 1:
            found: defaultdict[int, list[int]] = defaultdict(list)
            for child, letter in zip(children, groups.of(strings), strict=True):
                if letter is not None:
                    found[letter].append(child)
            for nodes in found.values():
                yield "alike", nodes, nodes
