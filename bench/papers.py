"""Tables 2 and 3 of the CTVS paper on the pages of examples/: contiguous or not, nested or not.

    python -m bench.papers

A record is extracted correctly if a row of the first table has four fifths of its words, and no
other record in addition. A page is correct if all of its records are, and there are no other rows.
The pages of the paper are not available.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import unweave
from bench.reporting import make_console
from unweave.lists import method as list_methods

EXAMPLES = Path(__file__).parent.parent / "examples"

METHODS = ("mdr", "depta", "ctvs:printed", "ctvs", "ctvs:improved")
_MIN_WORD_SHARE = 0.8

# Pages in examples/ itself whose records have separators between them, or a nested list.
NONCONTIGUOUS = frozenset(["search", "news", "bookstore-1998", "twocolumn"])
NESTED = frozenset(["jobs", "definitions", "nested", "forum"])

PAPER = {
    "contiguous": "98.6 97.8 92.5, ViNTs 96.8 95.2 90.0, DeLa 95.2 93.9 85.0",
    "non-contiguous": "96.2 93.9 85.0, ViNTs 96.8 77.0 35.0, DeLa 95.0 76.4 37.5",
    "not nested": "97.6 97.9 95.0, ViNTs 95.2 95.2 90.0, DeLa 96.1 94.7 90.0",
    "nested": "95.9 95.3 90.0, ViNTs 85.8 86.4 75.0, DeLa 93.7 92.9 85.0",
}


class Counts(NamedTuple):
    """Numbers of records and pages."""

    records: int
    extracted: int
    correct: int
    pages: int
    correct_pages: int

    def __str__(self) -> str:
        precision = 100 * self.correct / max(1, self.extracted)
        recall = 100 * self.correct / self.records
        return f"{precision:.1f} {recall:.1f} {100 * self.correct_pages / self.pages:.1f}"


def main() -> None:
    """Print both tables."""
    console = make_console(170)
    pages = read_example_pages()
    counted = {
        method: {page["page"]: count_records(page, method) for page in pages} for method in METHODS
    }
    grid = Table(
        "pages",
        "number",
        "records",
        *METHODS,
        "the paper's CTVS",
        title="Precision and recall of records, share of correct pages",
    )
    for group, paper in PAPER.items():
        names = [page["page"] for page in pages if group in find_groups(page)]
        sums = [add_counts(counted[method][name] for name in names) for method in METHODS]
        grid.add_row(group, str(sums[0].pages), str(sums[0].records), *map(str, sums), paper)
    console.print(grid)
    _print_incorrect(console, counted)


def _print_incorrect(console: Console, counted: dict[str, dict[str, Counts]]) -> None:
    grid = Table(
        "page",
        "records",
        *METHODS,
        title="Pages that ctvs extracts incorrectly: correct of extracted",
    )
    for name, counts in counted["ctvs"].items():
        if not counts.correct_pages:
            shown = [
                f"{counted[method][name].correct} of {counted[method][name].extracted}"
                for method in METHODS
            ]
            grid.add_row(name.removeprefix("examples/"), str(counts.records), *shown)
    console.print(grid)


def read_example_pages() -> list[dict[str, Any]]:
    """Return the truth of all pages with a list."""
    lines = [
        line
        for file in sorted(EXAMPLES.rglob("truth.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [page for page in map(json.loads, lines) if page["records"]]


def find_groups(page: dict[str, Any]) -> set[str]:
    """Return the rows of the two tables that a page counts for."""
    folder, site = Path(page["page"]).parent.name, page["site"]
    is_noncontiguous = folder == "noncontiguous" or (folder == "examples" and site in NONCONTIGUOUS)
    is_nested = folder == "nested" or (folder == "examples" and site in NESTED)
    return {
        "non-contiguous" if is_noncontiguous else "contiguous",
        "nested" if is_nested else "not nested",
    }


def count_records(page: dict[str, Any], method: str, **parameters: Any) -> Counts:
    """Count the records that a method extracts correctly; ``ctvs:printed`` is a variant of it."""
    method, _, variant = method.partition(":")
    if variant:
        parameters["variant"] = variant
    list_method = list_methods.METHODS.make(method, parameters)
    tables = unweave.records(EXAMPLES.parent / page["page"], method=list_method)
    rows = [_count_words(text) for text in tables[0].texts] if tables else []
    records = [_count_words(" ".join(record)) for record in page["records"]]
    correct = len({_find_record(row, records) for row in rows} - {None})
    is_correct = correct == len(rows) == len(records)
    return Counts(len(records), len(rows), correct, 1, int(is_correct))


def _find_record(row: Counter[str], records: Sequence[Counter[str]]) -> int | None:
    """Return the number of the first record that a row has, without any other, or None."""
    for number, record in enumerate(records):
        if _contains(row, record):
            rest = row - record
            others = [*records[:number], *records[number + 1 :]]
            if not any(_contains(rest, other) for other in others):
                return number
    return None


def _contains(row: Counter[str], record: Counter[str]) -> bool:
    return (record & row).total() >= _MIN_WORD_SHARE * record.total()


def add_counts(counts: Iterable[Counts]) -> Counts:
    """Return the sums of counts."""
    return Counts(*map(sum, zip(*counts, strict=True)))


def _count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


if __name__ == "__main__":
    main()
