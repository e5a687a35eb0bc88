"""What the record finders talk about: regions of siblings, and the records in them."""

from __future__ import annotations

from dataclasses import dataclass

Record = tuple[int, ...]
"""The roots of the sub-trees that make up one record: one as a rule, several if the record has no element of its own."""


@dataclass(frozen=True, slots=True)
class Region:
    """A run of children of one parent, cut into generalized nodes of ``width`` children each."""

    parent: int
    nodes: tuple[int, ...]
    width: int = 1

    @property
    def generalized(self) -> list[Record]:
        """The generalized nodes in order."""
        return [self.nodes[k : k + self.width] for k in range(0, len(self.nodes), self.width)]


@dataclass(frozen=True, slots=True)
class Listing:
    """The records of one list of the page, in document order."""

    records: tuple[Record, ...]

    @property
    def nodes(self) -> list[int]:
        """The roots of all records."""
        return [node for record in self.records for node in record]


Ranked = list[tuple[float, Listing]]
"""Lists, best first, each with its score."""
