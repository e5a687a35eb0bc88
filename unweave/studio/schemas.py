"""The JSON of the API: what it takes and returns. The descriptions are its documentation."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from unweave.column_selection import COLUMN_TYPES, ColumnSpec

MAX_NAME_CHARACTERS = 1_000

Id = Annotated[
    str, Field(description="An id that cannot be guessed.", examples=["Xk2v9cQ1w8Zt0aBd"])
]
ListMethodName = Literal["auto", "mdr", "depta", "ctvs"]
FileFormat = Literal["csv", "xlsx", "parquet", "jsonl"]
ColumnType = Literal["", *COLUMN_TYPES]  # type: ignore[valid-type]
LearnMethod = Literal["auto", "fields", "records", "pattern", "landmark", "given"]
WrapperKind = Literal["fields", "records", "pattern", "landmark", "depta"]


class Model(BaseModel):
    """Plain data. Unknown keys are refused, so that a misspelt key is an error."""

    model_config = ConfigDict(extra="forbid")


class ErrorMessage(Model):
    """Why a call failed."""

    error: str = Field(description="A sentence for people.")


# ---- one page ------------------------------------------------------------------------------------


class NewPage(Model):
    """A page to open: its HTML, or the URL to fetch it from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"anyOf": [{"required": ["html"]}, {"required": ["url"]}]},
    )

    html: str | None = Field(
        None, description="The HTML.", examples=["<ul><li>one<li>two<li>three</ul>"]
    )
    url: str | None = Field(
        None, description="The URL of the page. Without `html`, it is fetched from there."
    )
    name: str | None = Field(
        None, description="The name that is shown.", max_length=MAX_NAME_CHARACTERS
    )


class PageInfo(Model):
    """An open page."""

    id: Id
    name: str
    url: str | None = Field(description="Its URL, if it is known.")
    title: str
    bytes: int
    nodes: int = Field(description="The number of its elements.")
    encoding: str | None
    notes: list[str] = Field(description="Warnings of the parser.")


class PageList(Model):
    """The open pages."""

    pages: list[PageInfo]


class DrawingInfo(Model):
    """A page to be drawn: elements and texts instead of markup."""

    title: str
    is_empty: bool = Field(
        description="Whether it shows nothing until its scripts run, which the studio never does."
    )
    quirks: bool = Field(description="Whether browsers draw it in quirks mode.")
    left_out: int = Field(description="The number of style sheets and images that are not loaded.")
    can_load: bool = Field(
        description="Whether some of them can be loaded; not if the URL of the page is unknown."
    )
    names: list[str] = Field(description="The names of elements.")
    nodes: list[list[Any]] = Field(
        description="In document order `[parent, name, number, attributes]` for an element,"
        " `[parent, text]` or `[parent, text, number]` for a text. `parent` is a position in this"
        " list, `name` a position in `names`."
    )


# ---- tables --------------------------------------------------------------------------------------


class ColumnChoice(Model):
    """A column to return."""

    column: str = Field(description="Its name in the table.")
    name: str = Field("", description="Its new name.")
    type: ColumnType = Field("", description="Its new type.")
    link: bool = Field(False, description="Whether to return the URLs of its links, not its texts.")

    def to_spec(self) -> ColumnSpec:
        """Return the choice as the library takes it."""
        return ColumnSpec(self.column, self.name, self.type, self.link)


class TableChoice(Model):
    """Which table of a page."""

    method: ListMethodName = Field("auto", description="How lists are found.")
    want: str | None = Field(None, description="The required types, such as `price,image`.")
    number: int = Field(1, ge=1, description="The rank of the table, from 1 for the best.")
    like: tuple[int, int] | None = Field(
        None,
        description="Two nodes in different records of a list. Its table is returned, as `auto`"
        " finds it.",
    )

    @model_validator(mode="after")
    def _check_like(self) -> TableChoice:
        if self.like and (self.method != "auto" or self.want or self.number != 1):
            raise ValueError("method, want and number cannot be combined with like")
        return self


class TableRequest(Model):
    """A table of a page and its columns; all that are not constant if none are named."""

    choice: TableChoice = TableChoice()
    columns: list[ColumnChoice] | None = Field(None, max_length=10_000)


class ExportRequest(TableRequest):
    """A table to export as a file."""

    format: FileFormat = "csv"
    values: bool = Field(
        False, description="Whether CSV and JSON Lines hold typed values instead of texts."
    )


class CodeRequest(TableRequest):
    """A table that a program is to produce."""

    format: Literal["csv", "xlsx", "parquet"] = "csv"
    values: bool = Field(False, description="Whether CSV holds typed values instead of texts.")


class ColumnInfo(BaseModel):
    """A column of a table."""

    model_config = ConfigDict(extra="allow")

    name: str
    type: str
    constant: bool = Field(False, description="Whether it has the same text in every row.")
    links: bool = Field(False, description="Whether its cells are in links whose URLs can be had.")


class TableInfo(Model):
    """A table: its rows, and the nodes of the page that they came from."""

    number: int | None = Field(
        description="The rank of the table, from 1 for the best; null for one chosen by `like`."
    )
    score: float
    columns: list[ColumnInfo]
    rows: list[list[str | None]]
    values: dict[str, list[Any]] = Field(description="The typed values, by column.")
    records: list[list[int]] = Field(description="For every row the nodes of its record.")
    cells: list[list[list[int]]] = Field(description="For every cell the nodes that it came from.")


class TableList(Model):
    """The tables of a page, best first."""

    tables: list[TableInfo]


class RecordsInfo(BaseModel):
    """What `unweave records` prints for a page."""

    page: str
    tables: list[dict[str, Any]]


class CodeInfo(Model):
    """Code that produces a table: Python, and a command line."""

    python: str
    command: str


# ---- page sets -----------------------------------------------------------------------------------


class NewSet(Model):
    """Open pages that form a set."""

    pages: list[Id] = Field(min_length=1, max_length=10_000, description="The ids of open pages.")
    name: str | None = Field(
        None, max_length=MAX_NAME_CHARACTERS, description="The name of the set."
    )


class SkippedInfo(Model):
    """A file or response that is not a page of the set."""

    name: str = Field(description="Its URL or path; empty for the number of those not named.")
    reason: str


class GroupInfo(Model):
    """The pages of one template."""

    number: int = Field(description="The rank of the group, from 0 for the largest.")
    name: str = Field(description="A name made of the URLs of its pages.", examples=["product"])
    kind: Literal["list", "detail", "article", "neither"] = Field(description="Its page type.")
    pages: int
    examples: list[Id] = Field(description="Some of its pages.")
    method: Literal["fields", "records"] | None = Field(
        description="The method that `auto` chose; null if nothing could be learned."
    )
    fit: float = Field(description="The average fit of its pages, from 0 to 1.")
    unfit: int = Field(description="The number of its pages with a fit below 0.5.")


class SetInfo(Model):
    """A set of pages and its progress."""

    id: Id
    name: str
    state: Literal["reading", "sorting", "learning", "ready", "failed"] = Field(
        description="Poll until it is `ready` or `failed`."
    )
    done: int = Field(description="The number of pages that this step has processed.")
    of: int = Field(description="The number of pages of this step.")
    error: str | None = Field(description="The reason if it failed.")
    pages: int
    left_out: list[SkippedInfo] = Field(
        description="What could not be read, was above a limit, or is like no other page."
    )
    groups: list[GroupInfo] = Field(description="Its templates, once it is ready.")


class SetList(Model):
    """The open sets of pages."""

    sets: list[SetInfo]


# ---- wrappers ------------------------------------------------------------------------------------


class FieldInfo(Model):
    """A field or a column of a wrapper."""

    name: str
    told_by: str = Field(
        description="What the wrapper finds it by.", examples=["label isbn", "row of reviews"]
    )
    share: float = Field(description="The share of the pages that have it, from 0 to 1.")
    is_list: bool
    table: str | None = Field(description="The table inside the page that it is a column of.")
    examples: list[str]


class TreeInfo(Model):
    """A node of a landmark grammar: a landmark that splits a region, or the field of a leaf."""

    landmark: str | None
    share: float = Field(description="The share of the learned pages that have the landmark.")
    field: str | None = Field(
        description="The field of a leaf, and of a node where the landmark is missing."
    )
    example: str | None
    before: TreeInfo | None = Field(
        description="The region before the landmark; null if it is empty on all learned pages."
    )
    inside: TreeInfo | None
    after: TreeInfo | None
    cut: bool = Field(description="Whether deeper nodes were left out.")


class FitInfo(Model):
    """How well a page matches a wrapper."""

    id: Id
    name: str
    fit: float
    missing: list[str] = Field(description="What nearly every page has and this one lacks.")


class LearnedInfo(Model):
    """A wrapper, and the fit of every page of its group."""

    method: LearnMethod = Field(description="The requested method.")
    learned: WrapperKind = Field(description="The method that the wrapper was learned by.")
    seconds: float = Field(description="The time that learning took.")
    fields: list[FieldInfo]
    tree: TreeInfo | None = Field(description="The tree of a landmark grammar.")
    lines: list[str] = Field(description="The lines of a pattern or a grammar.")
    pages: list[FitInfo] = Field(description="Every page of the group, the worst fit first.")


class LearningInfo(Model):
    """The progress of learning by one method."""

    state: Literal["idle", "waiting", "learning", "trying"] = Field(
        description="`idle` if nothing is being learned, `waiting` for another method to end,"
        " `trying` while the wrapper is applied to all pages."
    )
    done: int = Field(description="The number of pages that the wrapper was applied to.")
    of: int = Field(description="The number of pages that it will be applied to.")
    seconds: float = Field(description="The time since it started.")


class TextMarks(Model):
    """Which texts of a page are template and which are data, by their numbers in the drawing."""

    template: list[int] = Field(description="Texts that nearly all pages of the group have.")
    data: dict[str, list[int]] = Field(description="Texts by field or column.")


class ExtractionInfo(Model):
    """What a wrapper extracts from a page."""

    page: PageInfo
    fit: float
    missing: list[str] = Field(description="What nearly every page has and this one lacks.")
    fields: dict[str, str | list[str | None]] | None = Field(
        description="Texts by field; null for lists."
    )
    others: dict[str, str | list[str | None]] = Field(
        description="Texts of the fields that are hardly ever wanted."
    )
    table: TableInfo | None = Field(description="The list of the page; null for fields.")
    marks: TextMarks


class WrapperInfo(Model):
    """A wrapper file."""

    kind: WrapperKind = Field(description="The method that it was learned by.")
    fields: list[FieldInfo]


class AppliedInfo(Model):
    """A wrapper file, and what it extracts from a page."""

    wrapper: WrapperInfo
    read: ExtractionInfo
