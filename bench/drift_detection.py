"""Whether the fit of a page tells that its wrapper no longer reads it well."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table as Grid

MIN_GOOD_F1 = 0.8


class PageFit(NamedTuple):
    """What a wrapper extracted from one page: how good it is, and the fit that it reports."""

    change: str
    f1: float
    fit: float

    @property
    def is_good(self) -> bool:
        """Whether the wrapper reads the page well."""
        return self.f1 >= MIN_GOOD_F1


def print_detection(
    console: Console,
    title: str,
    pages: Sequence[PageFit],
    changes: Iterable[str],
    min_fit: float,
) -> None:
    """Print for each change and for all pages which pages have a fit below the limit."""
    grid = Grid(
        "change",
        "pages",
        f"with F1 < {MIN_GOOD_F1}",
        f"of these fit < {min_fit}",
        "of the others",
        "AUC",
        title=title,
    )
    for change in changes:
        grid.add_row(
            *_format_row(change, [each for each in pages if each.change == change], min_fit)
        )
    grid.add_section()
    grid.add_row(*_format_row("all pages", pages, min_fit))
    console.print(grid)


def _format_row(name: str, pages: Sequence[PageFit], min_fit: float) -> list[str]:
    bad = [page.fit for page in pages if not page.is_good]
    good = [page.fit for page in pages if page.is_good]
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
