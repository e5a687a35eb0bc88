"""The folder of a run: what was done is there as files, each complete or not there at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from unweave.errors import UsageError
from unweave.files import explain_write_errors, read_json

# What a run leaves in its folder. Nothing else is ever removed: a folder that is named by mistake may be a user's own.
_OURS = ("plan.json", "archives", "wrappers", "write", "spill", "round-*", "crawl-*")

# Of that, what costs time to make again: what a task has left, or a crawl.
_RESULTS = (
    "archives/*.json",
    "crawl-*/*.warc.gz",
    "round-*/scan/*.db",
    "round-*/sites/*.json",
    "round-*/rows/[!.]*/summary.json",
)


class Work:
    """Names of the files of a run, and how they are written."""

    def __init__(self, folder: str | Path) -> None:
        # Workers may stand elsewhere.
        self.folder = Path(folder).absolute()

    @property
    def plan(self) -> Path:
        """What the run is about: the sources, the options, and the parts."""
        return self.folder / "plan.json"

    def round(self, number: int) -> Path:
        """The folder of a round: pages that fit no template are learned from in the next one."""
        return self.folder / f"round-{number}"

    def scan(self, round_: int, part: int) -> Path:
        """Which pages a part has, and a sample of them."""
        return self.round(round_) / "scan" / f"{part:06d}.db"

    def site(self, round_: int, site: str) -> Path:
        """What was learned of a site."""
        return self.round(round_) / "sites" / f"{digest(site)}.json"

    def rows(self, round_: int, part: int) -> Path:
        """The folder of the rows that a part gave."""
        return self.round(round_) / "rows" / f"{part:06d}"

    def parts(self, round_: int) -> list[dict[str, Any]]:
        """The parts of a round, as plain data."""
        return list(read_json(self.round(round_) / "parts.json"))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runs out of the folder."""
        with explain_write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            file = (self.folder / "lock").open("w")
        with file:
            if not _locked(file.fileno()):
                raise UsageError(f"another run is at work in {self.folder}")
            self.sweep()
            yield

    def has_results(self) -> bool:
        """Tell whether there is something that a later run goes on with, beyond the plan."""
        return any(True for pattern in _RESULTS for _ in self.folder.glob(pattern))

    def sweep(self) -> None:
        """Remove what workers that were killed have left unfinished."""
        for pattern in ("", "archives/", "archives/*/", "round-*/", "round-*/*/"):
            for path in self.folder.glob(f"{pattern}.*.part"):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove what a run has left here."""
        if not self.plan.exists() and not any(self.folder.glob("crawl-*/crawl.json")):
            return  # no run was here
        for path in [path for pattern in _OURS for path in self.folder.glob(pattern)]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Remove what a run has left here, and the folder itself if nothing else is in it."""
        self.clear()
        with suppress(OSError):
            (self.folder / "lock").unlink()
            self.folder.rmdir()


def _locked(file: int) -> bool:
    try:
        import fcntl
    except ImportError:  # not on this system; then nobody is kept out
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def digest(text: str) -> str:
    """A text as a name of a file."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=10).hexdigest()
