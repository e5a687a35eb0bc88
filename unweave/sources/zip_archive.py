"""ZIP archives: the list of members, and one member at a time.

``zipfile`` reads the whole directory whenever an archive is opened, which is once for every shard,
and refuses an archive with any damage there. Here the directory is read once, each shard has the
positions of its members, and members that a damaged directory does not name are searched for.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

from unweave.errors import SourceError
from unweave.files import Decompressor, decompress_with
from unweave.page.limits import MIB

# Bounds against hostile archives: of the directory, which is read into memory, and of memory that
# a member needs to be decompressed.
_MAX_DIRECTORY_BYTES = 64 * MIB
_MAX_LZMA_DICTIONARY_BYTES = 64 * MIB

# Limits of the format.
_MAX_COMMENT_BYTES = 64 * 1024
_MAX_NAME_BYTES = 64 * 1024
_READ_BYTES = 64 * 1024

_MEMBER_MAGIC, _ENTRY_MAGIC = b"PK\x03\x04", b"PK\x01\x02"
_END_MAGIC, _END_64_MAGIC, _LOCATOR_64_MAGIC = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_MEMBER_HEADER = struct.Struct("<4s5H3L2H")
_ENTRY_HEADER = struct.Struct("<4s6H3L5H2L")
_END_RECORD = struct.Struct("<4s4H2LH")
_END_RECORD_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_LZMA_HEADER = struct.Struct("<4xBL")
_ZIP64_FIELD = 1
_IN_ZIP64_FIELD = 0xFFFFFFFF
"""The size or position of a member if the actual one is in the ZIP64 field."""
_ENCRYPTED_FLAG, _SIZES_BEHIND_FLAG, _UTF8_FLAG = 0x1, 0x8, 0x800
_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_UNKNOWN_SIZE = -1


class Member(NamedTuple):
    """A file in an archive, as the directory describes it."""

    name: str
    offset: int
    compressed_bytes: int
    method: int
    flags: int
    checksum: int
    dos_time: int
    """The date in the upper 16 bits, the time in the lower."""
    is_overlapping: bool = False
    """Whether it has bytes in common with another member, as in decompression bombs."""

    @property
    def time(self) -> datetime | None:
        """The time of the last change; None if it is invalid."""
        date, time = self.dos_time >> 16, self.dos_time & 0xFFFF
        try:
            day = datetime((date >> 9) + 1980, date >> 5 & 0xF, date & 0x1F, tzinfo=UTC)
            return day.replace(hour=time >> 11, minute=time >> 5 & 0x3F, second=(time & 0x1F) * 2)
        except ValueError:
            return None


# ---- the directory -------------------------------------------------------------------------------


def read_directory(path: Path) -> tuple[list[Member], str | None]:
    """Return the members of an archive in the order of their bytes, and the directory's damage.

    Folders are left out. Raises SourceError if the file is not a ZIP archive.
    """
    with path.open("rb") as file:
        location = _find_directory(file)
        members: list[Member] = []
        is_complete = False
        if location is not None:
            if location.size > _MAX_DIRECTORY_BYTES:
                raise SourceError(
                    f"{path}: too many files: the directory of the ZIP archive has"
                    f" {location.size:,} bytes; the limit is {_MAX_DIRECTORY_BYTES:,}"
                )
            file.seek(location.start)
            members, is_complete = _parse_directory(file.read(location.size), location)
        listed: dict[int, Member] = {}
        for member in members:
            file.seek(member.offset)
            if file.read(len(_MEMBER_MAGIC)) == _MEMBER_MAGIC:
                listed[member.offset] = member
        if is_complete and len(listed) == len({member.offset for member in members}):
            return _sort_members(members), None
        by_offset = {member.offset: member for member in _search_members(file)}
    searched_count = len(by_offset.keys() - listed.keys())
    # The directory has sizes and checksums that member headers may lack. Both have the name, which
    # may be damaged in the directory.
    for offset, member in listed.items():
        if offset in by_offset:
            member = member._replace(name=by_offset[offset].name)
        by_offset[offset] = member
    names = {member.name for member in by_offset.values()}
    missing = [
        member for member in members if member.offset not in listed and member.name not in names
    ]
    if not by_offset and not missing:
        raise SourceError(f"{path}: not a ZIP archive, or damaged: it has no files")
    damage = (
        "the directory of the ZIP archive is damaged:"
        f" {searched_count:,} of {len(by_offset):,} files were found by their headers"
    )
    return _sort_members(list(by_offset.values())) + missing, damage


def _sort_members(members: list[Member]) -> list[Member]:
    """Return the members without folders in the order of their bytes, with overlaps marked."""
    members = sorted(members, key=lambda member: member.offset)
    for number, (member, following) in enumerate(pairwise(members)):
        end = member.offset + _MEMBER_HEADER.size + max(0, member.compressed_bytes)
        if end > following.offset:
            members[number] = member._replace(is_overlapping=True)
    return [member for member in members if not member.name.endswith("/")]


class _DirectoryLocation(NamedTuple):
    start: int
    size: int
    entry_count: int
    prefix_bytes: int
    """Bytes before the archive in its file, such as a program that extracts it."""


def _find_directory(file: IO[bytes]) -> _DirectoryLocation | None:
    """Return the location of the directory from the record at the end; None if there is none."""
    file_bytes = file.seek(0, 2)
    tail_start = max(0, file_bytes - _END_RECORD.size - _MAX_COMMENT_BYTES)
    file.seek(tail_start)
    tail = file.read()
    position = tail.rfind(_END_MAGIC)
    if position < 0 or position + _END_RECORD.size > len(tail):
        return None
    *_, count, size, offset, _ = _END_RECORD.unpack_from(tail, position)
    end = tail_start + position
    if _IN_ZIP64_FIELD in (size, offset) or count == 0xFFFF:
        file.seek(max(0, end - _LOCATOR_64.size))
        if file.read(_LOCATOR_64.size).startswith(_LOCATOR_64_MAGIC):
            end_64 = end - _LOCATOR_64.size - _END_RECORD_64.size
            file.seek(max(0, end_64))
            record = file.read(_END_RECORD_64.size)
            if record.startswith(_END_64_MAGIC):
                *_, count, size, offset = _END_RECORD_64.unpack(record)
                end = end_64
    start = end - size
    if size > _MAX_DIRECTORY_BYTES:
        return _DirectoryLocation(start, size, count, 0)
    if start < 0 or offset > start:
        return None
    return _DirectoryLocation(start, size, count, start - offset)


def _parse_directory(data: bytes, location: _DirectoryLocation) -> tuple[list[Member], bool]:
    """Return the members in a directory, and whether all of it could be parsed."""
    members: list[Member] = []
    is_complete = True
    position = 0
    while 0 <= position <= len(data) - _ENTRY_HEADER.size:
        if not data.startswith(_ENTRY_MAGIC, position):
            is_complete = False
            position = data.find(_ENTRY_MAGIC, position)
            continue
        fields = _ENTRY_HEADER.unpack_from(data, position)
        _, _, _, flags, method, time, date, checksum, compressed_bytes, size, *lengths = fields
        name_length, extra_length, comment_length = lengths[:3]
        name_start = position + _ENTRY_HEADER.size
        extra_start = name_start + name_length
        extra_end = extra_start + extra_length
        compressed_bytes, offset = _read_zip64_field(
            data[extra_start:extra_end], size, compressed_bytes, fields[-1]
        )
        members.append(
            Member(
                _decode_name(data[name_start:extra_start], flags),
                offset + location.prefix_bytes,
                compressed_bytes,
                method,
                flags,
                checksum,
                date << 16 | time,
            )
        )
        position = extra_end + comment_length
    has_all_entries = len(members) & 0xFFFF == location.entry_count & 0xFFFF
    return members, is_complete and has_all_entries and position == len(data)


def _read_zip64_field(
    extra: bytes, size: int, compressed_bytes: int, offset: int
) -> tuple[int, int]:
    """Return the compressed size and the offset, from the ZIP64 field if they are there."""
    position = 0
    while position + 4 <= len(extra):
        field_id, length = struct.unpack_from("<2H", extra, position)
        if field_id == _ZIP64_FIELD:
            count = min(length, len(extra) - position - 4) // 8
            values = iter(struct.unpack_from(f"<{count}Q", extra, position + 4))
            if size == _IN_ZIP64_FIELD:
                next(values, None)
            if compressed_bytes == _IN_ZIP64_FIELD:
                compressed_bytes = next(values, compressed_bytes)
            if offset == _IN_ZIP64_FIELD:
                offset = next(values, offset)
        position += 4 + length
    return compressed_bytes, offset


def _decode_name(name: bytes, flags: int) -> str:
    text = name.decode("utf-8" if flags & _UTF8_FLAG else "cp437", "replace")
    return text.partition("\0")[0]


def _search_members(file: IO[bytes]) -> Iterator[Member]:
    """Search an archive for the headers of its members."""
    position = 0
    while True:
        file.seek(position)
        data = file.read(MIB)
        start = data.find(_MEMBER_MAGIC)
        if start < 0:
            if len(data) < MIB:
                return
            position += len(data) - len(_MEMBER_MAGIC) + 1
            continue
        position += start
        file.seek(position)
        member, data_start = _parse_member_header(
            file.read(_MEMBER_HEADER.size + _MAX_NAME_BYTES), position
        )
        position += len(_MEMBER_MAGIC)
        if member is None:
            continue
        yield member
        if member.compressed_bytes > 0:
            # Continue behind the member, which may contain another archive, if its size is right.
            end = data_start + member.compressed_bytes
            file.seek(end)
            if file.read(2) == _MEMBER_MAGIC[:2]:
                position = end


def _parse_member_header(header: bytes, start: int) -> tuple[Member | None, int]:
    """Return the member of a header, and where its data begins."""
    if len(header) < _MEMBER_HEADER.size:
        return None, start
    fields = _MEMBER_HEADER.unpack_from(header)
    _, _, flags, method, time, date, checksum, compressed_bytes, size, *lengths = fields
    name_length, extra_length = lengths
    name_end = _MEMBER_HEADER.size + name_length
    extra_end = name_end + extra_length
    name = _decode_name(header[_MEMBER_HEADER.size : name_end], flags)
    if not name or method not in (_STORED, _DEFLATED, _BZIP2, _LZMA):
        return None, start
    extra = header[name_end:extra_end]
    compressed_bytes, _ = _read_zip64_field(extra, size, compressed_bytes, 0)
    if flags & _SIZES_BEHIND_FLAG and not compressed_bytes:
        compressed_bytes = _UNKNOWN_SIZE
    dos_time = date << 16 | time
    member = Member(name, start, compressed_bytes, method, flags, checksum, dos_time)
    return member, start + extra_end


# ---- members -------------------------------------------------------------------------------------


def read_member(file: IO[bytes], member: Member, max_bytes: int) -> tuple[bytes, str | None]:
    """Return at most ``max_bytes`` of a member, and their damage.

    Raises SourceError if the member cannot be decompressed.
    """
    start = _seek_data(file, member)
    try:
        decompressor = _make_decompressor(file, member)
        if decompressor is None:
            body = file.read(min(member.compressed_bytes, max_bytes))
            is_complete = len(body) == member.compressed_bytes
        else:
            chunks = _read_chunks(file, member.compressed_bytes)
            body, is_complete = decompress_with(decompressor, chunks, max_bytes)
    except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError) as error:
        raise SourceError(f"cannot be decompressed: {error}") from None
    if len(body) >= max_bytes:
        return body, None
    if not is_complete:
        is_file_end = file.tell() - start < member.compressed_bytes
        if body and (is_file_end or member.compressed_bytes == _UNKNOWN_SIZE):
            return body, "cut off: the archive ends here"
        raise SourceError("cannot be decompressed: its data is incomplete")
    if member.compressed_bytes != _UNKNOWN_SIZE and zlib.crc32(body) != member.checksum:
        raise SourceError("cannot be decompressed: its checksum is wrong")
    return body, None


def copy_member(file: IO[bytes], member: Member, target: IO[bytes], max_bytes: int) -> str | None:
    """Copy a stored or deflated member of any size to another file; return its damage.

    Raises SourceError if the member cannot be decompressed, or has more than ``max_bytes``.
    """
    _seek_data(file, member)
    if member.method not in (_STORED, _DEFLATED):
        raise SourceError(f"cannot be decompressed: method {member.method} is not supported")
    checksum = 0
    for piece in _inflate(file, member):
        max_bytes -= len(piece)
        if max_bytes < 0:
            raise SourceError("cannot be decompressed: it is too large for its compressed size")
        checksum = zlib.crc32(piece, checksum)
        target.write(piece)
    if member.compressed_bytes != _UNKNOWN_SIZE and checksum != member.checksum:
        return "cut off or damaged: its checksum is wrong"
    return None


def _inflate(file: IO[bytes], member: Member) -> Iterator[bytes]:
    """Yield the pieces of a stored or deflated member, whatever its size."""
    chunks = _read_chunks(file, member.compressed_bytes)
    if member.method == _STORED:
        if member.compressed_bytes == _UNKNOWN_SIZE:
            raise SourceError("cannot be decompressed: its size is not known")
        yield from chunks
        return
    decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            while chunk and not decompressor.eof:
                yield decompressor.decompress(chunk, _READ_BYTES)
                chunk = decompressor.unconsumed_tail
            if decompressor.eof:
                return
        yield decompressor.flush()
    except zlib.error as error:
        raise SourceError(f"cannot be decompressed: {error}") from None


def _seek_data(file: IO[bytes], member: Member) -> int:
    """Seek the data of a member and return its position. Raises SourceError."""
    if member.is_overlapping:
        raise SourceError("cannot be decompressed: it overlaps another file of the archive")
    file.seek(member.offset)
    header = file.read(_MEMBER_HEADER.size)
    if len(header) < _MEMBER_HEADER.size or not header.startswith(_MEMBER_MAGIC):
        raise SourceError("cannot be decompressed: its header is damaged")
    if member.flags & _ENCRYPTED_FLAG:
        raise SourceError("cannot be decompressed: it is encrypted")
    *_, name_length, extra_length = _MEMBER_HEADER.unpack(header)
    file.seek(name_length + extra_length, 1)
    return file.tell()


def _read_chunks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield ``size`` bytes from the position of a file, or all if the size is not known."""
    while data := file.read(_READ_BYTES if size == _UNKNOWN_SIZE else min(_READ_BYTES, size)):
        yield data
        if size != _UNKNOWN_SIZE:
            size -= len(data)


def _make_decompressor(file: IO[bytes], member: Member) -> Decompressor | None:
    """Return the decompressor of the member at the position of a file; None if it needs none."""
    if member.method == _STORED:
        if member.compressed_bytes == _UNKNOWN_SIZE:
            raise ValueError("its size is not known")
        return None
    if member.method == _DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS)
    if member.method == _BZIP2:
        return bz2.BZ2Decompressor()
    if member.method != _LZMA:
        raise ValueError(f"compression method {member.method} is not supported")
    header = file.read(_LZMA_HEADER.size)
    if len(header) < _LZMA_HEADER.size:
        raise ValueError("its data is incomplete")
    parameters, dictionary_bytes = _LZMA_HEADER.unpack(header)
    if dictionary_bytes > _MAX_LZMA_DICTIONARY_BYTES:
        raise ValueError(
            f"it needs {dictionary_bytes:,} bytes of memory;"
            f" the limit is {_MAX_LZMA_DICTIONARY_BYTES:,}"
        )
    position_parameters, literal_context = divmod(parameters, 9)
    position_bits, literal_position = divmod(position_parameters, 5)
    lzma_filter = {
        "id": lzma.FILTER_LZMA1,
        "dict_size": max(dictionary_bytes, 4096),
        "lc": literal_context,
        "lp": literal_position,
        "pb": position_bits,
    }
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[lzma_filter])
