"""Reading the tables that are compared, from files of any format and from rows of Python."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any, BinaryIO

from unweave.comparison.databases import (
    is_duckdb,
    is_sqlite,
    read_duckdb,
    read_parquet,
    read_sqlite,
)
from unweave.comparison.objects import iter_object_rows
from unweave.comparison.rows import RowCollector, RowTable
from unweave.comparison.text_files import read_csv, read_json, read_json_lines
from unweave.errors import SourceError, UnweaveError, UsageError
from unweave.files import GZIP_MAGIC, DecompressionError, read_gzip_member
from unweave.sources.warc_compression import ZSTD_MAGIC, read_zstd_pieces

STANDARD_INPUT = "-"
MAX_FILE_BYTES = 4 * 2**30
"""The size of a file, decompressed."""

TableInput = str | PathLike[str] | Iterable[Mapping[str, Any]]
"""A table to compare: a path, rows, or a table or data frame that gives its rows."""

TableName = str | int | None
"""A table of a database, or the number of a table of each page; None is the only or first one."""

_COMPRESSED_ENDINGS = (".gz", ".zst")
_TEXT_FORMATS: dict[str, Callable[[io.BufferedReader, str, int], RowTable]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_csv,
}
_DATABASE_ENDINGS = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")
_PARQUET = ".parquet"
_ENDINGS = (*_TEXT_FORMATS, _PARQUET, *_DATABASE_ENDINGS)


def load_tables(
    old: TableInput, new: TableInput, table: TableName | Sequence[TableName] = None
) -> tuple[RowTable, RowTable]:
    """Return two tables to compare.

    ``table`` is the name of a table in a database, or the number of a table of each page in the
    JSON output of ``records``; or two of them, for the old and the new table. A name is only for
    databases: the other file may be of another format.
    """
    names: Sequence[TableName]
    names = (table, table) if table is None or isinstance(table, str | int) else table
    if len(names) != len((old, new)):
        raise UsageError(f"give one table, or one for each of the two files, not {len(names)}")
    sources = [(old, names[0]), (new, names[1])]
    named = [(source, name) for source, name in sources if name and not _is_number(name)]
    if named and not any(_is_database(source) for source, _ in named):
        raise UsageError(
            f"there is no table {named[0][1]!r}: only databases have tables by name; pages have"
            " them by number, from 1"
        )
    return (
        load_table(old, name="old", table=names[0]),
        load_table(new, name="new", table=names[1]),
    )


def _is_database(source: TableInput) -> bool:
    is_path = isinstance(source, str | PathLike)
    return is_path and Path(str(source)).suffix.casefold() in _DATABASE_ENDINGS


def load_table(source: TableInput, *, name: str, table: TableName = None) -> RowTable:
    """Return a table to compare; ``name`` is that of a table that is not a file."""
    if isinstance(source, str | PathLike):
        return read_table_file(str(source), table=table)
    collector = RowCollector(name)
    for row in _iter_rows(source):
        if not isinstance(row, Mapping):
            raise UsageError(
                f"the {name} table is not a path, and its rows are not dictionaries:"
                f" {type(row).__name__}"
            )
        for cells in iter_object_rows(row, _get_number(table)):
            collector.add(cells)
    return collector.build()


def _iter_rows(source: Any) -> Iterable[Any]:
    """Return the rows of a table, of a data frame of pandas or Polars, or of an iterable."""
    if callable(to_dicts := getattr(source, "to_dicts", None)):
        rows: Iterable[Any] = to_dicts()
    elif hasattr(source, "columns") and callable(to_dict := getattr(source, "to_dict", None)):
        rows = to_dict(orient="records")
    elif isinstance(source, Iterable) and not isinstance(source, bytes | Mapping):
        rows = source
    else:
        raise UsageError(f"a table is a path or an iterable of rows, not {type(source).__name__}")
    return rows


def read_table_file(path: str, *, table: TableName = None) -> RowTable:
    """Return the table in a file, or in JSON Lines on standard input if the path is ``-``.

    Raises SourceError for files that cannot be read, and UsageError for those of other formats.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise SourceError("standard input is closed")
        with _explain_errors("standard input"):
            pieces = _iter_pieces(sys.stdin.buffer)
            file = _open_pieces(pieces)
            return read_json_lines(file, "standard input", _get_number(table))
    file_path = Path(path)
    if file_path.is_dir():
        raise UsageError(f"{path}: is a folder; name one of its files")
    if not file_path.exists():
        raise SourceError(f"{path}: no such file")
    ending = _get_ending(file_path)
    with _explain_errors(path):
        if ending in _DATABASE_ENDINGS:
            return _read_database(file_path, path, None if table is None else str(table))
        if ending == _PARQUET:
            return read_parquet(file_path, path)
        with file_path.open("rb") as raw:
            return _TEXT_FORMATS[ending](_open_decompressed(raw), path, _get_number(table))


def _is_number(table: str | int) -> bool:
    return isinstance(table, int) or (table.isascii() and table.isdigit())


def _get_number(table: TableName) -> int:
    """Return the number of a table of each page, from 1: the first, if a table is named."""
    number = 1 if table is None or not _is_number(table) else int(table)
    if number < 1:
        raise UsageError(f"there is no table {number}: tables of pages are numbered from 1")
    return number


def _get_ending(path: Path) -> str:
    """Return the ending that tells the format of a file. Raises UsageError for unknown ones."""
    name = path.name.casefold()
    for compressed in _COMPRESSED_ENDINGS:
        name = name.removesuffix(compressed)
    ending = Path(name).suffix
    if ending in _ENDINGS:
        return ending
    hint = "; save the sheet as CSV" if ending in (".xlsx", ".xls", ".ods") else ""
    raise UsageError(
        f"{path}: cannot read a table from a file with this ending{hint};"
        f" known endings: {', '.join(_ENDINGS)}"
    )


@contextmanager
def _explain_errors(name: str) -> Iterator[None]:
    """Turn errors of reading a file into a SourceError that names it."""
    try:
        yield
    except UnweaveError:
        raise
    except UnicodeDecodeError:
        raise SourceError(f"{name}: the text is not in UTF-8; save the file as UTF-8") from None
    except (DecompressionError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{name}: cannot be read: {reason}") from None


def _read_database(file: Path, path: str, table: str | None) -> RowTable:
    if is_duckdb(file):
        return read_duckdb(file, path, table)
    if is_sqlite(file):
        return read_sqlite(file, path, table)
    raise SourceError(f"{path}: is neither a DuckDB nor an SQLite database")


# ---- compressed files ----------------------------------------------------------------------------


def _open_decompressed(file: BinaryIO) -> io.BufferedReader:
    """Return a file as it is, or decompressed if it is compressed with gzip or zstd."""
    magic = file.read(max(map(len, (GZIP_MAGIC, *ZSTD_MAGIC))))
    file.seek(0)
    pieces = _iter_pieces(file)
    if magic.startswith(GZIP_MAGIC):
        pieces = _read_gzip(file)
    elif magic.startswith(ZSTD_MAGIC):
        pieces = _read_zstd(file)
    return _open_pieces(pieces)


def _open_pieces(pieces: Iterator[bytes]) -> io.BufferedReader:
    reader: io.RawIOBase = _PieceReader(pieces)
    return io.BufferedReader(reader)


def _iter_pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(io.DEFAULT_BUFFER_SIZE), b"")


def _read_gzip(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the pieces of all members of a gzip file; zeros behind the last one are padding."""
    while (magic := file.read(len(GZIP_MAGIC))).strip(b"\0"):
        file.seek(-len(magic), io.SEEK_CUR)
        yield from read_gzip_member(file)


def _read_zstd(file: IO[bytes]) -> Iterator[bytes]:
    for piece in read_zstd_pieces(file, 0):
        if piece.error:
            raise DecompressionError(piece.error.removeprefix("cannot be read: "))
        yield piece.data


class _PieceReader(io.RawIOBase):
    """A file of pieces, which are read one at a time, up to ``MAX_FILE_BYTES``."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")
        self._size = 0

    def readable(self) -> bool:
        """Return true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes and return their number."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
            self._size += len(piece)
            if self._size > MAX_FILE_BYTES:
                raise SourceError(f"the file has more than {MAX_FILE_BYTES >> 30} GB")
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
