"""Repair of wrappers: how many names of fields are carried over to a changed site.

    python -m bench.repair --data ../shared/data --score ../shared/score/score.py [--every N]

A wrapper is learned from 20 pages of a site, and repaired with 20 others that a redesign changed.
Both then read 20 further pages, the old one as they were and the new one as they are changed. A
name is carried over if the field has the same values, by F1 of 0.5 or more, and wrong if hardly
any of its values are those of the old one.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table as Grid

import unweave
from bench.corpus import DETAIL, find_page_sets
from bench.drift_changes import Change, keep, make_change
from bench.reporting import make_console, make_parser
from bench.scoring import load_scorer
from unweave.page.page import Page
from unweave.wrappers.fields.apply import FieldWrapper

_PAGES = 20  # to learn from, to repair with, and to compare on
_CHANGES = ("classes", "ids", "wrap", "ad", "tags", "labels", "column", "ids+wrap+ad+tags")
_MIN_CARRIED_F1 = 0.5
_MAX_WRONG_PRECISION = 0.3


class Counts(NamedTuple):
    """The number of fields of a wrapper that have values, and what became of their names."""

    fields: int
    carried: int
    wrong: int


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="use every n-th site only")
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "detail", DETAIL)
    sites = [paths for each in sets for paths in each.list_paths_by_site()][:: arguments.every]
    if not sites or not arguments.score.with_name("harm.py").exists():
        print(f"No detail pages in {arguments.data}, or no harm.py: nothing was measured.")
        return
    with ProcessPoolExecutor() as workers:
        results = list(workers.map(_measure_site, sites, repeat(arguments.score)))
    grid = Grid("change", "fields", "carried over", "wrong", title=f"Repair, {len(sites)} sites")
    for change in results[0]:
        fields, carried, wrong = (
            sum(numbers) for numbers in zip(*(each[change] for each in results), strict=True)
        )
        grid.add_row(change, str(fields), f"{carried / fields:.3f}", f"{wrong / fields:.4f}")
    make_console().print(grid)


def _measure_site(paths: Sequence[Path], scorer: Path) -> dict[str, Counts]:
    """Return the counts of one site by change."""
    kinds: Mapping[str, Change] = load_scorer(scorer.with_name("harm.py")).KINDS
    shuffled = random.Random(0).sample(list(paths), len(paths))
    learned, others = shuffled[:_PAGES], shuffled[_PAGES:]
    markups = [path.read_bytes() for path in others]
    repaired_with, compared = markups[:_PAGES], markups[_PAGES : 2 * _PAGES] or markups
    wrapper = unweave.learn(learned, method="fields")
    assert isinstance(wrapper, FieldWrapper)
    labels = {text for _, _, text in wrapper.anchors.labels}
    before = _collect_values(wrapper, compared)
    counts: dict[str, Counts] = {}
    for name in ("none", *_CHANGES):
        change = keep if name == "none" else make_change(name, kinds, markups[:10], labels)
        repaired = unweave.repair(wrapper, [Page.parse(change(each)) for each in repaired_with])
        after = _collect_values(repaired.wrapper, map(change, compared))
        names = [field.name for field in wrapper.describe_fields() if before[field.name]]
        counts[name] = _count(names, before, after)
    return counts


_Values = defaultdict[str, Counter[tuple[int, str]]]


def _collect_values(wrapper: Any, markups: Any) -> _Values:
    """Return the values of each field, each with the number of its page."""
    values: _Values = defaultdict(Counter)
    for number, markup in enumerate(markups):
        for name, value in (unweave.apply(wrapper, markup).fields or {}).items():
            texts = value if isinstance(value, list) else [value]
            values[name].update((number, text) for text in texts if text)
    return values


def _count(names: Sequence[str], before: _Values, after: _Values) -> Counts:
    carried = wrong = 0
    for name in names:
        given = after[name].total()
        shared = (before[name] & after[name]).total()
        if 2 * shared >= _MIN_CARRIED_F1 * (before[name].total() + given):
            carried += 1
        elif given and shared < _MAX_WRONG_PRECISION * given:
            wrong += 1
    return Counts(len(names), carried, wrong)


if __name__ == "__main__":
    main()
