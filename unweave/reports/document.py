"""The frame of a report: a page of HTML that loads nothing and executes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def format_document(title: str, style: str, body: Iterable[str]) -> str:
    """Return a page with a title, style sheet and lines of markup.

    Its content security policy forbids scripts and requests.
    """
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>\n{style}</style></head><body><main>",
        *body,
        "</main></body></html>\n",
    ]
    return "\n".join(lines)
