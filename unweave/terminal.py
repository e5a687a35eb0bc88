"""Tables for eyes: what a terminal shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from unweave.news.article import Article
from unweave.site.build import Summary
from unweave.table import ADDRESSES, BETWEEN_VALUES, Table
from unweave.text import plain
from unweave.wrappers.fields import Fields
from unweave.wrappers.landmark import LandmarkWrapper
from unweave.wrappers.news_pattern import NewsPatternWrapper
from unweave.wrappers.pattern import PatternWrapper
from unweave.wrappers.seed import SeedWrapper
from unweave.wrappers.slots import SlotWrapper
from unweave.wrappers.tables import Table as Nested
from unweave.wrappers.tables import rows_of
from unweave.wrappers.wrapper import Wrapper

_WIDEST = 40
_NARROWEST = 16
_GAP = 3
_NARROWEST_EXAMPLE = 10
_MOST_REASONS = 8
# What the columns before the examples take, with the gaps between them.
_WIDTH_OF_FACTS = 20 + 22 + 4 + 8 + 4 * _GAP + 2


def show_page(console: Console, page: str, tables: Sequence[Table], *, number: int | None = None) -> None:
    """Print one table of a page, the first or the chosen one, and say what else there is."""
    shown = number or 1
    if not tables:
        console.print(Text(f"{plain(page)}: no list was found", style="yellow"), soft_wrap=True)
    if len(tables) < shown:
        return
    table = tables[shown - 1].telling()
    widths = _fitting(table, console.width)
    console.print(_heading(page, table, len(tables), shown, len(widths)), soft_wrap=True)
    console.print(_grid(table, widths))


def show_fields(console: Console, page: str, fields: Fields, fit: float, tables: Sequence[Nested] = ()) -> None:
    """Print the fields of a page, one a line, and its tables."""
    if not fields:
        return
    console.print(Text.assemble((plain(page), "bold"), f": {len(fields)} fields, fit {fit:.2f}"), soft_wrap=True)
    grid = Grid(box=None, show_header=False, pad_edge=False)
    in_tables = {column.name for table in tables for column in table.columns}
    for name, value in fields.items():
        if name not in in_tables:
            texts = [value] if isinstance(value, str) else [text or "" for text in value]
            grid.add_row(Text(plain(name), style="cyan"), Text(plain(BETWEEN_VALUES.join(texts))))
    console.print(grid)
    for table in tables:
        _show_rows(console, table, rows_of(fields, table))
    console.print()


def _show_rows(console: Console, table: Nested, rows: Sequence[Mapping[str, str | None]]) -> None:
    if not rows:
        return
    console.print(Text(f"\n{plain(table.name)}: {len(rows)} rows", style="cyan"))
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in rows[0]:
        grid.add_column(plain(name), overflow="ellipsis", no_wrap=True, max_width=_WIDEST)
    for row in rows:
        grid.add_row(*(Text(plain(cell or "")) for cell in row.values()))
    console.print(grid)


def show_wrapper(console: Console, name: str, wrapper: Wrapper) -> None:
    """Print what a wrapper finds, and by what."""
    if isinstance(wrapper, SlotWrapper):
        _show_slots(console, name, wrapper)
    elif isinstance(wrapper, PatternWrapper | NewsPatternWrapper):
        console.print(Text.assemble((plain(name), "bold"), f": {len(wrapper.patterns)} patterns"), soft_wrap=True)
        for lines in wrapper.to_json()["patterns"]:
            console.print(Text("\n".join(map(plain, lines))), soft_wrap=True)
    elif isinstance(wrapper, LandmarkWrapper):
        _show_grammar(console, name, wrapper)
    elif isinstance(wrapper, SeedWrapper):
        facts = f": the seed of a list: records of {len(wrapper.seed) - 1} nodes, optional ones included"
        console.print(Text.assemble((plain(name), "bold"), facts), soft_wrap=True)
        for path, column in wrapper.paths():
            console.print(Text(plain(f"{column.name} ({column.type}) at {'/'.join(path)}")), soft_wrap=True)
    else:
        paths = " and ".join("/".join(path) for path in wrapper.paths)
        console.print(Text.assemble((plain(name), "bold"), f": a list of records at {plain(paths)}"), soft_wrap=True)
        lines = map(str, wrapper.picks) if wrapper.picks else (f"{own.name} ({own.type})" for own in wrapper.columns)
        for line in lines:
            console.print(Text(plain(line)), soft_wrap=True)


def _show_grammar(console: Console, name: str, wrapper: LandmarkWrapper) -> None:
    productions = list(wrapper.grammar())
    facts = f": a grammar of {len(productions)} landmarks; tokens of text are {wrapper.unit}; {gap(wrapper)}"
    if wrapper.splits is not None:
        facts += f"; found with {wrapper.splits:,} splits"
    console.print(Text.assemble((plain(name), "bold"), facts), soft_wrap=True)
    for production in productions:
        console.print(Text(plain(production)), soft_wrap=True)


def gap(wrapper: LandmarkWrapper) -> str:
    """How much is extracted, and how much less it could be, in words."""
    extracted = f"{wrapper.cost:,} tokens are extracted"
    if wrapper.bound is None:
        return extracted
    least = "none does with fewer" if wrapper.bound == wrapper.cost else f"none does with fewer than {wrapper.bound:,}"
    return f"{extracted}, {least}"


def _show_slots(console: Console, name: str, wrapper: SlotWrapper) -> None:
    count = len(wrapper.fields) + sum(len(table.columns) for table in wrapper.tables)
    facts = f": {count} fields, learned from {wrapper.pages} pages"
    console.print(Text.assemble((plain(name), "bold"), facts), soft_wrap=True)
    if wrapper.open_rows:
        console.print(Text("It knows rows of a label and a value: a label that is new there tells a new field."))
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    room = max(_NARROWEST_EXAMPLE, console.width - _WIDTH_OF_FACTS)
    for head, width in (("field", 20), ("told by", 22), ("is a", 4), ("on pages", 8), ("for example", room)):
        grid.add_column(head, overflow="ellipsis", no_wrap=True, width=width)
    for own in wrapper.fields:
        is_a = "list" if own.number is None else "text"
        cells = (own.name, wrapper.told_by(own), is_a, f"{own.share:.0%}", "; ".join(own.examples))
        grid.add_row(*(Text(plain(cell)) for cell in cells))
    for table in wrapper.tables:
        for column in table.columns:
            told = f"row of {table.name}"
            cells = (column.name, told, "list", f"{table.share:.0%}", "; ".join(column.examples))
            grid.add_row(*(Text(plain(cell)) for cell in cells))
    console.print(grid)


def show_article(console: Console, page: str, article: Article) -> None:
    """Print an article to be read."""
    if not article:
        console.print(Text(f"{plain(page)}: no article was found", style="yellow"), soft_wrap=True)
        return
    console.print(Text(f"{plain(page)} (template {article.cluster})", style="dim"), soft_wrap=True)
    console.print(Text(plain(article.title or "(no title)"), style="bold"))
    if byline := ", ".join([*article.authors, *([article.date] if article.date else [])]):
        console.print(Text(plain(byline), style="italic"))
    for paragraph in article.paragraphs:
        console.print()
        console.print(Text(plain(paragraph)))
    console.print()


def _heading(page: str, table: Table, count: int, number: int, shown_columns: int) -> Text:
    facts = [f"table {number} of {count}", f"{len(table)} rows", f"score {table.score:.2f}"]
    if shown_columns < len(table.columns):
        facts.append(f"{shown_columns} of {len(table.columns)} columns fit")
    return Text.assemble((plain(page), "bold"), f": {', '.join(facts)}")


def _fitting(table: Table, room: int) -> dict[int, int]:
    """The columns that are shown, with their widths: texts first, then the fullest that differ from row to row."""
    rows = table.shown_rows()
    cells = {index: [plain(row[index] or "") for row in rows if row[index]] for index in range(len(table.columns))}
    is_address = [column.type in ADDRESSES for column in table.columns]
    fullest = sorted(cells, key=lambda index: (is_address[index], len(set(cells[index])) == 1, -len(cells[index]), index))
    wanted: dict[int, int] = {}
    for index in fullest:
        longest = max([cell_len(text) for text in (table.columns[index].name, *cells[index])])
        needed = min(longest, _NARROWEST) + _GAP
        if wanted and needed > room:
            break
        room -= needed
        wanted[index] = min(longest, _WIDEST)
    return _spread(dict(sorted(wanted.items())), room)


def _spread(wanted: Mapping[int, int], room: int) -> dict[int, int]:
    """Give every column its least width, and the room that is left to all alike, up to the width that each wants."""
    widths = {index: min(width, _NARROWEST) for index, width in wanted.items()}
    while room > 0 and (growing := [index for index in widths if widths[index] < wanted[index]]):
        for index in growing[:room]:
            widths[index] += 1
        room -= len(growing)
    return widths


def _grid(table: Table, widths: Mapping[int, int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for index, width in widths.items():
        grid.add_column(plain(table.columns[index].name), width=width, overflow="ellipsis", no_wrap=True)
    for row in table.shown_rows():
        grid.add_row(*(Text(plain(row[index] or "")) for index in widths))
    return grid


def show_site(console: Console, summary: Summary) -> None:
    """Print what a run over sites has done: the templates, their tables, and the pages that were set aside."""
    tables = sum(len(own.rows) for own in summary.templates)
    console.print(
        Text.assemble(
            (plain(summary.out), "bold"),
            f": {summary.pages:,} pages of {len(summary.templates)} templates in {tables} tables",
        ),
        soft_wrap=True,
    )
    if summary.templates:
        console.print(_templates(summary))
    if summary.twice:
        console.print(Text(f"{summary.twice:,} pages were left out: newer ones have the same address"))
    for damage, count in summary.damaged.items():
        console.print(Text(f"{count:,} read, though damaged: {plain(damage)}", style="yellow"), soft_wrap=True)
    for reason, count in list(summary.aside.items())[:_MOST_REASONS]:
        console.print(Text(f"{count:,} set aside: {plain(reason)}", style="yellow"), soft_wrap=True)
    if len(summary.aside) > _MOST_REASONS:
        console.print(Text(f"and {len(summary.aside) - _MOST_REASONS} more reasons", style="yellow"))
    if summary.aside or summary.damaged:
        console.print(Text("The table pages tells what became of each page."))


def _templates(summary: Summary) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("table", "kind"):
        grid.add_column(name, overflow="fold")
    for name in ("pages", "rows"):
        grid.add_column(name, justify="right")
    for own in summary.templates:
        for number, (table, rows) in enumerate(own.rows.items()):
            facts = (own.kind, f"{own.pages:,}") if not number else ("", "")
            grid.add_row(plain(table), *facts, f"{rows:,}")
    return grid
