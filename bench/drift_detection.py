"""Whether the fit of a page tells that its wrapper no longer reads it well."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.console import Console
from rich.table import Table as Grid

MIN_GOOD_F1 = 0.8


class PageFit(NamedTuple):
    """What a wrapper extracted from one page: how good it is, and the fit that it reports."""

    change: str
    f1: float
    fit: float
    unchanged_f1: float = 0.0
    """The F1 of the page as it was; 0 if only the change is judged."""

    @property
    def is_good(self) -> bool:
        """Whether the wrapper reads the page well."""
        return self.f1 >= MIN_GOOD_F1

    @property
    def is_broken(self) -> bool:
        """Whether the wrapper read the page well before the change only."""
        return self.f1 < MIN_GOOD_F1 <= self.unchanged_f1


class BatchReport(NamedTuple):
    """What a wrapper reports of all pages of a site after a change."""

    change: str
    relative_f1: float
    """The mean F1 as a share of that of the unchanged pages."""
    changed_fields: int
    """How many fields are reported as missing, unusual or constant."""


def print_detection(
    console: Console,
    title: str,
    pages: Sequence[PageFit],
    changes: Iterable[str],
    min_fit: float,
    is_bad: Callable[[PageFit], bool] = lambda page: not page.is_good,
) -> None:
    """Print for each change and for all pages which pages have a fit below the limit."""
    grid = Grid(
        "change",
        "pages",
        "bad",
        f"of these fit < {min_fit}",
        "of the others",
        "AUC",
        title=title,
    )
    for change in changes:
        members = [each for each in pages if each.change == change]
        grid.add_row(*_format_row(change, members, min_fit, is_bad))
    grid.add_section()
    grid.add_row(*_format_row("all pages", pages, min_fit, is_bad))
    console.print(grid)


def print_batches(console: Console, batches: Sequence[BatchReport]) -> None:
    """Print on how many sites a report of all pages names fields, by how much worse they are."""
    grid = Grid(
        "mean F1, relative", "batches", "with a report", title="Do all pages of a site tell?"
    )
    for low, high in pairwise((0.0, 0.5, 0.8, 0.95, 1.0, math.inf)):
        members = [each for each in batches if low <= each.relative_f1 < high]
        reported = sum([each.changed_fields > 0 for each in members])
        share = f"{reported / len(members):.3f}" if members else ""
        grid.add_row(f"{low} to {high}", str(len(members)), share)
    console.print(grid)


def _format_row(
    name: str, pages: Sequence[PageFit], min_fit: float, is_bad: Callable[[PageFit], bool]
) -> list[str]:
    bad = [page.fit for page in pages if is_bad(page)]
    good = [page.fit for page in pages if not is_bad(page)]
    shares = [
        f"{sum(fit < min_fit for fit in fits) / len(fits):.3f}" if fits else ""
        for fits in (bad, good)
    ]
    area = compute_auc(bad, good)
    return [name, str(len(pages)), str(len(bad)), *shares, "" if area is None else f"{area:.3f}"]


def compute_auc(bad: Sequence[float], good: Sequence[float]) -> float | None:
    """Return the probability that a good page has a higher fit than a bad one; ties count half.

    It is None if there are no pages of either kind.
    """
    if not bad or not good:
        return None
    ordered = sorted(bad)
    below = sum((bisect_left(ordered, fit) + bisect_right(ordered, fit)) / 2 for fit in good)
    return below / (len(bad) * len(good))
