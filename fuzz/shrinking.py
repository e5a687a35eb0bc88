"""Shrinking of failing inputs: parts, elements and bytes are dropped while the failure stays."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from fuzz.cases import Case, with_parts
from fuzz.markup import tokenize

MAX_RUNS = 600
MAX_SECONDS = 60.0

Fails = Callable[[Case], bool]
"""Tells whether an input still fails in the same way."""


class _OutOfBudget(Exception):
    pass


def shrink(
    case: Case, fails: Fails, *, max_runs: int = MAX_RUNS, max_seconds: float = MAX_SECONDS
) -> Case:
    """Return a smaller input that fails in the same way, within a budget of runs and time."""
    best = case
    runs, until = 0, time.monotonic() + max_seconds

    def try_parts(parts: Sequence[bytes]) -> bool:
        """Try these parts, and keep them if they fail."""
        nonlocal best, runs
        if runs >= max_runs or time.monotonic() > until:
            raise _OutOfBudget
        runs += 1
        candidate = with_parts(best, parts)
        if not fails(candidate):
            return False
        best = candidate
        return True

    try:
        size = -1
        while size != sum(map(len, best.parts)):
            size = sum(map(len, best.parts))
            _drop_parts(best.parts, try_parts)
            for number in range(len(best.parts)):
                _shrink_part(best.parts, number, try_parts)
    except _OutOfBudget:
        pass
    return best


def _drop_parts(parts: Sequence[bytes], try_parts: Callable[[Sequence[bytes]], bool]) -> None:
    kept = list(parts)
    for part in list(parts):
        fewer = list(kept)
        fewer.remove(part)
        if fewer and try_parts(fewer):
            kept = fewer


def _shrink_part(
    parts: Sequence[bytes], number: int, try_parts: Callable[[Sequence[bytes]], bool]
) -> None:
    def try_part(part: bytes) -> bool:
        return try_parts([*parts[:number], part, *parts[number + 1 :]])

    part = parts[number]
    if (data := _parse_json(part)) is not None:
        part = _shrink_json(data, try_part)
        return
    tokens = [token.encode("latin-1") for token in tokenize(part.decode("latin-1"))]
    part = b"".join(_drop_chunks(tokens, lambda kept: try_part(b"".join(kept))))
    _drop_chunks(
        [part[at : at + 1] for at in range(len(part))], lambda kept: try_part(b"".join(kept))
    )


def _drop_chunks(items: list[bytes], try_part: Callable[[list[bytes]], bool]) -> list[bytes]:
    """Drop chunks of items that are not needed, in ever smaller chunks (delta debugging)."""
    size = max(1, len(items) // 2)
    while items:
        at = 0
        while at < len(items):
            fewer = items[:at] + items[at + size :]
            if fewer and try_part(fewer):
                items = fewer
            else:
                at += size
        if size == 1:
            break
        size = max(1, size // 2)
    return items


def _parse_json(part: bytes) -> Any:
    if not part.startswith((b"{", b"[")):
        return None
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        return None


def _shrink_json(data: Any, try_part: Callable[[bytes], bool]) -> bytes:
    """Return JSON without the keys and items that are not needed, outer ones first."""
    rejected: set[tuple[Any, ...]] = set()
    while True:
        for path in _iter_paths(data):
            if path in rejected:
                continue
            fewer = deepcopy(data)
            target = fewer
            for step in path[:-1]:
                target = target[step]
            del target[path[-1]]
            if try_part(json.dumps(fewer).encode()):
                data = fewer
                break
            rejected.add(path)
        else:
            return json.dumps(data).encode()


def _iter_paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all keys and items, outer ones first, and of lists the last item first."""
    keys = (
        list(data)
        if isinstance(data, dict)
        else list(range(len(data)))[::-1]
        if isinstance(data, list)
        else []
    )
    for key in keys:
        yield (*path, key)
    for key in keys:
        yield from _iter_paths(data[key], (*path, key))
