"""The template paths of a wrapper as a tree, and the shortest steps to each of them.

Steps are tested on the tree before any page is parsed: they are right if they lead to one template
path and to no other that pages of the template have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

from unweave.errors import WrapperError
from unweave.page.page import INLINE_TAGS
from unweave.page.template_paths import MAX_WORD_LENGTH, TemplatePaths
from unweave.selectors.expressions import Axis, Step, Steps, is_xml_text
from unweave.wrappers.fields.locators import Anchors

UNNAMED_TAGS = frozenset(["tbody"])
"""Browsers add these elements, lxml does not: no step names them."""

# lxml closes these elements at the start of a block, browsers do not: no step goes through them.
_CLOSED_BY_BLOCKS = INLINE_TAGS | frozenset("p h1 h2 h3 h4 h5 h6 pre".split())
ROOT_TAGS = frozenset(["html", "body"])
"""Their identifiers describe the browser or the page, and distinguish nothing on it."""
TABLE_CELLS = frozenset(["td", "th"])

# The cost of a step is low where it names something specific. The steps with the lowest sum win.
_COSTS = {"@": 1.0, "#": 1.0, ".": 1.5}
_TAG_COST = 2.0
_UNIQUE_TAG_COST = 1.0
_LAYOUT_COST = 0.3
_COST_PER_LEVEL = 0.05
_UNIQUE_TAGS = frozenset(["h1", "title"])
# Classes that describe the look or the position of an element, and not its meaning.
_LAYOUT_CLASS = re.compile(
    r"\d|^(?:row|col|clearfix|first|last|odd|even|left|right|active|container|wrap|inner|bold)$"
)

# Bounds on the work for untrusted wrappers.
MAX_VISITS = 20_000
"""The vertices that are visited in search of the steps to one vertex: about 10 ms."""
MAX_DEPTH = 1_000
_MAX_SIGNS_PER_STEP = 200
_MAX_ANCESTOR_STEPS = 40
MAX_ROUTES = 6
"""The number of different steps that are kept for one vertex."""


# ---- elements ------------------------------------------------------------------------------------

_SIGNS = re.compile(r"[.#@]")


class Element(NamedTuple):
    """The tag and the identifiers of the elements at one template path."""

    tag: str
    identifiers: tuple[str, ...] = ()


def make_element(tag: str, names: Iterable[str]) -> Element:
    """Return an element from names such as ``div.price``, without names that were cut off."""
    identifiers: list[str] = []
    for name in names:
        identifier = name.removeprefix(tag) if name.startswith(tag) else ""
        is_whole = 1 < len(identifier) <= MAX_WORD_LENGTH
        if is_whole and _SIGNS.match(identifier) and is_xml_text(identifier):
            identifiers.append(identifier)
    return Element(tag, tuple(identifiers))


def parse_step(step: str, stable: frozenset[str]) -> Element:
    """Return the element of a step of a template path, which consists of stable identifiers.

    An identifier may contain the signs that separate identifiers. If there is no way to split the
    step, the element has none.
    """
    tag = _SIGNS.split(step, maxsplit=1)[0]
    text = step[len(tag) :]
    starts = [match.start() for match in _SIGNS.finditer(text)][:_MAX_SIGNS_PER_STEP]
    splits: dict[int, list[str]] = {len(text): []}
    for start in reversed(starts):
        for stop in sorted(splits):
            if stop > start and tag + text[start:stop] in stable:
                splits[start] = [tag + text[start:stop], *splits[stop]]
                break
    return make_element(tag, splits.get(0, []))


def estimate_cost(identifier: str) -> float:
    """Return how little an identifier says about the meaning of an element."""
    is_layout = _LAYOUT_CLASS.search(identifier[1:]) is not None
    return _COSTS[identifier[0]] + (_LAYOUT_COST if is_layout else 0)


def _list_short_steps(element: Element) -> list[tuple[float, Step]]:
    """Return steps by one identifier each, and by the tag alone, with their costs."""
    steps = [(estimate_cost(name), Step(element.tag, (name,))) for name in element.identifiers]
    tag_cost = _UNIQUE_TAG_COST if element.tag in _UNIQUE_TAGS else _TAG_COST
    return [*steps, (tag_cost, Step(element.tag))]


# ---- the tree ------------------------------------------------------------------------------------


_Name = tuple[str, str | int | None]
"""A tag with an identifier, with a number among the siblings of the tag, or alone."""


class _Ancestor(NamedTuple):
    cost: float
    vertex: int
    step: Step


class TemplateTree:
    """A tree of elements. Vertex 0 is the document or a row; parents have smaller numbers.

    Sets of vertices are integers with one bit for each vertex in document order, so that the
    descendants of a vertex are a run of bits.
    """

    def __init__(self, parents: Sequence[int], elements: Sequence[Element]) -> None:
        self.parents, self.elements = parents, elements
        self.find_routes = cache(self._find_routes)
        self.get_subtree = cache(self._get_subtree)
        self._get_named = cache(lambda name: self._make_set(self._names.get(name, ())))
        self._get_below = cache(lambda step: self._get_descendants(self._match(step)))
        self._children: list[list[int]] = [[] for _ in parents]
        self._names: defaultdict[_Name, list[int]] = defaultdict(list)
        numbers: Counter[tuple[int, str]] = Counter()
        depths, sizes = [0] * len(parents), [1] * len(parents)
        for vertex in range(1, len(parents)):
            self._children[parents[vertex]].append(vertex)
            depths[vertex] = depths[parents[vertex]] + 1
            tag, identifiers = elements[vertex]
            numbers[parents[vertex], tag] += 1
            for name in (None, numbers[parents[vertex], tag], *identifiers):
                self._names[tag, name].append(vertex)
        if max(depths) >= MAX_DEPTH:
            raise WrapperError(f"the template paths are nested more than {MAX_DEPTH} levels deep")
        for vertex in range(len(parents) - 1, 0, -1):
            sizes[parents[vertex]] += sizes[vertex]
        self._positions = [0] * len(parents)
        following = [1] * len(parents)
        for vertex in range(1, len(parents)):
            position = self._positions[vertex] = following[parents[vertex]]
            following[parents[vertex]] += sizes[vertex]
            following[vertex] = position + 1
        self._stops = [
            position + size for position, size in zip(self._positions, sizes, strict=True)
        ]
        self._in_order = sorted(range(len(parents)), key=self._positions.__getitem__)
        self._visits = 0

    def _get_subtree(self, root: int) -> tuple[TemplateTree, dict[int, int]]:
        """Return the tree below a vertex, and the number there of each vertex."""
        inside = self._in_order[self._positions[root] : self._stops[root]]
        numbers = {vertex: number for number, vertex in enumerate(inside)}
        parents = [-1, *(numbers[self.parents[vertex]] for vertex in inside[1:])]
        return TemplateTree(parents, [self.elements[vertex] for vertex in inside]), numbers

    def list_path(self, vertex: int) -> list[int]:
        """Return the vertices down to this one, without the root and what lxml does not have."""
        path = [vertex] if vertex > 0 else []
        above, has_block = self.parents[vertex], self.elements[vertex].tag not in INLINE_TAGS
        while above > 0:
            tag = self.elements[above].tag
            if tag not in UNNAMED_TAGS and not (has_block and tag in _CLOSED_BY_BLOCKS):
                path.append(above)
            has_block = has_block or tag not in INLINE_TAGS
            above = self.parents[above]
        return path[::-1]

    def make_steps(self, path: Iterable[int], above: int, *, is_strict: bool = False) -> Steps:
        """Return steps from a vertex down a path, with all identifiers.

        With ``is_strict``, siblings that have the same identifiers and more do not match.
        """
        steps: list[Step] = []
        for vertex in path:
            axis = Axis.CHILD if self.parents[vertex] == above else Axis.DESCENDANT
            excluded = self._list_excluded(vertex) if is_strict else ()
            steps.append(Step(*self.elements[vertex], excluded, axis=axis))
            above = vertex
        return tuple(steps)

    def _list_excluded(self, vertex: int) -> tuple[str, ...]:
        """Return as few identifiers as are needed to leave out similar siblings."""
        tag, identifiers = self.elements[vertex]
        rivals: list[set[str]] = []
        for sibling in self._children[self.parents[vertex]]:
            element = self.elements[sibling]
            if element.tag == tag and {*element.identifiers} > {*identifiers}:
                rivals.append({*element.identifiers} - {*identifiers})
        excluded: list[str] = []
        while rivals:
            counts = Counter([name for names in rivals for name in names])
            excluded.append(max(counts, key=lambda name: (counts[name], name[1:], name)))
            rivals = [names for names in rivals if excluded[-1] not in names]
        return tuple(excluded)

    # ---- one or two ancestors --------------------------------------------------------------------

    def _find_routes(self, vertex: int) -> list[Steps]:
        """Return steps that lead to this vertex and to no other, the shortest first."""
        return self.find_short_routes([vertex]) or [self._find_minimal_route(vertex)]

    def find_short_routes(self, vertices: Sequence[int]) -> list[Steps]:
        """Return steps with at most two ancestors that lead to these vertices and to no other."""
        first, targets = vertices[0], self._make_set(vertices)
        ancestors = self._list_ancestors(first)[-_MAX_ANCESTOR_STEPS:]
        routes: list[tuple[float, Steps]] = []
        for cost, last in _list_short_steps(self.elements[first]):
            matching = self._match(last)
            for above in self._select_ancestors(matching, targets, ancestors):
                parent = -1
                steps: list[Step] = []
                for _, vertex, step in (*above, _Ancestor(cost, first, last)):
                    is_child = self.parents[vertex] == parent
                    steps.append(step._replace(axis=Axis.CHILD if is_child else Axis.DESCENDANT))
                    parent = vertex
                routes.append((cost + sum([ancestor.cost for ancestor in above]), tuple(steps)))
        routes.sort(key=lambda route: route[0])
        if len(vertices) > 1:  # the ancestors of the others may differ from those of the first
            routes = [route for route in routes if self._follow(route[1]) == targets]
        return [steps for _, steps in routes[:MAX_ROUTES]]

    def _list_ancestors(self, vertex: int) -> list[_Ancestor]:
        """Return the ancestors from the top, with a step by each of their identifiers."""
        path = [
            above
            for above in self.list_path(vertex)[:-1]
            if self.elements[above].tag not in ROOT_TAGS
        ]
        ancestors: list[_Ancestor] = []
        for distance, above in zip(range(len(path), 0, -1), path, strict=True):
            for cost, step in _list_short_steps(self.elements[above]):
                ancestors.append(_Ancestor(cost + distance * _COST_PER_LEVEL, above, step))
        return ancestors

    def _select_ancestors(
        self, matching: int, targets: int, ancestors: Sequence[_Ancestor]
    ) -> Sequence[tuple[_Ancestor, ...]]:
        """Return the sets of ancestors that leave only the targets: none, single ones, or pairs."""
        if matching == targets:
            return [()]
        single = [
            (above,) for above in ancestors if matching & self._get_below(above.step) == targets
        ]
        if single:
            return single
        pairs: list[tuple[_Ancestor, ...]] = []
        for upper, lower in combinations(ancestors, 2):
            if upper.vertex != lower.vertex:
                below = self._get_below(upper.step) & self._get_below(lower.step)
                if matching & below == targets:
                    pairs.append((upper, lower))
        return pairs

    # ---- as many ancestors as are needed ---------------------------------------------------------

    def _find_minimal_route(self, vertex: int) -> Steps:
        """Return the path to a vertex without the steps and identifiers that are not needed.

        At most ``MAX_VISITS`` vertices are visited. Where that ends the search, the steps are right
        but longer than needed.
        """
        self._visits = 0
        steps = self._exclude_rivals(vertex)
        targets = self._follow(steps)
        too_few, enough = 0, len(steps)  # the number of last steps that lead to the same vertices
        while enough - too_few > 1 and self._has_visits_left:
            middle = (too_few + enough) // 2
            if self._follow(_start_anywhere(steps[-middle:])) == targets:
                enough = middle
            else:
                too_few = middle
        if enough < len(steps):
            steps = _start_anywhere(steps[-enough:])
        size = len(steps) // 2
        while size:  # leave out runs of steps: first halves, at last single steps
            start = 0
            while start + size < len(steps):
                fewer = [*steps[:start], *_start_anywhere(steps[start + size :])]
                if self._has_visits_left and self._follow(fewer) == targets:
                    steps = fewer
                else:
                    start += size
            size //= 2
        for number, step in enumerate(steps):
            names = sorted(step.identifiers, key=estimate_cost)
            for name in names if len(names) > 1 else ():
                fewer = [*steps]
                fewer[number] = step._replace(identifiers=(name,))
                if self._has_visits_left and self._follow(fewer) == targets:
                    steps = fewer
                    break
        return tuple(steps)

    def _exclude_rivals(self, vertex: int) -> list[Step]:
        """Return all steps to a vertex, and exclude identifiers of other vertices that match."""
        path = self.list_path(vertex)
        steps = list(self.make_steps(path, 0))
        matching = self._follow(steps)
        for rival in self._iterate(matching & ~self._make_bit(vertex)):
            pairs = list(zip(path, self.list_path(rival), strict=False))
            for number in reversed(range(len(pairs))):
                if not matching & self._make_bit(rival) or not self._has_visits_left:
                    break
                names, rival_names = (self.elements[each].identifiers for each in pairs[number])
                excluded = steps[number].excluded
                more = [name for name in rival_names if name not in (*names, *excluded)]
                if more:
                    steps[number] = steps[number]._replace(excluded=(*excluded, more[0]))
                    matching = self._follow(steps)
        return steps

    @property
    def _has_visits_left(self) -> bool:
        return self._visits < MAX_VISITS

    # ---- sets of vertices ------------------------------------------------------------------------

    def find_vertices(self, steps: Sequence[Step], start: int = 0) -> list[int]:
        """Return the vertices that steps lead to, in document order; conditions are not tested."""
        return list(self._iterate(self._follow(steps, start)))

    def _follow(self, steps: Sequence[Step], start: int = 0) -> int:
        reached = self._make_bit(start)
        for step in steps:
            matching = self._match(step)
            if step.axis is Axis.DESCENDANT:
                reached = self._get_descendants(reached) & matching
            elif step.axis is Axis.CHILD:
                reached = matching & self._make_set(
                    child for vertex in self._iterate(reached) for child in self._children[vertex]
                )
            else:  # the next sibling that matches
                siblings = 0
                for vertex in self._iterate(reached):
                    children = self._make_set(self._children[self.parents[vertex]]) & matching
                    later = children >> self._stops[vertex]
                    siblings |= (later & -later) << self._stops[vertex]
                reached = siblings
        return reached

    def _match(self, step: Step) -> int:
        """Return the vertices with the tag and the identifiers of a step, wherever they are."""
        matching = self._get_named((step.tag, step.number))
        for name in step.identifiers:
            matching &= self._get_named((step.tag, name))
        for name in step.excluded:
            matching &= ~self._get_named((step.tag, name))
        return matching

    def _get_descendants(self, vertices: int) -> int:
        descendants, stop = 0, 0
        for vertex in self._iterate(vertices):
            if self._positions[vertex] >= stop:  # else it is a descendant of an earlier vertex
                stop = self._stops[vertex]
                descendants |= (1 << stop) - (1 << self._positions[vertex] + 1)
        return descendants

    def _make_set(self, vertices: Iterable[int]) -> int:
        digits = bytearray(b"0") * len(self.parents)  # in linear time, as repeated shifts are not
        for vertex in vertices:
            digits[-1 - self._positions[vertex]] = ord("1")
        return int(digits, 2)

    def _make_bit(self, vertex: int) -> int:
        return 1 << self._positions[vertex]

    def _iterate(self, vertices: int) -> Iterator[int]:
        """Yield the vertices of a set in document order, and count the visits."""
        bits = bin(vertices)[:1:-1]
        bit = bits.find("1")
        while bit >= 0:
            self._visits += 1
            yield self._in_order[bit]
            bit = bits.find("1", bit + 1)


def _start_anywhere(steps: Sequence[Step]) -> list[Step]:
    return [steps[0]._replace(axis=Axis.DESCENDANT), *steps[1:]]


# ---- the template of a wrapper -------------------------------------------------------------------


@dataclass(frozen=True)
class Template:
    """The tree and the labels of a wrapper for fields. Vertex n + 1 is its template path n."""

    tree: TemplateTree
    labels: Mapping[int, set[str]]
    """The labels at each vertex."""
    children: Mapping[int, Mapping[str, int]]
    """The children of each vertex by their steps."""

    @classmethod
    def build(cls, anchors: Anchors) -> Template:
        """Return the template of a wrapper."""
        labels: defaultdict[int, set[str]] = defaultdict(set)
        for path, _, text in anchors.labels:
            if is_xml_text(text):
                labels[path + 1].add(text)
        children: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for (parent, step), path in anchors.paths.numbers.items():
            children[parent + 1][step] = path + 1
        return cls(build_template_tree(anchors.paths), dict(labels), dict(children))

    @cached_property
    def all_labels(self) -> set[str]:
        """The labels of all vertices."""
        return set().union(*self.labels.values())

    def find_descendant(self, vertex: int, path: str) -> int | None:
        """Return the vertex at the end of joined steps, which may contain slashes themselves."""
        pending = [(vertex, path)]
        while pending:
            vertex, rest = pending.pop()
            if not rest:
                return vertex
            for step, child in self.children.get(vertex, {}).items():
                if f"{rest}/".startswith(f"{step}/"):
                    pending.append((child, rest[len(step) + 1 :]))
        return None


def build_template_tree(paths: TemplatePaths) -> TemplateTree:
    """Return the template paths as a tree below the document."""
    steps = sorted([(path, parent, step) for (parent, step), path in paths.numbers.items()])
    elements = {step: parse_step(step, paths.stable) for _, _, step in steps}
    return TemplateTree(
        [-1, *(parent + 1 for _, parent, _ in steps)],
        [Element(""), *(elements[step] for _, _, step in steps)],
    )
