"""Write the tables of a run: the rows of all shards, with links between the tables.

Every output has the tables ``pages``, ``templates`` and ``columns`` in addition to those of the
templates. The records of lists are linked to the detail pages that they lead to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unweave.files import read_json, write_json_lines
from unweave.pipeline.apply import PAGES, REDIRECTS, URL_KEY, make_rows_file_name
from unweave.pipeline.column_names import (
    CURRENCY,
    DETAIL,
    DETAIL_TABLE,
    LINKS,
    OTHERS,
    POSITION,
    UNPARSED,
    URL,
    make_derived_name,
)
from unweave.pipeline.options import SiteOptions
from unweave.pipeline.page_types import PageType
from unweave.pipeline.rows import Row, list_table_columns
from unweave.pipeline.run_folder import RunFolder
from unweave.pipeline.selection import SiteSelection
from unweave.pipeline.templates import LIST_PAGES, Template
from unweave.sinks.cells import SiteColumn
from unweave.sinks.duckdb_connection import (
    connect,
    explain_sink_errors,
    quote_name,
    quote_text,
)
from unweave.sinks.registry import hide_password
from unweave.sinks.registry import write_tables as write_to_sink
from unweave.sinks.site_tables import SiteTable
from unweave.table import Column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MAX_REDIRECTS = 5
"""Longer chains of URLs that lead to others are not followed."""

# The limit of the length of a line of JSON: that of the longest file, but within these.
_MIN_LINE_BYTES, _MAX_LINE_BYTES = 2**20, 2**28

TEMPLATES, COLUMNS = "templates", "columns"
_PAGES_COLUMNS = {
    **dict.fromkeys((URL, "site", "template", "kind"), "text"),
    "fit": "number",
    "reason": "text",
    "fetched": "datetime",
}
_TEMPLATES_COLUMNS = {"name": "text", "site": "text", "kind": "text", "pages": "integer"}
_COLUMNS_COLUMNS = {
    "table": "text",
    "number": "integer",
    **dict.fromkeys(("column", "type", "before", "after"), "text"),
}


@dataclass(frozen=True, slots=True)
class TemplateSummary:
    """What a run has written of one template."""

    name: str
    page_type: PageType
    pages: int
    rows: dict[str, int]
    """The number of rows of each of its tables."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run has written."""

    output: str
    templates: tuple[TemplateSummary, ...] = ()
    """The templates, that of most pages first."""
    pages: int = 0
    """The number of pages that are in tables."""
    duplicates: int = 0
    """The number of pages that were left out because a newer one has the same URL."""
    skipped: dict[str, int] = field(default_factory=dict)
    """The number of pages that are in no table, by the reason."""
    damaged: dict[str, int] = field(default_factory=dict)
    """The number of pages that are in tables although they are damaged, by the damage."""
    work: str | None = None
    """The folder with the results of the steps."""


def read_templates(folder: RunFolder, rounds: int) -> Iterator[Template]:
    """Yield the templates of all sites and rounds that have tables."""
    for round_number in range(1, rounds + 1):
        for path in sorted((folder.get_round(round_number) / "sites").glob("*.json")):
            for template in read_json(path)["templates"]:
                if template["kind"] != PageType.NEITHER:
                    yield Template.from_json(template)


def write_tables(
    folder: RunFolder, rounds: int, output: str, run_name: str, options: SiteOptions
) -> Summary:
    """Write the tables of a run to its output, and return what was written."""
    shards = [
        folder.get_rows(round_number, shard)
        for round_number in range(1, rounds + 1)
        for shard in range(len(folder.read_shards(round_number)))
    ]
    by_name: dict[str, _TemplateTables] = {}
    for template in map(_TemplateTables.describe, read_templates(folder, rounds)):
        known = by_name.get(template.name)
        by_name[template.name] = known.add_design(template) if known else template
    templates = [by_name[name] for name in sorted(by_name)]
    with explain_sink_errors(str(folder.path)), closing(connect(folder.path.resolve())) as database:
        selection = SiteSelection.parse(options.columns)
        builder = _TableBuilder(folder, shards, database, selection)
        tables = builder.build_tables(templates)
        pages_by_template = builder.count_pages()
        skipped = builder.count_reasons(is_in_table=False)
        damaged = builder.count_reasons(is_in_table=True)
    written = write_to_sink(
        output,
        tables,
        format=options.format,
        work=folder.path,
        schema=options.schema,
        run=run_name,
    )
    rows = {table.name: table.row_count for table in written}
    counts: Counter[str] = Counter()
    for shard_folder in shards:
        counts.update(read_json(shard_folder / "summary.json")["counts"])
    summaries = [
        TemplateSummary(
            template.name,
            template.page_type,
            pages_by_template[template.name],
            {name: rows[name] for name in template.tables if name in rows},
        )
        for template in templates
        if template.name in pages_by_template
    ]
    return Summary(
        output=hide_password(output),
        templates=tuple(sorted(summaries, key=lambda summary: (-summary.pages, summary.name))),
        pages=sum(pages_by_template.values()),
        duplicates=counts["twice"],
        skipped=skipped,
        damaged=damaged,
        work=str(folder.path),
    )


@dataclass(frozen=True)
class _TemplateTables:
    """The tables of a template, without its wrappers."""

    name: str
    site: str
    page_type: PageType
    tables: tuple[str, ...]
    record_tables: frozenset[str]
    """Those of its tables that have several rows for a page."""
    columns: Mapping[str, Column]
    """The columns of all tables by name, in the order of the pages."""

    @classmethod
    def describe(cls, template: Template) -> _TemplateTables:
        record_tables = {name for key, name in template.nested.items() if key != LIST_PAGES}
        if template.page_type is PageType.LIST:
            record_tables.add(template.name)
        return cls(
            template.name,
            template.site,
            template.page_type,
            tuple(template.tables),
            frozenset(record_tables),
            {
                column.name: column
                for columns in list_table_columns(template).values()
                for column in columns
            },
        )

    def add_design(self, other: _TemplateTables) -> _TemplateTables:
        """Return the tables of the template with those of another design of it."""
        further = {name: each for name, each in other.columns.items() if name not in self.columns}
        return replace(
            self,
            tables=tuple(dict.fromkeys([*self.tables, *other.tables])),
            record_tables=self.record_tables | other.record_tables,
            columns={**self.columns, **further},
        )


class _TableBuilder:
    """Builds the tables of a run with a temporary database."""

    def __init__(
        self,
        folder: RunFolder,
        shards: Sequence[Path],
        database: DuckDBPyConnection,
        selection: SiteSelection,
    ) -> None:
        self._folder = folder.path.resolve() / "write"
        self._shards = shards
        self._database = database
        self._selection = selection

    def build_tables(self, templates: Sequence[_TemplateTables]) -> list[SiteTable]:
        """Return all tables; their rows are in files of the folder of the run."""
        self._folder.mkdir(exist_ok=True)
        types: dict[str, dict[str, str]] = defaultdict(dict)
        for shard_folder in self._shards:
            summary = read_json(shard_folder / "summary.json")
            for table, column_types in summary["types"].items():
                types[table].update(column_types)
        template_of_table = {
            table: template for template in templates for table in template.tables if table in types
        }
        pages = self._write_pages()
        self._find_link_targets()
        tables = [
            self._build_table(name, template, types[name])
            for name, template in sorted(template_of_table.items())
        ]
        return [
            SiteTable(PAGES, _make_columns(_PAGES_COLUMNS), (URL,), (pages,)),
            self._build_templates_table(templates),
            self._build_columns_table(tables, template_of_table),
            *tables,
        ]

    def _write_pages(self) -> Path:
        """Write the rows of pages, one for each URL: that of the newest page in a table, if any."""
        types = dict.fromkeys([*_PAGES_COLUMNS, URL_KEY], "JSON")
        rows = _select_rows(self._list_files(PAGES), types)
        self._database.execute(
            f"create table page as select distinct on (url) * from {rows}"
            " order by url, template is null, fetched desc nulls last, reason"
        )
        path = self._folder / "pages.jsonl"
        columns = ", ".join(map(quote_name, _PAGES_COLUMNS))
        self._database.execute(
            f"copy (select {columns} from page) to {quote_text(str(path))} (format json)"
        )
        return path

    def _find_link_targets(self) -> None:
        """Create the table of the page that each URL key leads to, directly or by redirects."""
        execute = self._database.execute
        execute(
            "create table target as select distinct on (address)"
            f" {quote_name(URL_KEY)} ->> '$' as address,"
            " url ->> '$' as url, template ->> '$' as template, kind ->> '$' as kind from page"
            " where template ->> '$' is not null order by address, url"
        )
        redirects = self._list_files(REDIRECTS)
        if not redirects:
            return
        rows = _select_rows(redirects, {"address": "VARCHAR", "to": "VARCHAR"})
        execute(f'create table redirect as select distinct address, "to" from {rows}')
        for _ in range(MAX_REDIRECTS):
            execute(
                "insert into target select distinct on (redirect.address)"
                " redirect.address, url, template, kind"
                ' from redirect join target on redirect."to" = target.address'
                " where redirect.address not in (select address from target)"
                " order by redirect.address, url"
            )

    def _build_table(
        self, name: str, template: _TemplateTables, types: Mapping[str, str]
    ) -> SiteTable:
        key = {URL: "text"}
        if name in template.record_tables:
            key[POSITION] = "integer"
        order = self._selection.select_columns(name, template.columns)
        columns = _sort_columns(types, list(order))
        files = self._list_files(name)
        if template.page_type is PageType.LIST and name == template.name:
            files = [self._write_linked(name, files, list(columns))]
            columns |= {DETAIL: "text", DETAIL_TABLE: "text"}
        return SiteTable(name, _make_columns(key | columns), tuple(key), tuple(files))

    def _write_linked(self, table: str, files: Sequence[Path], columns: Sequence[str]) -> Path:
        """Write the rows of a list, each with the page that it links to and the table of this page.

        Of several columns of links, the one counts that leads most often to details or articles.
        """
        execute = self._database.execute
        types = {
            URL: "VARCHAR",
            POSITION: "BIGINT",
            **dict.fromkeys(columns, "JSON"),
            LINKS: "VARCHAR[]",
        }
        execute(
            f"create or replace temp table record as select * from {_select_rows(files, types)}"
        )
        execute(
            "create or replace temp table link as select record.url, record.position, number,"
            " target.url as page, template, kind in ('detail', 'article') as is_detail"
            f" from (select url, position, unnest({quote_name(LINKS)}) as address,"
            f" generate_subscripts({quote_name(LINKS)}, 1) as number from record) as record"
            " join target using (address) where template <> ?",
            [table],
        )
        execute(
            "create or replace temp table best as select url, position,"
            " arg_min(page, column_rank) as page, arg_min(template, column_rank) as template"
            " from link join (select number, row_number() over"
            " (order by sum(is_detail::int) desc, count(*) desc, number) as column_rank"
            "  from link group by number) using (number) group by url, position"
        )
        path = self._folder / make_rows_file_name(table)
        selected = ", ".join(f"record.{quote_name(name)}" for name in (URL, POSITION, *columns))
        execute(
            f"copy (select {selected}, best.page as {quote_name(DETAIL)},"
            f" best.template as {quote_name(DETAIL_TABLE)}"
            f" from record left join best using (url, position))"
            f" to {quote_text(str(path))} (format json)"
        )
        return path

    def _build_templates_table(self, templates: Sequence[_TemplateTables]) -> SiteTable:
        pages = self.count_pages()
        rows = [
            {
                "name": template.name,
                "site": template.site,
                "kind": template.page_type,
                "pages": pages[template.name],
            }
            for template in templates
            if template.name in pages
        ]
        return self._write_table(TEMPLATES, _TEMPLATES_COLUMNS, ("name",), rows)

    def _build_columns_table(
        self, tables: Sequence[SiteTable], templates: Mapping[str, _TemplateTables]
    ) -> SiteTable:
        """Build the table of all columns, with the words around their values, such as a unit."""
        rows = []
        for table in tables:
            columns = templates[table.name].columns
            known_columns = self._selection.select_columns(table.name, columns)
            for number, column in enumerate(table.columns, start=1):
                known = known_columns.get(column.name, Column(column.name))
                row = {
                    "table": table.name,
                    "number": number,
                    "column": column.name,
                    "type": column.type,
                    "before": known.prefix or None,
                    "after": known.suffix or None,
                }
                rows.append(row)
        return self._write_table(COLUMNS, _COLUMNS_COLUMNS, ("table", "number"), rows)

    def _write_table(
        self, name: str, types: Mapping[str, str], key: tuple[str, ...], rows: Sequence[Row]
    ) -> SiteTable:
        path = self._folder / f"{name}.jsonl"
        write_json_lines(path, rows)
        return SiteTable(name, _make_columns(types), key, (path,))

    def _list_files(self, table: str) -> list[Path]:
        paths = [folder / make_rows_file_name(table) for folder in self._shards]
        return [path for path in paths if path.exists()]

    def count_pages(self) -> dict[str, int]:
        """Return the number of pages of each template."""
        query = (
            "select template ->> '$' as name, count(*) from page"
            " where name is not null group by name"
        )
        return dict(self._database.execute(query).fetchall())

    def count_reasons(self, *, is_in_table: bool) -> dict[str, int]:
        """Return the number of pages for each reason, up to its colon, the most frequent first.

        The reason of a page that is in a table is its damage; that of another, why it was skipped.
        """
        condition = "is not null" if is_in_table else "is null"
        query = (
            "select split_part(reason ->> '$', ':', 1) as why, count(*) as pages from page"
            f" where why is not null and template ->> '$' {condition}"
            " group by why order by pages desc, why"
        )
        return dict(self._database.execute(query).fetchall())


def _sort_columns(types: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
    """Return the types in the order of the pages, with currencies and unparsed texts behind."""
    positions = {name: (number, 0) for number, name in enumerate(order)}
    names = frozenset(order)
    for number, name in enumerate(order):
        for suffix_number, suffix in enumerate((CURRENCY, UNPARSED), start=1):
            derived = make_derived_name(name, suffix, names)
            positions.setdefault(derived, (number, suffix_number))
    last = (len(order), 0)
    ordered = sorted(types, key=lambda name: (name == OTHERS, positions.get(name, last), name))
    return {name: types[name] for name in ordered}


def _make_columns(types: Mapping[str, str]) -> tuple[SiteColumn, ...]:
    return tuple(SiteColumn(name, type_) for name, type_ in types.items())


def _select_rows(files: Sequence[Path], columns: dict[str, str]) -> str:
    """Return an SQL expression for the rows of JSON Lines files."""
    if not files:
        nulls = ", ".join(f"null::{type_} as {quote_name(name)}" for name, type_ in columns.items())
        return f"(select {nulls} where false)"
    paths = ", ".join(quote_text(str(path.resolve())) for path in files)
    types = ", ".join(f"{quote_text(name)}: {quote_text(type_)}" for name, type_ in columns.items())
    longest = max(_MIN_LINE_BYTES, *(path.stat().st_size for path in files))
    return (
        f"read_json([{paths}], format = 'newline_delimited', columns = {{{types}}},"
        f" hive_partitioning = false, maximum_object_size = {min(longest, _MAX_LINE_BYTES)})"
    )
