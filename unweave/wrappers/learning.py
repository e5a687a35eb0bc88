"""Learners: what makes a wrapper from pages of one template, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unweave.column_selection import ColumnSpec, parse_columns
from unweave.errors import UsageError
from unweave.page.page import Page
from unweave.registry import Registry, check_option_types
from unweave.wrappers.base import Wrapper


class Learner(Protocol):
    """Learns a wrapper. Its options are the fields of a frozen dataclass."""

    def learn(self, pages: Sequence[Page]) -> Wrapper:
        """Return a wrapper that is learned from these pages."""
        ...

    def learn_again(self, pages: Sequence[Page], old: Wrapper) -> Wrapper:
        """Return a wrapper that is learned from pages of a site that an old wrapper was for."""
        return self.learn(pages)

    def check_page_count(self, count: int) -> None:
        """Raise UsageError if the options do not fit this number of pages."""
        return


LEARNERS: Registry[type[Learner]] = Registry(
    "method",
    "unweave.learners",
    {
        "auto": "unweave.wrappers.learning:AutoLearner",
        "fields": "unweave.wrappers.fields.learn:FieldLearner",
        "records": "unweave.wrappers.lists.learn:ListLearner",
        "pattern": "unweave.wrappers.pattern.learn:PatternLearner",
        "news-pattern": "unweave.wrappers.pattern.learn:NewsPatternLearner",
        "landmark": "unweave.wrappers.landmarks.learn:LandmarkLearner",
        "depta": "unweave.wrappers.seed.learn:SeedLearner",
    },
)
"""The learners by the names of their methods. ``auto`` is the default."""


@dataclass(frozen=True, kw_only=True)
class AutoLearner(Learner):
    """Learns fields from several pages, and the list of a single page.

    ``table`` and ``like`` are options of lists and for a single page only.
    """

    table: int | None = None
    like: Sequence[str | int] = ()
    columns: Sequence[ColumnSpec | str] = ()
    examples: Mapping[str, str] = field(default_factory=dict)
    schema: Any = None

    def __post_init__(self) -> None:
        check_option_types(self)
        object.__setattr__(self, "columns", parse_columns(self.columns))
        self._make_list_learner()  # raises UsageError for wrong options
        self._make_field_learner()

    def check_page_count(self, count: int) -> None:
        """Raise UsageError if options for lists are given with several pages."""
        names = [name for name in ("table", "like") if getattr(self, name)]
        if count > 1 and names:
            raise UsageError(
                f"{names[0]} is an option of lists, but method auto learns fields from several"
                " pages: use method records"
            )
        if count == 1 and self.examples:
            raise UsageError("examples are values of detail pages: give several pages")

    def learn(self, pages: Sequence[Page]) -> Wrapper:
        """Return a wrapper for fields or, from one page, for a list."""
        self.check_page_count(len(pages))
        learner = self._make_field_learner() if len(pages) > 1 else self._make_list_learner()
        return learner.learn(pages)

    def _make_field_learner(self) -> Learner:
        from unweave.wrappers.fields.learn import FieldLearner

        return FieldLearner(columns=self.columns, examples=self.examples, schema=self.schema)

    def _make_list_learner(self) -> Learner:
        from unweave.wrappers.lists.learn import ListLearner

        return ListLearner(
            table=self.table, like=self.like, columns=self.columns, schema=self.schema
        )
