"""ZIP archives: which members they have, and one member at a time.

zipfile reads the whole directory whenever an archive is opened, which is once for every part of it, and refuses an archive
with any damage there. Here the directory is read once, each part knows where its members are, and what a damaged directory
does not name is searched for.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

from unweave.errors import SourceError
from unweave.page.limits import MIB

MAX_DIRECTORY_BYTES = 64 * MIB
"""Of the list of members. A larger one is made to be read, and not to hold pages."""

_LOCAL, _ENTRY = b"PK\x03\x04", b"PK\x01\x02"
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_ENTRY_HEADER = struct.Struct("<4s6H3L5H2L")
_END_RECORD = struct.Struct("<4s4H2LH")
_END_RECORD_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_MAX_COMMENT_BYTES = 64 * 1024
_MAX_NAME_BYTES = 64 * 1024
_SATURATED = 0xFFFFFFFF
_ZIP64_FIELD = 1
_IS_ENCRYPTED, _HAS_SIZES_BEHIND, _IS_UTF8 = 0x1, 0x8, 0x800
_UNKNOWN_SIZE = -1

_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_MAX_LZMA_DICTIONARY_BYTES = 64 * MIB
_READ_BYTES = 64 * 1024


class Member(NamedTuple):
    """A file in an archive, as the directory tells it."""

    name: str
    offset: int
    packed_bytes: int
    method: int
    flags: int
    checksum: int
    dos_time: int
    """The date in the upper 16 bits, the time in the lower."""
    is_overlapping: bool = False
    """Does it claim bytes of another member? Then the two are made to be unpacked again and again."""

    @property
    def time(self) -> datetime | None:
        """When it was last changed; None if that is no time."""
        date, time = self.dos_time >> 16, self.dos_time & 0xFFFF
        try:
            day = datetime((date >> 9) + 1980, date >> 5 & 0xF, date & 0x1F, tzinfo=UTC)
            return day.replace(hour=time >> 11, minute=time >> 5 & 0x3F, second=(time & 0x1F) * 2)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Directory:
    """The members of an archive, in the order of their bytes, and what is wrong with the list of them."""

    members: list[Member]
    damage: str | None = None


def read_directory(path: Path) -> Directory:
    """Find the members of an archive, without folders. An archive in which there are none at all is a SourceError."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        place = _find_directory(file, size)
        members: list[Member] = []
        is_complete = False
        if place is not None:
            if place.size > MAX_DIRECTORY_BYTES:
                raise SourceError(
                    f"{path}: is a ZIP archive of too many files: their list has {place.size:,} bytes"
                )
            file.seek(place.start)
            members, is_complete = _parse_directory(file.read(place.size), place)
        listed = {member.offset: member for member in members if _has_header(file, member.offset)}
        if is_complete and len(listed) == len({member.offset for member in members}):
            return Directory(_order(members))
        headers = {member.offset: member for member in _search_members(file)}
    # The list has sizes and checksums that headers may lack. Names stand in both, and those of the list may be damaged.
    found = dict(headers)
    for offset, member in listed.items():
        found[offset] = member._replace(name=headers[offset].name) if offset in headers else member
    names = {member.name for member in found.values()}
    missing = [
        member for member in members if member.offset not in listed and member.name not in names
    ]
    if not found and not missing:
        raise SourceError(f"{path}: is no ZIP archive, or is damaged: no file in it")
    damage = f"the list of its files is damaged: {len(found) - len(listed):,} of {len(found):,} were searched for"
    return Directory(_order(list(found.values())) + missing, damage)


def _has_header(file: IO[bytes], offset: int) -> bool:
    file.seek(offset)
    return file.read(len(_LOCAL)) == _LOCAL


def _order(members: list[Member]) -> list[Member]:
    """Return the members in the order of their bytes, without folders. Those that reach into the next one are marked."""
    members = sorted(members, key=lambda member: member.offset)
    for number, (member, following) in enumerate(pairwise(members)):
        if member.offset + _LOCAL_HEADER.size + max(0, member.packed_bytes) > following.offset:
            members[number] = member._replace(is_overlapping=True)
    return [member for member in members if not member.name.endswith("/")]


class _Place(NamedTuple):
    """Where the directory is, how many members it has, and how many bytes stand before the archive in its file."""

    start: int
    size: int
    entries: int
    prefix: int


def _find_directory(file: IO[bytes], size: int) -> _Place | None:
    tail_start = max(0, size - _END_RECORD.size - _MAX_COMMENT_BYTES)
    file.seek(tail_start)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_RECORD.size > len(tail):
        return None
    *_, count, length, offset, _ = _END_RECORD.unpack_from(tail, at)
    end = tail_start + at
    if _SATURATED in (length, offset) or count == 0xFFFF:
        file.seek(max(0, end - _LOCATOR.size))
        locator = file.read(_LOCATOR.size)
        if locator.startswith(_LOCATOR_64):
            end_64 = end - _LOCATOR.size - _END_RECORD_64.size
            file.seek(max(0, end_64))
            record = file.read(_END_RECORD_64.size)
            if record.startswith(_END_64):
                *_, count, length, offset = _END_RECORD_64.unpack(record)
                end = end_64
    start = end - length
    if length > MAX_DIRECTORY_BYTES:
        return _Place(start, length, count, 0)
    return _Place(start, length, count, start - offset) if start >= 0 and offset <= start else None


def _parse_directory(data: bytes, place: _Place) -> tuple[list[Member], bool]:
    """Return the members that the directory names, and whether all of it can be read."""
    members: list[Member] = []
    is_complete = True
    at = 0
    while 0 <= at <= len(data) - _ENTRY_HEADER.size:
        if not data.startswith(_ENTRY, at):
            is_complete = False
            at = data.find(_ENTRY, at)
            continue
        fields = _ENTRY_HEADER.unpack_from(data, at)
        _, _, _, flags, method, time, date, checksum, packed, size, *lengths = fields
        name_bytes, extra_bytes, comment_bytes = lengths[:3]
        offset = fields[-1]
        name_start = at + _ENTRY_HEADER.size
        extra_start = name_start + name_bytes
        extra = data[extra_start : extra_start + extra_bytes]
        packed, offset = _read_zip64(extra, size, packed, offset)
        name = _decode_name(data[name_start:extra_start], flags)
        members.append(
            Member(name, offset + place.prefix, packed, method, flags, checksum, date << 16 | time)
        )
        at = extra_start + extra_bytes + comment_bytes
    is_counted = len(members) & 0xFFFF == place.entries & 0xFFFF
    return members, is_complete and is_counted and at == len(data)


def _read_zip64(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int]:
    """Return the packed size and the offset, which stand in an extra field if they are too large for the entry."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == _ZIP64_FIELD:
            values = iter(
                struct.unpack_from(f"<{min(length, len(extra) - at - 4) // 8}Q", extra, at + 4)
            )
            if size == _SATURATED:
                next(values, None)
            packed = next(values, packed) if packed == _SATURATED else packed
            offset = next(values, offset) if offset == _SATURATED else offset
        at += 4 + length
    return packed, offset


def _decode_name(name: bytes, flags: int) -> str:
    text = name.decode("utf-8" if flags & _IS_UTF8 else "cp437", "replace")
    return text.partition("\0")[0]


def _search_members(file: IO[bytes]) -> Iterator[Member]:
    """Search an archive for the headers that stand before its members."""
    start = 0
    while True:
        file.seek(start)
        data = file.read(MIB)
        at = data.find(_LOCAL)
        if at < 0:
            if len(data) < MIB:
                return
            start += len(data) - len(_LOCAL) + 1
            continue
        start += at
        file.seek(start)
        header = file.read(_LOCAL_HEADER.size + _MAX_NAME_BYTES)
        member, data_start = _parse_local(header, start)
        if member is not None:
            yield member
        # What is in a member, such as another archive, has no members of this one.
        is_sized = member is not None and member.packed_bytes > 0
        start = (
            _end_of(file, data_start + member.packed_bytes, start)
            if member and is_sized
            else start + len(_LOCAL)
        )


def _end_of(file: IO[bytes], end: int, start: int) -> int:
    """Return the end of a member if something of the archive stands there, else where to search on."""
    file.seek(end)
    return end if file.read(2) == _LOCAL[:2] else start + len(_LOCAL)


def _parse_local(header: bytes, start: int) -> tuple[Member | None, int]:
    """Return the member that a header describes, and where its data begins."""
    if len(header) < _LOCAL_HEADER.size:
        return None, start
    _, _, flags, method, time, date, checksum, packed, size, name_bytes, extra_bytes = (
        _LOCAL_HEADER.unpack_from(header)
    )
    name_end = _LOCAL_HEADER.size + name_bytes
    name = _decode_name(header[_LOCAL_HEADER.size : name_end], flags)
    packed, _ = _read_zip64(header[name_end : name_end + extra_bytes], size, packed, 0)
    if not name or method not in (_STORED, _DEFLATED, _BZIP2, _LZMA):
        return None, start
    if flags & _HAS_SIZES_BEHIND and not packed:
        packed = _UNKNOWN_SIZE
    return Member(
        name, start, packed, method, flags, checksum, date << 16 | time
    ), start + name_end + extra_bytes


def read_member(file: IO[bytes], member: Member, limit: int) -> tuple[bytes, str | None]:
    """Return at most ``limit`` bytes of a member, and what is wrong with them; a SourceError if they cannot be unpacked."""
    if member.is_overlapping:
        raise SourceError("cannot be unpacked: it overlaps another file of the archive")
    file.seek(member.offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL):
        raise SourceError("cannot be unpacked: its header is damaged")
    if member.flags & _IS_ENCRYPTED:
        raise SourceError("cannot be unpacked: it is encrypted")
    *_, name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)
    file.seek(name_bytes + extra_bytes, 1)
    try:
        body, is_complete, is_at_end = _unpack(file, member, limit)
    except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError) as error:
        raise SourceError(f"cannot be unpacked: {error}") from None
    if len(body) >= limit:
        return body, None
    if not is_complete:
        if body and is_at_end:
            return body, "cut off: the archive ends here"
        raise SourceError("cannot be unpacked: its data ends early")
    if member.packed_bytes != _UNKNOWN_SIZE and zlib.crc32(body) != member.checksum:
        raise SourceError("cannot be unpacked: its checksum is wrong")
    return body, None


def _unpack(file: IO[bytes], member: Member, limit: int) -> tuple[bytes, bool, bool]:
    """Return the bytes of a member, whether they are complete, and whether the file ends before they do."""
    unpacker = _unpacker_of(file, member)
    left = member.packed_bytes
    body = bytearray()
    while len(body) < limit:
        data = file.read(_READ_BYTES if left == _UNKNOWN_SIZE else min(_READ_BYTES, left))
        if not data:
            return bytes(body), unpacker is None and not left, left != 0
        left = left if left == _UNKNOWN_SIZE else left - len(data)
        body += data if unpacker is None else unpacker.decompress(data, limit - len(body))
        if unpacker is not None and unpacker.eof:
            return bytes(body), True, False
    return bytes(body[:limit]), False, False


def _unpacker_of(file: IO[bytes], member: Member) -> Any:
    if member.method == _DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS)
    if member.method == _STORED:
        if member.packed_bytes == _UNKNOWN_SIZE:
            raise ValueError("its size is not known")
        return None
    if member.method == _BZIP2:
        return bz2.BZ2Decompressor()
    if member.method == _LZMA:
        return _lzma_unpacker(file.read(4 + 5))
    raise ValueError(f"compression method {member.method} is not supported")


def _lzma_unpacker(header: bytes) -> Any:
    """Return what unpacks data with this header: a version, a length, and five bytes of parameters."""
    if len(header) < 4 + 5:
        raise ValueError("its data ends early")
    parameters, dictionary = struct.unpack("<4xBL", header)
    if dictionary > _MAX_LZMA_DICTIONARY_BYTES:
        raise ValueError(
            f"it needs {dictionary:,} bytes of memory; the limit is {_MAX_LZMA_DICTIONARY_BYTES:,}"
        )
    literal, position = parameters % 9, parameters // 9
    filters = [
        {
            "id": lzma.FILTER_LZMA1,
            "dict_size": max(dictionary, 4096),
            "lc": literal,
            "lp": position % 5,
            "pb": position // 5,
        }
    ]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
