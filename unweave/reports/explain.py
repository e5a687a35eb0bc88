"""The report of a page's list: the page with its records outlined, the candidates, and why the others lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from unweave.lists import default as auto
from unweave.lists.ranking import Candidate, parse_required_types
from unweave.lists.table_building import build_table
from unweave.page.page import Page
from unweave.reports.drawing import COLOURS, drawn
from unweave.reports.reasons import reasons
from unweave.table import URL_TYPES, Table, format_cell

_MOST_SHOWN = 10
_MOST_EXAMPLES = 3
_LONGEST = 90

_STYLE = """
:root { color-scheme: light; --line: #d7dbe0; --text: #1d2329; --dim: #5d6875; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); margin: 0; background: #f4f6f8; }
main { max-width: 1080px; margin: 0 auto; padding: 24px; }
h1 { font-size: 22px; margin: 0 0 4px; overflow-wrap: anywhere; } h2 { font-size: 16px; margin: 28px 0 8px; }
.dim { color: var(--dim); }
.card { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; }
.scroll { overflow-x: auto; }
table.facts { border-collapse: collapse; width: 100%; font-size: 14px; }
table.facts th { text-align: left; font-weight: 600; border-bottom: 2px solid var(--line); }
table.facts td, table.facts th { padding: 6px 10px 6px 0; vertical-align: top; }
table.facts td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
table.facts tr.won td { background: #eaf6ee; }
table.columns td:not(:last-child) { white-space: nowrap; }
.key { border-radius: 4px; padding: 1px 6px; white-space: nowrap; }
.page { font-size: 13px; line-height: 1.4; overflow-wrap: anywhere; }
.page table { border-collapse: collapse; } .page td, .page th { padding: 2px 6px; vertical-align: top; }
.page ul, .page ol { padding-left: 20px; margin: 4px 0; } .page h1, .page h2, .page h3 { font-size: 15px; margin: 4px 0; }
.record { outline: 2px solid #1a7f4b; outline-offset: 2px; border-radius: 2px; margin: 6px 2px; }
.other { outline: 1px dashed #9aa4af; outline-offset: 1px; }
.mark { display: inline-block; font-size: 11px; font-weight: 600; background: #1a7f4b; color: #fff; border-radius: 3px;
  padding: 0 5px; margin-right: 4px; } .other > .mark { background: #6b7682; } .picture { color: var(--dim); }
""" + "".join(f".c{number} {{ background: {colour}; }}\n" for number, colour in enumerate(COLOURS))


def report(page: Page, *, name: str, want: Iterable[str] = ()) -> str:
    """The report as a page of its own. Nothing in it is loaded from elsewhere, and nothing of the page is run."""
    required = parse_required_types(want)
    found = auto.find_lists(page, want=required)
    candidates = found.candidates
    aligner = auto.make_aligner(page)
    tables = [
        build_table(page, listing, score, aligner, Page.join_siblings, auto.name_columns)
        for score, listing in found.lists
    ]
    best = tables[0] if tables else None
    body = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="dim">{_summary(page, candidates, best, is_calibrated=not required)}</p>',
        *(_columns(best) if best else ()),
        *_candidates(page, candidates, best),
        "<h2>The page</h2>",
        '<p class="dim">Its text as it stands in the page, without its style. Records of the best list are outlined and'
        " numbered; cells of one column have one colour; further lists are dashed.</p>",
        f'<div class="card page">{drawn(page, tables)}</div>',
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(name)} explained</title><style>{_STYLE}</style></head><body><main>",
            *body,
            "</main></body></html>\n",
        ]
    )


def _summary(
    page: Page, candidates: Sequence[Candidate], best: Table | None, *, is_calibrated: bool
) -> str:
    size = f"{len(page.tree):,} elements, {len(page.texts):,} texts, {len(candidates)} candidates looked at closely."
    if best is None:
        return f"No list was found. {size}"
    likely = f"The best list has {len(best)} records and a score of {best.score:.2f}"
    meaning = (
        f": of lists with such a score, about {round(100 * best.score)} in 100 are right"
        if is_calibrated
        else ""
    )
    return f"{likely}{meaning}. {size}"


def _columns(table: Table) -> Iterator[str]:
    """What the table has, each column with its colour and some of its cells."""
    yield '<h2>Columns</h2><div class="card scroll"><table class="facts columns">'
    yield "<tr><th>name<th>type<th>filled<th>for example</tr>"
    for number, column in enumerate(table.columns):
        cells = [text for row in table.rows if (text := format_cell(row[number]))]
        examples = " · ".join(
            escape(_short(text)) for text in list(dict.fromkeys(cells))[:_MOST_EXAMPLES]
        )
        colour = f"c{number % len(COLOURS)}" if column.type not in URL_TYPES else ""
        kind = f"{column.type}, the same in every row" if column.is_constant else column.type
        yield (
            f'<tr><td><span class="key {colour}">{escape(column.name)}</span><td>{kind}'
            f"<td>{len(cells)} of {len(table)}<td>{examples}</tr>"
        )
    yield "</table></div>"


def _candidates(page: Page, candidates: Sequence[Candidate], best: Table | None) -> Iterator[str]:
    yield "<h2>Candidates</h2>"
    if not candidates:
        yield '<p class="card">Nothing on this page repeats.</p>'
        return
    yield '<div class="card scroll"><table class="facts">'
    yield "<tr><th><th>records<th>score<th>begins with<th>stands at<th>why</tr>"
    for number, own in enumerate(candidates[:_MOST_SHOWN], start=1):
        won = best is not None and number == 1
        why = (
            "best of all"
            if won
            else "; ".join(reasons(candidates[0], own))
            if number > 1
            else "a menu, or prose"
        )
        first = escape(_short(page.join_siblings(own.listing.records[0])))
        yield (
            f"<tr{' class=won' if won else ''}><td>{number}<td>{len(own.listing.records)}<td>{own.confidence:.2f}"
            f"<td>{first}<td>{escape(_place(page, own))}<td>{escape(why)}</tr>"
        )
    yield "</table></div>"


def _place(page: Page, own: Candidate) -> str:
    """The last steps to the first record, with what its author calls it."""
    node = own.listing.records[0][0]
    steps: list[str] = []
    for above, _ in zip(page.tree.ancestors(node), range(3), strict=False):
        classes, id_, _ = page.identifiers[above]
        word = f"#{id_}" if id_ else f".{classes.split()[0]}" if classes and classes.split() else ""
        steps.append(page.tree.labels[above] + word)
    return " > ".join(reversed(steps))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
