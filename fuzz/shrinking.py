"""Smaller inputs with the same failure: parts, elements and bytes are left out while the failure stays what it is."""

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
"""Does the input still fail in the same way?"""


class _OutOfBudget(Exception):
    pass


def shrink(
    case: Case, fails: Fails, *, max_runs: int = MAX_RUNS, max_seconds: float = MAX_SECONDS
) -> Case:
    """Return a smaller input that fails in the same way, as small as it gets within the budget."""
    best = case
    runs, until = 0, time.monotonic() + max_seconds

    def is_smaller(parts: Sequence[bytes]) -> bool:
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
            _drop_parts(best.parts, is_smaller)
            for number in range(len(best.parts)):
                _shrink_part(best.parts, number, is_smaller)
    except _OutOfBudget:
        pass
    return best


def _drop_parts(parts: Sequence[bytes], is_smaller: Callable[[Sequence[bytes]], bool]) -> None:
    kept = list(parts)
    for part in list(parts):
        fewer = list(kept)
        fewer.remove(part)
        if fewer and is_smaller(fewer):
            kept = fewer


def _shrink_part(
    parts: Sequence[bytes], number: int, is_smaller: Callable[[Sequence[bytes]], bool]
) -> None:
    def is_kept(part: bytes) -> bool:
        return is_smaller([*parts[:number], part, *parts[number + 1 :]])

    part = parts[number]
    if (data := _as_json(part)) is not None:
        part = _shrink_json(data, is_kept)
        return
    tokens = [token.encode("latin-1") for token in tokenize(part.decode("latin-1"))]
    part = b"".join(_leave_out(tokens, lambda kept: is_kept(b"".join(kept))))
    _leave_out([part[at : at + 1] for at in range(len(part))], lambda kept: is_kept(b"".join(kept)))


def _leave_out(items: list[bytes], is_kept: Callable[[list[bytes]], bool]) -> list[bytes]:
    """Return the items without the chunks that are not needed; chunks get smaller and smaller (delta debugging)."""
    size = max(1, len(items) // 2)
    while items:
        at = 0
        while at < len(items):
            fewer = items[:at] + items[at + size :]
            if fewer and is_kept(fewer):
                items = fewer
            else:
                at += size
        if size == 1:
            break
        size = max(1, size // 2)
    return items


def _as_json(part: bytes) -> Any:
    if not part.startswith((b"{", b"[")):
        return None
    try:
        return json.loads(part)
    except (ValueError, RecursionError):
        return None


def _shrink_json(data: Any, is_kept: Callable[[bytes], bool]) -> bytes:
    """Return JSON without the keys and items that are not needed, outer ones first."""
    rejected: set[tuple[Any, ...]] = set()
    while True:
        for path in _paths(data):
            if path in rejected:
                continue
            fewer = deepcopy(data)
            target = fewer
            for step in path[:-1]:
                target = target[step]
            del target[path[-1]]
            if is_kept(json.dumps(fewer).encode()):
                data = fewer
                break
            rejected.add(path)
        else:
            return json.dumps(data).encode()


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
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
        yield from _paths(data[key], (*path, key))
