"""Match the elements of a changed page with the template paths that were learned.

An exact template path fails at its first unknown step, and with it everything below: one more
``div`` around the page, or one renamed class, is enough. Here elements are matched from the root
down. The children of a matched element compete for the template paths below it, by their tags and
names and by how much of what is below them agrees: texts, names and tags. An element that was
inserted matches none; its children are matched in its place.

A redesign renames a class in the same way everywhere. The first pass therefore collects, for every
name that no learned page had, which missing name it stands for; the second pass knows the renamed
ones.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from unweave.page.page import Page
from unweave.page.parse import Identifiers
from unweave.page.template_paths import UNKNOWN_PATH, TemplatePaths, list_identifiers

_NAME = re.compile(r"[.#@][^.#@]+")
_DIGITS = re.compile(r"\d+")

_RELATED_TAGS = (
    "b strong",
    "i em",
    "s del strike",
    "div section article main center p header footer aside nav",
    "span font small big label",
    "h1 h2 h3 h4 h5 h6",
    "ul ol menu dl",
    "table thead tbody",
    "td th",
)
"""Tags that redesigns replace by each other."""
_FAMILY_OF_TAG = {tag: tags.split()[0] for tags in _RELATED_TAGS for tag in tags.split()}

# Limits for hostile pages and wrappers.
_MAX_FEATURES = 4_000  # of a template, of each kind
_MAX_NODES = 50_000
_MAX_COMPARISONS = 1_000_000
_NODES_PER_COMPARISON = 8  # so many nodes of an unchanged sub-tree take as long as one comparison
_NAMES_PER_COMPARISON = 16  # so many names, or pairs of names, take as long as one comparison
_MAX_RENAMED_PAIRS = 10_000  # of a new name and a missing one, for each element and path


@dataclass(frozen=True)
class MatchRules:
    """What the agreement of an element with a template path is worth.

    The agreement of what is below them is a similarity from 0 to 1, times ``content``.
    """

    content: float = 2.0
    texts: float = 3.0
    """The weight of a text below the element in the similarity, …"""
    names: float = 2.0
    """… of a class, id or property, …"""
    tags: float = 1.0
    """… and of a pair of a parent's and a child's tag."""
    same_tag: float = 0.4
    related_tag: float = 0.2
    own_names: float = 0.6
    """All names of the element are those of the path, or were renamed."""
    no_names: float = 0.8
    """Both have no names."""
    exact: float = 1.0
    """The last step is the same, and the element has no name that is new."""
    absent: float = 0.1
    """No other child has the step of this path exactly, although learned pages have it."""
    removed: float = -0.5
    """The path is one step longer: an element was removed."""
    inserted: float = 0.4
    """The element itself was inserted, and its content agrees with that of the element around."""
    min_score: float = 0.35
    poor: float = 1.4
    """Below this, paths that are one step longer are tried, too."""
    min_renamed: float = 0.5
    """A new name stands for a missing one if the mean score of its elements is higher."""
    max_inserted: int = 4
    """So many elements around each other may have been inserted."""
    usual_share: float = 0.6
    """A path is usual below another if it is on this share of the pages that have the other."""


_RULES = MatchRules()


# ---- what is learned -----------------------------------------------------------------------------


@dataclass(frozen=True)
class PathStatistics:
    """How the learned pages use the template paths; each tuple has a value for each path."""

    shares: tuple[float, ...]
    """The share of the pages that have it."""
    named_shares: tuple[float, ...]
    """The share of its elements that have a name of their own page only."""
    single: tuple[bool, ...]
    """Whether no element has two children at it."""
    optional_names: frozenset[str] = frozenset()
    """Names that several pages have, but not enough for a template path."""
    known_share: float = 0.0
    """The mean share of the texts of a page that are at paths of other pages; 0 if unknown."""

    @classmethod
    def measure(
        cls, pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]], paths: TemplatePaths
    ) -> PathStatistics:
        """Measure the paths of pages, given the template path of every node of each page."""
        page_counts: Counter[str] = Counter()
        for page in pages:
            elements = set(zip(page.tree.labels, page.identifiers, strict=True))
            page_counts.update(
                {_mask_digits(name) for element in elements for name in _list_names(*element)}
            )
        known = {_mask_digits(name) for word in paths.stable for name in _NAME.findall(word)}
        names = [name for name, count in page_counts.items() if count > 1 and name not in known]
        names.sort(key=lambda name: (-page_counts[name], name))
        optional = frozenset(names[:_MAX_FEATURES])
        pages_with: Counter[int] = Counter()
        nodes: Counter[int] = Counter()
        named: Counter[int] = Counter()
        repeated: set[int] = set()
        for page, numbers in zip(pages, paths_of_pages, strict=True):
            pages_with.update(set(numbers))
            nodes.update(numbers)
            new_names = _list_new_names(page, paths.stable, optional)
            named.update(path for path, new in zip(numbers, new_names, strict=True) if new)
            siblings = Counter(zip(page.tree.parents, numbers, strict=True))
            repeated.update(path for (_, path), count in siblings.items() if count > 1)
        numbers = range(len(paths.numbers))
        return cls(
            tuple([round(pages_with[path] / len(pages), 3) for path in numbers]),
            tuple([round(named[path] / max(1, nodes[path]), 3) for path in numbers]),
            tuple([path not in repeated for path in numbers]),
            optional,
            _measure_shared_texts(pages, paths_of_pages, pages_with),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "shares": list(self.shares),
            "named": list(self.named_shares),
            "single": list(map(int, self.single)),
            "names": sorted(self.optional_names),
            "known": self.known_share,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], path_count: int) -> PathStatistics:
        """Read untrusted plain data about this number of paths."""
        lists = [data["shares"], data["named"], data["single"], data["names"]]
        if not all(isinstance(values, list) for values in lists):
            raise ValueError("the statistics are not lists")
        if any(len(values) != path_count for values in lists[:3]):
            raise ValueError("the statistics are not those of its template paths")
        shares, named_shares = (tuple(map(float, values)) for values in lists[:2])
        known_share = float(data.get("known", 0.0))
        all_shares = (*shares, *named_shares, known_share)
        if not all(0 <= share <= 1 for share in all_shares):  # NaN is refused, too
            raise ValueError("a share is not between 0 and 1")
        single, names = lists[2:]
        optional_names = frozenset(map(str, islice(names, _MAX_FEATURES)))
        return cls(shares, named_shares, tuple(map(bool, single)), optional_names, known_share)


def measure_known_share(page: Page, paths: Sequence[int]) -> float:
    """Return the share of the texts of a page at known template paths, given those of its nodes."""
    known = sum([paths[parent] != UNKNOWN_PATH for parent in page.text_parents])
    return known / max(1, len(page.texts))


def _measure_shared_texts(
    pages: Sequence[Page], paths_of_pages: Sequence[Sequence[int]], pages_with: Mapping[int, int]
) -> float:
    """Return the mean share of the texts of a page that are at paths of other pages, too."""
    shares = [
        measure_known_share(
            page, [path if pages_with[path] > 1 else UNKNOWN_PATH for path in paths]
        )
        for page, paths in zip(pages, paths_of_pages, strict=True)
    ]
    return round(sum(shares) / len(shares), 3)


def _list_names(tag: str, identifiers: Identifiers) -> list[str]:
    """Return the names of an element: ``.class``, ``#id`` and ``@property``."""
    return [word[len(tag) :] for word in list_identifiers(tag, identifiers)]


def _list_new_names(
    page: Page, stable: frozenset[str], optional: frozenset[str]
) -> list[tuple[str, ...]]:
    """Return for every element its names that are neither stable nor optional."""
    known: dict[tuple[str, Identifiers], tuple[str, ...]] = {}
    new_names: list[tuple[str, ...]] = []
    for element in zip(page.tree.labels, page.identifiers, strict=True):
        names = known.get(element)
        if names is None:
            names = known[element] = _find_new_names(*element, stable, optional)
        new_names.append(names)
    return new_names


def _find_new_names(
    tag: str, identifiers: Identifiers, stable: frozenset[str], optional: frozenset[str]
) -> tuple[str, ...]:
    """Return the names of an element that are neither stable nor optional."""
    return tuple(
        [
            name
            for name in _list_names(tag, identifiers)
            if tag + name not in stable and _mask_digits(name) not in optional
        ]
    )


def _mask_digits(name: str) -> str:
    return _DIGITS.sub("0", name)


# ---- the template --------------------------------------------------------------------------------


class _Content(NamedTuple):
    """The texts, the names and the pairs of tags below an element, each as a set of bits."""

    texts: int = 0
    names: int = 0
    tags: int = 0


class _TemplatePath(NamedTuple):
    """A template path: its last step, and what is below its elements."""

    tag: str
    names: frozenset[str]
    possible: _Content
    usual: _Content
    """What most of its elements have."""


class PathMatcher:
    """Matches elements with the template paths of a wrapper.

    Args:
        paths: The template paths.
        statistics: How the learned pages use them.
        texts: Labels and other texts that pages of the template share, by their path.
        needed: The paths of what is read; paths that lead to none of them may be missing.
    """

    def __init__(
        self,
        paths: TemplatePaths,
        statistics: PathStatistics,
        texts: Mapping[int, Iterable[str]],
        needed: Iterable[int],
    ) -> None:
        self.template, self.statistics = paths, statistics
        self.children: defaultdict[int, list[int]] = defaultdict(list)
        self._text_bits: dict[str, int] = {}
        self._name_bits: dict[str, int] = {}
        self._tag_bits: dict[tuple[str, str], int] = {}
        shares = dict(enumerate(statistics.shares))
        leading = _add_ancestors(needed, paths)
        self._always = {path for path in leading if shares[path] >= 1}
        self._usual = {
            path
            for path in leading
            if shares[path] >= _RULES.usual_share * shares.get(paths.parents[path][0], 1.0)
        }
        self.paths = self._describe_paths(texts)

    def has_changed(self, page: Page, paths: Sequence[int]) -> bool:
        """Tell whether a page has something else in place of what is read, given its exact paths.

        It lacks a usual path below an element that has an unknown child, or one with a new name.
        """
        present = set(paths)
        parents = self.template.parents
        scopes = {parents[path][0] for path in self._usual - present} & {*present, UNKNOWN_PATH}
        if not scopes:
            return False
        if paths[0] == UNKNOWN_PATH:
            return True
        stable, optional = self.template.stable, self.statistics.optional_names
        labels, identifiers = page.tree.labels, page.identifiers
        return any(
            paths[parent] in scopes
            and (
                paths[node] == UNKNOWN_PATH
                or _find_new_names(labels[node], identifiers[node], stable, optional)
            )
            for node, parent in enumerate(page.tree.parents)
            if node
        )

    def lacks_path(self, paths: Iterable[int]) -> bool:
        """Tell whether a page lacks a path of what is read that all learned pages have."""
        return not self._always.issubset(paths)

    def match_nodes(self, page: Page) -> list[int]:
        """Return the number of the template path of every node of a page."""
        if len(page.tree) > _MAX_NODES:
            return self.template.number_nodes(page)
        steps = self.template.find_steps(page)
        stable, optional = self.template.stable, self.statistics.optional_names
        new_names = _list_new_names(page, stable, optional)
        first = _PageMatch(self, page, steps, new_names)
        paths = first.match()
        renamed = first.find_renamed()
        if not renamed:
            return paths
        for node, names in enumerate(new_names):
            old_names = [renamed[name] for name in names if name in renamed]
            if old_names:
                tag, known = _split_step(steps[node])
                steps[node] = tag + "".join(sorted({*known, *old_names}))
                new_names[node] = tuple([name for name in names if name not in renamed])
        return _PageMatch(self, page, steps, new_names).match()

    def _describe_paths(self, texts: Mapping[int, Iterable[str]]) -> list[_TemplatePath]:
        """Return for every path what is below it, with a bit for each text, name and tag pair."""
        numbered = sorted(self.template.numbers.items(), key=lambda entry: entry[1])
        parents = [parent for (parent, _), _ in numbered]
        steps = [_split_step(step) for (_, step), _ in numbered]
        possible = [[0, 0, 0] for _ in numbered]
        usual = [[0, 0, 0] for _ in numbered]
        for path, texts_of_path in texts.items():
            possible[path][0] = usual[path][0] = _join_bits(self._text_bits, texts_of_path)
        shares = self.statistics.shares
        for path in range(len(numbered) - 1, -1, -1):
            parent, (tag, names) = parents[path], steps[path]
            self.children[parent].append(path)
            if parent < 0:
                continue
            pair = (_get_family(steps[parent][0]), _get_family(tag))
            element = (
                0,
                _join_bits(self._name_bits, sorted(names)),
                _join_bits(self._tag_bits, [pair]),
            )
            is_usual = shares[path] >= _RULES.usual_share * shares[parent]
            for kind, bits in enumerate(element):
                possible[parent][kind] |= possible[path][kind] | bits
                if is_usual:
                    usual[parent][kind] |= usual[path][kind] | bits
        for children in self.children.values():
            children.reverse()
        contents = zip(steps, possible, usual, strict=True)
        return [
            _TemplatePath(*step, _Content(*all_), _Content(*most)) for step, all_, most in contents
        ]

    def describe_nodes(self, page: Page, steps: Sequence[str]) -> list[_Content]:
        """Return for every element of a page what is below it and known to the template."""
        labels, parents = page.tree.labels, page.tree.parents
        families = list(map(_get_family, labels))
        contents = [[0, 0, 0] for _ in labels]
        for text, parent in zip(page.texts, page.text_parents, strict=True):
            contents[parent][0] |= self._text_bits.get(text, 0)
        for node in range(len(labels) - 1, 0, -1):
            content, around = contents[node], contents[parents[node]]
            pair = (families[parents[node]], families[node])
            around[0] |= content[0]
            around[1] |= content[1]
            around[2] |= content[2] | self._tag_bits.get(pair, 0)
            for name in _split_step(steps[node])[1]:
                around[1] |= self._name_bits.get(name, 0)
        return [_Content(*content) for content in contents]


def _add_ancestors(paths: Iterable[int], template: TemplatePaths) -> set[int]:
    """Return template paths with all paths that lead to them."""
    found: set[int] = set()
    for path in paths:
        while path >= 0 and path not in found:
            found.add(path)
            path = template.parents[path][0]
    return found


def _join_bits(bits: dict[Any, int], features: Iterable[Any]) -> int:
    """Return the bits of features; the first ones get a bit each."""
    joined = 0
    for feature in features:
        if feature not in bits and len(bits) < _MAX_FEATURES:
            bits[feature] = 1 << len(bits)
        joined |= bits.get(feature, 0)
    return joined


@lru_cache(maxsize=20_000)  # pages of a template share their steps
def _split_step(step: str) -> tuple[str, frozenset[str]]:
    """Return the tag and the names of a step."""
    names = _NAME.findall(step)
    return step[: len(step) - sum(map(len, names))], frozenset(names)


def _get_family(tag: str) -> str:
    """Return the tag that stands for all related ones."""
    return _FAMILY_OF_TAG.get(tag, tag)


# ---- the match of a page -------------------------------------------------------------------------


class _Option(NamedTuple):
    """A path that a child may have; options are sorted by ``rank``, then by path and child."""

    rank: float
    """Minus the score."""
    path: int
    """UNKNOWN_PATH for a child that was inserted."""
    child: int


class _PageMatch:
    """One pass over the elements of a page."""

    def __init__(
        self,
        matcher: PathMatcher,
        page: Page,
        steps: Sequence[str],
        new_names: Sequence[tuple[str, ...]],
    ) -> None:
        self._matcher, self._tree = matcher, page.tree
        self._steps, self._new_names = steps, new_names
        self._contents = matcher.describe_nodes(page, steps)
        self._page_names = frozenset(name for step in set(steps) for name in _split_step(step)[1])
        self._with_new_names = _find_ancestors_of_new_names(page, new_names)
        self._comparisons = 0
        """How many paths elements were compared with; long lists of names count more."""
        self._renamed_scores: defaultdict[tuple[str, str], float] = defaultdict(float)
        """The sum of the scores of elements with a new name at paths with a missing name."""

    def match(self) -> list[int]:
        """Return the path of every node."""
        tree, matcher = self._tree, self._matcher
        paths = [UNKNOWN_PATH] * len(tree)
        roots = matcher.children[UNKNOWN_PATH]
        if not roots:
            return paths
        paths[0] = matcher.template.numbers.get((UNKNOWN_PATH, self._steps[0]), roots[0])
        # For every element the element whose path its children are below, itself unless it was
        # inserted, and how many inserted elements are between.
        scopes: dict[int, tuple[int, int]] = {0: (0, 0)}
        taken: defaultdict[int, set[int]] = defaultdict(set)
        exact: defaultdict[int, set[int]] = defaultdict(set)
        for parent in range(len(tree)):
            if parent not in scopes:
                continue
            owner, inserted = scopes[parent]
            children = tree.children(parent)
            done = self._match_exactly(children, paths, owner, taken[owner])
            exact[owner].update(self._list_exact_paths(children, paths[owner]))
            options = self._find_options(children, done, exact[owner], paths[owner], inserted)
            for _, path, child in sorted(options):
                if child in done or path in taken[owner]:
                    continue
                done.add(child)
                if path == UNKNOWN_PATH:
                    scopes[child] = (owner, inserted + 1)
                    continue
                paths[child], scopes[child] = path, (child, 0)
                if matcher.statistics.single[path]:
                    taken[owner].add(path)
        return paths

    def find_renamed(self) -> dict[str, str]:
        """Return new names with the missing names that they most likely stand for."""
        counts = Counter(name for names in self._new_names for name in names)
        ranked = sorted(
            (-total / counts[new], new, missing)
            for (new, missing), total in self._renamed_scores.items()
        )
        renamed: dict[str, str] = {}
        found: set[str] = set()
        for rank, new, missing in ranked:
            if -rank > _RULES.min_renamed and new not in renamed and missing not in found:
                renamed[new] = missing
                found.add(missing)
        return renamed

    def _match_exactly(
        self, children: Sequence[int], paths: list[int], owner: int, taken: set[int]
    ) -> set[int]:
        """Set the paths of the sub-trees that are as on the learned pages; return their roots."""
        matcher, numbers, tree = self._matcher, self._matcher.template.numbers, self._tree
        done: set[int] = set()
        for child in children:
            path = numbers.get((paths[owner], self._steps[child]))
            if path is None or path in taken or child in self._with_new_names:
                continue
            present, usual = self._contents[child], matcher.paths[path].usual
            if any(bits & ~of_child for bits, of_child in zip(usual, present, strict=True)):
                continue
            stop = tree.ends[child]
            self._comparisons += (stop - child) // _NODES_PER_COMPARISON
            if self._comparisons > _MAX_COMPARISONS:
                break
            found = {child: path}
            for node in range(child + 1, stop):
                below = numbers.get((found[tree.parents[node]], self._steps[node]))
                if below is None:
                    break
                found[node] = below
            else:
                done.add(child)
                paths[child:stop] = found.values()
                if matcher.statistics.single[path]:
                    taken.add(path)
        return done

    def _list_exact_paths(self, children: Sequence[int], scope: int) -> Iterator[int]:
        """Yield the paths below ``scope`` whose last step is that of a child."""
        numbers = self._matcher.template.numbers
        for child in children:
            path = numbers.get((scope, self._steps[child]))
            if path is not None:
                yield path

    def _find_options(
        self,
        children: Sequence[int],
        done: Collection[int],
        exact: Collection[int],
        scope: int,
        inserted: int,
    ) -> Iterator[_Option]:
        """Yield the paths below ``scope`` that each child may have.

        Args:
            children: The children of an element.
            done: Those that have a path already.
            exact: The paths below ``scope`` that other elements have exactly.
            scope: The path that the children are below.
            inserted: How many elements between the scope and the children were inserted.
        """
        matcher, numbers = self._matcher, self._matcher.template.numbers
        below, shares = matcher.children[scope], matcher.statistics.shares
        for child in children:
            if child in done:
                continue
            same = numbers.get((scope, self._steps[child]))
            bonus = 0.0
            if same is not None and not self._new_names[child]:
                bonus = _RULES.exact
                yield _Option(-self._score(child, same) - bonus, same, child)
            elif self._comparisons < _MAX_COMPARISONS:
                best = _RULES.min_score
                for path in below:
                    score = self._score(child, path)
                    if score < 0:
                        continue
                    score += 0.0 if path in exact else _RULES.absent * shares[path]
                    self._count_renamed(child, path, score)
                    if score > _RULES.min_score:
                        yield _Option(-score, path, child)
                        best = max(best, score)
                if best < _RULES.poor:
                    for shorter in below:
                        for path in matcher.children[shorter] if shorter not in exact else ():
                            score = self._score(child, path) + _RULES.removed
                            if score > best:
                                yield _Option(-score, path, child)
            if inserted < _RULES.max_inserted:
                score = self._compare_content(child, scope) + _RULES.inserted + bonus
                if score > _RULES.min_score:
                    yield _Option(-score, UNKNOWN_PATH, child)

    def _count_renamed(self, child: int, path: int, score: float) -> None:
        """Count the score for all names that the child's new names may stand for."""
        new_names = self._new_names[child]
        if not new_names:
            return
        missing_names = self._matcher.paths[path].names - self._page_names
        pair_count = len(missing_names) * len(new_names)
        if pair_count > _MAX_RENAMED_PAIRS:
            return
        self._comparisons += pair_count // _NAMES_PER_COMPARISON
        for missing in missing_names:
            for new in new_names:
                if new[0] == missing[0]:
                    self._renamed_scores[new, missing] += score

    def _score(self, node: int, path: int) -> float:
        """Return how well a node agrees with a path, or -1 if their tags are not related."""
        template = self._matcher.paths[path]
        tag, names = _split_step(self._steps[node])
        self._comparisons += 1 + len(template.names) // _NAMES_PER_COMPARISON
        if tag == template.tag:
            score = _RULES.same_tag
        elif _get_family(tag) == _get_family(template.tag):
            score = _RULES.related_tag
        else:
            return -1.0
        new_count = len(self._new_names[node])
        if names or template.names:
            absent = template.names - names
            # A name that other elements of the page have was not renamed.
            elsewhere = len(absent & self._page_names)
            renamed = min(new_count, len(absent) - elsewhere)
            agreeing = len(names & template.names) + renamed - elsewhere
            score += _RULES.own_names * agreeing / len(names | template.names)
        else:
            named_share = self._matcher.statistics.named_shares[path]
            score += _RULES.no_names * (1 - abs((new_count > 0) - named_share))
        return max(0.0, score + self._compare_content(node, path))

    def _compare_content(self, node: int, path: int) -> float:
        """Return how similar what is below a node is to what is below a path, weighted."""
        content, template = self._contents[node], self._matcher.paths[path]
        shared = different = 0.0
        weights = (_RULES.texts, _RULES.names, _RULES.tags)
        kinds = zip(weights, content, template.possible, template.usual, strict=True)
        for weight, present, possible, usual in kinds:
            shared += weight * (present & possible).bit_count()
            unknown, missing = present & ~possible, usual & ~present
            different += weight * (unknown.bit_count() + missing.bit_count())
        return _RULES.content * (shared + 0.5) / (shared + different + 1)


def _find_ancestors_of_new_names(page: Page, new_names: Sequence[tuple[str, ...]]) -> set[int]:
    """Return the elements that have new names, and those around them."""
    parents = page.tree.parents
    found: set[int] = set()
    for node, names in enumerate(new_names):
        while names and node >= 0 and node not in found:
            found.add(node)
            node = parents[node]
    return found
