"""Detection of input that is not HTML: images, PDFs, archives, binary data."""

from __future__ import annotations

from unweave.errors import EmptyPage, NotHTML
from unweave.page.encoding import detect_unmarked_utf16

# Signature and description, with a hint what to do.
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
# Signatures that HTML could start with too: signature, offset and bytes there, description.
_LONG_SIGNATURES: tuple[tuple[bytes, int, tuple[bytes, ...], str], ...] = (
    (b"BZh", 4, (b"1AY&SY",), "bzip2-compressed data: unpack it first (bunzip2)"),
    (b"\x00\x00", 4, (b"ftyp",), "a video or picture (MP4, AVIF or HEIC)"),
    (b"RIFF", 8, (b"WEBP", b"WAVE", b"AVI "), "a WebP picture, a sound or a video"),
)
_UTF16_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROL_CHARACTERS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))
_HEAD_BYTES = 1024
_MIN_TEXT_SHARE = 0.92  # of the head


def check_is_html(data: bytes) -> None:
    """Raise EmptyPage or NotHTML unless these bytes can be HTML."""
    if not data:
        raise EmptyPage("the page is empty: 0 bytes")
    for signature, description in _SIGNATURES:
        if data.startswith(signature):
            raise NotHTML(f"not HTML but {description}")
    for signature, offset, continuations, description in _LONG_SIGNATURES:
        if data.startswith(signature) and data.startswith(continuations, offset):
            raise NotHTML(f"not HTML but {description}")
    head = data[:_HEAD_BYTES]
    if not head.strip(b"\x00"):
        raise NotHTML("not HTML but NUL bytes")
    if data.startswith(_UTF16_BYTE_ORDER_MARKS) or detect_unmarked_utf16(data):
        return
    if b"\x00" in head and b"<" not in head:
        raise NotHTML("not HTML but binary data: NUL bytes and no tag at its beginning")
    if len(head.translate(None, _CONTROL_CHARACTERS)) < _MIN_TEXT_SHARE * len(head):
        raise NotHTML("not HTML but binary data: control characters at its beginning")
