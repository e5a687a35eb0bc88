"""Landmark grammars as wrappers: what they extract, how they fail locally, and their files."""

import json

import pytest

import unweave
from tests.extraction import extract
from unweave.errors import WrapperError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.apply import SEEN_PREFIX
from unweave.wrappers.landmarks.learn import LandmarkLearner

HEAD = "<b>Title</b><div>Price</div>Descr.<div>{}</div><br><span>{}</span>{}"
EVERYTHING = HEAD.format("The Price of Everything", "35.22", "A US documentary")
STAR_WARS = HEAD.format("Star Wars", "9.98", "The saga directed by <b>G. Lucas</b>")
ROMA = HEAD.format("Roma", "5.00", "")


@pytest.fixture(scope="module")
def films():
    return unweave.learn([EVERYTHING, STAR_WARS], method="landmark")


def fields(wrapper, markup):
    found, _ = extract(wrapper, markup)
    return found


def test_table_1(films):
    title, price, description = fields(films, EVERYTHING)
    assert list(fields(films, EVERYTHING).values()) == [
        "The Price of Everything",
        "35.22",
        "A US documentary",
    ]
    found = fields(films, STAR_WARS)
    assert (found[title], found[price], found[description]) == (
        "Star Wars",
        "9.98",
        "The saga directed by G. Lucas",
    )
    assert films.cost == films.bound == 8 + 11


def test_the_splits_of_older_files_are_unknown(films):
    data = json.loads(films.dumps())
    assert data.pop("splits") == films.splits > 0
    assert Wrapper.loads(json.dumps(data)).splits is None


def test_a_page_without_a_description_has_the_other_fields(films):
    assert list(fields(films, ROMA).values()) == ["Roma", "5.00"]


def test_a_missing_or_repeated_landmark_costs_its_region_only(films):
    for harmed in (ROMA.replace("<span>5.00</span>", "5.00"), ROMA.replace("<br>", "<br><br>")):
        found, fit = extract(films, harmed)
        assert "Roma" in found.values()
        assert 0.5 < fit < 1
    assert films.apply(unweave.load_page(ROMA.replace("<span>5.00</span>", "5.00"))).missing == (
        "<span>",
    )
    assert films.apply(unweave.load_page(ROMA)).missing == ()


def test_a_page_of_another_template_does_not_fit(films):
    _, fit = extract(films, "<ul><li>one<li>two</ul>")
    assert fit < 0.5


def test_the_grammar_is_written_without_unseen_fields(films):
    grammar = list(films.format_pattern())
    assert grammar[0] == "part_1 → <html> part_2 </html>"
    assert any(line.endswith("<span> field_2 </span> field_3") for line in grammar)
    assert "other_" not in "\n".join(grammar)


@pytest.mark.parametrize(
    "options",
    [
        {"search": "greedy"},
        {"search": "random"},
        {"search": "astar"},
        {"tokens": "texts"},
        {"attributes": False},
    ],
)
def test_a_wrapper_is_equal_after_writing_and_reading(options):
    wrapper = unweave.learn([EVERYTHING, STAR_WARS], method=LandmarkLearner(**options))
    assert Wrapper.loads(wrapper.dumps()) == wrapper
    assert all(name.startswith(SEEN_PREFIX) for name in fields(wrapper, STAR_WARS))


def damaged():
    data = json.loads(unweave.learn([EVERYTHING, STAR_WARS], method="landmark").dumps())
    yield {**data, "nodes": []}
    yield {**data, "nodes": data["nodes"][:-1]}
    yield {**data, "nodes": [{**data["nodes"][0], "before": 0}, *data["nodes"][1:]]}
    yield {**data, "nodes": [{**data["nodes"][0], "field": "page"}, *data["nodes"][1:]]}
    yield {
        **data,
        "nodes": [
            {**data["nodes"][0], "landmark": {"tag": "br", "attributes": {}}},
            *data["nodes"][1:],
        ],
    }
    yield {**data, "nodes": [{**data["nodes"][0], "landmark": 7}, *data["nodes"][1:]]}
    for share in (-1, 2, float("nan"), "x"):
        yield {**data, "nodes": [{**data["nodes"][0], "share": share}, *data["nodes"][1:]]}
    yield {**data, "tokens": "letters"}
    yield {key: value for key, value in data.items() if key != "cost"}


@pytest.mark.parametrize("data", list(damaged()))
def test_damaged_wrappers(data):
    with pytest.raises(WrapperError, match="damaged"):
        Wrapper.loads(json.dumps(data))
