"""Rows in order, also where there are more of them than memory should hold.

DuckDB could sort too. But it sorts whole rows, and with the texts of articles in them it gave up: half a gigabyte of memory
was too little for a gigabyte of rows.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from unweave.sinks.cells import Row

Line = tuple[Row, bytes]
"""A row, and how it is written as JSON."""

Order = Callable[[Line], Any]

_HELD = 64 * 2**20
# What Python needs for a cell and its place in the order, beside its text.
_WEIGHT_OF_CELL = 200
# Of each file that is merged a row is held, and rows may be large.
_HELD_OF_FILES = 4 * _HELD
_MOST_AT_ONCE = 16

# Made once: ``json.dumps`` would make one for each row.
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def in_order(
    rows: Iterable[Row], columns: Sequence[int], folder: Path, *, held: int = _HELD
) -> Iterator[Line]:
    """The rows, sorted by the columns, one after the other. Texts are in the order of their bytes; nothing comes last.

    What is more than ``held`` bytes waits in files in the folder.
    """
    order = _order_by([str(column) for column in columns])
    runs: list[Path] = []
    waiting: list[Line] = []
    size = longest = 0
    for line in map(_encoded, rows):
        waiting.append(line)
        size += len(line[1]) + _WEIGHT_OF_CELL * len(columns)
        longest = max(longest, len(line[1]))
        if size > held:
            runs.append(_written(sorted(waiting, key=order), folder / f"run-{len(runs)}.jsonl"))
            waiting, size = [], 0
    waiting.sort(key=order)
    at_once = min(_MOST_AT_ONCE, max(2, _HELD_OF_FILES // max(1, longest)))
    while len(runs) > at_once:
        runs = [_as_one(runs[at : at + at_once], order) for at in range(0, len(runs), at_once)]
    yield from heapq.merge(waiting, *map(_read, runs), key=order)


def _order_by(columns: Sequence[str]) -> Order:
    def key(line: Line) -> list[Any]:
        return [((cell := line[0].get(column)) is None, cell) for column in columns]

    return key


def _as_one(runs: Sequence[Path], order: Order) -> Path:
    """Several files as one, which is named as the first of them."""
    part = _written(heapq.merge(*map(_read, runs), key=order), runs[0].with_suffix(".part"))
    return part.rename(runs[0])


def _encoded(row: Row) -> Line:
    return row, _ENCODER.encode(row).encode() + b"\n"


def _written(lines: Iterable[Line], path: Path) -> Path:
    with path.open("wb") as file:
        file.writelines(line for _, line in lines)
    return path


def _read(path: Path) -> Iterator[Line]:
    """The rows of a file, which is gone when they were read."""
    with path.open("rb") as file:
        for line in file:
            yield json.loads(line), line
    path.unlink()
