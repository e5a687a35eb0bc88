"""Comparing two tables: rows are paired by key, and the cells of a pair compared by value."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from os import PathLike
from typing import Any, NamedTuple

from unweave.comparison.equality import CellComparer, make_comparer
from unweave.comparison.keys import choose_key, suggest_name
from unweave.comparison.rows import Row, RowTable, to_plain
from unweave.errors import UsageError

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
CHANGES = (ADDED, REMOVED, CHANGED)
"""What may have happened to a row, in the order of all outputs."""


class FieldChange(NamedTuple):
    """The cells of a field in both tables; None where it is empty."""

    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class RowChange:
    """What happened to a row."""

    change: str
    """``added``, ``removed`` or ``changed``."""
    key: Mapping[str, Any]
    """The cells of the key; None where they are empty."""
    row: Row | None = None
    """The cells of a row that was added or removed, without empty ones."""
    fields: Mapping[str, FieldChange] = field(default_factory=dict)
    """The fields of a changed row that differ."""

    def to_json(self) -> dict[str, Any]:
        """Return the change as a line of JSON Lines has it."""
        data: dict[str, Any] = {"change": self.change, "key": to_plain(self.key)}
        if self.row is not None:
            return {**data, "row": to_plain(self.row)}
        fields = {name: to_plain(cells._asdict()) for name, cells in self.fields.items()}
        return {**data, "fields": fields}


@dataclass(frozen=True)
class TableDiff:
    """The differences of two tables. It is false if there are none."""

    key: tuple[str, ...]
    """The columns that identify a row."""
    columns: tuple[str, ...]
    """The columns that were compared, without the key."""
    changes: tuple[RowChange, ...]
    """The rows that were added and changed in the order of the new table, those that were removed
    in the order of the old one."""
    unchanged: int
    """The number of rows without a difference."""
    added_columns: Mapping[str, int] = field(default_factory=dict)
    """The columns of the new table only, each with its number of cells that are not empty."""
    removed_columns: Mapping[str, int] = field(default_factory=dict)
    """The columns of the old table only, in the same way."""
    warnings: tuple[str, ...] = ()
    """Messages for the user, such as that a key occurs more than once."""
    old_name: str = "old"
    new_name: str = "new"

    def __bool__(self) -> bool:
        return bool(self.changes or self.added_columns or self.removed_columns)

    @property
    def added(self) -> list[RowChange]:
        """The rows of the new table only."""
        return [change for change in self.changes if change.change == ADDED]

    @property
    def removed(self) -> list[RowChange]:
        """The rows of the old table only."""
        return [change for change in self.changes if change.change == REMOVED]

    @property
    def changed(self) -> list[RowChange]:
        """The rows of both tables that differ."""
        return [change for change in self.changes if change.change == CHANGED]

    def count_changes(self) -> dict[str, int]:
        """Return the number of rows that were added, removed and changed."""
        counts = Counter(change.change for change in self.changes)
        return {name: counts[name] for name in CHANGES}

    def count_fields(self) -> dict[str, int]:
        """Return in how many rows each field changed, most first, then in their order."""
        counts = Counter(name for change in self.changes for name in change.fields)
        order = {name: number for number, name in enumerate(self.columns)}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], order[item[0]])))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the changes as plain data, as the lines of JSON Lines have them."""
        return [change.to_json() for change in self.changes]

    def to_html(self) -> str:
        """Return the differences as a page for the browser, which loads nothing."""
        from unweave.comparison.html_page import build_page

        return build_page(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a ``.jsonl``, ``.json``, ``.csv``, ``.xlsx``, ``.parquet`` or ``.html`` file."""
        from unweave.comparison.writing import write_diff

        write_diff(self, str(path))


def compare_tables(
    old: RowTable,
    new: RowTable,
    *,
    key: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
    only: str | Iterable[str] = (),
    all_columns: bool = False,
) -> TableDiff:
    """Return the differences of two tables.

    ``key`` names the columns that identify a row; without it, ``page`` or ``url`` does. Columns in
    ``ignore``, and with ``only`` all others, are left out. With ``all_columns``, a column that one
    table lacks is empty there; otherwise it is reported, and its cells are not compared.
    """
    key_names = choose_key(old, new, key)
    names = _select_columns(old, new, key_names, ignore, only)
    in_old, in_new = set(old.columns), set(new.columns)
    # A file without rows may not name its columns.
    has_columns = bool(old.columns and new.columns)
    compared = tuple(
        name
        for name in names
        if all_columns or not has_columns or (name in in_old and name in in_new)
    )
    left_out = set(names) - set(compared)
    pairs, unchanged, warnings = _pair_rows(old, new, key_names, compared)
    kept = (*key_names, *names)
    return TableDiff(
        key=key_names,
        columns=compared,
        changes=tuple(_describe_changes(pairs, key_names, kept)),
        unchanged=unchanged,
        added_columns={name: len(new.cells[name]) for name in names if name in left_out & in_new},
        removed_columns={name: len(old.cells[name]) for name in names if name in left_out & in_old},
        warnings=tuple(warnings),
        old_name=old.name,
        new_name=new.name,
    )


def _select_columns(
    old: RowTable,
    new: RowTable,
    key: Sequence[str],
    ignore: str | Iterable[str],
    only: str | Iterable[str],
) -> list[str]:
    """Return the columns of both tables that are neither in the key nor left out."""
    names = list(dict.fromkeys([*new.columns, *old.columns]))
    ignored, chosen = _list_names(ignore), _list_names(only)
    for name in [*ignored, *chosen]:
        if name not in names and names:
            raise UsageError(f"neither table has a column {name!r}{suggest_name(name, names)}")
    left_out = {*key, *ignored}
    return [name for name in names if name not in left_out and (not chosen or name in chosen)]


def _list_names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


# ---- pairs ---------------------------------------------------------------------------------------


class _Pair(NamedTuple):
    """A row of the old table and the row of the new one that it became; None if there is none."""

    old: Row | None
    new: Row | None
    fields: tuple[str, ...] = ()
    """The fields that differ."""


class _RowComparer:
    """Compares rows by their key, and by the columns that both tables have."""

    def __init__(
        self, old: RowTable, new: RowTable, key: Sequence[str], columns: Sequence[str]
    ) -> None:
        def make_comparers(names: Sequence[str]) -> dict[str, CellComparer]:
            return {
                name: make_comparer(old.cells.get(name, []), new.cells.get(name, []))
                for name in names
            }

        self._key = make_comparers(key)
        self._columns = make_comparers(columns)
        self._numbers = {name: number for number, name in enumerate(columns)}

    def get_key(self, row: Row) -> tuple[Hashable, ...]:
        """Return the comparable values of the key."""
        return tuple(comparer.to_comparable(row.get(name)) for name, comparer in self._key.items())

    def get_cells(self, row: Row) -> frozenset[tuple[str, Hashable]]:
        """Return the comparable values of the cells that are not empty, with their columns."""
        return frozenset(
            (name, self._columns[name].to_comparable(cell))
            for name, cell in row.items()
            if name in self._columns
        )

    def find_differences(self, old: Row, new: Row) -> tuple[str, ...]:
        """Return the columns with different cells, in the order of the columns."""
        names = []
        for name in {**new, **old}:  # far fewer than all columns, where rows have few cells
            if comparer := self._columns.get(name):
                before, after = old.get(name), new.get(name)
                if type(before) is type(after) is str and before == after:  # as most cells
                    continue
                if comparer.to_comparable(before) != comparer.to_comparable(after):
                    names.append(name)
        return tuple(sorted(names, key=self._numbers.__getitem__))


def _pair_rows(
    old: RowTable, new: RowTable, key: Sequence[str], columns: Sequence[str]
) -> tuple[list[_Pair], int, list[str]]:
    """Return the pairs that differ, the number of equal pairs, and warnings about keys."""
    comparer = _RowComparer(old, new, key, columns)
    old_rows, new_rows = (_group_rows(table, comparer) for table in (old, new))
    warnings = [
        warning
        for table, groups in ((old, old_rows), (new, new_rows))
        for warning in _describe_repeated_keys(table.name, groups, key)
    ]
    if old_rows and new_rows and old_rows.keys().isdisjoint(new_rows):
        warnings.append(
            f"no row of {old.name} has the same key ({', '.join(key)}) as a row of {new.name};"
            " is another column the key?"
        )
    partners: dict[int, _Pair] = {}
    removed: set[int] = set()
    unchanged = 0
    for row_key in dict.fromkeys([*old_rows, *new_rows]):
        group = _pair_group(
            old_rows.get(row_key, []),
            new_rows.get(row_key, []),
            comparer,
            has_key=any(cell is not None for cell in row_key),
        )
        for pair in group:
            if pair.new is not None:
                if pair.old is not None and not pair.fields:
                    unchanged += 1
                else:
                    partners[id(pair.new)] = pair
            else:
                removed.add(id(pair.old))
    pairs = [partners[id(row)] for row in new.rows if id(row) in partners]
    pairs += [_Pair(row, None) for row in old.rows if id(row) in removed]
    return pairs, unchanged, warnings


def _group_rows(table: RowTable, comparer: _RowComparer) -> dict[tuple[Hashable, ...], list[Row]]:
    groups: dict[tuple[Hashable, ...], list[Row]] = {}
    for row in table.rows:
        groups.setdefault(comparer.get_key(row), []).append(row)
    return groups


def _pair_group(
    old: list[Row], new: list[Row], comparer: _RowComparer, *, has_key: bool
) -> Iterator[_Pair]:
    """Yield the pairs of the rows of one key: equal rows first, the others in order.

    Rows without a key are the same only if they are equal.
    """
    if len(old) > 1 or len(new) > 1 or not has_key:
        old, new, equal = _split_equal_rows(old, new, comparer)
        yield from equal
    if not has_key:
        yield from (_Pair(row, None) for row in old)
        yield from (_Pair(None, row) for row in new)
        return
    for before, after in zip_longest(old, new):
        is_pair = before is not None and after is not None
        yield _Pair(before, after, comparer.find_differences(before, after) if is_pair else ())


def _split_equal_rows(
    old: list[Row], new: list[Row], comparer: _RowComparer
) -> tuple[list[Row], list[Row], list[_Pair]]:
    """Return the rows of both tables without an equal one in the other, and the equal pairs."""
    waiting: dict[frozenset[tuple[str, Hashable]], deque[Row]] = {}
    for row in old:
        waiting.setdefault(comparer.get_cells(row), deque()).append(row)
    equal: list[_Pair] = []
    rest: list[Row] = []
    for row in new:
        if candidates := waiting.get(comparer.get_cells(row)):
            equal.append(_Pair(candidates.popleft(), row))
        else:
            rest.append(row)
    unpaired = {id(row) for rows in waiting.values() for row in rows}
    return [row for row in old if id(row) in unpaired], rest, equal


def _describe_repeated_keys(
    name: str, groups: Mapping[tuple[Hashable, ...], list[Row]], key: Sequence[str]
) -> Iterator[str]:
    """Yield warnings about rows of a table that their key does not identify."""
    columns = ", ".join(key)
    without_key = len(groups.get((None,) * len(key), ()))
    if without_key:
        rows = "1 row has" if without_key == 1 else f"{without_key:,} rows have"
        yield (
            f"{name}: {rows} an empty key ({columns}): such rows are compared as a whole, and are"
            " added or removed if the other table has no equal row"
        )
    sizes = [
        len(rows)
        for row_key, rows in groups.items()
        if len(rows) > 1 and any(cell is not None for cell in row_key)
    ]
    if sizes:
        keys = "1 key occurs" if len(sizes) == 1 else f"{len(sizes):,} keys occur"
        yield (
            f"{name}: {keys} more than once ({columns}; {sum(sizes):,} rows): rows with equal keys"
            " are paired in order, equal rows first"
        )


def _describe_changes(
    pairs: Iterable[_Pair], key: Sequence[str], columns: Sequence[str]
) -> Iterator[RowChange]:
    """Yield the changes: rows that were added, removed, changed."""
    changes: dict[str, list[RowChange]] = {name: [] for name in CHANGES}
    for old, new, fields in pairs:
        row = old if new is None else new
        if row is None:
            continue
        row_key = {name: row.get(name) for name in key}
        if old is not None and new is not None:
            differences = {name: FieldChange(old.get(name), new.get(name)) for name in fields}
            changes[CHANGED].append(RowChange(CHANGED, row_key, fields=differences))
        else:
            kept = {name: row[name] for name in columns if name in row}
            kind = ADDED if old is None else REMOVED
            changes[kind].append(RowChange(kind, row_key, kept))
    for name in CHANGES:
        yield from changes[name]
