"""The tables of a site as a folder: a file for each table, and one that describes them."""

from __future__ import annotations

import json
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from unweave.errors import SinkError
from unweave.files import create_scratch_folder, format_json, replace_folder
from unweave.names import UniqueNames
from unweave.sinks.cells import UNNAMED, clean_text
from unweave.sinks.duckdb_connection import explain_sink_errors
from unweave.sinks.output import check_parent_folder, open_text
from unweave.sinks.parquet import read_parquet_rows
from unweave.sinks.row_writers import JsonLinesWriter, RowWriter, StreamingCsvWriter
from unweave.sinks.site_tables import SortedTable

MARKER = "unweave.json"
"""The file that describes the tables. A folder that has it, and no other files, may be replaced."""

DEFAULT_FORMAT = "parquet"

_WRITTEN_BY = "unweave"
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
_MAX_FILE_NAME_BYTES = 100
# Devices of Windows, whatever ending follows.
_DEVICES = ["con", "prn", "aux", "nul"]
_DEVICES += [f"{port}{number}" for port in ("com", "lpt") for number in range(10)]


class Folder:
    """A folder with a file of one format for each table, which is replaced as a whole.

    CSV has the cells as they are, also those that a spreadsheet would take for a formula.
    """

    def __init__(self, out: str, format: str) -> None:
        self._out = out
        self._target = Path(os.path.realpath(out))
        self._format = format

    def check(self) -> None:
        """Raise SinkError if the folder cannot be written or has files that are not unweave's."""
        with explain_sink_errors(self._out):
            if self._target.exists() and not self._target.is_dir():
                raise SinkError(f"cannot write {self._out}: it is a file and not a folder")
            check_parent_folder(self._out, self._target)
            if not self._target.is_dir():
                return
            written = _read_file_names(self._target / MARKER)
            for entry in sorted(self._target.iterdir()):
                if entry.name not in written or not entry.is_file():
                    raise SinkError(
                        f"cannot replace the folder {self._out}:"
                        f" unweave did not write {entry.name!r} in it"
                    )

    def write(self, tables: Sequence[SortedTable]) -> list[str]:
        """Write the tables and return the names of the files."""
        names = make_file_names([table.name for table in tables])
        files = [f"{name}.{self._format}" for name in names]
        with explain_sink_errors(self._out), create_scratch_folder(self._target) as scratch:
            new = scratch / "new"
            new.mkdir()
            for table, file in zip(tables, files, strict=True):
                _WRITERS[self._format](table, new / file)
            description = format_json(self._describe(tables, files), indent=2) + "\n"
            (new / MARKER).write_text(description, encoding="utf-8")
            self.check()
            replace_folder(new, self._target)
        return files

    def _describe(self, tables: Sequence[SortedTable], files: Sequence[str]) -> dict[str, Any]:
        descriptions = []
        for table, file in zip(tables, files, strict=True):
            columns = [{"name": column.name, "type": column.type} for column in table.columns]
            descriptions.append(
                {
                    "name": table.name,
                    "file": file,
                    "rows": table.row_count,
                    "key": list(table.key),
                    "columns": columns,
                }
            )
        return {"written_by": _WRITTEN_BY, "format": self._format, "tables": descriptions}


class FileNames:
    """Makes names of files, without endings, and each only once.

    They have letters of any script, digits, and no characters that a shell interprets.
    """

    def __init__(self) -> None:
        self._unique = UniqueNames(_DEVICES, ignore_case=True, max_bytes=_MAX_FILE_NAME_BYTES)

    def add(self, name: str) -> str:
        """Return the name as that of a file."""
        normalized = unicodedata.normalize("NFC", clean_text(name))
        safe = _NOT_IN_FILE_NAMES.sub("_", normalized).lstrip(".-").rstrip(".")
        return self._unique.add(safe or UNNAMED)


def make_file_names(names: Sequence[str]) -> list[str]:
    """Return the names as unique names of files, without endings."""
    file_names = FileNames()
    return [file_names.add(name) for name in names]


def _read_file_names(marker: Path) -> set[str]:
    """Return the names of the files that a marker lists, and its own; none if it is not ours."""
    try:
        description = json.loads(marker.read_text(encoding="utf-8"))
        if description["written_by"] != _WRITTEN_BY:
            return set()
        return {MARKER, *(str(table["file"]) for table in description["tables"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _write_parquet(table: SortedTable, path: Path) -> None:
    shutil.move(table.path, path)


def _write_csv(table: SortedTable, path: Path) -> None:
    with open_text(str(path)) as file:
        _write_rows(table, StreamingCsvWriter(file, [column.name for column in table.columns]))


def _write_json_lines(table: SortedTable, path: Path) -> None:
    with open_text(str(path)) as file:
        _write_rows(table, JsonLinesWriter(file))


def _write_rows(table: SortedTable, writer: RowWriter) -> None:
    names = [column.name for column in table.columns]
    for row in read_parquet_rows(table.path):
        writer.write(dict(zip(names, row, strict=True)))


_WRITERS: dict[str, Callable[[SortedTable, Path], None]] = {
    "csv": _write_csv,
    "jsonl": _write_json_lines,
    DEFAULT_FORMAT: _write_parquet,
}
FOLDER_FORMATS = tuple(_WRITERS)
