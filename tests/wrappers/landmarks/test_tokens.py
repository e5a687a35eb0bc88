"""Tokens of pages, and landmarks with conditions on attributes."""

from hypothesis import given
from hypothesis import strategies as st

import unweave
from unweave.wrappers.landmarks.tokens import (
    Landmark,
    TokenUnit,
    list_conditions,
    list_generalizations,
    tokenize,
)


def join_tokens(markup: str, unit: TokenUnit = TokenUnit.WORDS) -> str:
    page = tokenize(unweave.load_page(markup), unit, attributes=False)
    return " ".join(
        token.text or (f"<{token.tag}>" if token.tag else f"</{page.tokens[partner].tag}>")
        for token, partner in zip(page.tokens, page.partners, strict=True)
    )


def test_tokens_are_in_the_order_of_the_page():
    markup = "<p>One <b>two</b> three<br>four</p><ul><li>five<li>six</ul>seven"
    inner = (
        "<p> One <b> two </b> three <br> four </p> <ul> <li> five </li> <li> six </li> </ul> seven"
    )
    assert join_tokens(markup) == f"<html> <head> </head> <body> {inner} </body> </html>"


def test_a_text_may_be_one_token():
    page = tokenize(
        unweave.load_page("<p>One two <b>three</b></p>"), TokenUnit.TEXTS, attributes=False
    )
    assert [token.text for token in page.tokens if token.text] == ["One two", "three"]


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<b>", "</b>", "<br>", "<ul>", "<li>", "one two", " three"]
        ),
        max_size=15,
    )
)
def test_partners_nest_and_texts_keep_their_words(parts):
    page = unweave.load_page("<body>" + "".join(parts) + "&nbsp;.")
    for unit in TokenUnit:
        row = tokenize(page, unit, attributes=False)
        assert [row.partners[partner] for partner in row.partners] == list(range(len(row.tokens)))
        depth = 0
        for place, partner in enumerate(row.partners):
            depth += (partner > place) - (partner < place)
            assert depth >= 0
        assert row.join_text(0, len(row.tokens)) == page.text()


def test_the_lattice_of_figure_5():
    traits = list_conditions({"class": "odd", "align": "x", "bgcolor": "red"})
    names = {
        str(table) for count in range(3) for table in list_generalizations("tr", traits, count)
    }
    assert names == {
        "<tr>",
        '<tr class="odd">',
        "<tr class=*>",
        "<tr align=*>",
        '<tr align=* class="odd">',
        "<tr align=* class=*>",
    }


def test_a_landmark_is_a_text_or_a_tag():
    assert (str(Landmark("Price:")), Landmark("Price:").end_tag) == ('"Price:"', "")
    assert (str(Landmark(None, "br")), Landmark(None, "br").end_tag) == ("<br>", "")
    assert Landmark(None, "div").end_tag == "</div>"
