"""The report on how the list of a page was found: its records, and why other candidates lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib import resources
from itertools import islice

from unweave.lists import default
from unweave.lists.features import Features
from unweave.lists.method import build_method_table
from unweave.lists.ranking import MIN_LIST_CONFIDENCE, MODEL, Candidate, parse_required_types
from unweave.lists.table_building import SECTION
from unweave.notebook import format_frame
from unweave.page.page import Page
from unweave.reports.document import format_document
from unweave.reports.page_markup import COLOURS, format_page
from unweave.table import URL_TYPES, Table, format_cell

MAX_CANDIDATES = 10
MAX_EXAMPLES = 3
MAX_TEXT_CHARACTERS = 90
MAX_REASONS = 3
MIN_REASON_SHARE = 0.05
"""A feature with a smaller part of the difference of two scores is not a reason."""

FEATURE_WORDS = {
    "coverage": "of the page's text",
    "few_records": "records, up to 8",
    "several_records": "records, up to 50",
    "many_records": "records beyond 50",
    "gap_share": "text between its records",
    "size_variation": "difference in size between records",
    "shortest_length": "text in its shortest record",
    "has_joined_records": "records without an element of their own",
    "link_share": "linked text",
    "image_share": "records with a picture",
    "off_center": "distance from the middle of the page",
    "parent_spread": "different parents of records",
    "boilerplate_depth": "elements around it that are named as menus",
    "content_depth": "elements around it that are named as content",
    "menu_names_of_records": "names of menus at its records",
    "content_names_of_records": "names of content at its records",
    "menu_names_of_parent": "names of menus right around it",
    "content_names_of_parent": "names of content right around it",
    "menu_names_around": "names of menus around it",
    "content_names_around": "names of content around it",
    "result_names": "names of search results",
    "filter_names": "names of filters",
    "template_gain": "of a template that its records share",
    "log_gain": "of a template that its records share",
    "relative_gain": "of a template that its records share",
    "repetition": "signs of several records in one",
    "single_share": "parts that no record has twice",
    "entropy": "signs of two kinds of records",
    "common_paths": "parts that most records have",
    "similarity": "similarity of its records",
    "last_similarity": "similarity of its last record to the others",
    "missed_siblings": "siblings left out that look like records",
    "sibling_share": "of the siblings in its records",
    "parent_share": "of the text of its parent",
    "same_path_elsewhere": "similar elements elsewhere on the page",
    "same_class_elsewhere": "elements of its class elsewhere on the page",
    "distinct_share": "different starts of records",
    "repeated_share": "records that start with a text that the page repeats",
    "emphasized_share": "records that start with a heading, link or bold text",
    "single_text_share": "records with one text only",
    "long_text_share": "records with a long text",
    "bare_link_share": "records that are nothing but a link",
    "paragraph_share": "records that are nothing but paragraphs",
    "longest_text": "text in the longest part of a record",
    "digit_share": "records with a number",
    "date_share": "records with a date",
    "price_share": "records with a price",
    "several_headings_share": "records with several headings",
    "hidden_share": "hidden records",
    "linked_share": "records with a link",
    "links_per_record": "links for each record",
    "distinct_link_share": "different links",
    "link_pattern_share": "links of the same form",
    "file_link_share": "links to documents",
    "is_in_table": "signs of a table",
    "is_in_list_element": "signs of a list element",
    "header_share": "rows below headers",
    "has_stated_count": "agreement with the number of results that the page states",
    "start": "text of the page before it",
    "is_after_main_heading": "signs of standing after the main heading",
    "main_heading_distance": "text between the main heading and it",
    "has_heading": "signs of a heading above it",
    "heading_distance": "text between the heading above and it",
    "is_outside_main": "signs of standing outside of the main content",
    "prose_outside": "prose outside of it",
}
"""What each feature measures, after "more", "less" or "fewer"."""


class Report(str):
    """A report as HTML, which notebooks show in a frame of its own."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the report for notebooks, where it can neither run scripts nor lead away."""
        return format_frame(self)


def build_report(page: Page, *, name: str, want: Iterable[str] = ()) -> Report:
    """Return the report as HTML. It loads nothing, and no markup of the page is in it."""
    required = parse_required_types(want)
    lists = default.find_lists(page, want=required)
    method = default.DefaultMethod(want=required)
    aligner = method.make_aligner(page)
    tables = [
        build_method_table(method, page, candidate.listing, candidate.confidence, aligner)
        for candidate in lists.lists
        if candidate is lists.lists[0] or candidate.confidence >= MIN_LIST_CONFIDENCE
    ]
    best = tables[0] if tables else None
    summary = _summarize(page, lists.candidates, tables, is_calibrated=not required)
    style = resources.files("unweave.reports").joinpath("report.css").read_text(encoding="utf-8")
    style += "".join(
        f".c{number} {{ background: {colour}; }}\n" for number, colour in enumerate(COLOURS)
    )
    body = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="dim">{summary}</p>',
        *(_format_columns(best) if best else ()),
        *_format_sections(tables),
        *_format_candidates(page, lists),
        *_format_features(lists),
        "<h2>The page</h2>",
        '<p class="dim">The text of the page without its style. Records of the best'
        " list are outlined and numbered; cells of one column have one colour; further lists are"
        " dashed.</p>",
        f'<div class="card page">{format_page(page, tables)}</div>',
    ]
    return Report(format_document(f"{name} explained", style, body))


def _summarize(
    page: Page, candidates: Sequence[Candidate], tables: Sequence[Table], *, is_calibrated: bool
) -> str:
    size = (
        f"{len(page.tree):,} elements, {len(page.texts):,} texts,"
        f" {len(candidates)} candidates looked at closely."
    )
    if not tables:
        return f"No list was found. {size}"
    best = tables[0]
    result = f"The best list has {len(best)} records and a score of {best.score:.2f}"
    if is_calibrated:
        percent = round(100 * best.score)
        result += f": of lists with such a score, about {percent} in 100 are right"
    if len(tables) > 1:
        result += f". The page has {len(tables)} lists"
    return f"{result}. {size}"


def _format_sections(tables: Sequence[Table]) -> Iterator[str]:
    """Yield the sections of the lists, each with its number of records."""
    for number, table in enumerate(tables, start=1):
        if not table.columns or not table.columns[-1].name.startswith(SECTION):
            continue
        sections = Counter(format_cell(row[-1]) or "no heading" for row in table.rows)
        items = "".join(
            f"<li>{escape(_shorten(name))}: {count} records</li>"
            for name, count in sections.items()
        )
        yield f'<h2>Sections of list {number}</h2><ul class="card">{items}</ul>'


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


def _format_candidates(page: Page, lists: default.PageLists) -> Iterator[str]:
    """Yield the rows of the table of candidates: the best one, and why the others lost."""
    yield "<h2>Candidates</h2>"
    if not lists.candidates:
        yield '<p class="card">Nothing on this page repeats.</p>'
        return
    yield '<div class="card scroll"><table class="facts">'
    yield "<tr><th><th>records<th>confidence<th>begins with<th>path<th>why</tr>"
    explained = islice(explain_candidates(lists), MAX_CANDIDATES)
    for number, (candidate, reason) in enumerate(explained, start=1):
        is_best = number == 1 and bool(lists.lists)
        records = candidate.listing.records
        first = escape(_shorten(page.join_siblings(records[0])))
        yield (
            f"<tr{' class=won' if is_best else ''}><td>{number}<td>{len(records)}"
            f"<td>{candidate.confidence:.2f}<td>{first}"
            f"<td>{escape(_format_steps(page, records[0][0]))}<td>{escape(reason)}</tr>"
        )
    yield "</table></div>"


def explain_candidates(lists: default.PageLists) -> Iterator[tuple[Candidate, str]]:
    """Yield the candidates of a page, the best first, each with the reason for its rank."""
    if not lists.candidates:
        return
    best = _find_best(lists)
    yield best, "best of all" if lists.lists else "too unlikely to be a list: the page has none"
    for candidate in lists.candidates:
        if candidate is not best:
            yield candidate, "; ".join(explain_loss(best, candidate))


def _find_best(lists: default.PageLists) -> Candidate:
    """Return the candidate of the first list, or the one that came closest to being a list."""
    if lists.lists:
        features = lists.lists[0].features
        return next(each for each in lists.candidates if each.features is features)
    return max(lists.candidates, key=lambda candidate: candidate.confidence)


def _format_features(lists: default.PageLists) -> Iterator[str]:
    """Yield the rows of the table of features of the best candidate, largest effect first."""
    if not lists.candidates:
        return
    best = _find_best(lists)
    effects = [
        (weight * value, name, value, weight)
        for name, value, weight in zip(
            Features._fields, best.features, MODEL.ranking.weights, strict=True
        )
        if weight * value
    ]
    effects.sort(key=lambda effect: -abs(effect[0]))
    yield '<h2>Features of the best candidate</h2><div class="card scroll"><table class="facts">'
    yield "<tr><th>feature<th>what it measures<th>value<th>weight<th>effect</tr>"
    for effect, name, value, weight in effects:
        yield (
            f"<tr><td>{name}<td>{escape(FEATURE_WORDS[name])}<td>{value:.2f}<td>{weight:.2f}"
            f"<td>{effect:+.2f}</tr>"
        )
    yield "</table></div>"


def explain_loss(winner: Candidate, loser: Candidate) -> list[str]:
    """Return the reasons why a candidate lost: the features with the largest differences."""
    if loser.required_types < winner.required_types:
        return ["it has fewer of the required types"]
    losses: list[tuple[float, str]] = []
    for name, weight, winning, losing in zip(
        Features._fields, MODEL.ranking.weights, winner.features, loser.features, strict=True
    ):
        words = FEATURE_WORDS[name]
        less = "fewer" if words.split()[0].rstrip(",").endswith("s") else "less"
        amount = less if losing < winning else "more"
        losses.append((weight * (winning - losing), f"{amount} {words}"))
    losses.sort(key=lambda loss: -loss[0])
    total = sum(loss for loss, _ in losses if loss > 0)
    reasons = [reason for loss, reason in losses if loss >= MIN_REASON_SHARE * total and loss > 0]
    reasons = list(dict.fromkeys(reasons))[:MAX_REASONS]
    return [f"it has {', '.join(reasons)}"] if reasons else ["it is hardly worse"]


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
