"""Unique names, of columns, fields, tables and files."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable


def make_unique(name: str, taken: Collection[str]) -> str:
    """Return the name, or the name with the lowest number from 2 on that is not taken."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def append_underscores(name: str, taken: Container[str]) -> str:
    """Return the name, with as many underscores as make it unique."""
    while name in taken:
        name += "_"
    return name


class UniqueNames:
    """Makes names unique: "price", "price_2", "price_3".

    Unlike ``make_unique``, it remembers the last number of each name, so that many equal names take
    linear time.

    Args:
        reserved: Names that are never given.
        ignore_case: Whether names that differ only in case are the same, as for many databases and
            file systems.
        max_bytes: The most bytes of a name in UTF-8. Longer ones are cut between two characters.
        separator: What stands between a name and its number.
    """

    def __init__(
        self,
        reserved: Iterable[str] = (),
        *,
        ignore_case: bool = False,
        max_bytes: int | None = None,
        separator: str = "_",
    ) -> None:
        self._fold = str.casefold if ignore_case else str
        self._max_bytes = max_bytes
        self._separator = separator
        self._taken = {self._fold(name) for name in reserved}
        self._last_numbers: dict[str, int] = {}

    def add(self, name: str, *, always_number: bool = False) -> str:
        """Return the name, with a number from 2 on if it is taken.

        With ``always_number``, it has a number from 1 on.
        """
        candidate = self._shorten(name, "")
        key = self._fold(candidate)
        number = self._last_numbers.get(key, 0) + 1
        if always_number or number > 1:
            candidate = self._shorten(name, f"{self._separator}{number}")
        while self._fold(candidate) in self._taken:
            number += 1
            candidate = self._shorten(name, f"{self._separator}{number}")
        self._last_numbers[key] = number
        self._taken.add(self._fold(candidate))
        return candidate

    def _shorten(self, name: str, ending: str) -> str:
        if self._max_bytes is None or len((name + ending).encode()) <= self._max_bytes:
            return name + ending
        return name.encode()[: self._max_bytes - len(ending)].decode(errors="ignore") + ending
