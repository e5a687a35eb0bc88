"""What is written appears under its name only when it is complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unweave.errors import SinkError
from unweave.sinks.opening import umask

# Cut: names of files have at most 255 bytes, and a character up to four.
_LONGEST = 50


def check_parent(out: str, target: Path) -> None:
    """Raise if nothing can be put where the target should be."""
    parent = target.parent
    if not parent.is_dir():
        raise SinkError(f"cannot write {out}: there is no folder {parent}")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise SinkError(f"cannot write {out}: nothing can be written to the folder {parent}")


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """A folder beside the target, on the same disk, that is gone afterwards with all that is left in it."""
    part = Path(tempfile.mkdtemp(prefix=f".{target.name[:_LONGEST]}.", suffix=".part", dir=target.parent))
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def replace_file(new: Path, target: Path) -> None:
    """Put the file there, with the rights that an older one had."""
    if target.exists():
        new.chmod(target.stat().st_mode & 0o7777)
    os.replace(new, target)


def replace_folder(new: Path, target: Path) -> None:
    """Put the folder there, with the rights that an older one had; that one stays behind beside the new one's place."""
    new.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o777 & ~umask())
    old = new.with_name(f"{new.name}.old")
    try:
        if target.exists():
            os.rename(target, old)
        os.rename(new, target)
    except BaseException:
        if old.exists() and not target.exists():
            os.rename(old, target)
        raise
