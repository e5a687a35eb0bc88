"""From sources to a database: the whole of a run, or as much of it as is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from unweave.errors import UsageError
from unweave.files import write_text
from unweave.pipeline.apply import PAGES
from unweave.pipeline.page_types import Kind
from unweave.pipeline.run import SAMPLE, STEPS, Progress, Run, silent
from unweave.pipeline.tables import COLUMNS, TEMPLATES, Tables, learned
from unweave.pipeline.work import Work, digest
from unweave.runners.runner import Runner, Serial
from unweave.sinks.duckdb_connection import explain_sink_errors
from unweave.sinks.registry import (
    DEFAULT_SCHEMA,
    choose_sink,
    hide_password,
    is_database_address,
    write_tables,
)
from unweave.sources.crawl import CrawlOptions
from unweave.sources.selection import CrawlSource, choose_source


@dataclass(frozen=True, slots=True)
class Told:
    """A template in a summary."""

    name: str
    kind: Kind
    pages: int
    rows: dict[str, int]
    """How many rows each of its tables has."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run has done."""

    out: str
    templates: tuple[Told, ...] = ()
    pages: int = 0
    """How many pages are in tables."""
    twice: int = 0
    """How many were left out because a newer one has the same address."""
    aside: dict[str, int] = field(default_factory=dict)
    """How many were set aside, by the reason."""
    damaged: dict[str, int] = field(default_factory=dict)
    """How many pages in tables are damaged, mostly cut off, by what is wrong with them."""
    work: str | None = None
    """The folder of the steps, if it was kept."""


def build(
    sources: Sequence[str],
    out: str,
    *,
    work: str | None = None,
    until: str = STEPS[-1],
    fresh: bool = False,
    sample: int = SAMPLE,
    texts: bool = False,
    format: str | None = None,
    schema: str = DEFAULT_SCHEMA,
    reach: CrawlOptions | None = None,
    runner: Runner | None = None,
    progress: Progress = silent,
) -> Summary:
    """Sort the pages of sources into tables, and write them. What an earlier run has done is not done again.

    A run that fails, or is interrupted, leaves in the folder of the work what a later one goes on with. If
    there is nothing of that, and the folder was not named, it is removed.
    """
    if until not in STEPS:
        raise UsageError(f"unknown step {until!r}; there are {', '.join(STEPS)}")
    if not sources:
        raise UsageError("there is no source to read")
    target = choose_sink(out, format=format, schema=schema, run=digest("\n".join(sources)))
    target.check()
    folder = Work(work or default_work(out))
    run = Run(folder, runner or Serial(), progress, sample, texts)
    with folder.lock():
        if fresh:
            folder.clear()
        with _clean_up_on_failure(run, is_named=work is not None):
            run.plan(sources, _paths(sources, folder, reach or CrawlOptions(), progress))
            if until == "plan":
                return Summary(hide_password(out), work=str(folder.folder))
            rounds = run.go_on(until)
            if work is not None and until != "scan":
                _save_wrappers(folder, rounds)
            if until != STEPS[-1]:
                return Summary(hide_password(out), work=str(folder.folder))
            summary = _written(folder, rounds, out, format, schema, sources, progress)
    if work is None:
        folder.leave()
    return summary


@contextmanager
def _clean_up_on_failure(run: Run, *, is_named: bool) -> Iterator[None]:
    """At a failure stop the workers, and remove what no later run can use; the whole folder if that is all of it.

    A folder that the user has named stays, and so does the plan of an earlier run.
    """
    is_new = not run.work.plan.exists()
    try:
        yield
    except BaseException:
        run.runner.close()
        if is_new and not is_named and not run.work.has_results():
            run.work.leave()
        else:
            run.work.sweep()
        raise


def _paths(
    sources: Sequence[str], work: Work, reach: CrawlOptions, progress: Progress
) -> list[Path]:
    """The sources as files: what is on the web is fetched."""
    paths: list[Path] = []
    for number, location in enumerate(sources):
        source = choose_source(location, reach)
        if isinstance(source, CrawlSource):
            paths += source.download(
                location,
                work.folder / f"crawl-{number}",
                lambda pages, waiting: progress("crawl", pages, pages + waiting),
            )
        else:
            paths.append(Path(location))
    return paths


def _save_wrappers(work: Work, rounds: int) -> None:
    """What was learned, as files for ``unweave apply`` and ``unweave show``, named after the tables."""
    for template in learned(work, rounds):
        wrapper = template.records or template.fields
        if wrapper is not None:
            write_text(
                work.folder / "wrappers" / f"{template.name}.json",
                wrapper.dumps() + "\n",
                make_parents=True,
            )


def default_work(out: str) -> str:
    """The folder for the steps of a run: beside what it writes."""
    return f"unweave-{digest(out)}.work" if is_database_address(out) else f"{out.rstrip('/')}.work"


def _written(
    work: Work,
    rounds: int,
    out: str,
    format: str | None,
    schema: str,
    sources: Sequence[str],
    progress: Progress,
) -> Summary:
    progress("write", 0, 1)
    tables = Tables(work, rounds)
    with explain_sink_errors(str(work.folder)):
        relations = tables.relations()
    stored = write_tables(
        out,
        relations,
        format=format,
        work=work.folder,
        schema=schema,
        run=digest("\n".join(sources)),
    )
    progress("write", 1, 1)
    rows = {
        own.name: own.row_count for own in stored if own.name not in (PAGES, TEMPLATES, COLUMNS)
    }
    counts = tables.counts()
    return Summary(
        out=hide_password(out),
        templates=tuple(
            Told(
                own.name,
                own.kind,
                tables.pages[own.name],
                {name: rows[name] for name in own.tables if name in rows},
            )
            for own in sorted(
                tables.templates, key=lambda own: (-tables.pages.get(own.name, 0), own.name)
            )
            if own.name in tables.pages
        ),
        pages=sum(tables.pages.values()),
        twice=counts["twice"],
        aside=tables.reasons,
        damaged=tables.damaged,
        work=str(work.folder),
    )
