"""The wrapper of landmark grammars: pages are split at landmarks, and the rest is extracted.

A landmark that is missing or repeated costs the fields of its region, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

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
from unweave.wrappers.landmarks.tokens import (
    Condition,
    Landmark,
    TokenSequence,
    TokenUnit,
    tokenize,
)

SEEN_PREFIX = "field_"
"""The names of the fields that learned pages have begin with it."""
UNSEEN_PREFIX = "other_"
"""The names of the fields that only other pages may have begin with it."""

_MAX_NODES = 1_000_000
_SIDES = ("before", "inside", "after")


class Node(NamedTuple):
    """A node of a landmark tree, a nonterminal of the grammar: a landmark, or a leaf."""

    field: str
    """The name of what is extracted: at a leaf, or where the landmark does not occur once."""
    landmark: Landmark | None = None
    share: float = 0.0
    """The share of the learned pages that had the landmark."""
    sides: tuple[int, ...] = ()
    """The numbers of the nodes before, inside and after; no inside if there is no end tag."""

    @property
    def named_sides(self) -> list[tuple[str, int]]:
        """The sides with their names."""
        names = _SIDES if len(self.sides) == len(_SIDES) else _SIDES[::2]
        return list(zip(names, self.sides, strict=False))

    @property
    def is_unseen(self) -> bool:
        """Whether no learned page has the field."""
        return self.field.startswith(UNSEEN_PREFIX)


class ParsedRegion(NamedTuple):
    """The region of a page that a node parses."""

    node: int
    start: int
    end: int
    is_split: bool


@dataclass(frozen=True)
class LandmarkWrapper(Wrapper):
    """A landmark tree. The first node is the root; parents come before their children."""

    method = "landmark"
    gives_fields = True
    knows_missing = True

    nodes: tuple[Node, ...]
    unit: TokenUnit
    attributes: bool
    """Whether landmarks may have conditions on attributes."""
    cost: int
    """How many tokens of the learned pages are extracted."""
    bound: int | None = None
    """No grammar extracts fewer; None if the search did not look for the best one."""
    splits: int | None = None
    """How many splits the search performed; None in files of older versions."""

    def apply(self, page: Page) -> Extraction:
        """Extract the fields of a page.

        The fit is the share of the landmarks that it has, weighted by their shares.
        """
        tokens = tokenize(page, self.unit, attributes=self.attributes)
        fields: Fields = {}
        missing: list[str] = []
        present = 0.0
        for region, text in self._extract_texts(tokens):
            node = self.nodes[region.node]
            if region.is_split:
                present += node.share
                continue
            if text:
                fields[node.field] = text
            if node.landmark and node.share >= EXPECTED_SHARE:
                missing.append(str(node.landmark))
        fit = min(1.0, present / self._sum_of_shares)
        return Extraction(
            fields=fields or None, fit=fit, missing=tuple(missing), warnings=page.warnings
        )

    def provenance(self, page: Page) -> dict[str, list[int]]:
        """Return the numbers of the text nodes that each field came from, whole or in part."""
        tokens = tokenize(page, self.unit, attributes=self.attributes)
        text_nodes: dict[str, list[int]] = {}
        for region, text in self._extract_texts(tokens):
            if text:
                texts = [token for token in tokens.tokens[region.start : region.end] if token.text]
                field = self.nodes[region.node].field
                text_nodes[field] = sorted({token.text_node for token in texts})
        return text_nodes

    def _extract_texts(self, tokens: TokenSequence) -> Iterator[tuple[ParsedRegion, str]]:
        """Yield the regions of a page with their texts; empty for regions that are split."""
        for region in self.parse(tokens):
            text = "" if region.is_split else tokens.join_text(region.start, region.end)
            yield region, text if is_value(text) else ""

    def parse(self, tokens: TokenSequence) -> Iterator[ParsedRegion]:
        """Yield the regions of a page in the order of the nodes (local parsing, section 3.2).

        A region is split if the landmark of its node occurs in it exactly once, with its end tag.
        """
        waiting = [(0, 0, len(tokens.tokens))]
        while waiting:
            number, start, end = waiting.pop()
            node = self.nodes[number]
            positions = tokens.find_landmark(node.landmark, start, end) if node.landmark else []
            position = positions[0] if len(positions) == 1 else -1
            is_split = position >= 0 and start <= tokens.partners[position] < end
            yield ParsedRegion(number, start, end, is_split)
            if is_split:
                partner = tokens.partners[position]
                regions = [(start, position), (position + 1, partner), (partner + 1, end)]
                if len(node.sides) == 2:
                    del regions[1]
                for side, region in zip(reversed(node.sides), reversed(regions), strict=True):
                    waiting.append((side, *region))

    @cached_property
    def _sum_of_shares(self) -> float:
        return sum(node.share for node in self.nodes) or 1.0

    # ---- description -----------------------------------------------------------------------------

    def describe(self) -> Description:
        """Describe the wrapper as a whole."""
        productions = tuple(self.format_pattern())
        summary = (
            f"a grammar of {len(productions)} landmarks; tokens of text are {self.unit};"
            f" {self._describe_cost()}"
        )
        if self.splits is not None:
            summary += f"; found with {self.splits:,} splits"
        return Description(summary, productions)

    def describe_gap(self) -> str | None:
        """Describe how far the grammar may be from the best; None if it is the best or unknown."""
        return None if self.bound in (None, self.cost) else self._describe_cost()

    def _describe_cost(self) -> str:
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
            for name, side in node.named_sides:
                if self.nodes[side].landmark is None:
                    field = self.nodes[side].field
                    yield FieldDescription(field, f"{name} {node.landmark}", False)

    def format_pattern(self) -> Iterator[str]:
        """Return the productions of the grammar, without the fields that no learned page has."""
        names: list[str] = []
        inner_nodes = 0
        for node in self.nodes:
            inner_nodes += node.landmark is not None
            names.append(f"part_{inner_nodes}" if node.landmark else node.field)
        for name, node in zip(names, self.nodes, strict=True):
            if node.landmark is None:
                continue
            terminals = ["", str(node.landmark), node.landmark.end_tag]
            symbols: list[str] = []
            for terminal, side in zip(terminals, node.sides, strict=False):
                symbols.append(terminal)
                if not names[side].startswith(UNSEEN_PREFIX):
                    symbols.append(names[side])
            alternative = "" if node.is_unseen else f" | {node.field}"
            yield f"{name} → {' '.join(filter(None, symbols))}{alternative}"

    def to_landmark_tree(
        self, examples: Mapping[str, Sequence[str]], *, max_levels: int
    ) -> dict[str, Any]:
        """Return the tree of landmarks as plain data; nodes below ``max_levels`` are cut."""
        root: dict[str, Any] = {}
        waiting: list[tuple[int, int, dict[str, Any]]] = [(0, 1, root)]
        while waiting:
            number, level, entry = waiting.pop()
            node = self.nodes[number]
            is_cut = bool(node.sides) and level == max_levels
            entry.update(
                dict.fromkeys(_SIDES),
                landmark=str(node.landmark) if node.landmark else None,
                share=node.share,
                field=None if node.is_unseen else node.field,
                example=next(iter(examples.get(node.field, ())), None),
                cut=is_cut,
            )
            for name, side in [] if is_cut else node.named_sides:
                child = self.nodes[side]
                if child.landmark or not child.is_unseen:
                    entry[name] = {}
                    waiting.append((side, level + 1, entry[name]))
        return root

    # ---- JSON ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the wrapper as plain data."""
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
        """Read untrusted plain data."""
        nodes = data["nodes"]
        if not isinstance(nodes, list) or not 0 < len(nodes) <= _MAX_NODES:
            raise ValueError("the number of nodes is out of range")
        wrapper = cls(
            nodes=tuple(map(_read_node, nodes)),
            unit=TokenUnit(data["tokens"]),
            attributes=bool(data["attributes"]),
            cost=int(data["cost"]),
            bound=None if data["bound"] is None else int(data["bound"]),
            splits=None if data.get("splits") is None else int(data["splits"]),
        )
        wrapper._check_tree()
        return wrapper

    def _check_tree(self) -> None:
        """Raise ValueError unless every node but the first is a side of one node before it."""
        children: list[int] = []
        for number, node in enumerate(self.nodes):
            if any(side <= number for side in node.sides):
                raise ValueError("a node is before its parent")
            children += node.sides
        if sorted(children) != list(range(1, len(self.nodes))):
            raise ValueError("the nodes are not a tree")


def _node_to_json(node: Node) -> dict[str, Any]:
    if node.landmark is None:
        return {"field": node.field}
    landmark: dict[str, Any] = {"text": node.landmark.text}
    if node.landmark.text is None:
        landmark = {"tag": node.landmark.tag, "attributes": dict(node.landmark.conditions)}
    return {
        "landmark": landmark,
        "share": round(node.share, 4),
        **dict(node.named_sides),
        "field": node.field,
    }


def _read_node(data: dict[str, Any]) -> Node:
    field = str(data["field"])
    if not is_field_name(field):
        raise ValueError("a field has no valid name")
    if "landmark" not in data:
        return Node(field)
    landmark = _read_landmark(data["landmark"])
    sides = tuple(int(data[side]) for side in _SIDES if side in data)
    if len(sides) != (3 if landmark.end_tag else 2):
        raise ValueError("a landmark has not the right sides")
    share = float(data["share"])
    if not 0 <= share <= 1:
        raise ValueError("a share is not between 0 and 1")
    return Node(field, landmark, share, sides)


def _read_landmark(data: dict[str, Any]) -> Landmark:
    if "text" in data:
        return Landmark(str(data["text"]))
    conditions: list[Condition] = []
    for name, value in data["attributes"].items():
        conditions.append(Condition(str(name), None if value is None else str(value)))
    return Landmark(None, str(data["tag"]), tuple(conditions))
