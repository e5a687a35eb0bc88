"""What a database asks of keys: they tell rows apart, and are short enough for an index."""

from __future__ import annotations

from collections.abc import Sequence

from unweave.errors import SinkError
from unweave.sinks.merged import Sorted

# PostgreSQL's index takes 2,704 bytes, DuckDB's 8,192.
_LONGEST = 2_000


def check_keys(tables: Sequence[Sorted]) -> None:
    """Raise if the rows of a table are not told apart by its key."""
    for table in tables:
        if table.fault:
            raise SinkError(
                f"the table {table.name} cannot be written to a database: {table.fault}"
            )


def has_index(table: Sorted) -> bool:
    """Can a database index the key? Where strangers made one too long, it is only known that it tells the rows apart."""
    of_lists = any(own.type == "list" for own in table.attributes if own.name in table.key)
    return bool(table.key) and table.longest_key <= _LONGEST and not of_lists
