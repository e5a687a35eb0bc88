"""A whole site in a database, against what is true of its pages: the shop with a magazine of examples/bigshop.

    python -m bench.site [--pages 2000] [--seed 0]            make the site, serve it, run unweave site, measure
    python -m bench.site --folder SITE --result OUT.duckdb    measure what is there

Told are the templates told apart (adjusted Rand index), the rows and fields that are complete, and the records whose link
leads to the row of the right page. The names of tables and columns are found by unweave, so every true field is compared
with the column that agrees with it most often.
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
from bench.results import Result, Row, Truth, agrees, cells, shows
from examples.bigshop.make import make
from examples.bigshop.serve import canonical, serving

_OTHER = "other"
_BODY = "body"
# What must stand in the row of a record.
_OF_RECORDS = ("title", "price")


def main() -> None:
    """Make and run if nothing is there, measure, print."""
    parser = make_parser(__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="a site that examples/bigshop/make.py made")
    parser.add_argument("--result", type=Path, help="the database that unweave made of it")
    arguments = parser.parse_args()
    if (arguments.folder is None) != (arguments.result is None):
        parser.error("--folder and --result go together")
    console = make_console()
    if arguments.folder:
        _print(console, measured(read_truth(arguments.folder), Result.read(arguments.result)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder, database = Path(name) / "site", Path(name) / "site.duckdb"
        make(folder, arguments.pages, arguments.seed)
        seconds = run(folder, database)
        if not database.exists():
            sys.exit("unweave site made no database")
        console.print(f"unweave site: {seconds:.0f} seconds")
        figures = measured(read_truth(folder), Result.read(database))
        _print(console, figures)
    if lacking := below_floors(figures):
        sys.exit(f"below the floor: {', '.join(lacking)}")
    console.print("All figures are at or above their floors.")


def below_floors(figures: Figures) -> list[str]:
    """What is worse than it must be."""
    shares = {
        **{f"records of {name}": share.value for name, share in figures.records.items()},
        **{f"joins of {name}": share.value for name, share in figures.joins.items()},
    }
    found = [f"{name} {value:.3f}" for name, value in shares.items() if value < _LEAST_SHARE]
    return (
        found
        if figures.index >= _LEAST_INDEX
        else [f"adjusted Rand index {figures.index:.3f}", *found]
    )


def run(folder: Path, database: Path) -> float:
    """Serve a site and have unweave make a database of it; gives the seconds that it took.

    The status of the command is not looked at: the site has links to pages that are gone.
    """
    with serving(folder) as address:
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "unweave", "site", address, "-o", str(database), "--delay", "0"],
            check=False,
        )
        return time.perf_counter() - begin


def read_truth(folder: Path) -> list[Truth]:
    """What is true of the pages of a site."""
    return [
        json.loads(line)
        for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]


# Templates told apart, rows complete, joins right.
_LEAST_INDEX, _LEAST_SHARE = 0.98, 0.99


@dataclass(frozen=True)
class Share:
    """How many of how many are right."""

    right: int = 0
    all: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.all + other.all)

    @property
    def value(self) -> float:
        """From 0 to 1; no number if there is nothing to be right about."""
        return self.right / self.all if self.all else nan

    def __str__(self) -> str:
        return f"{self.value:.3f} of {self.all}" if self.all else ""


@dataclass
class Figures:
    """How well a database tells what a site tells."""

    index: float
    """The adjusted Rand index of the tables of pages against their templates."""
    reached: Share
    """The pages that are in the database."""
    twice: int
    """Pages that are in the database again, by another address."""
    records: dict[str, Share] = field(default_factory=dict)
    """Records of lists that have a row, by template."""
    rows: dict[str, Share] = field(default_factory=dict)
    """Rows of lists that are a record, by template."""
    joins: dict[str, Share] = field(default_factory=dict)
    """Records whose row names the page that they point to, by template."""
    fields: dict[str, dict[str, Share]] = field(default_factory=dict)
    """Values that stand in the column of their field, by template and field."""
    nested: dict[str, Share] = field(default_factory=dict)
    """Rows of tables inside pages that are complete, by template and table."""

    def all_fields(self, template: str) -> Share:
        """The fields of a template together."""
        return sum(self.fields.get(template, {}).values(), Share())


def measured(truth: Sequence[Truth], result: Result) -> Figures:
    """What a database is worth. Pages that are like no other are not counted."""
    pages = [page for page in truth if page["template"] != _OTHER]
    found = [page for page in truth if page["path"] in result.urls]
    figures = Figures(
        told_apart(pages, result), Share(len(found), len(truth)), result.fetched - len(result.urls)
    )
    for template in dict.fromkeys(page["template"] for page in pages):
        own = [page for page in pages if page["template"] == template]
        if "records" in own[0]:
            figures.records[template], figures.rows[template], figures.joins[template] = (
                measured_list(own, result)
            )
        else:
            figures.fields[template] = measured_fields(own, result)
        for name in own[0].get("tables", ()):
            figures.nested[f"{template} {name}"] = measured_nested(own, name, result)
    return figures


def told_apart(pages: Sequence[Truth], result: Result) -> float:
    """The adjusted Rand index of the tables against the templates; a page without a table is alone."""
    tables = [result.templates.get(page["path"]) or number for number, page in enumerate(pages)]
    return compute_adjusted_rand_index([page["template"] for page in pages], tables)


def measured_list(pages: Sequence[Truth], result: Result) -> tuple[Share, Share, Share]:
    """Records with a row, rows with a record, and records whose row leads to the right page."""
    records = rows = joins = Share()
    for page in pages:
        found = result.of(page["path"])
        matched = _matched(page["records"], found, _has_record)
        right = sum(
            canonical(row.get("detail") or "") == record["target"] for record, row in matched
        )
        records += Share(len(matched), len(page["records"]))
        rows += Share(len(matched), len(found))
        joins += Share(right, len(page["records"]))
    return records, rows, joins


def _has_record(record: Truth, row: Row) -> bool:
    needed = [record["fields"][name] for name in _OF_RECORDS if name in record["fields"]]
    return all(any(shows(true, cell) for _, cell in cells(row)) for true in needed)


def _matched(
    true: Sequence[Truth], found: Sequence[Row], is_right: Callable[[Truth, Row], bool]
) -> list[tuple[Truth, Row]]:
    """What is true with the first row that has it; no row is taken twice."""
    left = list(found)
    pairs: list[tuple[Truth, Row]] = []
    for own in true:
        place = next((place for place, row in enumerate(left) if is_right(own, row)), None)
        if place is not None:
            pairs.append((own, left.pop(place)))
    return pairs


def measured_fields(pages: Sequence[Truth], result: Result) -> dict[str, Share]:
    """Values in the column that agrees most often, by field. The pages of a template may be in several tables."""
    count: Counter[str] = Counter()
    agreed: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
    for page in pages:
        table = result.templates.get(page["path"])
        shown = [cell for row in result.of(page["path"])[:1] for cell in cells(row)]
        for name, true, is_right in _values(page):
            count[name] += 1
            agreed[name, table].update(column for column, cell in shown if is_right(true, cell))
    right: Counter[str] = Counter()
    for (name, _), columns in agreed.items():
        right[name] += max(columns.values(), default=0)
    return {name: Share(right[name], count[name]) for name in count}


def _values(page: Truth) -> Iterator[tuple[str, Truth, Callable[[Truth, object], bool]]]:
    """The fields of a page; of an article, each paragraph is a value that the body must show."""
    for name, true in page["fields"].items():
        yield name, true, agrees
    for paragraph in page.get("paragraphs", ()):
        yield _BODY, {"text": paragraph}, shows


def measured_nested(pages: Sequence[Truth], name: str, result: Result) -> Share:
    """Rows of a table inside pages that are complete in the database."""
    total = Share()
    for template, own in _by_table(pages, result).items():
        count = sum(len(page["tables"][name]) for page in own)
        nested = result.nested(template) if template else []
        total += Share(
            max((_complete(own, name, table, result) for table in nested), default=0), count
        )
    return total


def _by_table(pages: Sequence[Truth], result: Result) -> dict[str | None, list[Truth]]:
    found: dict[str | None, list[Truth]] = defaultdict(list)
    for page in pages:
        found[result.templates.get(page["path"])].append(page)
    return found


def _complete(pages: Sequence[Truth], name: str, table: str, result: Result) -> int:
    """How many rows are complete in one table of the database."""
    agreed: dict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        for row in page["tables"][name]:
            shown = [cell for found in result.of(page["path"], table) for cell in cells(found)]
            for key, true in row.items():
                agreed[key].update({column for column, cell in shown if agrees(true, cell)})
    best = {key: columns.most_common(1)[0][0] for key, columns in agreed.items() if columns}

    def is_complete(row: Truth, found: Row) -> bool:
        return all(key in best and agrees(true, found.get(best[key])) for key, true in row.items())

    return sum(
        len(_matched(page["tables"][name], result.of(page["path"], table), is_complete))
        for page in pages
    )


def _print(console: Console, figures: Figures) -> None:
    console.print(
        f"Pages reached: {figures.reached}, {figures.twice} of them twice. "
        f"Templates told apart: {figures.index:.3f} (adjusted Rand index)."
    )
    grid = Table(
        "template",
        "records with a row",
        "rows with a record",
        "joins right",
        "fields",
        title="A whole site",
    )
    for name, own in figures.records.items():
        grid.add_row(name, str(own), str(figures.rows[name]), str(figures.joins[name]), "")
    for name in figures.fields:
        grid.add_row(name, "", "", "", str(figures.all_fields(name)))
    for name, own in figures.nested.items():
        grid.add_row(name, str(own), "", "", "")
    console.print(grid)
    details = Table("template", "field", "values in its column", title="Fields")
    for template, fields in figures.fields.items():
        for name, own in fields.items():
            details.add_row(template, name, str(own))
    console.print(details)


if __name__ == "__main__":
    main()
