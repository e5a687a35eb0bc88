"""A wrapper that is a landmark grammar: a page is split at landmarks, and what is left between them is extracted.

A landmark that is missing or doubled costs the fields of its own part of the page; all other parts are parsed as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from unweave.errors import WrapperError
from unweave.page.page import Page
from unweave.wrappers.base import (
    EXPECTED_SHARE,
    Description,
    Extraction,
    FieldDescription,
    Fields,
    Wrapper,
    is_field_name,
    is_value,
)
from unweave.wrappers.landmarks.tokens import Condition, Landmark, Tokens, TokenUnit, tokenize

SEEN_PREFIX, UNSEEN_PREFIX = "field_", "other_"
"""How the names of fields begin: of those that learned pages have, and of those that only other pages may have."""

_MOST_NODES = 1_000_000
_SIDES = ("before", "inside", "after")


class Node(NamedTuple):
    """One nonterminal of the grammar: a landmark with what stands before, inside and after it, or else a field."""

    field: str
    """The name of what is extracted here: at a leaf, and where the landmark is missing or doubled."""
    landmark: Landmark | None = None
    share: float = 0.0
    """The share of the learned pages that had the landmark."""
    sides: tuple[int, ...] = ()
    """The numbers of the nodes before, inside and after; two of them if the landmark has no inside."""


class Part(NamedTuple):
    """What one nonterminal stands for on a page."""

    node: int
    start: int
    stop: int
    is_split: bool


@dataclass(frozen=True)
class LandmarkWrapper(Wrapper):
    """A landmark tree. Its first node is the root; parents come before their children."""

    method = "landmark"
    gives_fields = True
    knows_missing = True

    nodes: tuple[Node, ...]
    unit: TokenUnit
    attributes: bool
    """Do landmarks look at attributes?"""
    cost: int
    """How many tokens of the learned pages are extracted."""
    bound: int | None = None
    """No grammar extracts fewer; unknown if nobody looked for the best one."""
    splits: int | None = None
    """How many splits the search performed, the paper's measure of its cost; unknown in wrappers of older versions."""

    def apply(self, page: Page) -> Extraction:
        """Extract the fields of a page. The fit is the share of the landmarks that it has, usual ones count more."""
        tokens = self._tokens(page)
        found: Fields = {}
        missing: list[str] = []
        shares = 0.0
        for part, text in self._said(tokens):
            node = self.nodes[part.node]
            if part.is_split:
                shares += node.share
                continue
            if text:
                found[node.field] = text
            if node.landmark and node.share >= EXPECTED_SHARE:
                missing.append(str(node.landmark))
        return Extraction(
            fields=found or None,
            fit=min(1.0, shares / self._expected),
            missing=tuple(missing),
            warnings=page.notes,
        )

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field of a page came from, whole or in part."""
        tokens = self._tokens(page)
        found: dict[str, list[int]] = {}
        for part, text in self._said(tokens):
            if text:
                chunks = {
                    token.chunk
                    for token in tokens.tokens[part.start : part.stop]
                    if token.text is not None
                }
                found[self.nodes[part.node].field] = sorted(chunks)
        return found

    def _said(self, tokens: Tokens) -> Iterator[tuple[Part, str]]:
        """The parts of a page, each with its text; empty for those that are split, and for those that say nothing."""
        for part in self.parse(tokens):
            text = "" if part.is_split else tokens.text(part.start, part.stop)
            yield part, text if is_value(text) else ""

    def parse(self, tokens: Tokens) -> Iterator[Part]:
        """The parts of a page, in the order of the nodes. Each landmark stands in the region of its node exactly once."""
        waiting = [(0, 0, len(tokens.tokens))]
        while waiting:
            number, start, stop = waiting.pop()
            landmark, sides = self.nodes[number].landmark, self.nodes[number].sides
            places = tokens.find(landmark, start, stop) if landmark else []
            is_split = len(places) == 1 and start <= tokens.partners[places[0]] < stop
            yield Part(number, start, stop, is_split)
            if is_split:
                place, partner = places[0], tokens.partners[places[0]]
                regions = [(start, place), (place + 1, partner), (partner + 1, stop)]
                if len(sides) == 2:
                    del regions[1]
                waiting.extend(
                    (side, *region)
                    for side, region in zip(reversed(sides), reversed(regions), strict=True)
                )

    def _tokens(self, page: Page) -> Tokens:
        return tokenize(page, self.unit, attributes=self.attributes)

    @cached_property
    def _expected(self) -> float:
        return sum(node.share for node in self.nodes) or 1.0

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        productions = tuple(self.grammar())
        summary = f"a grammar of {len(productions)} landmarks; tokens of text are {self.unit}; {self.describe_cost()}"
        if self.splits is not None:
            summary += f"; found with {self.splits:,} splits"
        return Description(summary, productions)

    def describe_gap(self) -> str | None:
        """Describe how many tokens fewer a grammar may extract; None if this is the best or nothing is known."""
        return None if self.bound in (None, self.cost) else self.describe_cost()

    def describe_cost(self) -> str:
        """Describe how many tokens are extracted, and how many fewer it could be."""
        extracted = f"{self.cost:,} tokens are extracted"
        if self.bound is None:
            return extracted
        if self.bound == self.cost:
            return f"{extracted}, none does with fewer"
        return f"{extracted}, none does with fewer than {self.bound:,}"

    def describe_fields(self) -> Iterator[FieldDescription]:
        """Describe the fields beside each landmark."""
        for node in self.nodes:
            if node.landmark is None:
                continue
            yield FieldDescription(node.field, f"where {node.landmark} is missing", False)
            for name, side in zip(_side_names(node), node.sides, strict=True):
                if self.nodes[side].landmark is None:
                    field = self.nodes[side].field
                    yield FieldDescription(field, f"{name} {node.landmark}", False)

    def format_pattern(self) -> Iterator[str]:
        """Return the productions of the grammar."""
        return self.grammar()

    def to_landmark_tree(
        self, examples: Mapping[str, Sequence[str]], *, max_levels: int
    ) -> dict[str, Any]:
        """Return the tree of landmarks as plain data; nodes below ``max_levels`` are cut."""
        root: dict[str, Any] = {}
        waiting: list[tuple[int, int, dict[str, Any]]] = [(0, 1, root)]
        while waiting:
            number, level, entry = waiting.pop()
            node = self.nodes[number]
            is_seen = not node.field.startswith(UNSEEN_PREFIX)
            entry.update(
                dict.fromkeys(_SIDES),
                landmark=str(node.landmark) if node.landmark else None,
                share=node.share,
                field=node.field if is_seen else None,
                example=next(iter(examples.get(node.field, ())), None),
                cut=bool(node.sides) and level == max_levels,
            )
            if entry["cut"]:
                continue
            for name, side in zip(_side_names(node), node.sides, strict=False):
                child = self.nodes[side]
                if child.landmark or not child.field.startswith(UNSEEN_PREFIX):
                    entry[name] = {}
                    waiting.append((side, level + 1, entry[name]))
        return root

    def grammar(self) -> Iterator[str]:
        """The productions, one a line, without the fields that no learned page has."""
        inner = [number for number, node in enumerate(self.nodes) if node.landmark]
        names = {number: f"part_{count}" for count, number in enumerate(inner, start=1)}

        def words(number: int) -> list[str]:
            name = names.get(number, self.nodes[number].field)
            return [] if name.startswith(UNSEEN_PREFIX) else [name]

        for number in inner:
            node = self.nodes[number]
            marks = [str(node.landmark), node.landmark.end_tag if node.landmark else ""]
            row = words(node.sides[0])
            for mark, side in zip(marks, node.sides[1:], strict=False):
                row += [mark, *words(side)]
            other = "" if node.field.startswith(UNSEEN_PREFIX) else f" | {node.field}"
            yield f"{names[number]} → {' '.join(row)}{other}"

    # ---- JSON ------------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "tokens": str(self.unit),
            "attributes": self.attributes,
            "cost": self.cost,
            "bound": self.bound,
            "splits": self.splits,
            "nodes": list(map(_node_to_json, self.nodes)),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> LandmarkWrapper:
        """Read plain data, which may come from anywhere."""
        try:
            nodes = data["nodes"]
            if not isinstance(nodes, list) or not 0 < len(nodes) <= _MOST_NODES:
                raise ValueError
            bound = None if data["bound"] is None else int(data["bound"])
            splits = None if data.get("splits") is None else int(data["splits"])
            unit, attributes, cost = (
                TokenUnit(data["tokens"]),
                bool(data["attributes"]),
                int(data["cost"]),
            )
            wrapper = cls(tuple(map(_node_from_json, nodes)), unit, attributes, cost, bound, splits)
            wrapper._check()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise WrapperError(
                "the wrapper is damaged: it does not have what a wrapper of landmarks has"
            ) from None
        return wrapper

    def _check(self) -> None:
        """Every node but the first is a side of exactly one node before it."""
        sides = [(side, number) for number, node in enumerate(self.nodes) for side in node.sides]
        if sorted(side for side, _ in sides) != list(range(1, len(self.nodes))):
            raise ValueError
        if any(side <= number for side, number in sides):
            raise ValueError


def _side_names(node: Node) -> tuple[str, ...]:
    """Return the names of a node's sides; those of a landmark without an end tag have no inside."""
    return _SIDES if len(node.sides) == len(_SIDES) else _SIDES[::2]


def _node_to_json(node: Node) -> dict[str, Any]:
    if node.landmark is None:
        return {"field": node.field}
    landmark: dict[str, Any] = {"text": node.landmark.text}
    if node.landmark.text is None:
        landmark = {"tag": node.landmark.tag, "attributes": dict(node.landmark.conditions)}
    return {
        "landmark": landmark,
        "share": round(node.share, 4),
        **dict(zip(_side_names(node), node.sides, strict=True)),
        "field": node.field,
    }


def _node_from_json(data: dict[str, Any]) -> Node:
    field = str(data["field"])
    if not is_field_name(field):
        raise ValueError
    if "landmark" not in data:
        return Node(field)
    sides = tuple(int(data[side]) for side in _SIDES if side in data)
    landmark = _landmark_from_json(data["landmark"])
    if len(sides) != (3 if landmark.end_tag else 2):
        raise ValueError
    share = float(data["share"])
    if not 0 <= share <= 1:
        raise ValueError
    return Node(field, landmark, share, sides)


def _landmark_from_json(data: dict[str, Any]) -> Landmark:
    if "text" in data:
        return Landmark(str(data["text"]))
    conditions = [
        Condition(str(name), None if value is None else str(value))
        for name, value in data["attributes"].items()
    ]
    return Landmark(None, str(data["tag"]), tuple(conditions))
