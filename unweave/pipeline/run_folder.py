"""The folder of a run: the results of its tasks as files, each of which is complete or missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from unweave.errors import UsageError
from unweave.files import explain_write_errors, read_json
from unweave.sinks.registry import is_database_address

# Everything that a run creates in its folder. Nothing else is removed: the user may have named a
# folder with other files by mistake.
_CREATED = ("plan.json", "archives", "wrappers", "write", "spill", "round-*", "crawl-*", "source-*")

# The results that a later run continues with.
_RESULTS = (
    "archives/*.json",
    "crawl-*/*.warc.gz",
    "source-*/*.warc.gz",
    "round-*/scan/*.db",
    "round-*/sites/*.json",
    "round-*/rows/[!.]*/summary.json",
)

_UNFINISHED = ("", "archives/", "archives/*/", "round-*/", "round-*/*/")


class RunFolder:
    """The paths of the files of a run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()  # workers may have another current folder

    @property
    def plan(self) -> Path:
        """The file with the sources and the options of the run."""
        return self.path / "plan.json"

    def get_round(self, number: int) -> Path:
        """Return the folder of a round."""
        return self.path / f"round-{number}"

    def get_shard_list(self, round_number: int) -> Path:
        """Return the file with the shards of a round."""
        return self.get_round(round_number) / "parts.json"

    def read_shards(self, round_number: int) -> list[dict[str, Any]]:
        """Return the shards of a round as plain data."""
        return list(read_json(self.get_shard_list(round_number)))

    def get_site_counts(self, round_number: int) -> Path:
        """Return the file with the number of pages of each site."""
        return self.get_round(round_number) / "sites.json"

    def get_scan(self, round_number: int, shard: int) -> Path:
        """Return the database with the index of a shard and a sample of its pages."""
        return self.get_round(round_number) / "scan" / f"{shard:06d}.db"

    def get_site(self, round_number: int, site: str) -> Path:
        """Return the file with the templates of a site."""
        return self.get_round(round_number) / "sites" / f"{hash_name(site)}.json"

    def get_rows(self, round_number: int, shard: int) -> Path:
        """Return the folder with the rows of a shard."""
        return self.get_round(round_number) / "rows" / f"{shard:06d}"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder and keep other runs out of it. Raises UsageError if one is there."""
        with explain_write_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / "lock").open("w")
        with file:
            if not _lock_file(file.fileno()):
                raise UsageError(f"another run is at work in {self.path}")
            self.remove_unfinished()
            yield

    def has_results(self) -> bool:
        """Tell whether a later run could continue with something, other than the plan."""
        return any(True for pattern in _RESULTS for _ in self.path.glob(pattern))

    def remove_unfinished(self) -> None:
        """Remove the unfinished files of workers that were killed."""
        for pattern in _UNFINISHED:
            for path in self.path.glob(f"{pattern}.*.part"):
                _remove(path)

    def remove_rows(self) -> None:
        """Remove the rows of all rounds; what was learned is kept."""
        for path in self.path.glob("round-*/rows"):
            _remove(path)

    def clear(self) -> None:
        """Remove everything that a run has created in the folder."""
        if not self.plan.exists() and not any(self.path.glob("crawl-*/crawl.json")):
            return  # not a folder of a run
        for path in [path for pattern in _CREATED for path in self.path.glob(pattern)]:
            _remove(path)

    def remove(self) -> None:
        """Remove everything that a run has created, and the folder if nothing else is in it."""
        self.clear()
        with suppress(OSError):
            (self.path / "lock").unlink()
            self.path.rmdir()


def get_default_folder(output: str) -> str:
    """Return the folder for the results of a run: beside its output."""
    if is_database_address(output):
        return f"unweave-{hash_name(output)}.work"
    return f"{output.rstrip('/')}.work"


def hash_name(name: str) -> str:
    """Return a hash of any name that can be the name of a file."""
    return blake2b(name.encode(errors="surrogatepass"), digest_size=10).hexdigest()


def _lock_file(file: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: runs are not kept out
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
