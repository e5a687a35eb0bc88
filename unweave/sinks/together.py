"""One table of several pages, in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from unweave.page.composite import JoinedPages
from unweave.sinks.files import BY_RECORD, RowWriter, is_typed, open_rows
from unweave.table import Table


class TogetherWriter:
    """Writes the list that several pages continue: in JSON as one object, else a record a row behind its page."""

    def __init__(self, rows: RowWriter, *, by_record: bool, values: bool) -> None:
        self._rows = rows
        self._by_record = by_record
        self._values = values

    def write(self, pages: Sequence[str], table: Table | None, following: str | None) -> None:
        """Take the table, and the address of the page after the last."""
        if not self._by_record:
            self._rows.write(
                {"pages": list(pages), "tables": _described(pages, table), "next": following}
            )
        elif table is not None:
            columns = table.to_columns(values=self._values)
            for name, row in zip(
                pages_of(pages, table), zip(*columns.values(), strict=True), strict=True
            ):
                self._rows.write({"page": name, **dict(zip(columns, row, strict=True))})


@contextmanager
def open_together(path: str, format: str, *, values: bool = False) -> Iterator[TogetherWriter]:
    """A writer to a file or to standard output."""
    with open_rows(path, format) as rows:
        yield TogetherWriter(rows, by_record=format in BY_RECORD, values=values or is_typed(format))


def _described(pages: Sequence[str], table: Table | None) -> list[dict[str, Any]]:
    """The table as JSON has it, with the page of each record."""
    if table is None:
        return []
    found = table.to_json()
    found["records"] = [
        {"page": page, **record}
        for page, record in zip(pages_of(pages, table), found["records"], strict=True)
    ]
    return [found]


def pages_of(pages: Sequence[str], table: Table) -> list[str]:
    """For every row the name of its page."""
    joined = table.page
    if not isinstance(joined, JoinedPages):
        return [pages[0]] * len(table)
    return [pages[joined.find_page(record[0])] for record in table.records]
