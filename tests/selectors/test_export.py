"""The work of an export grows linearly with deeply nested pages and stays within its budget."""

from dataclasses import replace

import pytest

import unweave
from tests.selectors.shops import make_page, run_selectors
from unweave.selectors.choice import WORK_ENDED, Budget
from unweave.selectors.evaluation import SamplePage
from unweave.selectors.export import export_fields
from unweave.selectors.expressions import Selector, Step
from unweave.selectors.template_tree import MAX_VISITS, TemplateTree
from unweave.table import Column
from unweave.wrappers.fields.selection import SelectedField

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


def nested_paths(number, levels):
    """Values that differ in nothing but their depth."""
    inside = "".join(f"<div>{number * 7 + level}" for level in range(levels))
    return f"<html><body><h1>Thing {number}</h1>{inside}</body></html>"


class Work:
    """Counts the selectors that an export runs and the vertices that it visits."""

    def __init__(self, monkeypatch):
        self.count = {"selected": 0, "vertices": 0}
        select, iterate = SamplePage.select, TemplateTree._iterate

        def count_selected(*arguments):
            self.count["selected"] += 1
            return select(*arguments)

        def count_vertices(*arguments):
            for vertex in iterate(*arguments):
                self.count["vertices"] += 1
                yield vertex

        monkeypatch.setattr(SamplePage, "select", count_selected)
        monkeypatch.setattr(TemplateTree, "_iterate", count_vertices)

    def measure(self, markup, levels):
        """Return the work of exporting pages with this many levels, and the fields."""
        pages = [markup(number, levels) for number in range(PAGES)]
        wrapper = unweave.learn(pages, method="fields")
        self.count = dict.fromkeys(self.count, 0)
        fields = wrapper.selectors(pages=pages).to_json()["fields"]
        return self.count, fields


@pytest.mark.parametrize("markup", [nested_divs, nested_lists, nested_paths])
def test_twice_the_levels_need_twice_the_work(monkeypatch, markup):
    work = Work(monkeypatch)
    (few, some), (many, more) = (work.measure(markup, levels) for levels in (30, 60))
    assert len(more) > 1.8 * len(some) > 30
    growth = len(more) / len(some)
    assert 0 < many["selected"] <= 1.2 * growth * few["selected"]
    # The search for the steps to one vertex is limited, so its square growth ends soon.
    assert many["vertices"] <= len(more) * 2 * MAX_VISITS
    assert all(field["selector"] or field["note"] for field in more)


def test_nested_fields_with_labels_have_short_selectors(monkeypatch):
    _, fields = Work(monkeypatch).measure(nested_divs, 40)
    labelled = [field for field in fields if field["name"].startswith("level")]
    assert len(labelled) == 40
    assert all(field["holds"] == f"{PAGES} of {PAGES}" for field in labelled)
    assert max(len(field["selector"]) for field in labelled) < 80


def test_nested_elements_cost_more_than_a_flat_list():
    nested = SamplePage.parse(b"<div>" * 200 + b"<b>x</b>")
    flat = SamplePage.parse(b"<div><b>x</b></div>" * 200)
    deep = Selector((Step("div"), Step("div")))
    assert nested.estimate_cost(deep) > 20 * nested.estimate_cost(Selector((Step("div"),)))
    assert flat.estimate_cost(deep) < nested.estimate_cost(deep) / 20


def test_no_more_work_is_done_than_the_budget_allows(monkeypatch):
    pages = [nested_divs(number, 20) for number in range(PAGES)]
    wrapper = unweave.learn(pages, method="fields")
    samples = [SamplePage.parse(markup.encode()) for markup in pages]
    spent = []
    spend = Budget.spend

    def count(budget, units):
        is_enough = spend(budget, units)
        spent.append(units if is_enough else 0)
        return is_enough

    monkeypatch.setattr(Budget, "spend", count)
    exported = export_fields(wrapper, "xpath", samples, max_work_per_page=5_000)
    assert 0 < sum(spent) <= 5_000 * PAGES
    notes = [field.chosen.note for field in exported.fields]
    assert any(WORK_ENDED in note for note in notes)
    assert all(field.chosen.text or field.chosen.note for field in exported.fields)


def test_progress_is_reported_for_each_field():
    pages = [nested_divs(number, 5) for number in range(PAGES)]
    calls = []
    unweave.learn(pages).selectors(progress=lambda done, total: calls.append((done, total)))
    total = len(calls)
    assert total > 4
    assert calls == [(number, total) for number in range(1, total + 1)]


# ---- selected fields -----------------------------------------------------------------------------

SHOP = [f"examples/shop/{name}.html" for name in ("kettle", "lamp", "fan", "clock", "toaster")]


@pytest.fixture(scope="module")
def selected():
    wrapper = unweave.learn(SHOP)
    return wrapper.select("reviews_text_2=opinion", "price=cost:number", "title")


@pytest.mark.parametrize("pages", [SHOP, []], ids=["with pages", "without"])
def test_only_selected_fields_are_exported_under_their_names(selected, pages):
    exported = selected.selectors(pages=pages).to_json()
    assert [field["name"] for field in exported["fields"]] == ["cost", "title"]
    (table,) = exported["tables"]
    assert table["name"] == "reviews"
    assert [column["name"] for column in table["columns"]] == ["opinion"]


@pytest.mark.parametrize("given", [True, False], ids=["with pages", "without"])
def test_links_of_a_field_are_addresses(given):
    learned = [make_page(number) for number in range(8)]
    wrapper = unweave.learn(learned).select("tags@link=urls")
    pages = learned if given else []
    exported = wrapper.selectors(pages=pages).to_json()
    assert exported["fields"][0]["many"]
    assert run_selectors(make_page(20), exported, "xpath") == {
        "urls": ["/t/oak", "/t/wool", "/t/glass"]
    }
    assert "('urls', 'addresses', " in wrapper.to_spider(pages)
    assert unweave.apply(wrapper, make_page(20)).fields["urls"][0] == "/t/oak"


def test_a_field_that_the_pages_lack_has_a_note(selected):
    lacking = replace(selected, selected=(SelectedField("", Column("volcano")),))
    (field,) = lacking.selectors().to_json()["fields"]
    assert (field["name"], field["selector"]) == ("volcano", None)
    assert field["note"] == "the pages have no such field"
    assert "# 'volcano': the pages have no such field" in lacking.to_spider()
