"""The names of the columns of a site that are not those of fields or records."""

from __future__ import annotations

from collections.abc import Container

from unweave.names import append_underscores

URL, POSITION, DETAIL, DETAIL_TABLE, OTHERS = "url", "position", "detail", "detail_table", "others"
"""The names of columns that are not extracted from pages."""
LINKS = "~links"
"""The key in a row of the URL keys that a record links to, one for each column of links."""
CURRENCY, UNPARSED = "_currency", "_text"
"""The suffixes of the columns for the currencies of prices, and for texts that do not parse."""

_RESERVED_COLUMNS = frozenset([URL, POSITION, DETAIL, DETAIL_TABLE, OTHERS, LINKS])


def rename_reserved_column(name: str) -> str:
    """Return the name of a column, with an underscore appended if it is reserved."""
    return f"{name}_" if name in _RESERVED_COLUMNS else name


def make_derived_name(name: str, suffix: str, names: Container[str]) -> str:
    """Return the name of the column for what a value has besides, which no other column has.

    Args:
        name: The column of the value.
        suffix: ``CURRENCY`` or ``UNPARSED``.
        names: The columns of the table.
    """
    return append_underscores(name + suffix, names)
