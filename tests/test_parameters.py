"""Wrong parameters: one clear error, the same from Python and from the command line; and no page is changed."""

import pytest
from click.testing import CliRunner

import unweave
from unweave import UsageError
from unweave.cli import main
from unweave.lists.methods.ctvs import Ctvs
from unweave.lists.methods.depta import Depta
from unweave.lists.methods.mdr import Mdr

PRODUCTS, PEOPLE = "examples/products.html", "examples/people.html"
CARDS = ["/html/body/div[2]/div/main/div[2]/div[1]", "/html/body/div[2]/div/main/div[2]/div[2]"]
LIKE_CARDS = ["--like", CARDS[0], "--like", CARDS[1]]
SHOP = ["examples/shop/kettle.html", "examples/shop/lamp.html"]

RECORDS = [
    pytest.param(
        {"want": "price", "like": CARDS},
        ["--want", "price", *LIKE_CARDS],
        "want and like exclude each other: like selects the only table",
        id="want and like",
    ),
    pytest.param(
        {"like": CARDS[:1]},
        LIKE_CARDS[:2],
        "like takes two elements, one from each of two records, not 1",
        id="one element",
    ),
    pytest.param(
        {"want": "beauty"}, ["--want", "beauty"], "cannot look for 'beauty'", id="an unknown type"
    ),
    pytest.param(
        {"method": "mdr", "want": "price"},
        ["--method", "mdr", "--want", "price"],
        "method mdr has no option 'want'; its options are k, t, variant, tags, nested"
        " (want is an option of auto)",
        id="want of mdr",
    ),
    pytest.param(
        {"method": "ctvs", "like": CARDS},
        ["--method", "ctvs", *LIKE_CARDS],
        "printed_types, printed_mean (like is an option of auto)",
        id="like of ctvs",
    ),
    pytest.param(
        {"method": "best"},
        ["--method", "best"],
        "unknown method 'best'; choose from auto, mdr, depta, ctvs",
        id="an unknown method",
    ),
]


@pytest.mark.parametrize(("options", "arguments", "message"), RECORDS)
@pytest.mark.parametrize("more", [[], ["--column", "title"]], ids=["all columns", "a column"])
def test_wrong_options_of_records(options, arguments, message, more):
    with pytest.raises(UsageError) as caught:
        unweave.records(PRODUCTS, **options)
    assert message in str(caught.value)
    result = CliRunner().invoke(main, ["records", PRODUCTS, *arguments, *more])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"unweave: {caught.value}\n"


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (lambda: Mdr(k="many"), ["mdr", "-p", "k=many"], "k must be an integer, not 'many'"),
        (lambda: Mdr(k=True), ["mdr", "-p", "k=yes"], "k must be an integer, not True"),
        (lambda: Mdr(k=0), ["mdr", "-p", "k=0"], "k must be at least 1, not 0"),
        (lambda: Depta(t=3.5), ["depta", "-p", "t=3.5"], "t must be at least 0 and below 2"),
        (lambda: Depta(products=1), ["depta", "-p", "products=1"], "products must be true or"),
        (lambda: Ctvs(keep_last=2), ["ctvs", "-p", "keep_last=2"], "keep_last must be true or"),
        (lambda: Ctvs(variant="best"), ["ctvs", "-p", "variant=best"], "unknown variant 'best'"),
    ],
)
def test_wrong_options_of_methods(make, arguments, message):
    with pytest.raises(UsageError) as caught:
        make()
    assert message in str(caught.value)
    result = CliRunner().invoke(main, ["records", PRODUCTS, "--method", *arguments])
    assert (result.exit_code, result.stderr) == (2, f"unweave: {caught.value}\n")


def test_required_types_may_come_from_an_iterator():
    assert unweave.records(PRODUCTS, want=iter(["price"])) != []
    with pytest.raises(UsageError, match="cannot look for 'beauty'"):
        unweave.records(PRODUCTS, want=iter(["beauty"]))


def test_options_are_checked_before_the_page_is_read():
    with pytest.raises(UsageError, match="cannot look for 'colour'"):
        unweave.records("no-such-page.html", want="colour")
    with pytest.raises(UsageError, match="unknown method 'red'"):
        unweave.learn(["no-such-page.html"], method="red")


def test_options_of_a_method_that_is_made_are_its_fields():
    with pytest.raises(UsageError, match="give want to the method that you have made"):
        unweave.records(PRODUCTS, method=Mdr(), want="price")


LEARN = [
    pytest.param(
        SHOP,
        {"table": 1},
        ["--table", "1"],
        "table is an option of lists, but method auto learns fields from several pages:"
        " use method records",
        id="a table of several pages",
    ),
    pytest.param(
        SHOP,
        {"method": "pattern", "columns": ["title"]},
        ["--method", "pattern", "--column", "title"],
        "method pattern has no option 'columns'; its options are threshold, gap"
        " (columns is an option of auto, fields, records)",
        id="columns of patterns",
    ),
    pytest.param(
        [PRODUCTS],
        {"table": 2, "like": CARDS},
        ["--table", "2", *LIKE_CARDS],
        "table and like exclude each other: like selects the only table",
        id="table and like",
    ),
    pytest.param(
        [PRODUCTS],
        {"like": CARDS[:1]},
        LIKE_CARDS[:2],
        "like takes two elements, one from each of two records, not 1",
        id="one element",
    ),
    pytest.param(
        [PRODUCTS],
        {"table": 99},
        ["--table", "99"],
        "there is no table 99; the pages have at most 10",
        id="no such table",
    ),
]


@pytest.mark.parametrize(("pages", "options", "arguments", "message"), LEARN)
def test_wrong_options_of_learn(pages, options, arguments, message, tmp_path):
    with pytest.raises(UsageError) as caught:
        unweave.learn(pages, **options)
    assert message in str(caught.value)
    result = CliRunner().invoke(main, ["learn", *pages, *arguments, "-o", str(tmp_path / "x.json")])
    assert (result.exit_code, result.stderr) == (2, f"unweave: {caught.value}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("auto", "its options are table, like, columns, examples, schema"),
        ("fields", "its options are columns, examples, schema"),
        ("records", "its options are table, like, columns, schema"),
        ("pattern", "its options are threshold, gap"),
        ("news-pattern", "its options are variant, threshold, tolerance"),
        ("landmark", "search, tokens, k, attributes, ties, seed, budget, variant"),
        ("depta", "its options are k, t, variant, products, table"),
    ],
)
def test_an_unknown_option_of_learn_is_named_with_those_there_are(method, options, tmp_path):
    arguments = [*SHOP, "--method", method, "-p", "foo=1", "-o", str(tmp_path / "x.json")]
    result = CliRunner().invoke(main, ["learn", *arguments])
    assert result.exit_code == 2
    assert f"method {method} has no option 'foo'; " in result.stderr
    assert result.stderr.endswith(f"{options}\n")


def test_an_option_of_another_method_is_named_with_it(tmp_path):
    arguments = [*SHOP, "--search", "greedy", "-o", str(tmp_path / "x.json")]
    result = CliRunner().invoke(main, ["learn", *arguments])
    assert (result.exit_code, result.stderr) == (
        2,
        "unweave: method auto has no option 'search'; its options are table, like, columns,"
        " examples, schema (search is an option of landmark)\n",
    )


def test_the_method_records_takes_its_options_for_several_pages_too():
    wrapper = unweave.learn([PRODUCTS, PRODUCTS], method="records", table=1, columns=["title=name"])
    assert unweave.apply(wrapper, PRODUCTS).table.names == ["name"]


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
    assert "method auto learns fields from several pages" in result.stderr


def test_records_leaves_the_page_as_it_was(monkeypatch):
    monkeypatch.setattr("unweave.lists.method.MAX_OUTPUT_ITEMS", 10)
    page = unweave.load_page(PRODUCTS)
    first, second = (unweave.records(page, alternatives=True) for _ in range(2))
    assert page.warnings == ()
    assert (
        first.warnings
        == second.warnings
        == ("only 1 of 10 lists are given: the output is too large",)
    )
    assert unweave.records(PEOPLE, method="ctvs").warnings != ()
    result = CliRunner().invoke(main, ["records", PRODUCTS, "--all"])
    assert result.stderr == f"unweave: {PRODUCTS}: {first.warnings[0]}\n"


def test_tables_are_a_list_without_notes_where_nothing_was_left_out():
    tables = unweave.records(PEOPLE)
    assert len(tables) == 1
    assert tables.warnings == ()
    assert unweave.records("<p>nothing here</p>") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "k"], "expected -p NAME=VALUE, got 'k'"),
        (["-p", "k=3", "-p", "k=4"], "the option k is given twice"),
        (
            ["--variant", "printed", "-p", "variant=corrected"],
            "the option variant is given twice",
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
    rows = unweave.records(PRODUCTS, method=Mdr(t=0))[0].format_rows()
    assert len(result.stdout.splitlines()) == len(rows) + 1
    assert len(rows) != len(unweave.records(PRODUCTS, method="mdr")[0].format_rows())
