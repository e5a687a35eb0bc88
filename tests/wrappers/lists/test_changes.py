"""Wrappers for lists on pages of a site that has changed, and on pages without the list."""

import json
import re

import pytest

import unweave
from tests.extraction import extract
from unweave import WrapperError
from unweave.lists import default
from unweave.wrappers.base import Wrapper

TREES = "ash birch cedar elm fir hazel larch lime".split()
OTHERS = "maple oak pine rowan spruce willow yew".split()


def make_record(name, *, extra="", classes="item tree"):
    return (
        f"<div class='{classes}'><h3><a href='/{name}'>{name} tree</a></h3>"
        f"<p class='text'>The <b>{name}</b> grows in the forest and in the garden.</p>{extra}"
        f"<span class='price'>{len(name)}.50 EUR</span></div>"
    )


def make_page(records):
    menu = "".join(f"<li><a href='/{k}'>Menu {k}</a></li>" for k in "abcdef")
    return (
        f"<html><head><title>Trees</title></head><body><center><ul id='menu'>{menu}</ul></center>"
        f"<div id='main' class='content'><h1>Trees</h1><div class='results'>{''.join(records)}"
        "</div></div><div class='footer'><p>Imprint</p></div></body></html>"
    )


PAGE = make_page(map(make_record, OTHERS))


@pytest.fixture(scope="module")
def wrapper():
    learned = unweave.learn([make_page(map(make_record, TREES))], method="records")
    return Wrapper.loads(learned.dumps())


def read_old_file(wrapper):
    """Return the wrapper as a file without statistics has it."""
    data = json.loads(wrapper.dumps())
    del data["statistics"]
    return Wrapper.loads(json.dumps(data))


# ---- pages that have changed ---------------------------------------------------------------------

AD = "<div class='promo'><h3>Save now</h3><p>Only <b>$9.99</b> <a href='/promo'>More</a></p></div>"


def rename_classes(page):
    return re.sub(r"class='(\w+)", r"class='new-\1", page)


def rename_all(page):
    return rename_classes(page).replace("id='main'", "id='page'")


def wrap_body(page):
    return page.replace("<body>", "<body><div class='shell'>").replace("</body>", "</div></body>")


def wrap_main(page):
    return page.replace("<h1>", "<section><div><h1>").replace(
        "<div class='footer'>", "</div></section><div class='footer'>"
    )


def add_ads(page):
    return page.replace("<body>", f"<body>{AD}").replace("<h1>", f"{AD}<h1>")


def replace_tags(page):
    for old, new in (("b", "strong"), ("center", "div"), ("h3", "h4"), ("h1", "h2")):
        page = re.sub(rf"<(/?){old}(?=[\s>])", rf"<\1{new}", page)
    return page


def replace_containers(page):
    return page.replace("<div class='results'>", "<section class='results'>").replace(
        "</div></div><div class='footer'>", "</section></div><div class='footer'>"
    )


CHANGES = [
    rename_classes,
    rename_all,
    wrap_body,
    wrap_main,
    add_ads,
    replace_tags,
    replace_containers,
    lambda page: wrap_body(replace_tags(rename_classes(page))),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make_older", [False, True])
def test_a_changed_page_has_the_same_cells(wrapper, change, make_older):
    wrapper = read_old_file(wrapper) if make_older else wrapper
    table, fit = extract(wrapper, change(PAGE))
    assert table.rows == extract(wrapper, PAGE)[0].rows
    assert fit > 0.7


def test_a_last_page_with_one_record_is_extracted_after_a_change(wrapper):
    table, fit = extract(wrapper, wrap_body(make_page([make_record("oak")])))
    assert [row[table.names.index("title")] for row in table.rows] == ["oak tree"]
    assert fit > 0.5


# ---- records that look different -----------------------------------------------------------------

_LONG = "<ul>" + "".join(f"<li><a href='/v{k}'>variety {k}</a></li>" for k in range(8)) + "</ul>"


BANNER = "<div><form><p>Get our letter</p><p>each week</p><input><p>Subscribe</p></form></div>"


def test_a_sibling_with_the_columns_of_the_records_is_a_record(wrapper):
    records = [make_record(name, extra=_LONG if name == "oak" else "") for name in OTHERS]
    table, fit = extract(wrapper, make_page(records))
    assert len(table.rows) == len(OTHERS)
    assert 0.5 < fit < 1


def test_a_sibling_without_the_columns_is_no_record(wrapper):
    records = [*map(make_record, OTHERS[:4]), BANNER, *map(make_record, OTHERS[4:])]
    table, _ = extract(wrapper, make_page(records))
    assert len(table.rows) == len(OTHERS)


def test_what_was_no_record_on_the_learned_page_is_none_on_others():
    """Elements that are almost records are left out as they were."""
    header = "<div class='item'><p>Sponsored trees of this week, <b>chosen</b> by others</p></div>"
    learned = unweave.learn([make_page([*map(make_record, TREES), header])], method="records")
    table, _ = extract(learned, make_page([*map(make_record, OTHERS), header]))
    assert len(table.rows) == len(OTHERS)


def test_header_rows_are_no_records():
    def make_table(names):
        rows = "".join(
            f"<tr><td>{name} tree</td><td>{len(name)} m</td><td>{len(name)}.50</td></tr>"
            for name in names
        )
        return (
            "<body><h1>Trees</h1><table><tr><th>Name</th><th>Height</th><th>Price</th></tr>"
            f"{rows}</table></body>"
        )

    wrapper = unweave.learn([make_table(TREES)], method="records")
    table, fit = extract(wrapper, make_table(OTHERS))
    assert len(table.rows) == len(OTHERS)
    assert fit == 1.0


# ---- the fit -------------------------------------------------------------------------------------


def test_a_page_of_the_template_fits(wrapper):
    assert extract(wrapper, PAGE)[1] == 1.0


@pytest.mark.parametrize("make_older", [False, True])
def test_a_wrong_list_does_not_fit(wrapper, make_older):
    """At the learned path are elements with the tags of records, and with other values."""
    wrapper = read_old_file(wrapper) if make_older else wrapper
    wrong = [f"<div class='item'><h3>{k}</h3><p>{k}</p><span>{k}</span></div>" for k in range(1, 9)]
    assert extract(wrapper, make_page(wrong))[1] < 0.5


def test_other_lists_of_the_site_do_not_fit(wrapper):
    assert extract(wrapper, make_page([]))[1] < 0.5
    posts = [
        f"<article><p>{name}</p><p>2024-05-0{k}</p><ul><li>1</li><li>2</li></ul></article>"
        for k, name in enumerate(OTHERS, 1)
    ]
    assert extract(wrapper, make_page(posts))[1] < 0.5


def test_empty_columns_lower_the_fit(wrapper):
    without = re.sub(r"<span class='price'>.*?</span>", "", PAGE)
    assert extract(wrapper, without)[1] < 0.9


def test_values_of_another_kind_lower_the_fit(wrapper):
    other = re.sub(r"(<p class='text'>).*?(</p>)", r"\g<1>no <b>1</b>\2", PAGE)
    assert extract(wrapper, other)[1] < 0.95


def test_pages_that_fit_are_not_mined(wrapper, monkeypatch):
    monkeypatch.setattr(default, "find_lists", None)
    assert extract(wrapper, PAGE)[1] == 1.0
    assert len(extract(wrapper, wrap_body(PAGE))[0].rows) == len(OTHERS)


# ---- files ---------------------------------------------------------------------------------------


def test_the_statistics_are_in_the_file(wrapper):
    statistics = json.loads(wrapper.dumps())["statistics"]
    assert statistics["counts"] == [len(TREES)]
    assert len(statistics["shares"]) == len(wrapper.columns)
    assert Wrapper.loads(wrapper.dumps()).dumps() == wrapper.dumps()


def test_an_older_file_is_read_and_written_as_it_was(wrapper):
    older = read_old_file(wrapper)
    assert "statistics" not in json.loads(older.dumps())
    table, fit = extract(older, PAGE)
    assert table.rows == extract(wrapper, PAGE)[0].rows
    assert fit == 1.0


@pytest.mark.parametrize(
    "damage",
    [
        {"counts": []},
        {"counts": [0]},
        {"shares": [1.0]},
        {"shares": "x"},
        {"profiles": [[99, 1.0, 1.0, 8]]},
        {"profiles": [[0, float("inf"), 1.0, 8]]},
        {"profiles": [[0, 1.0, float("nan"), 8]]},
        {"profiles": [[0, 1.0, 1.0, 0]]},
        {"siblings": [0.0]},
        {"siblings": [float("nan"), 0.0]},
    ],
)
def test_damaged_statistics_are_refused(wrapper, damage):
    data = json.loads(wrapper.dumps())
    data["statistics"].update(damage)
    with pytest.raises(WrapperError, match="the wrapper is damaged"):
        Wrapper.loads(json.dumps(data))
    with pytest.raises(WrapperError, match="the wrapper is damaged"):
        Wrapper.loads(json.dumps({**data, "statistics": 7}))
