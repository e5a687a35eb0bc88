"""Data regions: siblings that are alike, together or not."""

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from unweave import Page
from unweave.records.ctvs import groups
from unweave.records.ctvs.groups import Groups
from unweave.records.ctvs.options import options_of
from unweave.records.ctvs.regions import find, find_regions
from unweave.records.ctvs.tags import T
from unweave.trees.distance import similar
from unweave.trees.tree import Tree

ENTRY = "<div><h3><a>title</a></h3><p>text</p><span>5</span></div>"
ADVERT = "<form><input><input><input><button>buy</button></form>"
NOTE = "<table><tr><td>note</td></tr></table>"


def found_on(page, variant="corrected"):
    return find(page, options_of(variant))


def texts(page, listing):
    return [page.text_of(record) for record in listing.records]


def numbered(markup, *numbers):
    return [markup.replace("title", f"title {number}") for number in numbers]


def test_adverts_between_records():
    one, two, three, four = numbered(ENTRY, 1, 2, 3, 4)
    page = Page.parse(f"<main>{one}{two}{ADVERT}{three}{NOTE}{four}</main>")
    assert texts(page, found_on(page)[0]) == [f"title {n} text 5" for n in (1, 2, 3, 4)]


def test_names_and_descriptions_take_turns():
    page = Page.parse(
        "<dl>" + "".join(f"<dt><b>{n}</b></dt><dd><p>d{n}<i>i</i><u>u</u></p></dd>" for n in range(3)) + "</dl>"
    )
    assert texts(page, found_on(page)[0]) == ["0 d0i u", "1 d1i u", "2 d2i u"]


def test_a_list_and_the_list_after_it_are_two():
    page = Page.parse(f"<main>{ENTRY * 3}{'<p>x</p>' * 3}</main>")
    assert [len(listing.records) for listing in found_on(page)] == [3, 3]


def test_nothing_is_looked_for_below_similar_siblings():
    page = Page.parse(f"<main><ul>{'<li><b>x</b></li>' * 3}</ul><ul>{'<li><b>y</b></li>' * 3}</ul></main>")
    assert [texts(page, listing) for listing in found_on(page)] == [["x x x", "y y y"]]


def test_an_auxiliary_node_may_hold_a_list():
    page = Page.parse(f"<main><h1>t</h1><ul>{'<li><b>x</b></li>' * 3}</ul></main>")
    assert [texts(page, listing) for listing in found_on(page)] == [["x", "x", "x"]]


STRINGS = st.lists(st.text(alphabet="abcd", min_size=1, max_size=12), max_size=12)


@given(STRINGS)
def test_groups_are_the_connected_components_of_similarity(strings):
    letters = Groups(T).of(strings)
    expected = _components(strings)
    for one in range(len(strings)):
        assert (letters[one] is None) == (expected.count(expected[one]) == 1)
        for other in range(len(strings)):
            if letters[one] is not None:
                assert (letters[one] == letters[other]) == (expected[one] == expected[other])


def _components(strings):
    """Every string is compared with every other, until nothing changes."""
    found = list(range(len(strings)))
    for _ in strings:
        for one, a in enumerate(strings):
            for other, b in enumerate(strings):
                if similar(a, b, T):
                    low = min(found[one], found[other])
                    found = [low if group in (found[one], found[other]) else group for group in found]
    return found


def test_beyond_the_budget_only_the_nearest_are_compared(monkeypatch):
    monkeypatch.setattr(groups, "_MOST_COMPARISONS", 50)
    chance = random.Random(1)
    strings = ["".join(chance.choices("abcdefgh", k=10)) for _ in range(500)]
    searched = Groups(T)
    searched.of(strings)
    assert searched._left > -500 * 8 * 9


@given(
    st.recursive(st.just("a"), lambda trees: st.lists(trees, max_size=5).map(lambda c: f"b({' '.join(c)})" if c else "b"))
)
def test_regions_are_runs_of_siblings(text):
    tree = Tree.parse(text)
    regions = find_regions(tree, Groups(T))
    assume(regions)
    for region in regions:
        parent = tree.parents[region.nodes[0]]
        children = tree.children(parent)
        start = children.index(region.nodes[0])
        assert list(region.nodes) == children[start : start + len(region.nodes)]
        assert region.letters[0] is not None
        assert region.letters[-1] is not None
        assert all(region.letters.count(letter) > 1 for letter in region.letters if letter is not None)
