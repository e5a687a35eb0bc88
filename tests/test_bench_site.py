"""The benchmark of whole sites: a complete database gets full marks, each fault lowers a share."""

from datetime import date, datetime
from decimal import Decimal
from math import isnan

import pytest

from bench.results import Result, agrees, shows
from bench.site import Share, measure_result
from examples.bigshop.make import make

duckdb = pytest.importorskip("duckdb")

HOST = "http://127.0.0.1:8000"
PRICE = {"text": "€ 1,012.50", "value": 1012.5, "currency": "€"}
DAY = {"text": "3 May 2024", "value": "2024-05-03"}


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    return make(tmp_path_factory.mktemp("site"), 80)


class Site:
    """What a database of a site holds, to be made worse before it is written."""

    def __init__(self, truth):
        self.templates = {
            page["path"]: page["template"] for page in truth if page["template"] != "other"
        }
        self.others = [page["path"] for page in truth if page["template"] == "other"]
        self.tables = {template: [] for template in self.templates.values()}
        self.tables["product_reviews"] = []
        for page in truth:
            self._add(page)

    def _add(self, page):
        url = HOST + page["path"]
        for position, record in enumerate(page.get("records", ())):
            row = {
                "url": url,
                "position": position,
                **_texts(record["fields"]),
                "detail": HOST + record["target"],
            }
            self.tables[page["template"]].append(
                {**row, "detail_table": self.templates[record["target"]]}
            )
        if "fields" in page:
            body = {"text_of_it": "\n".join(page["paragraphs"])} if "paragraphs" in page else {}
            self.tables[page["template"]].append({"url": url, **_texts(page["fields"]), **body})
        for position, row in enumerate(page.get("tables", {}).get("reviews", ())):
            self.tables["product_reviews"].append({"url": url, "position": position, **_texts(row)})

    def written(self, path):
        """The database, read again."""
        pages = [{"url": HOST + path, "template": table} for path, table in self.templates.items()]
        pages += [{"url": HOST + path, "template": None} for path in self.others]
        with duckdb.connect(str(path)) as connection:
            connection.begin()
            for name, rows in {**self.tables, "pages": pages}.items():
                _write(connection, name, rows)
            connection.commit()
        return Result.read(path)


def _texts(fields):
    """Texts under names of unweave's own; prices are numbers with a currency beside them."""
    row = {f"the {name}": own["text"] for name, own in fields.items() if name != "price"}
    if "price" in fields:
        row |= {"price": fields["price"]["value"], "price_currency": "€"}
    return row


def _write(connection, name, rows):
    columns = list(dict.fromkeys(column for row in rows for column in row))
    types = {"price": "DOUBLE", "position": "INTEGER"}
    described = ", ".join(f'"{own}" {types.get(own, "VARCHAR")}' for own in columns)
    connection.execute(f'CREATE TABLE "{name}" ({described})')
    marks = ", ".join("?" for _ in columns)
    connection.executemany(
        f'INSERT INTO "{name}" VALUES ({marks})',
        [[row.get(own) for own in columns] for row in rows],
    )


def test_all_that_is_true_gets_full_marks(truth, tmp_path):
    figures = measure_result(truth, Site(truth).written(tmp_path / "x.duckdb"))
    assert figures.index == 1
    assert figures.reached == Share(80, 80)
    assert figures.duplicates == 0
    shares = [
        *figures.records.values(),
        *figures.rows.values(),
        *figures.joins.values(),
        *figures.nested.values(),
    ]
    shares += [own for fields in figures.fields.values() for own in fields.values()]
    assert all(own.correct == own.all > 0 for own in shares)
    assert set(figures.records) == {"category", "index"}
    assert set(figures.fields) == {"product", "article", "store"}
    assert set(figures.nested) == {"product reviews"}


def test_templates_in_one_table_have_a_low_index(truth, tmp_path):
    site = Site(truth)
    site.templates = {
        path: "store" if table == "article" else table for path, table in site.templates.items()
    }
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    assert 0 < figures.index < 1
    assert figures.sum_fields("article").correct == 0


def test_pages_without_a_table_are_not_one_template(truth, tmp_path):
    site = Site(truth)
    site.templates = dict.fromkeys(site.templates)
    assert measure_result(truth, site.written(tmp_path / "x.duckdb")).index == pytest.approx(0)


def test_a_template_in_two_tables_lowers_the_index_only(truth, tmp_path):
    site = Site(truth)
    moved = {
        path
        for number, path in enumerate(site.templates)
        if site.templates[path] == "product" and number % 2
    }
    site.templates |= dict.fromkeys(moved, "product_2")
    rows = site.tables["product"]
    site.tables["product"] = [row for row in rows if row["url"].removeprefix(HOST) not in moved]
    site.tables["product_2"] = [
        {name.replace("the", "its"): cell for name, cell in row.items()}
        for row in rows
        if row not in site.tables["product"]
    ]
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    assert figures.index < 1
    assert figures.sum_fields("product").value == 1


def test_rows_that_are_missing_and_rows_that_are_no_record(truth, tmp_path):
    site = Site(truth)
    rows = site.tables["category"]
    del rows[0]
    rows[0]["price"] = -1.0
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    count = len(rows) + 1
    assert figures.records["category"] == Share(count - 2, count)
    assert figures.rows["category"] == Share(count - 2, count - 1)
    assert figures.joins["category"] == Share(count - 2, count)


def test_a_row_counts_once(truth, tmp_path):
    site = Site(truth)
    (page, *_) = [page for page in truth if page["template"] == "index"]
    url = HOST + page["path"]
    titles = " ".join(record["fields"]["title"]["text"] for record in page["records"])
    others = [row for row in site.tables["index"] if row["url"] != url]
    site.tables["index"] = [{"url": url, "position": 0, "the title": titles}, *others]
    records = measure_result(truth, site.written(tmp_path / "x.duckdb")).records["index"]
    assert records.all - records.correct == len(page["records"]) - 1


def test_joins_to_another_page_are_wrong(truth, tmp_path):
    site = Site(truth)
    first, second, third = site.tables["index"][:3]
    first["detail"], second["detail"] = second["detail"], None
    third["detail"] += "?utm_source=list"
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    assert figures.joins["index"].all - figures.joins["index"].correct == 2
    assert figures.records["index"].value == 1


def test_a_field_that_is_spread_over_columns_counts_where_it_is_most_often(truth, tmp_path):
    site = Site(truth)
    rows = site.tables["store"]
    for row in rows[:3]:
        row["elsewhere"] = row.pop("the manager")
    assert measure_result(truth, site.written(tmp_path / "x.duckdb")).fields["store"][
        "manager"
    ] == Share(len(rows) - 3, len(rows))


def test_every_paragraph_of_an_article_counts(truth, tmp_path):
    site = Site(truth)
    row = site.tables["article"][0]
    row["text_of_it"] = row["text_of_it"].partition("\n")[2]
    body = measure_result(truth, site.written(tmp_path / "x.duckdb")).fields["article"]["body"]
    assert body.all - body.correct == 1


def test_rows_of_nested_tables_must_be_complete(truth, tmp_path):
    site = Site(truth)
    rows = site.tables["product_reviews"]
    rows[0]["the author"] = "somebody else"
    del rows[-1]
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    assert figures.nested["product reviews"] == Share(len(rows) - 1, len(rows) + 1)


def test_pages_by_two_addresses_count_once(truth, tmp_path):
    site = Site(truth)
    (path, *_) = [path for path, template in site.templates.items() if template == "index"]
    other = path + "?utm_source=banner"
    site.templates[other] = "index"
    site.tables["index"] += [
        {**row, "url": HOST + other} for row in site.tables["index"] if row["url"] == HOST + path
    ]
    figures = measure_result(truth, site.written(tmp_path / "x.duckdb"))
    assert figures.duplicates == 1
    assert figures.rows["index"].value == 1


@pytest.mark.parametrize(
    "cell",
    ["€ 1,012.50", " €\xa01,012.50", ["€", None, "1,012.50"], 1012.5, Decimal("1012.50")],
)
def test_a_price_as_text_as_list_and_as_number(cell):
    assert agrees(PRICE, cell)
    assert shows(PRICE, cell)


@pytest.mark.parametrize(
    "cell",
    ["3 May 2024", "2024-05-03", "2024-05-03T00:00:00", date(2024, 5, 3), datetime(2024, 5, 3, 9)],
)
def test_a_day_as_text_and_as_date(cell):
    assert agrees(DAY, cell)


@pytest.mark.parametrize(
    "cell", [None, "€ 1,012.5", 1012, "", [], date(2024, 5, 3), {"price": 1012.5}]
)
def test_what_is_no_such_price(cell):
    assert not agrees(PRICE, cell)
    assert not shows(PRICE, cell)


def test_a_text_among_others_is_shown_and_does_not_agree():
    assert shows(PRICE, "now € 1,012.50 only")
    assert not agrees(PRICE, "now € 1,012.50 only")


def test_a_share_of_no_items_is_nan():
    assert isnan(Share().value)
    assert str(Share()) == ""
    assert str(Share(1, 4) + Share(1, 4)) == "0.250 of 8"
