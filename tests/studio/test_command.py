"""`unweave studio` as a user types it: a process that prints its address, answers, and ends when it is told to."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner

from unweave.cli import main

ROOT = Path(__file__).parents[2]


@contextmanager
def studio(*words: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its origin and its token."""
    command = [
        sys.executable,
        "-c",
        "from unweave.cli import main; main()",
        "studio",
        "--no-browser",
        *words,
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        command, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes
    ) as process:
        try:
            assert process.stdout is not None
            printed = process.stdout.readline()
            match = re.fullmatch(
                r"The studio is open at (http://127\.0\.0\.1:\d+)/\?token=(\S{20,})\n", printed
            )
            assert match, printed or process.stderr.read()
            assert process.stdout.readline() == "Ctrl-C ends it.\n"
            yield process, match[1], match[2]
        finally:
            process.kill()


def ask(origin: str, path: str, token: str) -> dict:
    request = urllib.request.Request(origin + path, headers={"authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def test_it_opens_a_page_and_ends_quietly_when_interrupted():
    with studio("examples/products.html") as (process, origin, token):
        (page,) = ask(origin, "/api/pages", token)["pages"]
        assert page["name"] == "examples/products.html"
        with pytest.raises(HTTPError, match="401"):
            ask(origin, "/api/pages", "guessed")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_when_it_is_terminated(number):
    with studio("examples/products.html") as (process, _, _):
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (
            128 + number,
            "",
            f"unweave: terminated by {number.name}\n",
        )


def test_every_start_has_a_token_of_its_own():
    with studio() as (_, _, one), studio() as (_, _, other):
        assert one != other


def test_it_opens_many_pages():
    with studio("examples/shop") as (_, origin, token):
        (found,) = ask(origin, "/api/sets", token)["sets"]
        assert found["name"] == "shop"


def test_it_listens_on_this_machine_alone():
    with studio() as (_, origin, _):
        port = int(origin.rpartition(":")[2])
        others = {
            own[4][0] for own in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)
        } - {"127.0.0.1"}
        for address in others | {"127.0.0.2"}:
            with (
                pytest.raises(ConnectionRefusedError),
                socket.create_connection((address, port), timeout=5),
            ):
                pass


def test_in_a_container_it_listens_on_all_addresses_and_answers_under_its_own_name():
    with studio("--host", "0.0.0.0") as (_, origin, token):
        assert ask(origin, "/api/pages", token) == {"pages": []}
        with pytest.raises(HTTPError, match="403"):
            ask(origin.replace("127.0.0.1", "127.0.0.2"), "/api/pages", token)


@pytest.mark.parametrize("host", ["203.0.113.9", "::1", "no such host"])
def test_an_address_of_another_machine_is_told(host):
    result = CliRunner().invoke(main, ["studio", "--no-browser", "--host", host])
    assert result.exit_code == 2
    assert f"cannot listen on {host}:0: " in result.stderr


def test_what_lies_beside_a_page_is_drawn_with_it(tmp_path):
    (tmp_path / "page_files").mkdir()
    (tmp_path / "page_files" / "a.css").write_text("p { color: rebeccapurple }")
    (tmp_path / "page.html").write_text("<link rel=stylesheet href=page_files/a.css><p>x")
    with studio(str(tmp_path / "page.html")) as (_, origin, token):
        (page,) = ask(origin, "/api/pages", token)["pages"]
        drawing = ask(origin, f"/api/pages/{page['id']}/drawing", token)
        assert "rebeccapurple" in json.dumps(drawing)
        assert drawing["left_out"] == 0


def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = CliRunner().invoke(main, ["studio", "--port", str(taken.getsockname()[1])])
    assert result.exit_code == 2
    assert "cannot listen on port" in result.stderr


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("nothing.html", "nothing.html: no such file"),
        ("nothing.warc.gz", "nothing.warc.gz: no such file or folder"),
        ("http://127.0.0.1:1/", "private address"),
    ],
)
def test_what_cannot_be_opened_is_told_at_once(source, complaint, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["studio", "--no-browser", source])
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert "Traceback" not in result.output


def test_a_wrapper_is_no_page_and_it_is_said_what_to_do(tmp_path):
    path = tmp_path / "shop.json"
    pages = sorted(str(page) for page in ROOT.glob("examples/shop/*.html"))
    assert CliRunner().invoke(main, ["learn", *pages, "-o", str(path)]).exit_code == 0
    result = CliRunner().invoke(main, ["studio", "--no-browser", str(path)])
    assert result.exit_code == 2
    assert (
        f"{path}: this is a wrapper, not a page: use `unweave apply {path} PAGE...`"
        in result.stderr
    )


def test_without_its_packages_it_says_what_to_install(monkeypatch):
    for name in [own for own in sys.modules if own.startswith(("unweave.studio", "fastapi"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = CliRunner().invoke(main, ["studio", "--no-browser"])
    assert result.exit_code == 2
    assert "pip install 'unweave[studio]'" in result.stderr
