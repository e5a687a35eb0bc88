"""Tar archives, packed or not: read as a stream, and on behind a damaged header."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast

from unweave.errors import SourceError
from unweave.page.limits import DEFAULT_LIMITS, MIB
from unweave.sources.compressed import Unpacked
from unweave.sources.fetched_page import Aside, Fetched, Item, printable_name

# Of the headers of one member: long names, and lists of parts.
_MAX_HEADER_BYTES = MIB
_READ_BYTES = 16 * 1024
_DAMAGE = (
    tarfile.TarError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    zlib.error,
    lzma.LZMAError,
)


@dataclass
class _Skipped:
    """What was skipped since the last member, because it is no header."""

    blocks: int = 0
    reason: str = ""

    def add(self, error: Exception) -> None:
        """Count a block."""
        self.blocks += 1
        self.reason = self.reason or str(error)

    def take(self) -> str | None:
        """Return what was skipped, and begin anew."""
        blocks, reason = self.blocks, self.reason
        self.blocks, self.reason = 0, ""
        return (
            f"cannot be read: {blocks:,} blocks that belong to no file ({reason})"
            if blocks
            else None
        )


def read_tar(archive: Path) -> Iterator[Item]:
    """Yield the regular files of an archive, and what is damaged; a SourceError if there is nothing else in it.

    Damage in a packed archive loses what is behind it, which is said.
    """
    skipped = _Skipped()
    has_members = False
    offset = 0
    try:
        with (
            closing(Unpacked(archive)) as stream,
            # Zeros and what is no header are skipped: the archive may go on behind them.
            tarfile.open(
                fileobj=cast(IO[bytes], stream),
                mode="r|",
                tarinfo=_header_type(stream, skipped),
                ignore_zeros=True,
            ) as opened,
        ):
            while (member := opened.next()) is not None:
                opened.members.clear()  # type: ignore[attr-defined]  # tarfile keeps them all
                if damage := skipped.take():
                    yield Aside(f"{archive.name}, byte {offset:,}", damage)
                has_members = True
                offset = member.offset_data + member.size
                stream.allow(member.size + 2 * _MAX_HEADER_BYTES)
                if member.isreg():
                    yield from _read_member(opened, member)
    except _DAMAGE as error:
        if not has_members:
            raise SourceError(f"{archive}: is no tar archive, or is damaged: {error}") from None
        yield Aside(
            f"{archive.name}, byte {offset:,}", f"cannot be read, nor all behind it: {error}"
        )
    if damage := skipped.take():
        if not has_members:
            raise SourceError(f"{archive}: is no tar archive, or is damaged: {damage}")
        yield Aside(f"{archive.name}, byte {offset:,}", damage)


def _read_member(opened: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[Item]:
    """Yield a file; one that breaks off as far as it goes, and then raise."""
    file = opened.extractfile(member)
    if file is None:
        return
    name, time = printable_name(member.name), _time_of(member)
    body = bytearray()
    limit = DEFAULT_LIMITS.bytes + 1
    try:
        while len(body) < limit and (data := file.read(min(_READ_BYTES, limit - len(body)))):
            body += data
    except _DAMAGE as error:
        if body:
            yield Fetched(
                name, bytes(body), time=time, damage="cut off: the archive is damaged here"
            )
        else:
            yield Aside(name, f"cannot be read: {error}", time)
        raise
    yield Fetched(name, bytes(body), time=time)


def _time_of(member: tarfile.TarInfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(member.mtime), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _header_type(stream: Unpacked, skipped: _Skipped) -> type[tarfile.TarInfo]:
    """Return a type of headers that notes damaged ones, and refuses those that are made to be large."""

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            stream.allow(2 * _MAX_HEADER_BYTES)
            try:
                header = super().frombuf(buf, encoding, errors)
                if header.type == tarfile.GNUTYPE_SPARSE or (
                    header.type not in tarfile.REGULAR_TYPES and header.size > _MAX_HEADER_BYTES
                ):
                    reason = f"a header of it has {header.size:,} bytes"
                    raise tarfile.InvalidHeaderError(reason)  # type: ignore[attr-defined]
            except tarfile.HeaderError as error:
                if bytes(buf).strip(b"\0"):
                    skipped.add(error)
                raise
            return header

    return Header
