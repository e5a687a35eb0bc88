"""How large a page may be. The defaults are far above what real pages reach, and keep time and memory bounded.

Depth is bounded by the parser too: as in Chromium, what is nested more than 512 deep is laid beside its parent.
"""

from __future__ import annotations

from dataclasses import dataclass

from unweave.errors import PageTooLarge

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest page that is read: in bytes, in elements, and in levels of nesting."""

    bytes: int = 32 * MIB
    nodes: int = 500_000
    depth: int = 5_000

    def check_bytes(self, size: int) -> None:
        """Raise if there are too many bytes."""
        if size > self.bytes:
            raise PageTooLarge(f"the page has {size:,} bytes or more; the limit is {self.bytes:,}")

    def check_nodes(self, count: int) -> None:
        """Raise if there are too many elements."""
        if count > self.nodes:
            raise PageTooLarge(f"the page has more than {self.nodes:,} elements, which is the limit")

    def check_depth(self, parents: list[int]) -> None:
        """Raise if the tree is too deep; measured only where there are enough nodes to be that deep."""
        if len(parents) <= self.depth:
            return
        depths = [1] * len(parents)
        for node, parent in enumerate(parents[1:], 1):
            depths[node] = depths[parent] + 1
        if max(depths) > self.depth:
            raise PageTooLarge(f"elements are nested {max(depths):,} deep; the limit is {self.depth:,}")


DEFAULT_LIMITS = Limits()
