"""Tables into a folder: a file each, and one that tells what is in them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from unweave.errors import SinkError
from unweave.files import create_scratch_folder, format_json, replace_folder
from unweave.sinks.engine import explained, rows
from unweave.sinks.files import JsonLinesWriter, NamedCsvWriter, RowWriter
from unweave.sinks.merged import Sorted
from unweave.sinks.names import make_file_names
from unweave.sinks.output import check_parent, open_text
from unweave.table import to_json_value

MARKER = "unweave.json"
"""The file that lists the tables with their columns, types and keys. Its folder is ours, and may be replaced."""

DEFAULT_FORMAT = "parquet"

_WRITTEN_BY = "unweave"


class Folder:
    """Where a table becomes a file of the format.

    CSV has the cells as they are, also those that a spreadsheet would take for a formula.
    """

    def __init__(self, out: str, format: str) -> None:
        self._out = out
        self._target = Path(os.path.realpath(out))
        self._format = format

    def check(self) -> None:
        """Raise if something stands there that is not ours to replace."""
        with explained(self._out):
            if self._target.exists() and not self._target.is_dir():
                raise SinkError(f"cannot write {self._out}: it is a file and not a folder")
            check_parent(self._out, self._target)
            if strange := self._strange():
                raise SinkError(
                    f"cannot replace the folder {self._out}: unweave did not write {strange!r} in it"
                )

    def _strange(self) -> str | None:
        """A name in the folder that is not ours, if there is one."""
        ours = _own_files(self._target / MARKER)
        found = sorted(self._target.iterdir()) if self._target.is_dir() else []
        return next(
            (entry.name for entry in found if entry.name not in ours or not entry.is_file()), None
        )

    def write(self, tables: Sequence[Sorted]) -> list[str]:
        """Write the tables; gives the names of the files."""
        files = [
            f"{name}.{self._format}" for name in make_file_names([table.name for table in tables])
        ]
        with explained(self._out), create_scratch_folder(self._target) as part:
            new = part / "new"
            new.mkdir()
            for table, file in zip(tables, files, strict=True):
                _WRITERS[self._format](table, new / file)
            (new / MARKER).write_text(
                format_json(self._description(tables, files), indent=2) + "\n", encoding="utf-8"
            )
            self.check()
            replace_folder(new, self._target)
        return files

    def _description(self, tables: Sequence[Sorted], files: Sequence[str]) -> dict[str, Any]:
        described = [
            {
                "name": table.name,
                "file": file,
                "rows": table.rows,
                "key": list(table.key),
                "columns": [
                    {"name": attribute.name, "type": attribute.type}
                    for attribute in table.attributes
                ],
            }
            for table, file in zip(tables, files, strict=True)
        ]
        return {"written_by": _WRITTEN_BY, "format": self._format, "tables": described}


def _own_files(marker: Path) -> set[str]:
    """The names that the file lists, and its own, if it is there and of us."""
    try:
        described = json.loads(marker.read_text(encoding="utf-8"))
        if described["written_by"] != _WRITTEN_BY:
            return set()
        return {MARKER, *(str(table["file"]) for table in described["tables"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _write_parquet(table: Sorted, path: Path) -> None:
    shutil.move(table.path, path)


def _write_csv(table: Sorted, path: Path) -> None:
    names = [attribute.name for attribute in table.attributes]
    with open_text(str(path)) as file:
        _write_rows(table, NamedCsvWriter(file, names))


def _write_json_lines(table: Sorted, path: Path) -> None:
    with open_text(str(path)) as file:
        _write_rows(table, JsonLinesWriter(file))


def _write_rows(table: Sorted, writer: RowWriter) -> None:
    names = [attribute.name for attribute in table.attributes]
    for row in rows(table.path):
        writer.write(dict(zip(names, map(to_json_value, row), strict=True)))


_WRITERS: dict[str, Callable[[Sorted, Path], None]] = {
    "csv": _write_csv,
    "jsonl": _write_json_lines,
    DEFAULT_FORMAT: _write_parquet,
}
FORMATS = tuple(_WRITERS)
