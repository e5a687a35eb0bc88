"""Sets of real pages with truth. They are not part of the project; those that exist are used."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

_UNPACKED = Path(".data")

RECORDS = (
    "estuka2017",
    "vints-zhao1",
    "vints-zhao2",
    "webdext",
    "bananalyzer",
    "juriscraper",
    "nexteval",
)
NEWS = ("big9", "slo-news", "fundus", "wcxb", "l3s-singles")
TEXT = ("wcxb",)
DETAIL = ("swde", "swde-expanded", "anime")


@dataclass(frozen=True)
class PageSet:
    """An archive of pages and their truth."""

    task: str
    """The folder of the archive: records, detail, news or text."""
    name: str
    archive: Path

    @property
    def key(self) -> str:
        """The name of the set among the floors: text/wcxb and news/wcxb are different sets."""
        return f"{self.task}/{self.name}" if self.task == "text" else self.name

    @cached_property
    def folder(self) -> Path:
        """The folder of the unpacked archive. Each version of an archive is unpacked once."""
        target = _UNPACKED / self.digest
        if not target.exists():
            part = target.with_suffix(".part")
            with tarfile.open(self.archive) as archive:
                archive.extractall(part, filter="data")
            part.rename(target)
        return target / self.name

    @cached_property
    def digest(self) -> str:
        """The start of the SHA-256 hash of the archive."""
        return hashlib.sha256(self.archive.read_bytes()).hexdigest()[:12]

    @property
    def truth(self) -> Path:
        """The file with the truth, one page per line."""
        return self.folder / "truth.jsonl"

    def read_pages(self) -> list[dict[str, Any]]:
        """Return the truth of each page: its file, its site and what is to be extracted."""
        with self.truth.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def list_paths(self) -> list[Path]:
        """Return the files of the pages."""
        return [self.folder / page["page"] for page in self.read_pages()]

    def group_by_site(self) -> dict[str, list[dict[str, Any]]]:
        """Return the truth of the pages of each site."""
        sites: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for page in self.read_pages():
            sites[page["site"]].append(page)
        return sites

    def list_paths_by_site(self) -> list[list[Path]]:
        """Return the files of the pages of each site."""
        sites = self.group_by_site().values()
        return [[self.folder / page["page"] for page in pages] for pages in sites]


def find_page_sets(data: Path, task: str, names: tuple[str, ...]) -> list[PageSet]:
    """Return the sets of these names whose archive exists."""
    sets = [PageSet(task, name, data / task / f"{name}.tar.xz") for name in names]
    return [page_set for page_set in sets if page_set.archive.exists()]
