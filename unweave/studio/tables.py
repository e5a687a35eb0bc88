"""Tables as the studio shows them: the one that is meant, with the columns that are wanted, and where each cell stands."""

from __future__ import annotations

from typing import Any

from unweave.column_selection import find_linked_columns, select_columns
from unweave.errors import UsageError
from unweave.studio.models import Choice, Wish
from unweave.studio.page_store import Opened
from unweave.table import Table, to_json_value
from unweave.values.types import TYPED


def chosen(opened: Opened, choice: Choice) -> Table:
    """The table that is meant, as it was found."""
    if choice.like is not None:
        return opened.meant(*choice.like)
    tables = opened.tables(choice.method, choice.want)
    if choice.number > len(tables):
        raise UsageError(f"the page has {len(tables)} tables, and no table {choice.number}")
    return tables[choice.number - 1]


def wished(opened: Opened, wish: Wish) -> Table:
    """The table that is meant, with the columns that are wanted; with those that tell something if none are named."""
    table = chosen(opened, wish.choice)
    return (
        table.drop_constant_columns()
        if wish.columns is None
        else select_columns(table, [own.pick() for own in wish.columns])
    )


def facts(table: Table, number: int | None) -> dict[str, Any]:
    """The table as plain data."""
    linked = find_linked_columns(table)
    columns = [
        {**column.to_json(), **({"links": True} if place in linked else {})}
        for place, column in enumerate(table.columns)
    ]
    values = {
        column.name: [to_json_value(column.parse(row[place])) for row in table.rows]
        for place, column in enumerate(table.columns)
        if column.type in TYPED
    }
    return {
        "number": number,
        "score": round(table.score, 4),
        "columns": columns,
        "rows": table.format_rows(),
        "values": values,
        "records": [list(record) for record in table.records],
        "cells": [[list(nodes) for nodes in row] for row in table.nodes],
    }
