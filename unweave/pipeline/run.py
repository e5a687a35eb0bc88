"""A run from sources to tables: its steps, each of which can be taken up again where it was left.

Workers leave what they have done as files in the folder of the run. A step asks for all of its tasks; those that were done
already say so at once. So a run that was killed goes on where it was, and the result is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unweave.errors import SourceError, UsageError
from unweave.files import read_json, write_json
from unweave.pipeline.apply import LEFT, apply
from unweave.pipeline.naming import slugs
from unweave.pipeline.scan import scan
from unweave.pipeline.steps import learn_sites, split_archive
from unweave.pipeline.work import Work, digest
from unweave.runners.runner import Result, Runner, Serial, Task
from unweave.runners.runner import Work as Function
from unweave.sources.selection import find_files
from unweave.sources.shards import StoreShard, encode_shard, make_file_shards

VERSION = 2
STEPS = ("plan", "scan", "learn", "apply", "write")
"""The steps of a run in their order."""

SAMPLE = 300
"""Pages of a site that its templates are learned from."""

ROUNDS = 3
"""Pages that fit no template are learned from by themselves: rare templates are not in the first sample."""

_SITES_AT_ONCE = 50

Progress = Callable[[str, int, int], None]
"""Is told the step, how much of it is done, and how much there is."""


def silent(step: str, done: int, total: int) -> None:
    """Nobody looks."""


@dataclass
class Run:
    """A run in its folder."""

    work: Work
    runner: Runner = field(default_factory=Serial)
    progress: Progress = silent
    sample: int = SAMPLE
    texts: bool = False
    """Are all values to be the texts that pages show?"""

    # ---- plan ------------------------------------------------------------------------------------------------

    def plan(self, sources: Sequence[str], paths: Sequence[Path]) -> None:
        """Find out what the sources have, and cut it into parts; or check that a plan that is there is for them.

        The paths are where the sources are, or where they were fetched to.
        """
        paths = [path.absolute() for path in paths]
        found = [(path, *find_files(path)) for path in paths]
        asked = {"sources": list(sources), "sample": self.sample, "texts": self.texts}
        wanted = {"version": VERSION, **asked, "seen": [*map(_seen, found)]}
        listed = self.work.round(1) / "parts.json"
        if not self.work.plan.exists():
            write_json(self.work.plan, wanted)
        elif read_json(self.work.plan) != wanted:
            raise UsageError(
                f"{self.work.folder} has the work of another run, or its source has changed: start anew with --fresh"
            )
        self.runner.check([self.work.plan, *paths])
        if listed.exists():
            return
        archives = [archive for _, _, own in found for archive in own]
        tasks = [{"folder": str(self.work.folder), "archive": str(path)} for path in archives]
        split = {own["archive"]: own["parts"] for own in self._all("plan", split_archive, tasks)}
        parts = [
            encode_shard(part) for path, names, _ in found for part in make_file_shards(path, names)
        ]
        parts += [part for path in archives for part in split[str(path)]]
        if not parts:
            raise SourceError(f"{', '.join(map(str, sources))}: no pages there")
        write_json(listed, parts, make_parents=True)

    # ---- rounds ----------------------------------------------------------------------------------------------

    def scan(self, round_: int = 1) -> None:
        """Look at all parts: which sites there are, and a sample of the pages of each."""
        counts: Counter[str] = Counter()
        for result in self._all("scan", scan, self._tasks(round_, sample=self.sample)):
            counts.update(result["sites"])
        write_json(
            self.work.round(round_) / "sites.json", dict(sorted(counts.items())), make_parents=True
        )

    def learn(self, round_: int = 1) -> None:
        """Learn the templates of every site."""
        counts = read_json(self.work.round(round_) / "sites.json")
        prefixes = slugs(list(read_json(self.work.round(1) / "sites.json")))
        sites = sorted(counts, key=lambda site: (-counts[site], site))
        parts = len(self.work.parts(round_))
        tasks = [
            {
                "folder": str(self.work.folder),
                "round": round_,
                "parts": parts,
                "sample": self.sample,
                "sites": {site: prefixes[site] for site in some},
            }
            for some in _together(sites, counts, self.sample)
        ]
        for _ in self._all("learn", learn_sites, tasks):
            pass

    def apply(self, round_: int = 1) -> int:
        """Read all pages, and give the number of those that are left for the next round."""
        left = 0
        for result in self._all(
            "apply", apply, self._tasks(round_, is_last=round_ == ROUNDS, texts=self.texts)
        ):
            left += result["counts"].get("left", 0)
        return left

    def go_on(self, until: str = STEPS[-1]) -> int:
        """All rounds of the three steps, as far as this step. Gives the number of rounds."""
        round_ = 1
        while True:
            for step, work in (("scan", self.scan), ("learn", self.learn)):
                work(round_)
                if step == until:
                    return round_
            left = self.apply(round_)
            if not left or round_ == ROUNDS:
                return round_
            self._leave(round_)
            round_ += 1

    def _leave(self, round_: int) -> None:
        """What a round has left are the parts of the next one."""
        listed = self.work.round(round_ + 1) / "parts.json"
        if not listed.exists():
            stores = [
                self.work.rows(round_, part) / LEFT for part in range(len(self.work.parts(round_)))
            ]
            write_json(
                listed,
                [encode_shard(StoreShard(str(path.resolve()))) for path in stores],
                make_parents=True,
            )

    def _tasks(self, round_: int, **more: Any) -> list[Task]:
        own = {"folder": str(self.work.folder), "round": round_, **more}
        return [
            {**own, "part": number, "source": source}
            for number, source in enumerate(self.work.parts(round_))
        ]

    def _all(self, step: str, function: Function, tasks: Sequence[Task]) -> Iterator[Result]:
        self.progress(step, 0, len(tasks))
        for done, result in enumerate(self.runner.map(function, tasks), start=1):
            self.progress(step, done, len(tasks))
            yield result


def _seen(found: tuple[Path, list[str], list[Path]]) -> list[Any]:
    """What tells whether a source is still the same."""
    path, names, archives = found
    return [
        str(path.resolve()),
        digest("\n".join(names)),
        [[str(own), own.stat().st_size] for own in archives],
    ]


def _together(sites: Sequence[str], counts: dict[str, int], sample: int) -> Iterator[list[str]]:
    """The sites in tasks of about the same work: a large one alone, small ones together."""
    some: list[str] = []
    for site in sites:
        if some and (
            len(some) == _SITES_AT_ONCE or sum(counts[own] for own in some) + counts[site] > sample
        ):
            yield some
            some = []
        some.append(site)
    if some:
        yield some
