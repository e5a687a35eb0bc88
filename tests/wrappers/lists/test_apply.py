"""Wrappers for lists, applied to other pages of the template, and their files."""

import json
from datetime import date

import pytest

import unweave
from tests.extraction import extract
from tests.wrappers.lists.shops import LEARNED, make_shop
from unweave import WrapperError
from unweave.lists import data_records
from unweave.lists.methods import depta
from unweave.wrappers.base import Wrapper


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn([LEARNED]).dumps())


def test_the_records_of_another_page_are_extracted(wrapper):
    table, fit = extract(
        wrapper, make_shop(["oak", "pine", "yew"], sale=["yew"]), url="https://example.org/"
    )
    assert fit == 1.0
    assert table.names == ["link", "image", "title", "text_1", "text_2", "text_3"]
    assert table.rows[2] == [
        "https://example.org/yew",
        "https://example.org/yew.png",
        "yew",
        "old yew",
        "yew",
        "text",
    ]
    assert table.rows[0][3] is None


def test_nothing_is_mined(wrapper, monkeypatch):
    monkeypatch.setattr(depta, "find_lists", None)
    monkeypatch.setattr(data_records, "find_regions", None)
    assert len(extract(wrapper, make_shop(["oak", "pine"]))[0]) == 2


def test_one_record_is_enough(wrapper):
    """Mining needs two records."""
    table, _ = extract(wrapper, make_shop(["oak"]))
    assert [row[2] for row in table.rows] == ["oak"]


def test_cells_know_their_nodes(wrapper):
    table, _ = extract(wrapper, make_shop(["oak", "pine"]))
    assert table.page.text(table.nodes[1][2][0]) == "pine"
    assert table.xpaths()[1] == ["/html/body/main/div/ul/li[2]"]


def test_a_list_that_has_moved_a_little_is_found_by_the_end_of_its_path(wrapper):
    moved = (
        make_shop(["oak", "pine"])
        .replace("<main>", "<main><section>")
        .replace("</main>", "</section></main>")
    )
    assert len(extract(wrapper, moved)[0]) == 2


def test_the_learned_path_comes_before_one_with_the_same_last_steps(wrapper):
    """A longer list at another path is another list."""
    other = (
        make_shop([f"other{k}" for k in range(9)])
        .replace("<body>", "<body><section>")
        .split("</nav>")[1]
    )
    page = make_shop(["oak", "pine"]).replace(
        "</body>", f"<section>{other.replace('</body>', '')}</section></body>"
    )
    assert [row[2] for row in extract(wrapper, page)[0].rows] == ["oak", "pine"]


def test_of_two_lists_at_the_learned_path_the_longer_is_taken(wrapper):
    first, second = make_shop(["oak", "pine"]), make_shop(["elm", "fir", "yew"])
    both = first.replace(
        "</div></main>", f"</div>{second.split('<main>')[1].split('</main>')[0]}</main>"
    )
    assert [row[2] for row in extract(wrapper, both)[0].rows] == ["elm", "fir", "yew"]


def test_an_element_with_another_tag_is_no_record(wrapper):
    page = make_shop(["oak", "pine"]).replace(
        "</ul></div>",
        "<div><a href='/x'><img src='x.png'></a><h3>x</h3><p>x <b>y</b></p></div></ul></div>",
    )
    assert [row[2] for row in extract(wrapper, page)[0].rows] == ["oak", "pine"]


def test_a_page_without_the_list_does_not_fit(wrapper):
    assert extract(wrapper, "<body><p>something else</p></body>") == (None, 0.0)


def test_an_item_without_a_column_lowers_the_fit(wrapper):
    changed = make_shop(["oak", "pine"]).replace("</h3>", "</h3><em>new</em>")
    table, fit = extract(wrapper, changed)
    assert 0.5 < fit < 1.0
    assert table.rows[0][2] == "oak"


@pytest.mark.parametrize(
    "name", ["products", "twocolumn", "people", "table", "jobs", "gallery", "auction-sjis"]
)
def test_the_learned_page_has_the_same_list(name):
    path = f"examples/{name}.html"
    wrapper = unweave.learn([path])
    table, fit = extract(Wrapper.loads(wrapper.dumps()), path)
    mined = unweave.records(path)[0]
    assert table.xpaths() == mined.xpaths()
    assert table.columns == wrapper.columns
    assert fit == 1.0
    titles = [name for name in ("title", "station") if name in mined.names]
    for title in titles:
        assert [row[table.names.index(title)] for row in table] == [
            row[mined.names.index(title)] for row in mined
        ]


def test_records_in_rows_are_found_in_all_rows():
    path = "examples/products-rows.html"
    table, _ = extract(unweave.learn([path]), path)
    assert list(table.texts) == list(unweave.records(path)[0].texts)


# ---- files ---------------------------------------------------------------------------------------


def test_a_wrapper_is_a_file(wrapper, tmp_path):
    wrapper.save(tmp_path / "w.json")
    assert Wrapper.load(tmp_path / "w.json").dumps() == wrapper.dumps()
    assert json.loads((tmp_path / "w.json").read_text())["version"] == 1


NODE = [None, None, None, None]
PLAIN = {
    "nodes": [["#excerpt", -1, *NODE], ["li", 0, *NODE]],
    "texts": [[1, 2, "oak"]],
    "glued": [],
    "records": [[1]],
    "columns": [[1, "text", 0, 0]],
}


def test_one_example_record_is_enough(wrapper):
    loaded = Wrapper.loads(json.dumps({**json.loads(wrapper.dumps()), "memory": PLAIN}))
    assert json.loads(loaded.dumps())["memory"] == PLAIN


@pytest.mark.parametrize(
    "damage",
    [
        {"paths": []},
        {"paths": [[]]},
        {"paths": 7},
        {"levels": 0},
        {"t": "x"},
        {"columns": [{"type": "string"}]},
        {"columns": [{"name": "x", "type": "string"}]},
        {"columns": [{"name": "x", "type": "string"}] * 9},
        {"columns": [{"name": str(number), "type": "money"} for number in range(9)]},
        {"statistics": 0},
        {"statistics": {}},
        {"memory": []},
        {"memory": {}},
        {
            "memory": {
                **PLAIN,
                "nodes": [["a", -1, None, None, None, None], ["b", 5, None, None, None, None]],
            }
        },
        {"memory": {**PLAIN, "nodes": [["a", -1]]}},
        {"memory": {**PLAIN, "texts": [[0, 0, "a text before its element"]]}},
        {"memory": {**PLAIN, "texts": [[7, 8, "a text of no element"]]}},
        {
            "memory": {
                **PLAIN,
                "nodes": [*PLAIN["nodes"], ["b", 1, *NODE]],
                "texts": [[0, 2, "a text in a record whose element is not"]],
            }
        },
        {"memory": {**PLAIN, "records": [[]]}},
        {"memory": {**PLAIN, "records": [[0]]}},
        {"memory": {**PLAIN, "records": [[99]]}},
        {"memory": {**PLAIN, "columns": [[1, "text", 0, 99]]}},
        {"memory": {**PLAIN, "columns": [[1, "text", 0, -1]]}},
        {"memory": {**PLAIN, "columns": [[1, "text"]]}},
        {"levels": float("inf")},
        {"paths": [["li"]]},
        {"t": float("nan")},
        {"t": 1e300},
        {"memory": {**PLAIN, "columns": [[1, "text", 0, float("inf")]]}},
    ],
)
def test_damaged_wrappers_are_refused(wrapper, damage):
    with pytest.raises(WrapperError, match="the wrapper is damaged"):
        Wrapper.loads(json.dumps({**json.loads(wrapper.dumps()), **damage}))


@pytest.mark.parametrize("count", [0, 10**400])
def test_statistics_of_impossible_pages_are_refused(wrapper, count):
    data = json.loads(wrapper.dumps())
    data["statistics"]["counts"][0] = count
    with pytest.raises(WrapperError, match="the wrapper is damaged: the statistics are of pages"):
        Wrapper.loads(json.dumps(data))


def test_dates_are_parsed_in_the_order_that_the_page_proves():
    def page(days):
        rows = "".join(
            f"<li><h3>Case number {n}</h3><p class='filed'>{day}</p></li>"
            for n, day in enumerate(days)
        )
        return f"<ul>{rows}</ul>"

    wrapper = unweave.learn([page(["13/02/2020", "01/03/2020", "05/04/2020", "06/04/2020"])])
    table, _ = extract(wrapper, page(["02/14/2020", "03/01/2020", "03/02/2020", "04/05/2020"]))
    assert table.to_columns(values=True)["filed"] == [
        date(2020, 2, 14),
        date(2020, 3, 1),
        date(2020, 3, 2),
        date(2020, 4, 5),
    ]
    table, _ = extract(wrapper, page(["01/02/2020", "03/01/2020", "03/02/2020", "04/05/2020"]))
    assert table.to_columns(values=True)["filed"][0] == date(2020, 2, 1)
