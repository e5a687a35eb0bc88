"""Texts of the pages of sources that may be larger than memory, by workers.

The sources are divided into shards, and workers write the rows of a shard to a file of JSON Lines.
Rows are yielded in the order of the sources, whatever the number of workers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from unweave.content.document import Document
from unweave.content.texts import iter_named_texts
from unweave.errors import PageError, SourceError
from unweave.files import open_atomic
from unweave.page.page import Page
from unweave.pipeline.options import Progress, no_progress
from unweave.pipeline.plan import fetch_sources, split_archive
from unweave.pipeline.run_folder import RunFolder
from unweave.runners.runner import Result, Runner, SerialRunner, Task
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import find_files
from unweave.sources.shards import decode_shard, encode_shard, make_file_shards
from unweave.sources.source import FetchedPage, Item, Skipped

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TextOptions:
    """How pages are read, and what is written of them. ``make_row`` applies it to a document."""

    links: bool = True
    """Write links in Markdown."""
    images: bool = True
    blocks: bool = False
    """Give the blocks with their provenance, in rows that are not flat."""
    flat: bool = False
    """Give the columns of a table only."""
    url: str | None = None
    """The URL of pages that have none."""
    charset: str | None = None
    """The charset of pages that declare none in their transport."""

    def make_row(self, page: str, document: Document) -> Row:
        """Return the row of a page."""
        cells = document.to_row() if self.flat else document.to_dict(blocks=self.blocks)
        return {"page": page, **cells}


class TextRun:
    """Reads the texts of sources: iterate for their rows. ``skipped`` then has what was not read.

    Args:
        sources: Files, folders, archives, sitemaps and URLs of sites, which are crawled.
        folder: A folder for the results of workers, of which few are there at a time.
        options: What is written of each page.
        runner: Where the work is done; by default, in this process.
        crawl: How sites are crawled.
        progress: Called with the number of shards that are done.
    """

    def __init__(
        self,
        sources: Sequence[str],
        folder: Path,
        options: TextOptions | None = None,
        *,
        runner: Runner | None = None,
        crawl: CrawlOptions | None = None,
        progress: Progress = no_progress,
    ) -> None:
        self.skipped: Counter[str] = Counter()
        """The number of documents that are not pages, or cannot be read, by the reason."""
        self.pages = 0
        self._sources = sources
        self._folder = folder
        self._options = options or TextOptions()
        self._runner = runner or SerialRunner()
        self._crawl = crawl or CrawlOptions()
        self._progress = progress

    def __iter__(self) -> Iterator[Row]:
        shards = self._list_shards()
        if not shards:
            raise SourceError(f"{', '.join(self._sources)}: contains no pages")
        tasks: list[Task] = [
            {
                "source": shard,
                "out": str(self._folder / f"{number:06d}.jsonl"),
                "number": number,
                "options": asdict(self._options),
            }
            for number, shard in enumerate(shards)
        ]
        waiting: dict[int, Path] = {}
        following = 0
        self._progress("apply", 0, len(tasks))
        for done, result in enumerate(self._runner.map(write_shard_texts, tasks), start=1):
            self.skipped.update(result["skipped"])
            self.pages += result["pages"]
            waiting[result["number"]] = Path(result["out"])
            while following in waiting:
                yield from _read_rows(waiting.pop(following))
                following += 1
            self._progress("apply", done, len(tasks))

    def _list_shards(self) -> list[dict[str, Any]]:
        folder = RunFolder(self._folder)
        shards: list[dict[str, Any]] = []
        for path in fetch_sources(self._sources, folder, self._crawl, self._progress):
            names, archives = find_files(path)
            self._runner.check_paths([path])
            shards += map(encode_shard, make_file_shards(path, names))
            tasks: list[Task] = [
                {"folder": str(folder.path), "archive": str(archive)} for archive in archives
            ]
            results = {
                result["archive"]: result["shards"]
                for result in self._runner.map(split_archive, tasks)
            }
            for archive in archives:
                shards += results[str(archive)]
        return shards


def write_shard_texts(task: Task) -> Result:
    """Write the rows of the pages of a shard to a file; a task for workers."""
    options = TextOptions(**task["options"])
    skipped: Counter[str] = Counter()
    pages = 0
    named_pages = _iter_pages(decode_shard(task["source"]).read(), options, skipped)
    with open_atomic(task["out"], "w", encoding="utf-8") as file:
        for name, document in iter_named_texts(
            named_pages, links=options.links, images=options.images
        ):
            pages += 1
            file.write(json.dumps(options.make_row(name, document)) + "\n")
    return {
        "number": task["number"],
        "out": task["out"],
        "pages": pages,
        "skipped": dict(skipped),
    }


def _iter_pages(
    items: Iterator[Item], options: TextOptions, skipped: Counter[str]
) -> Iterator[tuple[str, Page]]:
    """Yield the names and pages of items; count the others by their reason."""
    for item in items:
        if isinstance(item, Skipped):
            skipped[item.reason] += 1
        elif isinstance(item, FetchedPage):
            url = item.name if item.is_url else options.url
            try:
                page = Page.parse(item.body, url=url, charset=item.charset or options.charset)
            except PageError as error:
                skipped[str(error)] += 1
            else:
                yield item.name, page


def _read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, and remove it after the last."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
    path.unlink()
