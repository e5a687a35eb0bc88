"""How large a page may be. The defaults are far above what real pages reach, and keep time and memory bounded.

Of 2,093 real pages the deepest had 55 levels. The parser, as Chromium does, lays what is nested more than 512 deep beside
its parent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unweave.errors import PageTooLarge, UsageError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest page that is read: in bytes, in elements, in levels of nesting, and in letters of an element's name."""

    bytes: int = 32 * MIB
    nodes: int = 500_000
    depth: int = 256
    name: int = 100

    def __post_init__(self) -> None:
        """Refuse bounds that no page could keep."""
        if min(self.bytes, self.nodes, self.depth, self.name) < 1:
            raise UsageError("a limit must be at least 1")

    def check_bytes(self, size: int) -> None:
        """Raise if there are too many bytes."""
        if size > self.bytes:
            raise PageTooLarge(f"the page has {size:,} bytes or more; the limit is {self.bytes:,}")

    def check_nodes(self, count: int) -> None:
        """Raise if there are too many elements."""
        if count > self.nodes:
            raise PageTooLarge(f"the page has more than {self.nodes:,} elements, which is the limit")

    def check_depth(self, depth: int) -> None:
        """Raise if elements are nested too deep."""
        if depth > self.depth:
            raise PageTooLarge(f"elements are nested more than {self.depth:,} deep, which is the limit")

    def check_names(self, names: Iterable[str]) -> None:
        """Raise if an element's name is too long: it stands in every XPath below."""
        if any(len(name) > self.name for name in names):
            raise PageTooLarge(f"an element's name has more than {self.name:,} letters, which is the limit")


DEFAULT_LIMITS = Limits()
