"""The body as the page's own data tells it: some pages show the beginning only, and draw the rest by script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unweave.news.names import Terms, as_shown, terms
from unweave.page.page import Page

# It must have so much more than what is shown, and not only the same once more, and nearly all of what is shown.
_LEAST_LONGER = 1.5
_LEAST_RICHER = 1.3
_LEAST_INSIDE = 0.8
_LEAST_WORDS = 50
_LINES = re.compile(r"[\r\n]+")


def told_body(page: Page, shown: Sequence[str]) -> list[str] | None:
    """The paragraphs that the page's data tells, if they are those that are shown and more of the same article."""
    bodies = [thing["articleBody"] for thing in page.metadata.things if isinstance(thing.get("articleBody"), str)]
    longest = max(bodies, key=len, default="")
    if len(longest) <= sum(map(len, shown)) or "<" in longest or not _continues(terms(longest), terms(" ".join(shown))):
        return None
    return [as_shown(line) for line in _LINES.split(longest) if line.strip()]


def _continues(told: Terms, seen: Terms) -> bool:
    if told.total() < max(_LEAST_WORDS, _LEAST_LONGER * seen.total()) or len(told) < _LEAST_RICHER * len(seen):
        return False
    return (told & seen).total() >= _LEAST_INSIDE * seen.total()
