"""An address where a page is asked for: on the command line and from Python."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import unweave
from tests.extraction import extract
from tests.fetching.servers import answer, moved, served
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
        "/people": answer(PEOPLE, HTML),
        "/moved": moved("/people"),
        "/koi8": answer(
            "<ul><li><b>цена</b><p>x</p><li><b>вид</b><p>y</p></ul>".encode("koi8-r"),
            "Content-Type: text/html; charset=koi8-r",
        ),
        "/pdf": answer(b"%PDF-1.7", "Content-Type: application/pdf"),
        "/gone": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "/news": answer(NEWS, HTML),
        **{f"/shop/{number}": answer(page, HTML) for number, page in enumerate(SHOP)},
    }
    with served(answers) as server:
        yield server


# ---- the command line ----------------------------------------------------------------------------------------------


def test_records_of_an_address_are_those_of_the_page(site):
    result = run("records", f"{site.url}/people", "--allow-private")
    assert (result.exit_code, result.stderr) == (0, "")
    line = json.loads(result.stdout)
    assert line["page"] == f"{site.url}/people"
    assert line["tables"][0]["texts"] == list(unweave.records("examples/people.html")[0].texts)
    assert line["tables"][0]["rows"][0][0] == f"{site.url}/about/people/dr-marguerite-osei-lund"


def test_the_page_keeps_its_name_where_it_has_moved_and_links_follow_the_move(site):
    line = json.loads(run("records", f"{site.url}/moved", "--allow-private").stdout)
    assert line["page"] == f"{site.url}/moved"
    assert line["tables"][0]["rows"][0][0].startswith(f"{site.url}/about/")


def test_the_address_and_the_charset_that_are_given_overrule_the_servers(site):
    line = json.loads(
        run(
            "records", f"{site.url}/people", "--allow-private", "--url", "https://a.example/"
        ).stdout
    )
    assert line["tables"][0]["rows"][0][0].startswith("https://a.example/about/")
    for words, text in [((), "цена"), (("--charset", "latin-1"), "ÃÅÎÁ")]:
        line = json.loads(run("records", f"{site.url}/koi8", "--allow-private", *words).stdout)
        assert line["tables"][0]["rows"][0][0] == text


def test_a_private_address_is_refused_unless_it_is_asked_for(site, tmp_path):
    out = tmp_path / "out.csv"
    result = run("records", f"{site.url}/people", "-o", str(out))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"unweave: {site.url}/people: 127.0.0.1 is a private address; ")
    assert "--allow-private" in result.stderr
    assert site.requests == []
    assert not out.exists()


def test_a_page_that_cannot_be_fetched_costs_no_other(site):
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


def test_every_command_that_takes_pages_takes_addresses(site, tmp_path):
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
    long_address = f"{site.url}/people?{'x' * 300}"
    site.answers[long_address.removeprefix(site.url)] = answer(PEOPLE, HTML)
    assert run("explain", long_address, "-o", str(report), "--allow-private").exit_code == 0
    assert "9 records" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["learn", "apply", "export", "cluster", "news", "explain"])
def test_no_command_fetches_private_addresses_on_its_own(site, tmp_path, command):
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
def test_without_the_packages_it_is_said_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    loading.make_fetcher.cache_clear()
    result = run("records", "https://bücher.example/")
    assert result.exit_code == 2
    assert result.stderr == f"unweave: {package} is not installed: pip install 'unweave[fetch]'\n"


# ---- Python --------------------------------------------------------------------------------------------------------


def test_read_fetches_addresses(site):
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
def test_private_addresses_are_refused_and_the_error_says_how_to_open_them(site, call):
    with pytest.raises(PrivateAddress, match=r"allow_private=True of unweave\.load_page"):
        call(f"{site.url}/people")
    assert site.requests == []


def test_verbs_fetch_addresses(site, monkeypatch):
    """The network of the tests is private; the verbs know that there is an address, and take public ones."""
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


def test_markup_that_holds_an_address_is_markup():
    assert unweave.load_page("http://shop.example/ <p>said <b>Ada</b>").texts == [
        "http://shop.example/",
        "said",
        "Ada",
    ]


def test_a_file_is_not_an_address_and_the_error_says_what_fetches_one():
    with pytest.raises(unweave.SourceError, match=r"is a URL, not a file: use unweave\.load_page"):
        unweave.Page.load("https://shop.example/")


def test_without_the_packages_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpcore", None)
    loading.make_fetcher.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'unweave\[fetch\]'"):
        unweave.records("https://shop.example/")
