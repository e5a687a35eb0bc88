"""The sets of real pages with truth. They are not part of the project; they are used where they are at hand."""

from __future__ import annotations

import hashlib
import json
import tarfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

UNPACKED = Path(".data")

RECORDS = ("estuka2017", "vints-zhao1", "vints-zhao2", "webdext", "bananalyzer", "juriscraper")
NEWS = ("big9", "slo-news", "fundus", "wcxb", "l3s-singles")
DETAIL = ("swde", "swde-expanded", "anime")


@dataclass(frozen=True)
class PageSet:
    """One archive: pages, and what is true of them."""

    kind: str
    name: str
    archive: Path

    @cached_property
    def folder(self) -> Path:
        """The unpacked archive; unpacked once for each content."""
        target = UNPACKED / self.digest
        if not target.exists():
            part = target.with_suffix(".part")
            with tarfile.open(self.archive) as archive:
                archive.extractall(part, filter="data")
            part.rename(target)
        return target / self.name

    @cached_property
    def digest(self) -> str:
        """The content of the archive in twelve characters."""
        return hashlib.sha256(self.archive.read_bytes()).hexdigest()[:12]

    @property
    def truth(self) -> Path:
        """One page a line, with what is true of it."""
        return self.folder / "truth.jsonl"

    def pages(self) -> list[dict[str, Any]]:
        """The lines of the truth."""
        with self.truth.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def paths(self) -> list[Path]:
        """The files of the pages."""
        return [self.folder / page["page"] for page in self.pages()]


def page_sets(data: Path, kind: str, names: tuple[str, ...]) -> list[PageSet]:
    """Those of the sets that are at hand."""
    sets = [PageSet(kind, name, data / kind / f"{name}.tar.xz") for name in names]
    return [page_set for page_set in sets if page_set.archive.exists()]
