"""URLs in place of pages: on the command line and from Python."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import unweave
from tests.extraction import extract
from tests.fetching.servers import make_redirect, make_response, serve
from unweave import loading
from unweave.cli import main
from unweave.errors import FetchError, MissingExtra, PrivateAddress

PEOPLE = Path("examples/people.html").read_bytes()
SHOP = [Path(f"examples/shop/{name}.html").read_bytes() for name in ("kettle", "lamp", "fan")]
NEWS = Path("examples/news/courier-1.html").read_bytes()
HTML = "Content-Type: text/html"


def run(*words):
    return CliRunner().invoke(main, words)


@pytest.fixture
def site():
    answers = {
        "/people": make_response(PEOPLE, HTML),
        "/moved": make_redirect("/people"),
        "/koi8": make_response(
            "<ul><li><b>цена</b><p>x</p><li><b>вид</b><p>y</p></ul>".encode("koi8-r"),
            "Content-Type: text/html; charset=koi8-r",
        ),
        "/pdf": make_response(b"%PDF-1.7", "Content-Type: application/pdf"),
        "/gone": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "/news": make_response(NEWS, HTML),
        **{f"/shop/{number}": make_response(page, HTML) for number, page in enumerate(SHOP)},
    }
    with serve(answers) as server:
        yield server


# ---- the command line ----------------------------------------------------------------------------


def test_records_of_a_url_are_those_of_the_page(site):
    result = run("records", f"{site.url}/people", "--allow-private")
    assert (result.exit_code, result.stderr) == (0, "")
    line = json.loads(result.stdout)
    assert line["page"] == f"{site.url}/people"
    assert line["tables"][0]["texts"] == list(unweave.records("examples/people.html")[0].texts)
    assert line["tables"][0]["rows"][0][0] == f"{site.url}/about/people/dr-marguerite-osei-lund"


def test_a_redirected_page_keeps_its_name_and_links_are_resolved_at_the_target(site):
    line = json.loads(run("records", f"{site.url}/moved", "--allow-private").stdout)
    assert line["page"] == f"{site.url}/moved"
    assert line["tables"][0]["rows"][0][0].startswith(f"{site.url}/about/")


def test_options_for_url_and_charset_override_the_server(site):
    line = json.loads(
        run(
            "records", f"{site.url}/people", "--allow-private", "--url", "https://a.example/"
        ).stdout
    )
    assert line["tables"][0]["rows"][0][0].startswith("https://a.example/about/")
    for words, text in [((), "цена"), (("--charset", "latin-1"), "ÃÅÎÁ")]:
        line = json.loads(run("records", f"{site.url}/koi8", "--allow-private", *words).stdout)
        assert line["tables"][0]["rows"][0][0] == text


def test_a_private_address_is_refused_without_the_option(site, tmp_path):
    out = tmp_path / "out.csv"
    result = run("records", f"{site.url}/people", "-o", str(out))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"unweave: {site.url}/people: 127.0.0.1 is a private address; ")
    assert "--allow-private" in result.stderr
    assert site.requests == []
    assert not out.exists()


def test_other_pages_are_read_if_one_cannot_be_fetched(site):
    words = [f"{site.url}/{path}" for path in ("gone", "people", "pdf")]
    result = run("records", *words, "https://[", "--allow-private")
    assert result.exit_code == 1
    assert [json.loads(line)["page"] for line in result.stdout.splitlines()] == [
        f"{site.url}/people"
    ]
    assert result.stderr.splitlines() == [
        f"unweave: {site.url}/gone: the server returned 404 Not Found",
        f"unweave: {site.url}/pdf: not HTML but a PDF document",
        "unweave: https://[: invalid URL",
    ]


def test_every_command_for_pages_accepts_urls(site, tmp_path):
    wrapper = str(tmp_path / "wrapper.json")
    shop = [f"{site.url}/shop/{number}" for number in range(3)]
    assert run("learn", *shop, "-o", wrapper, "--allow-private").exit_code == 0
    fields = json.loads(run("apply", wrapper, shop[0], "--allow-private").stdout)
    assert (fields["page"], fields["fit"]) == (shop[0], 1.0)
    files = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan")]
    exported = run("export", wrapper, *shop, "--allow-private").stdout
    assert "3 of 3" in exported
    assert exported == run("export", wrapper, *files).stdout
    clusters = run("cluster", *shop, "examples/people.html", "--allow-private").stdout.splitlines()
    assert [json.loads(line)["cluster"] for line in clusters] == [0, 0, 0, 1]
    article = json.loads(run("news", f"{site.url}/news", "--allow-private").stdout)
    assert article["title"] == unweave.news(["examples/news/courier-1.html"])[0].title
    report = tmp_path / "report.html"
    long_url = f"{site.url}/people?{'x' * 300}"
    site.responses[long_url.removeprefix(site.url)] = make_response(PEOPLE, HTML)
    assert run("explain", long_url, "-o", str(report), "--allow-private").exit_code == 0
    assert "9 records" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["learn", "apply", "export", "cluster", "news", "explain"])
def test_no_command_fetches_private_addresses_by_default(site, tmp_path, command):
    wrapper = str(tmp_path / "wrapper.json")
    run("learn", "examples/people.html", "-o", wrapper)
    words = {
        "learn": ["-o", wrapper],
        "apply": [wrapper],
        "export": [wrapper],
        "explain": ["-o", str(tmp_path / "x.html")],
    }
    before, after = (
        ([], words[command]) if command in ("learn", "explain") else (words.get(command, []), [])
    )
    result = run(command, *before, f"{site.url}/people", *after)
    assert result.exit_code == 1
    assert "is a private address" in result.stderr
    assert site.requests == []


@pytest.mark.parametrize("package", ["httpcore", "idna"])
def test_without_the_packages_the_command_names_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    loading.make_fetcher.cache_clear()
    result = run("records", "https://bücher.example/")
    assert result.exit_code == 2
    assert result.stderr == f"unweave: {package} is not installed: pip install 'unweave[fetch]'\n"


# ---- Python --------------------------------------------------------------------------------------


def test_load_page_fetches_urls(site):
    page = unweave.load_page(f"{site.url}/moved", allow_private=True)
    assert page.url == f"{site.url}/people"
    assert len(unweave.records(page)[0]) == 9
    assert unweave.load_page(f"{site.url}/koi8", allow_private=True).texts[0] == "цена"
    with pytest.raises(FetchError, match="more than 100 bytes"):
        unweave.load_page(
            f"{site.url}/people", allow_private=True, limits=unweave.Limits(bytes=100)
        )


@pytest.mark.parametrize(
    "call",
    [
        unweave.records,
        unweave.load_page,
        unweave.explain,
        lambda url: unweave.learn([url]),
        lambda url: extract(unweave.learn(["examples/people.html"]), url),
        lambda url: unweave.learn(["examples/people.html"]).selectors(pages=[url]).to_json(),
        lambda url: unweave.join_records([url]),
        lambda url: unweave.cluster([url]),
        lambda url: unweave.news([url]),
    ],
)
def test_the_error_for_a_private_address_names_the_parameter(site, call):
    with pytest.raises(PrivateAddress, match=r"allow_private=True of unweave\.load_page"):
        call(f"{site.url}/people")
    assert site.requests == []


def test_functions_fetch_urls(site, monkeypatch):
    """The address of the test server is private, which has to be allowed."""
    fetched = []
    fetch = loading.fetch
    monkeypatch.setattr(
        loading,
        "fetch",
        lambda url, **options: fetched.append(url) or fetch(url, allow_private=True),
    )
    assert len(unweave.records(f"{site.url}/people")[0]) == 9
    assert len(unweave.records(f"{site.url}/people".replace("http", "HTTP"))[0]) == 9
    assert len(fetched) == 2


def test_markup_with_a_url_is_markup():
    assert unweave.load_page("http://shop.example/ <p>said <b>Ada</b>").texts == [
        "http://shop.example/",
        "said",
        "Ada",
    ]


def test_a_url_for_a_function_of_files_is_an_error():
    with pytest.raises(unweave.SourceError, match=r"is a URL, not a file: use unweave\.load_page"):
        unweave.Page.load("https://shop.example/")


def test_without_the_packages_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpcore", None)
    loading.make_fetcher.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[fetch\]'"):
        unweave.records("https://shop.example/")
