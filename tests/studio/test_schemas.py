"""The API as it is described: made-up calls of every kind get an answer that is described, and never a server error."""

from pathlib import Path

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from unweave.fetching.fetch import Fetcher
from unweave.sources.source import FetchedPage
from unweave.studio.app import create_app
from unweave.studio.page_sets import SourceItem
from unweave.studio.state import StudioState

TOKEN = "made-up"
HEADERS = {"authorization": f"Bearer {TOKEN}", "host": "127.0.0.1"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def nowhere(*_: object, **__: object) -> list[object]:
    """What is made up must not be asked for in earnest."""
    raise OSError("there is no network here")


state = StudioState(Fetcher(resolve=nowhere))
page = state.pages.open(
    "products.html", Path(__file__).parents[2].joinpath("examples", "products.html").read_bytes()
)
bodies = [
    b"<h1>Thing %d</h1><p>Weight: %d kg<p>Colour: grey" % (number, 3 * number)
    for number in range(5)
]
things = state.sets.open(
    "things",
    [SourceItem(FetchedPage(f"{number}.html", body)) for number, body in enumerate(bodies)],
)
things.join()
schema = schemathesis.openapi.from_asgi(
    "/api/openapi.json", create_app(state, token=TOKEN), headers=HEADERS
)


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_call_breaks_the_server(case: schemathesis.Case) -> None:
    # Ids cannot be guessed, so that without this all would end at the door.
    if "id" in case.path_parameters and case.method.upper() != "DELETE":
        case.path_parameters["id"] = things.id if case.path.startswith("/api/sets") else page.id
    if "number" in case.path_parameters:
        case.path_parameters["number"] = 0
    if "page" in case.path_parameters:
        case.path_parameters["page"] = things.groups[0].members[0].open_page.id
    response = case.call(headers=HEADERS)
    case.validate_response(response, checks=CHECKS)
