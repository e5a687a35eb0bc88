"""Learning wrappers for lists."""

import pytest

import unweave
from tests.extraction import extract
from tests.wrappers.lists.shops import LEARNED, make_shop
from unweave import Page, UsageError, WrapperError


def test_a_wrapper_is_learned_from_several_pages():
    pages = [
        make_shop(["ash", "birch"]),
        make_shop(["cedar", "fir"], sale=["cedar", "fir"]),
        "<p>no list here</p>",
    ]
    table, fit = extract(
        unweave.learn(pages, method="records"), make_shop(["oak", "yew"], sale=["yew"])
    )
    assert fit == 1.0
    assert table.rows[1][3] == "old yew"


def test_learning_is_deterministic():
    assert unweave.learn([LEARNED]).dumps() == unweave.learn([LEARNED]).dumps()


def test_pages_without_a_list_are_an_error():
    with pytest.raises(WrapperError, match="none of the pages has a list"):
        unweave.learn(["<p>x</p>"])
    with pytest.raises(UsageError, match="no pages to learn from"):
        unweave.learn([])
    with pytest.raises(
        UsageError, match="unknown method 'magic'; choose from auto, fields, records"
    ):
        unweave.learn([LEARNED], method="magic")


@pytest.mark.browser
def test_a_wrapper_of_a_rendered_page_reads_pages_without_layout():
    with unweave.Renderer() as renderer:
        page = Page.render("examples/gallery.html", renderer=renderer)
    table, _ = extract(unweave.learn([page]), "examples/gallery.html")
    assert table.texts[0].startswith("Lot 11")
