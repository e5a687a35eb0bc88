"""Records as a wrapper: learned from one page, used on others of the same template."""

import json
from datetime import date

import pytest

import unweave
from tests.extraction import extract
from unweave import Page, UsageError, WrapperError
from unweave.lists import data_records as regions
from unweave.lists.methods import depta
from unweave.wrappers.base import Wrapper


def shop(names, *, extra="", sale=()):
    """A page of a shop: the same template, other data."""
    items = "".join(
        f"<li><a href='/{name}'><img src='{name}.png'></a><h3>{name}</h3>"
        f"{f'<s>old {name}</s>' if name in sale else ''}<p>{name} <b>text</b></p></li>"
        for name in names
    )
    menu = "<nav><ul>" + "<li><a href='/x'>menu</a></li>" * 5 + "</ul></nav>"
    return f"<body>{menu}<main><div>{extra}<ul>{items}</ul></div></main></body>"


LEARNED = shop(["ash", "birch", "cedar", "fir"], sale=["birch"])


@pytest.fixture(scope="module")
def wrapper():
    return Wrapper.loads(unweave.learn([LEARNED]).dumps())


def test_the_records_of_another_page_are_found_and_read(wrapper):
    table, fit = extract(
        wrapper, shop(["oak", "pine", "yew"], sale=["yew"]), url="https://example.org/"
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
    monkeypatch.setattr(regions, "find_regions", None)
    assert len(extract(wrapper, shop(["oak", "pine"]))[0]) == 2


def test_one_record_is_enough(wrapper):
    """No miner can see a list in it."""
    table, _ = extract(wrapper, shop(["oak"]))
    assert [row[2] for row in table.rows] == ["oak"]


def test_cells_know_their_nodes(wrapper):
    table, _ = extract(wrapper, shop(["oak", "pine"]))
    assert table.page.text(table.nodes[1][2][0]) == "pine"
    assert table.xpaths()[1] == ["/html/body/main/div/ul/li[2]"]


def test_a_list_that_has_moved_a_little_is_found_by_the_end_of_its_path(wrapper):
    moved = (
        shop(["oak", "pine"])
        .replace("<main>", "<main><section>")
        .replace("</main>", "</section></main>")
    )
    assert len(extract(wrapper, moved)[0]) == 2


def test_the_learned_path_comes_before_one_that_only_ends_alike(wrapper):
    """A longer list that stands elsewhere is not the list."""
    other = (
        shop([f"other{k}" for k in range(9)])
        .replace("<body>", "<body><section>")
        .split("</nav>")[1]
    )
    page = shop(["oak", "pine"]).replace(
        "</body>", f"<section>{other.replace('</body>', '')}</section></body>"
    )
    assert [row[2] for row in extract(wrapper, page)[0].rows] == ["oak", "pine"]


def test_of_two_lists_at_the_learned_path_the_longer_is_taken(wrapper):
    one, other = shop(["oak", "pine"]), shop(["elm", "fir", "yew"])
    both = one.replace(
        "</div></main>", f"</div>{other.split('<main>')[1].split('</main>')[0]}</main>"
    )
    assert [row[2] for row in extract(wrapper, both)[0].rows] == ["elm", "fir", "yew"]


def test_what_has_another_root_is_no_record(wrapper):
    page = shop(["oak", "pine"]).replace(
        "</ul></div>",
        "<div><a href='/x'><img src='x.png'></a><h3>x</h3><p>x <b>y</b></p></div></ul></div>",
    )
    assert [row[2] for row in extract(wrapper, page)[0].rows] == ["oak", "pine"]


def test_another_page_does_not_fit(wrapper):
    assert extract(wrapper, "<body><p>something else</p></body>") == (None, 0.0)


def test_what_has_no_column_lowers_the_fit(wrapper):
    changed = shop(["oak", "pine"]).replace("</h3>", "</h3><em>new</em>")
    table, fit = extract(wrapper, changed)
    assert 0.5 < fit < 1.0
    assert table.rows[0][2] == "oak"


def test_several_pages_are_learned_together():
    pages = [
        shop(["ash", "birch"]),
        shop(["cedar", "fir"], sale=["cedar", "fir"]),
        "<p>no list here</p>",
    ]
    table, fit = extract(unweave.learn(pages, method="records"), shop(["oak", "yew"], sale=["yew"]))
    assert fit == 1.0
    assert table.rows[1][3] == "old yew"


@pytest.mark.parametrize(
    "name", ["products", "twocolumn", "people", "table", "jobs", "gallery", "auction-sjis"]
)
def test_on_the_page_that_it_was_learned_from_it_gives_the_same_list(name):
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


# ---- files -----------------------------------------------------------------------------------------------------


def test_a_wrapper_is_a_file(wrapper, tmp_path):
    wrapper.save(tmp_path / "w.json")
    assert Wrapper.load(tmp_path / "w.json").dumps() == wrapper.dumps()
    assert json.loads((tmp_path / "w.json").read_text())["version"] == 1


def test_learned_again_it_is_the_same():
    assert unweave.learn([LEARNED]).dumps() == unweave.learn([LEARNED]).dumps()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no JSON"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "no wrapper of unweave"),
        ('{"a": 1}', "no wrapper of unweave"),
        ('{"unweave": "wrapper", "version": 99}', "version 99; this program reads version 1"),
        ('{"unweave": "wrapper", "version": 1, "kind": "magic"}', "unknown kind: 'magic'"),
        ('{"unweave": "wrapper", "version": 1, "kind": []}', r"unknown kind: \[\]"),
        (
            '{"unweave": "wrapper", "version": 1, "kind": "records"}',
            "is damaged: it has no 'paths'",
        ),
    ],
)
def test_broken_and_foreign_files_are_refused(text, reason):
    with pytest.raises(WrapperError, match=reason):
        Wrapper.loads(text)


NODE = [None, None, None, None]
PLAIN = {
    "nodes": [["#excerpt", -1, *NODE], ["li", 0, *NODE]],
    "texts": [[1, 2, "oak"]],
    "glued": [],
    "records": [[1]],
    "columns": [[1, "text", 0, 0]],
}


def test_a_wrapper_may_remember_one_plain_record(wrapper):
    remembering = Wrapper.loads(json.dumps({**json.loads(wrapper.dumps()), "memory": PLAIN}))
    assert json.loads(remembering.dumps())["memory"] == PLAIN


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
        {"memory": []},
        {"memory": {}},
        {
            "memory": {
                **PLAIN,
                "nodes": [["a", -1, None, None, None, None], ["b", 5, None, None, None, None]],
            }
        },
        {"memory": {**PLAIN, "nodes": [["a", -1]]}},
        {"memory": {**PLAIN, "texts": [[0, 0, "a text that stands before its element"]]}},
        {"memory": {**PLAIN, "texts": [[7, 8, "a text of no element"]]}},
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


def test_pages_without_a_list_teach_nothing():
    with pytest.raises(WrapperError, match="none of the pages has a list"):
        unweave.learn(["<p>x</p>"])
    with pytest.raises(UsageError, match="no pages to learn from"):
        unweave.learn([])
    with pytest.raises(
        UsageError, match="unknown method 'magic'; choose from auto, fields, records"
    ):
        unweave.learn([LEARNED], method="magic")


@pytest.mark.browser
def test_a_rendered_page_teaches_too():
    with unweave.Renderer() as renderer:
        page = Page.render("examples/gallery.html", renderer=renderer)
    table, _ = extract(unweave.learn([page]), "examples/gallery.html")
    assert table.texts[0].startswith("Lot 11"), "what eyes have found is found without them"


def test_dates_of_a_page_are_read_in_the_order_that_the_page_proves():
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
