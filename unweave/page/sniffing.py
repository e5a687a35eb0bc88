"""Sniffing of bytes: whether they are HTML at all, and in which encoding.

The parser does what browsers do about encodings: it uses the byte-order mark, then the charset of
the transport, then the label in the page, then a detector. Pages on a disk differ from pages in a
browser in three ways, which are handled here: UTF-16 may have lost its byte-order mark; a label may
be wrong because the page was saved as UTF-8; and a page may be too large for a detector that reads
all of it.
"""

from __future__ import annotations

import codecs
import re

import turbohtml
from turbohtml.detect import detect

from unweave.errors import EmptyPage, NotHTML

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


# ---- encoding ------------------------------------------------------------------------------------

_MULTI_BYTE = frozenset(["gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "iso-2022-jp"])
_UNICODE = frozenset(["utf-8", "utf-16le", "utf-16be"])
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w:.+-]+)", re.IGNORECASE)
_PRESCAN_BYTES = 1024
_WINDOW_BYTES = 512 * 1024
# One in ten non-ASCII characters may be broken in a page that still counts as UTF-8.
_MIN_CHARACTERS_PER_BROKEN = 10
# A few characters of a multi-byte encoding can look like UTF-8 by chance.
_MIN_MULTI_BYTE_CHARACTERS = 20


def parse_content_type_charset(content_type: str | bytes) -> str | None:
    """Return the charset that a Content-Type header names, as it is written there, or None."""
    if isinstance(content_type, str):
        content_type = content_type.encode(errors="replace")
    match = _CHARSET.search(content_type)
    return match[1].decode() if match else None


def normalize_charset(name: str) -> str | None:
    """Return a label that the parser knows for a charset name of browsers or Python, or None."""
    try:
        python_name = codecs.lookup(name).name
    except (LookupError, ValueError):
        python_name = None
    for label in (name, python_name):
        if label and _is_known_label(label):
            return label
    return None


def _is_known_label(label: str) -> bool:
    try:
        turbohtml.parse(b"", encoding=label)
    except (LookupError, ValueError):
        return False
    return True


def detect_unmarked_utf16(data: bytes) -> str | None:
    """Return the UTF-16 variant of markup without byte-order mark by its first two characters.

    Browsers require the mark; saved pages may have lost it.
    """
    if data[:1] == b"<" and data[1:2] == b"\x00" and data[2:3] != b"\x00" and data[3:4] == b"\x00":
        return "utf-16le"
    if data[:2] == b"\x00<" and data[2:3] == b"\x00" and data[3:4] != b"\x00":
        return "utf-16be"
    return None


def detect_large_page_charset(data: bytes) -> str | None:
    """Detect the encoding of a large page that is not UTF-8 from its head and its first non-ASCII.

    Return None for all other pages: the parser detects their encoding itself, and fast.
    """
    if len(data) <= 2 * _WINDOW_BYTES or data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        starts = range(0, len(data), _WINDOW_BYTES)
        windows = (data[start : start + _WINDOW_BYTES] for start in starts)
        window = next((window for window in windows if not window.isascii()), b"")
        return detect(data[:_PRESCAN_BYTES] + window).encoding
    return None


def is_mislabelled_utf8(data: bytes, encoding: str | None) -> bool:
    """Tell whether bytes are UTF-8 although a label or the detector gave another encoding.

    Text in another encoding is hardly ever valid UTF-8, so the bytes have precedence over the
    label. A few broken characters do not make a page windows-1252 either.
    """
    name = (encoding or "").casefold()
    if name in _UNICODE or data.isascii():
        return False
    text = data.decode("utf-8", "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    return broken * _MIN_CHARACTERS_PER_BROKEN <= foreign and (
        name not in _MULTI_BYTE or foreign >= _MIN_MULTI_BYTE_CHARACTERS
    )
