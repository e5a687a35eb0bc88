"""Applying what was learned to a part: every page goes to its template, and its rows into the files of their tables."""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from unweave.clustering.site_templates import nearest, outline
from unweave.errors import PageError
from unweave.files import create_folder, read_json, write_json
from unweave.page.page import Page
from unweave.pipeline.rows import Found, read
from unweave.pipeline.templates import Site, Template
from unweave.pipeline.url_keys import address_of
from unweave.pipeline.work import Work, digest
from unweave.runners.runner import Result, Task
from unweave.sources.shards import decode_shard
from unweave.sources.source import FetchedPage, Item, Skipped
from unweave.sources.sqlite_store import create_store, format_time

PAGES, MOVED, LEFT = "pages", "~moved", "left.pages"
"""Files of a part besides those of the templates' tables: what became of each page, addresses, and pages that are left."""

_FAST = 1


def apply(task: Task) -> Result:
    """Read the pages of a part with what was learned, and say how many there were."""
    work, round_, part = Work(task["folder"]), task["round"], task["part"]
    folder = work.rows(round_, part)
    if not folder.exists():
        with (
            create_folder(folder) as unfinished,
            _Rows(unfinished, is_last=task["is_last"]) as rows,
        ):
            _Applied(work, round_, part, rows, texts=task["texts"]).all(
                decode_shard(task["source"]).read()
            )
    return {"part": part, **read_json(folder / "summary.json")}


class _Applied:
    """The pages of one part, site after site, so that what was learned of a site is read once."""

    def __init__(self, work: Work, round_: int, part: int, rows: _Rows, *, texts: bool) -> None:
        self._work, self._round, self._part, self._rows = work, round_, part, rows
        self._texts = texts

    def all(self, items: Iterable[Item]) -> None:
        """Read all items."""
        for site, pages in self._by_site(items).items():
            known = Site.from_json(read_json(self._work.site(self._round, site)))
            templates = (
                [own.as_texts() for own in known.templates] if self._texts else known.templates
            )
            again = known.twice.get(self._part, frozenset())
            for number, fetched in pages:
                if number in again:
                    self._rows.count("twice")
                else:
                    self._page(fetched(), templates)

    def _by_site(self, items: Iterable[Item]) -> dict[str, list[tuple[int, _Packed]]]:
        found: dict[str, list[tuple[int, _Packed]]] = defaultdict(list)
        for number, item in enumerate(items):
            if isinstance(item, FetchedPage):
                found[item.site].append((number, _Packed(item)))
            elif isinstance(item, Skipped):
                self._rows.aside(item)
            else:
                self._rows.moved(item.name, item.target)
        return found

    def _page(self, fetched: FetchedPage, templates: Sequence[Template]) -> None:
        try:
            page = fetched.parse()
        except PageError as error:
            self._rows.aside(Skipped(fetched.name, str(error), fetched.time), fetched.site)
            return
        number = nearest(outline(page), [(own.outlines, own.least_alike) for own in templates])
        if number is None:
            self._rows.left(fetched, None, 0.0, "it is like no other page of its site")
            return
        template = templates[number]
        found = read(page, fetched.name, template)
        if found.reason is not None:
            self._rows.left(fetched, template, found.fit, found.reason)
        else:
            self._rows.found(fetched, template, found, page)


class _Packed:
    """A page that waits for its turn, compressed."""

    def __init__(self, page: FetchedPage) -> None:
        self._page = replace(page, body=zlib.compress(page.body, _FAST))

    def __call__(self) -> FetchedPage:
        return replace(self._page, body=zlib.decompress(self._page.body))


class _Rows:
    """Writes the files of one part."""

    def __init__(self, folder: Path, *, is_last: bool) -> None:
        self._folder = folder
        self._is_last = is_last
        self._stack = ExitStack()
        self._files: dict[str, TextIO] = {}
        self._types: dict[str, dict[str, str]] = defaultdict(dict)
        self._counts: Counter[str] = Counter()
        self._left = self._stack.enter_context(create_store(folder / LEFT))

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, *error: Any) -> None:
        with self._stack:
            if error[0] is None:
                write_json(
                    self._folder / "summary.json", {"counts": self._counts, "types": self._types}
                )

    def count(self, what: str) -> None:
        """One more of these."""
        self._counts[what] += 1

    def found(self, fetched: FetchedPage, template: Template, found: Found, page: Page) -> None:
        """The rows of a page."""
        self.count("read")
        for table, rows in found.rows.items():
            self._types[table].update(found.types[table])
            for row in rows:
                self._write(table, row)
        self._page(fetched, template, found.fit, None)
        if canonical := page.metadata.links.get("canonical"):
            self.moved(page.resolve_url(canonical), fetched.url)

    def left(
        self, fetched: FetchedPage, template: Template | None, fit: float, reason: str
    ) -> None:
        """A page that fits no template: it is learned from in the next round, or set aside after the last."""
        if self._is_last:
            self.count("aside")
            self._page(fetched, template, fit, reason)
        else:
            self.count("left")
            self._left.add(fetched)

    def aside(self, item: Skipped, site: str = "") -> None:
        """Something that is no page."""
        self.count("aside")
        row = {
            "url": item.name,
            "site": site or FetchedPage(item.name, b"", True).site,
            "reason": item.reason,
        }
        self._write(PAGES, {**row, "fetched": format_time(item.time)})

    def moved(self, name: str, to: str) -> None:
        """An address that leads to another."""
        one, other = address_of(name), address_of(to)
        if one != other:
            self._write(MOVED, {"address": one, "to": other})

    def _page(
        self, fetched: FetchedPage, template: Template | None, fit: float, reason: str | None
    ) -> None:
        row = {
            "url": fetched.name,
            "site": fetched.site,
            "template": template.name if template and reason is None else None,
            "kind": template.kind if template and reason is None else None,
            "fit": round(fit, 4),
            "reason": reason or fetched.damage,
            "fetched": format_time(fetched.time),
            "~address": address_of(fetched.url),
        }
        self._write(PAGES, row)

    def _write(self, table: str, row: dict[str, Any]) -> None:
        file = self._files.get(table)
        if file is None:
            path = self._folder / f"{file_name(table)}.jsonl"
            file = self._files[table] = self._stack.enter_context(path.open("w", encoding="utf-8"))
        file.write(json.dumps(row) + "\n")


def file_name(table: str) -> str:
    """The name of the file for a table: ours as they are, those of templates, which pages named, as a number."""
    return table if table in (PAGES, MOVED) else digest(table)
