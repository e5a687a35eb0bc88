"""Pages that are open, and the limits of what is kept: each is reached here with small numbers."""

import threading

import pytest

from unweave.errors import PageTooLarge, UsageError
from unweave.fetching.fetch import Fetcher, Response
from unweave.studio import page_sets, page_store, request_bodies
from unweave.studio import state as state_module
from unweave.studio.page_store import NotOpen, PageStore
from unweave.studio.state import StudioState

PAGE = b"<ul><li><b>one</b> 1<li><b>two</b> 2<li><b>three</b> 3</ul>"


def test_too_many_pages_are_refused_until_one_is_closed(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_PAGES", 2)
    pages = PageStore()
    first, _ = pages.open("1", PAGE), pages.open("2", PAGE)
    with pytest.raises(PageTooLarge, match="close some"):
        pages.open("3", PAGE)
    pages.close(first.id)
    assert pages.open("3", PAGE).name == "3"


def test_too_many_bytes_are_refused_until_a_page_is_closed(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_BYTES", 2 * len(PAGE))
    pages = PageStore()
    first, _ = pages.open("1", PAGE), pages.open("2", PAGE)
    with pytest.raises(PageTooLarge, match="close some"):
        pages.open("3", PAGE)
    pages.close(first.id)
    assert pages.open("3", PAGE).name == "3"


def test_what_was_found_in_old_pages_is_forgotten_and_found_again(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_PARSED_PAGES", 2)
    pages = PageStore()
    first = pages.open("1", PAGE)
    before = first.parse()
    for name in "23":
        pages.open(name, PAGE)
    assert first.parse() is not before
    assert pages.get(first.id).find_tables("auto", None)[0].texts == before_texts()


def before_texts():
    return PageStore().open("1", PAGE).find_tables("auto", None)[0].texts


def test_what_is_wished_of_one_page_is_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_CACHED_RESULTS", 3)
    opened = PageStore().open("1", PAGE)
    for number in range(10):
        assert opened.get_or_compute(number, lambda number=number: number) == number
    assert len(opened._cache) <= 4


def test_a_page_that_is_worked_on_keeps_no_other_waiting(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_PARSED_PAGES", 1)
    pages = PageStore()
    slow = pages.open("slow", PAGE)
    is_working, may_end = threading.Event(), threading.Event()

    def work():
        is_working.set()
        assert may_end.wait(30)

    thread = threading.Thread(target=lambda: slow.get_or_compute("work", work))
    thread.start()
    assert is_working.wait(30)
    other = pages.open("other", PAGE)
    assert pages.get(other.id) is other
    may_end.set()
    thread.join()


def test_a_page_that_is_closed_meanwhile_harms_nobody(monkeypatch):
    monkeypatch.setattr(page_store, "MAX_PARSED_PAGES", 1)
    pages = PageStore()
    one, other = pages.open("1", PAGE), pages.open("2", PAGE)
    pages.close(one.id)
    pages._mark_used(one.id)  # as somebody does who got the page just before
    assert pages.get(other.id) is other
    assert pages.open("3", PAGE).name == "3"
    with pytest.raises(NotOpen):
        pages.get(one.id)


class Endless(Fetcher):
    """A network in which every address holds a picture."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def fetch(self, url, *, max_bytes=0):
        self.asked.append(url)
        return Response(url, b"x" * 100, None, "image/png")


def test_not_more_looks_are_fetched_than_are_shown(monkeypatch):
    monkeypatch.setattr(state_module, "MAX_FETCHED_ASSETS", 5)
    state = StudioState(Endless())
    addresses = [f"https://x.example/{number}" for number in range(50)]
    assert list(state.fetch_assets(addresses)) == addresses[:5]
    monkeypatch.setattr(state_module, "MAX_FETCHED_ASSETS", 50)
    monkeypatch.setattr(state_module, "MAX_TOTAL_BYTES", 1000)
    monkeypatch.setattr(state_module, "MAX_PARALLEL_FETCHES", 1)
    assert len(state.fetch_assets(addresses)) == 11


def test_looks_that_take_too_long_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(state_module, "ASSET_TIMEOUT_SECONDS", 0.01)
    may_end = threading.Event()

    class Slow(Endless):
        def fetch(self, url, *, max_bytes=0):
            assert may_end.wait(30)
            return super().fetch(url)

    assert StudioState(Slow()).fetch_assets(["https://x.example/1"]) == {}
    may_end.set()


def test_too_many_sets_are_refused(monkeypatch):
    monkeypatch.setattr(page_sets, "MAX_SETS", 1)
    state = StudioState(Fetcher())
    first = state.sets.open("1", [])
    with pytest.raises(UsageError, match="close some"):
        state.sets.open("2", [])
    state.sets.close(first.id)
    state.sets.open("3", []).join()


def test_limits_that_are_told_are_those_that_hold():
    """What docs/how-to/studio.md says."""
    assert (page_store.MAX_BYTES, page_store.MAX_PAGES) == (512 * 1024 * 1024, 5_000)
    assert (page_sets.MAX_SETS, request_bodies.MAX_JSON_SET_BYTES) == (20, 1024 * 1024)
