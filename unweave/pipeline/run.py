"""Run ``site``: plan, scan, learn, apply and write, from sources to tables.

Workers write the results of their tasks as files to the folder of the run. A step starts all of
its tasks, and those that were done before return at once. So a run that was interrupted or killed
can be continued, with the same result.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unweave.errors import SourceError, UsageError
from unweave.files import read_json, write_json, write_text
from unweave.names import UniqueNames
from unweave.pipeline.apply import REMAINING, apply_to_shard
from unweave.pipeline.learn import learn_sites
from unweave.pipeline.options import Progress, SiteOptions, no_progress
from unweave.pipeline.plan import fetch_sources, split_archive, write_plan
from unweave.pipeline.rows import list_table_columns
from unweave.pipeline.run_folder import RunFolder, get_default_folder, hash_name
from unweave.pipeline.scan import scan_shard
from unweave.pipeline.selection import SiteSelection
from unweave.pipeline.templates import make_site_prefixes
from unweave.pipeline.write import Summary, read_templates, write_tables
from unweave.runners.runner import Result, Runner, SerialRunner, Task, TaskFunction
from unweave.sinks.registry import choose_sink, hide_password
from unweave.sources.shards import StoreShard, encode_shard, make_file_shards

MAX_ROUNDS = 3
"""Pages that fit no template are sampled again: rare templates are not in the first sample."""

MAX_SITES_PER_TASK = 50

_log = logging.getLogger("unweave.pipeline")


def run_site(
    sources: Sequence[str],
    output: str,
    options: SiteOptions | None = None,
    *,
    runner: Runner | None = None,
    progress: Progress = no_progress,
) -> Summary:
    """Sort the pages of sources into tables, one for each template, and write them.

    Results of an earlier run in the same folder are used again. A run that fails or is interrupted
    leaves its results in the folder. If there are none, and the folder was not named and has no
    plan of an earlier run, it is removed.
    """
    options = options or SiteOptions()
    if not sources:
        raise UsageError("there is no source to read")
    run_name = hash_name("\n".join(sources))
    choose_sink(output, format=options.format, schema=options.schema, run=run_name).check()
    folder = RunFolder(options.work or get_default_folder(output))
    run = _Run(folder, options, runner or SerialRunner(), progress)
    with folder.lock():
        if options.fresh:
            folder.clear()
        is_new = not folder.plan.exists()
        try:
            rounds = run.plan_and_extract(sources)
            if options.until != "write":
                return Summary(hide_password(output), work=str(folder.path))
            progress("write", 0, 1)
            summary = write_tables(folder, rounds, output, run_name, options)
            progress("write", 1, 1)
        except BaseException:
            run.runner.close()
            if is_new and options.work is None and not folder.has_results():
                folder.remove()
            else:
                folder.remove_unfinished()
            raise
    if options.work is None:
        folder.remove()
    _log.info("%d pages of %d templates written", summary.pages, len(summary.templates))
    return summary


@dataclass(frozen=True)
class _Run:
    """A run in its folder."""

    folder: RunFolder
    options: SiteOptions
    runner: Runner
    progress: Progress

    def plan_and_extract(self, sources: Sequence[str]) -> int:
        """Plan, scan, learn and apply, up to the last step of the options; return the rounds.

        The pages that fit no template are those of the next round.
        """
        self._plan(sources)
        if self.options.until == "plan":
            return 0
        for round_number in range(1, MAX_ROUNDS + 1):
            self._scan(round_number)
            if self.options.until == "scan":
                return round_number
            self._learn(round_number)
            if round_number == 1:
                self._check_columns(is_complete=False)
            if self.options.until == "learn":
                break
            remaining = self._apply(round_number)
            _log.info("round %d: %d pages fit no template", round_number, remaining)
            if not remaining or round_number == MAX_ROUNDS:
                break
            self._list_remaining(round_number)
        if self.options.until != "learn":
            self._check_columns(is_complete=True)
        if self.options.work is not None:
            self._save_wrappers(round_number)
        return round_number

    def _plan(self, sources: Sequence[str]) -> None:
        """Fetch the sources, and write the list of their shards. Raises SourceError if empty."""
        paths = fetch_sources(sources, self.folder, self.options.crawl, self.progress)
        contents = write_plan(self.folder, sources, paths, self.options)
        self.runner.check_paths([self.folder.plan, *paths])
        shard_list = self.folder.get_shard_list(1)
        if shard_list.exists():
            _log.info("continuing the run in %s", self.folder.path)
            return
        archives = [archive for _, _, path_archives in contents for archive in path_archives]
        tasks: list[Task] = [
            {"folder": str(self.folder.path), "archive": str(archive)} for archive in archives
        ]
        shards_of_archive = {
            result["archive"]: result["shards"]
            for result in self._map("plan", split_archive, tasks)
        }
        shards = [
            encode_shard(shard)
            for path, names, _ in contents
            for shard in make_file_shards(path, names)
        ]
        for archive in archives:
            shards += shards_of_archive[str(archive)]
        if not shards:
            raise SourceError(f"{', '.join(map(str, sources))}: contains no pages")
        write_json(shard_list, shards, make_parents=True)
        _log.info("%d shards planned", len(shards))

    def _scan(self, round_number: int) -> None:
        """Count the pages of each site, and draw a sample of them."""
        counts: Counter[str] = Counter()
        tasks = self._make_shard_tasks(round_number, sample=self.options.sample)
        for result in self._map("scan", scan_shard, tasks):
            counts.update(result["sites"])
        site_counts = dict(sorted(counts.items()))
        write_json(self.folder.get_site_counts(round_number), site_counts, make_parents=True)

    def _learn(self, round_number: int) -> None:
        """Learn the templates of every site, several small sites in one task."""
        counts = read_json(self.folder.get_site_counts(round_number))
        prefixes = make_site_prefixes(list(read_json(self.folder.get_site_counts(1))))
        tasks: list[Task] = [
            {
                "folder": str(self.folder.path),
                "round": round_number,
                "shards": len(self.folder.read_shards(round_number)),
                "sample": self.options.sample,
                "sites": {site: prefixes[site] for site in sites},
            }
            for sites in _batch_sites(counts, self.options.sample)
        ]
        for _ in self._map("learn", learn_sites, tasks):
            pass

    def _check_columns(self, *, is_complete: bool) -> None:
        """Raise UsageError if a chosen table or column is not among those that were learned.

        Until that is complete, tables may still be learned from rare pages. What an earlier run has
        learned in later rounds is known already.
        """
        names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for template in read_templates(self.folder, MAX_ROUNDS):
            for table, columns in list_table_columns(template).items():
                names[table].update(dict.fromkeys([column.name for column in columns]))
        SiteSelection.parse(self.options.columns).check(
            {table: list(columns) for table, columns in names.items()},
            is_complete=is_complete,
        )

    def _apply(self, round_number: int) -> int:
        """Write the rows of all pages; return the number of those that fit no template."""
        tasks = self._make_shard_tasks(
            round_number,
            is_last=round_number == MAX_ROUNDS,
            texts=self.options.texts,
            columns=self.options.columns,
        )
        results = self._map("apply", apply_to_shard, tasks)
        return sum([result["counts"].get("left", 0) for result in results])

    def _list_remaining(self, round_number: int) -> None:
        """Write the pages that fit no template as the shards of the next round."""
        shard_list = self.folder.get_shard_list(round_number + 1)
        if not shard_list.exists():
            shards = []
            for shard in range(len(self.folder.read_shards(round_number))):
                store = self.folder.get_rows(round_number, shard) / REMAINING
                shards.append(encode_shard(StoreShard(str(store.resolve()))))
            write_json(shard_list, shards, make_parents=True)

    def _make_shard_tasks(self, round_number: int, **parameters: Any) -> list[Task]:
        return [
            {
                "folder": str(self.folder.path),
                "round": round_number,
                "shard": number,
                "source": shard,
                **parameters,
            }
            for number, shard in enumerate(self.folder.read_shards(round_number))
        ]

    def _map(self, step: str, function: TaskFunction, tasks: Sequence[Task]) -> Iterator[Result]:
        self.progress(step, 0, len(tasks))
        for done, result in enumerate(self.runner.map(function, tasks), start=1):
            self.progress(step, done, len(tasks))
            yield result

    def _save_wrappers(self, rounds: int) -> None:
        """Write the wrappers of all templates as files, for other commands such as ``apply``.

        Those of further designs of a template have a number behind its name.
        """
        names = UniqueNames(separator=".")  # no template has a name with a point
        for template in read_templates(self.folder, rounds):
            wrapper = template.records or template.fields
            if wrapper is not None:
                path = self.folder.path / "wrappers" / f"{names.add(template.name)}.json"
                write_text(path, wrapper.dumps() + "\n", make_parents=True)


def _batch_sites(counts: Mapping[str, int], max_pages: int) -> Iterator[list[str]]:
    """Yield the sites, the largest first, in batches of limited size or one site."""
    batch: list[str] = []
    pages = 0
    for site in sorted(counts, key=lambda site: (-counts[site], site)):
        if batch and (len(batch) == MAX_SITES_PER_TASK or pages + counts[site] > max_pages):
            yield batch
            batch, pages = [], 0
        batch.append(site)
        pages += counts[site]
    if batch:
        yield batch
