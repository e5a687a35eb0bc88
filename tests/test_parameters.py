"""Wrong parameters: one clear error, the same from Python and from the command line; and no page is changed."""

import pytest
from click.testing import CliRunner

import unweave
from unweave import UsageError
from unweave.cli import main

PRODUCTS, PEOPLE = "examples/products.html", "examples/people.html"
CARDS = ["/html/body/div[2]/div/main/div[2]/div[1]", "/html/body/div[2]/div/main/div[2]/div[2]"]
LIKE_CARDS = ["--like", CARDS[0], "--like", CARDS[1]]
SHOP = ["examples/shop/kettle.html", "examples/shop/lamp.html"]

RECORDS = [
    pytest.param(
        {"want": "price", "like": CARDS},
        ["--want", "price", *LIKE_CARDS],
        "want and like cannot be given together: like names the one table",
        id="want and like",
    ),
    pytest.param(
        {"like": CARDS[:1]}, LIKE_CARDS[:2], "like takes two elements, not 1", id="one element"
    ),
    pytest.param(
        {"want": "beauty"}, ["--want", "beauty"], "cannot look for 'beauty'", id="an unknown type"
    ),
    pytest.param(
        {"method": "mdr", "want": "price"},
        ["--method", "mdr", "--want", "price"],
        "the method mdr has no parameter want; it has k, t, variant, tags and nested (want is a parameter of auto)",
        id="want of mdr",
    ),
    pytest.param(
        {"method": "ctvs", "like": CARDS},
        ["--method", "ctvs", *LIKE_CARDS],
        "printed_types and printed_mean (like is a parameter of auto)",
        id="like of ctvs",
    ),
    pytest.param(
        {"method": "mdr", "k": "many"},
        ["--method", "mdr", "--parameter", "k=many"],
        "k must be a whole number, not 'many'",
        id="a word for a number",
    ),
    pytest.param(
        {"method": "mdr", "k": True},
        ["--method", "mdr", "-p", "k=yes"],
        "k must be a whole number, not True",
        id="a switch for a number",
    ),
]


@pytest.mark.parametrize(("parameters", "words", "message"), RECORDS)
@pytest.mark.parametrize("more", [[], ["--column", "title"]], ids=["all columns", "a column"])
def test_wrong_parameters_of_records(parameters, words, message, more):
    with pytest.raises(UsageError) as caught:
        unweave.records(PRODUCTS, **parameters)
    assert message in str(caught.value)
    result = CliRunner().invoke(main, ["records", PRODUCTS, *words, *more])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"unweave: {caught.value}\n"


def test_wanted_types_may_come_from_an_iterator():
    assert unweave.records(PRODUCTS, want=iter(["price"])) != []
    with pytest.raises(UsageError, match="cannot look for 'beauty'"):
        unweave.records(PRODUCTS, want=iter(["beauty"]))


def test_parameters_are_checked_before_the_page_is_read():
    with pytest.raises(UsageError, match="has no parameter colour"):
        unweave.records("no-such-page.html", colour="red")
    with pytest.raises(UsageError, match="has no parameter colour"):
        unweave.learn(["no-such-page.html"], colour="red")


LEARN = [
    pytest.param(
        SHOP,
        {"table": 1},
        ["--table", "1"],
        "table is a parameter of lists, and auto learns fields from several pages: give the method records",
        id="a table of several pages",
    ),
    pytest.param(
        SHOP,
        {"method": "fields", "columns": ["title"]},
        ["--method", "fields", "--column", "title"],
        "the method fields has no parameter columns; it has none (columns is a parameter of auto and records)",
        id="columns of fields",
    ),
    pytest.param(
        SHOP,
        {"search": "greedy"},
        ["--search", "greedy"],
        "the method auto has no parameter search; it has table, like and columns (search is a parameter of landmark)",
        id="search without landmark",
    ),
    pytest.param(
        [PRODUCTS],
        {"table": 2, "like": CARDS},
        ["--table", "2", *LIKE_CARDS],
        "table and like cannot be given together: like names the one table",
        id="table and like",
    ),
    pytest.param(
        [PRODUCTS],
        {"like": CARDS[:1]},
        LIKE_CARDS[:2],
        "like takes two elements, not 1",
        id="one element",
    ),
    pytest.param(
        [PRODUCTS],
        {"table": 99},
        ["--table", "99"],
        "there is no table 99; the pages have at most 4",
        id="no such table",
    ),
]


@pytest.mark.parametrize(("pages", "parameters", "words", "message"), LEARN)
def test_wrong_parameters_of_learn(pages, parameters, words, message, tmp_path):
    with pytest.raises(UsageError) as caught:
        unweave.learn(pages, **parameters)
    assert message in str(caught.value)
    result = CliRunner().invoke(main, ["learn", *pages, *words, "-o", str(tmp_path / "x.json")])
    assert (result.exit_code, result.stderr) == (2, f"unweave: {caught.value}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "method", ["auto", "fields", "records", "pattern", "news-pattern", "landmark"]
)
def test_an_unknown_parameter_of_learn_is_named_with_those_there_are(method):
    with pytest.raises(
        UsageError, match=f"the method {method} has no parameter foo; it has "
    ) as caught:
        unweave.learn(SHOP, method=method, foo=1)
    has = {
        "fields": "none",
        "pattern": "threshold and gap",
        "news-pattern": "variant, threshold and tolerance",
        "landmark": "search, tokens, k, attributes, ties, seed, budget and variant",
    }
    assert str(caught.value).endswith(has.get(method, "table, like and columns"))


def test_the_method_records_takes_its_parameters_for_several_pages_too():
    wrapper = unweave.learn([PRODUCTS, PRODUCTS], method="records", table=1, columns=["title=name"])
    assert unweave.apply(wrapper, PRODUCTS)[0].names == ["name"]


def test_one_readable_page_of_several_does_not_change_what_is_learned(tmp_path):
    words = [
        "learn",
        PRODUCTS,
        str(tmp_path / "none.html"),
        "--table",
        "1",
        "-o",
        str(tmp_path / "x.json"),
    ]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "auto learns fields from several pages" in result.stderr


def test_records_leaves_the_page_as_it_was(monkeypatch):
    monkeypatch.setattr("unweave.api.MAX_OUTPUT_ITEMS", 10)
    page = unweave.load_page(PRODUCTS)
    first, second = unweave.records(page), unweave.records(page)
    assert page.notes == ()
    assert (
        first.warnings
        == second.warnings
        == ("only 1 of 4 lists are given: they are too large together",)
    )
    assert unweave.records(PEOPLE, method="ctvs").warnings != ()
    result = CliRunner().invoke(main, ["records", PRODUCTS])
    assert result.stderr == f"unweave: {PRODUCTS}: {first.warnings[0]}\n"


def test_tables_are_a_list_without_notes_where_nothing_was_left_out():
    tables = unweave.records(PEOPLE)
    assert len(tables) == 2
    assert tables.warnings == ()
    assert unweave.records("<p>nothing here</p>") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "k"], "a parameter is given as NAME=VALUE, not as 'k'"),
        (["-p", "k=3", "-p", "k=4"], "the parameter k is given twice"),
        (
            ["--variant", "printed", "-p", "variant=corrected"],
            "the parameter variant is given twice",
        ),
    ],
)
def test_parameters_on_the_command_line_have_a_name_and_a_value(words, message):
    result = CliRunner().invoke(main, ["records", PRODUCTS, "--method", "mdr", *words])
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"unweave: {message}\n")


def test_a_parameter_on_the_command_line_is_that_of_the_method():
    result = CliRunner().invoke(
        main, ["records", PRODUCTS, "--method", "mdr", "-p", "t=0", "--format", "csv"]
    )
    assert result.exit_code == 0
    rows = unweave.records(PRODUCTS, method="mdr", t=0)[0].format_rows()
    assert len(result.stdout.splitlines()) == len(rows) + 1
    assert len(rows) != len(unweave.records(PRODUCTS, method="mdr")[0].format_rows())
