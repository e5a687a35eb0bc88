"""Data regions: similar siblings, adjacent or not."""

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from unweave import Page
from unweave.lists import tag_similarity
from unweave.lists.methods import ctvs
from unweave.lists.methods.ctvs.options import CtvsOptions
from unweave.lists.methods.ctvs.regions import find_lists, find_regions
from unweave.lists.tag_similarity import MAX_TAG_DISTANCE, TagGrouper
from unweave.trees.edit_distance import are_similar
from unweave.trees.tree import Tree

ENTRY = "<div><h3><a>title</a></h3><p>text</p><span>5</span></div>"
ADVERT = "<form><input><input><input><button>buy</button></form>"
NOTE = "<table><tr><td>note</td></tr></table>"


def find_on(page, variant="corrected"):
    return find_lists(page, CtvsOptions(variant=variant))


def texts(page, listing):
    return [page.join_subtrees(record) for record in listing.records]


def numbered(markup, *numbers):
    return [markup.replace("title", f"title {number}") for number in numbers]


def test_adverts_between_records_are_no_records():
    one, two, three, four = numbered(ENTRY, 1, 2, 3, 4)
    page = Page.parse(f"<main>{one}{two}{ADVERT}{three}{NOTE}{four}</main>")
    assert texts(page, find_on(page)[0]) == [f"title {n} text 5" for n in (1, 2, 3, 4)]


def test_a_name_and_its_description_are_one_record():
    page = Page.parse(
        "<dl>"
        + "".join(f"<dt><b>{n}</b></dt><dd><p>d{n}<i>i</i><u>u</u></p></dd>" for n in range(3))
        + "</dl>"
    )
    assert texts(page, find_on(page)[0]) == ["0 d0i u", "1 d1i u", "2 d2i u"]


def test_a_list_and_the_list_after_it_are_two():
    page = Page.parse(f"<main>{ENTRY * 3}{'<p>x</p>' * 3}</main>")
    assert [len(listing.records) for listing in find_on(page)] == [3, 3]


def test_nothing_is_searched_below_similar_siblings():
    page = Page.parse(
        f"<main><ul>{'<li><b>x</b></li>' * 3}</ul><ul>{'<li><b>y</b></li>' * 3}</ul></main>"
    )
    assert [texts(page, listing) for listing in find_on(page)] == [["x x x", "y y y"]]


def test_an_auxiliary_node_may_hold_a_list():
    page = Page.parse(f"<main><h1>t</h1><ul>{'<li><b>x</b></li>' * 3}</ul></main>")
    assert [texts(page, listing) for listing in find_on(page)] == [["x", "x", "x"]]


STRINGS = st.lists(st.text(alphabet="abcd", min_size=1, max_size=12), max_size=12)


@given(STRINGS)
def test_groups_are_the_connected_components_of_similarity(strings):
    letters = TagGrouper(MAX_TAG_DISTANCE).group(strings)
    expected = _components(strings)
    for left in range(len(strings)):
        assert (letters[left] is None) == (expected.count(expected[left]) == 1)
        for right in range(len(strings)):
            if letters[left] is not None:
                assert (letters[left] == letters[right]) == (expected[left] == expected[right])


def _components(strings):
    """Compare every string with every other, until nothing changes."""
    components = list(range(len(strings)))
    for _ in strings:
        for left, a in enumerate(strings):
            for right, b in enumerate(strings):
                if are_similar(a, b, MAX_TAG_DISTANCE):
                    joined = (components[left], components[right])
                    components = [min(joined) if c in joined else c for c in components]
    return components


def test_beyond_the_budget_only_the_nearest_are_compared(monkeypatch):
    monkeypatch.setattr(tag_similarity, "MAX_COMPARISONS", 50)
    chance = random.Random(1)
    strings = ["".join(chance.choices("abcdefgh", k=10)) for _ in range(500)]
    grouper = TagGrouper(MAX_TAG_DISTANCE)
    grouper.group(strings)
    assert grouper._comparisons_left > -500 * 8 * 9


@given(
    st.recursive(
        st.just("a"),
        lambda trees: st.lists(trees, max_size=5).map(lambda c: f"b({' '.join(c)})" if c else "b"),
    )
)
def test_regions_are_runs_of_siblings(text):
    tree = Tree.parse(text)
    regions = find_regions(tree, TagGrouper(MAX_TAG_DISTANCE))
    assume(regions)
    for region in regions:
        parent = tree.parents[region.nodes[0]]
        children = tree.children(parent)
        start = children.index(region.nodes[0])
        assert list(region.nodes) == children[start : start + len(region.nodes)]
        assert region.letters[0] is not None
        assert region.letters[-1] is not None
        assert all(
            region.letters.count(letter) > 1 for letter in region.letters if letter is not None
        )


# ---- containers -------------------------------------------------------------------------------------


def card(name, extra=""):
    return f"<div><h3><a>{name}</a></h3><p>about {name}</p>{extra}<span>$5</span></div>"


def first_texts(page):
    _, listing = ctvs.find_ranked_lists(page, CtvsOptions(variant="improved"))[0]
    return [page.text(record[0]).split()[0] for record in listing.records]


def test_rows_of_a_grid_are_opened():
    rows = "".join(
        f"<section>{''.join(map(card, names))}</section>" for names in ("ABC", "DEF", "GH")
    )
    assert first_texts(Page.parse(f"<main>{rows}</main>")) == list("ABCDEFGH")


def test_parts_under_headings_are_opened_also_those_of_a_single_record():
    parts = "".join(
        f"<section><h2>{names[0].lower()}</h2><ul>{''.join(f'<li>{card(name)}</li>' for name in names)}</ul></section>"
        for names in ("AB", "C", "DEF", "G")
    )
    assert first_texts(Page.parse(f"<main>{parts}</main>")) == list("ABCDEFG")


def test_rows_in_columns_are_opened():
    def column(names):
        rows = [f"<article>{''.join(map(card, row))}</article>" for row in (names[:2], names[2:])]
        return f"<section>{''.join(rows)}</section>"

    assert first_texts(Page.parse(f"<main>{column('ABCD')}{column('EFGH')}</main>")) == list(
        "ABCDEFGH"
    )


def test_a_record_with_two_similar_parts_is_no_container():
    """Name and description are of similar make, but never change places."""
    records = "".join(
        f"<li><div><b>name</b><a>{name}</a></div><div><b>x</b><b>y</b><i>text of {name}</i></div></li>"
        for name in "ABCDE"
    )
    assert len(first_texts(Page.parse(f"<ul>{records}</ul>"))) == 5


def test_labels_that_keep_their_positions_make_fields():
    labels = ("Title", "Date", "Place")
    records = "".join(
        "<article>"
        + "".join(f"<p><b>{label}</b><i>{label[0]}{number}</i></p>" for label in labels)
        + "</article>"
        for number in range(5)
    )
    assert first_texts(Page.parse(f"<main>{records}</main>")) == ["Title"] * 5


def test_the_rows_of_a_data_table_are_no_containers():
    rows = "".join(
        f"<tr>{''.join(f'<td>{row}{cell}</td>' for cell in range(4))}</tr>" for row in range(6)
    )
    assert len(first_texts(Page.parse(f"<table>{rows}</table>"))) == 6


def test_a_record_with_values_outside_of_its_list_is_no_container():
    def record(name, count):
        sizes = "".join(f"<li><b>{size}</b><i>{size * 2} left</i></li>" for size in range(count))
        return f"<article><h3>{name}</h3><p>about {name}</p><b>$5</b><ul>{sizes}</ul></article>"

    page = Page.parse(
        f"<main>{''.join(record(name, 2 + n % 3) for n, name in enumerate('ABCDEF'))}</main>"
    )
    assert first_texts(page) == list("ABCDEF")
