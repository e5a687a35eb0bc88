"""The work of an export grows with the pages and not with the square of them, however deep they are nested."""

import pytest

import unweave
from unweave.page.page import Page
from unweave.selectors.choosing import WORK_ENDED, Budget
from unweave.selectors.evaluation import SamplePage
from unweave.selectors.example_records import Walk
from unweave.selectors.expressions import Axis, Selector, Step
from unweave.selectors.template_tree import MAX_PLACES_VISITED, Outline

PAGES = 4


def nested_divs(number, levels):
    """Records in records: each level has a label, a value, and the next level."""
    inside = "".join(
        f"<div><div>Level {level}</div><div>{number * 7 + level}</div>" for level in range(levels)
    )
    return f"<html><body><h1>Thing {number}</h1>{inside}</body></html>"


def nested_lists(number, levels):
    inside = "".join(
        f"<ul><li>Level {level} <b>{number * 7 + level}</b>" for level in range(levels)
    )
    return f"<html><body><h1>Thing {number}</h1>{inside}</body></html>"


def nested_places(number, levels):
    """Values that nothing but their depth tells."""
    inside = "".join(f"<div>{number * 7 + level}" for level in range(levels))
    return f"<html><body><h1>Thing {number}</h1>{inside}</body></html>"


class Work:
    """Counts what an export does: selectors that are run, places and elements that are visited."""

    def __init__(self, monkeypatch):
        self.count = {"selected": 0, "places": 0}
        select, each = SamplePage.select, Outline._each

        def counted_select(*arguments):
            self.count["selected"] += 1
            return select(*arguments)

        def counted_each(*arguments):
            for place in each(*arguments):
                self.count["places"] += 1
                yield place

        monkeypatch.setattr(SamplePage, "select", counted_select)
        monkeypatch.setattr(Outline, "_each", counted_each)

    def of(self, markup, levels):
        """The work of exporting pages of so many levels, and the number of fields."""
        pages = [markup(number, levels) for number in range(PAGES)]
        wrapper = unweave.learn(pages, method="fields")
        self.count = dict.fromkeys(self.count, 0)
        fields = wrapper.selectors(pages=pages).to_json()["fields"]
        return self.count, fields


@pytest.mark.parametrize("markup", [nested_divs, nested_lists, nested_places])
def test_twice_the_levels_take_twice_the_work(monkeypatch, markup):
    work = Work(monkeypatch)
    (few, some), (many, more) = (work.of(markup, levels) for levels in (30, 60))
    assert len(more) > 1.8 * len(some) > 30
    growth = len(more) / len(some)
    assert 0 < many["selected"] <= 1.2 * growth * few["selected"]
    # The search for the steps to one place is limited, so it cannot grow with the square of the levels for long.
    assert many["places"] <= len(more) * 2 * MAX_PLACES_VISITED
    assert all(own["selector"] or own["note"] for own in more)


def test_nested_fields_with_labels_have_short_selectors(monkeypatch):
    _, fields = Work(monkeypatch).of(nested_divs, 40)
    labelled = [own for own in fields if own["name"].startswith("level")]
    assert len(labelled) == 40
    assert all(own["holds"] == f"{PAGES} of {PAGES}" for own in labelled)
    assert max(len(own["selector"]) for own in labelled) < 80


def test_steps_visit_each_element_of_a_record_once(monkeypatch):
    visited = 0
    is_like = Walk._is_like

    def counted(*arguments):
        nonlocal visited
        visited += 1
        return is_like(*arguments)

    monkeypatch.setattr(Walk, "_is_like", counted)
    below = Step("div", axis=Axis.BELOW)
    for levels in (50, 100):
        page, visited = Page.parse(nested_divs(1, levels)), 0
        assert Walk(page).elements(0, [below, below, below])
        assert visited <= 3 * len(page.tree)


def test_the_cost_of_a_selector_tells_nested_elements_from_a_flat_list():
    nested = SamplePage.parse(b"<div>" * 200 + b"<b>x</b>")
    flat = SamplePage.parse(b"<div><b>x</b></div>" * 200)
    deep = Selector((Step("div"), Step("div")))
    assert nested.cost(deep) > 20 * nested.cost(Selector((Step("div"),)))
    assert flat.cost(deep) < nested.cost(deep) / 20


def test_no_more_work_is_done_than_the_budget_allows(monkeypatch):
    pages = [nested_divs(number, 20) for number in range(PAGES)]
    wrapper = unweave.learn(pages, method="fields")
    samples = [SamplePage.parse(markup.encode()) for markup in pages]
    spent = []
    spend = Budget.spend

    def counted(budget, units):
        is_enough = spend(budget, units)
        spent.append(units if is_enough else 0)
        return is_enough

    monkeypatch.setattr(Budget, "spend", counted)
    exported = wrapper.to_selectors("xpath", samples, max_work_per_page=5_000)
    assert 0 < sum(spent) <= 5_000 * PAGES
    notes = [own.chosen.note for own in exported.fields]
    assert any(WORK_ENDED in note for note in notes)
    assert all(own.chosen.text or own.chosen.note for own in exported.fields)


def test_progress_tells_of_each_field_and_ends_at_all_of_them():
    pages = [nested_divs(number, 5) for number in range(PAGES)]
    told = []
    unweave.learn(pages).to_selectors(progress=lambda done, total: told.append((done, total)))
    total = len(told)
    assert total > 4
    assert told == [(number, total) for number in range(1, total + 1)]
