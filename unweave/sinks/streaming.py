"""Tables of any length in one file or database: their columns are known before the first row.

CSV and Parquet files, and tables of databases, are then written with bounded memory.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from unweave.errors import SinkError
from unweave.sinks.cells import MAX_ROW_BYTES, SiteColumn, convert_cell
from unweave.sinks.duckdb_connection import explain_sink_errors
from unweave.sinks.output import open_binary, open_text
from unweave.sinks.parquet import convert_json_lines
from unweave.sinks.registry import (
    choose_sink,
    open_row_writer,
    write_tables,
)
from unweave.sinks.row_writers import JsonLinesWriter, Row, RowWriter, StreamingCsvWriter
from unweave.sinks.site_tables import SiteTable


@contextmanager
def open_table(out: str, format: str, columns: Sequence[SiteColumn]) -> Iterator[RowWriter]:
    """Open a writer of the rows of one table to a file, which appears when it is complete.

    ``format`` is a name of ``FILE_FORMATS``. Those that hold more than tables get whole rows.
    """
    names = [column.name for column in columns]
    if format == "csv":
        with open_text(out) as file:
            yield StreamingCsvWriter(file, names)
    elif format == "parquet":
        with open_binary(out) as binary, _open_lines() as (lines, path):
            writer = _NumberedLinesWriter(lines, columns)
            yield writer
            lines.flush()
            target = path.with_suffix(".parquet")
            with explain_sink_errors(out):
                convert_json_lines(path, columns, target, writer.max_row_bytes)
            with target.open("rb") as parquet:
                shutil.copyfileobj(parquet, binary)
    else:
        with open_row_writer(out, format, names=names) as rows:
            yield rows


@contextmanager
def open_database_table(out: str, name: str, columns: Sequence[SiteColumn]) -> Iterator[RowWriter]:
    """Open a writer of the rows of one table of a database, which gets all of them or none."""
    choose_sink(out).check()
    with _open_lines() as (lines, path):
        yield JsonLinesWriter(lines)
        lines.flush()
        table = SiteTable(name, tuple(columns), (), (path,))
        write_tables(out, [table], work=path.parent, run=name)


@contextmanager
def _open_lines() -> Iterator[tuple[TextIO, Path]]:
    """Give a temporary file for JSON Lines, and its path."""
    with tempfile.TemporaryDirectory(prefix="unweave-") as name:
        path = Path(name).resolve() / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            yield file, path


class _NumberedLinesWriter:
    """Writes JSON Lines with the numbers of columns as names, as ``convert_json_lines`` reads."""

    def __init__(self, file: TextIO, columns: Sequence[SiteColumn]) -> None:
        self.max_row_bytes = 0
        self._file = file
        self._columns = columns

    def write(self, row: Row) -> None:
        """Write a row."""
        cells = {
            str(number): convert_cell(row.get(name), type)
            for number, (name, type) in enumerate(self._columns)
        }
        line = json.dumps(cells) + "\n"
        self.max_row_bytes = max(self.max_row_bytes, len(line))
        if self.max_row_bytes > MAX_ROW_BYTES:
            raise SinkError(f"a row has more than {MAX_ROW_BYTES >> 20} MB")
        self._file.write(line)

    def close(self) -> None:
        """Do nothing: all rows have been written."""
