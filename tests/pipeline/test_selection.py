"""Chosen columns of the tables of a site: selected, renamed, converted and in order."""

import json
from pathlib import Path
from shutil import copyfile

import duckdb
import pytest

import unweave
from tests.pipeline.test_redesigns import make_staff_page
from tests.wrappers.fields.products import make_product
from unweave.errors import UsageError
from unweave.files import read_json
from unweave.pipeline.selection import SiteSelection

SHOP = "examples/shop"


def run(tmp_path, *columns, **options):
    """Write the tables of the example shop, and return their columns and rows by name."""
    tmp_path.mkdir(exist_ok=True)
    out = tmp_path / "shop.duckdb"
    unweave.site(SHOP, out, columns=columns, runner="serial", **options)
    tables = {}
    with duckdb.connect(str(out), read_only=True) as connection:
        for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall():
            cursor = connection.execute(f'select * from "{name}" order by all')
            tables[name] = ([column[0] for column in cursor.description], cursor.fetchall())
    return tables


def test_a_table_has_the_chosen_columns_only_in_their_order(tmp_path):
    columns, rows = run(tmp_path, "products.price", "products.title=name")["products"]
    assert columns == ["url", "price", "price_currency", "name"]
    assert ("kettle.html", 64.9, "EUR", "Gooseneck kettle 0.9 l, matt black") in [
        (url, price, {"€": "EUR"}.get(currency, currency), name)
        for url, price, currency, name in rows
    ]


def test_tables_without_a_chosen_column_are_written_as_they_are(tmp_path):
    everything = run(tmp_path / "all")
    chosen = run(tmp_path / "chosen", "products.title")
    assert chosen["products_reviews"] == everything["products_reviews"]
    assert len(chosen["products"][0]) < len(everything["products"][0])


def test_a_column_has_the_type_that_was_asked_for(tmp_path):
    columns, rows = run(tmp_path, "products.price=cost:string")["products"]
    assert columns == ["url", "cost"]
    assert ("kettle.html", "€64.90") in rows


def test_a_list_is_one_text_if_that_was_asked_for(tmp_path):
    columns = ["magazine.authors:string", "magazine.title:list"]
    pages = tmp_path / "pages" / "magazine"
    pages.mkdir(parents=True)
    for path in Path("examples/news").glob("*.html"):
        copyfile(path, pages / path.name)
    out = tmp_path / "out"
    unweave.site(pages.parent, out, columns=columns, format="jsonl", runner="serial")
    rows = [json.loads(line) for line in (out / "magazine.jsonl").read_text().splitlines()]
    assert rows
    assert all(isinstance(row["authors"], str | None) for row in rows)
    assert any(row["authors"] for row in rows)
    assert all(isinstance(row["title"], list) for row in rows)


def test_a_value_of_another_type_is_kept_as_text(tmp_path):
    columns, rows = run(tmp_path, "products.title:number")["products"]
    assert columns == ["url", "title_text"]
    assert len(rows) == 6


def test_columns_of_tables_inside_pages_can_be_chosen(tmp_path):
    everything = run(tmp_path / "all")["products_reviews"]
    name = everything[0][-1]
    columns, rows = run(tmp_path / "one", f"products_reviews.{name}=written")["products_reviews"]
    assert columns == ["url", "position", "written"]
    assert [row[-1] for row in rows] == [row[-1] for row in everything[1]]


def test_a_new_name_takes_no_place_of_a_currency_or_a_text(tmp_path):
    """The amount, the currency and the title are all kept, under four names."""
    chosen = ["products.price=cost", "products.title=cost_currency", "products.noise=cost_text"]
    columns, rows = run(tmp_path, *chosen)["products"]
    assert columns == ["url", "cost", "cost_currency_", "cost_currency", "cost_text"]
    (kettle,) = [row for row in rows if row[0] == "kettle.html"]
    assert kettle[1:4] == (64.9, "€", "Gooseneck kettle 0.9 l, matt black")


def test_a_new_name_that_is_reserved_gets_an_underscore(tmp_path):
    tables = run(tmp_path, "products.price=position", "products.title=url")
    columns, _ = tables["products"]
    assert columns == ["url", "position_", "position__currency", "url_"]
    _, described = tables["columns"]
    assert [row[2] for row in described if row[0] == "products"] == columns


def test_the_table_of_columns_names_the_chosen_ones(tmp_path):
    _, rows = run(tmp_path, "products.noise=loudness")["columns"]
    (row,) = [row for row in rows if row[2] == "loudness"]
    assert row == ("products", 2, "loudness", "text", None, "db")


def test_other_columns_are_written_without_learning_again(tmp_path):
    work = tmp_path / "work"
    run(tmp_path, work=work)
    (sites,) = work.glob("round-1/sites/*.json")
    # Were the templates learned again, the new name would be gone.
    learned = json.loads(sites.read_text())
    (template,) = learned["templates"]
    template["name"] = "goods"
    sites.write_text(json.dumps(learned))
    assert run(tmp_path, "goods.title", work=work)["goods"][0] == ["url", "title"]
    assert read_json(work / "plan.json")["columns"] == ["goods.title"]
    assert len(run(tmp_path, work=work)["goods"][0]) > 2


def test_a_table_that_a_later_round_learns_can_be_chosen(tmp_path):
    """The sample of the first round has no page of the three."""
    pages = tmp_path / "pages"
    for folder, make, count in (("items", make_product, 60), ("staff", make_staff_page, 3)):
        (pages / folder).mkdir(parents=True)
        for number in range(count):
            (pages / folder / f"{number}.html").write_text(make(number))
    out = tmp_path / "out"
    options = {"format": "jsonl", "runner": "serial", "sample": 4}
    unweave.site(pages, out, columns=["staff.office=room"], **options)
    rows = [json.loads(line) for line in (out / "staff.jsonl").read_text().splitlines()]
    assert [row["room"] for row in rows] == [0, 1, 2]
    with pytest.raises(UsageError, match="the table staff has no column 'rooms'; it has "):
        unweave.site(pages, out, columns=["staff.rooms"], **options)


def test_articles_have_columns_to_choose(tmp_path):
    out = tmp_path / "out"
    unweave.site("examples/news", out, format="jsonl", runner="serial")
    tables = {path.stem: path.read_text().splitlines() for path in out.glob("*.jsonl")}
    authors = [row for row in map(json.loads, tables["columns"]) if row["column"] == "authors"]
    name = authors[0]["table"]
    chosen = tmp_path / "chosen"
    columns = [f"{name}.date=published:date", f"{name}.title"]
    unweave.site("examples/news", chosen, columns=columns, format="jsonl", runner="serial")
    rows = [json.loads(line) for line in (chosen / f"{name}.jsonl").read_text().splitlines()]
    assert len(rows) == len(tables[name])
    assert all(list(row) == ["url", "published", "title"] for row in rows)
    assert all(len(row["published"]) == 10 for row in rows)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("product.title", "no table 'product'; there are products, products_reviews"),
        ("products.titel", "the table products has no column 'titel'; it has title, "),
    ],
)
def test_unknown_tables_and_columns_are_named(tmp_path, column, message):
    with pytest.raises(UsageError) as error:
        run(tmp_path, column)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["title"], "'title' does not name a table and a column: write TABLE.COLUMN"),
        ([".title"], "'.title' does not name a table and a column: write TABLE.COLUMN"),
        (["a.b@link"], "b@link: the tables of a site have columns for the URLs of links"),
        (["a.b", "a.c=b"], "two columns would be called 'b'"),
        (["a.b=others", "a.c=others_"], "two columns would be called 'others_'"),
        (["a.b:colour"], None),
    ],
)
def test_selections_that_cannot_be_read_are_refused(columns, message):
    if message is None:
        (spec,) = SiteSelection.parse(columns).specs["a"]
        assert spec.column == "b:colour"  # a name may have a colon
        return
    with pytest.raises(UsageError) as error:
        SiteSelection.parse(columns)
    assert str(error.value) == message
