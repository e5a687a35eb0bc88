"""The first look at a part: which pages of which sites it has, and a sample of each site's pages.

Which pages are drawn depends on their addresses alone, so a sample is the same however the pages are cut into parts.
"""

from __future__ import annotations

import heapq
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path

from unweave.errors import SinkError
from unweave.pipeline.work import Work
from unweave.runners.runner import Result, Task
from unweave.sources.shards import decode_shard
from unweave.sources.source import FetchedPage
from unweave.sources.sqlite_store import create_database, format_time, open_database, parse_time

_SCHEMA = """
create table page (site text, rank integer, time text, number integer);
create table sample (
    site text, rank integer, number integer, name text, is_address integer, time text, charset text, body blob
);
create index by_site on page (site);
create index by_rank on sample (site, rank);
"""
_FAST = 1
_BYTES = 7
"""Of a rank: as many as SQLite keeps in a number without its sign."""


def scan(task: Task) -> Result:
    """Look at a part, and say how many pages of each site it has."""
    work, round_, part, most = Work(task["folder"]), task["round"], task["part"], task["sample"]
    path = work.scan(round_, part)
    if not path.exists():
        _write(path, decode_shard(task["source"]).read(), most)
    with open_database(path) as database:
        counts = dict(
            database.execute("select site, count(*) from page group by site order by site")
        )
    return {"part": part, "sites": counts}


def _write(path: Path, items: Iterable[object], most: int) -> None:
    drawn: dict[str, list[tuple[int, int, FetchedPage]]] = defaultdict(list)
    with create_database(path, _SCHEMA) as database:
        for number, item in enumerate(items):
            if not isinstance(item, FetchedPage):
                continue
            place = rank(_on_site(item))
            database.execute(
                "insert into page values (?, ?, ?, ?)",
                (item.site, place, format_time(item.time), number),
            )
            _draw(drawn[item.site], (-place, -number, item), most)
        for site, own in drawn.items():
            for place, number, item in own:
                body = zlib.compress(item.body, _FAST)
                row = (
                    site,
                    -place,
                    -number,
                    item.name,
                    item.is_url,
                    format_time(item.time),
                    item.charset,
                    body,
                )
                database.execute("insert into sample values (?, ?, ?, ?, ?, ?, ?, ?)", row)


def _draw(
    drawn: list[tuple[int, int, FetchedPage]], entry: tuple[int, int, FetchedPage], most: int
) -> None:
    """Keep the pages of lowest rank, as many as are wanted."""
    if len(drawn) < most:
        heapq.heappush(drawn, entry)
    elif entry[:2] > drawn[0][:2]:
        heapq.heapreplace(drawn, entry)


def _on_site(item: FetchedPage) -> str:
    """What a page is called on its site, by whatever scheme and "www." it was reached."""
    return item.name.partition("://")[2].partition("/")[2] if item.is_url else item.name


def rank(name: str) -> int:
    """A number that is like drawn by chance, and always the same for a name."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=_BYTES).digest())


# Of pages with one name the newest counts; of those, the first.
_NEWEST = "row_number() over (partition by rank order by time desc, part, number)"


def sampled(scans: Sequence[Path], site: str, most: int) -> list[FetchedPage]:
    """The sample of a site: the pages of lowest rank, each name once."""
    query = "select rank, time, number from sample where site = ?"
    with _gathered(scans, site, query) as seen:
        chosen = seen.execute(
            f"select rank, part, number from (select *, {_NEWEST} as place from seen) where place = 1"  # noqa: S608 - ours
            " order by rank limit ?",
            (most,),
        ).fetchall()
    wanted: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for place, part, number in chosen:
        wanted[part].append((site, place, number))
    found: dict[int, FetchedPage] = {}
    for part, keys in wanted.items():
        with open_database(scans[part]) as database:
            found.update({key[1]: _page(database, key) for key in keys})
    return [found[place] for place in sorted(found)]


def twice(scans: Sequence[Path], site: str) -> dict[int, list[int]]:
    """By part, the numbers of a site's pages of which there is a newer one with the same name."""
    found: dict[int, list[int]] = defaultdict(list)
    with _gathered(scans, site, "select rank, time, number from page where site = ?") as seen:
        query = f"select part, number from (select *, {_NEWEST} as place from seen) where place > 1"  # noqa: S608 - ours
        for part, number in seen.execute(query):
            found[part].append(number)
    return dict(found)


@contextmanager
def _gathered(scans: Sequence[Path], site: str, query: str) -> Iterator[sqlite3.Connection]:
    """Gather what all parts have of a site, in a temporary database that goes to disk if it is large."""
    try:
        with closing(sqlite3.connect("")) as seen:
            seen.execute(
                "create table seen (rank integer, time text, part integer, number integer)"
            )
            for part, path in enumerate(scans):
                with open_database(path) as database:
                    found = database.execute(query, (site,)).fetchall()
                rows = ((rank_, time or "", part, number) for rank_, time, number in found)
                seen.executemany("insert into seen values (?, ?, ?, ?)", rows)
            yield seen
    except sqlite3.Error as error:
        raise SinkError(f"cannot write a temporary file: {error}") from None


def _page(database: sqlite3.Connection, key: tuple[str, int, int]) -> FetchedPage:
    query = "select name, is_address, time, charset, body from sample where site = ? and rank = ? and number = ?"
    name, is_address, time, charset, body = database.execute(query, key).fetchone()
    return FetchedPage(name, zlib.decompress(body), bool(is_address), parse_time(time), charset)
