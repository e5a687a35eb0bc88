"""The report on how the list of a page was found: its records, and why other candidates lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib import resources

from unweave.lists import default
from unweave.lists.features import Features
from unweave.lists.ranking import MODEL, Candidate, parse_required_types
from unweave.lists.table_building import build_table
from unweave.page.page import Page
from unweave.reports.page_markup import COLOURS, format_page
from unweave.table import URL_TYPES, Table, format_cell

MAX_CANDIDATES = 10
MAX_EXAMPLES = 3
MAX_TEXT_CHARACTERS = 90
MAX_REASONS = 3
MIN_REASON_SHARE = 0.1
"""A feature with a smaller part of the difference of two scores is not a reason."""

REASONS = {
    "coverage": ("it has less of the page's text", "it has too much of the page's text"),
    "relative_count": ("it has too many records", "it has too few records"),
    "gap_share": ("there is text between its records", "there is nothing between its records"),
    "size_variation": ("its records differ more in size", "its records are all of one size"),
    "shortest_length": ("some of its records are very short", "even its shortest record is long"),
    "has_joined_records": (
        "its records have no element of their own",
        "its records have an element of their own",
    ),
    "boilerplate_depth": (
        "its author calls it a menu, a footer or the like",
        "its author does not call it a menu",
    ),
    "content_depth": ("its author does not call it content", "its author calls it content"),
    "link_share": ("it is mostly links", "it has fewer links"),
    "log_count": ("it has fewer records", "it has more records"),
    "image_share": ("fewer of its records have a picture", "more of its records have a picture"),
    "depth": ("it is less deep in the page", "it is deeper in the page"),
    "off_center": ("it is nearer to the middle", "it is nearer to an end of the page"),
    "parent_spread": ("its records have different parents", "its records have one parent"),
    "template_gain": (
        "its records share less of a template",
        "its records share more of a template",
    ),
    "log_gain": ("its records share less of a template", "its records share more of a template"),
    "relative_gain": (
        "its records share less of a template",
        "its records share more of a template",
    ),
    "repetition": ("several records seem to be in one", "no record seems to hold several"),
    "single_share": (
        "its records have some things several times",
        "its records have everything once",
    ),
    "entropy": ("its records seem to be of two kinds", "its records are of one kind"),
    "common_paths": ("its records say fewer things", "its records say more things"),
    "missed_siblings": (
        "it leaves out siblings that look like records",
        "it leaves out nothing that looks like a record",
    ),
    "distinct_share": ("its records say the same", "its records say different things"),
    "tag_similarity": ("its records are less similar", "its records are more similar"),
}
"""The reasons for a candidate that has less, or more, of a feature than the best one."""


def build_report(page: Page, *, name: str, want: Iterable[str] = ()) -> str:
    """Return the report as HTML. It loads nothing, and no markup of the page is in it."""
    required = parse_required_types(want)
    lists = default.find_lists(page, want=required)
    aligner = default.make_aligner(page)
    tables = [
        build_table(page, listing, score, aligner, Page.join_siblings, default.name_columns)
        for score, listing in lists.lists
    ]
    best = tables[0] if tables else None
    summary = _summarize(page, lists.candidates, best, is_calibrated=not required)
    style = resources.files("unweave.reports").joinpath("report.css").read_text(encoding="utf-8")
    style += "".join(
        f".c{number} {{ background: {colour}; }}\n" for number, colour in enumerate(COLOURS)
    )
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(name)} explained</title><style>\n{style}</style></head><body><main>",
        f"<h1>{escape(name)}</h1>",
        f'<p class="dim">{summary}</p>',
        *(_format_columns(best) if best else ()),
        *_format_candidates(page, lists.candidates, best),
        "<h2>The page</h2>",
        '<p class="dim">The text of the page without its style. Records of the best'
        " list are outlined and numbered; cells of one column have one colour; further lists are"
        " dashed.</p>",
        f'<div class="card page">{format_page(page, tables)}</div>',
        "</main></body></html>\n",
    ]
    return "\n".join(lines)


def _summarize(
    page: Page, candidates: Sequence[Candidate], best: Table | None, *, is_calibrated: bool
) -> str:
    size = (
        f"{len(page.tree):,} elements, {len(page.texts):,} texts,"
        f" {len(candidates)} candidates looked at closely."
    )
    if best is None:
        return f"No list was found. {size}"
    result = f"The best list has {len(best)} records and a score of {best.score:.2f}"
    if is_calibrated:
        percent = round(100 * best.score)
        result += f": of lists with such a score, about {percent} in 100 are right"
    return f"{result}. {size}"


def _format_columns(table: Table) -> Iterator[str]:
    """Yield the rows of the table of columns: each with its colour and some of its cells."""
    yield '<h2>Columns</h2><div class="card scroll"><table class="facts columns">'
    yield "<tr><th>name<th>type<th>filled<th>for example</tr>"
    for number, column in enumerate(table.columns):
        cells = [text for row in table.rows if (text := format_cell(row[number]))]
        distinct = list(dict.fromkeys(cells))[:MAX_EXAMPLES]
        examples = " · ".join(escape(_shorten(text)) for text in distinct)
        colour = f"c{number % len(COLOURS)}" if column.type not in URL_TYPES else ""
        constant = ", the same in every row" if column.is_constant else ""
        yield (
            f'<tr><td><span class="key {colour}">{escape(column.name)}</span>'
            f"<td>{column.type}{constant}<td>{len(cells)} of {len(table)}<td>{examples}</tr>"
        )
    yield "</table></div>"


def _format_candidates(
    page: Page, candidates: Sequence[Candidate], best: Table | None
) -> Iterator[str]:
    """Yield the rows of the table of candidates: the best one, and why the others lost."""
    yield "<h2>Candidates</h2>"
    if not candidates:
        yield '<p class="card">Nothing on this page repeats.</p>'
        return
    yield '<div class="card scroll"><table class="facts">'
    yield "<tr><th><th>records<th>confidence<th>begins with<th>path<th>why</tr>"
    for number, candidate in enumerate(candidates[:MAX_CANDIDATES], start=1):
        is_best = best is not None and number == 1
        if is_best:
            reason = "best of all"
        elif number == 1:
            reason = "a menu, or prose"
        else:
            reason = "; ".join(explain_loss(candidates[0], candidate))
        records = candidate.listing.records
        first = escape(_shorten(page.join_siblings(records[0])))
        yield (
            f"<tr{' class=won' if is_best else ''}><td>{number}<td>{len(records)}"
            f"<td>{candidate.confidence:.2f}<td>{first}"
            f"<td>{escape(_format_steps(page, records[0][0]))}<td>{escape(reason)}</tr>"
        )
    yield "</table></div>"


def explain_loss(winner: Candidate, loser: Candidate) -> list[str]:
    """Return the reasons why a candidate lost: the features with the largest differences."""
    if loser.required_types < winner.required_types:
        return ["it has fewer of the required types"]
    losses: list[tuple[float, str, bool]] = []
    for name, weight, winning, losing in zip(
        Features._fields, MODEL.weights, winner.features, loser.features, strict=True
    ):
        losses.append((weight * (winning - losing), name, (winning > losing) == (weight > 0)))
    losses.sort(key=lambda loss: -loss[0])
    total = sum(loss for loss, _, _ in losses if loss > 0)
    reasons: list[str] = []
    for loss, name, has_less in losses:
        if loss < MIN_REASON_SHARE * total or len(reasons) == MAX_REASONS:
            break
        reason = REASONS[name][0 if has_less else 1]
        if reason not in reasons:
            reasons.append(reason)
    return reasons or ["it is hardly worse"]


def _format_steps(page: Page, node: int) -> str:
    """Return the last steps of the tag path of a node, with ids and first classes."""
    steps: list[str] = []
    for ancestor, _ in zip(page.tree.ancestors(node), range(3), strict=False):
        classes, element_id, _ = page.identifiers[ancestor]
        names = (classes or "").split()
        identifier = f"#{element_id}" if element_id else f".{names[0]}" if names else ""
        steps.append(page.tree.labels[ancestor] + identifier)
    return " > ".join(reversed(steps))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}…"
