"""Archives of strangers: looked at before they are opened, so that small files do not become large in memory or time."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from unweave.page.limits import MIB

GZIP = b"\x1f\x8b"
_BZIP2, _XZ = b"BZh", b"\xfd7zXZ"
_HEAD = 64 * 1024

# What is unpacked is at most so many times what is packed, and so much more. Pages pack to a tenth.
_MOST_TIMES, _MOST_MORE = 100, 1024 * MIB
_MAX_MEMBER_EXCESS_BYTES = 256 * MIB


def begins_with(path: Path, begin: bytes) -> bool:
    """Does a file, packed with gzip or not, begin so? Only its head is looked at, whatever it claims to hold."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return starts_packed(head, begin) if head.startswith(GZIP) else head.startswith(begin)


def starts_packed(head: bytes, begin: bytes) -> bool:
    """Is this the head of gzip data that begins so when it is unpacked?"""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, len(begin)) == begin
    except zlib.error:
        return False


def is_bomb(packed_bytes: int, unpacked_bytes: int) -> bool:
    """Does one record or member unpack to far more than pages do?"""
    return unpacked_bytes > _MOST_TIMES * packed_bytes + _MAX_MEMBER_EXCESS_BYTES


class Unpacked:
    """A tar as a stream, unpacked on the way, and never more of it than a file of its size holds."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(len(_XZ))
        openers: dict[bytes, Callable[[Path, str], Any]] = {
            GZIP: gzip.open,
            _BZIP2: bz2.open,
            _XZ: lzma.open,
        }
        opener = next((own for begin, own in openers.items() if head.startswith(begin)), Path.open)
        self._file: IO[bytes] = opener(path, "rb")
        self._left = _MOST_TIMES * path.stat().st_size + _MOST_MORE
        self._allowed = MIB

    def allow(self, size: int) -> None:
        """Allow that many bytes to be read from here on, so that no header of a file is endless."""
        self._allowed = size

    def read(self, size: int) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._left -= len(data)
        self._allowed -= len(data)
        if self._left < 0:
            raise tarfile.ReadError("it holds far more than files of its size do")
        if self._allowed < 0:
            raise tarfile.ReadError("a header of it is too long")
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
