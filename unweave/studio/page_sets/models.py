"""What the part of the API that is about many pages takes and gives."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from unweave.studio.models import Id, Model, PageFacts, TableFacts

LearnerName = Literal["auto", "fields", "records", "pattern", "landmark", "given"]
KindName = Literal["fields", "records", "pattern", "landmark", "depta"]


class NewSet(Model):
    """Pages that are open, to be taken together."""

    pages: list[Id] = Field(
        min_length=1, max_length=10_000, description="The ids of pages that are open."
    )
    name: str | None = Field(None, max_length=1_000, description="What to call the set.")


class LeftOutFacts(Model):
    """Something that is no page of the set."""

    name: str = Field(description="Its address or path; empty for all that are too many.")
    reason: str


class GroupFacts(Model):
    """The pages of one template."""

    number: int = Field(description="Which of the groups, counted from 0, the largest first.")
    name: str = Field(
        description="A name made of the addresses of its pages.", examples=["product"]
    )
    kind: Literal["list", "detail", "article", "neither"] = Field(description="What its pages are.")
    pages: int
    examples: list[Id] = Field(description="Some of its pages.")
    method: Literal["fields", "records"] | None = Field(
        description="What `auto` learns; null if nothing could be learned."
    )
    fit: float = Field(description="How well its pages fit on average, from 0 to 1.")
    unfit: int = Field(description="How many of its pages fit less than 0.5.")


class SetFacts(Model):
    """A set of pages, and how far the work on it is."""

    id: Id
    name: str
    state: Literal["reading", "sorting", "learning", "ready", "failed"] = Field(
        description="Ask again until it is `ready` or `failed`."
    )
    done: int = Field(description="How many pages this step has done.")
    of: int = Field(description="How many pages this step has.")
    error: str | None = Field(description="Why it failed, if it did.")
    pages: int
    left_out: list[LeftOutFacts] = Field(
        description="What could not be read, was too much, or is like no other page."
    )
    groups: list[GroupFacts] = Field(description="Its templates, once it is ready.")


class AllSets(Model):
    """The sets of pages that are open."""

    sets: list[SetFacts]


class FieldFacts(Model):
    """A field or a column of a wrapper."""

    name: str
    told_by: str = Field(
        description="What tells it, in words.", examples=["label isbn", "row of reviews"]
    )
    share: float = Field(description="The share of the pages that have it, from 0 to 1.")
    is_list: bool
    table: str | None = Field(description="The table inside the page that it is a column of.")
    examples: list[str]


class TreeFacts(Model):
    """A node of a landmark grammar: the landmark that splits a part of a page, or the field that is left."""

    landmark: str | None
    share: float = Field(description="The share of the learned pages that have the landmark.")
    field: str | None = Field(
        description="What is extracted here: at a leaf, and where the landmark is missing."
    )
    example: str | None
    before: TreeFacts | None = Field(
        description="What stands before the landmark; null if no learned page fills it."
    )
    inside: TreeFacts | None
    after: TreeFacts | None
    cut: bool = Field(description="Is there more below, which is nested too deep to be given?")


class FitFacts(Model):
    """How well a page fits a wrapper."""

    id: Id
    name: str
    fit: float
    missing: list[str] = Field(description="What nearly every page has, and this one has not.")


class LearnedFacts(Model):
    """A wrapper, and how well it fits every page of its group."""

    method: LearnerName = Field(description="What was asked for.")
    learned: KindName = Field(description="What was learned.")
    seconds: float = Field(description="How long it took to learn it.")
    fields: list[FieldFacts]
    tree: TreeFacts | None = Field(description="Of a landmark grammar.")
    lines: list[str] = Field(description="A pattern or a grammar, line by line.")
    pages: list[FitFacts] = Field(description="Every page of the group, the worst first.")


class LearningFacts(Model):
    """How far the learning by one method is."""

    state: Literal["idle", "waiting", "learning", "trying"] = Field(
        description="`idle` if nothing is being learned, `waiting` for another one to end, `trying` on all pages."
    )
    done: int = Field(description="On how many pages the wrapper has been tried.")
    of: int = Field(description="On how many pages it will be tried.")
    seconds: float = Field(description="How long it has been at work.")


class Marks(Model):
    """Which texts of a page are template, and which are data. Texts are numbered as in the drawing of the page."""

    template: list[int] = Field(
        description="Texts that nearly all pages of the group have at the same place."
    )
    data: dict[str, list[int]] = Field(
        description="Texts by the field or the column that they tell."
    )


class ReadFacts(Model):
    """What a wrapper finds on a page."""

    page: PageFacts
    fit: float
    missing: list[str] = Field(description="What nearly every page has, and this one has not.")
    fields: dict[str, str | list[str | None]] | None = Field(
        description="Texts by field; null for lists."
    )
    table: TableFacts | None = Field(description="The list of the page; null for fields.")
    marks: Marks


class WrapperFacts(Model):
    """A wrapper file."""

    kind: KindName = Field(description="The method that it was learned by.")
    fields: list[FieldFacts]


class AppliedFacts(Model):
    """A wrapper file, and what it finds on a page."""

    wrapper: WrapperFacts
    read: ReadFacts
