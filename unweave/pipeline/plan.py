"""Plan a run: fetch the sources that are on the web, and divide all pages into shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unweave.errors import UsageError
from unweave.files import read_json, write_json
from unweave.pipeline.options import Progress, SiteOptions
from unweave.pipeline.run_folder import RunFolder, hash_name
from unweave.runners.runner import Result, Task
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import (
    CrawlSource,
    choose_added_source,
    choose_source,
    copy_to_archive,
    find_files,
    make_archive_shards,
)
from unweave.sources.shards import encode_shard

_PLAN_VERSION = 2

SourceContent = tuple[Path, list[str], list[Path]]
"""The path of a source, the files of pages below it, and the archives below it."""


def fetch_sources(
    sources: Sequence[str], folder: RunFolder, options: CrawlOptions, progress: Progress
) -> list[Path]:
    """Return the sources as paths; those on the web are crawled into the folder of the run."""
    paths: list[Path] = []
    for number, location in enumerate(sources):
        source = choose_source(location, options)
        if choose_added_source(location):
            paths += copy_to_archive(source.read(location), folder.path / f"source-{number}")
        elif isinstance(source, CrawlSource):
            paths += source.download(
                location,
                folder.path / f"crawl-{number}",
                lambda pages, waiting: progress("crawl", pages, pages + waiting),
            )
        else:
            paths.append(Path(location))
    return [path.absolute() for path in paths]


def write_plan(
    folder: RunFolder, sources: Sequence[str], paths: Sequence[Path], options: SiteOptions
) -> list[SourceContent]:
    """Write the plan of a run, and return the content of its sources.

    If only the chosen columns are others than before, the rows of the earlier run are removed.
    Raises UsageError if the folder has the plan of another run, or a source has changed since.
    """
    contents: list[SourceContent] = [(path, *find_files(path)) for path in paths]
    plan = {
        "version": _PLAN_VERSION,
        "sources": list(sources),
        "sample": options.sample,
        "texts": options.texts,
        "columns": list(options.columns),
        "seen": [_describe_content(content) for content in contents],
    }
    earlier = read_json(folder.plan) if folder.plan.exists() else plan
    if earlier | {"columns": plan["columns"]} != plan:
        raise UsageError(
            f"{folder.path} belongs to another run, or its sources have changed:"
            " start over with --fresh"
        )
    if earlier != plan:
        folder.remove_rows()
    write_json(folder.plan, plan)
    return contents


def _describe_content(content: SourceContent) -> list[Any]:
    """Return plain data that changes when a source changes."""
    path, names, archives = content
    sizes = [[str(archive), archive.stat().st_size] for archive in archives]
    return [str(path.resolve()), hash_name("\n".join(names)), sizes]


def split_archive(task: Task) -> Result:
    """Divide an archive into shards; a task for workers."""
    archive = Path(task["archive"])
    copies = RunFolder(task["folder"]).path / "archives" / hash_name(str(archive.resolve()))
    shard_list = copies.with_suffix(".json")
    if not shard_list.exists():
        shards = [encode_shard(shard) for shard in make_archive_shards(archive, copies)]
        write_json(shard_list, shards, make_parents=True)
    return {"archive": task["archive"], "shards": read_json(shard_list)}
