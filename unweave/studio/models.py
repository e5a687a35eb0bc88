"""What the studio's API takes and gives, as it is documented."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from unweave.column_selection import COLUMN_TYPES, ColumnSpec

Id = Annotated[
    str, Field(description="What names it, and cannot be guessed.", examples=["Xk2v9cQ1w8Zt0aBd"])
]


MethodName = Literal["auto", "mdr", "depta", "ctvs"]
FormatName = Literal["csv", "xlsx", "parquet", "jsonl"]


class Model(BaseModel):
    """Plain data. What is not described is refused: a misspelt word is an error, and not ignored."""

    model_config = ConfigDict(extra="forbid")


class Problem(Model):
    """Why a call did not do what was asked."""

    error: str = Field(description="One sentence for people.")


class PageFacts(Model):
    """A page that is open."""

    id: Id
    name: str
    url: str | None = Field(description="Its address, if it is known.")
    title: str
    bytes: int
    nodes: int = Field(description="How many elements its tree has.")
    encoding: str | None
    notes: list[str] = Field(description="What was odd about it.")


class Pages(Model):
    """The pages that are open."""

    pages: list[PageFacts]


class Markup(Model):
    """A page to be opened: its HTML, or the address to fetch it from."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"anyOf": [{"required": ["html"]}, {"required": ["url"]}]},
    )

    html: str | None = Field(
        None, description="The page itself.", examples=["<ul><li>one<li>two<li>three</ul>"]
    )
    url: str | None = Field(
        None, description="Where it is from. Without `html`, it is fetched from there."
    )
    name: str | None = Field(None, description="What to call it.", max_length=1_000)


class WantedColumn(Model):
    """A column that is wanted, and how."""

    column: str = Field(description="What the table calls it.")
    name: str = Field("", description="What it is to be called.")
    type: Literal["", *COLUMN_TYPES] = Field("", description="The type that it is to have.")  # type: ignore[valid-type]
    link: bool = Field(False, description="The addresses of its links, in place of its texts.")

    def pick(self) -> ColumnSpec:
        """The same for the library."""
        return ColumnSpec(self.column, self.name, self.type, self.link)


class Choice(Model):
    """Which table of a page."""

    method: MethodName = Field("auto", description="How tables are found.")
    want: str | None = Field(None, description="What its records hold, such as `price,image`.")
    number: int = Field(1, ge=1, description="Which of the tables, counted from the best.")
    like: tuple[int, int] | None = Field(
        None,
        description="Two nodes, in two records of the list that is meant. It is the only one then, found by `auto`.",
    )

    @model_validator(mode="after")
    def _means_one(self) -> Choice:
        if self.like and (self.method != "auto" or self.want or self.number != 1):
            raise ValueError(
                "like tells the table: method, want and number have nothing to choose from"
            )
        return self


class Wish(Model):
    """A table of a page, with the columns that are wanted; all that tell something if none are named."""

    choice: Choice = Choice()
    columns: list[WantedColumn] | None = Field(None, max_length=10_000)


class Export(Wish):
    """A table to be had as a file."""

    format: FormatName = "csv"
    values: bool = Field(
        False,
        description="Numbers and days as such, and not as they are shown. Of CSV and JSON Lines.",
    )


class CodeWish(Wish):
    """A table to be had by a program."""

    format: Literal["csv", "xlsx", "parquet"] = "csv"
    values: bool = Field(
        False, description="Numbers and days as such, and not as they are shown. Of CSV."
    )


class ColumnFacts(BaseModel):
    """A column of a table."""

    model_config = ConfigDict(extra="allow")

    name: str
    type: str
    constant: bool = Field(False, description="Does it say the same in every row?")
    links: bool = Field(False, description="Do its cells stand in links that could be split out?")


class TableFacts(Model):
    """A table: its rows, and the nodes of the page that they came from."""

    number: int | None = Field(
        description="Which of the page's tables, counted from the best; null if somebody pointed at it."
    )
    score: float
    columns: list[ColumnFacts]
    rows: list[list[str | None]]
    values: dict[str, list[Any]] = Field(
        description="What cells show, by columns that have a type."
    )
    records: list[list[int]] = Field(description="For every row the nodes of its record.")
    cells: list[list[list[int]]] = Field(description="For every cell the nodes that it came from.")


class Tables(Model):
    """The tables of a page, best first."""

    tables: list[TableFacts]


class Drawn(Model):
    """A page to be drawn: elements and texts, and no markup."""

    title: str
    is_empty: bool = Field(
        description="Is there nothing to see before its scripts run, which they never do here?"
    )
    quirks: bool = Field(description="Is it drawn by the rules of old?")
    left_out: int = Field(description="How many style sheets and pictures are not loaded.")
    can_load: bool = Field(
        description="Could some of them be loaded? Not if nobody knows where the page is from."
    )
    names: list[str] = Field(description="The names of elements.")
    nodes: list[list[Any]] = Field(
        description="In document order `[parent, name, number, attributes]` of an element, `[parent, text]` or"
        " `[parent, text, chunk]` of a text. `parent` is a place in this list, `name` one in `names`."
    )


class Found(BaseModel):
    """What `unweave records` prints of a page."""

    page: str
    tables: list[dict[str, Any]]


class Code(Model):
    """The same done by a program, and on the command line."""

    python: str
    command: str
