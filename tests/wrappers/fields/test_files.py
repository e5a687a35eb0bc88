"""Wrapper files of fields: they load to an equal wrapper, and hostile ones are refused."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unweave
from tests.wrappers.fields.templates import make_book, make_books
from unweave.errors import WrapperError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.drift import DriftMonitor

PAGES = make_books()
SCHEMA = {
    "properties": {
        "title": {"type": "string", "description": "the name"},
        "released": {"type": "string", "format": "date"},
        "genres": {"type": "array", "items": {"enum": ["Drama", "War"]}},
        "flavour": {},
    },
    "required": ["flavour"],
}


def make_wrappers():
    whole = unweave.learn(PAGES)
    return {
        "all": whole,
        "columns": whole.select("price=cost:number", "title", "isbn:string"),
        "examples": unweave.learn(PAGES, examples={"name": "Emma"}),
        "schema": unweave.learn(PAGES, schema=SCHEMA),
    }


WRAPPERS = make_wrappers()


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_file_loads_to_an_equal_wrapper(name, tmp_path):
    wrapper = WRAPPERS[name]
    wrapper.save(tmp_path / "wrapper.json")
    loaded = Wrapper.load(tmp_path / "wrapper.json")
    assert loaded.dumps() == wrapper.dumps()
    assert Wrapper.loads(loaded.dumps()) == loaded
    assert loaded.schema == wrapper.schema
    for number in (3, 17):
        assert unweave.apply(loaded, make_book(number)) == unweave.apply(wrapper, make_book(number))


def load(data):
    return Wrapper.loads(json.dumps(data))


def read_selected():
    return json.loads(WRAPPERS["columns"].dumps())


@pytest.mark.parametrize(
    "change",
    [
        {"field": "colour"},
        {"field": 5},
        {"column": {"name": "page", "type": "string"}},
        {"column": {"name": "", "type": "string"}},
        {"column": {"name": "a\nb", "type": "string"}},
        {"column": {"name": "a" * 201, "type": "string"}},
        {"column": {"name": "title", "type": "string"}},
        {"column": {"name": "a", "type": "money"}},
        {"column": {"name": "a"}},
        {"column": "a"},
        {"column": None},
        {"confidence": "high"},
        {"confidence": []},
        {"choices": 5},
    ],
)
def test_hostile_selections_are_refused(change):
    data = read_selected()
    data["selected"][0] |= change
    with pytest.raises(WrapperError) as raised:
        load(data)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    "change",
    [
        {"pages": -2},
        {"pages": 10**400},
        {"fields": {"share": -1}},
        {"fields": {"share": 1e308}},
        {"fields": {"share": float("nan")}},
        {"fields": {"look": {"words": ["a", None]}}},
        {"fields": {"look": {"words": {"a": 1}}}},
        {"fields": {"look": {"length": -1}}},
        {"fields": {"look": {"length": "long"}}},
        {"fields": {"look": {"length": float("inf")}}},
        {"fields": {"look": {"type": "money"}}},
        {"fields": {"look": 5}},
        {"fields": {"examples": ["half of a pair: \ud800"]}},
    ],
)
def test_statistics_and_looks_that_no_pages_have_are_refused(change):
    data = json.loads(WRAPPERS["all"].dumps())
    if "fields" in change:
        data["fields"][0] |= change["fields"]
    else:
        data |= change
    with pytest.raises(WrapperError, match="the wrapper is damaged"):
        load(data)


def test_a_pair_of_surrogates_in_a_file_is_a_character():
    data = json.loads(WRAPPERS["all"].dumps())
    data["fields"][0]["examples"] = ["a book \N{BOOKS}", "\\ud800"]
    loaded = Wrapper.loads(json.dumps(data, ensure_ascii=True))
    assert loaded.fields[0].examples == ("a book \N{BOOKS}", "\\ud800")


@pytest.mark.parametrize("selected", [5, "a", {}, [5], ["a"], [[]], [{}], [None], [{"field": "a"}]])
def test_selections_of_other_shapes_are_refused(selected):
    data = read_selected()
    data["selected"] = selected
    if selected == {}:
        data["selected"] = {"a": 1}
    with pytest.raises(WrapperError):
        load(data)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=300)
@given(st.sampled_from(["columns", "schema"]), st.data())
def test_changed_files_are_read_or_refused(name, data):
    """What is read extracts without an error, however wrong it is."""
    content = json.loads(WRAPPERS[name].dumps())
    content["selected"] = copy.deepcopy(content["selected"])
    target = data.draw(st.sampled_from([content, *content["selected"], *content["fields"][:4]]))
    key = data.draw(st.sampled_from(sorted(target)))
    value = target[key]
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        target, key = value, data.draw(st.sampled_from(sorted(value)))
    target[key] = data.draw(JUNK)
    try:
        wrapper = load(content)
    except WrapperError:
        return
    drift = DriftMonitor(wrapper)
    for page in (PAGES[0], "<p>another page"):
        extraction = unweave.apply(wrapper, page)
        assert 0 <= extraction.fit <= 1
        drift.add(extraction)
    drift.summarize()
    assert Wrapper.loads(wrapper.dumps()).dumps() == wrapper.dumps()
    wrapper.schema  # noqa: B018
    list(wrapper.describe_fields())
    wrapper.describe()


def test_a_deep_file_is_refused():
    with pytest.raises(WrapperError):
        Wrapper.loads('{"unweave": "wrapper", "selected": ' + "[" * 100_000)
