"""The seed of DEPTA as a wrapper for other pages (sections 1 and 4.4.2 of the paper)."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from unweave import UsageError, WrapperError
from unweave.cli import main
from unweave.lists.methods.depta import Depta
from unweave.wrappers.base import Wrapper
from unweave.wrappers.seed.learn import SeedLearner

SHARED = "<q>" + "<i></i>" * 30 + "</q>"


def letters_page(*records):
    """Records whose items are letters, in elements of that name, after what all records share."""
    rows = (
        f"<li>{SHARED}{''.join(f'<{letter}>{letter}</{letter}>' for letter in record)}</li>"
        for record in records
    )
    return f"<main><ul>{''.join(rows)}</ul></main>"


def product(number, *, rating=False):
    stars = f"<em>{number} stars</em>" if rating else ""
    return (
        f"<li><a href=/p/{number}>name {number}</a>{stars}<p>about {number}</p>"
        f"<b>{number}.99 €</b><u>new</u></li>"
    )


def shop(*products):
    menu = "".join(
        f"<li><a href=/{word}>{word}</a></li>" for word in ("home", "shop", "about", "help", "cart")
    )
    return f"<body><ul>{menu}</ul><h1>Shop</h1><ul>{''.join(products)}</ul><p>The end.</p></body>"


LEARNED_FROM = shop(*(product(number, rating=number % 2) for number in range(6)))


def test_the_seed_of_figure_14_reads_other_pages():
    """T1, T2 and T3 give the seed; one record has every item, and one has few."""
    wrapper = unweave.learn([letters_page("tuvwxbd", "bnckg", "bcdhk")], method="depta")
    table, fit = extract(wrapper, letters_page("xbncdhkg", "bdg"))
    assert ["".join(cell or "." for cell in row) for row in table.rows] == [
        "....xbncdhkg",
        ".....b..d..g",
    ]
    assert fit == 1


def test_a_page_with_a_single_record_is_read():
    """Mining needs two similar records; the seed needs one that is similar to it."""
    wrapper = unweave.learn([LEARNED_FROM], method="depta")
    page = shop(product(9, rating=True))
    assert all(len(table) != 1 for table in unweave.records(page, method="depta"))
    table, fit = extract(wrapper, page)
    assert table.rows == [["/p/9", "name 9", "9 stars", "about 9", "9.99 €", "new"]]
    assert fit == 1


def test_columns_are_those_of_the_learned_page_and_menus_are_no_records():
    wrapper = unweave.learn([LEARNED_FROM], method="depta")
    (learned, *_) = unweave.records(LEARNED_FROM, method="depta")
    table, _ = extract(wrapper, shop(*(product(number) for number in range(20, 24))))
    assert [column.name for column in table.columns] == [column.name for column in learned.columns]
    assert [row[2] for row in table.rows] == [None] * 4
    assert list(table.texts) == [f"name {k} about {k} {k}.99 € new" for k in range(20, 24)]
    assert [table.page.text(nodes[1][0]) for nodes in table.nodes] == [
        f"name {k}" for k in range(20, 24)
    ]


def test_an_optional_item_of_a_further_page_gets_a_column():
    plain = shop(*(product(number) for number in range(4)))
    rated = shop(*(product(number, rating=True) for number in range(4)))
    wrapper = unweave.learn([plain, rated], method="depta")
    table, fit = extract(wrapper, rated)
    assert table.rows[3] == ["/p/3", "name 3", "3 stars", "about 3", "3.99 €", "new"]
    assert fit == 1
    table, fit = extract(unweave.learn([plain], method="depta"), rated)
    assert "3 stars" not in table.rows[3]
    assert fit < 1


def test_records_of_several_rows():
    row = (
        "<tr><td><b>name {0}</b></td><td><a href=/{0}>more</a></td></tr>"
        "<tr><td><p>text {0}</p><p>and</p></td></tr>"
    )
    pages = [
        f"<table>{''.join(row.format(k) for k in numbers)}</table><p>end</p>"
        for numbers in (range(5), range(10, 13))
    ]
    table, fit = extract(unweave.learn(pages[:1], method="depta"), pages[1])
    assert [len(record) for record in table.records] == [2, 2, 2]
    assert table.rows[0] == ["name 10", "/10", "more", "text 10", "and"]
    assert fit == 1


def test_records_that_are_not_contiguous():
    """Names in one row, descriptions in the next (Figure 6)."""
    table, _ = extract(
        unweave.learn(["examples/twocolumn.html"], method="depta"), "examples/twocolumn.html"
    )
    assert list(table.texts) == list(
        unweave.records("examples/twocolumn.html", method="depta")[0].texts
    )


def test_the_example_shop():
    wrapper = unweave.learn(["examples/products.html"], method="depta")
    table, fit = extract(wrapper, "examples/products-2.html")
    assert len(table) == 24
    assert fit > 0.95


def test_a_page_without_such_a_list_has_no_table():
    wrapper = unweave.learn([LEARNED_FROM], method="depta")
    assert extract(wrapper, "<p>nothing</p>") == (None, 0.0)


def test_another_table_and_other_parameters():
    wrapper = unweave.learn([LEARNED_FROM], method="depta", table=2)
    table, _ = extract(wrapper, LEARNED_FROM)
    assert list(table.texts) == ["home", "shop", "about", "help", "cart"]
    with pytest.raises(UsageError, match="there is no table 9"):
        unweave.learn([LEARNED_FROM], method="depta", table=9)
    with pytest.raises(WrapperError, match="none of the pages has a list"):
        unweave.learn([LEARNED_FROM], method=SeedLearner(products=True))


def test_a_wrapper_file_is_plain_json(tmp_path):
    wrapper = unweave.learn([LEARNED_FROM], method="depta")
    data = json.loads(wrapper.dumps())
    assert (data["unweave"], data["version"], data["kind"]) == ("wrapper", 1, "depta")
    again = Wrapper.loads(wrapper.dumps())
    assert again.dumps() == wrapper.dumps()
    assert extract(again, LEARNED_FROM)[0].rows == extract(wrapper, LEARNED_FROM)[0].rows


DAMAGED = [
    ("seed", []),
    ("seed", [["#record", -1]]),
    ("seed", [["#record", -1], ["li", 5]]),
    ("seed", "li"),
    ("columns", []),
    ("columns", [[99, "text", 1, {"name": "x", "type": "string"}]]),
    ("columns", [[1, "code", 1, {"name": "x", "type": "string"}]]),
    (
        "columns",
        [
            [1, "text", 1, {"name": "x", "type": "string"}],
            [2, "text", 1, {"name": "x", "type": "string"}],
        ],
    ),
    ("joined", ["x"]),
    ("roots", []),
    ("roots", [[]]),
    ("record_size", 0),
    ("record_size", float("inf")),
    ("min_similarity", 0),
    ("min_similarity", float("nan")),
]


@pytest.mark.parametrize(("name", "value"), DAMAGED)
def test_a_damaged_wrapper_is_refused(name, value):
    data = json.loads(unweave.learn([LEARNED_FROM], method="depta").dumps())
    with pytest.raises(WrapperError, match="damaged"):
        Wrapper.loads(json.dumps({**data, name: value}))
    del data[name]
    with pytest.raises(WrapperError, match="damaged"):
        Wrapper.loads(json.dumps(data))


records = st.lists(st.text("abcdefg", min_size=1, max_size=7), min_size=2, max_size=6)


@given(records)
def test_the_learned_page_is_read_as_it_was_aligned(letters):
    """Every linked item is in its column, and no cell has a text that its record has not."""
    page = letters_page(*letters)
    wrapper = unweave.learn([page], method="depta")
    table, fit = extract(wrapper, page)
    (mined, *_) = unweave.records(page, method="depta")
    assert set(mined.records) <= set(table.records)
    assert 0 < fit <= 1
    for row, text in zip(table.rows, table.texts, strict=True):
        assert not set(filter(None, row)) - set(text.split())


def test_learn_show_apply_and_export_on_the_command_line(tmp_path):
    first, second, file = tmp_path / "1.html", tmp_path / "2.html", tmp_path / "shop.json"
    first.write_text(LEARNED_FROM)
    second.write_text(shop(*(product(number) for number in range(20, 24))))
    run = CliRunner().invoke
    assert (
        run(
            main,
            ["learn", str(first), "--method", "depta", "--variant", "improved", "-o", str(file)],
        ).exit_code
        == 0
    )
    shown = run(main, ["show", str(file)])
    assert "the seed of a list" in shown.output
    assert "text_1 (string) at li/a" in shown.output
    applied = run(main, ["apply", str(file), str(second), "--format", "json"])
    assert applied.exit_code == 0
    assert "name 23" in applied.output
    exported = run(main, ["export", str(file), "-o", str(tmp_path / "x.json")])
    assert exported.exit_code != 0
    assert "no selector" in exported.output


def test_a_page_is_read_with_the_learned_parameters():
    """Records over two rows of a table, in cells that are similar for a larger t only."""
    names = "".join(f"<td><b>name {n}</b>{'<i>x</i>' * (1 + n % 2 * 2)}</td>" for n in range(4))
    details = "".join(f"<td><p>text {n}</p><u>u</u><u>v</u><s>w</s></td>" for n in range(4))
    page = f"<table><tr>{names}</tr><tr>{details}</tr></table>"
    wrapper = unweave.learn([page], method=SeedLearner(t=0.5))
    assert not wrapper.is_adjacent
    table, fit = extract(wrapper, page)
    assert (len(table), fit) == (4, 1)
    assert table.texts == unweave.records(page, method=Depta(t=0.5))[0].texts
