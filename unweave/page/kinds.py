"""Telling HTML from what is often taken for it: pictures, PDFs, archives, binary data."""

from __future__ import annotations

from unweave.errors import EmptyPage, NotHTML

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
    if b"\x00" in head and not data.startswith(_UTF16_MARKS) and not utf16_without_mark(data) and b"<" not in head:
        raise NotHTML("not HTML but binary data: NUL bytes and no tag at its beginning")


def utf16_without_mark(data: bytes) -> str | None:
    """The kind of UTF-16 if the first two characters show it; browsers ask for a mark, saved pages may have lost theirs."""
    if data[:1] == b"<" and data[1:2] == b"\x00" and data[2:3] != b"\x00" and data[3:4] == b"\x00":
        return "utf-16le"
    if data[:2] == b"\x00<" and data[2:3] == b"\x00" and data[3:4] != b"\x00":
        return "utf-16be"
    return None
