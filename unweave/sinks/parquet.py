"""Parquet files: written from columns or from JSON Lines, and read row by row, with DuckDB."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from unweave.errors import SinkError
from unweave.sinks.cells import (
    MAX_ROW_BYTES,
    Columns,
    SiteColumn,
    make_site_rows,
)
from unweave.sinks.duckdb_connection import (
    SQL_TYPES,
    connect,
    explain_sink_errors,
    quote_name,
    quote_text,
)
from unweave.sinks.row_writers import ColumnWriter

_ROW_GROUP_BYTES = 32 * 2**20
# DuckDB's own limit for a JSON object is lower than MAX_ROW_BYTES.
_MIN_OBJECT_LIMIT_BYTES = 2**20


class ParquetWriter(ColumnWriter):
    """Collects rows and writes them as a Parquet file."""

    def close(self) -> None:
        """Write the file."""
        self._file.write(encode_parquet(self.get_columns()))


def encode_parquet(columns: Columns) -> bytes:
    """Return a table as the bytes of a Parquet file.

    A column has the type that its cells share, or texts. Names that are equal but for case get
    numbers.
    """
    if not columns:
        raise SinkError("there is no table, and Parquet cannot hold one without columns")
    site_columns, rows = make_site_rows(columns)
    with explain_sink_errors("Parquet"), TemporaryDirectory(prefix="unweave-") as folder:
        lines = Path(folder).resolve() / "rows.jsonl"
        path = lines.with_name("table.parquet")
        max_row_bytes = 0
        with lines.open("wb") as file:
            for row in rows:
                cells = {str(number): cell for number, cell in enumerate(row)}
                line = json.dumps(cells, ensure_ascii=False).encode() + b"\n"
                max_row_bytes = max(max_row_bytes, len(line))
                file.write(line)
        if max_row_bytes > MAX_ROW_BYTES:
            raise SinkError(f"a row has more than {MAX_ROW_BYTES >> 20} MB")
        convert_json_lines(lines, site_columns, path, max_row_bytes)
        return path.read_bytes()


def convert_json_lines(
    lines: Path, columns: Sequence[SiteColumn], path: Path, max_row_bytes: int
) -> None:
    """Write JSON Lines as a Parquet file in the same folder, with the rows in the same order.

    The names in the lines are the numbers of the columns: DuckDB would not distinguish names that
    are equal but for case.
    """
    types = ", ".join(
        f"'{number}': '{SQL_TYPES[column.type]}'" for number, column in enumerate(columns)
    )
    names = ", ".join(
        f"{quote_name(str(number))} AS {quote_name(column.name)}"
        for number, column in enumerate(columns)
    )
    rows = (
        f"read_json({quote_text(str(lines))}, columns = {{{types}}}, records = true,"
        " format = 'newline_delimited', hive_partitioning = false,"
        f" maximum_object_size = {max(_MIN_OBJECT_LIMIT_BYTES, max_row_bytes + 1)})"
    )
    with closing(connect(path.parent)) as connection:
        connection.execute(
            f"COPY (SELECT {names} FROM {rows}) TO {quote_text(str(path))} "  # noqa: S608 (quoted)
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES {_ROW_GROUP_BYTES})"
        )


def read_parquet_rows(path: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a Parquet file.

    They are fetched one at a time: this costs little more than many at once, and rows may be large.
    """
    with closing(connect(path.parent)) as connection:
        query = f"SELECT * FROM {format_parquet_source(path)}"  # noqa: S608 (quoted)
        yield from iter(connection.execute(query).fetchone, None)


def format_parquet_source(path: Path) -> str:
    """Return SQL for the rows of a Parquet file; folders such as ``year=2024`` give no columns."""
    return f"read_parquet({quote_text(str(path))}, hive_partitioning = false)"
