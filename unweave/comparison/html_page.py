"""The differences of two tables as a page for the browser.

It loads nothing and has no scripts: the filters are check boxes and rules of the style sheet. All
texts are untrusted, and escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from typing import Any

from unweave.comparison.display import (
    describe_columns,
    describe_counts,
    describe_difference,
    format_text,
    shorten,
    shorten_pair,
)
from unweave.comparison.table_diff import CHANGES, RowChange, TableDiff
from unweave.reports.document import format_document

MAX_ROWS = 2_000
"""The rows of a page, shared by those that were added, removed and changed."""
MAX_PAGE_CHARACTERS = 16 * 2**20
MAX_CELL_CHARACTERS = 400
MAX_KEY_CHARACTERS = 200
MAX_NAME_CHARACTERS = 60
MAX_CELLS = 100
"""The cells of a row that are shown."""
MAX_FIELD_FILTERS = 40
MAX_MESSAGES = 20
# More cells of a row that was added or removed are folded.
_UNFOLDED_CELLS = 4

_WEB_ADDRESS = re.compile(r"https?://[^\s\"'<>\\]+")


def build_page(diff: TableDiff) -> str:
    """Return the page as HTML."""
    fields = list(diff.count_fields().items())[:MAX_FIELD_FILTERS]
    numbers = {name: number for number, (name, _) in enumerate(fields)}
    style = resources.files("unweave.comparison").joinpath("page.css").read_text(encoding="utf-8")
    style += "".join(_iter_filter_rules(numbers.values()))
    title = f"{diff.old_name} → {diff.new_name}"
    rows, count = _format_rows(diff, numbers)
    body = [
        *_format_inputs(numbers.values()),
        f"<h1>{escape(title)}</h1>",
        f'<p class="dim">{escape(describe_counts(diff))}. Rows are identified by'
        f" {escape(', '.join(map(_shorten_name, diff.key)) or 'nothing')}.</p>",
        *_format_messages(diff),
        *_format_filters(diff, fields),
        '<div class="rows">',
        *rows,
        "</div>",
    ]
    if count < len(diff.changes):
        body.append(
            f'<p class="note">… and {len(diff.changes) - count:,} more changes, which this page'
            " leaves out; <code>-o changes.jsonl</code> has all.</p>"
        )
    return format_document(title, style, body)


def _iter_filter_rules(field_numbers: Iterable[int]) -> Iterator[str]:
    """Yield the rules of the style sheet for the labels that are chosen, and for fields."""
    for name in [*(f"show-{kind}" for kind in CHANGES), "field-all"]:
        yield _format_label_rules(name)
    for number in field_numbers:
        name = f"field-{number}"
        yield _format_label_rules(name)
        yield f"#{name}:checked ~ .rows .row:not(.{name}) {{ display: none; }}\n"


def _format_label_rules(name: str) -> str:
    label = f"~ .filters [for={name}]"
    return (
        f"#{name}:checked {label} {{ color: var(--ink); border-color: var(--soft); }}\n"
        f"#{name}:focus-visible {label} {{ outline: 2px solid var(--changed); }}\n"
    )


def _format_inputs(field_numbers: Iterable[int]) -> Iterator[str]:
    """Yield the check boxes and radio buttons, which precede all that they show and hide."""
    for kind in CHANGES:
        yield f'<input type="checkbox" class="filter" id="show-{kind}" checked>'
    yield '<input type="radio" class="filter" name="field" id="field-all" checked>'
    for number in field_numbers:
        yield f'<input type="radio" class="filter" name="field" id="field-{number}">'


def _format_filters(diff: TableDiff, fields: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Yield the labels of the check boxes and radio buttons."""
    if not diff.changes:
        yield '<p class="note">No row was added, removed or changed.</p>'
        return
    yield '<div class="filters"><p>'
    for kind, count in diff.count_changes().items():
        yield f'<label class="{kind}" for="show-{kind}">{kind} <b>{count:,}</b></label>'
    yield "</p>"
    if fields:
        yield '<p><label for="field-all">all fields</label>'
        for number, (name, count) in enumerate(fields):
            label = f"{escape(_shorten_name(name))} <b>{count:,}</b>"
            yield f'<label for="field-{number}">{label}</label>'
        yield "</p>"
    yield "</div>"


def _format_messages(diff: TableDiff) -> Iterator[str]:
    """Yield what the user should know about columns and keys."""
    for message in [*describe_columns(diff), *diff.warnings][:MAX_MESSAGES]:
        yield f'<p class="note">{escape(shorten(message, 10 * MAX_KEY_CHARACTERS))}</p>'


def _format_rows(diff: TableDiff, numbers: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the markup of the first changes of each kind, and their number."""
    parts: list[str] = []
    size = count = 0
    for change in _choose_changes(diff):
        markup = "".join(_format_row(change, numbers))
        size += len(markup)
        if size > MAX_PAGE_CHARACTERS:
            break
        parts.append(markup)
        count += 1
    return parts, count


def _choose_changes(diff: TableDiff) -> list[RowChange]:
    """Return as many changes as the page has room for, with an equal share for each kind."""
    by_kind = {kind: [each for each in diff.changes if each.change == kind] for kind in CHANGES}
    room = MAX_ROWS
    shares: dict[str, int] = {}
    smallest_first = sorted(CHANGES, key=lambda kind: len(by_kind[kind]))
    for position, kind in enumerate(smallest_first):
        shares[kind] = min(len(by_kind[kind]), room // (len(CHANGES) - position))
        room -= shares[kind]
    return [change for kind in CHANGES for change in by_kind[kind][: shares[kind]]]


def _format_row(change: RowChange, numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield the markup of a change."""
    classes = [f"field-{numbers[name]}" for name in change.fields if name in numbers]
    yield f'<section class="{" ".join(["row", change.change, *classes])}">'
    yield f'<h2><span class="badge">{change.change}</span> {_format_key(change)}</h2>'
    if change.row is None:
        names, unfolded = list(change.fields), MAX_CELLS
        cells = [_format_pair(*change.fields[name]) for name in names[:MAX_CELLS]]
    else:
        names, unfolded = [name for name in change.row if name not in change.key], _UNFOLDED_CELLS
        cells = [_format_cell(change.row[name]) for name in names[:MAX_CELLS]]
    lines = [
        f"<tr><th>{escape(_shorten_name(name))}<td>{cell}</tr>"
        for name, cell in zip(names, cells, strict=False)
    ]
    if lines:
        yield f"<table>{''.join(lines[:unfolded])}</table>"
    if rest := lines[unfolded:]:
        yield f"<details><summary>{len(rest)} more</summary>"
        yield f"<table>{''.join(rest)}</table></details>"
    if len(names) > MAX_CELLS:
        yield f'<p class="dim">and {len(names) - MAX_CELLS:,} more cells</p>'
    yield "</section>\n"


def _format_key(change: RowChange) -> str:
    texts = [
        _format_link(shorten(format_text(cell), MAX_KEY_CHARACTERS), format_text(cell))
        for cell in change.key.values()
    ]
    return " · ".join(text or '<i class="dim">empty</i>' for text in texts)


def _format_pair(old: Any, new: Any) -> str:
    """Return the old cell struck through beside the new one, and the difference of numbers."""
    old_text, new_text = format_text(old), format_text(new)
    before, after = shorten_pair(old_text, new_text, MAX_CELL_CHARACTERS)
    parts = []
    if before:
        parts.append(f"<del>{_format_link(before, old_text)}</del>")
    parts.append(
        f"<ins>{_format_link(after, new_text)}</ins>" if after else '<i class="dim">empty</i>'
    )
    if difference := describe_difference(old, new):
        parts.append(f'<span class="difference">{escape(difference)}</span>')
    return " ".join(parts)


def _format_cell(cell: Any) -> str:
    text = format_text(cell)
    return _format_link(shorten(text, MAX_CELL_CHARACTERS), text)


def _format_link(shown: str, text: str) -> str:
    """Return a text, as a link if all of it is a web address."""
    if len(text) > MAX_CELL_CHARACTERS or not _WEB_ADDRESS.fullmatch(text):
        return escape(shown)
    return f'<a href="{escape(text)}" rel="noreferrer noopener">{escape(shown)}</a>'


def _shorten_name(name: str) -> str:
    return shorten(name, MAX_NAME_CHARACTERS)
