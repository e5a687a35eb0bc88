"""Many pages in the studio: an archive goes in, and templates with wrappers come out, each tried on all of its pages."""

import csv
import io
import json
import os
import socket
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event
from urllib.error import HTTPError
from urllib.request import urlopen

import pyarrow.parquet
import pytest
from openpyxl import load_workbook

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

import unweave
from examples.bigshop.make import make
from tests.extraction import extract
from tests.pipeline.conftest import write_warc
from unweave.errors import UsageError
from unweave.fetching.fetch import Fetcher
from unweave.runners.cancellable import call_in_process
from unweave.studio import learned_wrappers, page_groups, page_sets, server
from unweave.studio.app import create_app
from unweave.studio.learned_wrappers import learn_wrapper
from unweave.studio.state import StudioState, open_studio
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.apply import LandmarkWrapper, Node
from unweave.wrappers.landmarks.tokens import Landmark, TokenUnit

TOKEN = "open-sesame"
SHOP = "http://shop.example"
HTML = [("Content-Type", "text/html")]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The folder of a shop of 120 pages, and the truth of them."""
    folder = tmp_path_factory.mktemp("studio") / "shop"
    return folder, make(folder, 120)


@pytest.fixture(scope="module")
def state():
    return StudioState(Fetcher())


@pytest.fixture(scope="module")
def client(state):
    app = create_app(state, token=TOKEN)
    with TestClient(
        app, base_url="http://127.0.0.1", headers={"Authorization": f"Bearer {TOKEN}"}
    ) as client:
        yield client


@pytest.fixture(scope="module")
def archive(shop, tmp_path_factory):
    """The shop as a crawler writes it, with what crawls have besides."""
    folder, truth = shop
    pages = [
        (SHOP + page["path"], (folder / page["file"]).read_bytes(), "200 OK", charset(page))
        for page in truth
    ]
    others = [
        (f"{SHOP}/logo.png", b"\x89PNG", "200 OK", [("Content-Type", "image/png")]),
        (f"{SHOP}/empty.html", b"", "200 OK", HTML),
        (f"{SHOP}/a.pdf", b"%PDF-1.7 and more", "200 OK", HTML),
        (f"{SHOP}/old", b"", "301 Moved", [("Location", "/")]),
    ]
    return write_warc(tmp_path_factory.mktemp("warc") / "shop.warc.gz", pages + others).read_bytes()


def charset(page):
    return [("Content-Type", f"text/html; charset={page['charset']}")]


@pytest.fixture(scope="module")
def ready(client, state, archive):
    """The shop's archive, when the work on it is done."""
    return opened(client, state, archive, "shop.warc.gz")


def opened(client, state, body, name):
    """A set of what is sent, when the work on it is done."""
    answer = client.post("/api/sets", params={"name": name}, content=body, headers=binary())
    assert answer.status_code == 202, answer.text
    return when_done(client, state, answer.json()["id"])


def when_done(client, state, id):
    state.sets.get(id).join()
    return client.get(f"/api/sets/{id}").json()


def binary():
    return {"Content-Type": "application/octet-stream"}


def group_of(ready, name):
    (found,) = [own for own in ready["groups"] if own["name"] == name]
    return f"/api/sets/{ready['id']}/groups/{found['number']}"


def texts_of(client, page):
    """The texts of a page by number, as its drawing has them."""
    drawing = client.get(f"/api/pages/{page}/drawing").json()
    return {node[2]: " ".join(node[1].split()) for node in drawing["nodes"] if len(node) == 3}


# ---- templates -----------------------------------------------------------------------------------------------


def test_pages_are_sorted_by_template_and_kind(ready, shop):
    _, truth = shop
    assert (ready["state"], ready["error"], ready["name"]) == ("ready", None, "shop.warc.gz")
    kinds = {own["name"]: own["kind"] for own in ready["groups"]}
    assert kinds["products"] == "detail"
    assert "list" in kinds.values()
    assert "article" in kinds.values()
    products = sum(page["template"] == "product" for page in truth)
    assert [own["pages"] for own in ready["groups"] if own["name"] == "products"] == [products]
    assert ready["pages"] == sum(own["pages"] for own in ready["groups"]) == len(truth)


def test_the_largest_group_comes_first(ready):
    counts = [own["pages"] for own in ready["groups"]]
    assert counts == sorted(counts, reverse=True)
    assert [own["number"] for own in ready["groups"]] == list(range(len(counts)))


def test_lists_are_learned_as_records_and_other_pages_as_fields(ready):
    assert {(own["kind"], own["method"]) for own in ready["groups"]} >= {
        ("list", "records"),
        ("detail", "fields"),
    }
    for own in ready["groups"]:
        assert 0 <= own["fit"] <= 1
        assert own["unfit"] <= own["pages"]


def test_what_is_no_page_is_left_out_with_its_reason(ready):
    reasons = {own["name"].removeprefix(SHOP): own["reason"] for own in ready["left_out"]}
    assert reasons.keys() == {"/logo.png", "/empty.html", "/a.pdf"}
    assert reasons["/logo.png"] == "not HTML but image/png"
    assert "PDF" in reasons["/a.pdf"]


def test_pages_of_a_set_can_be_drawn_and_are_not_listed(client, ready):
    example = ready["groups"][0]["examples"][0]
    assert client.get(f"/api/pages/{example}/drawing").status_code == 200
    assert client.get("/api/pages").json() == {"pages": []}
    assert [own["id"] for own in client.get("/api/sets").json()["sets"]] == [ready["id"]]


# ---- wrappers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "fields", "records", "pattern", "landmark"])
def test_every_page_is_tried_and_the_worst_comes_first(client, ready, method):
    answer = client.get(group_of(ready, "products"), params={"method": method})
    assert answer.status_code == 200, answer.text
    learned = answer.json()
    assert learned["method"] == method
    assert learned["learned"] == ("fields" if method == "auto" else method)
    fits = [own["fit"] for own in learned["pages"]]
    assert fits == sorted(fits)
    assert [len(fits)] == [own["pages"] for own in ready["groups"] if own["name"] == "products"]
    assert learned["fields"]
    assert all(
        0 < own["share"] <= 1 and own["examples"] and own["told_by"] for own in learned["fields"]
    )


@pytest.mark.parametrize("method", ["auto", "records", "pattern", "landmark"])
def test_the_wrapper_is_a_file_that_finds_the_same(client, ready, shop, method):
    """What the studio shows of a page is what the wrapper finds that it gives away."""
    group = group_of(ready, "products")
    answer = client.get(f"{group}/wrapper", params={"method": method})
    assert 'filename="products.wrapper.json"' in answer.headers["content-disposition"]
    wrapper = Wrapper.loads(answer.text)
    page = client.get(group, params={"method": method}).json()["pages"][-1]
    (path,) = [own for own in shop[1] if SHOP + own["path"] == page["name"]]
    body = (shop[0] / path["file"]).read_bytes()
    found, fit = extract(wrapper, body, url=page["name"], charset=path["charset"])
    read = client.get(f"{group}/pages/{page['id']}", params={"method": method}).json()
    assert read["fit"] == round(fit, 4)
    if method == "records":
        assert read["fields"] is None
        assert read["table"]["rows"] == found.format_rows()
    else:
        assert read["table"] is None
        assert read["fields"] == found


@pytest.mark.parametrize("method", ["fields", "pattern", "landmark"])
def test_what_is_data_and_what_is_template(client, ready, method):
    group = group_of(ready, "products")
    pages = client.get(group, params={"method": method}).json()["pages"]
    reads = [
        client.get(f"{group}/pages/{own['id']}", params={"method": method}).json() for own in pages
    ]
    texts = [texts_of(client, own["id"]) for own in pages]
    for read, own in zip(reads, texts, strict=True):
        template, data = read["marks"]["template"], read["marks"]["data"]
        values = {**(read["fields"] or {}), **read["others"]}
        assert data.keys() == values.keys()
        for name, chunks in data.items():
            value = values[name]
            whole = " ".join(filter(None, value)) if isinstance(value, list) else value
            assert all(
                set(own[chunk].split()) & set(whole.replace("; ", " ").split()) for chunk in chunks
            ), name
        assert not set(template) & {chunk for chunks in data.values() for chunk in chunks}
        assert template
        for chunk in template:
            pages_with = sum(own[chunk] in other.values() for other in texts)
            assert pages_with >= 0.7 * len(texts), own[chunk]


def test_cells_of_a_list_are_marked(client, ready):
    (number,) = [own["number"] for own in ready["groups"] if own["kind"] == "list"][:1]
    group = f"/api/sets/{ready['id']}/groups/{number}"
    page = client.get(group).json()["pages"][-1]
    read = client.get(f"{group}/pages/{page['id']}").json()
    own = texts_of(client, page["id"])
    columns = {column["name"]: column["type"] for column in read["table"]["columns"]}
    assert read["marks"]["data"]
    for name, chunks in read["marks"]["data"].items():
        place = list(columns).index(name)
        cells = [row[place] for row in read["table"]["rows"] if row[place]]
        assert columns[name] not in ("url", "image")
        assert all(any(own[chunk] in cell for cell in cells) for chunk in chunks)
        assert len(chunks) >= len(cells)


def test_columns_of_tables_inside_pages_are_marked(client, ready):
    group = group_of(ready, "products")
    learned = client.get(group).json()
    columns = [own["name"] for own in learned["fields"] if own["table"]]
    seen = 0
    for page in learned["pages"]:
        read = client.get(f"{group}/pages/{page['id']}").json()
        own = texts_of(client, page["id"])
        for name in columns:
            cells = [cell for cell in read["fields"].get(name, ()) if cell]
            assert " ".join(
                own[chunk] for chunk in read["marks"]["data"].get(name, ())
            ) == " ".join(cells)
            seen += len(cells)
    assert seen


def test_the_tree_of_landmarks(client, ready):
    learned = client.get(group_of(ready, "products"), params={"method": "landmark"}).json()
    names, deepest = set(), 0
    waiting = [(learned["tree"], 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        names.add(node["field"])
        assert node["landmark"] or node["field"]
        waiting += [(node[side], level + 1) for side in ("before", "inside", "after") if node[side]]
    assert deepest <= learned_wrappers.MAX_TREE_LEVELS
    assert learned["lines"]
    assert len(names & {own["name"] for own in learned["fields"]}) > 1


def test_a_tree_that_is_nested_too_deep_is_cut():
    """The landmarks of a page may follow each other one by one, hundreds of them."""
    count = 1_000
    nodes = []
    for number in range(count):
        here = 2 * number
        nodes.append(Node(f"other_{number}", Landmark(f"word {number}"), 1.0, (here + 1, here + 2)))
        nodes.append(Node(f"field_{number}"))
    wrapper = LandmarkWrapper((*nodes, Node("field_last")), TokenUnit.TEXTS, False, 0)
    tree = learned_wrappers.make_landmark_tree(
        learned_wrappers.LearnedWrapper("landmark", wrapper, frozenset(), 0.0)
    )
    levels = 1
    while tree["after"]:
        assert tree["before"]["field"].startswith("field_")
        tree = tree["after"]
        levels += 1
    assert levels == learned_wrappers.MAX_TREE_LEVELS
    assert tree["cut"]
    assert tree["before"] is None


def test_a_wrapper_is_tried_on_a_new_page(client, ready, shop):
    folder, truth = shop
    (page, *_) = [
        own for own in truth if own["template"] == "product" and own["charset"] == "utf-8"
    ]
    markup = (
        (folder / page["file"])
        .read_text(encoding="utf-8")
        .replace(page["fields"]["title"]["text"], "A lamp of glass")
    )
    group = group_of(ready, "products")
    read = client.post(f"{group}/try", json={"html": markup, "name": "new.html"}).json()
    assert read["page"]["name"] == "new.html"
    assert "A lamp of glass" in read["fields"].values()
    assert read["fit"] > 0.8
    assert client.get(f"/api/pages/{read['page']['id']}/drawing").status_code == 200
    other = client.post(f"{group}/try", json={"html": "<p>Nothing of all that"}).json()
    assert other["fit"] < 0.5
    assert other["missing"]


# ---- other ways in -------------------------------------------------------------------------------------------


def test_pages_that_are_open_are_taken_together(client, state, shop):
    folder, truth = shop
    bodies = [(folder / own["file"]).read_bytes() for own in truth if own["template"] == "product"]
    pages = [
        client.post("/api/pages", content=body, headers=binary()).json()["id"] for body in bodies
    ]
    answer = client.post("/api/sets", json={"pages": pages, "name": "lamps"})
    found = when_done(client, state, answer.json()["id"])
    assert (found["state"], found["name"], found["pages"]) == ("ready", "lamps", len(pages))
    assert [own["kind"] for own in found["groups"]] == ["detail"]
    for id in pages:
        client.delete(f"/api/pages/{id}")
    group = f"/api/sets/{found['id']}/groups/0"
    assert (
        client.get(f"{group}/pages/{client.get(group).json()['pages'][0]['id']}").status_code == 200
    )
    assert client.delete(f"/api/sets/{found['id']}").status_code == 204


def test_a_folder_is_a_set_too(state, shop):
    folder, truth = shop
    own = state.sets.open("shop", page_sets.read_source(folder))
    own.join()
    assert own.state == "ready"
    assert own.page_count >= len(truth)
    assert own.content.members[0].open_page.folder.is_relative_to(folder)
    state.sets.close(own.id)


def test_an_archive_is_known_by_what_it_is_if_its_name_does_not_tell(client, state, shop):
    folder, truth = shop
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as file:
        for own in truth[:10]:
            file.write(folder / own["file"], own["file"])
    found = opened(client, state, packed.getvalue(), "what I saved")
    assert (found["state"], found["pages"]) == ("ready", 10)
    client.delete(f"/api/sets/{found['id']}")


def test_the_studio_opens_with_a_folder_or_an_archive(shop, archive, tmp_path):
    path = tmp_path / "shop.warc.gz"
    path.write_bytes(archive)
    for source, least in ((shop[0], 120), (path, 120)):
        with open_studio(str(source)) as state:
            (own,) = state.sets.list_sets()
            own.join()
            assert (own.state, own.name) == ("ready", source.name)
            assert own.page_count >= least


def test_only_some_of_what_is_left_out_is_named(client, state, tmp_path):
    gone = [(f"{SHOP}/{number}", b"", "404 Not Found", HTML) for number in range(300)]
    found = opened(
        client, state, write_warc(tmp_path / "a.warc.gz", gone).read_bytes(), "a.warc.gz"
    )
    assert found["error"] == (
        f"no page can be read: {SHOP}/0: the server returned 404, and 299 more"
    )
    assert len(found["left_out"]) == 201
    assert found["left_out"][-1] == {"name": "", "reason": "and 100 more were skipped"}
    client.delete(f"/api/sets/{found['id']}")


def test_too_many_pages(client, state, archive, monkeypatch):
    monkeypatch.setattr(page_sets, "MAX_SET_PAGES", 30)
    found = opened(client, state, archive, "shop.warc.gz")
    assert (found["state"], found["pages"]) == ("ready", 30)
    assert "only 30 pages were read; there are 92 more" in [
        own["reason"] for own in found["left_out"]
    ]
    client.delete(f"/api/sets/{found['id']}")


def test_of_a_folder_with_too_many_pages_there_are_some_of_all_kinds(state, shop, monkeypatch):
    monkeypatch.setattr(page_sets, "MAX_SET_PAGES", 40)
    own = state.sets.open("shop", page_sets.read_source(shop[0]))
    own.join()
    assert own.page_count == 40
    folders = {Path(member.fetched.name).parts[0] for member in own.content.members}
    assert {"products", "magazine", "shop"} <= folders
    state.sets.close(own.id)


def test_templates_that_the_sample_lacks_are_found_in_what_is_left(
    client, state, archive, ready, monkeypatch
):
    monkeypatch.setattr(page_groups, "SAMPLE_PAGES", 60)
    found = opened(client, state, archive, "shop.warc.gz")
    counts = {own["kind"]: own["pages"] for own in found["groups"] if own["name"] == "products"}
    assert counts == {
        own["kind"]: own["pages"] for own in ready["groups"] if own["name"] == "products"
    }
    client.delete(f"/api/sets/{found['id']}")


# ---- what goes wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("a.warc.gz", b"no archive at all", "WARC"),
        ("a.zip", b"no archive at all", "ZIP"),
        ("a.tar.gz", b"no archive at all", "tar"),
        ("a.warc", b"", "WARC"),
    ],
)
def test_a_broken_archive_fails_with_a_reason(client, state, name, body, reason):
    found = opened(client, state, body, name)
    assert found["state"] == "failed"
    assert reason in found["error"]
    assert "/tmp" not in found["error"]
    client.delete(f"/api/sets/{found['id']}")


def test_an_archive_without_pages_fails(client, state):
    with zipfile.ZipFile(packed := io.BytesIO(), "w"):
        pass
    found = opened(client, state, packed.getvalue(), "a.zip")
    assert (found["state"], found["error"]) == ("failed", "it contains no pages")
    client.delete(f"/api/sets/{found['id']}")


def test_of_an_archive_that_breaks_off_there_is_what_stands_before(client, state, archive):
    found = opened(client, state, archive[: len(archive) // 2], "half.warc.gz")
    assert found["state"] == "ready"
    assert 30 < found["pages"] < 120
    client.delete(f"/api/sets/{found['id']}")


def test_pages_that_do_not_differ_give_a_group_without_a_wrapper(client, state, tmp_path):
    same = [
        (f"{SHOP}/{number}", b"<title>a</title><p>Come back later", "200 OK", HTML)
        for number in range(3)
    ]
    found = opened(client, state, write_warc(tmp_path / "a.warc", same).read_bytes(), "a.warc")
    (group,) = found["groups"]
    assert (found["state"], group["method"], group["unfit"]) == ("ready", None, 3)
    answer = client.get(f"/api/sets/{found['id']}/groups/0")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("nothing can be learned from these pages")
    client.delete(f"/api/sets/{found['id']}")


def test_an_error_of_one_page_does_not_lose_the_rest(client, state, archive, monkeypatch):
    right = page_sets.compute_fingerprint

    def wrong(page):
        if page.url == f"{SHOP}/":
            raise RecursionError
        return right(page)

    monkeypatch.setattr(page_sets, "compute_fingerprint", wrong)
    found = opened(client, state, archive, "shop.warc.gz")
    assert (found["state"], found["pages"]) == ("ready", 119)
    assert {"name": f"{SHOP}/", "reason": "internal error: RecursionError"} in found["left_out"]
    client.delete(f"/api/sets/{found['id']}")


def test_names_and_texts_that_cannot_be_written(client, state):
    """Names of files are bytes, and texts of pages may name characters that are none."""
    with tarfile.open(fileobj=(packed := io.BytesIO()), mode="w:gz", encoding="latin-1") as file:
        for number in range(4):
            body = f"<h1>K\u00e4se {number}&#xD800;</h1><p>Brot {number * 7}".encode()
            member = tarfile.TarInfo(f"k\u00e4se-{number}.html")
            member.size = len(body)
            file.addfile(member, io.BytesIO(body))
    found = opened(client, state, packed.getvalue(), "cheese.tgz")
    assert (found["state"], found["pages"], found["left_out"]) == ("ready", 4, [])
    learned = client.get(f"/api/sets/{found['id']}/groups/0").json()
    assert {own["name"][0] for own in learned["pages"]} == {"k"}
    body = b"<h1>Quark \xed\xa0\x80\xff</h1><p>Brot 9"
    read = client.post(f"/api/sets/{found['id']}/groups/0/try", content=body, headers=binary())
    assert read.status_code == 200
    assert read.json()["fields"]
    client.delete(f"/api/sets/{found['id']}")


def test_what_is_unknown_or_wrong(client, ready):
    group = group_of(ready, "products")
    for path in ("/api/sets/none", f"/api/sets/{ready['id']}/groups/99", f"{group}/pages/none"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]
    assert client.get(group, params={"method": "magic"}).status_code == 422
    assert client.delete("/api/sets/none").status_code == 404
    assert client.post("/api/sets", json={"pages": ["none"]}).status_code == 404
    assert client.post("/api/sets", json={"pages": []}).status_code == 422
    assert (
        client.post(
            "/api/sets", content=b"{", headers={"Content-Type": "application/json"}
        ).status_code
        == 422
    )
    too_long = b" " * (1024 * 1024 + 1)
    assert (
        client.post(
            "/api/sets", content=too_long, headers={"Content-Type": "application/json"}
        ).status_code
        == 413
    )
    assert (
        client.post("/api/sets", content=b"x", headers={"Content-Type": "text/plain"}).status_code
        == 415
    )
    assert client.post("/api/sets", content=b"hello", headers=binary()).status_code == 415


def test_a_set_that_is_closed_while_it_is_learned_stops(client, state, archive, monkeypatch):
    begun, go_on = Event(), Event()

    def waiting(*arguments):
        begun.set()
        assert go_on.wait(60)
        return learn_wrapper(*arguments)

    monkeypatch.setattr(page_groups, "learn_wrapper", waiting)
    before = len(state.pages._pages)
    answer = client.post(
        "/api/sets", params={"name": "a.warc.gz"}, content=archive, headers=binary()
    )
    id = answer.json()["id"]
    assert begun.wait(60)
    assert client.get(f"/api/sets/{id}").json()["state"] == "learning"
    own = state.sets.get(id)
    assert client.delete(f"/api/sets/{id}").status_code == 204
    go_on.set()
    own.join()
    assert (own.state, own.groups) == ("learning", [])
    assert len(state.pages._pages) == before
    assert client.get(f"/api/sets/{id}").status_code == 404


class Search:
    """A search that never ends by itself, in place of learning; it tells over a socket which process it is."""

    def __init__(self, monkeypatch):
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(60)
        monkeypatch.setenv("UNWEAVE_TEST_PORT", str(self._server.getsockname()[1]))
        monkeypatch.setattr(page_groups, "learn_wrapper", endless)

    def process(self):
        """The id of the process, once it is at work."""
        connection, _ = self._server.accept()
        with connection, connection.makefile() as lines:
            return int(lines.readline())

    def close(self):
        self._server.close()


def endless(*_):
    with socket.create_connection(
        ("127.0.0.1", int(os.environ["UNWEAVE_TEST_PORT"]))
    ) as connection:
        connection.sendall(b"%d\n" % os.getpid())
    Event().wait()


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def search(monkeypatch):
    with closing(Search(monkeypatch)) as found:
        yield found


@pytest.fixture
def lamps(client, state, shop):
    """A set of a few products, and the path of its group."""
    bodies = [
        (shop[0] / own["file"]).read_bytes() for own in shop[1] if own["template"] == "product"
    ][:6]
    pages = [
        client.post("/api/pages", content=body, headers=binary()).json()["id"] for body in bodies
    ]
    found = when_done(client, state, client.post("/api/sets", json={"pages": pages}).json()["id"])
    yield found, f"/api/sets/{found['id']}/groups/0"
    client.delete(f"/api/sets/{found['id']}")
    for id in pages:
        client.delete(f"/api/pages/{id}")


def test_learning_is_cancelled_and_its_process_ends(client, lamps, search):
    _, group = lamps
    how = {"method": "pattern"}
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(client.get, group, params=how)
        process = search.process()
        progress = client.get(f"{group}/learning", params=how).json()
        assert (progress["state"], progress["done"], progress["of"]) == ("learning", 0, 6)
        assert client.delete(f"{group}/learning", params=how).status_code == 204
        answer = waiting.result(60)
    assert (answer.status_code, answer.json()) == (409, {"error": "learning was cancelled"})
    assert not is_running(process)
    assert client.get(f"{group}/learning", params=how).json()["state"] == "idle"
    assert (
        client.delete(f"{group}/learning", params=how).status_code == 204
    )  # there is nothing to cancel any more


def test_what_was_cancelled_can_be_learned_later(client, lamps, search, monkeypatch):
    _, group = lamps
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(client.get, group, params={"method": "pattern"})
        search.process()
        client.delete(f"{group}/learning", params={"method": "pattern"})
        assert waiting.result(60).status_code == 409
    monkeypatch.setattr(page_groups, "learn_wrapper", learn_wrapper)
    answer = client.get(group, params={"method": "pattern"})
    assert answer.status_code == 200
    assert len(answer.json()["pages"]) == 6


def test_learning_ends_when_its_set_is_closed(client, lamps, search):
    found, group = lamps
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(client.get, group, params={"method": "landmark"})
        process = search.process()
        assert client.delete(f"/api/sets/{found['id']}").status_code == 204
        assert waiting.result(60).status_code == 404
    assert not is_running(process)


def status_of(url):
    try:
        with urlopen(url, timeout=60) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code


def test_the_studio_does_not_wait_for_what_is_being_learned_when_it_ends(monkeypatch):
    with ThreadPoolExecutor(1) as threads, open_studio("examples/shop") as state:
        with server.run_in_thread(state) as address:
            (own,) = state.sets.list_sets()
            own.join()
            origin, _, token = address.partition("/?token=")
            url = f"{origin}/api/sets/{own.id}/groups/0?method=pattern&token={token}"
            with closing(Search(monkeypatch)) as search:
                waiting = threads.submit(status_of, url)
                process = search.process()
        assert waiting.result(60) == 404
        assert not is_running(process)


def test_learning_that_takes_too_long_is_given_up(client, lamps, search, monkeypatch):
    monkeypatch.setattr(page_groups, "MAX_LEARNING_SECONDS", 0.0)
    answer = client.get(lamps[1], params={"method": "landmark"})
    assert answer.status_code == 422
    assert (
        answer.json()["error"] == "learning by landmark was stopped: not finished after 0 seconds"
    )


def test_a_worker_that_dies_is_told(client, lamps, monkeypatch):
    monkeypatch.setattr(page_groups, "learn_wrapper", os._exit)
    monkeypatch.setattr(
        page_groups,
        "call_in_process",
        lambda function, *_, **options: call_in_process(function, 7, **options),
    )
    answer = client.get(lamps[1], params={"method": "landmark"})
    assert answer.status_code == 422
    assert "the worker process died (exit status 7)" in answer.json()["error"]


def test_the_pages_of_a_closed_set_are_closed(client, state, archive):
    found = opened(client, state, archive, "shop.warc.gz")
    page = found["groups"][0]["examples"][0]
    assert client.delete(f"/api/sets/{found['id']}").status_code == 204
    assert client.get(f"/api/pages/{page}").status_code == 404


def test_an_error_of_ours_is_told_and_not_lost(state):
    def broken():
        yield page_sets.SourceItem(unweave.sources.source.FetchedPage("a.html", b"<p>a"))
        raise RuntimeError("oh")

    own = state.sets.open("broken", broken())
    own.join()
    assert (own.state, own.error) == ("failed", "internal error: RuntimeError")
    state.sets.close(own.id)


def test_the_api_describes_itself(client):
    described = client.get("/api/openapi.json").json()
    calls = [
        call
        for path, own in described["paths"].items()
        if path.startswith("/api/sets")
        for call in own.values()
    ]
    assert len(calls) == 12
    assert all(call["description"] for call in calls)
    assert json.dumps(described).count("#/components/schemas/NewSet") == 0


# ---- wrapper files -------------------------------------------------------------------------------------------


def wrapper_of(client, ready, name, method):
    return client.get(f"{group_of(ready, name)}/wrapper", params={"method": method})


@pytest.mark.parametrize("method", ["fields", "records", "pattern", "landmark"])
def test_a_wrapper_file_finds_on_a_page_what_it_was_learned_to(client, ready, method):
    group = group_of(ready, "products")
    wrapper = wrapper_of(client, ready, "products", method).content
    page = client.get(group, params={"method": method}).json()["pages"][-1]["id"]
    learned_here = client.get(f"{group}/pages/{page}", params={"method": method}).json()
    applied = client.post(f"/api/pages/{page}/apply", content=wrapper, headers=binary()).json()
    for key in ("fit", "fields", "table"):
        assert applied["read"][key] == learned_here[key]
    assert applied["wrapper"]["kind"] == method
    names = {own["name"] for own in applied["wrapper"]["fields"]}
    assert names >= set(
        applied["read"]["fields"] or [own["name"] for own in applied["read"]["table"]["columns"]]
    )
    assert (
        client.post("/api/wrappers", content=wrapper, headers=binary()).json() == applied["wrapper"]
    )


def test_a_wrapper_file_is_tried_on_the_pages_of_a_group(client, ready, lamps):
    _, group = lamps
    assert client.get(group, params={"method": "given"}).status_code == 400
    wrapper = wrapper_of(client, ready, "products", "fields").content
    given = client.put(
        f"{group}/wrapper", content=wrapper, headers={"Content-Type": "application/json"}
    ).json()
    assert (given["method"], given["learned"], len(given["pages"])) == ("given", "fields", 6)
    assert min(own["fit"] for own in given["pages"]) > 0.8
    assert client.get(group, params={"method": "given"}).json() == given
    page = given["pages"][0]["id"]
    assert client.get(f"{group}/pages/{page}", params={"method": "given"}).json()["fields"]
    assert client.get(f"{group}/export", params={"method": "given"}).status_code == 200
    assert client.get(f"{group}/wrapper", params={"method": "given"}).content == wrapper


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"{}", 422, "this is JSON, but not an unweave wrapper"),
        (b'{"unweave": "wrapper", "version": 99}', 422, "the wrapper has version 99"),
        (b"\xff\xfe", 422, "the wrapper is not JSON"),
        (b"[" * 200_000, 422, "the wrapper is not JSON"),
        (b"<p>a page", 422, "the wrapper is not JSON"),
    ],
)
def test_what_is_no_wrapper_is_told(client, lamps, body, status, reason):
    for call in (
        client.post("/api/wrappers", content=body, headers=binary()),
        client.put(f"{lamps[1]}/wrapper", content=body, headers=binary()),
    ):
        assert call.status_code == status
        assert reason in call.json()["error"]
    assert (
        client.post(
            "/api/wrappers", content=body, headers={"Content-Type": "text/html"}
        ).status_code
        == 415
    )


def test_a_wrapper_is_not_opened_as_a_page(client, ready, tmp_path):
    wrapper = wrapper_of(client, ready, "products", "fields").content
    answer = client.post("/api/pages", params={"name": "p.json"}, content=wrapper, headers=binary())
    assert answer.status_code == 400
    assert (
        "p.json: this is a wrapper, not a page: use `unweave apply p.json PAGE...`"
        in answer.json()["error"]
    )
    path = tmp_path / "shop.wrapper.json"
    path.write_bytes(wrapper)
    with pytest.raises(UsageError, match=r"this is a wrapper, not a page"), open_studio(str(path)):
        pass


# ---- all pages as one file -----------------------------------------------------------------------------------


def rows_in(content, format):
    if format == "parquet":
        return pyarrow.parquet.read_table(io.BytesIO(content)).to_pylist()
    if format == "xlsx":
        names, *rows = load_workbook(io.BytesIO(content)).active.iter_rows(values_only=True)
        return [dict(zip(names, row, strict=True)) for row in rows]
    text = content.decode()
    return (
        list(csv.DictReader(io.StringIO(text)))
        if format == "csv"
        else list(map(json.loads, text.splitlines()))
    )


@pytest.mark.parametrize("format", ["csv", "jsonl", "xlsx", "parquet"])
def test_what_is_found_on_all_pages_is_one_file(client, ready, format):
    group = group_of(ready, "products")
    answer = client.get(f"{group}/export", params={"format": format})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="products.{format}"'
    rows = rows_in(answer.content, format)
    pages = {own["name"] for own in client.get(group).json()["pages"]}
    assert {row["page"] for row in rows} == pages
    one = client.get(f"{group}/pages/{client.get(group).json()['pages'][-1]['id']}").json()
    (row,) = [row for row in rows if row["page"] == one["page"]["name"]]
    texts = {name: text for name, text in one["fields"].items() if isinstance(text, str)}
    assert texts.keys() <= row.keys()
    if format in ("csv", "jsonl"):
        assert {name: row[name] for name in texts} == texts
    else:  # typed, and no value is lost
        assert all(row[name] is not None for name in texts)
        assert row["title"] == texts["title"]
        assert isinstance(row["weight"], float)


def test_of_list_pages_every_record_is_a_row(client, ready):
    (name,) = [own["name"] for own in ready["groups"] if own["method"] == "records"][:1]
    group = group_of(ready, name)
    rows = rows_in(client.get(f"{group}/export", params={"format": "csv"}).content, "csv")
    pages = [own["id"] for own in client.get(group).json()["pages"]]
    found = [client.get(f"{group}/pages/{id}").json()["table"] for id in pages]
    assert len(rows) == sum(len(table["rows"]) for table in found if table)
