"""Apply the templates of a run to a shard: find the template of each page, and write its rows."""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from unweave.clustering.site_templates import compute_fingerprint, find_nearest_template
from unweave.errors import PageError
from unweave.files import create_folder, read_json, write_json
from unweave.page.page import Page
from unweave.pipeline.rows import PageRows, Row, extract_rows, make_url_key
from unweave.pipeline.run_folder import RunFolder, hash_name
from unweave.pipeline.selection import SiteSelection
from unweave.pipeline.templates import Template, read_site_templates
from unweave.runners.runner import Result, Task
from unweave.sources.shards import decode_shard
from unweave.sources.source import FetchedPage, Skipped
from unweave.sources.sqlite_store import create_store, format_time

PAGES, REDIRECTS = "pages", "~moved"
"""The names of the files of a shard with a row for each page, and with URLs that lead to others."""
REMAINING = "left.pages"
"""The file of a shard with the pages that fit no template."""
URL_KEY = "~address"
"""The key in the row of a page of its URL key."""

_COMPRESSION_LEVEL = 1  # the fastest


def apply_to_shard(task: Task) -> Result:
    """Write the rows of the pages of a shard, and return their counts; a task for workers."""
    folder, round_number, shard = RunFolder(task["folder"]), task["round"], task["shard"]
    target = folder.get_rows(round_number, shard)
    if not target.exists():
        with (
            create_folder(target) as unfinished,
            _ShardWriter(unfinished, is_last_round=task["is_last"]) as writer,
        ):
            # The pages of a site together, so that its templates are read once. Meanwhile they
            # are kept compressed.
            pages_by_site: dict[str, list[tuple[int, FetchedPage]]] = defaultdict(list)
            for number, item in enumerate(decode_shard(task["source"]).read()):
                if isinstance(item, FetchedPage):
                    body = zlib.compress(item.body, _COMPRESSION_LEVEL)
                    pages_by_site[item.site].append((number, replace(item, body=body)))
                elif isinstance(item, Skipped):
                    writer.write_skipped(item)
                else:
                    writer.write_redirect(item.name, item.target)
            selection = SiteSelection.parse(task["columns"])
            for site, pages in pages_by_site.items():
                path = folder.get_site(round_number, site)
                templates, duplicates = read_site_templates(path, shard)
                if task["texts"]:
                    templates = [template.without_types() for template in templates]
                for number, compressed in pages:
                    if number in duplicates:
                        writer.counts["twice"] += 1
                    else:
                        body = zlib.decompress(compressed.body)
                        fetched = replace(compressed, body=body)
                        _apply_to_page(fetched, templates, selection, writer)
    return {"counts": read_json(target / "summary.json")["counts"]}


def _apply_to_page(
    fetched: FetchedPage,
    templates: Sequence[Template],
    selection: SiteSelection,
    writer: _ShardWriter,
) -> None:
    try:
        page = fetched.parse()
    except PageError as error:
        writer.write_skipped(Skipped(fetched.name, str(error), fetched.time), fetched.site)
        return
    examples = [(template.fingerprints, template.min_similarity) for template in templates]
    number = find_nearest_template(compute_fingerprint(page), examples)
    if number is None:
        writer.write_remaining(fetched, 0.0, "it is like no other page of its site")
        return
    extracted = extract_rows(page, fetched.name, templates[number], selection)
    if extracted.reason is not None:
        writer.write_remaining(fetched, extracted.fit, extracted.reason)
    else:
        writer.write_rows(fetched, page, templates[number], extracted)


class _ShardWriter:
    """Writes the files of one shard."""

    def __init__(self, folder: Path, *, is_last_round: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._folder = folder
        self._is_last_round = is_last_round
        self._stack = ExitStack()
        self._files: dict[str, TextIO] = {}
        self._types: dict[str, dict[str, str]] = defaultdict(dict)
        self._remaining = self._stack.enter_context(create_store(folder / REMAINING))

    def __enter__(self) -> _ShardWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        with self._stack:
            if error[0] is None:
                summary = {"counts": self.counts, "types": self._types}
                write_json(self._folder / "summary.json", summary)

    def write_rows(
        self, fetched: FetchedPage, page: Page, template: Template, extracted: PageRows
    ) -> None:
        """Write the rows of a page."""
        self.counts["read"] += 1
        for table, rows in extracted.rows.items():
            self._types[table].update(extracted.types[table])
            for row in rows:
                self._write_row(table, row)
        self._write_page(fetched, extracted.fit, fetched.damage, template)
        if canonical := page.metadata.links.get("canonical"):
            self.write_redirect(page.resolve_url(canonical), fetched.url)

    def write_remaining(self, fetched: FetchedPage, fit: float, reason: str) -> None:
        """Keep a page that fits no template for the next round; after the last, skip it."""
        if self._is_last_round:
            self.counts["aside"] += 1
            self._write_page(fetched, fit, reason)
        else:
            self.counts["left"] += 1
            self._remaining.add(fetched)

    def write_skipped(self, item: Skipped, site: str = "") -> None:
        """Write why an item of a source is not read."""
        self.counts["aside"] += 1
        row = {
            "url": item.name,
            "site": site or FetchedPage(item.name, b"", True).site,
            "reason": item.reason,
            "fetched": format_time(item.time),
        }
        self._write_row(PAGES, row)

    def write_redirect(self, url: str, target: str) -> None:
        """Write that a URL leads to another."""
        url_key, target_key = make_url_key(url), make_url_key(target)
        if url_key != target_key:
            self._write_row(REDIRECTS, {"address": url_key, "to": target_key})

    def _write_page(
        self, fetched: FetchedPage, fit: float, reason: str | None, template: Template | None = None
    ) -> None:
        row = {
            "url": fetched.name,
            "site": fetched.site,
            "template": template.name if template else None,
            "kind": template.page_type if template else None,
            "fit": round(fit, 4),
            "reason": reason,
            "fetched": format_time(fetched.time),
            URL_KEY: make_url_key(fetched.url),
        }
        self._write_row(PAGES, row)

    def _write_row(self, table: str, row: Row) -> None:
        file = self._files.get(table)
        if file is None:
            path = self._folder / make_rows_file_name(table)
            file = self._files[table] = self._stack.enter_context(path.open("w", encoding="utf-8"))
        file.write(json.dumps(row) + "\n")


def make_rows_file_name(table: str) -> str:
    """Return the file name for a table; names of templates come from URLs, and are hashed."""
    return f"{table if table in (PAGES, REDIRECTS) else hash_name(table)}.jsonl"
