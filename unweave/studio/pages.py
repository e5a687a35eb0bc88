"""The part of the API that is about one page."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from unweave import api
from unweave.errors import UsageError
from unweave.sinks.single import table_as_bytes
from unweave.studio import files, tables
from unweave.studio.bodies import DESCRIBED, Body
from unweave.studio.code import as_code
from unweave.studio.models import (
    Code,
    CodeWish,
    Drawn,
    Export,
    Found,
    MethodName,
    PageFacts,
    Pages,
    Problem,
    TableFacts,
    Tables,
    Wish,
)
from unweave.studio.state import OnDesk

PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "Wrong use."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {
        "model": Problem,
        "description": "Another web page has sent this, or an address is private.",
    },
    404: {"model": Problem, "description": "There is no such thing."},
    409: {"model": Problem, "description": "Somebody has cancelled the work that this waited for."},
    413: {"model": Problem, "description": "Too large."},
    415: {"model": Problem, "description": "A kind of body that is not taken."},
    422: {
        "model": Problem,
        "description": "The page cannot be fetched or used, or the call is not as described.",
    },
}

router = APIRouter(prefix="/api", tags=["one page"], responses=PROBLEMS)

Method = Annotated[MethodName, Query(description="How tables are found.")]
Want = Annotated[
    str | None,
    Query(description="What the records hold, such as `price,image`.", examples=["price"]),
]

_FOUND_AGAIN: dict[str, Any] = {
    "unweave-finds": {
        "schema": {"type": "string"},
        "description": "How many rows the wrapper finds here: `10 of 10`.",
    }
}


@router.post("/pages", status_code=201, response_model=PageFacts, openapi_extra=DESCRIBED)
def open_page(desk: OnDesk, given: Body) -> Any:
    """Open a page: its HTML as JSON or as it is, or the address to fetch it from."""
    return desk.open(given).facts


@router.get("/pages", response_model=Pages)
def list_pages(desk: OnDesk) -> Any:
    """The pages that are open."""
    return {"pages": [opened.facts for opened in desk.shelf.listed()]}


@router.get("/pages/{id}", response_model=PageFacts)
def get_page(desk: OnDesk, id: str) -> Any:
    """A page that is open."""
    return desk.shelf.page(id).facts


@router.delete("/pages/{id}", status_code=204)
def close_page(desk: OnDesk, id: str) -> None:
    """Close a page."""
    desk.shelf.close(id)


@router.get("/pages/{id}/drawing", response_model=Drawn)
def get_drawing(
    desk: OnDesk,
    id: str,
    outside: Annotated[bool, Query(description="Load style sheets and pictures?")] = False,
) -> Response:
    """The page as a tree of harmless elements. What it loads is left out, or is loaded here and put into it."""
    drawing = desk.shelf.page(id).drawing(desk.looks if outside else None)
    return Response(json.dumps(drawing, ensure_ascii=False), media_type="application/json")


@router.get("/pages/{id}/tables", response_model=Tables)
def get_tables(desk: OnDesk, id: str, method: Method = "auto", want: Want = None) -> Any:
    """The tables of a page, best first."""
    found = desk.shelf.page(id).tables(method, want)
    return {
        "tables": [
            tables.facts(table.merge_list_columns(), number)
            for number, table in enumerate(found, start=1)
        ]
    }


@router.post("/pages/{id}/table", response_model=TableFacts)
def get_table(desk: OnDesk, id: str, wish: Wish) -> Any:
    """One table of a page: the one that is meant, with the columns that are wanted."""
    opened = desk.shelf.page(id)
    number = None if wish.choice.like else wish.choice.number
    if wish.columns is None:
        return tables.facts(tables.chosen(opened, wish.choice).merge_list_columns(), number)
    return tables.facts(tables.wished(opened, wish), number)


@router.post(
    "/pages/{id}/export",
    response_class=Response,
    responses={200: {"content": files.CONTENT, "description": "The file."}},
)
def export_table(desk: OnDesk, id: str, wish: Export) -> Response:
    """A table as a file."""
    opened = desk.shelf.page(id)
    body = table_as_bytes(tables.wished(opened, wish), wish.format, values=wish.values)
    return Response(
        body,
        media_type=files.KINDS[wish.format],
        headers=files.attachment(opened.name, wish.format),
    )


@router.post("/pages/{id}/wrapper", responses={200: {"headers": _FOUND_AGAIN}})
def learn_wrapper(desk: OnDesk, id: str, wish: Wish) -> Response:
    """The wrapper of a table: `unweave apply` finds the same list on other pages with it.

    What it finds on this page is told in the header `unweave-finds`: so many of the rows.
    """
    opened = desk.shelf.page(id)
    if wish.columns and wish.choice.method != "auto":
        raise UsageError(
            "wrappers have the columns that auto finds: choose columns of a table of auto"
        )
    table = tables.chosen(opened, wish.choice)
    if wish.columns is not None:
        tables.wished(
            opened, wish
        )  # a column that the table has not is told; one that the wrapper has not is left out
    wrapper, rows = api.learn_table(table, columns=[own.pick() for own in wish.columns or ()])
    headers = {
        **files.attachment(opened.name, "wrapper.json"),
        "unweave-finds": f"{rows} of {len(table)}",
    }
    return Response(wrapper.dumps(), media_type="application/json", headers=headers)


@router.post("/pages/{id}/code", response_model=Code)
def get_code(desk: OnDesk, id: str, wish: CodeWish) -> Any:
    """The Python and the command line that do the same."""
    return as_code(desk.shelf.page(id), wish)


@router.post("/records", response_model=Found, openapi_extra=DESCRIBED)
def find_records(desk: OnDesk, given: Body, method: Method = "auto", want: Want = None) -> Any:
    """The tables of a page that is sent, as `unweave records` prints them. The page is not kept."""
    opened = desk.open(given, is_listed=False)
    try:
        return {
            "page": opened.name,
            "tables": [table.to_json() for table in opened.tables(method, want)],
        }
    finally:
        desk.shelf.close(opened.id)
