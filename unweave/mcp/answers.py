"""What tools answer. Clients get the schemas of these models with the list of tools."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

NEXT_OFFSET = "The offset of the next portion; null after the last."
IS_CUT = "Whether texts were cut because one item is too long for an answer."


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    type: str


class TableSummary(BaseModel):
    """One of the lists of a page."""

    number: int
    score: float = Field(description="How likely this is a list of the page's content, 0 to 1.")
    rows: int
    columns: list[str]


class RowProvenance(BaseModel):
    """Where a row came from, as XPaths."""

    record: list[str] = Field(description="The elements of the whole record.")
    cells: dict[str, list[str]] = Field(description="The elements of each cell.")


class TablesAnswer(BaseModel):
    """The lists of a page, and rows of one of them."""

    title: str
    url: str | None
    tables: list[TableSummary] = Field(description="The lists of the page, best first.")
    table: int | None = Field(description="The number of the list that the rows are of.")
    columns: list[ColumnInfo]
    rows: list[dict[str, Any]] = Field(description="The rows, without their empty cells.")
    provenance: list[RowProvenance] | None = None
    total_rows: int
    next_offset: int | None = Field(description=NEXT_OFFSET)
    is_cut: bool = Field(False, description=IS_CUT)
    warnings: list[str] = []


class TextBlock(BaseModel):
    """A block of the text of a page."""

    text: str
    role: str
    xpaths: list[str]


class TextAnswer(BaseModel):
    """The main content of a page."""

    kind: str = Field(description="The page type, such as article or listing.")
    title: str | None
    authors: list[str]
    date: str | None
    site_name: str | None
    language: str | None
    description: str | None
    url: str | None
    content: str | None = Field(description="The content; null where blocks were asked for.")
    blocks: list[TextBlock] | None = None
    total: int = Field(description="The number of characters, or of blocks, of the whole content.")
    next_offset: int | None = Field(description=NEXT_OFFSET)
    is_cut: bool = Field(False, description=IS_CUT)
    warnings: list[str] = []


class FieldInfo(BaseModel):
    """A field or column of a wrapper."""

    name: str
    located_by: str
    is_list: bool
    share: float | None = Field(description="The share of the learned pages that have it.")
    examples: list[str]


class PageFit(BaseModel):
    """How a wrapper fits a page that it was learned from."""

    fit: float
    rows: int | None = Field(description="The rows of its table, for wrappers of lists.")
    missing: list[str]


class WrapperAnswer(BaseModel):
    """A learned wrapper."""

    id: str = Field(description="The name of the wrapper for apply_wrapper, while the server runs.")
    method: str
    summary: str
    fields: list[FieldInfo]
    pages: list[PageFit]
    wrapper: str | None = Field(
        description="The wrapper as JSON, to be kept; null if it is too large for an answer."
    )
    wrapper_characters: int


class ExtractionAnswer(BaseModel):
    """What a wrapper extracts from a page: rows of a table, or fields."""

    fit: float = Field(description="How well the page matches the wrapper, 0 to 1.")
    missing: list[str] = Field(description="What is expected on every page and absent here.")
    columns: list[ColumnInfo] = []
    rows: list[dict[str, Any]] | None = Field(None, description="For wrappers of lists.")
    fields: dict[str, Any] | None = Field(None, description="For wrappers of fields.")
    provenance: list[RowProvenance] | dict[str, list[str]] | None = None
    total: int = Field(description="The number of rows or of fields of the page.")
    next_offset: int | None = Field(description=NEXT_OFFSET)
    is_cut: bool = Field(False, description=IS_CUT)
    warnings: list[str] = []


class CandidateInfo(BaseModel):
    """A repeated structure of a page that may be its list."""

    records: int
    confidence: float
    begins_with: str
    xpath: str = Field(description="The first element of the first record.")
    is_best: bool
    reason: str = Field(description="Why it lost against the best one.")


class ExplainAnswer(BaseModel):
    """Why a page has the list that it has."""

    summary: str
    candidates: list[CandidateInfo]
