"""Decompression of WARC files: gzip members and zstd frames, also behind damaged ones."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, NamedTuple

from unweave.errors import MissingExtra
from unweave.files import (
    GZIP_MAGIC,
    DecompressionBomb,
    DecompressionError,
    TruncatedData,
    gzip_starts_with,
    is_decompression_bomb,
    read_gzip_member,
)
from unweave.page.limits import MIB

RECORD_MAGIC = b"WARC/"
ZSTD_MAGIC = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
"""The first bytes of zstd data: of a frame, or of a dictionary before the first frame."""
CUT_OFF = "cut off: the archive ends here"
PIECE_BYTES = 256 * 1024

_GZIP_MEMBER_MAGIC = GZIP_MAGIC + b"\x08"
# All that is read at once with damage is lost with it.
_ZSTD_READ_BYTES = 256
# Enough of a member to decompress its first bytes.
_MEMBER_START_BYTES = 4 * 1024
# A decompressor detects damage late; the next member may begin this far before that position.
_MAX_OVERRUN_BYTES = 80 * 1024
# What is read again because of that is limited, for files that are full of damage.
_MAX_REREAD_RATIO = 8


class Piece(NamedTuple):
    """Some decompressed bytes of a file, or an error that ends them."""

    data: bytes
    member: int | None = None
    """Where the gzip member or zstd frame begins, in bytes of the file; None if not compressed."""
    error: str | None = None


def read_gzip_pieces(file: IO[bytes], start: int) -> Iterator[Piece]:
    """Decompress gzip members one by one.

    After an error the next member that begins with a WARC record follows.
    """
    reread_bytes = _MAX_REREAD_RATIO * file.seek(0, 2) + MIB
    member: int | None = start
    while member is not None:
        file.seek(member)
        magic = file.read(len(_GZIP_MEMBER_MAGIC))
        if not magic:
            return
        if magic != _GZIP_MEMBER_MAGIC:
            next_member = find_gzip_member(file, member + 1)
            if not _is_zeros(file, member, next_member):
                yield Piece(b"", member, "cannot be read: no gzip data")
            member = next_member
            continue
        file.seek(member)
        try:
            for data in read_gzip_member(file):
                yield Piece(data, member)
            member = file.tell()
        except DecompressionError as error:
            end = member if isinstance(error, DecompressionBomb) else file.tell()
            resume = max(member + 1, end - min(_MAX_OVERRUN_BYTES, reread_bytes))
            reread_bytes -= max(0, end - resume)
            next_member = find_gzip_member(file, resume)
            if not isinstance(error, TruncatedData):
                reason = f"cannot be read: {error}"
            elif next_member is None:
                reason = CUT_OFF
            else:
                reason = "cannot be read: its gzip data is damaged"
            yield Piece(b"", member, reason)
            member = next_member


def find_gzip_member(file: IO[bytes], start: int) -> int | None:
    """Return where the next gzip member begins that holds a WARC record; None if there is none."""
    while True:
        file.seek(start)
        data = file.read(PIECE_BYTES)
        # A member that begins behind this is searched for in the next piece.
        last = len(data) - _MEMBER_START_BYTES if len(data) == PIECE_BYTES else len(data)
        position = data.find(_GZIP_MEMBER_MAGIC)
        while 0 <= position < last:
            if gzip_starts_with(data[position : position + _MEMBER_START_BYTES], RECORD_MAGIC):
                return start + position
            position = data.find(_GZIP_MEMBER_MAGIC, position + 1)
        if len(data) < PIECE_BYTES:
            return None
        start += last


def _is_zeros(file: IO[bytes], start: int, end: int | None) -> bool:
    """Tell whether a file has only zeros between two positions, as some file systems leave them."""
    file.seek(start)
    while end is None or start < end:
        data = file.read(PIECE_BYTES if end is None else min(PIECE_BYTES, end - start))
        if data.strip(b"\0"):
            return False
        if not data:
            break
        start += len(data)
    return True


def read_zstd_pieces(file: IO[bytes], start: int) -> Iterator[Piece]:
    """Decompress zstd frames as one stream. After an error the next frame follows."""
    try:
        from fastwarc.stream_io import ZstdReader
    except ImportError:
        raise MissingExtra("fastwarc", "warc") from None
    position: int | None = start
    while position is not None:
        file.seek(position)
        reader: Any = ZstdReader(file)
        size = 0
        try:
            while data := reader.read(_ZSTD_READ_BYTES):
                yield Piece(data, position)
                size += len(data)
                if is_decompression_bomb(file.tell() - position, size):
                    raise OSError("it decompresses to far more than a page")
            return
        except (OSError, ValueError) as error:
            damaged_frame = max(position, int(reader.frame_start_position()))
            # The reader did not return the last bytes before the damaged frame: read them again,
            # without the frame.
            file.seek(position)
            reader = ZstdReader(_FileHead(file, damaged_frame))
            with suppress(OSError, ValueError):
                skipped_bytes = 0
                while skipped_bytes < size:
                    data = reader.read(min(size - skipped_bytes, PIECE_BYTES))
                    if not data:
                        break
                    skipped_bytes += len(data)
                while data := reader.read(PIECE_BYTES):
                    yield Piece(data, position)
            position = _find_zstd_frame(file, damaged_frame + 1)
            reason = f"cannot be read: its zstd data is damaged: {error}"
            yield Piece(b"", damaged_frame, reason)


class _FileHead(io.RawIOBase):
    """A file up to a position."""

    def __init__(self, file: IO[bytes], end: int) -> None:
        self._file, self._end = file, end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        if whence == io.SEEK_END:
            return self._file.seek(self._end + offset)
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(max(0, min(len(buffer), self._end - self._file.tell())))
        buffer[: len(data)] = data
        return len(data)


def _find_zstd_frame(file: IO[bytes], start: int) -> int | None:
    """Return where the next zstd frame begins; None if there is none."""
    magic = ZSTD_MAGIC[0]
    file.seek(start)
    data = b""
    while piece := file.read(PIECE_BYTES):
        start -= len(data)
        data += piece
        position = data.find(magic)
        if position >= 0:
            return start + position
        start += len(data)
        data = data[-len(magic) + 1 :]
    return None
