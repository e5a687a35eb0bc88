"""Scan a shard: index its pages by site, and keep a sample of the pages of each site.

Which pages are in a sample depends on their URLs alone, so it is the same however the pages are
divided into shards.
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
from unweave.pipeline.run_folder import RunFolder
from unweave.runners.runner import Result, Task
from unweave.sources.shards import decode_shard
from unweave.sources.source import FetchedPage, Item
from unweave.sources.sqlite_store import create_database, format_time, open_database, parse_time

_SCHEMA = """
create table page (site text, rank integer, time text, number integer);
create table sample (
    site text, rank integer, number integer, name text, is_address integer, time text,
    charset text, body blob
);
create index by_site on page (site);
create index by_rank on sample (site, rank);
"""
_RANK_BYTES = 7  # fewer than the eight, with a sign, of an integer of SQLite
_COMPRESSION_LEVEL = 1  # the fastest

# Of pages with one name the newest counts; of these, the first.
_MERGED_SCHEMA = """
create table scanned (rank integer, time text, shard integer, number integer);
create view page as select *,
    row_number() over (partition by rank order by time desc, shard, number) as precedence
    from scanned;
"""


def scan_shard(task: Task) -> Result:
    """Scan a shard and return the number of pages of each site; a task for workers."""
    path = RunFolder(task["folder"]).get_scan(task["round"], task["shard"])
    if not path.exists():
        _write_scan(path, decode_shard(task["source"]).read(), task["sample"])
    with open_database(path) as database:
        counts = database.execute("select site, count(*) from page group by site order by site")
        return {"sites": dict(counts)}


def _write_scan(path: Path, items: Iterable[Item], sample_pages: int) -> None:
    # For each site a heap of the pages of lowest rank: rank and number negated, and the page.
    samples: dict[str, list[tuple[int, int, FetchedPage]]] = defaultdict(list)
    with create_database(path, _SCHEMA) as database:
        for number, item in enumerate(items):
            if not isinstance(item, FetchedPage):
                continue
            # The name on the site, whatever the scheme and with or without "www.".
            name = item.name
            if item.is_url:
                name = name.partition("://")[2].partition("/")[2]
            rank = compute_rank(name)
            database.execute(
                "insert into page values (?, ?, ?, ?)",
                (item.site, rank, format_time(item.time), number),
            )
            sample = samples[item.site]
            if len(sample) < sample_pages:
                heapq.heappush(sample, (-rank, -number, item))
            elif (-rank, -number) > sample[0][:2]:
                heapq.heapreplace(sample, (-rank, -number, item))
        for site, sample in samples.items():
            for rank, number, page in sample:
                database.execute(
                    "insert into sample values (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        site,
                        -rank,
                        -number,
                        page.name,
                        page.is_url,
                        format_time(page.time),
                        page.charset,
                        zlib.compress(page.body, _COMPRESSION_LEVEL),
                    ),
                )


def compute_rank(name: str) -> int:
    """Return a pseudo-random number that is always the same for a name."""
    digest = blake2b(name.encode(errors="surrogatepass"), digest_size=_RANK_BYTES).digest()
    return int.from_bytes(digest)


def read_sample(scans: Sequence[Path], site: str, sample_pages: int) -> list[FetchedPage]:
    """Return the pages of lowest rank of a site, one for each name, from all scans."""
    query = "select rank, time, number from sample where site = ?"
    with _merge_scans(scans, site, query) as merged:
        selected = merged.execute(
            "select rank, shard, number from page where precedence = 1 order by rank limit ?",
            (sample_pages,),
        ).fetchall()
    keys_by_shard: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for rank, shard, number in selected:
        keys_by_shard[shard].append((site, rank, number))
    pages: dict[int, FetchedPage] = {}
    query = (
        "select name, is_address, time, charset, body from sample"
        " where site = ? and rank = ? and number = ?"
    )
    for shard, keys in keys_by_shard.items():
        with open_database(scans[shard]) as database:
            for key in keys:
                name, is_address, time, charset, body = database.execute(query, key).fetchone()
                pages[key[1]] = FetchedPage(
                    name, zlib.decompress(body), bool(is_address), parse_time(time), charset
                )
    return [pages[rank] for rank in sorted(pages)]


def find_duplicates(scans: Sequence[Path], site: str) -> dict[int, list[int]]:
    """Return by shard the numbers of the pages of a site that have a newer one of the same name."""
    duplicates: dict[int, list[int]] = defaultdict(list)
    query = "select rank, time, number from page where site = ?"
    with _merge_scans(scans, site, query) as merged:
        for shard, number in merged.execute("select shard, number from page where precedence > 1"):
            duplicates[shard].append(number)
    return dict(duplicates)


@contextmanager
def _merge_scans(scans: Sequence[Path], site: str, query: str) -> Iterator[sqlite3.Connection]:
    """Give a temporary database with the rows of a site of all scans; on disk if it is large."""
    try:
        with closing(sqlite3.connect("")) as merged:
            merged.executescript(_MERGED_SCHEMA)
            for shard, path in enumerate(scans):
                with open_database(path) as database:
                    found = database.execute(query, (site,)).fetchall()
                rows = [(rank, time or "", shard, number) for rank, time, number in found]
                merged.executemany("insert into scanned values (?, ?, ?, ?)", rows)
            yield merged
    except sqlite3.Error as error:
        raise SinkError(f"cannot write a temporary file: {error}") from None
