"""A wrapper that is a landmark grammar: a page is split at landmarks, and what is left between them is extracted.

A landmark that is missing or doubled costs the fields of its own part of the page; all other parts are parsed as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from unweave.errors import WrapperError
from unweave.page.page import Page
from unweave.wrappers.fields import STEADY, Fields, is_field_name, is_value
from unweave.wrappers.tokens import Condition, Landmark, Tokens, Unit, tokenize

KIND = "landmark"

SEEN, UNSEEN = "field_", "other_"
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
class LandmarkWrapper:
    """A landmark tree. Its first node is the root; parents come before their children."""

    nodes: tuple[Node, ...]
    unit: Unit
    attributes: bool
    """Do landmarks look at attributes?"""
    cost: int
    """How many tokens of the learned pages are extracted."""
    bound: int | None = None
    """No grammar extracts fewer; unknown if nobody looked for the best one."""
    splits: int | None = None
    """How many splits the search performed, the paper's measure of its cost; unknown in wrappers of older versions."""

    def apply(self, page: Page) -> tuple[Fields | None, float]:
        """The fields of the page, and how well it fits: the share of the landmarks that it has, usual ones count more."""
        tokens = self._tokens(page)
        found: Fields = {}
        shares = 0.0
        for part, text in self._said(tokens):
            node = self.nodes[part.node]
            if part.is_split:
                shares += node.share
            elif text:
                found[node.field] = text
        return (found or None), min(1.0, shares / self._expected)

    def places(self, page: Page) -> dict[str, list[int]]:
        """For each field that the page has, the numbers of the texts that it stands in, whole or in part."""
        tokens = self._tokens(page)
        found: dict[str, list[int]] = {}
        for part, text in self._said(tokens):
            if text:
                chunks = {token.chunk for token in tokens.tokens[part.start : part.stop] if token.text is not None}
                found[self.nodes[part.node].field] = sorted(chunks)
        return found

    def _said(self, tokens: Tokens) -> Iterator[tuple[Part, str]]:
        """The parts of a page, each with its text; empty for those that are split, and for those that say nothing."""
        for part in self.parse(tokens):
            text = "" if part.is_split else tokens.text(part.start, part.stop)
            yield part, text if is_value(text) else ""

    def missing(self, page: Page) -> list[str]:
        """The landmarks that every page should have, and that are missing or doubled in this one."""
        parts = [self.nodes[part.node] for part in self.parse(self._tokens(page)) if not part.is_split]
        return [str(node.landmark) for node in parts if node.landmark and node.share >= STEADY]

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
                waiting.extend((side, *region) for side, region in zip(reversed(sides), reversed(regions), strict=True))

    def _tokens(self, page: Page) -> Tokens:
        return tokenize(page, self.unit, attributes=self.attributes)

    @cached_property
    def _expected(self) -> float:
        return sum(node.share for node in self.nodes) or 1.0

    def grammar(self) -> Iterator[str]:
        """The productions, one a line, without the fields that no learned page has."""
        inner = [number for number, node in enumerate(self.nodes) if node.landmark]
        names = {number: f"part_{count}" for count, number in enumerate(inner, start=1)}

        def words(number: int) -> list[str]:
            name = names.get(number, self.nodes[number].field)
            return [] if name.startswith(UNSEEN) else [name]

        for number in inner:
            node = self.nodes[number]
            marks = [str(node.landmark), node.landmark.end_tag if node.landmark else ""]
            row = words(node.sides[0])
            for mark, side in zip(marks, node.sides[1:], strict=False):
                row += [mark, *words(side)]
            other = "" if node.field.startswith(UNSEEN) else f" | {node.field}"
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
            unit, attributes, cost = Unit(data["tokens"]), bool(data["attributes"]), int(data["cost"])
            wrapper = cls(tuple(map(_node_from_json, nodes)), unit, attributes, cost, bound, splits)
            wrapper._check()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise WrapperError("the wrapper is damaged: it does not have what a wrapper of landmarks has") from None
        return wrapper

    def _check(self) -> None:
        """Every node but the first is a side of exactly one node before it."""
        sides = [(side, number) for number, node in enumerate(self.nodes) for side in node.sides]
        if sorted(side for side, _ in sides) != list(range(1, len(self.nodes))):
            raise ValueError
        if any(side <= number for side, number in sides):
            raise ValueError


def _node_to_json(node: Node) -> dict[str, Any]:
    if node.landmark is None:
        return {"field": node.field}
    landmark: dict[str, Any] = {"text": node.landmark.text}
    if node.landmark.text is None:
        landmark = {"tag": node.landmark.tag, "attributes": dict(node.landmark.conditions)}
    names = _SIDES if len(node.sides) == 3 else _SIDES[::2]
    return {
        "landmark": landmark,
        "share": round(node.share, 4),
        **dict(zip(names, node.sides, strict=True)),
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
    conditions = [Condition(str(name), None if value is None else str(value)) for name, value in data["attributes"].items()]
    return Landmark(None, str(data["tag"]), tuple(conditions))
