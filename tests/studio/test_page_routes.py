"""The studio's API as a program uses it: open a page, look at its tables, change columns, take them away."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from openpyxl import load_workbook
from starlette.testclient import TestClient

import unweave
from tests.extraction import extract
from unweave.cli import main
from unweave.fetching.fetch import Fetcher
from unweave.studio.app import create_app
from unweave.studio.state import StudioState
from unweave.wrappers.base import Wrapper

EXAMPLES = Path(__file__).parents[2] / "examples"
PRODUCTS = (EXAMPLES / "products.html").read_bytes()
BOOKS = "".join(
    f"<li class=book><h3><a href=b{k}>Book {k} of many</a></h3><p>A novel of {k} parts</p>"
    f"<b>${k}.99</b></li>"
    for k in range(20)
)
FILMS = "".join(
    f"<div class=film><img src=f{k}.png><h4><a href=f{k}>Film {k}</a></h4>"
    f"<i>{1950 + k}</i><p>{k} minutes long</p></div>"
    for k in range(12)
)
TWO_LISTS = f"<main><ul>{BOOKS}</ul><section>{FILMS}</section></main>".encode()
TOKEN = "of-this-test"
COLUMNS = [
    {"column": "title", "name": "what it is"},
    {"column": "now_price", "name": "cost", "type": "number"},
    {"column": "title", "name": "where", "link": True},
]


@pytest.fixture
def client() -> TestClient:
    app = create_app(StudioState(Fetcher()), token=TOKEN)
    return TestClient(
        app, base_url="http://127.0.0.1:8123", headers={"authorization": f"Bearer {TOKEN}"}
    )


@pytest.fixture
def page(client: TestClient) -> str:
    return opened(client, PRODUCTS, "products.html")["id"]


@pytest.fixture
def page_with_two_lists(client: TestClient) -> str:
    return opened(client, TWO_LISTS, "two.html")["id"]


def opened(client: TestClient, markup: bytes, name: str) -> dict[str, Any]:
    answer = client.post(
        f"/api/pages?name={name}",
        content=markup,
        headers={"content-type": "text/html; charset=utf-8"},
    )
    assert answer.status_code == 201
    facts: dict[str, Any] = answer.json()
    return facts


def said(client: TestClient, page: str, path: str, **wish: Any) -> Any:
    answer = client.post(f"/api/pages/{page}/{path}", json=wish)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_page_is_opened_looked_up_and_closed(client: TestClient) -> None:
    facts = opened(client, PRODUCTS, "products.html")
    assert facts["title"] == "Kitchen & table – Thistle & Kiln"
    assert facts["bytes"] == len(PRODUCTS)
    assert client.get("/api/pages").json() == {"pages": [facts]}
    assert client.get(f"/api/pages/{facts['id']}").json() == facts
    assert client.delete(f"/api/pages/{facts['id']}").status_code == 204
    assert client.get("/api/pages").json() == {"pages": []}
    for call in (client.get, client.delete):
        assert call(f"/api/pages/{facts['id']}").status_code == 404


def test_pasted_html_is_a_page(client: TestClient) -> None:
    answer = client.post(
        "/api/pages", json={"html": "<title>Tea</title><p>žluťoučký", "url": "https://tea.example/"}
    )
    assert answer.json()["title"] == "Tea"
    assert answer.json()["name"] == answer.json()["url"] == "https://tea.example/"


def test_a_page_of_nothing_but_scripts_is_refused_with_advice(client: TestClient) -> None:
    for html, words in (
        ("<SCRIPT src=app.js></SCRIPT>", "--render"),
        ("<!-- nothing -->", "no content"),
    ):
        answer = client.post("/api/pages", json={"html": html})
        assert answer.status_code == 422
        assert words in answer.json()["error"]


def test_the_encoding_that_the_transport_names_counts(client: TestClient) -> None:
    query, headers = "?charset=windows-1251", {"content-type": "text/html"}
    answer = client.post(
        f"/api/pages{query}", content="<title>Чай</title><p>x".encode("cp1251"), headers=headers
    )
    assert answer.json()["title"] == "Чай"


def test_records_are_what_the_command_line_prints(client: TestClient) -> None:
    answer = client.post(
        "/api/records?name=products.html", content=PRODUCTS, headers={"content-type": "text/html"}
    )
    printed = (
        CliRunner()
        .invoke(main, ["records", str(EXAMPLES / "products.html"), "--format", "jsonl"])
        .stdout
    )
    assert answer.json() == {**json.loads(printed), "page": "products.html"}
    assert client.get("/api/pages").json() == {"pages": []}


def test_tables_come_best_first_with_the_places_of_their_cells(
    client: TestClient, page: str
) -> None:
    tables = client.get(f"/api/pages/{page}/tables").json()["tables"]
    own = unweave.records(PRODUCTS)
    assert [table["rows"] for table in tables] == [
        table.merge_list_columns().format_rows() for table in own
    ]
    assert [table["number"] for table in tables] == list(range(1, len(own) + 1))
    assert tables[0]["records"] == [list(record) for record in own[0].records]
    assert tables[0]["cells"] == [
        [list(nodes) for nodes in row] for row in own[0].merge_list_columns().nodes
    ]
    price = tables[0]["values"]["was_price"][2]
    assert price == {"amount": 24.0, "currency": "€"}


@pytest.mark.parametrize("method", ["mdr", "depta", "ctvs"])
def test_other_methods_can_be_asked(client: TestClient, page: str, method: str) -> None:
    assert client.get(f"/api/pages/{page}/tables?method={method}").json()["tables"]


def test_two_records_tell_the_list_that_is_meant(
    client: TestClient, page_with_two_lists: str
) -> None:
    page = page_with_two_lists
    _, seen = client.get(f"/api/pages/{page}/tables").json()["tables"]
    like = [record[0] for record in seen["records"][:2]]
    meant = said(client, page, "table", choice={"like": like})
    assert meant["number"] is None
    assert set(map(tuple, seen["records"])) <= set(map(tuple, meant["records"]))


def test_columns_are_shown_as_they_are_wanted(client: TestClient, page: str) -> None:
    table = said(client, page, "table", columns=COLUMNS)
    assert [column["name"] for column in table["columns"]] == ["what it is", "cost", "where"]
    assert table["rows"][0] == [
        "Stoneware dinner plate, sand glaze",
        "€14.50",
        "/p/stoneware-dinner-plate-sand-glaze-40210",
    ]
    assert table["values"]["cost"][:2] == [14.5, 16.0]


def test_links_that_could_be_split_out_are_told(client: TestClient) -> None:
    rows = "".join(
        f"<li><b>{n} <a href=/{n}>thing {n}</a> red</b><i>{n} left</i>" for n in range(9)
    )
    page = opened(client, f"<ul>{rows}</ul>".encode(), "x.html")["id"]
    linked = {}
    for method in ("mdr", "auto"):  # of the two, only auto has columns of addresses
        table = client.get(f"/api/pages/{page}/tables", params={"method": method}).json()["tables"][
            0
        ]
        linked[method] = [column["name"] for column in table["columns"] if column["links"]]
    assert linked == {"mdr": ["text_1", "text_2", "text_3"], "auto": []}


class TestExport:
    """Files have what is shown."""

    def file(self, client: TestClient, page: str, format: str, **more: Any) -> bytes:
        answer = client.post(
            f"/api/pages/{page}/export", json={"columns": COLUMNS, "format": format, **more}
        )
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="products.{format}"'
        return bytes(answer.content)

    def test_csv(self, client: TestClient, page: str) -> None:
        lines = self.file(client, page, "csv").decode().splitlines()
        assert lines[0] == "what it is,cost,where"
        assert lines[1].startswith('"Stoneware dinner plate, sand glaze",€14.50,/p/')
        assert (
            self.file(client, page, "csv", values=True)
            .decode()
            .splitlines()[1]
            .split('",')[1]
            .startswith("14.50,")
        )

    def test_json_lines(self, client: TestClient, page: str) -> None:
        first = json.loads(self.file(client, page, "jsonl", values=True).splitlines()[0])
        assert first["cost"] == 14.5

    def test_excel(self, client: TestClient, page: str) -> None:
        sheet = load_workbook(io.BytesIO(self.file(client, page, "xlsx"))).active
        assert sheet is not None
        rows = list(sheet.iter_rows(values_only=True))
        assert rows[0] == ("what it is", "cost", "where")
        assert rows[1][1] == 14.5

    def test_parquet(self, client: TestClient, page: str) -> None:
        table = pyarrow.parquet.read_table(io.BytesIO(self.file(client, page, "parquet")))
        assert table.column_names == ["what it is", "cost", "where"]
        assert table.column("cost").to_pylist()[:2] == [14.5, 16.0]

    def test_without_a_wish_it_is_what_the_command_line_writes(
        self, client: TestClient, page: str
    ) -> None:
        answer = client.post(f"/api/pages/{page}/export", json={"format": "csv"})
        printed = (
            CliRunner()
            .invoke(main, ["records", str(EXAMPLES / "products.html"), "--format", "csv"])
            .stdout
        )
        assert answer.text == printed

    def test_names_of_pages_are_harmless_as_names_of_files(self, client: TestClient) -> None:
        for name in (
            "../../etc/passwd",
            'a"b;c\r\nx: y.html',
            "\u202etxt",
            "",
            "." * 30,
            "x" * 900,
        ):
            answer = client.post("/api/pages", json={"html": PRODUCTS.decode(), "name": name})
            told = client.post(f"/api/pages/{answer.json()['id']}/export", json={}).headers[
                "content-disposition"
            ]
            assert set(told.removeprefix('attachment; filename="').removesuffix('.csv"')) <= set(
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
            )


def test_a_wrapper_finds_the_same_on_the_next_page(client: TestClient, page: str) -> None:
    answer = client.post(f"/api/pages/{page}/wrapper", json={"columns": COLUMNS})
    found, _ = extract(
        Wrapper.loads(answer.text), PRODUCTS.replace("€14.50".encode(), "€99.50".encode())
    )
    assert isinstance(found, unweave.Table)
    assert found.names == ["what it is", "cost", "where"]
    assert found.rows[0][1] == "€99.50"


def test_a_wrapper_of_another_table_finds_that_one(
    client: TestClient, page_with_two_lists: str
) -> None:
    page = page_with_two_lists
    second = client.get(f"/api/pages/{page}/tables").json()["tables"][1]
    answer = client.post(f"/api/pages/{page}/wrapper", json={"choice": {"number": 2}})
    found, _ = extract(Wrapper.loads(answer.text), TWO_LISTS)
    assert isinstance(found, unweave.Table)
    assert [list(record) for record in found.records] == second["records"]


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.html")), ids=lambda path: path.stem)
def test_a_wrapper_tells_how_many_rows_it_finds_again(client: TestClient, example: Path) -> None:
    page = opened(client, example.read_bytes(), example.name)["id"]
    tables = client.get(f"/api/pages/{page}/tables").json()["tables"]
    assert bool(tables) == (example.stem != "no-list")
    for table in tables:
        columns = [
            {"column": column["name"], "name": f"my {column['name']}"}
            for column in table["columns"]
        ]
        answer = client.post(
            f"/api/pages/{page}/wrapper",
            json={"choice": {"number": table["number"]}, "columns": columns},
        )
        assert answer.status_code == 200, answer.text
        found, _ = extract(Wrapper.loads(answer.text), example)
        records = (
            [list(record) for record in found.records] if isinstance(found, unweave.Table) else []
        )
        again = sum(record in records for record in table["records"])
        assert answer.headers["unweave-finds"] == f"{again} of {len(table['records'])}"
        assert isinstance(found, unweave.Table)
        assert all(name.startswith("my ") for name in found.names)


def test_wrappers_of_other_methods_have_all_columns(client: TestClient, page: str) -> None:
    choice = {"method": "ctvs"}
    assert client.post(f"/api/pages/{page}/wrapper", json={"choice": choice}).status_code == 200
    answer = client.post(
        f"/api/pages/{page}/wrapper", json={"choice": choice, "columns": [{"column": "text_1"}]}
    )
    assert (answer.status_code, "auto" in answer.json()["error"]) == (400, True)


def test_names_in_other_scripts_are_kept(client: TestClient) -> None:
    page = client.post("/api/pages", json={"html": PRODUCTS.decode(), "name": "商品.html"}).json()[
        "id"
    ]
    told = client.post(f"/api/pages/{page}/export", json={}).headers["content-disposition"]
    assert told == "attachment; filename=\"table.csv\"; filename*=UTF-8''%E5%95%86%E5%93%81.csv"


def test_every_module_is_loaded_at_once() -> None:
    """A module that the page does not name is found late, and makes it slow."""
    static = Path(unweave.__file__).parent / "studio" / "static"
    page = (static / "index.html").read_text()
    modules = [
        module.name for module in static.glob("*.js") if module.name not in ("frame.js", "docs.js")
    ]
    assert modules
    for module in modules:
        assert f"/static/{module}" in page, module


@pytest.mark.parametrize("format", ["csv", "xlsx", "parquet"])
@pytest.mark.parametrize("kind", ["best", "second", "meant", "ctvs"])
def test_code_does_what_the_studio_does(
    client: TestClient,
    page_with_two_lists: str,
    kind: str,
    format: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = page_with_two_lists
    second = client.get(f"/api/pages/{page}/tables").json()["tables"][1]
    choices: dict[str, dict[str, Any]] = {
        "best": {},
        "second": {"number": 2},
        "meant": {"like": [second["records"][0][0], second["records"][-1][0]]},
        "ctvs": {"method": "ctvs"},
    }
    shown = said(client, page, "table", choice=choices[kind])
    names = [column["name"] for column in shown["columns"]]
    columns = [
        {"column": names[0], "name": "first: one"},
        *({"column": name} for name in names[1:]),
    ]
    wish = {"choice": choices[kind], "columns": columns, "format": format}
    code = said(client, page, "code", **wish)
    exported = client.post(f"/api/pages/{page}/export", json=wish)

    monkeypatch.chdir(tmp_path)
    Path("two.html").write_bytes(TWO_LISTS)
    exec(compile(code["python"], "code", "exec"), {})
    by_python = Path(f"table.{format}").read_bytes()
    Path(f"table.{format}").unlink()
    result = CliRunner().invoke(main, shlex.split(code["command"])[1:])
    assert result.exit_code == 0, result.output
    by_command = Path(f"table.{format}").read_bytes()
    assert content(by_python, format) == content(exported.content, format)
    assert content(by_command, format) == content(by_python, format)


def test_code_knows_where_the_page_is_from(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "?name=products.html&url=https://shop.example/list/&charset=utf-8"
    page = client.post(
        f"/api/pages{query}", content=PRODUCTS, headers={"content-type": "text/html"}
    ).json()["id"]
    exported = client.post(f"/api/pages/{page}/export", json={}).text
    assert "https://shop.example/p/" in exported
    code = said(client, page, "code")
    monkeypatch.chdir(tmp_path)
    Path("products.html").write_bytes(PRODUCTS)
    exec(compile(code["python"], "code", "exec"), {})
    assert Path("table.csv").read_text() == exported
    CliRunner().invoke(main, shlex.split(code["command"])[1:])
    assert Path("table.csv").read_text() == exported


@pytest.mark.parametrize(
    "name",
    [
        "a\x03\ntouch pwned\n.html",
        "\x1b[2J.html",
        "-oevil.html",
        "$(touch pwned).html",
        "a\"'b.html",
    ],
)
def test_code_can_be_pasted(client: TestClient, name: str) -> None:
    """A terminal obeys control characters, also between quotes; a name may look like an option."""
    query = {"name": name, "url": "http://a/\x03\ntouch x\n", "charset": "utf-8\x03"}
    headers = {"content-type": "text/html"}
    page = client.post("/api/pages", params=query, content=PRODUCTS, headers=headers).json()["id"]
    code = said(client, page, "code")
    assert code["command"].isprintable()
    assert all(line.isprintable() for line in code["python"].splitlines())
    words = shlex.split(code["command"])
    assert words[:2] == ["unweave", "records"]
    assert not words[2].startswith("-")


def content(data: bytes, format: str) -> Any:
    """What is in a file, whenever it was made."""
    if format == "xlsx":
        sheet = load_workbook(io.BytesIO(data)).active
        assert sheet is not None
        return list(sheet.iter_rows(values_only=True))
    return pyarrow.parquet.read_table(io.BytesIO(data)).to_pydict() if format == "parquet" else data


class TestMistakes:
    """What cannot be done is told in a sentence, and loses nothing."""

    @pytest.mark.parametrize(
        ("body", "status", "complaint"),
        [
            ({"choice": {"number": 99}}, 400, "no table 99"),
            ({"choice": {"number": 0}}, 422, "choice.number"),
            ({"choice": {"method": "magic"}}, 422, "choice.method"),
            ({"choice": {"like": [1, 1]}}, 400, "the same element"),
            ({"choice": {"like": [1, 10**9]}}, 400, "no such element"),
            ({"choice": {"want": "happiness"}}, 400, "happiness"),
            ({"columns": [{"column": "nothing"}]}, 400, "no column 'nothing'"),
            ({"columns": []}, 400, "no column is selected"),
            ({"choice": {"like": [5, 9], "method": "mdr"}}, 422, "cannot be combined"),
            ({"choice": {"like": [5, 9], "want": "price"}}, 422, "cannot be combined"),
            ({"columns": [{"column": "title", "type": "code"}]}, 422, "type"),
            ({"columns": [{"column": "title", "name": "\n"}]}, 400, "invalid column name"),
            (
                {"columns": [{"column": "title"}, {"column": "title"}]},
                400,
                "two columns would be called 'title'",
            ),
            ({"colums": []}, 422, "colums"),
        ],
    )
    @pytest.mark.parametrize("path", ["table", "export", "wrapper", "code"])
    def test_wishes(
        self, client: TestClient, page: str, path: str, body: Any, status: int, complaint: str
    ) -> None:
        answer = client.post(f"/api/pages/{page}/{path}", json=body)
        assert (answer.status_code, complaint in answer.json()["error"]) == (status, True), (
            answer.text
        )
        assert client.get(f"/api/pages/{page}").status_code == 200

    @pytest.mark.parametrize(
        ("content", "kind", "status", "complaint"),
        [
            (b"", "text/html", 422, "empty"),
            (b"%PDF-1.4", "text/html", 422, "PDF"),
            (b"{", "application/json", 422, "JSON"),
            (b"{}", "application/json", 400, "give the html"),
            (b'{"html": 3}', "application/json", 422, "html"),
            (b"<p>x", "image/png", 415, "text/html"),
            (b"<p>x", "", 415, "text/html"),
        ],
    )
    def test_pages(
        self, client: TestClient, content: bytes, kind: str, status: int, complaint: str
    ) -> None:
        answer = client.post("/api/pages", content=content, headers={"content-type": kind})
        assert (answer.status_code, complaint in answer.json()["error"]) == (status, True), (
            answer.text
        )

    def test_unknown_paths(self, client: TestClient) -> None:
        for path in ("/nothing", "/api/nothing", "/static/nothing.js"):
            assert client.get(path).status_code == 404
            assert client.get(path).json()["error"]
