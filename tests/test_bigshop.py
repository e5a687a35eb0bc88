"""The generated shop: the number of its pages, their links, and their truth."""

import json
import subprocess
import sys
import urllib.robotparser
from collections import Counter
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

import unweave
from examples.bigshop.make import make
from examples.bigshop.serve import canonical, serving

FIVE = {"category", "product", "index", "article", "store"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bigshop")
    make(folder, 120)
    return folder


@pytest.fixture(scope="module")
def truth(folder):
    return [
        json.loads(line)
        for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="module")
def address(folder):
    with serving(folder) as address:
        yield address


def get(address, path, method="GET"):
    """The answer of the server: status, headers, content."""
    connection = HTTPConnection(urlsplit(address).netloc, timeout=30)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.found.append(dict(attributes)["href"])


def links(address, path, content):
    """The addresses of this server that a page links to."""
    parser = Links()
    parser.feed(content.decode("utf-8", "replace"))
    found = [urldefrag(urljoin(address + path, link)).url for link in parser.found]
    return [link for link in found if link.startswith(address + "/")]


@pytest.mark.parametrize("pages", [80, 121, 122, 400])
def test_the_number_of_pages_is_that_requested(pages, tmp_path):
    counts = Counter(page["template"] for page in make(tmp_path, pages))
    assert counts.total() == pages
    assert set(counts) == {*FIVE, "other"}
    assert counts["other"] == 5
    assert min(counts.values()) > 1


def test_a_shop_is_neither_too_small_nor_too_large(tmp_path):
    for pages in (79, 20_001):
        with pytest.raises(ValueError, match="a shop has 80 to 20000 pages"):
            make(tmp_path, pages)


def test_the_same_seed_gives_the_same_shop(folder, tmp_path):
    def content(folder):
        return {
            file.relative_to(folder): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }

    make(tmp_path / "same", 120, seed=0)
    make(tmp_path / "other", 120, seed=1)
    assert content(tmp_path / "same") == content(folder)
    assert content(tmp_path / "other") != content(folder)


def test_links_lead_from_the_first_page_to_all_pages(address, truth):
    """Links to pages that moved or are gone, and to the basket, which robots.txt excludes."""
    robots = urllib.robotparser.RobotFileParser()
    robots.parse(get(address, "/robots.txt")[2].decode().splitlines())
    seen, waiting, moved, gone = {"/"}, ["/"], set(), set()
    while waiting:
        path = waiting.pop()
        status, headers, content = get(address, path)
        if status == 200:
            new = links(address, path, content)
        else:
            (moved if status == 301 else gone).add(path)
            new = [urljoin(address, headers["Location"])] if status == 301 else []
        for link in filter(lambda link: robots.can_fetch("*", link), new):
            following = canonical(link)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    assert seen - moved - gone == {page["path"] for page in truth}
    assert moved
    assert all(path.startswith("/p/") for path in moved)
    assert len(gone) <= 3


def test_links_are_written_in_several_ways(folder, truth):
    parser = Links()
    for page in truth:
        parser.feed((folder / page["file"]).read_text(encoding=page["charset"]))
    assert {urlsplit(link).scheme for link in parser.found} == {"", "http", "https", "mailto"}
    assert any(link.startswith("../") for link in parser.found)
    assert any("utm_source" in link for link in parser.found)


def test_the_truth_is_on_the_page(address, truth):
    assert truth
    for page in truth:
        _, headers, content = get(address, page["path"])
        shown = unweave.load_page(content, charset=headers.get_content_charset())
        text = shown.text(0)
        for said in texts(page):
            assert " ".join(said.split()) in text, (page["path"], said)


def texts(page):
    """Return the texts of a page that the truth has, with those of its paragraphs."""
    rows = [row for rows in page.get("tables", {}).values() for row in rows]
    fields = [
        page.get("fields", {}),
        *rows,
        *(record["fields"] for record in page.get("records", ())),
    ]
    yield from page.get("paragraphs", ())
    yield from (own["text"] for row in fields for own in row.values())


def test_records_point_to_pages_of_the_shop(truth):
    templates = {page["path"]: page["template"] for page in truth}
    pairs = {
        (page["template"], templates[own["target"]])
        for page in truth
        for own in page.get("records", ())
    }
    assert pairs == {("category", "product"), ("index", "article")}


def test_every_product_and_article_is_in_a_list(truth):
    listed = [record["target"] for page in truth for record in page.get("records", ())]
    assert sorted(listed) == sorted(
        page["path"] for page in truth if page["template"] in ("product", "article")
    )


def test_pages_are_as_varied_as_those_of_real_shops(tmp_path):
    products = [page for page in make(tmp_path, 400) if page["template"] == "product"]
    assert {len(page["tables"]["reviews"]) for page in products} == set(range(9))
    for name in ("price", "old_price", "rating", "material", "colour", "weight", "warranty"):
        assert 0 < sum(name in page["fields"] for page in products) < len(products)
    assert len({tuple(page["fields"]) for page in products}) > 20


def test_some_pages_declare_their_encoding_in_the_header_only(tmp_path):
    truth = make(tmp_path, 400)
    (page, *_) = [
        page
        for page in truth
        if page["charset"] == "windows-1252" and page["template"] == "product"
    ]
    with serving(tmp_path) as address:
        _, headers, content = get(address, page["path"])
    assert headers["Content-Type"] == "text/html; charset=windows-1252"
    assert b"<meta charset" not in content
    assert "€" in content.decode("windows-1252")


def test_the_server_knows_pages_that_moved_and_pages_that_never_were(address, truth):
    (product, *_) = [page for page in truth if page["template"] == "product"]
    number = product["path"].removesuffix(".html").rpartition("-")[2]
    status, headers, _ = get(address, f"/p/{number}")
    assert (status, headers["Location"]) == (301, product["path"])
    for path in (
        "/products/none.html",
        "/../truth.jsonl",
        "/truth.jsonl",
        "/routes.json",
        "/shop/",
        "/%2e%2e/x.css",
    ):
        assert get(address, path)[0] == 404


def test_the_server_takes_no_notice_of_what_campaigns_add(address, truth):
    (product, *_) = [page for page in truth if page["template"] == "product"]
    plain = get(address, product["path"])[2]
    assert get(address, product["path"] + "?utm_source=x&utm_medium=web")[2] == plain


def test_pages_name_the_server_where_they_are_served(address, truth):
    content = get(address, "/")[2].decode()
    assert f'<link rel="canonical" href="{address}/">' in content
    assert "quillmere.example/" not in content
    sitemap = get(address, "/sitemap.xml")[2].decode()
    assert sitemap.count(f"<loc>{address}/") == len(truth)


def test_the_head_of_an_answer(address):
    status, headers, content = get(address, "/", "HEAD")
    assert (status, content) == (200, b"")
    assert int(headers["Content-Length"]) == len(get(address, "/")[2])


def test_requests_are_logged(folder):
    asked = []
    with serving(folder, asked=asked) as address:
        get(address, "/")
        get(address, "/stores/?utm_source=x")
    assert asked == ["/", "/stores/?utm_source=x"]


def test_the_scripts_as_they_are_typed(tmp_path):
    scripts = Path("examples/bigshop")
    made = subprocess.run(
        [sys.executable, scripts / "make.py", tmp_path, "--pages", "80"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.startswith(f"{tmp_path}: 80 pages: 5 other, ")
    with subprocess.Popen(
        [sys.executable, scripts / "serve.py", tmp_path], stdout=subprocess.PIPE, text=True
    ) as server:
        address = server.stdout.readline().strip()
        try:
            assert get(address, "/")[0] == 200
        finally:
            server.terminate()


def test_a_shop_that_is_too_small_is_an_error_in_one_line(tmp_path):
    command = [sys.executable, "examples/bigshop/make.py", tmp_path, "--pages", "3"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == "make.py: error: a shop has 80 to 20000 pages, not 3"
