"""Steps tell a place: on any tree of places they lead there and nowhere else, as lxml follows them."""

from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from unweave.page.page import Page
from unweave.page.template_paths import TemplatePaths
from unweave.selectors.example_records import Walk
from unweave.selectors.expressions import WHOLE, Kind, Selector, Step, Word
from unweave.selectors.template import element_of, outline_of
from unweave.selectors.template_tree import Element, Outline

WORDS = [Word(kind, text) for kind, text in product(Kind, "ab")]


@st.composite
def outlines(draw):
    """TemplatePaths as templates have them, one at least: of those right below one place, no two are called the same."""
    places = {(0, draw(st.sampled_from(["div", "section"])), frozenset()): 1}
    for _ in range(draw(st.integers(0, 11))):
        above = draw(st.integers(0, len(places)))
        words = draw(st.frozensets(st.sampled_from(WORDS), max_size=2))
        tag = draw(st.sampled_from(["div", "section"]))
        if len({word.kind for word in words}) == len(words):
            places.setdefault((above, tag, words), len(places) + 1)
    elements = [Element(tag, tuple(sorted(words, key=str))) for _, tag, words in places]
    return Outline([-1, *(above for above, _, _ in places)], [Element(""), *elements])


def as_document(outline):
    """A document with one element for each place."""
    names = {Kind.CLASS: "class", Kind.ID: "id", Kind.PROPERTY: "itemprop"}
    root = etree.Element("root")
    made = {0: root}
    for number, (parent, element) in enumerate(zip(outline.parents, outline.elements, strict=True)):
        if number:
            attributes = {names[word.kind]: word.text for word in element.words}
            made[number] = etree.SubElement(made[parent], element.tag, attributes)
    return root, made


@settings(max_examples=300, deadline=None)
@given(outlines())
def test_every_way_leads_to_its_place_and_to_no_other(outline):
    root, made = as_document(outline)
    for place in range(1, len(outline.parents)):
        ways = outline.ways(place)
        assert ways
        for steps in ways:
            assert root.xpath("." + Selector(steps, WHOLE).xpath()) == [made[place]]


@settings(deadline=None)
@given(outlines(), st.data())
def test_short_ways_to_several_places_lead_to_all_of_them(outline, data):
    root, made = as_document(outline)
    places = data.draw(
        st.lists(st.integers(1, len(outline.parents) - 1), min_size=1, max_size=3, unique=True)
    )
    ways = outline.short_ways(places)
    assume(ways)
    for steps in ways:
        assert set(root.xpath("." + Selector(steps, WHOLE).xpath())) == {
            made[place] for place in places
        }


@settings(deadline=None)
@given(outlines())
def test_steps_lead_where_lxml_says(outline):
    """The oracle of the tree of places, and of the walk through pages: lxml."""
    root, made = as_document(outline)
    markup = "".join(etree.tostring(child, method="html").decode() for child in root)
    page = Page.parse(f"<html><body>{markup}</body></html>") if markup else None
    for tag, word in product(["div", "section"], [None, *WORDS]):
        steps = (Step("div"), Step(tag, (word,) if word else ()))
        found = root.xpath("." + Selector(steps, WHOLE).xpath())
        assert [made[place] for place in outline.led_to(steps)] == found
        if page:
            assert len(Walk(page).elements(0, steps)) == len(found)


def test_the_nearest_telling_word_is_enough():
    places = TemplatePaths(frozenset(["div#main", "div.price", "table.spec"]))
    places.number_nodes(
        Page.parse(
            "<div id=main><div class=price><b>5</b></div><table class=spec><tr><td>x</table></div>"
        ),
        learning=True,
    )
    outline = outline_of(places)
    price = places.numbers[
        places.numbers[places.numbers[places.numbers[-1, "html"], "body"], "div#main"], "div.price"
    ]
    assert Selector(outline.ways(price + 1)[0]).css() == "div.price::text"


def test_no_step_names_what_lxml_does_not_have():
    """Browsers add tbody, and let a paragraph stand around a table in old pages."""
    places = TemplatePaths(frozenset())
    page = Page.parse("<p><table><tr><td>1</td></tr></table><table><tr><th>2</th></tr></table>")
    found = places.number_nodes(page, learning=True)
    outline = outline_of(places)
    cells = [place for node, place in enumerate(found) if page.tree.labels[node] in ("td", "th")]
    assert len(cells) == 2
    for place in cells:
        ways = outline.ways(place + 1)
        assert ways
        for steps in ways:
            assert not {"tbody", "p"} & {step.tag for step in steps}


def test_words_may_have_the_signs_of_other_words_in_them():
    stable = frozenset(["div.py-1.5", "div.py-1", "div.w-1/2", "div@name", "div#a.b"])
    assert element_of("div#a.b.py-1.5.w-1/2@name", stable) == Element(
        "div",
        (
            Word(Kind.ID, "a.b"),
            Word(Kind.CLASS, "py-1.5"),
            Word(Kind.CLASS, "w-1/2"),
            Word(Kind.PROPERTY, "name"),
        ),
    )
    assert element_of("div.py-1", stable).words == (Word(Kind.CLASS, "py-1"),)
    assert element_of("div.unknown", stable).words == ()
