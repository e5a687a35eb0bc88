"""HTML of tables and fields for notebooks. All texts and URLs come from untrusted pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

MAX_ROWS = 50
MAX_CHARACTERS = 300
"""For the text of a cell."""
MAX_URL_CHARACTERS = 2_000

_WEB_URL = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
_CUT_MARK = "…"


def format_table(head: Sequence[str], rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """Return a table; the names in the head are texts, the cells and the caption are HTML."""
    names = "".join(f"<th>{format_text(name)}</th>" for name in head)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    below = f"<p>{caption}</p>" if caption else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{below}"


def format_text(text: str | None) -> str:
    """Return a text as HTML, cut if it is long."""
    if not text:
        return ""
    return escape(text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + _CUT_MARK)


def format_items(
    value: str | Sequence[str | None] | None, format: Callable[[str], str] = format_text
) -> str:
    """Return a text or a list of texts as HTML, the items one below the other."""
    items = [value] if value is None or isinstance(value, str) else value
    shown = [format(item or "") for item in items[:MAX_ROWS]]
    rest = len(items) - len(shown)
    return "<br>".join([*shown, f"and {rest:,} more"] if rest else shown)


def format_link(url: str) -> str:
    """Return a URL as a link; as a text if it is not an absolute one of the web.

    A relative one would lead to the server of the notebook, where the user is logged in.
    """
    if not _is_web_url(url):
        return format_text(url)
    return (
        f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{format_text(url)}</a>'
    )


def format_image(url: str) -> str:
    """Return the picture at a URL; the URL as a text if it is not an absolute one of the web."""
    if not _is_web_url(url):
        return format_text(url)
    return (
        f'<img src="{escape(url)}" alt="{format_text(url)}" loading="lazy"'
        ' referrerpolicy="no-referrer" style="max-height: 80px; max-width: 160px">'
    )


def format_frame(document: str) -> str:
    """Return a whole HTML document in a frame where it can neither run scripts nor lead away."""
    return (
        f'<iframe sandbox srcdoc="{escape(document)}" referrerpolicy="no-referrer"'
        ' style="width: 100%; height: 600px; border: 1px solid #ccc"></iframe>'
    )


def _is_web_url(url: str) -> bool:
    return len(url) <= MAX_URL_CHARACTERS and _WEB_URL.fullmatch(url) is not None
