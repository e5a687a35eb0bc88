"""The key of two tables: the columns that identify a row in both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from unweave.comparison.equality import make_comparer
from unweave.comparison.rows import RowTable
from unweave.errors import UsageError

DEFAULT_KEYS = ("page", "url")
"""The keys of tables that ``apply`` and ``site`` write."""
MAX_NAMED_COLUMNS = 20
"""How many columns a message names."""
MAX_NAME_LENGTH = 60


def choose_key(old: RowTable, new: RowTable, key: str | Iterable[str] = ()) -> tuple[str, ...]:
    """Return the columns that identify a row: those that are named, or ``page`` or ``url``.

    "a,b" names two columns, unless a column has this name. Raises UsageError if a table has no such
    column, or if no key is named and the default ones identify no row.
    """
    tables = [table for table in (old, new) if table.rows]
    names = [
        name
        for text in ([key] if isinstance(key, str) else key)
        for name in _split_names(text, [*old.columns, *new.columns])
    ]
    for name in names:
        for table in tables:
            if name not in table.columns:
                raise UsageError(
                    f"{table.name} has no column {name!r}{suggest_name(name, table.columns)};"
                    f" its columns are {format_names(table.columns)}"
                )
    if names:
        return tuple(dict.fromkeys(names))
    for name in DEFAULT_KEYS:
        if all(_is_unique(table, name) for table in tables):
            return (name,)
    raise UsageError(_describe_missing_key(tables))


def _split_names(text: str, columns: Sequence[str]) -> list[str]:
    """Return the names in a text such as "shop,sku"."""
    names = [text] if text in columns else [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"the key {text!r} has a column without a name")
    return names


def _is_unique(table: RowTable, name: str) -> bool:
    """Tell whether every row has a cell in the column, and no two rows the same."""
    cells = table.cells.get(name, [])
    if len(cells) < len(table.rows):
        return False
    comparer = make_comparer(cells, ())
    return len(set(map(comparer.to_comparable, cells))) == len(cells)


def _describe_missing_key(tables: Sequence[RowTable]) -> str:
    """Return a message that names the columns that could be the key."""
    columns = [name for name in tables[0].columns if all(name in each.columns for each in tables)]
    unique = [name for name in columns if all(_is_unique(table, name) for table in tables)]
    problem = f"the tables have no common column {DEFAULT_KEYS[0]!r}"
    for name in DEFAULT_KEYS:
        if name in columns:
            repeating = [table.name for table in tables if not _is_unique(table, name)]
            problem = (
                f"{name!r} does not identify the rows of {' and '.join(dict.fromkeys(repeating))}"
            )
            break
    message = f"which column is the key? {problem}; choose one with --key"
    if unique:
        return f"{message}: {format_names(unique)} {'is' if len(unique) == 1 else 'are'} unique"
    if columns:
        return (
            f"{message}: no column alone is unique, but several may be, as in --key A,B;"
            f" the columns are {format_names(columns)}"
        )
    return f"{message}; but the tables have no column in common"


def suggest_name(name: str, names: Sequence[str]) -> str:
    """Return the part of a message that suggests a similar name, if there is one."""
    by_folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    matches = get_close_matches(name.casefold(), by_folded, n=1)
    return f" (did you mean {by_folded[matches[0]]!r}?)" if matches else ""


def format_names(names: Sequence[str]) -> str:
    """Return the first names for a message, and the number of others."""
    shown = [f"{name:.{MAX_NAME_LENGTH}}" for name in names[:MAX_NAMED_COLUMNS]]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
