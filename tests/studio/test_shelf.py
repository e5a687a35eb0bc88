"""Pages that are open, and the limits of what is kept: each is reached here with small numbers."""

import threading

import pytest

from unweave.errors import PageTooLarge, UsageError
from unweave.fetching.fetch import Fetcher, Response
from unweave.studio import assets as looks
from unweave.studio import page_store as shelf
from unweave.studio import state as desks
from unweave.studio.assets import Look
from unweave.studio.page_sets import archives, sets
from unweave.studio.page_store import Closed, Shelf
from unweave.studio.state import Desk

PAGE = b"<ul><li><b>one</b> 1<li><b>two</b> 2<li><b>three</b> 3</ul>"


def test_too_many_pages_are_refused_until_one_is_closed(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_PAGES", 2)
    pages = Shelf()
    first, _ = pages.open("1", PAGE), pages.open("2", PAGE)
    with pytest.raises(PageTooLarge, match="close some"):
        pages.open("3", PAGE)
    pages.close(first.id)
    assert pages.open("3", PAGE).name == "3"


def test_too_many_bytes_are_refused_until_a_page_is_closed(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_BYTES", 2 * len(PAGE))
    pages = Shelf()
    first, _ = pages.open("1", PAGE), pages.open("2", PAGE)
    with pytest.raises(PageTooLarge, match="close some"):
        pages.open("3", PAGE)
    pages.close(first.id)
    assert pages.open("3", PAGE).name == "3"


def test_what_was_found_in_old_pages_is_forgotten_and_found_again(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_READ", 2)
    pages = Shelf()
    first = pages.open("1", PAGE)
    before = first.page()
    for name in "23":
        pages.open(name, PAGE)
    assert first.page() is not before
    assert pages.page(first.id).tables("auto", None)[0].texts == before_texts()


def before_texts():
    return Shelf().open("1", PAGE).tables("auto", None)[0].texts


def test_what_is_wished_of_one_page_is_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_KNOWN", 3)
    opened = Shelf().open("1", PAGE)
    for number in range(10):
        assert opened.once(number, lambda number=number: number) == number
    assert len(opened._known) <= 4


def test_a_page_that_is_worked_on_keeps_no_other_waiting(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_READ", 1)
    pages = Shelf()
    slow = pages.open("slow", PAGE)
    is_working, may_end = threading.Event(), threading.Event()

    def work():
        is_working.set()
        assert may_end.wait(30)

    thread = threading.Thread(target=lambda: slow.once("work", work))
    thread.start()
    assert is_working.wait(30)
    other = pages.open("other", PAGE)
    assert pages.page(other.id) is other
    may_end.set()
    thread.join()


def test_a_page_that_is_closed_meanwhile_harms_nobody(monkeypatch):
    monkeypatch.setattr(shelf, "_MOST_READ", 1)
    pages = Shelf()
    one, other = pages.open("1", PAGE), pages.open("2", PAGE)
    pages.close(one.id)
    pages._used(one.id)  # as somebody does who got the page just before
    assert pages.page(other.id) is other
    assert pages.open("3", PAGE).name == "3"
    with pytest.raises(Closed):
        pages.page(one.id)


def test_looks_are_given_up_to_a_limit_and_the_first_ones_first(monkeypatch):
    monkeypatch.setattr(looks, "MOST_OF_ALL", 10)
    given = {"a.css": Look(b"x" * 6), "b.png": Look(b"x" * 6), "c.png": Look(b"x" * 4)}
    assert list(looks.few(given)) == ["a.css", "c.png"]


class Endless(Fetcher):
    """A network in which every address holds a picture."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def fetch(self, url, *, max_bytes=0):
        self.asked.append(url)
        return Response(url, b"x" * 100, None, "image/png")


def test_not_more_looks_are_fetched_than_are_shown(monkeypatch):
    monkeypatch.setattr(desks, "_MOST_LOOKS", 5)
    desk = Desk(Endless())
    addresses = [f"https://x.example/{number}" for number in range(50)]
    assert list(desk.looks(addresses)) == addresses[:5]
    monkeypatch.setattr(desks, "_MOST_LOOKS", 50)
    monkeypatch.setattr(desks, "MOST_OF_ALL", 1000)
    monkeypatch.setattr(desks, "_AT_ONCE", 1)
    assert len(desk.looks(addresses)) == 11


def test_looks_that_take_too_long_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(desks, "_MOST_SECONDS", 0.01)
    may_end = threading.Event()

    class Slow(Endless):
        def fetch(self, url, *, max_bytes=0):
            assert may_end.wait(30)
            return super().fetch(url)

    assert Desk(Slow()).looks(["https://x.example/1"]) == {}
    may_end.set()


def test_too_many_sets_are_refused(monkeypatch):
    monkeypatch.setattr(sets, "_MOST_SETS", 1)
    desk = Desk(Fetcher())
    first = desk.sets.open("1", [])
    with pytest.raises(UsageError, match="close some"):
        desk.sets.open("2", [])
    desk.sets.close(first.id)
    desk.sets.open("3", []).join()


def test_limits_that_are_told_are_those_that_hold():
    """What docs/studio.md says."""
    assert (shelf._MOST_BYTES, shelf._MOST_PAGES) == (512 * 1024 * 1024, 5_000)
    assert (sets._MOST_SETS, archives._MOST_JSON) == (20, 1024 * 1024)
