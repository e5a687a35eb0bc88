"""Selectors in XPath and CSS with any identifiers, run by parsel and lxml."""

import parsel
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from unweave.selectors.expressions import (
    ELEMENT,
    HREF,
    TEXT,
    Axis,
    Form,
    Selector,
    Step,
    is_xml_text,
    join_selectors,
    quote_css,
    quote_xpath,
)

XML_TEXT = st.text().filter(is_xml_text)
# Classes may have any characters but white space.
NAMES = st.text(min_size=1).filter(lambda text: is_xml_text(text) and text.split() == [text])


@settings(deadline=None)
@given(XML_TEXT)
def test_any_text_is_a_string_of_xpath(text):
    assert etree.XML("<a/>").xpath(f"string({quote_xpath(text)})") == text


@settings(deadline=None)
@given(XML_TEXT)
def test_any_text_without_backslash_is_a_string_of_css(text):
    root = parsel.Selector(text="<p>x</p>")
    root.root.set("title", text)
    quoted = quote_css(text)
    assert (quoted is None) == ("\\" in text)
    if quoted:
        assert len(root.css(f"html[title={quoted}]")) == 1


def make_document(element):
    """Return a document with an element and others that have similar identifiers."""
    root = etree.fromstring("<html><body><div class='a-b'/><div id='other'/><div/></body></html>")
    root[0].append(element)
    return parsel.Selector(root=root, type="html")


@settings(deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=3, unique=True), NAMES, NAMES)
def test_classes_ids_and_properties_of_any_kind_find_their_element(classes, id_, property_):
    element = etree.Element("div", {"class": "\n ".join(classes), "id": id_, "itemprop": property_})
    root = make_document(element)
    identifiers = [*(f".{name}" for name in classes), f"#{id_}", f"@{property_}"]
    for identifier in identifiers:
        if identifier not in (".a-b", "#other"):
            for form in Form:
                selector = Selector((Step("div", (identifier,)),), ELEMENT)
                if (
                    form is Form.XPATH or selector.format(form) is not None
                ):  # CSS cannot express all
                    assert [result.root for result in select(root, form, selector)] == [element]


def select(root, form, selector):
    text = selector.format(form)
    return root.xpath(text) if form is Form.XPATH else root.css(text)


def test_a_class_is_one_of_several_and_not_a_part_of_one():
    root = parsel.Selector(
        text="<p class='price now'>1</p><p class=price-old>2</p><p class=' old price '>3</p>"
    )
    price = Selector((Step("p", (".price",)),))
    for form in Form:
        assert select(root, form, price).getall() == ["1", "3"]
    but_old = Selector((Step("p", (".price",), excluded=(".old",)),))
    for form in Form:
        assert select(root, form, but_old).getall() == ["1"]


def test_plain_identifiers_are_short_in_css():
    assert Selector((Step("td", (".price",)),)).to_css() == "td.price::text"
    assert Selector((Step("div", ("#main",)), Step("a", axis=Axis.CHILD)), HREF).to_css() == (
        "div#main > a::attr(href)"
    )


def test_tags_with_a_colon_are_selected_by_xpath_only():
    root = parsel.Selector(text="<fb:like>no</fb:like><fb:share>yes</fb:share>")
    share = Selector((Step("fb:share"),), TEXT)
    assert root.xpath(share.to_xpath()).getall() == ["yes"]
    assert share.to_css() is None


def test_one_of_several_alternatives_is_enough():
    either = join_selectors([Selector((Step("b"),)), Selector((Step("i"),))])
    for markup in ("<p><b>x</b>", "<p><i>x</i>"):
        for form in Form:
            assert select(parsel.Selector(text=markup), form, either).getall() == ["x"]


def test_css_cannot_select_the_nth_of_all_results():
    second = Selector((Step("li"),), nth=2)
    assert parsel.Selector(text="<ul><li>1</ul><ul><li>2</ul>").xpath(
        second.to_xpath()
    ).getall() == ["2"]
    assert second.to_css() is None


def test_relative_selectors_stay_in_their_row():
    row = parsel.Selector(text="<ul><li>a<b>1</b></li><li>c<b>2</b></li></ul><p><b>3</b>").xpath(
        "//li[2]"
    )[0]
    for steps, expected in (
        ((), ["c"]),
        ((Step("b"),), ["2"]),
        ((Step("b", axis=Axis.CHILD),), ["2"]),
    ):
        selector = Selector(steps, is_relative=True)
        assert (
            row.xpath(selector.to_xpath()).getall()
            == row.css(selector.to_css()).getall()
            == expected
        )
