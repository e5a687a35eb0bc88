"""Telling HTML from what is often taken for it: pictures, PDFs, archives, binary data."""

from __future__ import annotations

from unweave.errors import EmptyPage, NotHTML
from unweave.page.encoding import unmarked_utf16

# First bytes, what they are, and what to do about it.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"\xff\xfe\x00\x00", "UTF-32 text, which browsers do not read"),
    (b"\x00\x00\xfe\xff", "UTF-32 text, which browsers do not read"),
    (b"\xd0\xcf\x11\xe0", "an older Office document"),
    (b"%PDF-", "a PDF document"),
    (b"\x1f\x8b", "gzip-compressed data: unpack it first (gunzip)"),
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
# First bytes that could be text, with what must stand a little further on: where, which, and what it is then.
_TWOFOLD: tuple[tuple[bytes, int, tuple[bytes, ...], str], ...] = (
    (b"BZh", 4, (b"1AY&SY",), "bzip2-compressed data: unpack it first (bunzip2)"),
    (b"\x00\x00", 4, (b"ftyp",), "a video or picture (MP4, AVIF or HEIC)"),
    (b"RIFF", 8, (b"WEBP", b"WAVE", b"AVI "), "a WebP picture, a sound or a video"),
)
_HEAD = 1024
_CONTROL = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_LEAST_TEXT = 0.92
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def refuse_other_kinds(data: bytes) -> None:
    """Raise if these bytes are no HTML."""
    if not data:
        raise EmptyPage("the page is empty: 0 bytes")
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            raise NotHTML(f"not HTML but {kind}")
    for signature, place, marks, kind in _TWOFOLD:
        if data.startswith(signature) and data.startswith(marks, place):
            raise NotHTML(f"not HTML but {kind}")
    head = data[:_HEAD]
    if not head.strip(b"\x00"):
        raise NotHTML("not HTML but NUL bytes")
    if data.startswith(_UTF16_MARKS) or unmarked_utf16(data):
        return
    if b"\x00" in head and b"<" not in head:
        raise NotHTML("not HTML but binary data: NUL bytes and no tag at its beginning")
    if len(head.translate(None, _CONTROL)) < _LEAST_TEXT * len(head):
        raise NotHTML("not HTML but binary data: control characters at its beginning")
