"""Tables 2 and 3 of the CTVS paper over the pages of examples/: contiguous or not, nested or not.

    python -m bench.papers

A record is extracted correctly if a row of the first table holds four fifths of its words, and no other record beside it. A
page is right if all of its records are, and no row is anything else. The paper's pages were its authors' own.
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

EXAMPLES = Path(__file__).parent.parent / "examples"

METHODS = ("mdr", "depta", "ctvs:printed", "ctvs", "ctvs:improved")
_ENOUGH = 0.8

# Pages of examples/ itself whose records are parted by other things, or hold a repeated part.
NONCONTIGUOUS = frozenset(["search", "news", "bookstore-1998", "twocolumn"])
NESTED = frozenset(["jobs", "definitions", "nested", "forum"])

PAPER = {
    "contiguous": "98.6 97.8 92.5, ViNTs 96.8 95.2 90.0, DeLa 95.2 93.9 85.0",
    "non-contiguous": "96.2 93.9 85.0, ViNTs 96.8 77.0 35.0, DeLa 95.0 76.4 37.5",
    "not nested": "97.6 97.9 95.0, ViNTs 95.2 95.2 90.0, DeLa 96.1 94.7 90.0",
    "nested": "95.9 95.3 90.0, ViNTs 85.8 86.4 75.0, DeLa 93.7 92.9 85.0",
}


class Counts(NamedTuple):
    """Records of one or more pages, and pages that are right."""

    records: int
    extracted: int
    correct: int
    pages: int
    right: int

    def __str__(self) -> str:
        return (
            f"{100 * self.correct / max(1, self.extracted):.1f} {100 * self.correct / self.records:.1f}"
            f" {100 * self.right / self.pages:.1f}"
        )


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
        title="Precision and recall of records, share of right pages",
    )
    for group, paper in PAPER.items():
        names = [page["page"] for page in pages if group in groups(page)]
        sums = [total(counted[method][name] for name in names) for method in METHODS]
        grid.add_row(group, str(sums[0].pages), str(sums[0].records), *map(str, sums), paper)
    console.print(grid)
    _print_wrong(console, counted)


def _print_wrong(console: Console, counted: dict[str, dict[str, Counts]]) -> None:
    grid = Table(
        "page",
        "records",
        *METHODS,
        title="Pages that ctvs does not get right: correct of extracted",
    )
    for name, own in counted["ctvs"].items():
        if not own.right:
            shown = [
                f"{counted[method][name].correct} of {counted[method][name].extracted}"
                for method in METHODS
            ]
            grid.add_row(name.removeprefix("examples/"), str(own.records), *shown)
    console.print(grid)


def read_example_pages() -> list[dict[str, Any]]:
    """All pages with a list, and their truth."""
    lines = [
        line
        for file in sorted(EXAMPLES.rglob("truth.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [page for page in map(json.loads, lines) if page["records"]]


def groups(page: dict[str, Any]) -> set[str]:
    """Which columns of the two tables a page belongs to."""
    folder, site = Path(page["page"]).parent.name, page["site"]
    is_parted = folder == "noncontiguous" or (folder == "examples" and site in NONCONTIGUOUS)
    is_nested = folder == "nested" or (folder == "examples" and site in NESTED)
    return {
        "non-contiguous" if is_parted else "contiguous",
        "nested" if is_nested else "not nested",
    }


def count_records(page: dict[str, Any], method: str, **parameters: Any) -> Counts:
    """Count the records of the page that a method gets right; a variant of it is given as ``ctvs:printed``."""
    method, _, variant = method.partition(":")
    if variant:
        parameters["variant"] = variant
    tables = unweave.records(EXAMPLES.parent / page["page"], method=method, **parameters)
    rows = [_bag(text) for text in tables[0].texts] if tables else []
    records = [_bag(" ".join(record)) for record in page["records"]]
    correct = len({_record_in(row, records) for row in rows} - {None})
    is_right = correct == len(rows) == len(records)
    return Counts(len(records), len(rows), correct, 1, int(is_right))


def _record_in(row: Counter[str], records: Sequence[Counter[str]]) -> int | None:
    """The number of the first record that the row holds without holding another beside it."""
    for number, record in enumerate(records):
        if _holds(row, record):
            rest = row - record
            if not any(
                other != number and _holds(rest, beside) for other, beside in enumerate(records)
            ):
                return number
    return None


def _holds(row: Counter[str], record: Counter[str]) -> bool:
    return (record & row).total() >= _ENOUGH * record.total()


def total(counts: Iterable[Counts]) -> Counts:
    """The sums."""
    return Counts(*map(sum, zip(*counts, strict=True)))


def _bag(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


if __name__ == "__main__":
    main()
