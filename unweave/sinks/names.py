"""Names of tables, columns and files, which come from strangers, such that every sink can tell them apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from unweave.names import UniqueNames
from unweave.sinks.cells import storable

UNNAMED = "unnamed"

_NOT_FOR_FILES = re.compile(r"[^\w.-]+")
_LONGEST_FILE = 100
# Windows knows devices by these names, whatever ending stands behind them.
_DEVICES = [
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
]


def make_names_unique(
    names: Sequence[str], *, max_bytes: int | None = None, reserved: Iterable[str] = ()
) -> list[str]:
    """Return the names, none empty, and no two equal but for case.

    Databases and file systems may not distinguish case. The first of equal names stays as it is, the
    others get a number. ``max_bytes`` limits the bytes of a name; ``reserved`` names are not used.
    """
    unique = UniqueNames(reserved, ignore_case=True, max_bytes=max_bytes)
    return [unique.add(storable(name) or UNNAMED) for name in names]


def make_file_names(names: Sequence[str]) -> list[str]:
    """The names as names of files, without ending: letters of any script, digits, and no signs that a shell would read."""
    return make_names_unique(
        [_for_file(name) for name in names], max_bytes=_LONGEST_FILE, reserved=_DEVICES
    )


def _for_file(name: str) -> str:
    return (
        _NOT_FOR_FILES.sub("_", unicodedata.normalize("NFC", storable(name)))
        .lstrip(".-")
        .rstrip(".")
    )
