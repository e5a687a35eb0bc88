"""Tables in other programs: DataFrames without a copy in between, and Datasette.

Polars and Datasette are in the dependency group ``interop``; without them, their tests are skipped.
"""

import asyncio
import datetime
from decimal import Decimal

import pytest

import unweave

ROWS = [
    ("Brass lamp", "€1,089.50", "2026-05-01", "★★★", "https://shop.example/1"),
    ("Paper lamp", "€24.00", "2026-06-12", None, "https://shop.example/2"),
    ("Clip light", "€9.90", None, "★", "https://shop.example/3"),
    ("Desk lamp", "€74.00", "2025-12-31", "★★", "https://shop.example/4"),
]


@pytest.fixture
def table():
    """A table with texts, prices, dates and empty cells."""
    items = "".join(
        f"<li class=card><a href='{link}'>{title}</a><b class=price>{price}</b>"
        + (f"<time>{date}</time>" if date else "")
        + (f"<i class=stars>{stars}</i>" if stars else "")
        + "</li>"
        for title, price, date, stars, link in ROWS
    )
    (found, *_) = unweave.records(f"<ul>{items}</ul>")
    names = {column.type: column.name for column in found.columns}
    assert {"price", "date"} <= names.keys(), found.columns
    return found.select(f"{names['price']}=price", f"{names['date']}=date")


PRICES = [1089.5, 24.0, 9.9, 74.0]
DATES = [datetime.date(2026, 5, 1), datetime.date(2026, 6, 12), None, datetime.date(2025, 12, 31)]


def test_polars_takes_a_table(table):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table)
    assert frame["price"].cast(polars.Float64).to_list() == PRICES
    assert frame["date"].dtype == polars.Date
    assert frame["date"].to_list() == DATES
    assert frame.filter(polars.col("price") > Decimal(50)).height == 2


def test_pandas_takes_a_table(table):
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas(values=True)
    assert [float(price) for price in frame["price"]] == PRICES
    assert pandas.isna(frame["date"]).tolist() == [False, False, True, False]


class TestDatasette:
    @pytest.fixture
    def get(self, tmp_path):
        """Return what Datasette answers for a database of a site."""
        app = pytest.importorskip("datasette.app")
        unweave.site("examples/shop", tmp_path / "shop.db", runner="serial")

        def get(path):
            return asyncio.run(app.Datasette([str(tmp_path / "shop.db")]).client.get(path))

        return get

    def test_it_serves_the_tables_of_a_site(self, get):
        answer = get("/shop/products.json?_shape=array&_sort=url")
        assert answer.status_code == 200
        assert answer.json()[0]["title"] == "Jug blender 1.5 l, glass"
        assert {type(row["price"]) for row in answer.json()} == {float}
        assert "Jug blender" in get("/shop/products").text

    def test_it_filters_by_values(self, get):
        answer = get("/shop/products.json?_shape=array&price__gt=60")
        assert 0 < len(answer.json()) < 6
