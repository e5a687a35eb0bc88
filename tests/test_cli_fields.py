"""Choosing fields on the command line: --column, --example and --schema of learn, apply, records."""

import csv
import io
import json
from dataclasses import replace
from datetime import date

import pytest

import unweave
from tests.test_cli import run
from tests.wrappers.fields.templates import make_books

pq = pytest.importorskip("pyarrow.parquet")

SCHEMA = {
    "properties": {
        "cost": {"type": "number"},
        "title": {"type": "string"},
        "released": {"type": "string", "format": "date"},
        "isbn": {"type": "string"},
        "horsepower": {"type": "integer"},
    },
    "required": ["title", "cost"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("books")
    for number, page in enumerate(make_books()):
        markup = page.replace("class=amount", "class=price")
        (folder / f"{number:02}.html").write_text(markup, encoding="utf-8")
    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return folder


@pytest.fixture
def learn(folder, tmp_path):
    """Return a function that learns a wrapper and returns its file and what was reported."""

    def learn(*words):
        path = tmp_path / "books.json"
        pages = map(str, sorted(folder.glob("*.html")))
        result = run("learn", *pages, *words, "-o", str(path))
        assert result.exit_code == 0, result.stderr
        return str(path), result.stderr

    return learn


def read_lines(*words):
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_learn_with_columns_and_an_example(learn, folder):
    wrapper, reported = learn(
        "--column", "published=released:date", "--column", "pages", "--example", "name=Emma"
    )
    assert reported == ""
    (line,) = read_lines("apply", wrapper, str(folder / "02.html"))
    assert line["fields"] == {"released": "3 May 2002", "pages": "174", "name": "Ulysses"}
    assert line["values"] == {"released": "2002-05-03"}
    shown = run("show", wrapper, env={"COLUMNS": "160"}).stdout
    assert "selected: released (date) from published" in shown
    assert "selected: name (string) from title" in shown


def test_apply_with_columns(learn, folder):
    wrapper, _ = learn()
    page = str(folder / "02.html")
    (line,) = read_lines("apply", wrapper, page, "--column", "pages=n:integer", "--column", "title")
    assert list(line["fields"].items()) == [("n", "174"), ("title", "Ulysses")]
    assert line["values"] == {"n": 174}
    result = run("apply", wrapper, page, "--column", "title", "--format", "csv")
    assert result.stdout == f"page,fit,title\n{page},1.0,Ulysses\n"


def test_columns_of_apply_are_in_place_of_those_of_the_wrapper(learn, folder):
    wrapper, _ = learn("--column", "title=name")
    (line,) = read_lines("apply", wrapper, str(folder / "02.html"), "--column", "pages")
    assert line["fields"] == {"pages": "174"}


def test_a_schema_gives_typed_fields_and_says_what_is_missing(learn, folder, tmp_path):
    wrapper, reported = learn("--schema", str(folder / "schema.json"))
    assert "unweave: horsepower: " in reported
    assert "title" not in reported
    shown = run("show", wrapper, env={"COLUMNS": "160"}).stdout
    assert "selected: cost (number) from price, confidence 0." in shown
    out = tmp_path / "books.parquet"
    pages = [str(folder / f"{number:02}.html") for number in range(3)]
    assert run("apply", wrapper, *pages, "-o", str(out)).exit_code == 0
    table = pq.read_table(out)
    assert table.column_names[:7] == ["page", "fit", *list(SCHEMA["properties"])]
    row = table.to_pylist()[1]
    assert (row["cost"], row["title"]) == (11.49, "Emma")
    assert (row["released"], row["isbn"]) == (date(2001, 5, 2), "0306417919")


def test_apply_reports_values_that_are_missing_or_of_another_type(learn, folder, tmp_path):
    wrapper, _ = learn("--schema", str(folder / "schema.json"))
    markup = (folder / "00.html").read_text(encoding="utf-8")
    for name, old, new in (
        ("lacking", "<h1>The Hobbit</h1>", ""),
        ("wrong", "1 May 2000", "soon, we hope"),
    ):
        (tmp_path / f"{name}.html").write_text(markup.replace(old, new), encoding="utf-8")
    pages = [str(tmp_path / "lacking.html"), str(tmp_path / "wrong.html"), str(folder / "01.html")]
    result = run("apply", wrapper, *pages)
    assert result.exit_code == 0
    assert "unweave: title: 1 of 3 pages have no value, but it is required" in result.stderr
    assert "unweave: released: 1 of 3 pages have a value of another type" in result.stderr
    assert "cost" not in result.stderr


def test_typed_formats_have_the_types_of_all_values(learn, folder, tmp_path):
    wrapper, _ = learn()
    pages = [str(folder / f"{number:02}.html") for number in range(12)]
    out = tmp_path / "books.parquet"
    assert run("apply", wrapper, *pages, "-o", str(out)).exit_code == 0
    typed = pq.read_table(out).to_pydict()
    assert typed["pages"] == [100 + number * 37 for number in range(12)]
    assert typed["published"][0] == date(2000, 5, 1)
    assert typed["price"][:2] == [10.49, 11.49]
    assert typed["price_currency"] == ["$"] * 12
    texts = list(
        csv.DictReader(io.StringIO(run("apply", wrapper, *pages, "--format", "csv").stdout))
    )
    for name in texts[0]:
        if name not in ("page", "fit"):
            present = [bool(row[name]) for row in texts]
            assert [cell is not None for cell in typed[name]] == present
    values = run("apply", wrapper, *pages, "--format", "csv", "--values").stdout
    assert next(csv.DictReader(io.StringIO(values)))["published"] == "2000-05-01"


def test_pages_that_look_like_numbers_keep_their_names(learn, folder, monkeypatch, tmp_path):
    wrapper, _ = learn("--column", "title")
    for name in ("1", "2"):
        (tmp_path / name).write_bytes((folder / "01.html").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run("apply", wrapper, "1", "2", "-o", "out.parquet").exit_code == 0
    assert pq.read_table("out.parquet").to_pydict()["page"] == ["1", "2"]


def test_records_with_a_schema(tmp_path):
    schema = {"properties": {"cost": {"type": "number"}, "name": {"type": "string"}, "flavour": {}}}
    (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    out = tmp_path / "out.parquet"
    words = ("records", "examples/products.html", "--schema", str(tmp_path / "schema.json"))
    result = run(*words, "-o", str(out))
    assert result.exit_code == 0
    assert "unweave: flavour: no column of the pages corresponds to it" in result.stderr
    rows = pq.read_table(out).to_pylist()
    assert len(rows) == 24
    assert list(rows[0]) == ["cost", "name", "flavour"]
    assert "unweave: column cost: 1 of 24 cells are empty" in result.stderr
    assert sum(isinstance(row["cost"], float) for row in rows) == 23
    assert rows[0]["name"] == "Stoneware dinner plate, sand glaze"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--example", "title"], "--example takes NAME=VALUE, not 'title'"),
        (["--example", "=Emma"], "--example takes NAME=VALUE"),
        (["--example", "title="], "--example takes NAME=VALUE"),
        (["--example", "a=Emma", "--example", "a=Kim"], "two examples are called 'a'"),
        (["--example", "a=Nobody"], "none of the pages has a field with the value 'Nobody' of 'a'"),
        (["--example", "page=Emma"], "invalid field name 'page'"),
        (["--column", "colour"], "the pages have no field 'colour'; they have title"),
        (["--column", "title=a", "--column", "pages=a"], "two columns would be called 'a'"),
        (["--column", "title=a", "--example", "a=Emma"], "two columns would be called 'a'"),
        (["--schema", "none.json"], "none.json: cannot be read"),
        (["--schema", "examples/table.html"], "the schema is not JSON"),
        (["--column", "title", "--schema", "{}"], "not both"),
        (["--example", "a=Emma", "--schema", "{}"], "not both"),
        (["--method", "landmark", "--column", "title"], "is an option of"),
        (["--method", "pattern", "--schema", "{}"], "is an option of"),
    ],
)
def test_wrong_options_of_learn(folder, tmp_path, words, message):
    words = [str(folder / "schema.json") if word == "{}" else word for word in words]
    pages = map(str, sorted(folder.glob("*.html")))
    result = run("learn", *pages, *words, "-o", str(tmp_path / "wrapper.json"))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


def test_wrong_options_of_apply_and_records(learn, folder):
    wrapper, _ = learn()
    page = str(folder / "00.html")
    result = run("apply", wrapper, page, "--column", "colour")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the pages have no field 'colour'; they have title" in result.stderr
    words = ("--schema", str(folder / "schema.json"), "--column", "title")
    result = run("records", "examples/products.html", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--schema cannot be used with --column" in result.stderr


# ---- names of the output, others, exports --------------------------------------------------------


def test_apply_and_export_take_the_names_of_the_output_and_of_the_wrapper(learn, folder):
    wrapper, _ = learn("--column", "price=cost:number", "--column", "title=name")
    page = str(folder / "02.html")
    (line,) = read_lines("apply", wrapper, page, "--column", "cost=amount")
    assert list(line["fields"]) == ["amount"]
    assert line["values"] == {"amount": 12.49}
    (line,) = read_lines("apply", wrapper, page, "--column", "price", "--column", "name")
    assert list(line["fields"]) == ["price", "name"]
    exported = json.loads(run("export", wrapper, "--column", "name", "--column", "pages").stdout)
    assert [field["name"] for field in exported["fields"]] == ["name", "pages"]


def test_lists_take_the_names_of_the_output_and_of_the_wrapper(tmp_path):
    wrapper, page = str(tmp_path / "list.json"), "examples/products.html"
    words = ("--method", "records", "--column", "title=name", "--column", "now_price=cost:number")
    assert run("learn", page, *words, "-o", wrapper).exit_code == 0
    (line,) = read_lines("apply", wrapper, page, "--column", "cost=c", "--column", "rating")
    columns = [(column["name"], column["type"]) for column in line["tables"][0]["columns"]]
    assert columns == [("c", "number"), ("rating", "number")]


@pytest.mark.parametrize("column", ["title=", "title=:string", "="])
def test_a_name_that_is_missing_is_reported(learn, folder, column):
    wrapper, _ = learn()
    result = run("apply", wrapper, str(folder / "02.html"), "--column", column)
    assert result.exit_code == 2
    assert "has no name after the equals sign" in result.stderr


def test_others_are_shown_last_and_exported_only_if_they_are_named(folder, tmp_path):
    wrapper = unweave.learn(sorted(folder.glob("*.html")))
    fields = [replace(field, is_other=field.name == "title") for field in wrapper.fields]
    path = str(tmp_path / "books.json")
    replace(wrapper, fields=tuple(fields)).save(path)
    shown = run("show", path).stdout
    assert "fields and 1 others, learned from" in shown
    columns, _, others = shown.partition("\nothers")
    assert (" title " in columns, " title " in others) == (False, True)
    assert (" price " in columns, " price " in others) == (True, False)
    names = [field["name"] for field in json.loads(run("export", path).stdout)["fields"]]
    assert "price" in names
    assert "title" not in names
    (field,) = json.loads(run("export", path, "--column", "title").stdout)["fields"]
    assert field["name"] == "title"
    (line,) = read_lines("apply", path, str(folder / "02.html"), "--column", "title")
    assert line["fields"] == {"title": "Ulysses"}


def test_a_database_has_one_typed_table(learn, folder, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    wrapper, _ = learn()
    pages = [str(folder / f"{number:02}.html") for number in range(12)]
    out = tmp_path / "books.duckdb"
    assert run("apply", wrapper, *pages, "-o", str(out)).exit_code == 0
    with duckdb.connect(str(out), read_only=True) as connection:
        rows = connection.execute('SELECT page, price, published FROM "records"').fetchall()
    assert rows[0] == (pages[0], 10.49, date(2000, 5, 1))
    assert len(rows) == 12


OTHER_SITE = ["examples/jobs.html", "examples/people.html", "examples/forum.html"]


def test_pages_of_another_site_are_reported_with_what_to_do(folder, tmp_path):
    wrapper = tmp_path / "my books.json"
    pages = sorted(map(str, folder.glob("*.html")))
    assert run("learn", *pages, "-o", str(wrapper)).exit_code == 0
    result = run("apply", str(wrapper), *OTHER_SITE, "-o", str(tmp_path / "out.csv"))
    lines = result.stderr.splitlines()
    assert lines[-2] == "unweave: unlike the learned pages: 3 of 3 pages (fit below 0.5)"
    assert lines[-1].endswith(f"run unweave learn --from '{wrapper}'")  # a space in the path


def test_low_fits_that_are_accepted_are_reported(folder, tmp_path):
    wrapper = tmp_path / "books.json"
    pages = sorted(map(str, folder.glob("*.html")))
    assert run("learn", *pages, "-o", str(wrapper)).exit_code == 0
    words = ["apply", str(wrapper), "-o", str(tmp_path / "out.csv"), *OTHER_SITE]
    assert "fit below 0.5" in run(*words, "--min-fit", "0.001").stderr
    assert "fit below 0.5" not in run(*words, "--min-fit", "0.9").stderr  # named one by one


def test_only_wrappers_that_can_be_repaired_are_said_to_be(folder, tmp_path):
    wrapper = tmp_path / "pattern.json"
    pages = sorted(map(str, folder.glob("*.html")))[:3]
    assert run("learn", "--method", "pattern", *pages, "-o", str(wrapper)).exit_code == 0
    result = run("apply", str(wrapper), *OTHER_SITE, "-o", str(tmp_path / "out.jsonl"))
    assert result.stderr.splitlines()[-1] == (
        "unweave: the site may have changed; learn a new wrapper from its pages"
    )
