"""The body as the page's own data tells it: some pages show the beginning only, and draw the rest by script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unweave.news.names import as_shown, terms
from unweave.page.page import Page

# It must have so much more than what is shown, and not only the same once more, and nearly all of what is shown.
_LEAST_LONGER = 1.5
_LEAST_RICHER = 1.3
_LEAST_INSIDE = 0.8
_LEAST_WORDS = 50
_LINES = re.compile(r"\s*[\r\n]+\s*")


def told_body(page: Page, shown: Sequence[str]) -> list[str] | None:
    """The paragraphs that the page's data tells, if they are those that are shown and more of the same article."""
    for thing in page.metadata.things:
        body = thing.get("articleBody")
        if isinstance(body, str) and "<" not in body and _continues(body, shown):
            return [as_shown(line) for line in _LINES.split(body) if line.strip()]
    return None


def _continues(body: str, shown: Sequence[str]) -> bool:
    told, seen = terms(body), terms(" ".join(shown))
    if told.total() < max(_LEAST_WORDS, _LEAST_LONGER * seen.total()) or len(told) < _LEAST_RICHER * len(seen):
        return False
    return (told & seen).total() >= _LEAST_INSIDE * seen.total()
