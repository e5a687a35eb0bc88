"""Inline Markdown: pieces of text with styles, links, images and code, escaped.

A parser of CommonMark or GFM gives the same text back. Styles are left out where Markdown cannot
express them, as in the middle of punctuation; text never is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from unweave.content.content_tree import EMPHASIS, STRIKE, STRONG, Piece

HARD_BREAK = "\\\n"

_SPECIAL = re.compile(r"[\\`*\[\]<~]")
# An underscore inside a word is text; "&" is text unless a reference may follow.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_AMPERSAND = re.compile(r"&(?=#?\w{1,40};|#?\w{0,40}$)")
_LINE_START = re.compile(r"#{1,6}(?=\s|$)|>|[-+](?=\s|$)|(?:=+|-+)(?=\s*$)|[-:=|][-:=|\s]*$")
_NUMBERED_LINE = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_CLOSING_HASHES = re.compile(r"(?:(?<=\s)|^)(#+)$")
_BACKTICKS = re.compile("`+")
_NOT_IN_DESTINATION = re.compile(r"""[\x00-\x20\x7f-\xa0<>"`\\()|{}^\ud800-\udfff]""")
_REFERENCE = re.compile(r"&(?=#?\w{1,40};)")


@dataclass(frozen=True, slots=True)
class InlineOptions:
    """What is written of pieces, and where."""

    links: bool = True
    """Write links; without, their texts."""
    images: bool = True
    in_table: bool = False
    """Write one line, with pipes escaped."""
    one_line: bool = False
    """Write one line."""


def format_pieces(pieces: Sequence[Piece], options: InlineOptions) -> str:
    """Return pieces as inline Markdown, with hard breaks as ``\\`` at the ends of lines."""
    written = ""
    for (link, url), runs in groupby(_iter_runs(pieces, options), lambda run: (run.link, run.url)):
        members = list(runs)
        if link < 0:
            part = _format_spans(members, options, written[-1:] or " ", " ")
        else:
            inside = _format_spans(members, options, "[", "]").strip()
            part = f"[{inside}]({format_destination(url or '')})" if inside else ""
        if part.startswith("[") and written.endswith("!"):
            written = f"{written[:-1]}\\!"
        written += part
    return written.strip()


def escape_line_starts(text: str) -> str:
    """Escape what would start a heading, list, quote, rule or table at the start of a line."""
    return "\n".join(map(_escape_line, text.split("\n")))


def _escape_line(line: str) -> str:
    if _NUMBERED_LINE.match(line):
        return _NUMBERED_LINE.sub(r"\1\\\2", line, count=1)
    return f"\\{line}" if _LINE_START.match(line) else line


def escape_closing_hashes(text: str) -> str:
    """Escape what would be the end of a heading."""
    return _CLOSING_HASHES.sub(r"\\\1", text)


def escape_text(text: str, *, in_table: bool = False) -> str:
    """Escape the characters of a text that are markup in Markdown, wherever they are."""
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    if "_" in escaped:
        escaped = _UNDERSCORE.sub(r"\\_", escaped)
    if "&" in escaped:
        escaped = _AMPERSAND.sub(r"\\&", escaped)
    return escaped.replace("|", "\\|") if in_table else escaped


def format_destination(url: str) -> str:
    """Return a URL as the destination of a link, with unsafe characters percent-encoded."""
    encoded = _NOT_IN_DESTINATION.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode(errors="surrogatepass")),
        url,
    )
    return _REFERENCE.sub(r"\\&", encoded)


def format_code_span(text: str, *, in_table: bool = False) -> str:
    """Return a text as a code span, between more backticks than it has in a row."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    body = text.replace("|", "\\|") if in_table else text
    return f"{fence}{pad}{body}{pad}{fence}"


# ---- runs and spans ------------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """Text in one style, link and code element; or an image, or the space between two runs."""

    text: str
    style: int
    code: int
    link: int
    url: str | None
    image: str | None = None


def _iter_runs(pieces: Iterable[Piece], options: InlineOptions) -> list[_Run]:
    runs: list[_Run] = []
    separator = ""
    for piece in pieces:
        separator = max(separator, piece.separator, key=("", " ", "\n").index)
        if piece.image is not None and not options.images:
            continue
        link, url = (piece.link, piece.url) if options.links else (-1, None)
        run = _Run(piece.text, piece.style, piece.code, link, url, piece.image)
        if separator == "\n" and (options.in_table or options.one_line):
            separator = " "
        if runs:
            _append_run(runs, run, separator)
        else:
            runs.append(run)
        separator = ""
    return runs


def _append_run(runs: list[_Run], run: _Run, separator: str) -> None:
    """Append a run; it continues the last one if both are alike."""
    last = runs[-1]
    is_text = run.image is None and last.image is None and separator != "\n"
    if is_text and (last.style, last.code, last.link) == (run.style, run.code, run.link):
        last.text += separator + run.text
        return
    if separator:
        style = last.style if last.style == run.style and separator == " " else 0
        link, url = (last.link, last.url) if last.link == run.link else (-1, None)
        runs.append(_Run(separator, style, -1, link, url))
    runs.append(run)


def _format_spans(runs: Sequence[_Run], options: InlineOptions, before: str, after: str) -> str:
    """Return runs of one link, or of none; ``before`` and ``after`` are the characters around."""
    spans: list[tuple[int, str]] = []
    for style, members in groupby(runs, lambda run: run.style):
        spans.append((style, "".join(_format_run(run, options) for run in members)))
    written = ""
    is_delimited = False
    for number, (style, body) in enumerate(spans):
        following = spans[number + 1][1][:1] if number + 1 < len(spans) else after
        preceding = written[-1:] or before
        delimiters = _choose_delimiters(style)
        is_delimited = (
            bool(delimiters)
            and not is_delimited
            and bool(body)
            and _can_delimit(delimiters, preceding, body, following or " ")
        )
        written += f"{delimiters}{body}{delimiters[::-1]}" if is_delimited else body
    return written


def _format_run(run: _Run, options: InlineOptions) -> str:
    if run.image is not None:
        text = escape_text(run.text, in_table=options.in_table)
        return f"![{text}]({format_destination(run.image)})"
    if run.code >= 0:
        return format_code_span(run.text, in_table=options.in_table)
    if run.text == "\n":
        return HARD_BREAK
    return escape_text(run.text, in_table=options.in_table)


def _choose_delimiters(style: int) -> str:
    marks = "*" * (2 * bool(style & STRONG) + bool(style & EMPHASIS))
    return f"~~{marks}" if style & STRIKE else marks


def _can_delimit(delimiters: str, before: str, body: str, after: str) -> bool:
    """Tell whether delimiters around a body open and close, and cannot be read in another way."""
    if body[0].isspace() or body[-1].isspace():
        return False
    if delimiters.strip("~") and delimiters.startswith("~"):  # both kinds, one inside the other
        inner = _can_delimit(delimiters.strip("~"), "~", body, "~")
        return inner and _can_delimit("~~", before, "*", after)
    return _is_flanking(before, body[0]) and _is_flanking(after, body[-1])


def _is_flanking(outside: str, inside: str) -> bool:
    """Tell whether a delimiter between two characters opens or closes towards the inside.

    Versions of CommonMark differ in whether symbols are punctuation, so both must agree.
    """
    if inside.isspace():
        return False
    return all(
        not _is_punctuation(inside, kinds) or outside.isspace() or _is_punctuation(outside, kinds)
        for kinds in ("P", "PS")
    )


def _is_punctuation(character: str, kinds: str) -> bool:
    if character.isascii():
        return not character.isalnum() and not character.isspace() and character.isprintable()
    return unicodedata.category(character)[0] in kinds
