"""The tools as a client of the official SDK calls them, in memory and over standard input."""

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters

from tests.fetching.servers import serve
from unweave.cli import main
from unweave.mcp.portions import MAX_CHARACTERS
from unweave.mcp.server import create_server
from unweave.page.limits import Limits

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TOOLS = {"extract_tables", "extract_text", "learn_wrapper", "apply_wrapper", "explain"}

LIST_PAGE = "<h1>Shop</h1><ul>{}</ul>".format(
    "".join(
        f"<li><b>Lamp {number}</b> <i>€{number}.50</i> <u>{number} May 2024</u></li>"
        for number in range(1, 31)
    )
)


class Session:
    """A client whose calls are checked: answers have the schema of their tool, errors a message."""

    def __init__(self, client):
        self._client = client

    async def names(self):
        return {tool.name for tool in (await self._client.list_tools()).tools}

    async def call(self, tool, **arguments):
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def refuse(self, tool, **arguments):
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error
        message = result.content[0].text
        assert message.startswith(f"Error executing tool {tool}: ")
        return message


@asynccontextmanager
async def connect(root=EXAMPLES, **options):
    async with Client(create_server(root, **options)) as client:
        yield Session(client)


@pytest.fixture
def anyio_backend():
    return "asyncio"


# ---- what the tools answer -----------------------------------------------------------------------


@pytest.mark.anyio
async def test_lists_its_tools():
    async with connect() as session:
        assert await session.names() == TOOLS


@pytest.mark.anyio
async def test_pages_through_a_table():
    rows, offset, calls = [], 0, 0
    async with connect() as session:
        while offset is not None:
            answer = await session.call(
                "extract_tables", page={"html": LIST_PAGE}, offset=offset, limit=7
            )
            rows += answer["rows"]
            offset, calls = answer["next_offset"], calls + 1
    assert calls == 5
    assert [row["lamp"] for row in rows] == [f"Lamp {number}" for number in range(1, 31)]
    assert answer["total_rows"] == 30
    assert answer["tables"][0]["rows"] == 30


@pytest.mark.anyio
async def test_gives_typed_values_and_provenance():
    async with connect() as session:
        answer = await session.call(
            "extract_tables",
            page={"file": "products.html", "url": "https://shop.example/a/"},
            limit=1,
            typed=True,
            provenance=True,
        )
    (row,), (provenance,) = answer["rows"], answer["provenance"]
    assert row["count"] == 212
    assert row["title_link"].startswith("https://shop.example/p/")
    assert provenance["record"] == ["/html/body/div[2]/div/main/div[2]/div[1]"]
    assert provenance["cells"]["title"] == ["/html/body/div[2]/div/main/div[2]/div[1]/div/h3/a"]
    assert provenance["cells"].keys() == row.keys()


@pytest.mark.anyio
async def test_gives_the_data_of_scripts_and_says_that_there_is_some():
    products = json.dumps([{"name": f"Lamp {number}", "price": number} for number in range(5)])
    page = {"html": f'<div id="app"></div><script type="application/json">{products}</script>'}
    async with connect() as session:
        answer = await session.call("extract_tables", page=page)
        assert any("try --data (data=True)" in warning for warning in answer["warnings"])
        answer = await session.call("extract_tables", page=page, data=True, typed=True)
    assert answer["rows"][1] == {"name": "Lamp 1", "price": 1}


@pytest.mark.anyio
async def test_a_page_without_a_list_has_no_rows():
    async with connect() as session:
        answer = await session.call("extract_tables", page={"file": "no-list.html"})
        assert (answer["tables"], answer["rows"], answer["table"]) == ([], [], None)
        assert "the page has no list" in answer["warnings"]
        message = await session.refuse("extract_tables", page={"file": "no-list.html"}, table=2)
        assert message.endswith("the page has 0 lists, and no list 2")


@pytest.mark.anyio
async def test_text_in_portions_is_the_whole_text():
    content, offset = "", 0
    async with connect() as session:
        while offset is not None:
            answer = await session.call(
                "extract_text", page={"file": "text/manual.html"}, offset=offset, limit=300
            )
            assert len(answer["content"]) <= 300
            content, offset = content + answer["content"], answer["next_offset"]
        assert content.startswith("# Reading gauges")
        assert len(content) == answer["total"] > 300
        blocks = await session.call(
            "extract_text", page={"file": "text/manual.html"}, provenance=True, limit=2
        )
    paths = [block["xpaths"] for block in blocks["blocks"]]
    assert paths == [["/html/body/div/main/article/h1"], ["/html/body/div/main/article/p[1]"]]
    assert blocks["next_offset"] == 2


@pytest.mark.anyio
async def test_learns_a_wrapper_and_applies_it_by_id_by_text_and_by_file(tmp_path):
    pages = [{"html": (EXAMPLES / f"shop/{name}.html").read_text()} for name in ("fan", "clock")]
    async with connect(tmp_path) as session:
        learned = await session.call("learn_wrapper", pages=pages)
        assert {"title", "price"} <= {field["name"] for field in learned["fields"]}
        assert [page["fit"] for page in learned["pages"]] == [1.0, 1.0]
        assert learned["wrapper_characters"] == len(learned["wrapper"])
        (tmp_path / "shop.wrapper.json").write_text(learned["wrapper"])
        kettle = {"html": (EXAMPLES / "shop/kettle.html").read_text()}
        sources = [
            {"id": learned["id"]},
            {"text": learned["wrapper"]},
            {"file": "shop.wrapper.json"},
        ]
        answers = [
            await session.call("apply_wrapper", wrapper=source, page=kettle, provenance=True)
            for source in sources
        ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["fields"]["price"] == "€64.90"
    assert answers[0]["provenance"]["price"][0].endswith("/span")
    assert answers[0]["total"] == len(answers[0]["fields"])


@pytest.mark.anyio
async def test_fields_come_in_portions():
    async with connect() as session:
        learned = await session.call(
            "learn_wrapper", pages=[{"file": "shop/fan.html"}, {"file": "shop/clock.html"}]
        )
        arguments = {"wrapper": {"id": learned["id"]}, "page": {"file": "shop/kettle.html"}}
        whole = await session.call("apply_wrapper", **arguments)
        names, offset = [], 0
        while offset is not None:
            answer = await session.call("apply_wrapper", **arguments, offset=offset, limit=2)
            assert len(answer["fields"]) <= 2
            names, offset = names + list(answer["fields"]), answer["next_offset"]
    assert names == list(whole["fields"])
    assert len(names) > 2


@pytest.mark.anyio
async def test_a_wrapper_for_a_list_gives_rows_and_has_the_chosen_columns():
    async with connect() as session:
        learned = await session.call(
            "learn_wrapper", pages=[{"file": "products.html"}], columns=["title=name", "brand"]
        )
        answer = await session.call(
            "apply_wrapper",
            wrapper={"id": learned["id"]},
            page={"file": "products-2.html"},
            limit=3,
        )
    assert [column["name"] for column in answer["columns"]] == ["name", "brand"]
    assert len(answer["rows"]) == 3
    assert answer["next_offset"] == 3
    assert learned["pages"][0]["rows"] == 24


@pytest.mark.anyio
async def test_explains_why_a_list_won():
    async with connect() as session:
        answer = await session.call("explain", page={"file": "products.html"}, limit=3)
    assert [candidate["is_best"] for candidate in answer["candidates"]] == [True, False, False]
    assert answer["candidates"][0]["records"] == 24
    assert answer["candidates"][1]["reason"].startswith("it has ")


@pytest.mark.anyio
async def test_fetches_an_address():
    body = LIST_PAGE.encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    with serve({"/list": head + body}) as server:
        async with connect(allow_private=True) as session:
            answer = await session.call("extract_tables", page={"url": f"{server.url}/list"})
    assert answer["total_rows"] == 30
    assert answer["url"] == f"{server.url}/list"


# ---- answers are bounded -------------------------------------------------------------------------


def measure(answer):
    return len(json.dumps(answer, ensure_ascii=False))


@pytest.mark.anyio
async def test_rows_stop_at_the_most_characters_of_an_answer():
    rows = "".join(f"<tr><td>{number}<td>{'x' * 3_000}{number}</tr>" for number in range(40))
    page = {"html": f"<table>{rows}</table>"}
    count, offset = 0, 0
    async with connect() as session:
        while offset is not None:
            answer = await session.call("extract_tables", page=page, offset=offset, limit=500)
            assert measure(answer) < 1.2 * MAX_CHARACTERS
            count, offset = count + len(answer["rows"]), answer["next_offset"]
    assert count == answer["total_rows"] == 40


@pytest.mark.anyio
async def test_a_row_that_is_too_long_for_an_answer_is_cut():
    rows = "".join(f"<tr><td>{number}<td>{'y' * 90_000}{number}</tr>" for number in range(3))
    async with connect() as session:
        answer = await session.call("extract_tables", page={"html": f"<table>{rows}</table>"})
    assert answer["is_cut"]
    assert len(answer["rows"]) == 1
    assert answer["next_offset"] == 1
    assert measure(answer) < 1.2 * MAX_CHARACTERS


@pytest.mark.anyio
async def test_long_titles_names_and_examples_are_cut():
    long = "z" * 50_000
    page = f"<title>{long}</title><h1>{long}</h1>{LIST_PAGE}"
    async with connect() as session:
        for tool in ("extract_tables", "explain"):
            assert measure(await session.call(tool, page={"html": page})) < MAX_CHARACTERS
        answer = await session.call("extract_text", page={"html": page}, limit=100)
        assert measure(answer) < MAX_CHARACTERS


# ---- hostile arguments ---------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret.html").write_text(LIST_PAGE)
    (folder / "page.html").write_text(LIST_PAGE)
    return folder


@pytest.mark.parametrize("tool", ["extract_tables", "extract_text", "explain"])
@pytest.mark.parametrize(
    "name",
    ["../secret.html", "sub/../../secret.html", "{parent}/secret.html", "/etc/passwd", "../gone"],
)
@pytest.mark.anyio
async def test_files_outside_of_the_root_are_refused(root, tool, name):
    async with connect(root) as session:
        message = await session.refuse(tool, page={"file": name.format(parent=root.parent)})
        assert message.endswith("is outside of the root folder of this server")


@pytest.mark.anyio
async def test_files_below_the_root_are_read_whatever_their_spelling(root):
    async with connect(root) as session:
        for name in ("page.html", "sub/../page.html", str(root / "page.html")):
            assert (await session.call("extract_tables", page={"file": name}))["total_rows"] == 30


@pytest.mark.anyio
async def test_links_that_lead_outside_are_refused(root):
    (root / "link.html").symlink_to(root.parent / "secret.html")
    (root / "up").symlink_to(root.parent)
    async with connect(root) as session:
        for name in ("link.html", "up/secret.html"):
            message = await session.refuse("extract_tables", page={"file": name})
            assert message.endswith("is outside of the root folder of this server")


@pytest.mark.anyio
async def test_what_is_not_a_file_is_refused(root):
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(root / "loop")
    async with connect(root) as session:
        for name in ("pipe", "sub", ".", "gone.html", "loop", "nul\0", "x" * 5_000):
            message = await session.refuse("extract_tables", page={"file": name})
            assert len(message) < 500
            assert "Errno" not in message


@pytest.mark.anyio
async def test_without_a_root_files_are_refused(root):
    async with connect(None) as session:
        for arguments in (
            {"tool": "extract_tables", "page": {"file": str(root / "page.html")}},
            {
                "tool": "apply_wrapper",
                "wrapper": {"file": "x.json"},
                "page": {"html": LIST_PAGE},
            },
        ):
            message = await session.refuse(**arguments)
            assert "this server reads no files: start it as `unweave mcp --root DIR`" in message


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://0x7f000001/",
    ],
)
@pytest.mark.anyio
async def test_private_addresses_are_refused(url):
    async with connect() as session:
        message = await session.refuse("extract_text", page={"url": url})
        assert "private address" in message or "could not resolve" in message


@pytest.mark.anyio
async def test_other_protocols_are_refused():
    async with connect() as session:
        for url in ("file:///etc/passwd", "ftp://host.example/", "page.html", "<p>"):
            message = await session.refuse("extract_tables", page={"url": url})
            assert "the URL must begin with http:// or https://" in message


@pytest.mark.anyio
async def test_huge_pages_are_refused(root):
    with (root / "huge.html").open("wb") as file:
        file.truncate(10_000_000_000)
    async with connect(root) as session:
        message = await session.refuse("extract_text", page={"file": "huge.html"})
        assert "the limit is 33,554,432" in message
    async with connect(root, limits=Limits(bytes=1_000)) as session:
        for tool in ("extract_tables", "extract_text", "explain"):
            message = await session.refuse(tool, page={"html": LIST_PAGE})
            assert "the limit is 1,000" in message
        message = await session.refuse("learn_wrapper", pages=[{"html": LIST_PAGE}])
        assert "the limit is 1,000" in message


@pytest.mark.anyio
async def test_deep_pages_and_pages_of_other_formats_are_refused():
    async with connect() as session:
        deep = "<div>" * 1_000 + "x"
        assert "levels deep" in await session.refuse("extract_tables", page={"html": deep})
        assert await session.refuse("extract_tables", page={"html": "%PDF-1.7\n" + "x" * 2_000})
        assert "the page is empty" in await session.refuse("explain", page={"html": ""})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("not JSON", "the wrapper is not JSON"),
        ("[1, 2]", "not an unweave wrapper"),
        ('{"unweave": "wrapper", "version": 99}', "has version 99"),
        ('{"unweave": "wrapper", "version": 1, "kind": "os"}', "unknown kind"),
        ('{"unweave": "wrapper", "version": 1, "kind": "fields"}', "damaged"),
        ("[" * 100_000, "the wrapper is not JSON"),
    ],
)
@pytest.mark.anyio
async def test_wrappers_that_are_none_are_refused(root, text, reason):
    (root / "x.json").write_text(text)
    (root / "bytes.json").write_bytes(b"\xff\xfe\xff")
    page = {"file": "page.html"}
    async with connect(root) as session:
        for wrapper in ({"text": text}, {"file": "x.json"}):
            assert reason in await session.refuse("apply_wrapper", wrapper=wrapper, page=page)
        message = await session.refuse("apply_wrapper", wrapper={"file": "bytes.json"}, page=page)
        assert message.endswith("bytes.json: the wrapper is not JSON")
        message = await session.refuse("apply_wrapper", wrapper={"file": "../x"}, page=page)
        assert message.endswith("is outside of the root folder of this server")
        message = await session.refuse("apply_wrapper", wrapper={"id": "wrapper-7"}, page=page)
        assert "there is no wrapper wrapper-7" in message
        for wrapper in ({}, {"id": "a", "text": "b"}):
            message = await session.refuse("apply_wrapper", wrapper=wrapper, page=page)
            assert "exactly one of id, text and file" in message


@pytest.mark.anyio
async def test_huge_wrappers_are_refused(root):
    with (root / "huge.json").open("wb") as file:
        file.truncate(10_000_000_000)
    async with connect(root) as session:
        for wrapper in ({"file": "huge.json"}, {"text": " " * (16 * 2**20 + 1)}):
            message = await session.refuse(
                "apply_wrapper", wrapper=wrapper, page={"file": "page.html"}
            )
            assert "the wrapper has more than 16,777,216 bytes" in message


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": -1},
        {"limit": 0},
        {"limit": 10**9},
        {"limit": "many"},
        {"offset": -1},
        {"table": 0},
        {"want": ["price"] * 100},
        {"want": ["nonsense"]},
        {"want": ["x" * 20_000]},
        {"want": ["price"], "data": True},
        {"page": {"html": LIST_PAGE, "url": "https://a.example/" + "x" * 10_000}},
        {"offset": 31},
        {"page": {}},
        {"page": {"html": LIST_PAGE, "file": "page.html"}},
        {"page": {"html": LIST_PAGE, "path": "page.html"}},
        {"page": "page.html"},
    ],
)
@pytest.mark.anyio
async def test_arguments_out_of_range_are_refused(arguments):
    async with connect() as session:
        message = await session.refuse(
            "extract_tables", **{"page": {"html": LIST_PAGE}, **arguments}
        )
        assert len(message) > len("Error executing tool extract_tables: ") + 10
        assert len(message) < 1_500


@pytest.mark.anyio
async def test_too_many_pages_are_refused():
    async with connect() as session:
        message = await session.refuse("learn_wrapper", pages=[{"html": LIST_PAGE}] * 41)
        assert "at most 40 items" in message
        message = await session.refuse("learn_wrapper", pages=[])
        assert "at least 1 item" in message


# ---- the command ---------------------------------------------------------------------------------

COMMAND = ["-c", "from unweave.cli import main; main()", "mcp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_command_serves_over_standard_input_and_output():
    parameters = StdioServerParameters(
        command=sys.executable, args=[*COMMAND, "--root", str(EXAMPLES)], env=ENVIRONMENT
    )
    async with Client(parameters) as client:
        session = Session(client)
        assert await session.names() == TOOLS
        answer = await session.call("extract_tables", page={"file": "products.html"})
        assert answer["total_rows"] == 24
        assert "outside" in await session.refuse("extract_text", page={"file": "../README.md"})


def start(*options):
    return subprocess.Popen(
        [sys.executable, *COMMAND, *options],
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_the_command_ends_when_its_input_ends():
    with start() as process:
        output, errors = process.communicate(b"", timeout=30)
    assert (process.returncode, output, errors) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_at_once(number):
    with start() as process:
        process.stdin.write(
            b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion":'
            b' "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}\n'
        )
        process.stdin.flush()
        assert b"unweave" in process.stdout.readline()
        process.send_signal(number)
        try:
            assert process.wait(timeout=30) == -number
        finally:
            process.kill()


def test_the_root_must_be_a_folder(tmp_path):
    with start("--root", str(tmp_path / "gone")) as process:
        _, errors = process.communicate(b"", timeout=30)
    assert process.returncode == 2
    assert b"does not exist" in errors


def test_without_the_sdk_the_command_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("unweave.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    result = CliRunner().invoke(main, ["mcp"])
    assert result.exit_code == 2
    assert "pip install 'unweave[mcp]'" in result.output


def test_the_library_does_not_import_the_sdk():
    program = "import sys, unweave; unweave.records('<p>x'); assert 'mcp' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, check=True)
