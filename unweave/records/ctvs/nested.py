"""Nested structures: one attribute, or a group of them, with several values in a record (section III-C)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.options import Options
from unweave.records.ctvs.order import Column, Vertex
from unweave.records.ctvs.values import Place, Reader, Values
from unweave.records.region import Listing
from unweave.trees.tree import Tree

_NESTED = 0.5
_LONGEST_WORD = 10
# A run of equal places may be groups of several values each: sizes and prices, all of them spans.
_LARGEST_GROUP = 4
# An attribute that is there once or twice may as well be two attributes, one of them optional.
_LEAST_COUNTS = 3
# The means are over pairs of values; of many, the first ones tell enough.
_MOST_COMPARED = 30
_MOST_REPETITIONS = 8
_MOST_CANDIDATES = 20

Word = tuple[Place, ...]
Attribute = list[Vertex]
"""All values of one attribute that is repeated."""


class Instance(NamedTuple):
    """A word that one record repeats: for every repetition the positions of its values."""

    record: int
    parts: list[list[int]]

    @property
    def vertices(self) -> list[Vertex]:
        """All of its values."""
        return [Vertex(self.record, position) for part in self.parts for position in part]


def nested(
    reader: Reader,
    listing: Listing,
    rows: Sequence[Values],
    columns: Sequence[Column],
    similarity: Similarity,
    options: Options,
) -> list[list[Attribute]]:
    """Return the groups of attributes that records repeat, by their tags and by their values together."""
    repeated = _repeated(reader.page.tree, rows)
    if not repeated:
        return []
    counts = _Counts(reader, listing)
    taken: set[Vertex] = set()
    found: list[list[Attribute]] = []
    candidates = sorted(repeated.items(), key=lambda item: (-_size(item[1]), len(item[0]), item[0]))
    for word, instances in candidates[:_MOST_CANDIDATES]:
        vertices = {vertex for instance in instances for vertex in instance.vertices}
        if taken & vertices:
            continue
        if options.varying_lists and not (_is_common(instances) and counts.vary(word[0].path)):
            continue
        if is_nested(_by_repetition(instances, rows), similarity, printed_mean=options.printed_mean):
            addresses = _addresses(reader.page.tree, instances, rows, taken)
            attributes = [*_attributes(instances, len(word)), *addresses]
            vertices.update(taken, *addresses)
            found.append([_with_single_values(attribute, columns, vertices) for attribute in attributes])
            taken.update(vertex for attribute in found[-1] for vertex in attribute)
    return found


def is_nested(parts: Sequence[Sequence[Sequence[str]]], similarity: Similarity, *, printed_mean: bool = False) -> bool:
    """Are the values of different repetitions about as alike as those within one? For every repetition its columns.

    Equation (2) divides the sum over m(m-1)/2 pairs by m(m-1), and gives half of the mean that the prose means; with
    ``printed_mean`` it is taken to the letter.
    """
    within = [mean for part in parts for column in part if (mean := _mean_within(column, similarity)) is not None]
    between = [
        _mean_between(column, other_column, similarity)
        for part, other in combinations(parts, 2)
        for column, other_column in zip(part, other, strict=True)
    ]
    own = sum(within) / len(within) if within else 0.0
    own = own / 2 if printed_mean else own
    return own > 0 and bool(between) and sum(between) / len(between) / own > _NESTED


def _mean_within(column: Sequence[str], similarity: Similarity) -> float | None:
    pairs = list(combinations(column[:_MOST_COMPARED], 2))
    return sum([similarity(one, other) for one, other in pairs]) / len(pairs) if pairs else None


def _mean_between(column: Sequence[str], other: Sequence[str], similarity: Similarity) -> float:
    values, others = column[:_MOST_COMPARED], other[:_MOST_COMPARED]
    return sum([similarity(one, two) for one in values for two in others]) / (len(values) * len(others))


def _size(instances: Sequence[Instance]) -> int:
    return sum(len(part) for instance in instances for part in instance.parts)


def _is_common(instances: Sequence[Instance]) -> bool:
    """Do several records repeat it? What one record has twice is an oddity of that record."""
    return sum(len(instance.parts) > 1 for instance in instances) > 1


def _by_repetition(instances: Sequence[Instance], rows: Sequence[Values]) -> list[list[list[str]]]:
    """For the first repetition the texts of its columns over all records, for the second, and so on."""
    most = min(_MOST_REPETITIONS, max(len(instance.parts) for instance in instances))
    width = len(instances[0].parts[0])

    def texts(repetition: int, offset: int) -> list[str]:
        having = [instance for instance in instances if repetition < len(instance.parts)]
        return [rows[instance.record][instance.parts[repetition][offset]].text for instance in having]

    return [[texts(repetition, offset) for offset in range(width)] for repetition in range(most)]


def _attributes(instances: Sequence[Instance], width: int) -> list[Attribute]:
    return [
        [Vertex(instance.record, part[offset]) for instance in instances for part in instance.parts]
        for offset in range(width)
    ]


def _addresses(
    tree: Tree, instances: Sequence[Instance], rows: Sequence[Values], taken: Collection[Vertex]
) -> list[Attribute]:
    """Return the links and images without text that stand in the same siblings as the repetitions, by place and order.

    What no record has in two repetitions is left out.
    """
    found: dict[tuple[Place, int], Attribute] = {}
    repeated: set[tuple[Place, int]] = set()
    known = set(taken)
    for instance in instances:
        values = rows[instance.record]
        siblings = _siblings(tree, [values[part[0]].node for part in instance.parts]) if len(instance.parts) > 1 else []
        of_instance: set[tuple[Place, int]] = set()
        for part, sibling in zip(instance.parts, siblings, strict=False):
            seen: Counter[Place] = Counter()
            for position in _positions_inside(tree, values, part, sibling):
                place, vertex = values[position].place, Vertex(instance.record, position)
                if values[position].says_something or vertex in known:
                    continue
                known.add(vertex)
                name = (place, seen[place])
                seen[place] += 1
                found.setdefault(name, []).append(vertex)
                (repeated if name in of_instance else of_instance).add(name)
    return [attribute for name, attribute in found.items() if name in repeated]


def _positions_inside(tree: Tree, values: Values, part: Sequence[int], sibling: int) -> range:
    """Return the values in and around a repetition, from the sibling where it begins to the end of its last value."""
    last = values[part[-1]].node
    end = tree.ends[last] if last >= tree.ends[sibling] else tree.ends[sibling]

    def is_inside(position: int) -> bool:
        return sibling <= values[position].node < end

    start, stop = part[0], part[-1] + 1
    while start > 0 and is_inside(start - 1):
        start -= 1
    while stop < len(values) and is_inside(stop):
        stop += 1
    return range(start, stop)


def _with_single_values(attribute: Attribute, columns: Sequence[Column], repeated: set[Vertex]) -> Attribute:
    """The attribute with the values of records that have one only: those in columns that are mostly its own."""
    own = set(attribute)
    found = list(attribute)
    for column in columns:
        inside = sum(vertex in own for vertex in column)
        if 2 * inside > len(column):
            found += [vertex for vertex in column if vertex not in repeated]
    return sorted(found)


def _repeated(tree: Tree, rows: Sequence[Values]) -> dict[Word, list[Instance]]:
    """The words that records repeat in siblings, each as it is and in groups of several."""
    found: dict[Word, list[Instance]] = {}
    for record, values in enumerate(rows):
        texts = [position for position, value in enumerate(values) if value.says_something]
        places = [values[position].place for position in texts]
        for start, width, times in _tandem_repeats(places):
            for group in range(1, min(_LARGEST_GROUP, times) + 1):
                word = tuple(places[start : start + group * width])
                positions = texts[start : start + width * times]
                found.setdefault(word, []).append(Instance(record, _cut(positions, group * width)))
    return {word: instances for word, instances in found.items() if _are_well_formed(tree, word, instances, rows)}


def _are_well_formed(tree: Tree, word: Word, instances: Sequence[Instance], rows: Sequence[Values]) -> bool:
    """Do all runs consist of whole words, each in siblings of its own?"""
    return all(
        len(instance.parts[-1]) == len(word)
        and (len(instance.parts) == 1 or _siblings(tree, [rows[instance.record][part[0]].node for part in instance.parts]))
        for instance in instances
    )


def _cut(positions: Sequence[int], width: int) -> list[list[int]]:
    return [list(positions[start : start + width]) for start in range(0, len(positions), width)]


def _tandem_repeats(places: Sequence[Place]) -> Iterator[tuple[int, int, int]]:
    """Start, width and number of what is repeated, from left to right, the longest at each start."""
    start = 0
    while start < len(places):
        width, times = max(
            (_repetition(places, start, width) for width in range(1, min(_LONGEST_WORD, (len(places) - start) // 2) + 1)),
            key=lambda found: found[0] * found[1] if found[1] > 1 else 0,
            default=(1, 1),
        )
        if times > 1:
            yield start, width, times
        start += width * times if times > 1 else 1


def _repetition(places: Sequence[Place], start: int, width: int) -> tuple[int, int]:
    times, word = 1, places[start : start + width]
    while places[start + times * width : start + (times + 1) * width] == word:
        times += 1
    return width, times


def _siblings(tree: Tree, nodes: Sequence[int]) -> list[int]:
    """Return the children of one and the same element that these nodes stand in; none if two stand in the same."""
    ends, parents = tree.ends, tree.parents
    top = nodes[0]
    while top > 0 and ends[top] <= nodes[-1]:
        top = parents[top]
    if top == nodes[0]:
        return []
    holders: list[int] = []
    for node in nodes:
        while parents[node] != top:
            node = parents[node]
        holders.append(node)
    return holders if len(set(holders)) == len(nodes) else []


class _Counts:
    """How often each record has each tag path, whether there is text or not."""

    def __init__(self, reader: Reader, listing: Listing) -> None:
        self._paths = [Counter(reader.paths(record).values()) for record in listing.records]

    def vary(self, path: int) -> bool:
        """Do the records have it in different numbers? The cells of a data table repeat too, but all rows have as many."""
        return len({paths[path] for paths in self._paths}) >= _LEAST_COUNTS
