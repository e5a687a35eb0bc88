"""Nested structures: attributes, or groups of attributes, with several values in a record (section
III-C).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from unweave.lists.listing import Listing
from unweave.lists.methods.ctvs.column_order import Column, Vertex
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.values import RecordPath, Similarity, ValueReader, Values
from unweave.trees.tree import Tree

_MIN_SIMILARITY_RATIO = 0.5
_MAX_WORD_LENGTH = 10
# A run of equal paths may be groups of several values each: sizes and prices, all of them spans.
_MAX_REPETITIONS_PER_GROUP = 4
# An attribute that records have once or twice may as well be two attributes, one of them optional.
_MIN_DIFFERENT_COUNTS = 3
# The means are over pairs of values; of many, the first are enough.
_MAX_COMPARED_VALUES = 30
_MAX_COMPARED_REPETITIONS = 8
_MAX_CANDIDATES = 20

Word = tuple[RecordPath, ...]
Attribute = list[Vertex]
"""All values of a repeated attribute."""


class Instance(NamedTuple):
    """A word that one record repeats: for every repetition the positions of its values."""

    record: int
    parts: list[list[int]]

    @property
    def vertices(self) -> list[Vertex]:
        """All of its values."""
        return [Vertex(self.record, position) for part in self.parts for position in part]


def find_nested_groups(
    reader: ValueReader,
    listing: Listing,
    rows: Sequence[Values],
    columns: Sequence[Column],
    similarity: Similarity,
    options: CtvsOptions,
) -> list[list[Attribute]]:
    """Return the groups of attributes that records repeat, by tags and values together."""
    tree = reader.page.tree
    repeated = _find_repeated_words(tree, rows)
    if not repeated:
        return []
    path_counts = [Counter(reader.number_tag_paths(record).values()) for record in listing.records]
    taken: set[Vertex] = set()
    groups: list[list[Attribute]] = []

    def rank(candidate: tuple[Word, list[Instance]]) -> tuple[int, int, Word]:
        word, instances = candidate
        size = sum(len(part) for instance in instances for part in instance.parts)
        return -size, len(word), word

    for word, instances in sorted(repeated.items(), key=rank)[:_MAX_CANDIDATES]:
        vertices = {vertex for instance in instances for vertex in instance.vertices}
        if taken & vertices:
            continue
        if options.varying_lists:
            # A word that a single record repeats is an oddity of that record. The cells of a data
            # table repeat, too, but all rows have the same number of them.
            repeating = sum(len(instance.parts) > 1 for instance in instances)
            different = {counts[word[0].tag_path] for counts in path_counts}
            if repeating < 2 or len(different) < _MIN_DIFFERENT_COUNTS:
                continue
        texts = _collect_texts(instances, rows)
        if is_nested(texts, similarity, printed_mean=bool(options.printed_mean)):
            addresses = _find_addresses(tree, instances, rows, taken)
            attributes = [*_collect_attributes(instances, len(word)), *addresses]
            vertices.update(taken, *addresses)
            groups.append(
                [_add_single_values(attribute, columns, vertices) for attribute in attributes]
            )
            taken.update(vertex for attribute in groups[-1] for vertex in attribute)
    return groups


def is_nested(
    parts: Sequence[Sequence[Sequence[str]]], similarity: Similarity, *, printed_mean: bool = False
) -> bool:
    """Tell whether values of different repetitions are about as similar as values of the same one.

    ``parts`` has the columns of each repetition. Equation (2) divides the sum over m(m-1)/2 pairs
    by m(m-1), which is half of the mean that the prose describes; ``printed_mean`` follows the
    equation.
    """
    within: list[float] = []
    for column in (column for part in parts for column in part):
        pairs = list(combinations(column[:_MAX_COMPARED_VALUES], 2))
        if pairs:
            within.append(sum([similarity(left, right) for left, right in pairs]) / len(pairs))
    between: list[float] = []
    for left_part, right_part in combinations(parts, 2):
        for left_column, right_column in zip(left_part, right_part, strict=True):
            lefts, rights = left_column[:_MAX_COMPARED_VALUES], right_column[:_MAX_COMPARED_VALUES]
            total = sum([similarity(left, right) for left in lefts for right in rights])
            between.append(total / (len(lefts) * len(rights)))
    if not within or not between:
        return False
    mean_within = sum(within) / len(within)
    if printed_mean:
        mean_within /= 2
    if mean_within <= 0:
        return False
    return sum(between) / len(between) / mean_within > _MIN_SIMILARITY_RATIO


def _collect_texts(instances: Sequence[Instance], rows: Sequence[Values]) -> list[list[list[str]]]:
    """Return for each repetition the texts of its columns over all records."""
    max_parts = max(len(instance.parts) for instance in instances)
    width = len(instances[0].parts[0])
    texts: list[list[list[str]]] = []
    for repetition in range(min(_MAX_COMPARED_REPETITIONS, max_parts)):
        columns: list[list[str]] = [[] for _ in range(width)]
        for record, parts in instances:
            if repetition < len(parts):
                for column, position in zip(columns, parts[repetition], strict=True):
                    column.append(rows[record][position].text)
        texts.append(columns)
    return texts


def _collect_attributes(instances: Sequence[Instance], width: int) -> list[Attribute]:
    attributes: list[Attribute] = [[] for _ in range(width)]
    for record, parts in instances:
        for part in parts:
            for attribute, position in zip(attributes, part, strict=True):
                attribute.append(Vertex(record, position))
    return attributes


def _find_addresses(
    tree: Tree, instances: Sequence[Instance], rows: Sequence[Values], taken: Collection[Vertex]
) -> list[Attribute]:
    """Return the links and images without text in the siblings of the repetitions, by path and
    order.

    Those that no record has in two repetitions are left out.
    """
    attributes: dict[tuple[RecordPath, int], Attribute] = {}
    repeated: set[tuple[RecordPath, int]] = set()
    known = set(taken)
    for instance in instances:
        if len(instance.parts) < 2:
            continue
        values = rows[instance.record]
        siblings = _find_siblings(tree, [values[part[0]].node for part in instance.parts])
        in_instance: set[tuple[RecordPath, int]] = set()
        for part, sibling in zip(instance.parts, siblings, strict=False):
            seen: Counter[RecordPath] = Counter()
            for position in _find_positions_inside(tree, values, part, sibling):
                value, vertex = values[position], Vertex(instance.record, position)
                if value.is_text or vertex in known:
                    continue
                known.add(vertex)
                key = (value.path, seen[value.path])
                seen[value.path] += 1
                attributes.setdefault(key, []).append(vertex)
                (repeated if key in in_instance else in_instance).add(key)
    return [attribute for key, attribute in attributes.items() if key in repeated]


def _find_positions_inside(tree: Tree, values: Values, part: Sequence[int], sibling: int) -> range:
    """Return the values in and around a repetition, from the sibling where it begins to the end of
    its last value.
    """
    last = values[part[-1]].node
    end = tree.ends[last] if last >= tree.ends[sibling] else tree.ends[sibling]
    start, stop = part[0], part[-1] + 1
    while start > 0 and sibling <= values[start - 1].node < end:
        start -= 1
    while stop < len(values) and sibling <= values[stop].node < end:
        stop += 1
    return range(start, stop)


def _add_single_values(
    attribute: Attribute, columns: Sequence[Column], repeated: set[Vertex]
) -> Attribute:
    """Return the attribute with the values of records that have one only, from columns that are
    mostly its values.
    """
    members = set(attribute)
    extended = list(attribute)
    for column in columns:
        inside = sum(vertex in members for vertex in column)
        if 2 * inside > len(column):
            extended += [vertex for vertex in column if vertex not in repeated]
    return sorted(extended)


def _find_repeated_words(tree: Tree, rows: Sequence[Values]) -> dict[Word, list[Instance]]:
    """Return the words that records repeat in siblings, each as it is and in groups of several."""
    instances: dict[Word, list[Instance]] = {}
    for record, values in enumerate(rows):
        texts = [position for position, value in enumerate(values) if value.is_text]
        paths = [values[position].path for position in texts]
        for start, width, count in _find_tandem_repeats(paths):
            positions = texts[start : start + width * count]
            for group in range(1, min(_MAX_REPETITIONS_PER_GROUP, count) + 1):
                size = group * width
                parts = [positions[i : i + size] for i in range(0, len(positions), size)]
                word = tuple(paths[start : start + size])
                instances.setdefault(word, []).append(Instance(record, parts))

    def is_well_formed(instance: Instance, word: Word) -> bool:
        """Tell whether a run consists of whole words, each in siblings of its own."""
        record, parts = instance
        if len(parts[-1]) != len(word):
            return False
        nodes = [rows[record][part[0]].node for part in parts]
        return len(parts) == 1 or bool(_find_siblings(tree, nodes))

    return {
        word: repeats
        for word, repeats in instances.items()
        if all(is_well_formed(instance, word) for instance in repeats)
    }


def _find_tandem_repeats(paths: Sequence[RecordPath]) -> Iterator[tuple[int, int, int]]:
    """Yield start, width and count of repeats from left to right, the longest at each start."""
    start = 0
    while start < len(paths):
        best_width, best_count = 1, 1
        for width in range(1, min(_MAX_WORD_LENGTH, (len(paths) - start) // 2) + 1):
            word, count = paths[start : start + width], 1
            while paths[start + count * width : start + (count + 1) * width] == word:
                count += 1
            if count > 1 and (best_count == 1 or width * count > best_width * best_count):
                best_width, best_count = width, count
        if best_count > 1:
            yield start, best_width, best_count
        start += best_width * best_count


def _find_siblings(tree: Tree, nodes: Sequence[int]) -> list[int]:
    """Return the children of one element that contain the nodes; empty if two nodes are in the same
    child.
    """
    ends, parents = tree.ends, tree.parents
    ancestor = nodes[0]
    while ancestor > 0 and ends[ancestor] <= nodes[-1]:
        ancestor = parents[ancestor]
    if ancestor == nodes[0]:
        return []
    siblings: list[int] = []
    for node in nodes:
        while parents[node] != ancestor:
            node = parents[node]
        siblings.append(node)
    return siblings if len(set(siblings)) == len(nodes) else []
