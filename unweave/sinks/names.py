"""Names of tables, columns and files, which come from strangers, such that every sink can tell them apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from unweave.sinks.cells import storable

UNNAMED = "unnamed"

_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
_LONGEST_FILE = 100
# Windows knows devices by these names, whatever ending stands behind them.
_DEVICES = ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))]


def distinct(names: Sequence[str], *, longest: int | None = None, reserved: Iterable[str] = ()) -> list[str]:
    """The names, none empty, and no two alike but for case: databases and file systems may not tell those apart.

    Of names that are alike the first stays as it is, and the others get a number. ``longest`` is the most bytes that a name
    may have; ``reserved`` are names that must not be used.
    """
    taken = {name.casefold() for name in reserved}
    tried: dict[str, int] = {}
    found = []
    for name in names:
        base = storable(name) or UNNAMED
        own = wanted = _shortened(base, "", longest)
        number = tried.get(wanted.casefold(), 1)
        while own.casefold() in taken:
            number += 1
            own = _shortened(base, f"_{number}", longest)
        tried[wanted.casefold()] = number
        taken.add(own.casefold())
        found.append(own)
    return found


def file_names(names: Sequence[str]) -> list[str]:
    """The names as names of files, without ending: letters of any script, digits, and no signs that a shell would read."""
    return distinct([_for_file(name) for name in names], longest=_LONGEST_FILE, reserved=_DEVICES)


def _for_file(name: str) -> str:
    return _NOT_FOR_FILES.sub("_", unicodedata.normalize("NFC", storable(name))).lstrip(".-").rstrip(".")


def _shortened(name: str, ending: str, longest: int | None) -> str:
    """The name with the ending, cut between two characters if it has too many bytes."""
    if longest is None or len((name + ending).encode()) <= longest:
        return name + ending
    return name.encode()[: longest - len(ending)].decode(errors="ignore") + ending
