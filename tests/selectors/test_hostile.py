"""SamplePage pages of any kind: selectors are tried on them as HTML, and nothing ends in a traceback."""

import ast

import pytest

import unweave
from tests.selectors.shops import found, page
from unweave.errors import UnweaveError
from unweave.selectors.evaluation import SamplePage, said
from unweave.selectors.expressions import End, Form, Selector, Step

LEARNED = [page(number) for number in range(6)]
FORMS = ["xpath", "css"]


@pytest.fixture(scope="module")
def wrapper():
    return unweave.learn(LEARNED)


def titles(wrapper, markup):
    """The title that the exported selectors find on each of the learned pages."""
    exported = wrapper.selectors(pages=[markup, *LEARNED]).to_json()
    return [found(own, exported, "xpath")["title"] for own in LEARNED]


@pytest.mark.parametrize(
    "markup",
    [
        b"<p>" + b"[" * 1000,
        b"[" * 1000 + b"<p>x</p>",
        b'{"title": "<p>x</p>"}',
        b'<?xml version="1.0" encoding="bogus"?><html xmlns="http://www.w3.org/1999/xhtml"><p>x</p></html>',
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
    assert titles(wrapper, markup) == [f"Thing {number}" for number in range(6)]


@pytest.mark.parametrize("markup", [b"", b" ", b"<!-- nothing -->", b"\x00"])
def test_a_sample_without_text_is_refused_in_words(wrapper, markup):
    with pytest.raises(UnweaveError, match=r"empty|NUL|text"):
        wrapper.selectors(pages=[markup]).to_json()


@pytest.mark.parametrize("inside", ["<!-- c -->", "<?pi x?>", "<!-- c --><?pi x?><i></i>"])
def test_comments_and_instructions_among_the_texts_say_nothing(inside):
    sample = SamplePage.parse(
        f"<p><b>Made of:</b> oak {inside} and <i>tin</i>{inside}</p>".encode()
    )
    behind = Selector((Step("b"),), End("/following-sibling::node()", None), is_joined=True)
    assert said(sample.select(Form.XPATH, behind.xpath()), behind) == ["oakandtin"]


def records(number):
    """A list whose records are two elements side by side, as a term and what is said of it."""
    terms = "".join(
        f"<dt class=term>Term {number}{letter}</dt><dd class=text>Said of {letter} <b>{number}</b></dd>"
        for letter in "abcdef"
    )
    return f"<html><body><h1>Words</h1><dl class=list>{terms}</dl></body></html>"


def test_columns_in_the_second_element_of_a_record_have_a_selector_that_css_can_read():
    pages = [records(number) for number in range(3)]
    exported = unweave.learn(pages, method="records").selectors(form="css", pages=pages).to_json()
    beside = [
        own["selector"] for own in exported["columns"] if own["selector"] and "+" in own["selector"]
    ]
    assert beside
    assert all(selector.startswith(":scope + dd") for selector in beside)
    assert all(own["holds"] == "3 of 3" for own in exported["columns"] if own["selector"])


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
        f"<table><tr><td>Size {label}:</td><td>{number} m</td></tr><tr><td>{label}</td><td>{number} kg</td></tr></table>"
        for number in range(6)
    ]
    wrapper = unweave.learn(pages, method="fields")
    for form in FORMS:
        for samples in ([], pages):
            exported = wrapper.selectors(form=form, pages=samples).to_json()
            assert exported["fields"]
            assert all(own["selector"] or own["note"] for own in exported["fields"])
    ast.parse(wrapper.to_spider(pages=pages))
