"""Links between tables: the records of lists, and the pages that they lead to.

A record has several links. Of the columns with links, the one counts that most often leads to a detail page or an article.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from unweave.pipeline.apply import file_name
from unweave.pipeline.rows import DETAIL, DETAIL_TABLE, LINKS, POSITION, URL
from unweave.sinks.duckdb_connection import connect, quote_name, quote_text

# Addresses that lead to addresses that lead to a page; longer chains are not followed.
_MOST_STEPS = 5

# How long a line of JSON may be.
_LEAST_OBJECT, _MOST_OBJECT = 2**20, 2**28

_PAGE = ("url", "site", "template", "kind", "fit", "reason", "fetched")
_ADDRESS = "~address"


class Links:
    """The addresses of all pages of a run, in a database of its own that is gone afterwards."""

    def __init__(
        self, run: Path, folder: Path, pages: Sequence[Path], moved: Sequence[Path]
    ) -> None:
        self._folder = folder.resolve()
        self._database = connect(run.resolve())
        self.pages = self._pages(pages)
        self._find_targets(moved)

    def __enter__(self) -> Links:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._database.close()

    def _pages(self, files: Sequence[Path]) -> Path:
        """What became of each address, once: of several things with one address, the page; of those, the newest."""
        rows = _rows(files, dict.fromkeys([*_PAGE, _ADDRESS], "JSON"))
        self._database.execute(
            f"create table page as select distinct on (url) * from {rows}"
            " order by url, template is null, fetched desc nulls last, reason"
        )
        path = self._folder / "pages.jsonl"
        columns = ", ".join(map(quote_name, _PAGE))
        self._database.execute(
            f"copy (select {columns} from page) to {quote_text(str(path))} (format json)"
        )
        return path

    def _find_targets(self, moved: Sequence[Path]) -> None:
        """Where each address leads: to the page of that address, or where it has moved to."""
        run = self._database.execute
        run(
            f"create table target as select distinct on (address) {quote_name(_ADDRESS)} ->> '$' as address,"
            " url ->> '$' as url, template ->> '$' as template, kind ->> '$' as kind from page"
            " where template ->> '$' is not null order by address, url"
        )
        if not moved:
            return
        rows = _rows(moved, {"address": "VARCHAR", "to": "VARCHAR"})
        run(f'create table moved as select distinct address, "to" from {rows}')
        for _ in range(_MOST_STEPS):
            run(
                "insert into target select distinct on (moved.address) moved.address, url, template, kind"
                ' from moved join target on moved."to" = target.address'
                " where moved.address not in (select address from target) order by moved.address, url"
            )

    def page_counts(self) -> dict[str, int]:
        """How many pages each template has."""
        query = "select template ->> '$' as name, count(*) from page where name is not null group by name"
        return dict(self._database.execute(query).fetchall())

    def count_set_aside(self) -> dict[str, int]:
        """Count the pages that were set aside by the part of the reason before its colon, the most frequent first."""
        return self._count_reasons("template ->> '$' is null")

    def count_damaged(self) -> dict[str, int]:
        """Count the pages that are in tables although they are damaged, by what is wrong with them."""
        return self._count_reasons("template ->> '$' is not null")

    def _count_reasons(self, condition: str) -> dict[str, int]:
        query = (
            "select split_part(reason ->> '$', ':', 1) as why, count(*) as pages from page"
            f" where why is not null and {condition} group by why order by pages desc, why"
        )
        return dict(self._database.execute(query).fetchall())

    def linked(self, table: str, files: Sequence[Path], columns: Sequence[str]) -> Path:
        """The rows of a list once more, each with the page that it leads to and the table that this page is in."""
        run = self._database.execute
        types = {
            URL: "VARCHAR",
            POSITION: "BIGINT",
            **dict.fromkeys(columns, "JSON"),
            LINKS: "VARCHAR[]",
        }
        run(f"create or replace temp table own as select * from {_rows(files, types)}")
        run(
            "create or replace temp table hit as select own.url, own.position, number, target.url as page, template,"
            " kind in ('detail', 'article') as is_detail"
            f" from (select url, position, unnest({quote_name(LINKS)}) as address,"
            f" generate_subscripts({quote_name(LINKS)}, 1) as number from own) as own"
            " join target using (address) where template <> ?",
            [table],
        )
        run(
            "create or replace temp table best as select url, position,"
            " arg_min(page, place) as page, arg_min(template, place) as template from hit join"
            " (select number, row_number() over (order by sum(is_detail::int) desc, count(*) desc, number) as place"
            "  from hit group by number) using (number) group by url, position"
        )
        path = self._folder / f"{file_name(table)}.jsonl"
        shown = ", ".join(f"own.{quote_name(name)}" for name in (URL, POSITION, *columns))
        run(
            f"copy (select {shown}, best.page as {quote_name(DETAIL)}, best.template as {quote_name(DETAIL_TABLE)}"
            f" from own left join best using (url, position)) to {quote_text(str(path))} (format json)"
        )
        return path


def _rows(files: Sequence[Path], columns: dict[str, str]) -> str:
    """The rows of JSON Lines files, as SQL has them."""
    if not files:
        nothing = ", ".join(
            f"null::{type_} as {quote_name(name)}" for name, type_ in columns.items()
        )
        return f"(select {nothing} where false)"
    names = ", ".join(quote_text(str(path.resolve())) for path in files)
    types = ", ".join(f"{quote_text(name)}: {quote_text(type_)}" for name, type_ in columns.items())
    largest = max(_LEAST_OBJECT, *(path.stat().st_size for path in files))
    return (
        f"read_json([{names}], format = 'newline_delimited', columns = {{{types}}}, hive_partitioning = false,"
        f" maximum_object_size = {min(largest, _MOST_OBJECT)})"
    )
