"""The routes of the API for sets of pages, their templates, and wrapper files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from unweave.studio.learned_wrappers import (
    GIVEN,
    LearnedWrapper,
    PageExtraction,
    describe_all_fields,
    describe_fields,
    format_lines,
    get_wrapper_kind,
    make_landmark_tree,
)
from unweave.studio.page_groups import Group
from unweave.studio.page_routes import ERROR_DOCS
from unweave.studio.page_sets import PageSet, read_open_pages, read_source
from unweave.studio.page_store import OpenPage
from unweave.studio.request_bodies import (
    PAGE_BODY_DOCS,
    SET_BODY_DOCS,
    WRAPPER_BODY_DOCS,
    Archive,
    PageFromBody,
    SetFromBody,
    WrapperFromBody,
)
from unweave.studio.schemas import (
    AppliedInfo,
    ExtractionInfo,
    FileFormat,
    LearnedInfo,
    LearningInfo,
    LearnMethod,
    SetInfo,
    SetList,
    WrapperInfo,
)
from unweave.studio.state import State
from unweave.studio.tables import (
    FILE_RESPONSE_DOCS,
    MEDIA_TYPES,
    describe_table,
    export_extractions,
    make_download_headers,
)
from unweave.wrappers.base import Wrapper

MAX_EXAMPLE_PAGES = 4
"""The pages of a group that are shown as thumbnails."""

router = APIRouter(prefix="/api/sets", tags=["many pages"], responses=ERROR_DOCS)
wrapper_router = APIRouter(prefix="/api", tags=["wrapper files"], responses=ERROR_DOCS)

Method = Annotated[
    LearnMethod,
    Query(
        description="How the wrapper is learned. `auto` learns lists from list pages, else fields."
    ),
]


# ---- sets ----------------------------------------------------------------------------------------


@router.post("", status_code=202, response_model=SetInfo, openapi_extra=SET_BODY_DOCS)
def open_set(state: State, body: SetFromBody) -> Any:
    """Open a set of pages, from open pages or an archive.

    The pages are sorted by template, and wrappers are learned, after the response.
    """
    if isinstance(body, Archive):
        page_set = state.sets.open(body.name, read_source(body.path), body.folder.cleanup)
    else:
        pages = [state.pages.get(id) for id in dict.fromkeys(body.pages)]
        page_set = state.sets.open(body.name or f"{len(pages)} pages", read_open_pages(pages))
    return _describe_set(page_set)


@router.get("", response_model=SetList)
def list_sets(state: State) -> Any:
    """Return the open sets of pages."""
    return {"sets": [_describe_set(page_set) for page_set in state.sets.list_sets()]}


@router.get("/{id}", response_model=SetInfo)
def get_set(state: State, id: str) -> Any:
    """Return a set of pages and its progress."""
    return _describe_set(state.sets.get(id))


@router.delete("/{id}", status_code=204)
def close_set(state: State, id: str) -> None:
    """Close a set and its pages. Work on it is stopped."""
    state.sets.close(id)


def _describe_set(page_set: PageSet) -> dict[str, Any]:
    return {
        "id": page_set.id,
        "name": page_set.name,
        "state": page_set.state,
        "done": page_set.done,
        "of": page_set.of,
        "error": page_set.error,
        "pages": page_set.page_count,
        "left_out": page_set.content.describe_skipped(),
        "groups": [_describe_group(number, group) for number, group in enumerate(page_set.groups)],
    }


def _describe_group(number: int, group: Group) -> dict[str, Any]:
    learned = group.auto
    return {
        "number": number,
        "name": group.template.name,
        "kind": group.template.page_type,
        "pages": len(group.members),
        "examples": [member.open_page.id for member in group.members[:MAX_EXAMPLE_PAGES]],
        "method": learned.method if learned else None,
        "fit": round(learned.average_fit, 4) if learned else 0.0,
        "unfit": learned.count_unfit_pages() if learned else len(group.members),
    }


# ---- groups and their wrappers -------------------------------------------------------------------


@router.get("/{id}/groups/{number}", response_model=LearnedInfo)
def get_learned(state: State, id: str, number: int, method: Method = "auto") -> Any:
    """Return the wrapper of a template, learned on the first call, and the fit of every page.

    Some methods take a minute: `learning` returns their progress, and DELETE on it cancels them.
    """
    group, learned = _learn(state.sets.get(id), number, method)
    return _describe_learned(method, group, learned)


@router.put(
    "/{id}/groups/{number}/wrapper", response_model=LearnedInfo, openapi_extra=WRAPPER_BODY_DOCS
)
def give_wrapper(state: State, id: str, number: int, wrapper: WrapperFromBody) -> Any:
    """Apply a wrapper file to the pages of a template. Other calls name it as method `given`."""
    page_set = state.sets.get(id)
    group = page_set.get_group(number)
    return _describe_learned(GIVEN, group, group.use_given(wrapper, page_set.check_open))


@router.get("/{id}/groups/{number}/learning", response_model=LearningInfo)
def get_learning(state: State, id: str, number: int, method: Method = "auto") -> Any:
    """Return the progress of learning by a method."""
    run = state.sets.get(id).get_group(number).get_run(method)
    if run is None:
        return {"state": "idle", "done": 0, "of": 0, "seconds": 0.0}
    seconds = round(run.get_seconds(), 1)
    return {"state": run.state, "done": run.done, "of": run.of, "seconds": seconds}


@router.delete("/{id}/groups/{number}/learning", status_code=204)
def cancel_learning(state: State, id: str, number: int, method: Method = "auto") -> None:
    """Cancel the learning by a method. The calls that wait for it get the status 409."""
    run = state.sets.get(id).get_group(number).get_run(method)
    if run is not None:
        run.cancel()


@router.get("/{id}/groups/{number}/wrapper")
def get_wrapper(state: State, id: str, number: int, method: Method = "auto") -> Response:
    """Return the wrapper as a file for `unweave apply`."""
    group, learned = _learn(state.sets.get(id), number, method)
    headers = make_download_headers(group.template.name, "wrapper.json")
    return Response(learned.wrapper.dumps(), media_type="application/json", headers=headers)


@router.get("/{id}/groups/{number}/export", response_class=Response, responses=FILE_RESPONSE_DOCS)
def export_group(
    state: State,
    id: str,
    number: int,
    method: Method = "auto",
    format: Annotated[FileFormat, Query()] = "csv",
) -> Response:
    """Return a file with a row for each record of a list, or for each page of the group."""
    page_set = state.sets.get(id)
    group, learned = _learn(page_set, number, method)
    body = export_extractions(learned.wrapper, group.parse_pages(page_set.check_open), format)
    headers = make_download_headers(group.template.name, format)
    return Response(body, media_type=MEDIA_TYPES[format], headers=headers)


@router.get("/{id}/groups/{number}/pages/{page}", response_model=ExtractionInfo)
def read_page(state: State, id: str, number: int, page: str, method: Method = "auto") -> Any:
    """Return what the wrapper extracts from a page of the group, and its template texts."""
    group, learned = _learn(state.sets.get(id), number, method)
    open_page = state.pages.get(group.get_member(page).open_page.id)
    return _describe_extraction(open_page, learned.extract(open_page.parse()))


@router.post(
    "/{id}/groups/{number}/try", response_model=ExtractionInfo, openapi_extra=PAGE_BODY_DOCS
)
def try_wrapper(
    state: State, id: str, number: int, body: PageFromBody, method: Method = "auto"
) -> Any:
    """Return what the wrapper extracts from a new page, which is open as long as the set."""
    page_set = state.sets.get(id)
    _, learned = _learn(page_set, number, method)
    open_page = state.open_page(body, is_listed=False)
    page_set.add_tried_page(open_page)
    return _describe_extraction(open_page, learned.extract(open_page.parse()))


def _learn(page_set: PageSet, number: int, method: str) -> tuple[Group, LearnedWrapper]:
    group = page_set.get_group(number)
    return group, group.learn(method, page_set.check_open)


def _describe_learned(method: str, group: Group, learned: LearnedWrapper) -> dict[str, Any]:
    pages: list[dict[str, Any]] = []
    for page_fit in learned.page_fits:
        page = group.members[page_fit.number].open_page
        fit = round(page_fit.fit, 4)
        pages.append({"id": page.id, "name": page.name, "fit": fit, "missing": page_fit.missing})
    return {
        "method": method,
        "learned": learned.method,
        "seconds": round(learned.seconds, 3),
        "fields": describe_fields(learned),
        "tree": make_landmark_tree(learned),
        "lines": format_lines(learned),
        "pages": pages,
    }


# ---- wrapper files -------------------------------------------------------------------------------


@wrapper_router.post("/wrappers", response_model=WrapperInfo, openapi_extra=WRAPPER_BODY_DOCS)
def describe_wrapper(wrapper: WrapperFromBody) -> Any:
    """Describe a wrapper file. It is not stored."""
    return _describe_wrapper(wrapper)


@wrapper_router.post(
    "/pages/{id}/apply", response_model=AppliedInfo, openapi_extra=WRAPPER_BODY_DOCS
)
def apply_wrapper(state: State, id: str, wrapper: WrapperFromBody) -> Any:
    """Return what a wrapper file extracts from a page, as `unweave apply` does."""
    page = state.pages.get(id)
    learned = LearnedWrapper(get_wrapper_kind(wrapper), wrapper, frozenset(), 0.0)
    extraction = _describe_extraction(page, learned.extract(page.parse()))
    return {"wrapper": _describe_wrapper(wrapper), "read": extraction}


def _describe_wrapper(wrapper: Wrapper) -> dict[str, Any]:
    return {"kind": get_wrapper_kind(wrapper), "fields": describe_all_fields(wrapper)}


def _describe_extraction(page: OpenPage, extraction: PageExtraction) -> dict[str, Any]:
    table = extraction.table
    return {
        "page": page.info,
        "fit": round(extraction.fit, 4),
        "missing": extraction.missing,
        "fields": extraction.fields,
        "others": extraction.others,
        "table": describe_table(table, None) if table is not None else None,
        "marks": {"template": extraction.template_texts, "data": extraction.data_texts},
    }
