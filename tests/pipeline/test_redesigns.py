"""Pages of one template in two designs fill one table; pages of two templates fill two."""

from pathlib import Path

import duckdb

import unweave
from tests.wrappers.fields.products import make_product, rename_all_classes, wrap_content
from unweave.pipeline.learn import learn_templates
from unweave.sources.source import FetchedPage
from unweave.wrappers.base import Wrapper


def fetch(make, numbers, folder):
    return [
        FetchedPage(f"https://shop.example/{folder}/{number}.html", make(number).encode(), True)
        for number in numbers
    ]


def redesign(number):
    return wrap_content(rename_all_classes(make_product(number))).replace("<p ", "<section ")


def make_staff_page(number):
    return (
        f"<html><head><title>Person {number}</title></head><body class='shop'><div class='staff'>"
        f"<h1>Person {number}</h1><dl><dt>Office</dt><dd>Room {number}</dd>"
        f"<dt>Telephone</dt><dd>0123 4567{number}</dd><dt>Languages</dt><dd>Number {number}</dd>"
        f"<dt>Since</dt><dd>{1980 + number}</dd></dl></div></body></html>"
    )


def test_two_designs_in_a_crawl_fill_one_table(tmp_path):
    out = tmp_path / "out.duckdb"
    summary = unweave.site(Path("examples/redesign"), out, runner="serial")
    assert [template.pages for template in summary.templates] == [16]
    with duckdb.connect(str(out), read_only=True) as database:
        rows = database.execute("select url, title, price, weight, year from before").fetchall()
        prices = {url: price for url, _, price, _, _ in rows}
        assert len(rows) == 16
        assert all(None not in row for row in rows)
        assert prices["before/item-2063.html"] == 139
        assert prices["after/kestrel-35a.html"] == 119
        reviews = database.execute("select distinct url from before_customer_reviews").fetchall()
        assert {Path(url).parent.name for (url,) in reviews} == {"before", "after"}


def test_the_wrappers_of_both_designs_are_saved(tmp_path):
    work = tmp_path / "work"
    site = Path("examples/redesign")
    unweave.site(site, tmp_path / "out", work=work, until="learn", runner="serial")
    saved = [Wrapper.load(work / "wrappers" / name) for name in ("before.json", "before.2.json")]
    page = next(site.glob("after/*.html"))
    fits = [unweave.apply(wrapper, page).fit for wrapper in saved]
    assert min(fits) < 0.9 < max(fits)


def test_a_later_design_has_the_tables_of_an_earlier_round():
    earlier = learn_templates(fetch(make_product, range(8), "items"))
    later = learn_templates(fetch(redesign, range(20, 28), "things"), earlier)
    assert [template.name for template in later] == ["items"]
    assert (
        later[0].fields.apply(fetch(redesign, [33], "things")[0].parse()).fields["year"] == "2023"
    )


def test_pages_of_something_else_have_a_table_of_their_own():
    pages = fetch(make_product, range(8), "items") + fetch(make_staff_page, range(8), "staff")
    assert sorted(template.name for template in learn_templates(pages)) == ["items", "staff"]
    earlier = learn_templates(fetch(make_product, range(8), "items"))
    later = learn_templates(fetch(make_staff_page, range(8), "items"), earlier)
    assert [template.name for template in later] != ["items"]
