"""Landmark grammars as wrappers: what they extract, how they fail locally, and how they are written down."""

import json

import pytest

import unweave
from unweave.errors import UsageError, WrapperError
from unweave.wrappers.base import Wrapper
from unweave.wrappers.landmarks.apply import SEEN_PREFIX

HEAD = "<b>Title</b><div>Price</div>Descr.<div>{}</div><br><span>{}</span>{}"
EVERYTHING = HEAD.format("The Price of Everything", "35.22", "A US documentary")
STAR_WARS = HEAD.format("Star Wars", "9.98", "The saga directed by <b>G. Lucas</b>")
ROMA = HEAD.format("Roma", "5.00", "")


@pytest.fixture(scope="module")
def films():
    return unweave.learn([EVERYTHING, STAR_WARS], method="landmark")


def fields(wrapper, markup):
    found, _ = unweave.apply(wrapper, markup)
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


@pytest.mark.parametrize("search", ["exact", "astar", "greedy"])
def test_table_1_is_found_by_all_searches(search):
    wrapper = unweave.learn([EVERYTHING, STAR_WARS], method="landmark", search=search)
    assert wrapper.cost == 8 + 11
    assert list(fields(wrapper, EVERYTHING).values()) == [
        "The Price of Everything",
        "35.22",
        "A US documentary",
    ]
    landmarks = sum(node.landmark is not None for node in wrapper.nodes)
    assert wrapper.splits == landmarks if search == "greedy" else wrapper.splits >= landmarks


def test_the_printed_estimate_of_section_5_1_misses_the_optimum():
    pages = ["<p>u c a b</p>", "<p>a b c b</p>"]
    printed, corrected, default = (
        unweave.learn(pages, method="landmark", **options)
        for options in ({"variant": "printed"}, {"search": "astar"}, {})
    )
    assert (printed.cost, corrected.cost, default.cost) == (6, 4, 4)
    assert printed.bound < printed.cost
    assert corrected.bound == default.bound == 4
    assert unweave.learn(pages, method="landmark", search="astar", variant="printed") == printed


def test_a_wrapper_of_an_older_version_does_not_know_its_splits(films):
    data = json.loads(films.dumps())
    assert data.pop("splits") == films.splits > 0
    assert Wrapper.loads(json.dumps(data)).splits is None


def test_a_page_without_a_description_has_the_other_fields(films):
    assert list(fields(films, ROMA).values()) == ["Roma", "5.00"]


def test_a_landmark_that_is_missing_or_doubled_costs_its_own_part_only(films):
    for harmed in (ROMA.replace("<span>5.00</span>", "5.00"), ROMA.replace("<br>", "<br><br>")):
        found, fit = unweave.apply(films, harmed)
        assert "Roma" in found.values()
        assert 0.5 < fit < 1
    assert films.missing(unweave.load_page(ROMA.replace("<span>5.00</span>", "5.00"))) == (
        "<span>",
    )
    assert films.missing(unweave.load_page(ROMA)) == ()


def test_a_page_of_another_template_does_not_fit(films):
    _, fit = unweave.apply(films, "<ul><li>one<li>two</ul>")
    assert fit < 0.5


def test_the_grammar_is_written_without_what_no_page_has(films):
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
def test_a_wrapper_is_the_same_after_it_was_written_and_read(options):
    wrapper = unweave.learn([EVERYTHING, STAR_WARS], method="landmark", **options)
    assert Wrapper.loads(wrapper.dumps()) == wrapper
    assert all(name.startswith(SEEN_PREFIX) for name in fields(wrapper, STAR_WARS))


def test_what_is_random_is_so_by_its_seed():
    one, same, *others = (
        unweave.learn([EVERYTHING, STAR_WARS], method="landmark", search="random", seed=seed)
        for seed in (3, 3, 4, 5, 6, 7)
    )
    assert one == same
    assert any(other != one for other in others)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "best"}, "unknown search 'best'; there are exact, astar, greedy, random"),
        ({"tokens": "letters"}, "unknown tokens 'letters'"),
        ({"ties": "x"}, "unknown ties 'x'"),
        ({"budget": -1}, "the budget must not be negative"),
        ({"variant": "best"}, "unknown variant 'best'; there are printed, corrected, improved"),
        ({"k": 0}, "k must not be less than 1"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(UsageError, match=message):
        unweave.learn([EVERYTHING, STAR_WARS], method="landmark", **options)


def test_pages_without_landmarks():
    with pytest.raises(WrapperError, match="no landmark"):
        unweave.learn([EVERYTHING], method="landmark")


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
