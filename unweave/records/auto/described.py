"""What JSON-LD calls the texts of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from unweave.page.page import Page

_MOST = 0.5
_LEAST = 2
# A page could describe far more than it shows.
_MOST_FACTS = 20_000
_LONGEST = 500


def described(page: Page, texts: Sequence[str]) -> str:
    """The key that JSON-LD has for most of these texts; empty if it has none."""
    if not page.metadata.things:
        return ""
    known = _keys(page)
    counts = Counter([key for text in texts for key in known.get(text, ())])
    key, count = counts.most_common(1)[0] if counts else ("", 0)
    return key if count >= max(_LEAST, _MOST * len(texts)) else ""


def _keys(page: Page) -> dict[str, set[str]]:
    """The keys of every text and number in the page's JSON-LD."""
    found: dict[str, set[str]] = {}
    for room, (key, value) in enumerate(_facts(page.metadata.things)):
        if room > _MOST_FACTS:
            break
        found.setdefault(" ".join(value.split())[:_LONGEST], set()).add(key)
    return found


def _facts(things: Sequence[Any]) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = [("", thing) for thing in reversed(things)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((str(name), own) for name, own in value.items() if not str(name).startswith("@"))
        elif isinstance(value, list):
            waiting.extend((key, own) for own in value)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and key:
            yield key, str(value)
