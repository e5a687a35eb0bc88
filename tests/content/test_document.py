"""Documents: content with metadata, from pages of a few lines."""

import json
import pickle
from itertools import pairwise
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave import Page
from unweave.content import texts
from unweave.content.article import NO_ARTICLE, Article
from unweave.content.blocks import find_blocks
from unweave.content.content_urls import resolve_link
from unweave.content.document import (
    DOCUMENT_COLUMNS,
    ContentImage,
    ContentLink,
    build_document,
    extract_text,
    extract_texts,
    render_article,
)
from unweave.content.main_content import MainContent
from unweave.content.texts import PAGES_PER_BATCH, read_batch

PROSE = (
    "The ferry to the outer islands will sail twice a day from the first of May, the harbour board said on Monday.",
    "Islanders had asked for a later crossing, which the company had called too dear to run in the dark months.",
    "A ticket will cost the same as before, and those who live on the islands will travel for half of that price.",
)
STORY = "<h1>Ferry to sail twice a day</h1>" + "".join(f"<p>{text}</p>" for text in PROSE)


def build(body, head="", *, url="https://gazette.example/news/ferry.html", lang="", **content):
    """Return the document of a page whose content is all of its body."""
    page = Page.parse(f"<html{lang}><head>{head}</head><body>{body}</body></html>", url=url)
    fields = {"kind": "other", "confidence": 0.5, "title": None} | content
    return build_document(page, MainContent(blocks=tuple(find_blocks(page)), page=page, **fields))


def json_ld(data):
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


# ---- content -------------------------------------------------------------------------------------


def test_text_has_one_block_a_line():
    document = build(
        """<h1>Title</h1><p>One<br>line.</p><ul><li>a<ul><li>b</ul><li>c</ul><h2>Next</h2><p>Two.
        <table><tr><th>x<th>y<tr><td>1<td>2</table><p>Three.<pre>if x:\n    y\n\nz</pre><p>Four.""",
        title="Title",
    )
    assert document.text == (
        "One line.\na\nb\nc\n\nNext\nTwo.\n\nx\ty\n1\t2\n\nThree.\n\nif x:\n    y\n\nz\n\nFour."
    )
    assert document.markdown.startswith("# Title\n\nOne\\\nline.\n\n- a\n")


def test_noscript_markup_is_structured_but_has_no_nodes():
    posts = "".join(f"<div class=post><p>{text} {n}</p></div>" for n, text in enumerate(PROSE * 5))
    page = Page.parse(f"<body><p>Loading</p><noscript><h1>Ferry</h1>{posts}</noscript>")
    document = extract_text(page)
    assert f"{PROSE[0]} 0\n" in document.text
    assert f"{PROSE[1]} 4\n\n" in document.markdown
    assert {block.nodes for block in document.blocks} == {()}


def test_a_page_without_content_is_false():
    page = Page.parse("<title>Title</title><p>x")
    document = build_document(page, MainContent("other", 0.5, (), "Title", page))
    assert not document
    assert (document.title, document.text, document.markdown) == ("Title", "", "")


def test_links_and_images_are_absolute_and_once():
    document = build(
        """<p><a href=/a>See <b>a</b></a>, <a href=/a>See a</a>, <a href="javascript:x()">x</a>
        <img src="p.png" alt=" A  photo "> <a href="../b"><img src=p.png></a> <a href=c>c<br>d</a>"""
    )
    assert document.links == (
        ContentLink("See a", "https://gazette.example/a"),
        ContentLink("c d", "https://gazette.example/news/c"),
    )
    assert document.images == (ContentImage("A photo", "https://gazette.example/news/p.png"),)


HOSTS = [
    "http://a.example",
    "https://a.example:80",
    "HTTP://a.example",
    "//a.example",
    "a",
    "",
    "mailto:a",
]
URL_PARTS = ["/", "a", "..", "?", "#", "x=1", ";", "[", "é", " ", "%20", ":", "@"]


@given(
    st.sampled_from(HOSTS),
    st.lists(st.sampled_from(URL_PARTS), max_size=7),
    st.sampled_from([None, "https://gazette.example/news/", "http://a.example/b/c"]),
)
def test_links_are_joined_with_the_url_of_the_page(host, parts, base):
    page = Page.parse("<p>x", url=base)
    url = host + "".join(parts)
    try:
        expected = urljoin(base or "", url.strip()) or None
        scheme = urlsplit(expected or "").scheme
    except ValueError:
        expected, scheme = None, ""
    is_known = scheme in ("", "http", "https", "mailto")
    assert resolve_link(page, url) == (expected if is_known else None)


def test_an_article_that_a_script_continues_is_read_to_its_end():
    data = {
        "@type": "NewsArticle",
        "articleBody": "\n".join([*PROSE, *(f"{text} Again." for text in PROSE)]),
    }
    document = build(f"<p>{PROSE[0]}</p><p>{PROSE[1]}</p>", json_ld(data), kind="article")
    assert document.text.split("\n") == [*PROSE, *(f"{text} Again." for text in PROSE)]
    assert [block.tag for block in document.blocks] == ["p", "p", *["script"] * 4]
    assert document.blocks[-1].nodes == ()
    assert PROSE[2] not in build(f"<p>{PROSE[0]}</p>", json_ld(data)).text


def test_markdown_survives_pickling():
    document = build("<p><a href=/a>a</a> <b>b</b>")
    copy = pickle.loads(pickle.dumps(document))
    assert copy == document
    assert copy.markdown == "[a](https://gazette.example/a) **b**\n"
    assert copy.to_dict() == document.to_dict()


def test_urls_stay_relative_without_the_url_of_the_page():
    document = build("<p><a href=/a>a</a>", url=None)
    assert document.links == (ContentLink("a", "/a"),)
    assert document.url is None


def test_the_declared_url_makes_urls_absolute():
    head = '<link rel=canonical href="https://gazette.example/a/b"><base href="../c/">'
    document = build("<p><a href=d>d</a>", head, url=None)
    assert document.links == (ContentLink("d", "https://gazette.example/c/d"),)
    document = build("<p><a href=d>d</a>", head, url="https://mirror.example/x/y/z")
    assert document.links == (ContentLink("d", "https://mirror.example/x/c/d"),)


def test_blocks_have_roles_and_nodes():
    document = build(
        """<h2>Head</h2><p>Text</p><ul><li><p>Item</p></ul><blockquote>Quote</blockquote>
        <table><tr><td>Cell</table><pre>a\n  b</pre><dl><dt>T<dd>D</dl>"""
    )
    assert [(block.role, block.tag, block.text) for block in document.blocks] == [
        ("heading", "h2", "Head"),
        ("paragraph", "p", "Text"),
        ("item", "p", "Item"),
        ("quote", "blockquote", "Quote"),
        ("cell", "td", "Cell"),
        ("code", "pre", "a\n  b"),
        ("term", "dt", "T"),
        ("definition", "dd", "D"),
    ]
    assert document.blocks[2].nodes == ("/html/body/ul/li/p",)


def test_plain_data():
    document = build("<p><a href=/a>a</a>", "<meta name=author content='Ann Dew, Bo Lee'>")
    data = document.to_dict(blocks=True)
    assert json.loads(json.dumps(data)) == data
    assert data["links"] == [{"text": "a", "url": "https://gazette.example/a"}]
    assert data["blocks"][0]["nodes"] == ["/html/body/p"]
    assert "blocks" not in document.to_dict()
    row = document.to_row()
    assert tuple(row) == tuple(DOCUMENT_COLUMNS)
    assert row["authors"] == ["Ann Dew", "Bo Lee"]


@given(
    st.lists(st.sampled_from("<p> <div> <b> <li> <ul> <td> <table> </p> a b c <br> <h2>".split()))
)
def test_every_block_is_where_it_says(parts):
    page = Page.parse("<p>start " + " ".join(parts))
    document = build_document(page, MainContent("other", 0.5, tuple(find_blocks(page)), None, page))
    assert document.blocks
    for block in document.blocks:
        (node,) = map(page.find_xpath, block.nodes)
        assert block.text in page.text(node)
    lines = [line for line in document.text.replace("\t", "\n").split("\n") if line]
    assert " ".join(lines).split() == page.text().split()


TRUTH = json.loads(Path("examples/text/truth.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TRUTH)
def test_example_pages(name):
    truth = TRUTH[name]
    page = Page.load(f"examples/text/{name}")
    tops = [
        node
        for node, label in enumerate(page.tree.labels)
        if truth["inside"] in (label, page.attributes[node].get("class"))
    ]
    blocks = tuple(
        block
        for block in find_blocks(page)
        if any(top <= block.owner < page.tree.ends[top] for top in tops)
    )
    document = build_document(page, MainContent(truth["kind"], 0.9, blocks, truth["title"], page))
    assert document.markdown.count(truth["title"]) == 1
    for text in truth["with"]:
        assert text in document.markdown
    for text in truth["without"]:
        assert text not in document.markdown
        assert text not in document.text


# ---- metadata ------------------------------------------------------------------------------------


def test_metadata_of_open_graph():
    document = build(
        "<p>x",
        """<meta property="og:site_name" content="The Gazette"><meta property="og:image" content="/i.jpg">
        <meta property="og:description" content="A &amp;amp; B"><link rel=canonical href="/ferry">
        <meta property="article:tag" content="Ferries"><meta property="article:tag" content="islands, ferries">
        <meta property="article:published_time" content="2024-05-01T08:00:00Z">
        <meta property="article:modified_time" content="2024-05-02">""",
        lang=" lang=en-gb",
    )
    assert document.site_name == "The Gazette"
    assert document.image == "https://gazette.example/i.jpg"
    assert document.description == "A & B"
    assert document.url == "https://gazette.example/ferry"
    assert document.tags == ("Ferries", "islands")
    assert document.language == "en-GB"
    assert (document.date, document.modified) == ("2024-05-01T08:00:00+00:00", "2024-05-02")


def test_metadata_of_json_ld():
    document = build(
        "<p>x",
        json_ld(
            {
                "@graph": [
                    {"@type": "WebSite", "name": "Shop", "description": "All we sell"},
                    {
                        "@type": ["Thing", "Product"],
                        "description": "A lamp",
                        "image": [{"url": "/lamp.jpg"}],
                        "keywords": ["lamp", "brass"],
                        "inLanguage": "de_at",
                    },
                ]
            }
        ),
    )
    assert document.site_name == "Shop"
    assert document.description == "A lamp"
    assert document.image == "https://gazette.example/lamp.jpg"
    assert document.tags == ("lamp", "brass")
    assert document.language == "de-AT"
    assert document.url == "https://gazette.example/news/ferry.html"


def test_publisher_and_tag_links():
    head = json_ld({"@type": "Article", "publisher": {"name": "House of News"}})
    document = build("<p>x <a rel=tag href=/t>Sea</a> <a rel='nofollow tag' href=/u>Land</a>", head)
    assert document.site_name == "House of News"
    assert document.tags == ("Sea", "Land")


@pytest.mark.parametrize(
    "data",
    [
        [None, 1, "x", []],
        {"@type": 5, "publisher": 7, "keywords": {"a": 1}, "image": [None, {"url": 3}]},
        {"@type": "Article", "description": None, "author": [[["x"]]], "mainEntity": []},
    ],
)
def test_odd_json_ld_is_ignored(data):
    document = build("<p>x", json_ld(data))
    assert document.text == "x"
    assert document.image is document.description is document.site_name is None


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:image/png;base64,x", "http://[", ""])
def test_unusable_urls_of_metadata_are_ignored(url):
    head = f'<meta property="og:image" content="{url}"><link rel=canonical href="{url}">'
    document = build("<p>x", head)
    assert document.image is None
    assert document.url == "https://gazette.example/news/ferry.html"


@pytest.mark.parametrize(
    ("body", "head", "authors"),
    [
        ("", "<meta name=author content='By Ann Dew'>", ("Ann Dew",)),
        ("", "<meta name=author content='https://gazette.example/ann'>", ()),
        ("", "<meta name=author content='Author'>", ()),
        ("", "<meta name=author content='Ann Dew, ann dew and ANN DEW'>", ("Ann Dew",)),
        ("<a rel=author>Author: Ann Dew</a>", "", ("Ann Dew",)),
        ("<span itemprop=author>Author Ann Dew</span>", "", ("Ann Dew",)),
        ("<span itemprop=author>Written by Ann Dew</span>", "", ("Ann Dew",)),
        ("<span itemprop=author>Ann Author</span>", "", ("Ann Author",)),
        (
            "",
            json_ld({"headline": "x", "author": [{"name": "By Ann Dew"}, {"name": "Ann Dew"}]}),
            ("Ann Dew",),
        ),
        ("", json_ld({"mainEntity": {"headline": "x", "author": {"name": "ann_d"}}}), ("ann_d",)),
        (
            "",
            "<meta name='twitter:label1' content='Written by'><meta name='twitter:data1' content='Ann Dew'>",
            ("Ann Dew",),
        ),
        (
            "<p><a href=/authors/ann-dew>Ann Dew</a> <a href=/authors/>All authors</a>",
            "",
            ("Ann Dew",),
        ),
        ("<a rel=author>Written by</a><a rel=author>View more posts</a>", "", ()),
        (
            "<p itemprop=author>Joined in May <b itemprop=name>Ann Dew</b>"
            + "".join(f"<p itemprop=author>{name} Lee" for name in ("Al", "Bo", "Cy", "Di", "Ed")),
            "",
            ("Ann Dew",),
        ),
        ("", json_ld({"headline": "x", "author": "www.gazette.example"}), ()),
    ],
)
def test_authors_are_names_and_each_once(body, head, authors):
    assert build(f"{STORY}{body}", head).authors == authors


def test_name_in_the_line_below_its_label():
    body = f"<h1>Title</h1><p>Written by</p><p>Ann Dew</p>{STORY.partition('</h1>')[2]}"
    page = Page.parse(f"<html><body>{body}</body></html>")
    blocks = find_blocks(page)
    document = build_document(page, MainContent("article", 0.9, tuple(blocks[3:]), "Title", page))
    assert document.authors == ("Ann Dew",)


# ---- several pages -------------------------------------------------------------------------------


def test_pages_of_one_site_and_template_are_read_together(monkeypatch):
    groups = []

    def record(pages, **options):
        groups.append([page.url for page in pages])
        return extract_texts(pages, **options)

    monkeypatch.setattr(texts, "extract_texts", record)
    table = f"<table>{'<tr><td>a<td>b' * 20}</table>"
    pages = [
        Page.parse(body, url=url)
        for url, body in [
            ("https://a.example/1", STORY),
            ("https://b.example/1", STORY),
            ("https://a.example/2", f"{STORY}<p>More."),
            ("https://a.example/3", table),
            ("https://a.example/4", STORY),
        ]
    ]
    documents = read_batch(pages)
    assert sorted(groups) == [
        ["https://a.example/1", "https://a.example/2", "https://a.example/4"],
        ["https://a.example/3"],
        ["https://b.example/1"],
    ]
    assert [document.url for document in documents] == [page.url for page in pages]


def test_one_and_many_pages():
    paths = [f"examples/news/courier-{number}.html" for number in (1, 2)]
    one = unweave.text(paths[0], url="https://courier.example/")
    assert one.kind == "article"
    assert one.title == "Council backs £14m ferry terminal despite islanders’ parking fears"
    assert "https://courier.example/news/coal-quay-plans-explained" in one.markdown
    documents = unweave.text(paths)
    assert next(documents).title == one.title
    assert [document.kind for document in documents] == ["article"]
    plain = unweave.text(paths[0], links=False)
    assert "](" not in plain.markdown
    assert plain.text == one.text


def test_many_pages_are_read_in_batches():
    loaded = 0

    def iter_pages():
        nonlocal loaded
        for _ in range(3 * PAGES_PER_BATCH):
            loaded += 1
            yield Page.parse(STORY, url=f"https://site-{loaded}.example/")

    documents = unweave.text(iter_pages())
    next(documents)
    assert loaded == PAGES_PER_BATCH
    assert len(list(documents)) == 3 * PAGES_PER_BATCH - 1


def test_markdown_of_articles():
    (article,) = unweave.news("examples/news/courier-1.html")
    page = Page.load("examples/news/courier-1.html")
    markdown = render_article(page, article)
    assert markdown.startswith("# Council backs")
    assert "**42 parking spaces**" in markdown
    positions = [markdown.find(text[:10]) for text in article.paragraphs]
    assert all(0 <= left < right for left, right in pairwise(positions))
    assert render_article(page, NO_ARTICLE) is None
    unknown = Article("T", ("Not on the page.", "Not on the page."))
    assert render_article(page, unknown) == "# T\n\nNot on the page.\n"
