"""Tar archives, compressed or not: read as a stream, also behind a damaged header."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from unweave.errors import SourceError
from unweave.files import GZIP_MAGIC, MAX_COMPRESSION_RATIO
from unweave.page.limits import DEFAULT_LIMITS, MIB
from unweave.sources.source import FetchedPage, Item, Skipped, escape_name

H = TypeVar("H", bound=tarfile.TarInfo)

# Of the headers of one member: long names, and maps of sparse files.
_MAX_HEADER_BYTES = MIB
# Beyond MAX_COMPRESSION_RATIO times the size of the archive.
_MAX_EXCESS_BYTES = 1024 * MIB
_READ_BYTES = 16 * 1024

_BZIP2_MAGIC, _XZ_MAGIC = b"BZh", b"\xfd7zXZ"
_READ_ERRORS = (
    tarfile.TarError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    zlib.error,
    lzma.LZMAError,
)


def read_tar(path: Path) -> Iterator[Item]:
    """Yield the regular files of an archive, and what is damaged.

    Damage in a compressed archive loses all that is behind it. Raises SourceError if there is
    nothing but damage.
    """
    has_members = False
    position = 0
    try:
        with (
            closing(_Stream(path)) as stream,
            # Zeros and invalid headers are skipped: the archive may continue behind them.
            tarfile.open(
                fileobj=cast(IO[bytes], stream),
                mode="r|",
                tarinfo=_make_header_class(stream),
                ignore_zeros=True,
            ) as archive,
        ):
            while (member := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]  # tarfile keeps them all
                if damage := stream.take_damage():
                    yield Skipped(f"{path.name}, byte {position:,}", damage)
                has_members = True
                position = member.offset_data + member.size
                stream.allow(member.size + 2 * _MAX_HEADER_BYTES)
                if member.isreg():
                    yield from _read_member(archive, member)
    except _READ_ERRORS as error:
        damage = f"cannot be read, nor all that follows: {error}"
        if not has_members:
            raise SourceError(f"{path}: not a tar archive, or damaged: {error}") from None
        yield Skipped(f"{path.name}, byte {position:,}", damage)
    if damage := stream.take_damage():
        if not has_members:
            raise SourceError(f"{path}: not a tar archive, or damaged: {damage}")
        yield Skipped(f"{path.name}, byte {position:,}", damage)


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[Item]:
    """Yield a file. One that is cut off is yielded as far as it goes, and then the error raised."""
    file = archive.extractfile(member)
    if file is None:
        return
    name = escape_name(member.name)
    try:
        time = datetime.fromtimestamp(int(member.mtime), UTC)
    except (ValueError, OverflowError, OSError):
        time = None
    body = bytearray()
    max_bytes = DEFAULT_LIMITS.bytes + 1
    try:
        while data := file.read(min(_READ_BYTES, max_bytes - len(body))):
            body += data
    except _READ_ERRORS as error:
        if body:
            damage = "cut off: the archive is damaged here"
            yield FetchedPage(name, bytes(body), time=time, damage=damage)
        else:
            yield Skipped(name, f"cannot be read: {error}", time)
        raise
    yield FetchedPage(name, bytes(body), time=time)


class _Stream:
    """An archive that is decompressed while it is read, up to limits."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            magic = file.read(len(_XZ_MAGIC))
        opener: Callable[[Path, str], Any] = Path.open
        if magic.startswith(GZIP_MAGIC):
            opener = gzip.open
        elif magic.startswith(_BZIP2_MAGIC):
            opener = bz2.open
        elif magic.startswith(_XZ_MAGIC):
            opener = lzma.open
        self._file: IO[bytes] = opener(path, "rb")
        self._remaining_bytes = MAX_COMPRESSION_RATIO * path.stat().st_size + _MAX_EXCESS_BYTES
        self._allowed_bytes = MIB
        self._damaged_blocks = 0
        self._damage_reason = ""

    def allow(self, size: int) -> None:
        """Allow ``size`` bytes to be read from here on, so that no header is endless."""
        self._allowed_bytes = size

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self._remaining_bytes -= len(data)
        self._allowed_bytes -= len(data)
        if self._remaining_bytes < 0:
            raise tarfile.ReadError("it decompresses to far more than archives of its size")
        if self._allowed_bytes < 0:
            raise tarfile.ReadError("a header is too long")
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add_damage(self, error: Exception) -> None:
        """Count a block that should be a header, and is not."""
        self._damaged_blocks += 1
        self._damage_reason = self._damage_reason or str(error)

    def take_damage(self) -> str | None:
        """Describe the damaged blocks since the last call, if there are any."""
        count, reason = self._damaged_blocks, self._damage_reason
        self._damaged_blocks, self._damage_reason = 0, ""
        return f"cannot be read: {count:,} blocks belong to no file ({reason})" if count else None


def _make_header_class(stream: _Stream) -> type[tarfile.TarInfo]:
    """Return a class of headers that counts damaged ones, and refuses those that are too large.

    Newer versions of Python (3.14.10 is one) read headers by ``_frombuf``, which ``frombuf`` calls,
    too. If a version has neither, headers are still bounded by what the stream allows.
    """

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            parse = partial(super().frombuf, buf, encoding, errors)
            if hasattr(tarfile.TarInfo, "_frombuf"):
                return parse()
            return _parse_header(stream, buf, parse)

        @classmethod
        def _frombuf(
            cls, buf: bytes | bytearray, encoding: str, errors: str, **options: bool
        ) -> Header:
            parent: Any = super()
            parse = partial(parent._frombuf, buf, encoding, errors, **options)
            header: Header = _parse_header(stream, buf, parse)
            return header

    return Header


def _parse_header(stream: _Stream, buf: bytes | bytearray, parse: Callable[[], H]) -> H:
    """Return the header in a block, or count the damage and raise HeaderError."""
    stream.allow(2 * _MAX_HEADER_BYTES)
    try:
        header = parse()
        if header.type == tarfile.GNUTYPE_SPARSE or (
            header.type not in tarfile.REGULAR_TYPES and header.size > _MAX_HEADER_BYTES
        ):
            reason = f"a header has {header.size:,} bytes"
            raise tarfile.InvalidHeaderError(reason)  # type: ignore[attr-defined]
    except tarfile.HeaderError as error:
        if bytes(buf).strip(b"\0"):
            stream.add_damage(error)
        raise
    return header
