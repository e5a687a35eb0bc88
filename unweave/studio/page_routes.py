"""The routes of the API for single pages: open, draw, find tables, export."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from unweave.errors import UsageError
from unweave.sinks.page_tables import encode_table
from unweave.studio.code_export import export_code
from unweave.studio.request_bodies import PAGE_BODY_DOCS, PageFromBody
from unweave.studio.schemas import (
    CodeInfo,
    CodeRequest,
    DrawingInfo,
    ErrorMessage,
    ExportRequest,
    ListMethodName,
    PageInfo,
    PageList,
    RecordsInfo,
    TableInfo,
    TableList,
    TableRequest,
)
from unweave.studio.state import State
from unweave.studio.tables import (
    FILE_RESPONSE_DOCS,
    MEDIA_TYPES,
    build_table,
    choose_table,
    describe_table,
    make_download_headers,
)
from unweave.wrappers.lists.learn import learn_from_table

_ERRORS = {
    400: "Wrong use.",
    401: "The token is missing or wrong.",
    403: "Another web page has sent this request, or an address is private.",
    404: "There is no such page, set or group.",
    409: "The learning that this call waited for was cancelled.",
    413: "Too large.",
    415: "A media type that is not supported.",
    422: "The page cannot be fetched or parsed, or the request does not match the description.",
}
ERROR_DOCS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorMessage, "description": text} for status, text in _ERRORS.items()
}
_ROWS_FOUND_HEADER = "unweave-finds"
_WRAPPER_DOCS: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            _ROWS_FOUND_HEADER: {
                "schema": {"type": "string"},
                "description": "How many rows the wrapper finds on this page: `10 of 10`.",
            }
        }
    }
}

router = APIRouter(prefix="/api", tags=["one page"], responses=ERROR_DOCS)

Method = Annotated[ListMethodName, Query(description="How lists are found.")]
RequiredTypes = Annotated[
    str | None,
    Query(description="The required types, such as `price,image`.", examples=["price"]),
]


@router.post("/pages", status_code=201, response_model=PageInfo, openapi_extra=PAGE_BODY_DOCS)
def open_page(state: State, body: PageFromBody) -> Any:
    """Open a page: its HTML as JSON or as it is, or the URL to fetch it from."""
    return state.open_page(body).info


@router.get("/pages", response_model=PageList)
def list_pages(state: State) -> Any:
    """Return the open pages."""
    return {"pages": [page.info for page in state.pages.list_pages()]}


@router.get("/pages/{id}", response_model=PageInfo)
def get_page(state: State, id: str) -> Any:
    """Return an open page."""
    return state.pages.get(id).info


@router.delete("/pages/{id}", status_code=204)
def close_page(state: State, id: str) -> None:
    """Close a page."""
    state.pages.close(id)


@router.get("/pages/{id}/drawing", response_model=DrawingInfo)
def get_drawing(
    state: State,
    id: str,
    outside: Annotated[
        bool, Query(description="Whether to fetch style sheets and images.")
    ] = False,
) -> Response:
    """Return the page as a tree of harmless elements, in which style sheets and images are data."""
    drawing = state.pages.get(id).draw(state.fetch_assets if outside else None)
    return Response(json.dumps(drawing, ensure_ascii=False), media_type="application/json")


@router.get("/pages/{id}/tables", response_model=TableList)
def get_tables(state: State, id: str, method: Method = "auto", want: RequiredTypes = None) -> Any:
    """Return the tables of a page, best first."""
    tables = [table.merge_list_columns() for table in state.pages.get(id).find_tables(method, want)]
    return {"tables": [describe_table(table, rank) for rank, table in enumerate(tables, start=1)]}


@router.post("/pages/{id}/table", response_model=TableInfo)
def get_table(state: State, id: str, request: TableRequest) -> Any:
    """Return one table of a page, with the chosen columns."""
    page = state.pages.get(id)
    if request.columns is None:
        table = choose_table(page, request.choice).merge_list_columns()
    else:
        table = build_table(page, request)
    return describe_table(table, None if request.choice.like else request.choice.number)


@router.post("/pages/{id}/export", response_class=Response, responses=FILE_RESPONSE_DOCS)
def export_table(state: State, id: str, request: ExportRequest) -> Response:
    """Return a table as a file."""
    page = state.pages.get(id)
    body = encode_table(build_table(page, request), request.format, values=request.values)
    headers = make_download_headers(page.name, request.format)
    return Response(body, media_type=MEDIA_TYPES[request.format], headers=headers)


@router.post("/pages/{id}/wrapper", responses=_WRAPPER_DOCS)
def learn_wrapper(state: State, id: str, request: TableRequest) -> Response:
    """Return a wrapper for a table: `unweave apply` finds the same list on other pages with it.

    The header `unweave-finds` tells how many of the rows it finds on this page.
    """
    page = state.pages.get(id)
    if request.columns and request.choice.method != "auto":
        raise UsageError("wrappers have the columns of auto: choose columns of a table of auto")
    table = choose_table(page, request.choice)
    if request.columns is not None:
        # Raises for a column that the table lacks; one that only the wrapper lacks is left out.
        build_table(page, request)
    columns = [column.to_spec() for column in request.columns or ()]
    wrapper, rows = learn_from_table(table, columns)
    headers = make_download_headers(page.name, "wrapper.json")
    headers[_ROWS_FOUND_HEADER] = f"{rows} of {len(table)}"
    return Response(wrapper.dumps(), media_type="application/json", headers=headers)


@router.post("/pages/{id}/code", response_model=CodeInfo)
def get_code(state: State, id: str, request: CodeRequest) -> Any:
    """Return Python code and a command line that write a table to a file."""
    return export_code(state.pages.get(id), request)


@router.post("/records", response_model=RecordsInfo, openapi_extra=PAGE_BODY_DOCS)
def find_records(
    state: State, body: PageFromBody, method: Method = "auto", want: RequiredTypes = None
) -> Any:
    """Return the tables of a page as `unweave records` prints them. The page is not stored."""
    page = state.open_page(body, is_listed=False)
    try:
        tables = [table.to_json() for table in page.find_tables(method, want)]
        return {"page": page.name, "tables": tables}
    finally:
        state.pages.close(page.id)
