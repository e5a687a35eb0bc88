"""What a terminal shows: tables, fields, articles, wrappers and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table as Grid
from rich.text import Text

from unweave.comparison.display import (
    describe_columns,
    describe_counts,
    describe_difference,
    format_text,
    shorten,
    shorten_pair,
)
from unweave.comparison.table_diff import ADDED, CHANGED, REMOVED
from unweave.table import LIST_SEPARATOR, URL_TYPES, Table
from unweave.text_cleaning import replace_control_characters
from unweave.wrappers.base import FieldDescription, Fields, Wrapper, to_rows

if TYPE_CHECKING:
    from unweave.comparison.table_diff import RowChange, TableDiff
    from unweave.content.article import Article
    from unweave.pipeline.write import Summary

MAX_COLUMN_WIDTH = 40
MIN_COLUMN_WIDTH = 16
COLUMN_GAP = 3
MIN_EXAMPLE_WIDTH = 10
MAX_REASONS = 8
MAX_SHOWN_CHANGES = 30
MAX_SHOWN_FIELDS = 20
MAX_SHOWN_CELLS = 8
_CHANGE_STYLES = {ADDED: ("+", "green"), REMOVED: ("-", "red"), CHANGED: ("~", "bold")}
# The width of the columns before the examples, with the gaps between them.
OTHER_COLUMNS_WIDTH = 20 + 22 + 4 + 8 + 4 * COLUMN_GAP + 2


def show_page(
    console: Console, page: str, tables: Sequence[Table], *, number: int | None = None
) -> None:
    """Print one table of a page, the first or the chosen one, and the number of others."""
    shown = number or 1
    if not tables:
        console.print(
            Text(f"{replace_control_characters(page)}: no list was found", style="yellow"),
            soft_wrap=True,
        )
    if len(tables) < shown:
        return
    table = tables[shown - 1].drop_constant_columns()
    widths = _choose_column_widths(table, console.width)
    console.print(_format_heading(page, table, len(tables), shown, len(widths)), soft_wrap=True)
    console.print(_build_grid(table, widths))


def show_fields(
    console: Console, page: str, fields: Fields, fit: float, tables: Mapping[str, Sequence[str]]
) -> None:
    """Print the fields of a page, one on each line, and its tables."""
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
            replace_control_characters(name),
            overflow="ellipsis",
            no_wrap=True,
            max_width=MAX_COLUMN_WIDTH,
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
    console.print(_build_field_description_grid(console, described.fields, is_other=False))
    if any(field.is_other for field in described.fields):
        console.print(Text("others", style="bold"))
        console.print(_build_field_description_grid(console, described.fields, is_other=True))


def _build_field_description_grid(
    console: Console, fields: Iterable[FieldDescription], *, is_other: bool
) -> Grid:
    """Return a row for each field that is among the others, or for each that is not."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    example_width = max(MIN_EXAMPLE_WIDTH, console.width - OTHER_COLUMNS_WIDTH)
    for head, width in (
        ("field", 20),
        ("located by", 22),
        ("type", 4),
        ("on pages", 8),
        ("for example", example_width),
    ):
        grid.add_column(head, overflow="ellipsis", no_wrap=True, width=width)
    for field in fields:
        if field.is_other == is_other:
            is_a = "list" if field.is_list else "text"
            share = f"{field.share or 0:.0%}"
            cells = (field.name, field.located_by, is_a, share, "; ".join(field.examples))
            grid.add_row(*(Text(replace_control_characters(cell)) for cell in cells))
    return grid


def show_article(console: Console, page: str, article: Article) -> None:
    """Print an article."""
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


def show_text(console: Console, row: Mapping[str, Any]) -> None:
    """Print the text of a page, given the row of its document."""
    page = replace_control_characters(row["page"])
    if not row["text"]:
        console.print(Text(f"{page}: no content was found", style="yellow"), soft_wrap=True)
        return
    console.print(
        Text(f"{page} ({row['kind']}, confidence {row['confidence']:.2f})", style="dim"),
        soft_wrap=True,
    )
    facts = [*row["authors"], row["date"], row["site_name"]]
    if byline := ", ".join(replace_control_characters(fact) for fact in facts if fact):
        console.print(Text(byline, style="italic"))
    lines = row["markdown"].split("\n")
    console.print(Markdown("\n".join(map(replace_control_characters, lines))))
    console.print()


def _format_heading(page: str, table: Table, count: int, number: int, shown_columns: int) -> Text:
    facts = [f"table {number} of {count}", f"{len(table)} rows", f"score {table.score:.2f}"]
    if shown_columns < len(table.columns):
        facts.append(f"{shown_columns} of {len(table.columns)} columns shown")
    return Text.assemble((replace_control_characters(page), "bold"), f": {', '.join(facts)}")


def _choose_column_widths(table: Table, width: int) -> dict[int, int]:
    """Return the widths of the columns that fit, by number: texts before URLs, fuller first."""
    rows = table.format_rows()
    cells = {
        index: [replace_control_characters(row[index] or "") for row in rows if row[index]]
        for index in range(len(table.columns))
    }
    is_url = [column.type in URL_TYPES for column in table.columns]
    fullest = sorted(
        cells,
        key=lambda index: (
            is_url[index],
            len(set(cells[index])) == 1,
            -len(cells[index]),
            index,
        ),
    )
    max_widths: dict[int, int] = {}
    for index in fullest:
        longest = max([cell_len(text) for text in (table.columns[index].name, *cells[index])])
        needed = min(longest, MIN_COLUMN_WIDTH) + COLUMN_GAP
        if max_widths and needed > width:
            break
        width -= needed
        max_widths[index] = min(longest, MAX_COLUMN_WIDTH)
    # Every column gets its minimum; what is left is shared equally, up to what each needs.
    widths = {index: min(max_widths[index], MIN_COLUMN_WIDTH) for index in sorted(max_widths)}
    while width > 0 and (growing := [n for n in widths if widths[n] < max_widths[n]]):
        for index in growing[:width]:
            widths[index] += 1
        width -= len(growing)
    return widths


def _build_grid(table: Table, widths: Mapping[int, int]) -> Grid:
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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def show_site(console: Console, summary: Summary) -> None:
    """Print the result of a run: the templates, their tables, and the pages that were skipped."""
    tables = sum(len(template.rows) for template in summary.templates)
    counts = [
        _count(number, noun)
        for number, noun in (
            (summary.pages, "page"),
            (len(summary.templates), "template"),
            (tables, "table"),
        )
    ]
    console.print(
        Text.assemble(
            (replace_control_characters(summary.output), "bold"),
            f": {counts[0]} of {counts[1]} in {counts[2]}",
        ),
        soft_wrap=True,
    )
    if summary.templates:
        console.print(_build_template_grid(summary))
    if summary.duplicates:
        console.print(
            Text(f"{summary.duplicates:,} pages were skipped: newer ones have the same URL")
        )
    for damage, count in summary.damaged.items():
        console.print(
            Text(
                f"{count:,} read, though damaged: {replace_control_characters(damage)}",
                style="yellow",
            ),
            soft_wrap=True,
        )
    for reason, count in list(summary.skipped.items())[:MAX_REASONS]:
        console.print(
            Text(f"{count:,} skipped: {replace_control_characters(reason)}", style="yellow"),
            soft_wrap=True,
        )
    if len(summary.skipped) > MAX_REASONS:
        console.print(
            Text(f"and {len(summary.skipped) - MAX_REASONS} more reasons", style="yellow")
        )
    if summary.skipped or summary.damaged:
        console.print(Text("The table 'pages' has the result of each page."))


def _build_template_grid(summary: Summary) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("table", "page type"):
        grid.add_column(name, overflow="fold")
    for name in ("pages", "rows"):
        grid.add_column(name, justify="right")
    for template in summary.templates:
        for number, (table, rows) in enumerate(template.rows.items()):
            facts = ("", "") if number else (template.page_type, f"{template.pages:,}")
            grid.add_row(replace_control_characters(table), *facts, f"{rows:,}")
    return grid


def show_diff(console: Console, diff: TableDiff) -> None:
    """Print the differences of two tables: counts, changes by field, and the first changes."""
    heading = f"{diff.old_name} → {diff.new_name}"
    key = ", ".join(diff.key)
    _print_text(console, Text.assemble((replace_control_characters(heading), "bold")))
    _print_text(console, Text(replace_control_characters(f"{describe_counts(diff)}; key: {key}")))
    for message in describe_columns(diff):
        _print_text(console, Text(replace_control_characters(message), style="yellow"))
    if fields := diff.count_fields():
        console.print(_build_field_grid(fields))
    elif diff.changes:
        console.print()
    shown = diff.changes[:MAX_SHOWN_CHANGES]
    for change in shown:
        _show_change(console, change)
    if rest := len(diff.changes) - len(shown):
        _print_text(console, Text(f"… and {rest:,} more; -o changes.jsonl has all", style="dim"))


def _print_text(console: Console, text: Text) -> None:
    console.print(text, soft_wrap=True)


def _build_field_grid(fields: Mapping[str, int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    grid.add_column("field", overflow="ellipsis", no_wrap=True, max_width=MAX_COLUMN_WIDTH)
    grid.add_column("rows changed", justify="right")
    for name, count in list(fields.items())[:MAX_SHOWN_FIELDS]:
        grid.add_row(Text(replace_control_characters(name)), f"{count:,}")
    if rest := len(fields) - MAX_SHOWN_FIELDS if len(fields) > MAX_SHOWN_FIELDS else 0:
        grid.add_row(Text(f"and {rest} more", style="dim"), "")
    return grid


def _show_change(console: Console, change: RowChange) -> None:
    """Print a change: a line with its key, and below it a line for each cell."""
    sign, style = _CHANGE_STYLES[change.change]
    key = ", ".join(format_text(cell) or "(empty)" for cell in change.key.values())
    line = replace_control_characters(shorten(f"{sign} {key}", console.width))
    console.print(Text(line, style=style), no_wrap=True, overflow="ellipsis")
    if change.row is None:
        cells = [(name, _format_cells(console, *pair)) for name, pair in change.fields.items()]
    else:
        cells = [
            (name, Text(_clean(shorten(format_text(cell), console.width))))
            for name, cell in change.row.items()
            if name not in change.key
        ]
    grid = Grid(box=None, show_header=False, padding=(0, 0, 0, 2))
    grid.add_column(overflow="ellipsis", no_wrap=True, max_width=MIN_COLUMN_WIDTH + 6)
    grid.add_column(overflow="ellipsis", no_wrap=True)
    for name, text in cells[:MAX_SHOWN_CELLS]:
        grid.add_row(Text(_clean(name), style="cyan"), text)
    if len(cells) > MAX_SHOWN_CELLS:
        grid.add_row(Text(f"and {len(cells) - MAX_SHOWN_CELLS} more", style="dim"), "")
    if cells:
        console.print(grid)


def _format_cells(console: Console, old: Any, new: Any) -> Text:
    """Return the old and the new cell on one line, and the difference of numbers."""
    width = max(MIN_COLUMN_WIDTH, (console.width - MIN_COLUMN_WIDTH) // 2 - COLUMN_GAP)
    before, after = shorten_pair(format_text(old), format_text(new), width)
    difference = describe_difference(old, new)
    return Text.assemble(
        (_clean(before or "(empty)"), "red"),
        " → ",
        (_clean(after or "(empty)"), "green"),
        (f"  {difference}" if difference else "", "dim"),
    )


def _clean(text: str) -> str:
    return replace_control_characters(text)
