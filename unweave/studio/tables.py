"""Tables as the studio shows them: the one that is meant, with the columns that are wanted, and where each cell stands."""

from __future__ import annotations

from typing import Any

from unweave.errors import UsageError
from unweave.fields.readings import TYPES
from unweave.picks import picked, with_links
from unweave.studio.models import Choice, Wish
from unweave.studio.shelf import Opened
from unweave.table import Table, as_json


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
    return table.telling() if wish.columns is None else picked(table, [own.pick() for own in wish.columns])


def facts(table: Table, number: int | None) -> dict[str, Any]:
    """The table as plain data."""
    linked = with_links(table)
    columns = [
        {**column.to_json(), **({"links": True} if place in linked else {})} for place, column in enumerate(table.columns)
    ]
    values = {
        column.name: [as_json(column.value(row[place])) for row in table.rows]
        for place, column in enumerate(table.columns)
        if column.type in TYPES
    }
    return {
        "number": number,
        "score": round(table.score, 4),
        "columns": columns,
        "rows": table.shown_rows(),
        "values": values,
        "records": [list(record) for record in table.records],
        "cells": [[list(nodes) for nodes in row] for row in table.nodes],
    }
