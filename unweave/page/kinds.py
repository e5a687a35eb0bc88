"""Telling HTML from what is often taken for it: pictures, PDFs, archives, binary data."""

from __future__ import annotations

import re
from random import random

from unweave.errors import EmptyPage, NotHTML, PageTooLarge
from unweave.page.encoding import unmarked_utf16

# First bytes, what they are, and what to do about it.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "gzip-compressed data: unpack it first (gunzip)"),
    (b"BZh", "bzip2-compressed data: unpack it first (bunzip2)"),
    (b"\xfd7zXZ\x00", "xz-compressed data: unpack it first (unxz)"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data: unpack it first (unzstd)"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"WARC/", "a WARC archive, not a single page"),
)
_HEAD = 1024
# Saved frames and chained files have a handful of html and body tags.
_MOST_ROOTS = 1_000
_SHORTEST_ROOT = len("<html>")
_ROOT = re.compile(rb"<(?:html|body)", re.IGNORECASE)
_WINDOW = 1024
_ODD_IN_WINDOW = 4
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def refuse_other_kinds(data: bytes) -> None:
    """Raise if these bytes are no HTML."""
    if not data:
        raise EmptyPage("the page is empty: 0 bytes")
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            raise NotHTML(f"not HTML but {kind}")
    head = data[:_HEAD]
    if not head.strip(b"\x00"):
        raise NotHTML("not HTML but NUL bytes")
    if b"\x00" in head and not data.startswith(_UTF16_MARKS) and not unmarked_utf16(data) and b"<" not in head:
        raise NotHTML("not HTML but binary data: NUL bytes and no tag at its beginning")


def refuse_many_roots(data: bytes) -> None:
    """Raise if there are absurdly many html and body tags, which the parser merges in quadratic time.

    Only a sixteenth of the page is looked at, at places that a page cannot foresee, and all of it where that looks odd.
    """
    if len(data) < _MOST_ROOTS * _SHORTEST_ROOT:
        return
    if b"\x00" in data[:4]:
        data = data.replace(b"\x00", b"")  # UTF-16
    for start in range(0, len(data), 16 * _WINDOW):
        begin = start + int(random() * 15 * _WINDOW)  # noqa: S311 - no secret, only unforeseen
        if len(_ROOT.findall(data, begin, begin + _WINDOW)) > _ODD_IN_WINDOW and len(_ROOT.findall(data)) > _MOST_ROOTS:
            raise PageTooLarge(f"the page has more than {_MOST_ROOTS:,} html and body tags")
