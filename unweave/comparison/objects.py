"""Rows from the JSON objects that the commands write, and from any other objects.

The rows of a JSON file are those of the CSV file that the same command writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from unweave.wrappers.base import clean_fields

Cells = Iterable[tuple[Any, Any]]
"""Pairs of a column name and a value."""

_KEYS_OF_FIELDS = frozenset(["page", "fields", "tables", "values", "others", "fit"])
_KEYS_OF_TABLES = (
    frozenset(["page", "tables"]),
    frozenset(["page", "tables", "fit"]),
    frozenset(["pages", "tables", "next"]),
)


def iter_object_rows(data: Mapping[str, Any], table_number: int = 1) -> Iterator[Cells]:
    """Yield the rows of an object: of one table of a page, of the fields of a page, or itself.

    ``table_number`` selects the table of a page with several lists, from 1.
    """
    if data.keys() in _KEYS_OF_TABLES and _are_tables(data["tables"]):
        yield from _iter_table_rows(data, data["tables"][table_number - 1 : table_number])
    elif {"page", "fields"} <= data.keys() <= _KEYS_OF_FIELDS and _is_object(data["fields"]):
        front = {name: data[name] for name in ("page", "fit") if name in data}
        yield {**front, **_clean(data["fields"])}.items()
    else:
        yield data.items()


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(
        _is_object(table)
        and _is_list_of(_is_object, table.get("columns"))
        and _is_list_of(lambda row: isinstance(row, list), table.get("rows"))
        for table in value
    )


def _is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _is_list_of(is_item: Callable[[Any], bool], value: Any) -> bool:
    return isinstance(value, list) and all(map(is_item, value))


def _iter_table_rows(
    data: Mapping[str, Any], tables: Sequence[Mapping[str, Any]]
) -> Iterator[Cells]:
    """Yield the rows of tables of a page, or of several pages that continue one list."""
    for table in tables:
        given = table.get("lists")
        lists: Mapping[str, Any] = given if _is_object(given) else {}
        names = [str(column.get("name")) for column in table["columns"]]
        parts = {
            name
            for name, column in zip(names, table["columns"], strict=True)
            if str(column.get("part_of", name)) in lists
        }
        records = table.get("records")
        for number, cells in enumerate(table["rows"]):
            row: dict[str, Any] = {}
            page = data.get("page") or _find_page(records, number)
            if page is not None:
                row["page"] = page
            for name, cell in zip(names, cells, strict=False):
                if name not in parts:
                    row[name] = cell
                elif name in lists:
                    items = lists[name]
                    is_known = isinstance(items, list) and number < len(items)
                    row[name] = items[number] if is_known else cell
            yield row.items()


def _find_page(records: Any, number: int) -> Any:
    """Return the page of a record of several pages, if it is named."""
    if not _is_list_of(_is_object, records) or number >= len(records):
        return None
    return records[number].get("page")


def _clean(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as tables have them, where they are texts or lists of texts."""
    texts = {
        name: value
        for name, value in fields.items()
        if isinstance(value, str)
        or _is_list_of(lambda item: item is None or isinstance(item, str), value)
    }
    return {**fields, **clean_fields(texts)}
