"""Atomic files and folders, JSON files, and bounded decompression.

A file or folder that is written here appears under its name only when it is complete. Until then it
has a hidden name that ends in ``.part`` in the same folder, so that it can be renamed.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, Protocol

from unweave.errors import MissingExtra, SinkError, SourceError, UnweaveError

# Names of files have at most 255 bytes, and a character has up to four.
_MAX_NAME_CHARACTERS = 50
_PERMISSIONS = 0o7777
_UNPRINTABLE = re.compile("[\x7f-\x9f\ud800-\udfff]")

GZIP_MAGIC = b"\x1f\x8b"

# Pages compress to a tenth. A record or member that decompresses to more than this many times its
# size, and this many bytes beyond, is a decompression bomb.
MAX_COMPRESSION_RATIO = 100
MAX_EXCESS_BYTES = 256 * 1024 * 1024

_GZIP_WINDOW_BITS = zlib.MAX_WBITS | 16
_READ_BYTES = 64 * 1024
# A decompressor that detects damage may have read this far behind it.
_MEMBER_READ_BYTES = 16 * 1024
_MAX_PIECE_BYTES = 256 * 1024


def make_temporary_path(path: Path) -> Path:
    """Return a new hidden path beside a path.

    Two processes may write the same file at a time, so each gets its own.
    """
    return path.with_name(f".{path.name[:_MAX_NAME_CHARACTERS]}.{token_hex(6)}.part")


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Turn errors of the system, such as a full disk, into a SinkError that names the path.

    Errors of other files, which are only read meanwhile, stay as they are.
    """
    try:
        yield
    except UnweaveError:
        raise
    except OSError as error:
        if error.filename is not None:
            named = Path(os.fsdecode(error.filename))
            if not named.is_relative_to(path.parent) and not path.is_relative_to(named):
                raise
        raise SinkError(f"cannot write {path}: {error.strerror or error}") from None


# ---- files ---------------------------------------------------------------------------------------


@contextmanager
def open_atomic(
    path: str | PathLike[str], mode: str = "w", *, durable: bool = False, **options: Any
) -> Iterator[IO[Any]]:
    """Open a file for writing, which replaces an older one when it is complete.

    The permissions of the older file are kept. A symbolic link is followed. A pipe or a device is
    written to directly. With ``durable``, the content is on the disk before the file appears.
    ``options`` are those of ``open``. Raises SinkError if the file cannot be opened; errors while
    it is written are those of the caller.
    """
    if os.path.isdir(path):
        raise SinkError(f"cannot write {path}: it is a folder")
    target = Path(os.path.realpath(path))
    part = make_temporary_path(target)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, mode, **options) as file:
                yield file
            return
        permissions = target.stat().st_mode & _PERMISSIONS if target.exists() else None
        handle = os.open(
            part,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
            0o666 if permissions is None else permissions,
        )
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from None
    try:
        with open(handle, mode, **options) as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if permissions is not None:
            part.chmod(permissions)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def replace_file(new: Path, target: Path) -> None:
    """Rename a complete file to the target; it gets the permissions of an older one."""
    if target.exists():
        new.chmod(target.stat().st_mode & _PERMISSIONS)
    os.replace(new, target)


def write_text(
    path: str | PathLike[str], text: str, *, make_parents: bool = False, durable: bool = False
) -> None:
    """Write a text file in UTF-8, with line ends as they are. Raises SinkError."""
    path = Path(path)
    with explain_write_errors(path):
        if make_parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(path, encoding="utf-8", newline="", durable=durable) as file:
            file.write(text)


# ---- folders -------------------------------------------------------------------------------------


@contextmanager
def create_folder(path: Path) -> Iterator[Path]:
    """Give a folder to fill, which is renamed to the path when it is complete.

    If another process was faster, its folder stays: two workers may do the same task when one of
    them was taken for dead. Raises SinkError if the folder cannot be written.
    """
    part = make_temporary_path(path)
    try:
        with explain_write_errors(path):
            part.mkdir(parents=True)
            yield part
            try:
                os.replace(part, path)
            except OSError:
                if not path.exists():
                    raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def create_scratch_folder(target: Path) -> Iterator[Path]:
    """Give a private folder beside the target, on the same disk; it is removed with its content."""
    part = make_temporary_path(target)
    part.mkdir(mode=0o700)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def replace_folder(new: Path, target: Path) -> None:
    """Rename a complete folder to the target; it gets the permissions of an older one.

    The older folder is renamed to the new one's name with ``.old``, or back if anything fails.
    """
    old = new.with_name(f"{new.name}.old")
    try:
        if target.exists():
            new.chmod(target.stat().st_mode & _PERMISSIONS)
            os.rename(target, old)
        os.rename(new, target)
    except BaseException:
        if old.exists() and not target.exists():
            os.rename(old, target)
        raise


# ---- JSON ----------------------------------------------------------------------------------------


def format_json(value: object, *, indent: int | None = None) -> str:
    """Return JSON for people and files in UTF-8.

    Characters that UTF-8 cannot hold, or that control a terminal, are escaped as JSON allows.
    """
    return _UNPRINTABLE.sub(
        lambda match: f"\\u{ord(match[0]):04x}",
        json.dumps(value, ensure_ascii=False, indent=indent),
    )


def write_json(
    path: Path,
    data: Any,
    *,
    indent: int | None = None,
    make_parents: bool = False,
    durable: bool = False,
) -> None:
    """Write plain data as a JSON file in ASCII. Raises SinkError."""
    text = json.dumps(data, indent=indent)
    write_text(path, text, make_parents=make_parents, durable=durable)


def read_json(path: Path) -> Any:
    """Read plain data from a JSON file. Raises SourceError if there is none, or it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path}: cannot be read: {error}") from None


def write_json_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write plain data as a file of JSON Lines in ASCII. Raises SinkError."""
    write_text(path, "".join([json.dumps(row) + "\n" for row in rows]))


# ---- decompression -------------------------------------------------------------------------------


class DecompressionError(ValueError):
    """Compressed data is damaged, is a decompression bomb, or has an unknown encoding."""


class DecompressionBomb(DecompressionError):
    """Data decompresses to far more than pages do."""


class TruncatedData(DecompressionError):
    """Compressed data ends early."""


class Decompressor(Protocol):
    """Decompress data piece by piece, as the objects of zlib, bz2 and lzma do."""

    @property
    def eof(self) -> bool:
        """Return whether the end of the compressed data was reached."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Return at most ``max_length`` decompressed bytes."""


def decompress(chunks: Iterable[bytes], encoding: str, max_bytes: int) -> tuple[bytes, bool]:
    """Return at most ``max_bytes`` decompressed bytes, and whether they are complete up to there.

    ``encoding`` is a Content-Encoding of HTTP: gzip, x-gzip, deflate, br or zstd. Bytes behind the
    end of the compressed data are ignored, as in browsers. Raises DecompressionError.
    """
    if encoding in ("br", "zstd"):
        return _decompress_with_fastwarc(b"".join(chunks), encoding, max_bytes)
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise DecompressionError(f"unknown Content-Encoding {encoding[:40]!r}")
    chunks = filter(None, chunks)
    first = next(chunks, b"")
    window_bits = _GZIP_WINDOW_BITS
    if encoding == "deflate":  # some servers send it with a header of zlib, as they should
        has_header = first and first[0] & 0x0F == zlib.DEFLATED
        window_bits = zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS
    try:
        return decompress_with(zlib.decompressobj(window_bits), chain([first], chunks), max_bytes)
    except zlib.error:
        name = "deflate" if encoding == "deflate" else "gzip"
        raise DecompressionError(f"its {name} data is damaged") from None


def decompress_with(
    decompressor: Decompressor, chunks: Iterable[bytes], max_bytes: int
) -> tuple[bytes, bool]:
    """Return at most ``max_bytes`` decompressed bytes, and whether they are complete up to there.

    Errors are those of the decompressor.
    """
    body = bytearray()
    for chunk in chunks:
        body += decompressor.decompress(chunk, max_bytes - len(body))
        if len(body) >= max_bytes or decompressor.eof:
            return bytes(body), True
    return bytes(body), False


def _decompress_with_fastwarc(data: bytes, encoding: str, max_bytes: int) -> tuple[bytes, bool]:
    try:
        from fastwarc.stream_io import BrotliReader, ZstdReader
    except ImportError:
        raise MissingExtra("fastwarc", "warc") from None
    reader: Any = (BrotliReader if encoding == "br" else ZstdReader)(io.BytesIO(data))
    body = bytearray()
    try:
        while len(body) < max_bytes:
            piece = reader.read(min(_READ_BYTES, max_bytes - len(body)))
            if not piece:
                break
            body += piece
    except (OSError, ValueError):  # fastwarc does not say whether it is damaged or cut off
        if not body:
            raise DecompressionError(f"its {encoding} data is damaged") from None
        return bytes(body), False
    return bytes(body), True


def read_gzip_member(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed pieces of the gzip member at the position of a file.

    Leaves the file at the end of the member. Raises TruncatedData if the file ends within it, and
    DecompressionError if it is damaged or a decompression bomb.
    """
    start = file.tell()
    decompressor = zlib.decompressobj(_GZIP_WINDOW_BITS)
    size = 0
    while not decompressor.eof:
        data = decompressor.unconsumed_tail or file.read(_MEMBER_READ_BYTES)
        try:
            piece = decompressor.decompress(data, _MAX_PIECE_BYTES)
        except zlib.error:
            raise DecompressionError("its gzip data is damaged") from None
        if piece:
            yield piece
            size += len(piece)
        elif not data:
            raise TruncatedData("its gzip data is incomplete")
        if is_decompression_bomb(file.tell() - start, size):
            raise DecompressionBomb("its gzip data decompresses to far more than a page")
    file.seek(-len(decompressor.unused_data), 1)


def is_decompression_bomb(compressed_bytes: int, decompressed_bytes: int) -> bool:
    """Return whether one record or member decompresses to far more than pages do."""
    return decompressed_bytes > MAX_COMPRESSION_RATIO * compressed_bytes + MAX_EXCESS_BYTES


def file_starts_with(path: Path, start: bytes) -> bool:
    """Return whether a file, compressed with gzip or not, starts with these bytes.

    Only the first bytes of the file are read, whatever it claims to hold.
    """
    with path.open("rb") as file:
        head = file.read(_READ_BYTES)
    is_gzip = head.startswith(GZIP_MAGIC)
    return gzip_starts_with(head, start) if is_gzip else head.startswith(start)


def gzip_starts_with(head: bytes, start: bytes) -> bool:
    """Return whether gzip data, of which this is the head, decompresses to these first bytes."""
    try:
        return zlib.decompressobj(_GZIP_WINDOW_BITS).decompress(head, len(start)) == start
    except zlib.error:
        return False
