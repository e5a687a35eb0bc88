"""A whole site into a real PostgreSQL, with its types and keys."""

import datetime

import psycopg

import unweave
from examples.bigshop.make import make


def test_a_site_goes_into_postgresql_and_again_in_place_of_itself(server, database, tmp_path):
    address = server.address(database)
    make(tmp_path / "shop", 100)
    for _ in range(2):
        summary = unweave.site(
            tmp_path / "shop", address, work=tmp_path / "work", schema="shop", runner="serial"
        )
    with psycopg.connect(address) as connection:
        rows = connection.execute(
            "select title, price, weight, url from shop.products order by url"
        ).fetchall()
        joined = connection.execute(
            "select count(*) from shop.shop l join shop.products p on p.url = l.detail"
            " where l.detail_table = 'products'"
        ).fetchone()
        article = connection.execute(
            "select date, authors, body from shop.magazine limit 1"
        ).fetchone()
    assert len(rows) == next(
        template.pages for template in summary.templates if template.name == "products"
    )
    assert any(isinstance(weight, float) for _, _, weight, _ in rows)
    assert joined[0] > 0.8 * next(
        template.rows["shop"] for template in summary.templates if template.name == "shop"
    )
    assert isinstance(article[0], datetime.datetime)
    assert isinstance(article[1], list)
