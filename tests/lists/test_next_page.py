"""The link to the next page of a list."""

import pytest

import unweave
from unweave.lists.next_page import find_next_page


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ("<link rel='next' href='2.html'>", "2.html"),
        ("<a href='9.html'>more</a><a href='2.html' rel='nofollow next'>go on</a>", "2.html"),
        ("<a href='0.html'>‹ Previous</a><a href='2.html'>Next ›</a>", "2.html"),
        ("<a href='2.html'>»</a>", "2.html"),
        ("<a href='2.html'>Nächste Seite</a>", "2.html"),
        ("<a href='2.html'>次へ</a>", "2.html"),
        ("<a href='2.html' aria-label='Next page'><svg></svg></a>", "2.html"),
        ("<ul><li class='pager-next'><a href='2.html'><img></a></li></ul>", "2.html"),
        (
            "<p><a href='1.html'>1</a> <b>2</b> <a href='3.html'>3</a> <a href='4.html'>4</a></p>",
            "3.html",
        ),
        ("<a href='#'>Next</a><a href='javascript:x()'>Next</a>", None),
        ("<a href='n.html'>Next of kin: who inherits when nobody does?</a>", None),
        ("<p>3 chairs</p><a href='x.html'>4</a>", None),
    ],
)
def test_the_next_page_is_found_by_relation_text_class_number_and_arrow(markup, address):
    assert (
        find_next_page(unweave.load_page(f"<html><body><p>x</p>{markup}</body></html>")) == address
    )


def test_the_url_is_absolute_if_that_of_the_page_is_known():
    page = unweave.load_page("<a href='?page=2'>Next</a>", url="https://shop.example/list")
    assert find_next_page(page) == "https://shop.example/list?page=2"
