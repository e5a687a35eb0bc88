"""Sample pages of any markup: selectors are tested on them, and nothing ends in a traceback."""

import ast

import pytest

import unweave
from tests.selectors.shops import make_page, run_selectors
from unweave.errors import UnweaveError
from unweave.selectors.evaluation import SamplePage, read_texts
from unweave.selectors.expressions import Content, Form, Selector, Step

LEARNED = [make_page(number) for number in range(6)]
FORMS = ["xpath", "css"]


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(LEARNED)


def read_titles(wrapper, markup):
    """Return the title that the exported selectors find on each of the learned pages."""
    exported = wrapper.selectors(pages=[markup, *LEARNED]).to_json()
    return [run_selectors(page, exported, "xpath")["title"] for page in LEARNED]


@pytest.mark.parametrize(
    "markup",
    [
        b"<p>" + b"[" * 1000,
        b"[" * 1000 + b"<p>x</p>",
        b'{"title": "<p>x</p>"}',
        b'<?xml version="1.0" encoding="bogus"?>'
        b'<html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>',
        b"<html><body>\x00<p>a\x00b</p><h1>\x00</h1>" + b"<p>more text</p>" * 20,
        b"[" * 1000,
        b"<?php echo 1 ?><!-- c --><h1><!-- d -->x<?pi y?></h1>",
        b"<div>" * 200 + b"x",
        b"<svg><title>s</title><text>t</text></svg><math><mi>m</mi></math><h1>x</h1>",
        b"<fb:like><o:p>x</o:p></fb:like><a:b:c>y</a:b:c>",
        "<h1>Größe</h1>".encode("utf-16"),
        "<meta charset=gbk><h1>标题</h1>".encode("gbk"),
    ],
    ids=lambda markup: ascii(markup[:12]),
)
def test_any_page_can_be_a_sample(wrapper, markup):
    assert read_titles(wrapper, markup) == [f"Thing {number}" for number in range(6)]


@pytest.mark.parametrize("markup", [b"", b" ", b"<!-- nothing -->", b"\x00"])
def test_a_sample_without_text_is_refused(wrapper, markup):
    with pytest.raises(UnweaveError, match=r"empty|NUL|text"):
        wrapper.selectors(pages=[markup]).to_json()


@pytest.mark.parametrize("inside", ["<!-- c -->", "<?pi x?>", "<!-- c --><?pi x?><i></i>"])
def test_comments_and_instructions_have_no_text(inside):
    sample = SamplePage.parse(
        f"<p><b>Made of:</b> oak {inside} and <i>tin</i>{inside}</p>".encode()
    )
    behind = Selector((Step("b"),), Content("/following-sibling::node()"), is_joined=True)
    assert read_texts(sample.select(Form.XPATH, behind.to_xpath()), behind) == ["oakandtin"]


def make_list(number):
    """Return a list whose records are two sibling elements, a term and its definition."""
    terms = "".join(
        f"<dt class=term>Term {number}{letter}</dt>"
        f"<dd class=text>Said of {letter} <b>{number}</b></dd>"
        for letter in "abcdef"
    )
    return f"<html><body><h1>Words</h1><dl class=list>{terms}</dl></body></html>"


def test_columns_in_the_second_element_of_a_record_have_a_css_selector():
    pages = [make_list(number) for number in range(3)]
    exported = unweave.learn(pages, method="records").selectors(form="css", pages=pages).to_json()
    beside = [
        column["selector"]
        for column in exported["columns"]
        if column["selector"] and "+" in column["selector"]
    ]
    assert beside
    assert all(selector.startswith(":scope + dd") for selector in beside)
    assert all(column["holds"] == "3 of 3" for column in exported["columns"] if column["selector"])


NASTY = [
    'it\'s "x"',
    "a\\b",
    "\x01\x0b",
    "]]>",
    "${x}",
    "%s",
    "\u202e",
    "\xa0",
    "{{",
    "::text",
    "/a//b",
]


@pytest.mark.parametrize("label", NASTY, ids=ascii)
def test_labels_of_any_characters_give_selectors_or_notes(label):
    pages = [
        f"<table><tr><td>Size {label}:</td><td>{number} m</td></tr>"
        f"<tr><td>{label}</td><td>{number} kg</td></tr></table>"
        for number in range(6)
    ]
    wrapper = unweave.learn(pages, method="fields")
    for form in FORMS:
        for samples in ([], pages):
            exported = wrapper.selectors(form=form, pages=samples).to_json()
            assert exported["fields"]
            assert all(column["selector"] or column["note"] for column in exported["fields"])
    ast.parse(wrapper.to_spider(pages=pages))
