"""What JSON-LD calls the texts of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from unweave.page.page import Page

_MOST = 0.5
_LEAST = 2
# A page could describe far more than it shows.
_MOST_STEPS = 50_000
_LONGEST = 500


class Descriptions:
    """The keys that a page's JSON-LD has for texts."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def of(self, texts: Sequence[str]) -> str:
        """The key that most of these texts have; empty if there is none. Of several, the first on the page."""
        counts = Counter([key for text in texts for key in self._keys.get(text, ())])
        key, count = counts.most_common(1)[0] if counts else ("", 0)
        return key if count >= max(_LEAST, _MOST * len(texts)) else ""

    @cached_property
    def _keys(self) -> dict[str, dict[str, None]]:
        """The keys of every text and number in the page's JSON-LD, in their order."""
        found: dict[str, dict[str, None]] = {}
        for key, value in _facts(self._page.metadata.things):
            found.setdefault(" ".join(value[:_LONGEST].split()), {})[key] = None
        return found


def _facts(things: Sequence[Any]) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = [("", thing) for thing in reversed(things)]
    steps = 0
    while waiting and steps < _MOST_STEPS:
        steps += 1
        key, value = waiting.pop()
        if isinstance(value, dict):
            own = [(str(name), part) for name, part in value.items() if not str(name).startswith("@")]
            waiting.extend(reversed(own))
        elif isinstance(value, list):
            waiting.extend((key, part) for part in reversed(value))
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and key:
            yield key, str(value)
