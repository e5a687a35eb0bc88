"""Selectors as XPath and CSS say them, whatever words and labels pages have, run by those who will run them."""

import parsel
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from unweave.selectors.expressions import (
    TEXT,
    WHOLE,
    Axis,
    Form,
    Kind,
    Selector,
    Step,
    Word,
    attribute,
    css_string,
    is_sayable,
    xpath_string,
)
from unweave.selectors.label_conditions import How, Label

SAYABLE = st.text().filter(is_sayable)
# Words as classes have them: anything without white space.
WORDS = st.text(min_size=1).filter(lambda text: is_sayable(text) and text.split() == [text])


@settings(deadline=None)
@given(SAYABLE)
def test_any_text_is_a_string_of_xpath(text):
    assert etree.XML("<a/>").xpath(f"string({xpath_string(text)})") == text


@settings(deadline=None)
@given(SAYABLE)
def test_any_text_is_a_string_of_css_or_beyond_it(text):
    root = parsel.Selector(text="<p>x</p>")
    root.root.set("title", text)
    quoted = css_string(text)
    assert (quoted is None) == ("\\" in text)
    if quoted:
        assert len(root.css(f"html[title={quoted}]")) == 1


def document(element):
    """An element with others around it that have a part of its words."""
    root = etree.fromstring("<html><body><div class='a-b'/><div id='other'/><div/></body></html>")
    root[0].append(element)
    return parsel.Selector(root=root, type="html")


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=3, unique=True), WORDS, WORDS)
def test_classes_ids_and_properties_of_any_kind_find_their_element(classes, id_, property_):
    element = etree.Element("div", {"class": "\n ".join(classes), "id": id_, "itemprop": property_})
    root = document(element)
    words = [
        *(Word(Kind.CLASS, own) for own in classes),
        Word(Kind.ID, id_),
        Word(Kind.PROPERTY, property_),
    ]
    for word in words:
        if word not in (Word(Kind.CLASS, "a-b"), Word(Kind.ID, "other")):
            for form in Form:
                selector = Selector((Step("div", (word,)),), WHOLE)
                if form is Form.XPATH or selector.of(form) is not None:  # CSS cannot say everything
                    assert [own.root for own in selected(root, form, selector)] == [element]


def selected(root, form, selector):
    text = selector.of(form)
    return root.xpath(text) if form is Form.XPATH else root.css(text)


def test_a_class_is_one_of_several_and_not_a_part_of_one():
    root = parsel.Selector(
        text="<p class='price now'>1</p><p class=price-old>2</p><p class=' old price '>3</p>"
    )
    price = Selector((Step("p", (Word(Kind.CLASS, "price"),)),))
    for form in Form:
        assert selected(root, form, price).getall() == ["1", "3"]
    but_old = Selector((Step("p", (Word(Kind.CLASS, "price"),), lacks=(Word(Kind.CLASS, "old"),)),))
    for form in Form:
        assert selected(root, form, but_old).getall() == ["1"]


def test_short_words_are_short_in_css():
    assert Selector((Step("td", (Word(Kind.CLASS, "price"),)),)).css() == "td.price::text"
    assert Selector(
        (Step("div", (Word(Kind.ID, "main"),)), Step("a", axis=Axis.CHILD)), attribute("href")
    ).css() == ("div#main > a::attr(href)")


def test_tags_with_a_colon_are_found_by_xpath_and_left_to_it():
    root = parsel.Selector(text="<fb:like>no</fb:like><fb:share>yes</fb:share>")
    share = Selector((Step("fb:share"),), TEXT)
    assert root.xpath(share.xpath()).getall() == ["yes"]
    assert share.css() is None


def test_of_several_ways_one_is_enough():
    either = Selector((Step("b"),)).or_else(Selector((Step("i"),)))
    for markup in ("<p><b>x</b>", "<p><i>x</i>"):
        for form in Form:
            assert selected(parsel.Selector(text=markup), form, either).getall() == ["x"]


def test_the_nth_of_all_is_beyond_css():
    second = Selector((Step("li"),), nth=2)
    assert parsel.Selector(text="<ul><li>1</ul><ul><li>2</ul>").xpath(second.xpath()).getall() == [
        "2"
    ]
    assert second.css() is None
    assert second.has_position


def test_relative_selectors_stay_in_their_row():
    row = parsel.Selector(text="<ul><li>a<b>1</b></li><li>c<b>2</b></li></ul><p><b>3</b>").xpath(
        "//li[2]"
    )[0]
    for steps, wanted in (
        ((), ["c"]),
        ((Step("b"),), ["2"]),
        ((Step("b", axis=Axis.CHILD),), ["2"]),
    ):
        selector = Selector(steps, is_relative=True)
        assert row.xpath(selector.xpath()).getall() == row.css(selector.css()).getall() == wanted


LABELS = ["Weight", "WEIGHT:", "weight :", "\xa0Weight:\xa0", "Weight\n"]


def test_labels_are_found_however_they_are_written():
    label = Label.of("weight", {"Weight:", "Size"})
    for how in (How.WHOLE, How.OWN):
        for said in LABELS:
            root = parsel.Selector(text=f"<p>Weight limit</p><p>{said}</p>")
            assert len(root.xpath(f"//p[{label.is_said(how).xpath}]")) == 1


def test_css_is_silent_where_it_would_find_other_labels_too():
    assert Label.of("weight", {"Weight", "Size"}).is_said().css == ':contains("Weight")'
    assert Label.of("weight", {"Weight", "Weight limit"}).is_said().css is None
    assert (
        Label.of("weight", {"Size"}).is_said().css is None
    )  # only the key is known, and not how it is written


def test_labels_of_which_only_the_key_is_known_may_have_marks_behind_them():
    label = Label.of("point", set())
    for said in ("Points", "POINTS.", "Point(s)", "points*"):
        assert (
            len(
                parsel.Selector(text=f"<p>{said}</p><p>pointer</p>").xpath(
                    f"//p[{label.is_said().xpath}]"
                )
            )
            == 1
        )
