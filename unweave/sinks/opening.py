"""Files for writing, or standard output. A file appears under its name only when it is complete."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from unweave.errors import SinkError, UsageError
from unweave.text import plain

STANDARD_OUTPUT = "-"

# Names of files may hold bytes that are no UTF-8: they are written as escapes.
_ENCODING: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}


@contextmanager
def open_text(path: str) -> Iterator[TextIO]:
    """A text file for writing, or standard output."""
    if path == STANDARD_OUTPUT:
        yield _standard_output()
        return
    with _complete_or_nothing(path, "w", **_ENCODING) as file:
        yield cast(TextIO, file)


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """A file for writing bytes, or standard output."""
    if path == STANDARD_OUTPUT:
        yield _binary_output()
        return
    with _complete_or_nothing(path, "wb") as file:
        yield cast(BinaryIO, file)


@contextmanager
def _complete_or_nothing(path: str, mode: str, **options: Any) -> Iterator[IO[Any]]:
    """A file that has the rights of an older one. What is no file, such as a pipe or a device, is written to as it is."""
    if os.path.isdir(path):
        raise SinkError(f"cannot write {path}: it is a folder")
    target = Path(os.path.realpath(path))
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, mode, **options) as file:
                yield file
            return
        handle, part = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from None
    try:
        with open(handle, mode, **options) as file:
            yield file
        os.chmod(part, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~umask())
        os.replace(part, target)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _binary_output() -> BinaryIO:
    if sys.stdout is None:
        raise SinkError("standard output is closed")
    if sys.stdout.isatty():
        raise UsageError("a terminal cannot show this format: give a file with -o")
    return sys.stdout.buffer


def _standard_output() -> TextIO:
    if sys.stdout is None:
        raise SinkError("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(**_ENCODING)
    if sys.stdout.isatty():
        return cast(TextIO, _Harmless(sys.stdout))
    return sys.stdout


class _Harmless(io.TextIOBase):
    """A terminal that pages cannot steer."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write the text without what a terminal would obey."""
        return self._terminal.write("\n".join(plain(line) for line in text.split("\n")))


def umask() -> int:
    """The rights that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
