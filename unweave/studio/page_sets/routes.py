"""The part of the API that is about many pages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from unweave.studio import files, tables
from unweave.studio.bodies import DESCRIBED, Body
from unweave.studio.models import FormatName
from unweave.studio.page_sets import described
from unweave.studio.page_sets.archives import DESCRIBED as DESCRIBED_SET
from unweave.studio.page_sets.archives import Archive, GivenSet
from unweave.studio.page_sets.gathered import found_at, found_open
from unweave.studio.page_sets.learned import GIVEN, Learned, Read, kind_of
from unweave.studio.page_sets.models import (
    AllSets,
    AppliedFacts,
    LearnedFacts,
    LearnerName,
    LearningFacts,
    ReadFacts,
    SetFacts,
    WrapperFacts,
)
from unweave.studio.page_sets.rows import found_on_all
from unweave.studio.page_sets.sets import Group, PageSet
from unweave.studio.page_store import Opened
from unweave.studio.pages import PROBLEMS
from unweave.studio.state import OnDesk
from unweave.studio.wrapper_files import DESCRIBED as DESCRIBED_WRAPPER
from unweave.studio.wrapper_files import WrapperBody, read_wrapper
from unweave.wrappers.base import Wrapper

router = APIRouter(prefix="/api/sets", tags=["many pages"], responses=PROBLEMS)
pages_router = APIRouter(prefix="/api", tags=["wrapper files"], responses=PROBLEMS)

Learner = Annotated[
    LearnerName,
    Query(
        description="How the wrapper is learned. `auto` learns lists of records from list pages, else fields."
    ),
]

_EXAMPLES = 4


@router.post("", status_code=202, response_model=SetFacts, openapi_extra=DESCRIBED_SET)
def open_set(desk: OnDesk, given: GivenSet) -> Any:
    """Take pages together: those that are open, or those of an archive. They are sorted and learned from meanwhile."""
    if isinstance(given, Archive):
        return _facts(desk.sets.open(given.name, found_at(given.path), given.folder.cleanup))
    pages = [desk.shelf.page(id) for id in dict.fromkeys(given.pages)]
    return _facts(desk.sets.open(given.name or f"{len(pages)} pages", found_open(pages)))


@router.get("", response_model=AllSets)
def list_sets(desk: OnDesk) -> Any:
    """The sets of pages that are open."""
    return {"sets": list(map(_facts, desk.sets.all()))}


@router.get("/{id}", response_model=SetFacts)
def get_set(desk: OnDesk, id: str) -> Any:
    """A set of pages, and how far the work on it is."""
    return _facts(desk.sets.get(id))


@router.delete("/{id}", status_code=204)
def close_set(desk: OnDesk, id: str) -> None:
    """Close a set and its pages. Work on it is stopped."""
    desk.sets.close(id)


@router.get("/{id}/groups/{number}", response_model=LearnedFacts)
def get_learned(desk: OnDesk, id: str, number: int, method: Learner = "auto") -> Any:
    """What a method learns from the pages of a template, and how well each of them fits. It is learned once.

    Some methods take a minute: `learning` tells how far they are, and can be deleted to cancel them.
    """
    return _learned_facts(method, *_learned(desk.sets.get(id), number, method))


@router.put(
    "/{id}/groups/{number}/wrapper", response_model=LearnedFacts, openapi_extra=DESCRIBED_WRAPPER
)
def give_wrapper(desk: OnDesk, id: str, number: int, body: WrapperBody) -> Any:
    """Try a wrapper file on the pages of a template. It is the method `given` of the other calls from then on."""
    page_set = desk.sets.get(id)
    group = page_set.group(number)
    return _learned_facts(GIVEN, group, group.give(read_wrapper(body), page_set.check))


def _learned_facts(method: str, group: Group, learned: Learned) -> dict[str, Any]:
    return {
        "method": method,
        "learned": learned.method,
        "seconds": round(learned.seconds, 3),
        "fields": list(map(asdict, described.fields(learned))),
        "tree": described.tree(learned),
        "lines": described.lines(learned),
        "pages": [
            {
                "id": group.members[own.page].opened.id,
                "name": group.members[own.page].opened.name,
                "fit": round(own.fit, 4),
                "missing": own.missing,
            }
            for own in learned.fits
        ],
    }


@router.get("/{id}/groups/{number}/learning", response_model=LearningFacts)
def get_learning(desk: OnDesk, id: str, number: int, method: Learner = "auto") -> Any:
    """How far the learning by a method is."""
    run = desk.sets.get(id).group(number).run(method)
    if run is None:
        return {"state": "idle", "done": 0, "of": 0, "seconds": 0.0}
    return {"state": run.state, "done": run.done, "of": run.of, "seconds": round(run.seconds(), 1)}


@router.delete("/{id}/groups/{number}/learning", status_code=204)
def cancel_learning(desk: OnDesk, id: str, number: int, method: Learner = "auto") -> None:
    """Cancel the learning by a method. The calls that wait for it are answered with the status 409."""
    run = desk.sets.get(id).group(number).run(method)
    if run is not None:
        run.cancel()


@router.get("/{id}/groups/{number}/wrapper")
def get_wrapper(desk: OnDesk, id: str, number: int, method: Learner = "auto") -> Response:
    """The wrapper as a file: `unweave apply` finds the same on other pages with it."""
    group, learned = _learned(desk.sets.get(id), number, method)
    headers = files.attachment(group.template.name, "wrapper.json")
    return Response(learned.wrapper.dumps(), media_type="application/json", headers=headers)


@router.get(
    "/{id}/groups/{number}/export",
    response_class=Response,
    responses={200: {"content": files.CONTENT, "description": "The file."}},
)
def export_group(
    desk: OnDesk,
    id: str,
    number: int,
    method: Learner = "auto",
    format: Annotated[FormatName, Query()] = "csv",
) -> Response:
    """What the wrapper finds on all pages of the group, as one file: a row for each record of a list, or for each page."""
    page_set = desk.sets.get(id)
    group, learned = _learned(page_set, number, method)
    body = found_on_all(learned.wrapper, group.pages(page_set.check), format)
    return Response(
        body, media_type=files.KINDS[format], headers=files.attachment(group.template.name, format)
    )


@router.get("/{id}/groups/{number}/pages/{page}", response_model=ReadFacts)
def read_page(desk: OnDesk, id: str, number: int, page: str, method: Learner = "auto") -> Any:
    """What the wrapper finds on a page of the group, and which of its texts are template and which are data."""
    group, learned = _learned(desk.sets.get(id), number, method)
    opened = desk.shelf.page(group.member(page).opened.id)
    return _read(opened, learned.read(opened.page()))


@router.post("/{id}/groups/{number}/try", response_model=ReadFacts, openapi_extra=DESCRIBED)
def try_wrapper(desk: OnDesk, id: str, number: int, given: Body, method: Learner = "auto") -> Any:
    """What the wrapper finds on a new page, which stays open as long as the set."""
    page_set = desk.sets.get(id)
    _, learned = _learned(page_set, number, method)
    opened = desk.open(given, is_listed=False)
    page_set.keep(opened)
    return _read(opened, learned.read(opened.page()))


def _learned(page_set: PageSet, number: int, method: str) -> tuple[Group, Learned]:
    group = page_set.group(number)
    return group, group.learned(method, page_set.check)


@pages_router.post("/wrappers", response_model=WrapperFacts, openapi_extra=DESCRIBED_WRAPPER)
def describe_wrapper(body: WrapperBody) -> Any:
    """What a wrapper file is. It is not kept."""
    return _wrapper_facts(read_wrapper(body))


@pages_router.post(
    "/pages/{id}/apply", response_model=AppliedFacts, openapi_extra=DESCRIBED_WRAPPER
)
def apply_wrapper(desk: OnDesk, id: str, body: WrapperBody) -> Any:
    """What a wrapper file finds on a page, as `unweave apply` does."""
    wrapper = read_wrapper(body)
    opened = desk.shelf.page(id)
    read = Learned(kind_of(wrapper), wrapper, frozenset(), 0.0).read(opened.page())
    return {"wrapper": _wrapper_facts(wrapper), "read": _read(opened, read)}


def _wrapper_facts(wrapper: Wrapper) -> dict[str, Any]:
    return {"kind": kind_of(wrapper), "fields": list(map(asdict, described.all_fields(wrapper)))}


def _facts(own: PageSet) -> dict[str, Any]:
    return {
        "id": own.id,
        "name": own.name,
        "state": own.state,
        "done": own.done,
        "of": own.of,
        "error": own.error,
        "pages": own.pages,
        "left_out": [
            {"name": out.name, "reason": out.reason} for out in own.gathered.all_left_out()
        ],
        "groups": [_group(number, group) for number, group in enumerate(own.groups)],
    }


def _group(number: int, own: Group) -> dict[str, Any]:
    auto = own.auto
    return {
        "number": number,
        "name": own.template.name,
        "kind": own.template.kind,
        "pages": len(own.members),
        "examples": [member.opened.id for member in own.members[:_EXAMPLES]],
        "method": auto.method if auto else None,
        "fit": round(auto.fit, 4) if auto else 0.0,
        "unfit": auto.unfit if auto else len(own.members),
    }


def _read(opened: Opened, read: Read) -> dict[str, Any]:
    return {
        "page": opened.facts,
        "fit": round(read.fit, 4),
        "missing": read.missing,
        "fields": read.fields,
        "table": tables.facts(read.table, None) if read.table is not None else None,
        "marks": {"template": read.template, "data": read.data},
    }
