"""Opening an output for writing: a file, or standard output."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from unweave.errors import SinkError, UsageError
from unweave.files import open_atomic
from unweave.text_cleaning import replace_control_characters

STANDARD_OUTPUT = "-"

# Names of files may have bytes that are not UTF-8: they are written as escapes.
TEXT_OPTIONS: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}


@contextmanager
def open_text(path: str) -> Iterator[TextIO]:
    """Open a text file, or standard output, for writing."""
    if path == STANDARD_OUTPUT:
        yield _get_text_output()
        return
    with open_atomic(path, "w", **TEXT_OPTIONS) as file:
        yield cast(TextIO, file)


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open a binary file, or standard output, for writing."""
    if path == STANDARD_OUTPUT:
        if sys.stdout is None:
            raise SinkError("standard output is closed")
        if sys.stdout.isatty():
            raise UsageError("a terminal cannot show this format: give a file with -o")
        yield sys.stdout.buffer
        return
    with open_atomic(path, "wb") as file:
        yield cast(BinaryIO, file)


def _get_text_output() -> TextIO:
    if sys.stdout is None:
        raise SinkError("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**TEXT_OPTIONS)
    if sys.stdout.isatty():
        return cast(TextIO, _Terminal(sys.stdout))
    return sys.stdout


class _Terminal(io.TextIOBase):
    """A terminal that does not get the control characters of untrusted pages."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write the text without control characters."""
        return self._terminal.write(
            "\n".join(replace_control_characters(line) for line in text.split("\n"))
        )


def check_parent_folder(out: str, target: Path) -> None:
    """Raise SinkError, which names ``out``, if the folder of the target cannot be written to."""
    parent = target.parent
    if not parent.is_dir():
        raise SinkError(f"cannot write {out}: there is no folder {parent}")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise SinkError(f"cannot write {out}: nothing can be written to the folder {parent}")


def check_database_file(
    out: str,
    target: Path,
    *,
    name: str,
    magic: bytes,
    offset: int = 0,
    log_endings: Sequence[str],
) -> None:
    """Raise SinkError if a database cannot be written, or what is there is none to replace.

    Args:
        out: The output as the user named it.
        target: Its path.
        name: What it should be, as in "a DuckDB database".
        magic: The bytes that such databases have at the offset.
        offset: Where they are.
        log_endings: What is appended to the names of files that exist while it is in use.
    """
    if target.is_dir():
        raise SinkError(f"cannot write {out}: it is a folder")
    check_parent_folder(out, target)
    if target.exists():
        with target.open("rb") as file:
            start = file.read(offset + len(magic))
        if start[offset:] != magic:
            raise SinkError(f"cannot write {out}: the file exists and is not {name}")
    for ending in log_endings:
        log = Path(f"{target}{ending}")
        if log.exists():
            raise SinkError(
                f"cannot replace {out}: it is in use or was not closed ({log.name} exists)"
            )
