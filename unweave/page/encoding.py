"""Which encoding a page is in, where the parser's own rules need help.

The parser does what browsers do: a byte-order mark, then what the transport said, then the page's own label, then a
detector. Pages from a disk differ from pages in a browser in three ways, and each is mended here: UTF-16 may have lost its
mark, a label may lie because whoever saved the page wrote UTF-8, and a page may be so large that a detector should not read
all of it.
"""

from __future__ import annotations

import codecs

import turbohtml
from turbohtml.detect import detect

_MULTI_BYTE = frozenset(["gbk", "gb18030", "big5", "euc-jp", "euc-kr", "shift_jis", "iso-2022-jp"])
_UNICODE = frozenset(["utf-8", "utf-16le", "utf-16be"])
# Of the characters beyond ASCII, one in so many may be broken in a page that still counts as UTF-8.
_ONE_BROKEN_IN = 10
# Few characters of a multi-byte encoding can look like UTF-8 by chance.
_ENOUGH_CHARACTERS = 20

_PRESCAN = 1024
_WINDOW = 512 * 1024


def transport_charset(name: str) -> str | None:
    """A charset name as browsers know it; Python's own names are understood too. None if it is unknown."""
    for label in (name, _python_name(name)):
        if label and _is_label(label):
            return label
    return None


def unmarked_utf16(data: bytes) -> str | None:
    """The kind of UTF-16 if the first two characters show it: browsers ask for a mark, saved pages may have lost theirs."""
    if data[:1] == b"<" and data[1:2] == b"\x00" and data[2:3] != b"\x00" and data[3:4] == b"\x00":
        return "utf-16le"
    if data[:2] == b"\x00<" and data[2:3] == b"\x00" and data[3:4] != b"\x00":
        return "utf-16be"
    return None


def charset_of_large(data: bytes) -> str | None:
    """The encoding of a large page that is not UTF-8, detected from its head and from where it leaves ASCII.

    None for all others: the parser finds it itself, and fast.
    """
    if len(data) <= 2 * _WINDOW or data.isascii() or _is_utf8(data):
        return None
    beyond = next((at for at in range(0, len(data), _WINDOW) if not data[at : at + _WINDOW].isascii()), 0)
    return detect(data[:_PRESCAN] + data[beyond : beyond + _WINDOW]).encoding


def is_really_utf8(data: bytes, encoding: str | None) -> bool:
    """Is this UTF-8 although a label or the detector said something else?

    Text in another encoding is hardly ever valid UTF-8, so the bytes are believed more than the label. A few broken
    characters do not make a page windows-1252 either.
    """
    name = (encoding or "").casefold()
    if name in _UNICODE or data.isascii():
        return False
    text = data.decode("utf-8", "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    return broken * _ONE_BROKEN_IN <= foreign and (name not in _MULTI_BYTE or foreign >= _ENOUGH_CHARACTERS)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_label(name: str) -> bool:
    try:
        turbohtml.parse(b"", encoding=name)
    except (LookupError, ValueError):
        return False
    return True


def _python_name(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
