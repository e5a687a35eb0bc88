"""Holistic alignment: from pairs of records to columns of the whole list (section III-B).

Values are the vertices of a graph, aligned pairs its edges, and connected components the columns. A component that holds
two values of one record is cut where its edges are weakest. Components may not intersect, one standing before the other in
one record and after it in another: they are split by divide and conquer, as the paper says, or by cutting the weakest one
of every ring of components.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from unweave.fields.similarity import Similarity
from unweave.records.ctvs.options import Options
from unweave.records.ctvs.order import Column, Precedence, Vertex
from unweave.records.ctvs.pairs import align, work, worth
from unweave.records.ctvs.values import Place, Values

# Capacities are whole numbers, millionths of similarity: flows of floats leave rests behind, and then nothing is cut. Edges
# must not be free to cut, even between values that have nothing in common.
_MILLION = 1_000_000
_LEAST_CAPACITY = 1_000
# Up to so many records, every pair is aligned. Of more, the columns are learned from so many, spread over the list, and
# each of the others is aligned with the columns as with one more record.
_ALL_PAIRS = 24
_VALUES_OF_A_COLUMN = 5
# What a cut costs for each edge, and a look at the order of all columns for each value, in steps of aligning a pair.
_CUTTING = 120
_SORTING = 15
# So few values are brought into order whatever it costs: there cannot be more rings than values.
_FEW_VALUES = 1_000

Spend = Callable[[int], bool]
"""Told of work that is to be done; says whether there is time for it."""


class Cut(NamedTuple):
    """Edges that part a component, and what they weigh together."""

    weight: int
    edges: list[tuple[Vertex, Vertex]]


def columns(rows: Sequence[Values], similarity: Similarity, spend: Spend, options: Options) -> list[Column] | None:
    """The columns from left to right; None if there is no time for it."""
    known = _by_place(rows, options)
    if known is not None:
        return known
    count = min(len(rows), _ALL_PAIRS)
    sample = [number * len(rows) // count for number in range(count)]
    learned = _learned([rows[record] for record in sample], similarity, spend, options)
    if learned is None or len(sample) == len(rows):
        return learned
    found = [[Vertex(sample[record], position) for record, position in column] for column in learned]
    return _continued(rows, found, set(sample), similarity, spend, options)


def _learned(rows: Sequence[Values], similarity: Similarity, spend: Spend, options: Options) -> list[Column] | None:
    graph = Graph(rows)
    if not graph.align(similarity, spend):
        return None
    found = [part for component in graph.components() for part in _unbreached(graph, component, spend)]
    split = _cut_rings if options.cut_rings else divide
    ordered = split(graph, found, spend)
    return ordered and Precedence(rows, ordered).arranged(packed=options.pack_columns)


def _continued(
    rows: Sequence[Values],
    found: list[Column],
    sample: Collection[int],
    similarity: Similarity,
    spend: Spend,
    options: Options,
) -> list[Column] | None:
    """The columns with the values of all other records; what fits none of them has one of its own."""
    places = [rows[column[0].record][column[0].position].place for column in found]
    examples = [[rows[record][position] for record, position in column[:_VALUES_OF_A_COLUMN]] for column in found]
    alone: list[Column] = []
    for record, values in enumerate(rows):
        if record in sample:
            continue
        own_places = [value.place for value in values]
        if not spend(_VALUES_OF_A_COLUMN * work(own_places, places)):
            return None

        def worth_of(position: int, number: int, values: Values = values) -> float:
            worths = [worth(values[position], example, similarity) for example in examples[number]]
            return sum(worths) / len(worths)

        matched = dict(align(own_places, places, worth_of))
        for position in range(len(values)):
            if position in matched:
                found[matched[position]].append(Vertex(record, position))
            else:
                alone.append([Vertex(record, position)])
    return Precedence(rows, [*map(sorted, found), *alone]).arranged(packed=options.pack_columns)


def _by_place(rows: Sequence[Values], options: Options) -> list[Column] | None:
    """The columns where no record has two values of one place and the places have one order: then nothing is left open."""
    found: dict[Place, Column] = {}
    for record, values in enumerate(rows):
        for position, value in enumerate(values):
            column = found.setdefault(value.place, [])
            if column and column[-1].record == record:
                return None
            column.append(Vertex(record, position))
    precedence = Precedence(rows, list(found.values()))
    return None if precedence.ring() else precedence.arranged(packed=options.pack_columns)


def _unbreached(graph: Graph, component: Column, spend: Spend) -> Iterator[Column]:
    """The component, cut until no part holds two values of one record (BreakBreachPath)."""
    waiting = [component]
    while waiting:
        part = waiting.pop()
        breach = _breach(part)
        if breach is None:
            yield part
        elif spend(_CUTTING * graph.size(part)):
            graph.remove(graph.cut(part, [breach[0]], [breach[1]]))
            waiting.extend(graph.components(part))
        else:
            yield from _by_number(part)


def _breach(component: Column) -> tuple[Vertex, Vertex] | None:
    """The leftmost two values of the first record that has two in the component."""
    for one, other in pairwise(component):
        if one.record == other.record:
            return one, other
    return None


def _by_number(component: Column) -> list[Column]:
    """The first values of all records, the second ones, and so on: for lack of time."""
    found: list[Column] = []
    record, number = -1, 0
    for vertex in component:
        number = number + 1 if vertex.record == record else 0
        record = vertex.record
        if number == len(found):
            found.append([])
        found[number].append(vertex)
    return found


def divide(graph: Graph, found: list[Column], spend: Spend) -> list[Column] | None:
    """Split components that intersect by divide and conquer; None if there is no time for it.

    The pseudo-code of the paper is lost. Here the component with most values divides the others, in every record, into
    those on its left and those on its right; a component that stands on both sides is cut between them. Then each side is
    divided in turn, until nothing on it intersects.
    """
    done: list[Column] = []
    waiting = [found]  # the last is the leftmost
    while waiting:
        part = waiting.pop()
        if not spend(_SORTING * graph.count_values()) and graph.count_values() > _FEW_VALUES:
            return None
        if len(part) < 2 or not Precedence(graph.rows, part).ring():
            done.extend(part)
            continue
        pivot = max(part, key=len)
        left, right = _divide_at(graph, pivot, [column for column in part if column is not pivot])
        waiting += [right, [pivot], left]
    return done


def _divide_at(graph: Graph, pivot: Column, others: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    """Return the components on the left and on the right of one, after those on both sides were cut."""
    positions = {vertex.record: vertex.position for vertex in pivot}
    sides = [_side(graph, column, pivot, positions) for column in others]
    missing: dict[int, list[tuple[int, int]]] = {}  # of records without the pivot, positions and sides
    for column, side in zip(others, sides, strict=True):
        for vertex in column:
            if vertex.record not in positions:
                missing.setdefault(vertex.record, []).append((vertex.position, side))
    for record, found in missing.items():
        positions[record] = _best_position(sorted(found))
    left: list[Column] = []
    right: list[Column] = []
    for column in others:
        before = [vertex for vertex in column if vertex.position < positions[vertex.record]]
        after = [vertex for vertex in column if vertex.position >= positions[vertex.record]]
        if before and after:
            graph.separate(before, after)
        left += graph.components(before)
        right += graph.components(after)
    return left, right


def _side(graph: Graph, column: Column, pivot: Column, positions: Mapping[int, int]) -> int:
    """Return -1 if a component stands on the left of the pivot in most records, else 1; in none, by its mean position."""
    offsets = [vertex.position - positions[vertex.record] for vertex in column if vertex.record in positions]
    balance: float = sum(1 if offset > 0 else -1 for offset in offsets)
    balance = balance or graph.mean_position(column) - graph.mean_position(pivot)
    return 1 if balance > 0 else -1


def _best_position(found: Sequence[tuple[int, int]]) -> int:
    """Return where a pivot that a record lacks would stand: with the fewest values on the wrong side, then first."""
    wrong = fewest = sum(side < 0 for _, side in found)
    best = 0
    for position, side in found:
        wrong += side
        if wrong < fewest:
            fewest, best = wrong, position + 1
    return best


def _cut_rings(graph: Graph, found: list[Column], spend: Spend) -> list[Column] | None:
    """Cut the weakest component of every ring; None if there is no time for it."""
    while True:
        precedence = Precedence(graph.rows, found)
        ring = precedence.ring()
        if not ring:
            return found
        if not spend(_SORTING * graph.count_values()) and graph.count_values() > _FEW_VALUES:
            return None
        cutting = _CUTTING * sum(graph.size(found[number]) for number in ring)
        split = _cut_ring if spend(cutting) else _split_ring
        number, parts = split(graph, precedence, ring)
        found = [*found[:number], *parts, *found[number + 1 :]]


def _cut_ring(graph: Graph, precedence: Precedence, ring: Sequence[int]) -> tuple[int, list[Column]]:
    """The column of a ring that is cheapest to cut, and its parts."""
    cuts: list[tuple[int, int, Cut]] = []
    for number, sources, sinks in _ends(precedence, ring):
        cut = graph.cut(precedence.columns[number], sources, sinks)
        cuts.append((cut.weight, number, cut))
    _, number, cut = min(cuts, key=lambda entry: entry[:2])
    graph.remove(cut)
    return number, graph.components(precedence.columns[number])


def _split_ring(graph: Graph, precedence: Precedence, ring: Sequence[int]) -> tuple[int, list[Column]]:
    """The column of a ring from which the fewest values must be taken, for lack of time to weigh them, and its parts."""
    number, _, sinks = min(_ends(precedence, ring), key=lambda ends: (len(ends[2]), ends[0]))
    taken = set(sinks)
    return number, [[vertex for vertex in precedence.columns[number] if vertex not in taken], sorted(taken)]


def _ends(precedence: Precedence, ring: Sequence[int]) -> Iterator[tuple[int, list[Vertex], list[Vertex]]]:
    """Of the columns of a ring the values right after the column before, and those right before the column behind."""
    for preceding, number, following in zip([ring[-1], *ring], ring, [*ring[1:], ring[0]], strict=False):
        sources = precedence.preceded_by(number, preceding)
        known = set(sources)
        sinks = [vertex for vertex in precedence.followed_by(number, following) if vertex not in known]
        if sinks:
            yield number, sources, sinks


class Graph:
    """The values of all records, and which were aligned."""

    def __init__(self, rows: Sequence[Values]) -> None:
        self.rows = rows
        self._near: dict[Vertex, dict[Vertex, int]] = {
            Vertex(record, position): {} for record, values in enumerate(rows) for position in range(len(values))
        }

    def align(self, similarity: Similarity, spend: Spend) -> bool:
        """Align the records in pairs; False if there is no time for it."""
        places = [[value.place for value in values] for values in self.rows]
        for first, second in combinations(range(len(self.rows)), 2):
            if not spend(work(places[first], places[second])):
                return False
            one, other = self.rows[first], self.rows[second]

            def worth_of(position: int, match: int, one: Values = one, other: Values = other) -> float:
                return worth(one[position], other[match], similarity)

            for position, match in align(places[first], places[second], worth_of):
                capacity = round(_MILLION * worth_of(position, match)) + _LEAST_CAPACITY
                self._link(Vertex(first, position), Vertex(second, match), capacity)
        return True

    def _link(self, one: Vertex, other: Vertex, weight: int) -> None:
        self._near[one][other] = self._near[other][one] = weight

    def count_values(self) -> int:
        """The number of vertices."""
        return len(self._near)

    def size(self, component: Column) -> int:
        """The number of the component's edges."""
        return sum([len(self._near[vertex]) for vertex in component]) // 2

    def components(self, within: Collection[Vertex] | None = None) -> list[Column]:
        """The connected components, of the whole graph or of these vertices, each in document order."""
        left = dict.fromkeys(self._near if within is None else within)
        found: list[Column] = []
        while left:
            start, _ = left.popitem()
            column, waiting = [start], [start]
            while waiting:
                for vertex in self._near[waiting.pop()]:
                    if vertex in left:
                        del left[vertex]
                        column.append(vertex)
                        waiting.append(vertex)
            found.append(sorted(column))
        return sorted(found)

    def cut(self, component: Column, sources: Sequence[Vertex], sinks: Sequence[Vertex]) -> Cut:
        """The lightest edges that part the sources from the sinks."""
        import networkx as nx
        from networkx.algorithms.flow import boykov_kolmogorov

        members = set(component)
        graph = nx.Graph()
        for vertex in component:
            for near, weight in self._near[vertex].items():
                if near in members:
                    graph.add_edge(vertex, near, capacity=weight)
        graph.add_edges_from(("source", vertex) for vertex in sources)
        graph.add_edges_from((vertex, "sink") for vertex in sinks)
        weight, (side, _) = nx.minimum_cut(graph, "source", "sink", flow_func=boykov_kolmogorov)
        others = members - side
        edges = [(v, near) for v in component if v in side for near in self._near[v] if near in others]
        return Cut(weight, edges)

    def mean_position(self, component: Column) -> float:
        """Where the values stand in their records on average: 0 at the start, 1 at the end."""
        return sum([position / len(self.rows[record]) for record, position in component]) / len(component)

    def separate(self, vertices: Collection[Vertex], others: Collection[Vertex]) -> None:
        """Take all edges between two sets of vertices away."""
        members = set(others)
        self.remove(Cut(0, [(vertex, near) for vertex in vertices for near in self._near[vertex] if near in members]))

    def remove(self, cut: Cut) -> None:
        """Take the edges of a cut away."""
        for one, other in cut.edges:
            del self._near[one][other], self._near[other][one]
