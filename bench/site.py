"""The database of a whole site, a shop with a magazine of examples/bigshop, against its truth.

    python -m bench.site [--pages 2000] [--seed 0]            generate, serve, run and measure
    python -m bench.site --folder SITE --result OUT.duckdb    measure an existing database

The figures are the adjusted Rand index of the templates, the shares of rows and fields that are
complete, and the share of records whose link leads to the row of the correct page. unweave chooses
the names of tables and columns, so every true field is compared with the column that agrees with it
most often.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.clusters import compute_adjusted_rand_index
from bench.reporting import make_console, make_parser
from bench.results import Result, Row, Truth, agrees, list_cells, shows
from examples.bigshop.make import make
from examples.bigshop.serve import canonical, serving

_OTHER = "other"
_BODY = "body"
_RECORD_FIELDS = ("title", "price")  # the row of a record must have them
_MIN_INDEX, _MIN_SHARE = 0.98, 0.99


def main() -> None:
    """Generate and run unless a database is given; print the figures, and check the floors."""
    parser = make_parser(__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--folder", type=Path, help="a site that examples/bigshop/make.py generated"
    )
    parser.add_argument("--result", type=Path, help="the database of unweave site")
    arguments = parser.parse_args()
    if (arguments.folder is None) != (arguments.result is None):
        parser.error("--folder and --result require each other")
    console = make_console()
    if arguments.folder:
        result = Result.read(arguments.result)
        _print_figures(console, measure_result(read_truth(arguments.folder), result))
        return
    with tempfile.TemporaryDirectory() as name:
        folder, database = Path(name) / "site", Path(name) / "site.duckdb"
        make(folder, arguments.pages, arguments.seed)
        seconds = run_site(folder, database)
        if not database.exists():
            sys.exit("unweave site wrote no database")
        console.print(f"unweave site: {seconds:.0f} seconds")
        figures = measure_result(read_truth(folder), Result.read(database))
        _print_figures(console, figures)
    if failures := list_failures(figures):
        sys.exit(f"below the floor: {', '.join(failures)}")
    console.print("All figures are at or above their floors.")


def list_failures(figures: Figures) -> list[str]:
    """Return descriptions of the figures below their floors."""
    shares = {
        **{f"records of {name}": share.value for name, share in figures.records.items()},
        **{f"joins of {name}": share.value for name, share in figures.joins.items()},
    }
    failures = [f"{name} {value:.3f}" for name, value in shares.items() if value < _MIN_SHARE]
    if figures.index < _MIN_INDEX:
        failures.insert(0, f"adjusted Rand index {figures.index:.3f}")
    return failures


def run_site(folder: Path, database: Path) -> float:
    """Serve a site, run ``unweave site`` on it, and return the seconds.

    The exit status is ignored: the site has links to missing pages.
    """
    with serving(folder) as address:
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "unweave", "site", address, "-o", str(database), "--delay", "0"],
            check=False,
        )
        return time.perf_counter() - begin


def read_truth(folder: Path) -> list[Truth]:
    """Return the truth of the pages of a site."""
    return [
        json.loads(line)
        for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@dataclass(frozen=True)
class Share:
    """A number of correct items, and that of all items."""

    correct: int = 0
    all: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.correct + other.correct, self.all + other.all)

    @property
    def value(self) -> float:
        """The share, 0 to 1; NaN if there are no items."""
        return self.correct / self.all if self.all else nan

    def __str__(self) -> str:
        return f"{self.value:.3f} of {self.all}" if self.all else ""


@dataclass
class Figures:
    """The quality of a database."""

    index: float
    """The adjusted Rand index of the tables of pages against their templates."""
    reached: Share
    """The pages that are in the database."""
    duplicates: int
    """The number of pages that are in the database again, with another URL."""
    records: dict[str, Share] = field(default_factory=dict)
    """Records of lists that have a row, by template."""
    rows: dict[str, Share] = field(default_factory=dict)
    """Rows of lists that are a record, by template."""
    joins: dict[str, Share] = field(default_factory=dict)
    """Records whose row refers to the page that they link to, by template."""
    fields: dict[str, dict[str, Share]] = field(default_factory=dict)
    """Values in the column of their field, by template and field."""
    nested: dict[str, Share] = field(default_factory=dict)
    """Rows of tables inside pages that are complete, by template and table."""

    def sum_fields(self, template: str) -> Share:
        """Return the share of all fields of a template."""
        return sum(self.fields.get(template, {}).values(), Share())


def measure_result(truth: Sequence[Truth], result: Result) -> Figures:
    """Measure a database. Pages of no template are not counted."""
    pages = [page for page in truth if page["template"] != _OTHER]
    reached = [page for page in truth if page["path"] in result.urls]
    figures = Figures(
        measure_templates(pages, result),
        Share(len(reached), len(truth)),
        result.fetched - len(result.urls),
    )
    for template in dict.fromkeys(page["template"] for page in pages):
        members = [page for page in pages if page["template"] == template]
        if "records" in members[0]:
            figures.records[template], figures.rows[template], figures.joins[template] = (
                measure_list(members, result)
            )
        else:
            figures.fields[template] = measure_fields(members, result)
        for name in members[0].get("tables", ()):
            figures.nested[f"{template} {name}"] = measure_nested(members, name, result)
    return figures


def measure_templates(pages: Sequence[Truth], result: Result) -> float:
    """Return the adjusted Rand index of tables and templates; pages without table are single."""
    tables = [result.templates.get(page["path"]) or number for number, page in enumerate(pages)]
    return compute_adjusted_rand_index([page["template"] for page in pages], tables)


def measure_list(pages: Sequence[Truth], result: Result) -> tuple[Share, Share, Share]:
    """Return the shares of records with a row, rows with a record, and correct links of records."""
    records = rows = joins = Share()
    for page in pages:
        output = result.find_rows(page["path"])
        matched = _match_rows(page["records"], output, _has_record)
        correct = sum(
            canonical(row.get("detail") or "") == record["target"] for record, row in matched
        )
        records += Share(len(matched), len(page["records"]))
        rows += Share(len(matched), len(output))
        joins += Share(correct, len(page["records"]))
    return records, rows, joins


def _has_record(record: Truth, row: Row) -> bool:
    needed = [record["fields"][name] for name in _RECORD_FIELDS if name in record["fields"]]
    return all(any(shows(true, cell) for _, cell in list_cells(row)) for true in needed)


def _match_rows(
    truths: Sequence[Truth], rows: Sequence[Row], is_match: Callable[[Truth, Row], bool]
) -> list[tuple[Truth, Row]]:
    """Return pairs of a truth and the first row that matches it; no row is in two pairs."""
    unmatched = list(rows)
    pairs: list[tuple[Truth, Row]] = []
    for truth in truths:
        for index, row in enumerate(unmatched):
            if is_match(truth, row):
                pairs.append((truth, unmatched.pop(index)))
                break
    return pairs


def measure_fields(pages: Sequence[Truth], result: Result) -> dict[str, Share]:
    """Return for each field the share of values in the column that agrees most often.

    The pages of a template may be in several tables.
    """
    counts: Counter[str] = Counter()
    agreed: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
    for page in pages:
        table = result.templates.get(page["path"])
        shown = [cell for row in result.find_rows(page["path"])[:1] for cell in list_cells(row)]
        for name, true, is_match in _iter_values(page):
            counts[name] += 1
            agreed[name, table].update(column for column, cell in shown if is_match(true, cell))
    correct: Counter[str] = Counter()
    for (name, _), columns in agreed.items():
        correct[name] += max(columns.values(), default=0)
    return {name: Share(correct[name], counts[name]) for name in counts}


def _iter_values(page: Truth) -> Iterator[tuple[str, Truth, Callable[[Truth, object], bool]]]:
    """Yield the fields of a page; the paragraphs of an article are values of its body."""
    for name, true in page["fields"].items():
        yield name, true, agrees
    for paragraph in page.get("paragraphs", ()):
        yield _BODY, {"text": paragraph}, shows


def measure_nested(pages: Sequence[Truth], name: str, result: Result) -> Share:
    """Return the share of rows of a table inside pages that are complete in the database."""
    total = Share()
    pages_by_table: dict[str | None, list[Truth]] = defaultdict(list)
    for page in pages:
        pages_by_table[result.templates.get(page["path"])].append(page)
    for template, members in pages_by_table.items():
        count = sum(len(page["tables"][name]) for page in members)
        nested = result.list_nested_tables(template) if template else []
        complete = [_count_complete(members, name, table, result) for table in nested]
        total += Share(max(complete, default=0), count)
    return total


def _count_complete(pages: Sequence[Truth], name: str, table: str, result: Result) -> int:
    """Return the number of rows that are complete in one table of the database."""
    agreed: dict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        for row in page["tables"][name]:
            rows = result.find_rows(page["path"], table)
            shown = [cell for output in rows for cell in list_cells(output)]
            for key, true in row.items():
                agreed[key].update({column for column, cell in shown if agrees(true, cell)})
    best = {key: columns.most_common(1)[0][0] for key, columns in agreed.items() if columns}

    def is_complete(row: Truth, output: Row) -> bool:
        return all(key in best and agrees(true, output.get(best[key])) for key, true in row.items())

    return sum(
        len(_match_rows(page["tables"][name], result.find_rows(page["path"], table), is_complete))
        for page in pages
    )


def _print_figures(console: Console, figures: Figures) -> None:
    console.print(
        f"Pages reached: {figures.reached}, {figures.duplicates} duplicates. "
        f"Adjusted Rand index of the templates: {figures.index:.3f}."
    )
    grid = Table(
        "template",
        "records with a row",
        "rows with a record",
        "joins correct",
        "fields",
        title="A whole site",
    )
    for name, share in figures.records.items():
        grid.add_row(name, str(share), str(figures.rows[name]), str(figures.joins[name]), "")
    for name in figures.fields:
        grid.add_row(name, "", "", "", str(figures.sum_fields(name)))
    for name, share in figures.nested.items():
        grid.add_row(name, str(share), "", "", "")
    console.print(grid)
    details = Table("template", "field", "values in its column", title="Fields")
    for template, fields in figures.fields.items():
        for name, share in fields.items():
            details.add_row(template, name, str(share))
    console.print(details)


if __name__ == "__main__":
    main()
