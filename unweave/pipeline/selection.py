"""The columns of the tables of a site that somebody chose: ``TABLE.COLUMN[=NAME][:TYPE]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import UsageError
from unweave.pipeline.column_names import rename_reserved_column
from unweave.table import Cell, Column, format_cell
from unweave.values.types import Type

_MAX_NAMED = 30  # tables or columns that an error message lists


@dataclass(frozen=True)
class SiteSelection:
    """The chosen columns of each table; tables that none is chosen of are written as they are."""

    specs: Mapping[str, Sequence[ColumnSpec]] = field(default_factory=dict)
    """The columns by the name of their table, in the order of the result."""

    @classmethod
    def parse(cls, texts: Iterable[str]) -> SiteSelection:
        """Parse ``TABLE.COLUMN[=NAME][:TYPE]``, as in ``book.price=cost:number``.

        Raises:
            UsageError: If a text has no table or column, or two columns would have one name.
        """
        by_table: dict[str, list[str]] = {}
        for text in texts:
            table, point, column = text.partition(".")
            if not table or not point or not column:
                raise UsageError(
                    f"{text[:60]!r} does not name a table and a column: write TABLE.COLUMN"
                )
            by_table.setdefault(table, []).append(column)
        specs = {table: _parse_columns(columns) for table, columns in by_table.items()}
        for spec in [spec for chosen in specs.values() for spec in chosen]:
            if spec.link:
                raise UsageError(
                    f"{spec.column}@link: the tables of a site have columns for the URLs of links"
                )
        return cls(specs)

    def __contains__(self, table: str) -> bool:
        """Tell whether columns of a table were chosen."""
        return table in self.specs

    def check(self, columns: Mapping[str, Sequence[str]], *, is_complete: bool = True) -> None:
        """Raise UsageError if there is no such table or column.

        Args:
            columns: The columns of each table.
            is_complete: Whether there are no other tables.
        """
        for table, specs in self.specs.items():
            if table not in columns:
                if not is_complete:
                    continue
                raise UsageError(f"no table {table[:60]!r}; there are {_list_names(columns)}")
            for spec in specs:
                if spec.column not in columns[table]:
                    raise UsageError(
                        f"the table {table} has no column {spec.column[:60]!r};"
                        f" it has {_list_names(columns[table])}"
                    )

    def select_cells(
        self, table: str, cells: Iterable[tuple[Column, Cell]]
    ) -> Iterator[tuple[Column, Cell]]:
        """Yield the chosen cells of a row, with columns of the names and types of the result."""
        if table not in self:
            yield from cells
            return
        by_name = {column.name: (column, cell) for column, cell in cells}
        for spec in self.specs[table]:
            if spec.column in by_name:
                column, cell = by_name[spec.column]
                yield _change(column, spec), _change_cell(cell, spec)

    def select_columns(self, table: str, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Return the columns of the result, given those of a table."""
        if table not in self:
            return dict(columns)
        chosen = [
            (spec, columns[spec.column]) for spec in self.specs[table] if spec.column in columns
        ]
        return {spec.new_name: _change(column, spec) for spec, column in chosen}


NO_SELECTION = SiteSelection()
"""All columns of all tables."""


def _parse_columns(columns: Sequence[str]) -> tuple[ColumnSpec, ...]:
    """Parse the columns of a table; new names that are reserved get an underscore."""
    specs = parse_columns(columns)
    return parse_columns(
        [replace(spec, name=rename_reserved_column(spec.new_name)) for spec in specs]
    )


def _change(column: Column, spec: ColumnSpec) -> Column:
    if not spec.type or spec.type == column.type:
        return replace(column, name=spec.new_name)
    return replace(column, name=spec.new_name, type=Type(spec.type), is_requested_type=True)


def _change_cell(cell: Cell, spec: ColumnSpec) -> Cell:
    """Return a cell as one text, or as a list, if a type was asked for."""
    if not spec.type:
        return cell
    if spec.type == Type.LIST:
        return [cell] if isinstance(cell, str) else cell
    return format_cell(cell)


def _list_names(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _MAX_NAMED} more" if len(listed) > _MAX_NAMED else ""
    return ", ".join(listed[:_MAX_NAMED]) + more
