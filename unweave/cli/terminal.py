"""Tables for eyes: what a terminal shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from unweave.content.article import Article
from unweave.pipeline.write import Summary
from unweave.table import LIST_SEPARATOR, URL_TYPES, Table
from unweave.text_cleaning import replace_control_characters
from unweave.wrappers.base import Fields, Wrapper, to_rows

_WIDEST = 40
_NARROWEST = 16
_GAP = 3
_NARROWEST_EXAMPLE = 10
_MOST_REASONS = 8
# What the columns before the examples take, with the gaps between them.
_WIDTH_OF_FACTS = 20 + 22 + 4 + 8 + 4 * _GAP + 2


def show_page(
    console: Console, page: str, tables: Sequence[Table], *, number: int | None = None
) -> None:
    """Print one table of a page, the first or the chosen one, and say what else there is."""
    shown = number or 1
    if not tables:
        console.print(
            Text(f"{replace_control_characters(page)}: no list was found", style="yellow"),
            soft_wrap=True,
        )
    if len(tables) < shown:
        return
    table = tables[shown - 1].drop_constant_columns()
    widths = _fitting(table, console.width)
    console.print(_heading(page, table, len(tables), shown, len(widths)), soft_wrap=True)
    console.print(_grid(table, widths))


def show_fields(
    console: Console, page: str, fields: Fields, fit: float, tables: Mapping[str, Sequence[str]]
) -> None:
    """Print the fields of a page, one a line, and its tables."""
    if not fields:
        return
    console.print(
        Text.assemble(
            (replace_control_characters(page), "bold"), f": {len(fields)} fields, fit {fit:.2f}"
        ),
        soft_wrap=True,
    )
    grid = Grid(box=None, show_header=False, pad_edge=False)
    in_tables = {name for columns in tables.values() for name in columns}
    for name, value in fields.items():
        if name not in in_tables:
            texts = [value] if isinstance(value, str) else [text or "" for text in value]
            grid.add_row(
                Text(replace_control_characters(name), style="cyan"),
                Text(replace_control_characters(LIST_SEPARATOR.join(texts))),
            )
    console.print(grid)
    for table, columns in tables.items():
        _show_rows(console, table, to_rows(fields, columns))
    console.print()


def _show_rows(console: Console, table: str, rows: Sequence[Mapping[str, str | None]]) -> None:
    if not rows:
        return
    console.print(Text(f"\n{replace_control_characters(table)}: {len(rows)} rows", style="cyan"))
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in rows[0]:
        grid.add_column(
            replace_control_characters(name), overflow="ellipsis", no_wrap=True, max_width=_WIDEST
        )
    for row in rows:
        grid.add_row(*(Text(replace_control_characters(cell or "")) for cell in row.values()))
    console.print(grid)


def show_wrapper(console: Console, name: str, wrapper: Wrapper) -> None:
    """Print the description of a wrapper."""
    described = wrapper.describe()
    summary = Text.assemble(
        (replace_control_characters(name), "bold"),
        f": {replace_control_characters(described.summary)}",
    )
    console.print(summary, soft_wrap=True)
    for line in described.lines:
        console.print(Text(replace_control_characters(line)), soft_wrap=described.fields is None)
    if described.fields is None:
        return
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    room = max(_NARROWEST_EXAMPLE, console.width - _WIDTH_OF_FACTS)
    for head, width in (
        ("field", 20),
        ("told by", 22),
        ("is a", 4),
        ("on pages", 8),
        ("for example", room),
    ):
        grid.add_column(head, overflow="ellipsis", no_wrap=True, width=width)
    for field in described.fields:
        is_a = "list" if field.is_list else "text"
        share = f"{field.share or 0:.0%}"
        cells = (field.name, field.located_by, is_a, share, "; ".join(field.examples))
        grid.add_row(*(Text(replace_control_characters(cell)) for cell in cells))
    console.print(grid)


def show_article(console: Console, page: str, article: Article) -> None:
    """Print an article to be read."""
    if not article:
        console.print(
            Text(f"{replace_control_characters(page)}: no article was found", style="yellow"),
            soft_wrap=True,
        )
        return
    console.print(
        Text(f"{replace_control_characters(page)} (template {article.cluster})", style="dim"),
        soft_wrap=True,
    )
    console.print(Text(replace_control_characters(article.title or "(no title)"), style="bold"))
    if byline := ", ".join([*article.authors, *([article.date] if article.date else [])]):
        console.print(Text(replace_control_characters(byline), style="italic"))
    for paragraph in article.paragraphs:
        console.print()
        console.print(Text(replace_control_characters(paragraph)))
    console.print()


def _heading(page: str, table: Table, count: int, number: int, shown_columns: int) -> Text:
    facts = [f"table {number} of {count}", f"{len(table)} rows", f"score {table.score:.2f}"]
    if shown_columns < len(table.columns):
        facts.append(f"{shown_columns} of {len(table.columns)} columns fit")
    return Text.assemble((replace_control_characters(page), "bold"), f": {', '.join(facts)}")


def _fitting(table: Table, room: int) -> dict[int, int]:
    """The columns that are shown, with their widths: texts first, then the fullest that differ from row to row."""
    rows = table.format_rows()
    cells = {
        index: [replace_control_characters(row[index] or "") for row in rows if row[index]]
        for index in range(len(table.columns))
    }
    is_address = [column.type in URL_TYPES for column in table.columns]
    fullest = sorted(
        cells,
        key=lambda index: (
            is_address[index],
            len(set(cells[index])) == 1,
            -len(cells[index]),
            index,
        ),
    )
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
        grid.add_column(
            replace_control_characters(table.columns[index].name),
            width=width,
            overflow="ellipsis",
            no_wrap=True,
        )
    for row in table.format_rows():
        grid.add_row(*(Text(replace_control_characters(row[index] or "")) for index in widths))
    return grid


def show_site(console: Console, summary: Summary) -> None:
    """Print what a run over sites has done: the templates, their tables, and the pages that were set aside."""
    tables = sum(len(own.rows) for own in summary.templates)
    console.print(
        Text.assemble(
            (replace_control_characters(summary.output), "bold"),
            f": {summary.pages:,} pages of {len(summary.templates)} templates in {tables} tables",
        ),
        soft_wrap=True,
    )
    if summary.templates:
        console.print(_templates(summary))
    if summary.duplicates:
        console.print(
            Text(f"{summary.duplicates:,} pages were left out: newer ones have the same address")
        )
    for damage, count in summary.damaged.items():
        console.print(
            Text(
                f"{count:,} read, though damaged: {replace_control_characters(damage)}",
                style="yellow",
            ),
            soft_wrap=True,
        )
    for reason, count in list(summary.skipped.items())[:_MOST_REASONS]:
        console.print(
            Text(f"{count:,} set aside: {replace_control_characters(reason)}", style="yellow"),
            soft_wrap=True,
        )
    if len(summary.skipped) > _MOST_REASONS:
        console.print(
            Text(f"and {len(summary.skipped) - _MOST_REASONS} more reasons", style="yellow")
        )
    if summary.skipped or summary.damaged:
        console.print(Text("The table pages tells what became of each page."))


def _templates(summary: Summary) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("table", "kind"):
        grid.add_column(name, overflow="fold")
    for name in ("pages", "rows"):
        grid.add_column(name, justify="right")
    for own in summary.templates:
        for number, (table, rows) in enumerate(own.rows.items()):
            facts = (own.page_type, f"{own.pages:,}") if not number else ("", "")
            grid.add_row(replace_control_characters(table), *facts, f"{rows:,}")
    return grid
