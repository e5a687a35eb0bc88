"""Who may call the studio: its own page, with its token, under its own name. Each of these fails without its defence."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from unweave.fetching.fetch import Fetcher
from unweave.studio.app import create_app
from unweave.studio.state import StudioState

TOKEN = "a-token-of-this-test"
ROW = "<li><b>one</b> 1"
OWN = "http://127.0.0.1:8123"


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = create_app(StudioState(Fetcher()), token=TOKEN)
    return TestClient(app, base_url=OWN, headers={"authorization": f"Bearer {TOKEN}"})


def ask(client: TestClient, headers: dict[str, str], path: str = "/api/records") -> int:
    return int(client.post(path, json={"html": f"<ul>{ROW * 5}</ul>"}, headers=headers).status_code)


def test_the_studios_own_page_is_let_in(client: TestClient) -> None:
    assert ask(client, {"origin": OWN, "sec-fetch-site": "same-origin"}) == 200


def test_a_program_that_knows_the_token_is_let_in(client: TestClient) -> None:
    assert ask(client, {"authorization": f"bearer {TOKEN}"}) == 200
    assert ask(client, {"authorization": ""}, f"/api/records?token={TOKEN}") == 200


@pytest.mark.parametrize(
    "token",
    [
        "",
        "Bearer ",
        "Bearer wrong",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xe9",
    ],
)
def test_nobody_else_is(client: TestClient, token: str) -> None:
    answer = client.get("/api/pages", headers={"authorization": token.encode("latin-1")})  # type: ignore[dict-item]
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "token" in answer.json()["error"]


def test_every_call_that_is_described_needs_the_token(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    calls = [
        (method, path.replace("{", "").replace("}", ""))
        for path, methods in paths.items()
        for method in methods
    ]
    assert len(calls) > 10
    for method, path in calls:
        answer = client.request(
            method, path, headers={"authorization": "", "content-type": "application/json"}
        )
        assert answer.status_code == 401, (method, path)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost:8123"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_web_page_is_refused_even_with_the_token(
    client: TestClient, headers: dict[str, str]
) -> None:
    assert ask(client, headers) == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8123", "127.0.0.1.evil.example", "192.168.0.7:8123", "", "["],
)
def test_a_foreign_name_that_leads_here_is_refused(client: TestClient, host: str) -> None:
    for path in ("/", "/api/pages", "/frame", "/static/frame.js"):
        assert client.get(path, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8123", "[::1]:8123", "127.0.0.1"])
def test_own_names_are_not(client: TestClient, host: str) -> None:
    assert client.get("/api/pages", headers={"host": host}).status_code == 200


def test_no_answer_may_be_read_by_other_pages(client: TestClient) -> None:
    for path in ("/", "/api/pages", "/frame", "/api/docs", "/api/openapi.json"):
        headers = client.get(path, headers={"origin": OWN}).headers
        assert "access-control-allow-origin" not in headers
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert client.options("/api/pages", headers={"origin": "https://evil.example"}).status_code in (
        401,
        403,
        405,
    )


def test_the_studio_cannot_be_framed_and_runs_its_own_scripts_only(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_frame_of_strangers_has_no_origin_and_loads_nothing(client: TestClient) -> None:
    rules = dict(
        rule.strip().partition(" ")[::2]
        for rule in client.get("/frame").headers["content-security-policy"].split(";")
    )
    assert rules["sandbox"] == "allow-scripts"
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"{OWN}/static/frame.js"
    assert rules["img-src"] == rules["font-src"] == "data:"
    assert "connect-src" not in rules


class TestLimits:
    """What is too large is refused, also where nobody says how large it is."""

    def test_a_page_that_says_how_large_it_is(self, client: TestClient) -> None:
        answer = client.post(
            "/api/records", content=b"x" * 70_000_000, headers={"content-type": "text/html"}
        )
        assert answer.status_code == 413
        assert "67,108,864" in answer.json()["error"]

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/api/records", "text/html"),
            ("/api/pages", "application/json"),
            ("/api/pages/x/export", "application/json"),
        ],
    )
    def test_a_page_that_does_not(self, client: TestClient, path: str, kind: str) -> None:
        taken = 0

        def endless() -> Iterator[bytes]:
            nonlocal taken
            for _ in range(100):
                taken += 1
                yield b"x" * 1_000_000

        answer = client.post(path, content=endless(), headers={"content-type": kind})
        assert answer.status_code == 413

    def test_a_page_over_the_limit_of_pages(self, client: TestClient) -> None:
        answer = client.post(
            "/api/pages", content=b"<p>x" * 9_000_000, headers={"content-type": "text/html"}
        )
        assert answer.status_code == 413
        assert "the limit is 33,554,432" in answer.json()["error"]

    def test_a_page_of_too_many_elements(self, client: TestClient) -> None:
        answer = client.post(
            "/api/pages", content=b"<p></p>" * 600_000, headers={"content-type": "text/html"}
        )
        assert answer.status_code in (413, 422)
        assert "limit" in answer.json()["error"]


class TestPrivateAddresses:
    """The server fetches what it is told to, but not from inside."""

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1:1/",
            "http://localhost/",
            "http://169.254.169.254/latest/",
            "http://[::1]/",
            "http://2130706433/",
        ],
    )
    def test_they_are_refused(self, client: TestClient, url: str) -> None:
        answer = client.post("/api/pages", json={"url": url})
        assert answer.status_code == 403
        assert "private" in answer.json()["error"]
        assert "--allow-private" in answer.json()["error"]

    def test_also_for_pictures_of_pages(self, client: TestClient) -> None:
        html = "<img src=http://127.0.0.1:1/a.png><p>x"
        id = client.post("/api/pages", json={"html": html}).json()["id"]
        assert client.get(f"/api/pages/{id}/drawing?outside=true").json()["left_out"] == 1

    @pytest.mark.parametrize(
        "url", ["file:///etc/passwd", "ftp://x.example/", "javascript:alert(1)", "x", ""]
    )
    def test_and_what_is_no_address_of_the_web(self, client: TestClient, url: str) -> None:
        answer = client.post("/api/pages", json={"url": url})
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]


def test_files_of_the_server_are_not_served(client: TestClient) -> None:
    for path in (
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static//etc/hostname",
        "/app.py",
        "/static/",
    ):
        assert client.get(path).status_code in (404, 405), path
