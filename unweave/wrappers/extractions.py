"""What a wrapper extracts from several pages, as rows and as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from unweave.errors import MissingExtra
from unweave.page.page import Page
from unweave.sinks.field_rows import FieldRowWriter, RowSink
from unweave.sinks.page_tables import unify_types
from unweave.sinks.row_writers import Row
from unweave.table import Column, Table, to_plain_value
from unweave.wrappers.base import Extraction, Wrapper
from unweave.wrappers.fields.apply import FieldWrapper

if TYPE_CHECKING:
    import pandas

_DTYPES: dict[frozenset[type], str] = {
    frozenset([int]): "Int64",
    frozenset([float]): "float64",
    frozenset([int, float]): "float64",
    frozenset([bool]): "boolean",
    frozenset([date]): "datetime64[us]",
    frozenset([datetime]): "datetime64[us]",
}


class Extractions(Iterator[Extraction]):
    """An iterator of what a wrapper extracts from pages, each read when it is its turn.

    ``to_dicts`` and ``to_pandas`` read the pages that are left.
    """

    def __init__(self, wrapper: Wrapper, pages: Iterable[tuple[str | None, Page]]) -> None:
        """Apply ``wrapper`` to ``pages``, which have a name or None."""
        self._wrapper = wrapper
        self._pages = iter(pages)

    def __next__(self) -> Extraction:
        """Return the extraction of the next page."""
        _, page = next(self._pages)
        return self._wrapper.apply(page)

    def to_dicts(self, *, values: bool = False) -> list[dict[str, Any]]:
        """Return a row for each page, or for each record of a list; with ``values``, typed ones.

        The columns are as in the CSV files of ``unweave apply``; ``page`` is None for markup. With
        ``values``, a field has numbers or dates if all its texts are such.
        """
        if not self._wrapper.gives_fields:
            tables: list[tuple[Row, Table]] = []
            for name, page in self._pages:
                table = self._wrapper.apply(page).table
                if table is not None:
                    tables.append(({"page": name}, table))
            if values:
                return [dict(row) for row in unify_types(tables)]
            return [{**prefix, **row} for prefix, table in tables for row in table.to_dicts()]
        rows = RowList()
        writer = make_field_row_writer(rows, self._wrapper, is_typed=values)
        for name, page in self._pages:
            writer.write(make_field_row(self._wrapper, name, self._wrapper.apply(page)))
        writer.close()
        return rows.rows

    def to_pandas(self, *, values: bool = False) -> pandas.DataFrame:
        """Return the rows of ``to_dicts`` as a DataFrame; with ``values``, its columns are typed.

        This needs the extra ``pandas``.
        """
        try:
            import pandas
        except ImportError:
            raise MissingExtra("pandas", "pandas") from None
        rows = self.to_dicts(values=values)
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [to_plain_value(row.get(name)) for row in rows] for name in names}
        frame = pandas.DataFrame(columns, index=range(len(rows)))
        dtypes: dict[str, str] = {}
        for name, cells in columns.items():
            types = frozenset([type(cell) for cell in cells if cell is not None])
            if types in _DTYPES:
                dtypes[name] = _DTYPES[types]
        return frame.astype(dtypes)


# ---- rows of fields ------------------------------------------------------------------------------


class RowList:
    """Takes rows into a list."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def write(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(dict(row))


def make_field_row(wrapper: Wrapper, page: str | None, extraction: Extraction) -> dict[str, Any]:
    """Return the row of a page: its name, the fit, and the fields; selected ones may be None."""
    selected = wrapper.selected if isinstance(wrapper, FieldWrapper) else ()
    columns = dict.fromkeys([each.name for each in selected])
    fit = round(extraction.fit, 4)
    return {"page": page, "fit": fit, **columns, **extraction.clean_fields()}


def make_field_row_writer(rows: RowSink, wrapper: Wrapper, *, is_typed: bool) -> FieldRowWriter:
    """Return a writer of the rows of pages that orders their columns as the wrapper does."""
    selected = wrapper.selected if isinstance(wrapper, FieldWrapper) else ()
    names = [each.name for each in selected or wrapper.describe_fields()]
    requested: Mapping[str, Column] = {
        **{each.name: each.column for each in selected},
        "page": Column("page", is_requested_type=True),
    }
    return FieldRowWriter(rows, ["page", "fit", *names], requested, is_typed=is_typed)
