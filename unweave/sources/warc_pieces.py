"""The plain bytes of packed WARC files: gzip members and zstd frames, one after the other, and on behind damaged ones."""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import IO, Any, NamedTuple

from unweave.errors import MissingExtra
from unweave.page.limits import MIB
from unweave.sources.compressed import GZIP, is_bomb, starts_packed

RECORD_BEGIN = b"WARC/"
ZSTD = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
"""How zstd data begins: a frame, or a dictionary before the first."""
CUT = "cut off: the archive ends here"
PIECE_BYTES = 256 * 1024

_DAMAGED = "cannot be read: its gzip data is damaged"
_NO_GZIP = "cannot be read: no gzip data"
_BOMB = "cannot be read: its gzip data unpacks to far more than a page"

_GZIP_MEMBER = GZIP + b"\x08"
_READ_BYTES = 16 * 1024
# What was to be read at once with damage is lost with it.
_ZSTD_READ_BYTES = 256
# Enough of a member to unpack its first bytes.
_MAX_MEMBER_START_BYTES = 4 * 1024
# A decoder notices damage late: so far before the place where it does, the next member may begin.
_MAX_OVERRUN_BYTES = 64 * 1024 + _READ_BYTES
# What is read again because of that is limited, for files that are made of damage.
_MAX_REREAD_TIMES = 8


class Piece(NamedTuple):
    """Some plain bytes of a file, or an error that ends them."""

    data: bytes
    member: int | None = None
    """The byte of the file at which a gzip member begins, if these are its first bytes."""
    error: str | None = None


def gzip_pieces(file: IO[bytes], start: int) -> Iterator[Piece]:
    """Unpack one gzip member after the other. Behind an error follows the next member that begins with a record."""
    reread_bytes = _MAX_REREAD_TIMES * file.seek(0, 2) + MIB
    member: int | None = start
    while member is not None:
        file.seek(member)
        begin = file.read(len(_GZIP_MEMBER))
        if not begin:
            return
        if begin == _GZIP_MEMBER:
            file.seek(member)
            error = yield from _unpack_member(file, member)
            if error is None:
                member = file.tell()
                continue
            noticed = member if error == _BOMB else file.tell()
            resume = max(member + 1, noticed - min(_MAX_OVERRUN_BYTES, reread_bytes))
            reread_bytes -= max(0, noticed - resume)
            following = find_member(file, resume)
            yield Piece(b"", member, _DAMAGED if error == CUT and following is not None else error)
        else:
            following = find_member(file, member + 1)
            if not _is_zeros(file, member, following):
                yield Piece(b"", member, _NO_GZIP)
        member = following


def _unpack_member(file: IO[bytes], member: int) -> Generator[Piece, None, str | None]:
    """Unpack the gzip member that the file stands at, and leave the file at its end. Returns what is wrong with it."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    size = 0
    while not unpacker.eof:
        data = unpacker.unconsumed_tail or file.read(_READ_BYTES)
        try:
            plain = unpacker.decompress(data, PIECE_BYTES)
        except zlib.error:
            return _DAMAGED
        if plain:
            yield Piece(plain, None if size else member)
            size += len(plain)
        elif not data:
            return CUT
        if is_bomb(file.tell() - member, size):
            return _BOMB
    file.seek(-len(unpacker.unused_data), 1)
    return None


def find_member(file: IO[bytes], start: int) -> int | None:
    """Return where the next gzip member begins that holds a record; None if there is none."""
    while True:
        file.seek(start)
        data = file.read(PIECE_BYTES)
        # What begins too late in it to be looked at is found in the next piece.
        last = len(data) - _MAX_MEMBER_START_BYTES if len(data) == PIECE_BYTES else len(data)
        found = data.find(_GZIP_MEMBER)
        while 0 <= found < last:
            if starts_packed(data[found : found + _MAX_MEMBER_START_BYTES], RECORD_BEGIN):
                return start + found
            found = data.find(_GZIP_MEMBER, found + 1)
        if len(data) < PIECE_BYTES:
            return None
        start += last


def _is_zeros(file: IO[bytes], start: int, end: int | None) -> bool:
    """Is there nothing between two bytes of a file but zeros, as some file systems leave them?"""
    file.seek(start)
    while end is None or start < end:
        data = file.read(PIECE_BYTES if end is None else min(PIECE_BYTES, end - start))
        if data.strip(b"\0"):
            return False
        if not data:
            break
        start += len(data)
    return True


def zstd_pieces(file: IO[bytes], start: int) -> Iterator[Piece]:
    """Unpack one zstd frame after the other, as one stream. Behind an error follows the next frame."""
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
                yield Piece(data, None if size else position)
                size += len(data)
                if is_bomb(file.tell() - position, size):
                    raise OSError("it unpacks to far more than pages do")
            return
        except (OSError, ValueError) as error:
            failed = max(position, int(reader.frame_start_position()))
            # The last bytes before the damaged frame were not given; they are read again, without it.
            file.seek(position)
            again: Any = ZstdReader(_Until(file, failed))
            with suppress(OSError, ValueError):
                _skip(again, size)
                while rest := again.read(PIECE_BYTES):
                    yield Piece(rest, None if size else position)
                    size += len(rest)
            position = _find_zstd_frame(file, failed + 1)
            yield Piece(b"", failed, f"cannot be read: its zstd data is damaged: {error}")


class _Until(io.RawIOBase):
    """A file up to a byte."""

    def __init__(self, file: IO[bytes], end: int) -> None:
        self._file, self._end = file, end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return (
            self._file.seek(self._end + offset)
            if whence == io.SEEK_END
            else self._file.seek(offset, whence)
        )

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(max(0, min(len(buffer), self._end - self._file.tell())))
        buffer[: len(data)] = data
        return len(data)


def _skip(reader: Any, size: int) -> None:
    """Leave so many bytes of a stream behind."""
    while size > 0 and (data := reader.read(min(size, PIECE_BYTES))):
        size -= len(data)


def _find_zstd_frame(file: IO[bytes], start: int) -> int | None:
    """Return where the next zstd frame begins; None if there is none."""
    file.seek(start)
    data = b""
    while piece := file.read(PIECE_BYTES):
        start -= len(data)
        data += piece
        found = data.find(ZSTD[0])
        if found >= 0:
            return start + found
        start += len(data)
        data = data[-len(ZSTD[0]) + 1 :]
    return None
