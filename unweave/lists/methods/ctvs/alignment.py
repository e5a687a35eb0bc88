"""Align the values of records into columns: pairwise (section III-A), then holistically (section
III-B).

Values are the vertices of a graph, aligned pairs its edges, and connected components the columns. A
component that holds two values of one record is cut where its edges are weakest. Components may not
intersect, one being before the other in one record and after it in another: they are split by
divide and conquer, as the paper says, or by cutting the weakest component of every cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from unweave.lists.methods.ctvs.column_order import Column, ColumnOrder, Vertex
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.values import RecordPath, Similarity, Value, Values

# Two titles that share no word must still be aligned. A pair adds so little that it only decides
# between alignments of equal similarity, in favour of the one with the fewest unaligned values.
_PAIR_BONUS = 1e-9
# Capacities are integers, millionths of similarity: flows of floats leave remainders, and then
# nothing is cut. Edges must not be free to cut, even between values that have nothing in common.
_CAPACITY_UNIT = 1_000_000
_MIN_CAPACITY = 1_000
# Up to this number of records, every pair is aligned. Of more, the columns are learned from a
# sample of that size, and each other record is aligned with the columns as with one more record.
_MAX_SAMPLE_RECORDS = 24
_MAX_EXAMPLES_PER_COLUMN = 5
# The work of a cut for each edge, and of ordering all columns for each value, in steps of aligning
# a pair.
_WORK_PER_CUT_EDGE = 120
_WORK_PER_ORDERED_VALUE = 15
# So few values are ordered whatever the budget: there cannot be more cycles than values.
_MAX_VALUES_ORDERED_FREE = 1_000

Spend = Callable[[int], bool]
"""Take work from a budget; False if not so much is left."""


# ---- pairs ---------------------------------------------------------------------------------------


def score_pair(left: Value, right: Value, similarity: Similarity) -> float:
    """Return the similarity of two values of one path: that of their texts, plus 1 for each address
    of both.

    Two addresses of one path are as similar as two values of one specific type.
    """
    score = similarity(left.text, right.text) if left.is_text else 1.0
    if left.addresses and right.addresses:
        left_paths = Counter(address.path for address in left.addresses)
        score += (left_paths & Counter(address.path for address in right.addresses)).total()
    return score


def align_pair(
    left: Sequence[RecordPath], right: Sequence[RecordPath], score: Callable[[int, int], float]
) -> list[tuple[int, int]]:
    """Return the pairs of positions with the largest sum of scores, in order.

    Only positions of the same path are paired, each with at most one other, and no two pairs cross.
    """
    right_positions: dict[RecordPath, list[int]] = {}
    for position, path in enumerate(right):
        right_positions.setdefault(path, []).append(position)
    best = [[0.0] * (len(right) + 1)]
    for position, path in enumerate(left):
        previous = best[-1]
        row = previous.copy()
        for match in right_positions.get(path, ()):
            total = previous[match] + score(position, match) + _PAIR_BONUS
            if total > row[match + 1]:
                row[match + 1] = total
        best.append(list(accumulate(row, max)))
    # Trace the largest sum back; among equals, the first pairs are taken.
    pairs: list[tuple[int, int]] = []
    i, j = len(left), len(right)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def estimate_work(left: Sequence[RecordPath], right: Sequence[RecordPath]) -> int:
    """Return about how many steps of a tenth of a microsecond it takes to align two records."""
    counts = Counter(right)
    return len(left) * len(right) // 4 + 20 * sum([counts[path] for path in left])


# ---- columns -------------------------------------------------------------------------------------


def align_records(
    rows: Sequence[Values], similarity: Similarity, spend: Spend, options: CtvsOptions
) -> list[Column] | None:
    """Return the columns of all records from left to right; None if the budget is exhausted."""
    join = bool(options.pack_columns)
    columns = _align_by_path(rows, join)
    if columns is not None:
        return columns
    count = min(len(rows), _MAX_SAMPLE_RECORDS)
    sample = [number * len(rows) // count for number in range(count)]
    learned = _align_sample([rows[record] for record in sample], similarity, spend, options)
    if learned is None or len(sample) == len(rows):
        return learned
    columns = [[Vertex(sample[record], position) for record, position in col] for col in learned]
    return _align_others(rows, columns, set(sample), similarity, spend, join)


def _align_by_path(rows: Sequence[Values], join: bool) -> list[Column] | None:
    """Return the columns by path if no record has two values of one path and paths have one order,
    else None.
    """
    columns: dict[RecordPath, Column] = {}
    for record, values in enumerate(rows):
        for position, value in enumerate(values):
            column = columns.setdefault(value.path, [])
            if column and column[-1].record == record:
                return None
            column.append(Vertex(record, position))
    order = ColumnOrder(rows, list(columns.values()))
    return None if order.find_cycle() else order.sort_columns(join=join)


def _align_sample(
    rows: Sequence[Values], similarity: Similarity, spend: Spend, options: CtvsOptions
) -> list[Column] | None:
    """Return the columns of a few records by aligning all pairs; None if over the budget."""
    graph = AlignmentGraph(rows)
    if not graph.align(similarity, spend):
        return None
    columns: list[Column] = []
    for component in graph.find_components():
        columns += _cut_breaches(graph, component, spend)
    split = cut_cycles if options.cut_rings else divide_and_conquer
    ordered = split(graph, columns, spend)
    return ordered and ColumnOrder(rows, ordered).sort_columns(join=bool(options.pack_columns))


def _align_others(
    rows: Sequence[Values],
    columns: Sequence[Column],
    sample: Collection[int],
    similarity: Similarity,
    spend: Spend,
    join: bool,
) -> list[Column] | None:
    """Return the columns with the values of all other records; an unaligned value gets a new
    column.
    """
    firsts = [column[0] for column in columns]
    paths = [rows[vertex.record][vertex.position].path for vertex in firsts]
    examples = [
        [rows[record][position] for record, position in column[:_MAX_EXAMPLES_PER_COLUMN]]
        for column in columns
    ]
    extended = [list(column) for column in columns]
    unaligned: list[Column] = []
    for record, values in enumerate(rows):
        if record in sample:
            continue
        record_paths = [value.path for value in values]
        if not spend(_MAX_EXAMPLES_PER_COLUMN * estimate_work(record_paths, paths)):
            return None

        def score(position: int, number: int, values: Values = values) -> float:
            value = values[position]
            scores = [score_pair(value, example, similarity) for example in examples[number]]
            return sum(scores) / len(scores)

        matches = dict(align_pair(record_paths, paths, score))
        for position in range(len(values)):
            if position in matches:
                extended[matches[position]].append(Vertex(record, position))
            else:
                unaligned.append([Vertex(record, position)])
    return ColumnOrder(rows, [*map(sorted, extended), *unaligned]).sort_columns(join=join)


# ---- the graph of aligned values -----------------------------------------------------------------


class Cut(NamedTuple):
    """Edges that separate a component into parts, and the sum of their weights."""

    weight: int
    edges: list[tuple[Vertex, Vertex]]


class AlignmentGraph:
    """The values of all records, with an edge between aligned values."""

    def __init__(self, rows: Sequence[Values]) -> None:
        self.rows = rows
        self._neighbours: dict[Vertex, dict[Vertex, int]] = {
            Vertex(record, position): {}
            for record, values in enumerate(rows)
            for position in range(len(values))
        }

    def __len__(self) -> int:
        return len(self._neighbours)

    def align(self, similarity: Similarity, spend: Spend) -> bool:
        """Align all pairs of records; False if the budget is exhausted."""
        paths = [[value.path for value in values] for values in self.rows]
        for left, right in combinations(range(len(self.rows)), 2):
            if not spend(estimate_work(paths[left], paths[right])):
                return False
            left_values, right_values = self.rows[left], self.rows[right]

            def score(
                position: int, match: int, left: Values = left_values, right: Values = right_values
            ) -> float:
                return score_pair(left[position], right[match], similarity)

            for position, match in align_pair(paths[left], paths[right], score):
                capacity = round(_CAPACITY_UNIT * score(position, match)) + _MIN_CAPACITY
                self.add_edge(Vertex(left, position), Vertex(right, match), capacity)
        return True

    def add_edge(self, start: Vertex, end: Vertex, capacity: int) -> None:
        """Connect two values."""
        self._neighbours[start][end] = self._neighbours[end][start] = capacity

    def count_edges(self, component: Column) -> int:
        """Return the number of edges of a component."""
        return sum([len(self._neighbours[vertex]) for vertex in component]) // 2

    def find_components(self, within: Collection[Vertex] | None = None) -> list[Column]:
        """Return the connected components of all or some vertices, each in document order."""
        unvisited = dict.fromkeys(self._neighbours if within is None else within)
        components: list[Column] = []
        while unvisited:
            start, _ = unvisited.popitem()
            component, waiting = [start], [start]
            while waiting:
                for vertex in self._neighbours[waiting.pop()]:
                    if vertex in unvisited:
                        del unvisited[vertex]
                        component.append(vertex)
                        waiting.append(vertex)
            components.append(sorted(component))
        return sorted(components)

    def find_cut(
        self, component: Column, sources: Sequence[Vertex], sinks: Sequence[Vertex]
    ) -> Cut:
        """Return the edges of the smallest weight that separate the sources from the sinks."""
        import networkx as nx
        from networkx.algorithms.flow import boykov_kolmogorov

        members = set(component)
        graph = nx.Graph()
        for vertex in component:
            for neighbour, weight in self._neighbours[vertex].items():
                if neighbour in members:
                    graph.add_edge(vertex, neighbour, capacity=weight)
        graph.add_edges_from(("source", vertex) for vertex in sources)
        graph.add_edges_from((vertex, "sink") for vertex in sinks)
        weight, (reached, _) = nx.minimum_cut(graph, "source", "sink", flow_func=boykov_kolmogorov)
        side = [vertex for vertex in component if vertex in reached]
        return Cut(weight, self._find_edges(side, members - reached))

    def separate(self, left: Sequence[Vertex], right: Collection[Vertex]) -> None:
        """Remove all edges between two sets of vertices."""
        self.remove_edges(self._find_edges(left, set(right)))

    def _find_edges(
        self, left: Sequence[Vertex], right: Collection[Vertex]
    ) -> list[tuple[Vertex, Vertex]]:
        neighbours = self._neighbours
        return [
            (vertex, other) for vertex in left for other in neighbours[vertex] if other in right
        ]

    def remove_edges(self, edges: Sequence[tuple[Vertex, Vertex]]) -> None:
        """Remove edges from the graph."""
        for start, end in edges:
            del self._neighbours[start][end], self._neighbours[end][start]

    def compute_mean_position(self, component: Column) -> float:
        """Return the mean position of values in their records, from 0 to 1."""
        rows = self.rows
        positions = [position / len(rows[record]) for record, position in component]
        return sum(positions) / len(component)


def _cut_breaches(graph: AlignmentGraph, component: Column, spend: Spend) -> Iterator[Column]:
    """Yield the parts of a component, cut until none holds two values of one record
    (BreakBreachPath).
    """
    waiting = [component]
    while waiting:
        part = waiting.pop()
        breach = _find_breach(part)
        if breach is None:
            yield part
        elif spend(_WORK_PER_CUT_EDGE * graph.count_edges(part)):
            graph.remove_edges(graph.find_cut(part, [breach[0]], [breach[1]]).edges)
            waiting.extend(graph.find_components(part))
        else:
            yield from _split_by_count(part)


def _find_breach(component: Column) -> tuple[Vertex, Vertex] | None:
    """Return the leftmost two values of the first record that has two in the component."""
    for left, right in pairwise(component):
        if left.record == right.record:
            return left, right
    return None


def _split_by_count(component: Column) -> list[Column]:
    """Return the first values of all records, the second ones, and so on; a cheap replacement of
    cuts.
    """
    parts: list[Column] = []
    record, count = -1, 0
    for vertex in component:
        count = count + 1 if vertex.record == record else 0
        record = vertex.record
        if count == len(parts):
            parts.append([])
        parts[count].append(vertex)
    return parts


# ---- components that intersect -------------------------------------------------------------------


def divide_and_conquer(
    graph: AlignmentGraph, columns: list[Column], spend: Spend
) -> list[Column] | None:
    """Return components that do not intersect, by divide and conquer; None if the budget is
    exhausted.

    The pseudo-code of the paper is lost. Here the component with most values divides the others, in
    every record, into those on its left and those on its right; a component on both sides is cut
    between them. Then each side is divided in turn, until nothing on it intersects.
    """
    divided: list[Column] = []
    waiting = [columns]  # the last is the leftmost
    while waiting:
        part = waiting.pop()
        if (
            not spend(_WORK_PER_ORDERED_VALUE * len(graph))
            and len(graph) > _MAX_VALUES_ORDERED_FREE
        ):
            return None
        if len(part) < 2 or not ColumnOrder(graph.rows, part).find_cycle():
            divided.extend(part)
            continue
        pivot = max(part, key=len)
        left, right = _divide_at(graph, pivot, [column for column in part if column is not pivot])
        waiting += [right, [pivot], left]
    return divided


def _divide_at(
    graph: AlignmentGraph, pivot: Column, columns: Sequence[Column]
) -> tuple[list[Column], list[Column]]:
    """Return the components on the left and on the right of a pivot, after cutting those on both
    sides.
    """
    positions = {vertex.record: vertex.position for vertex in pivot}
    # Of records without the pivot, the positions and sides of all other values.
    sides: dict[int, list[tuple[int, int]]] = {}
    for column in columns:
        side = _choose_side(graph, column, pivot, positions)
        for vertex in column:
            if vertex.record not in positions:
                sides.setdefault(vertex.record, []).append((vertex.position, side))
    for record, values in sides.items():
        positions[record] = _choose_pivot_position(sorted(values))
    left: list[Column] = []
    right: list[Column] = []
    for column in columns:
        before = [vertex for vertex in column if vertex.position < positions[vertex.record]]
        after = [vertex for vertex in column if vertex.position >= positions[vertex.record]]
        if before and after:
            graph.separate(before, after)
        left += graph.find_components(before)
        right += graph.find_components(after)
    return left, right


def _choose_side(
    graph: AlignmentGraph, column: Column, pivot: Column, positions: Mapping[int, int]
) -> int:
    """Return -1 if a component is on the left of the pivot in most records, else 1; in none, by
    mean position.
    """
    balance: float = 0
    for record, position in column:
        if record in positions:
            balance += 1 if position > positions[record] else -1
    if not balance:
        balance = graph.compute_mean_position(column) - graph.compute_mean_position(pivot)
    return 1 if balance > 0 else -1


def _choose_pivot_position(values: Sequence[tuple[int, int]]) -> int:
    """Return the first position for a missing pivot with the fewest values on their wrong side."""
    wrong = fewest = sum(side < 0 for _, side in values)
    best = 0
    for position, side in values:
        wrong += side
        if wrong < fewest:
            fewest, best = wrong, position + 1
    return best


def cut_cycles(graph: AlignmentGraph, columns: list[Column], spend: Spend) -> list[Column] | None:
    """Return components without cycles, by cutting the weakest of each cycle; None if the budget is
    exhausted.
    """
    while True:
        order = ColumnOrder(graph.rows, columns)
        cycle = order.find_cycle()
        if not cycle:
            return columns
        if (
            not spend(_WORK_PER_ORDERED_VALUE * len(graph))
            and len(graph) > _MAX_VALUES_ORDERED_FREE
        ):
            return None
        edges = sum(graph.count_edges(columns[number]) for number in cycle)
        split = _cut_weakest if spend(_WORK_PER_CUT_EDGE * edges) else _split_smallest
        number, parts = split(graph, order, cycle)
        columns = [*columns[:number], *parts, *columns[number + 1 :]]


def _cut_weakest(
    graph: AlignmentGraph, order: ColumnOrder, cycle: Sequence[int]
) -> tuple[int, list[Column]]:
    """Return the column of a cycle with the lightest cut, and its parts after removing the cut."""
    cuts: list[tuple[int, int, Cut]] = []
    for number, sources, sinks in _find_ends(order, cycle):
        cut = graph.find_cut(order.columns[number], sources, sinks)
        cuts.append((cut.weight, number, cut))
    _, number, cut = min(cuts, key=lambda entry: entry[:2])
    graph.remove_edges(cut.edges)
    return number, graph.find_components(order.columns[number])


def _split_smallest(
    graph: AlignmentGraph, order: ColumnOrder, cycle: Sequence[int]
) -> tuple[int, list[Column]]:
    """Return the column of a cycle that loses the fewest values, and its parts; a cheap replacement
    of cuts.
    """
    number, _, sinks = min(_find_ends(order, cycle), key=lambda ends: (len(ends[2]), ends[0]))
    taken = set(sinks)
    rest = [vertex for vertex in order.columns[number] if vertex not in taken]
    return number, [rest, sorted(taken)]


def _find_ends(
    order: ColumnOrder, cycle: Sequence[int]
) -> Iterator[tuple[int, list[Vertex], list[Vertex]]]:
    """Yield each column of a cycle, its values after the previous column, and those before the
    next.
    """
    for index, number in enumerate(cycle):
        sources = order.find_values_after(number, cycle[index - 1])
        known = set(sources)
        before_next = order.find_values_before(number, cycle[(index + 1) % len(cycle)])
        sinks = [vertex for vertex in before_next if vertex not in known]
        if sinks:
            yield number, sources, sinks
