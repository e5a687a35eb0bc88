"""Options of a run, and how its progress is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from unweave.errors import UsageError
from unweave.pipeline.selection import SiteSelection
from unweave.sinks.registry import DEFAULT_SCHEMA
from unweave.sources.crawl import CrawlOptions

STEPS = ("plan", "scan", "learn", "apply", "write")
"""The steps of a run in their order."""

SAMPLE_PAGES = 300
"""The number of pages of a site that its templates are learned from, unless another is given."""

Progress = Callable[[str, int, int], None]
"""A callback with the step, the number of its finished tasks, and the number of all its tasks."""


def no_progress(step: str, done: int, total: int) -> None:
    """Do nothing; the default progress callback."""


@dataclass(frozen=True)
class SiteOptions:
    """Options of a run, as ``unweave.site`` takes them."""

    format: str | None = None
    """The format of the files of a folder; None for the default, and for a database."""
    schema: str = DEFAULT_SCHEMA
    """The schema of a PostgreSQL database that the tables are written to."""
    work: str | None = None
    """The folder for the results of the steps, which is kept.

    None for a folder beside the output, which is removed when the run is complete.
    """
    until: str = STEPS[-1]
    """The last step to do."""
    fresh: bool = False
    """Whether to start over instead of continuing an earlier run."""
    sample: int = SAMPLE_PAGES
    texts: bool = False
    """Whether all values are written as the texts on the pages, instead of as numbers and dates."""
    columns: tuple[str, ...] = ()
    """The columns of tables that are written, as ``TABLE.COLUMN[=NAME][:TYPE]``.

    Tables that none is named of are written with all columns.
    """
    crawl: CrawlOptions = field(default_factory=CrawlOptions)

    def __post_init__(self) -> None:
        """Raise UsageError if there is no such step, or a column cannot be read."""
        SiteSelection.parse(self.columns)
        if self.until not in STEPS:
            raise UsageError(f"unknown step {self.until!r}; choose from {', '.join(STEPS)}")
