"""What notebooks show: texts, links and pictures of untrusted pages, and nothing that runs."""

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave.notebook import (
    MAX_CHARACTERS,
    MAX_ROWS,
    format_frame,
    format_image,
    format_items,
    format_link,
    format_table,
    format_text,
)
from unweave.wrappers.base import Extraction

ALLOWED = {
    "table": set(),
    "thead": set(),
    "tbody": set(),
    "tr": set(),
    "th": set(),
    "td": set(),
    "p": set(),
    "br": set(),
    "a": {"href", "target", "rel"},
    "img": {"src", "alt", "loading", "referrerpolicy", "style"},
}


class Checker(HTMLParser):
    """Collects URLs and texts, and fails for what notebooks should not get."""

    def __init__(self, shown):
        super().__init__()
        self.urls, self.texts = [], []
        self.feed(shown)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= ALLOWED[tag]
        self.urls += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)


def make_page(count=3, link="https://shop.example/{}", image="https://shop.example/{}.png"):
    items = "".join(
        f'<li><a href="{html.escape(link.format(n))}">Lamp {n}</a>'
        f'<img src="{html.escape(image.format(n))}"> <i>€{n}.50</i></li>'
        for n in range(1, count + 1)
    )
    return f"<ul>{items}</ul>"


def test_a_table_has_links_and_pictures():
    (table,) = unweave.records(make_page())
    urls = Checker(table._repr_html_()).urls
    assert "https://shop.example/2" in urls
    assert "https://shop.example/2.png" in urls


def test_relative_urls_are_resolved_or_texts():
    """The notebook's own server is where the user is logged in: no page may name its addresses."""
    markup = make_page(link="/logout?{}", image="/api/{}.png")
    (table,) = unweave.records(markup)
    checked = Checker(table._repr_html_())
    assert checked.urls == []
    assert "/logout?1" in checked.texts
    (table,) = unweave.records(markup, url="https://shop.example/list")
    urls = Checker(table._repr_html_()).urls
    assert "https://shop.example/logout?1" in urls


def test_long_tables_say_how_many_rows_are_left_out():
    (table,) = unweave.records(make_page(MAX_ROWS + 7))
    shown = table._repr_html_()
    assert shown.count("<tr>") == 1 + MAX_ROWS
    assert "and 7 more rows" in shown


def test_all_tables_of_a_page_are_shown():
    tables = unweave.records(make_page())
    assert "Table 1 of 1, score " in tables._repr_html_()
    assert unweave.records("<p>none")._repr_html_() == "<p>no tables</p>"


def test_an_extraction_shows_its_fields_and_what_is_missing():
    extraction = Extraction(
        fields={"title": "<b>x</b>", "sizes": ["S", "M"], "home": "https://a.example/?a=1&b=2"},
        fit=0.75,
        missing=("<script>",),
    )
    shown = extraction._repr_html_()
    checked = Checker(shown)
    assert "<b>x</b>" in "".join(checked.texts)
    assert checked.urls == ["https://a.example/?a=1&b=2"]
    assert "S<br>M" in shown
    assert "fit 0.75; missing: &lt;script&gt;" in shown


def test_an_extraction_of_a_list_shows_its_table():
    page = make_page(6)
    shown = unweave.apply(unweave.learn(page), page)._repr_html_()
    assert "<td>Lamp 3</td>" in shown
    assert "fit 1.00" in shown
    assert "nothing was extracted" in Extraction()._repr_html_()


def test_many_fields_are_cut():
    fields = {f"field {number}": "x" for number in range(MAX_ROWS + 3)}
    assert "and 3 more fields" in Extraction(fields=fields)._repr_html_()


def test_a_report_is_a_text_and_is_shown_in_a_frame():
    report = unweave.explain(make_page(8), name='"><script>alert(1)</script>')
    assert report.startswith("<!doctype html>")
    shown = report._repr_html_()
    assert shown.startswith("<iframe sandbox srcdoc=")
    assert shown.count("<") == 2
    (attribute,) = [value for name, value in parse_attributes(shown) if name == "srcdoc"]
    assert attribute == report


def parse_attributes(shown):
    """Return the attributes of the first element."""
    found = []

    class First(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.extend(attrs)

    First().feed(shown)
    return found


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "//evil.example/x",
        "/logout",
        "x.png",
        " https://a.example/",
        "https://a.example/\nx",
        "https://a.example/\0",
        "file:///etc/passwd",
        "https://a.example/" + "x" * 3_000,
        "",
    ],
)
def test_other_urls_are_texts(url):
    for format_url in (format_link, format_image):
        checked = Checker(format_url(url))
        assert checked.urls == []


HOSTILE = st.one_of(
    st.text(),
    st.text(alphabet="<>\"'&=/ ahrefscripton:\n\0"),
    st.builds("https://a.example/{}".format, st.text(alphabet="<>\"'&= onerror/")),
)


@given(HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=4))
def test_no_text_becomes_markup(name, cell, items):
    row = [
        format_text(cell),
        format_link(cell),
        format_image(cell),
        format_items(items, format_link),
    ]
    checked = Checker(format_table([name], [row], format_text(cell)))
    for url in checked.urls:
        assert url.partition(":")[0].lower() in ("http", "https")
    frame = parse_attributes(format_frame(cell))
    assert {attribute for attribute, _ in frame} == {"sandbox", "srcdoc", "referrerpolicy", "style"}


def test_long_texts_are_cut():
    assert len(format_text("x" * 1_000)) == MAX_CHARACTERS + 1
    assert format_items(["x"] * (MAX_ROWS + 2)).endswith("<br>and 2 more")
