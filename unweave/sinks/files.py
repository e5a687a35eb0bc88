"""The tables of pages into files: JSON Lines, JSON and CSV, or to standard output.

A file appears under its name only when it is complete: until then it stands beside it with ``.part`` behind its name.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from unweave.errors import SinkError, UsageError
from unweave.table import Table

STANDARD_OUTPUT = "-"


class Writer(Protocol):
    """Takes the tables of one page after the other."""

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page."""

    def close(self) -> None:
        """Write what is still to be written."""


class JsonLinesWriter:
    """One page a line."""

    def __init__(self, file: TextIO, *, table: int | None, many: bool) -> None:
        self._file = file
        self._table = table

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page."""
        self._file.write(_dumps(_page_object(page, tables, self._table)) + "\n")

    def close(self) -> None:
        """Write what is still to be written."""


class JsonWriter:
    """One array of pages; one page is no array of one but itself an element of it, so that readers need no two cases."""

    def __init__(self, file: TextIO, *, table: int | None, many: bool) -> None:
        self._file = file
        self._table = table
        self._before = "[\n"

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page."""
        self._file.write(self._before + _dumps(_page_object(page, tables, self._table)))
        self._before = ",\n"

    def close(self) -> None:
        """Write what is still to be written."""
        self._file.write("\n]\n" if self._before == ",\n" else "[]\n")


class CsvWriter:
    """The first table of each page, or the chosen one. With many pages the first column names the page.

    Pages may have different columns, so the head line is known only at the end.
    """

    def __init__(self, file: TextIO, *, table: int | None, many: bool) -> None:
        self._file = file
        self._table = table or 1
        self._many = many
        self._names: dict[str, None] = {}
        self._rows: list[tuple[str, dict[str, str | None]]] = []

    def write(self, page: str, tables: Sequence[Table]) -> None:
        """Take the tables of one page."""
        for table in _chosen(tables, self._table):
            self._names.update(dict.fromkeys(table.names))
            self._rows.extend((page, dict(zip(table.names, row, strict=True))) for row in table.rows)

    def close(self) -> None:
        """Write what is still to be written."""
        writer = csv.writer(self._file, lineterminator="\n")
        if self._names:
            writer.writerow([*(["page"] if self._many else []), *self._names])
        for page, row in self._rows:
            writer.writerow([*([page] if self._many else []), *(row.get(name) for name in self._names)])


_WRITERS: dict[str, Callable[..., Writer]] = {"jsonl": JsonLinesWriter, "json": JsonWriter, "csv": CsvWriter}
FORMATS = tuple(_WRITERS)


def format_of(path: str) -> str:
    """The format that a file's ending asks for."""
    ending = Path(path).suffix.removeprefix(".").casefold()
    if ending in _WRITERS:
        return ending
    known = ", ".join(f".{name}" for name in FORMATS)
    raise UsageError(f"cannot tell the format of {path!r} from its ending; there are {known}")


@contextmanager
def open_writer(path: str, format: str, *, table: int | None = None, many: bool = False) -> Iterator[Writer]:
    """A writer to a file or to standard output; ``table`` chooses the N-th table of each page, counted from 1."""
    with _open(path) as file:
        writer = _WRITERS[format](file, table=table, many=many)
        yield writer
        writer.close()


@contextmanager
def _open(path: str) -> Iterator[TextIO]:
    if path == STANDARD_OUTPUT:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="")
        yield sys.stdout
        return
    part = path + ".part"
    try:
        file = open(part, "w", encoding="utf-8", errors="surrogateescape", newline="")  # noqa: SIM115 - closed below
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from None
    try:
        with file:
            yield file
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _page_object(page: str, tables: Sequence[Table], number: int | None) -> dict[str, Any]:
    chosen = tables if number is None else _chosen(tables, number)
    return {"page": page, "tables": [table.to_dict() for table in chosen]}


def _chosen(tables: Sequence[Table], number: int) -> Sequence[Table]:
    return tables[number - 1 : number]


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
