"""Split prices: a currency, a whole number and cents in elements of their own are one price."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unweave
from tests.extraction import extract
from unweave.lists.split_prices import SplitPrices
from unweave.page.page import Page
from unweave.wrappers.base import clean_fields

NAMES = ["Oak chair", "Ash table", "Elm stool", "Fir bench", "Yew shelf", "Box lamp"]


def read_table(item):
    rows = "".join(
        f"<li><h3>{name}</h3>{item(k)}<p>made by hand, {k + 3} left</p></li>"
        for k, name in enumerate(NAMES)
    )
    return unweave.records(f"<h1>Shop</h1><ul>{rows}</ul>")[0]


@pytest.mark.parametrize(
    ("markup", "text", "currency"),
    [
        ("<p class='price'><span>{whole}</span><sup>{cents}</sup></p>", "19.97", None),
        (
            "<p class='price'><span>$</span><span>{whole}</span><sup>{cents}</sup></p>",
            "$19.97",
            "$",
        ),
        ("<p class='price'>${whole}<sup>{cents}</sup></p>", "$19.97", "$"),
        ("<p>$<b>{whole}</b><sup>{cents}</sup></p>", "$19.97", "$"),
        (
            "<p><span>{whole}</span><span>,</span><span>{cents}</span> <span>€</span></p>",
            "19,97 €",
            "€",
        ),
        (
            "<p><span>{whole}</span><span class='price-decimal'>{cents}</span>"
            " <span>EUR</span></p>",
            "19.97 EUR",
            "EUR",
        ),
        ("<div><span>CA$</span><span>{whole}.{cents}</span></div>", "CA$19.97", "CA$"),
        ("<div class='box'><div>$</div><div>{whole}.{cents}</div></div>", "$19.97", "$"),
        ("<p>{whole}.<sup>{cents}</sup> €</p>", "19.97 €", "€"),
        ("<p>{whole},<small>{cents}</small> €</p>", "19,97 €", "€"),
        ("<p>{whole}<small>,{cents} €</small></p>", "19,97 €", "€"),
        ("<p>{whole}€<sup>{cents}</sup></p>", "19.97 €", "€"),
        ("<p><span>{whole}</span><span>€</span><span>{cents}</span></p>", "19.97 €", "€"),
        ("<p>{whole}<sup>€{cents}</sup></p>", "19.97 €", "€"),
        (
            "<p><b class='price-int'>{whole}</b><b class='price-dec'>{cents}</b><i>€</i></p>",
            "19.97 €",
            "€",
        ),
        ("<p>${whole}<small>{cents}</small></p>", "$19.97", "$"),
        (
            "<div><div>$</div><div>{whole}</div><div class='cents'>{cents}</div></div>",
            "$19.97",
            "$",
        ),
        ("<p><i>US</i><i>$</i><b>{whole}.{cents}</b></p>", "US$19.97", "US$"),
        (
            "<p><i>$</i><b><span>{whole}<span class='point'>.</span></span>"
            "<span>{cents}</span></b></p>",
            "$19.97",
            "$",
        ),
    ],
)
def test_a_price_keeps_its_cents_and_its_currency(markup, text, currency):
    table = read_table(lambda k: markup.format(whole=19 + k, cents=97 - k))
    (name,) = [name for name, cells in table.to_columns().items() if cells[0] == text]
    values = table.to_columns(values=True)
    assert values[name][0] == Decimal("19.97")
    assert values.get(f"{name}_currency", [None])[0] == currency
    assert "97" not in table.format_rows()[0]
    assert table.nodes[0][table.names.index(name)]


def test_a_dash_for_cents_and_a_point_behind_a_currency():
    page = Page.parse("<p><b>19</b><sup>,–</sup> <i>€</i></p><p><i>Rs.</i> <b>19,500</b></p>")
    assert [price.text for price in SplitPrices.find(page).by_amount.values()] == [
        "19 €",
        "Rs. 19,500",
    ]


def test_records_with_and_without_cents_share_a_column():
    table = read_table(
        lambda k: f"<p class='price'><i>$</i><b>{19 + k}</b>{'<sup>50</sup>' if k % 2 else ''}</p>"
    )
    assert table.to_columns(values=True)["price"] == [
        Decimal(t) for t in ("19", "20.50", "21", "22.50", "23", "24.50")
    ]


@pytest.mark.parametrize(
    "markup",
    [
        "<p><span>{k}</span> <span>12</span></p>",  # two counts
        "<p>2<sup>{k}</sup></p>",  # a power
        "<p>{k} items<sup>12</sup></p>",  # a footnote
        "<p>10<sup>12</sup></p>",  # a power again
        "<p>Qty <b>{k}</b>, <b>97</b> items</p>",
        # two columns with headers
        "<table><tr><th>Stock</th><th>Rank</th></tr><tr><td>€</td><td>{k}</td></tr></table>",
        # an exchange rate, with the currency as a key
        "<table><tr><td>USD</td><td>{k}.12</td></tr></table>",
    ],
)
def test_neighbouring_numbers_that_are_no_price_stay_separate(markup):
    page = Page.parse(markup.format(k=5))
    assert not SplitPrices.find(page).by_amount


def test_each_of_two_prices_has_its_currency():
    page = Page.parse(
        "<p><b><i>19</i> <i>€</i></b> <s><i>25</i> <i>€</i></s></p><p>7 <b><i>$</i><i>8</i></b></p>"
    )
    assert [price.text for price in SplitPrices.find(page).by_amount.values()] == [
        "19 €",
        "25 €",
        "$8",
    ]


PARTS = st.sampled_from(["$", "€", "19", "97", ".", "CA$", "1,299", "kr", "x", "$5", "9.99"])


@given(st.lists(st.tuples(PARTS, st.sampled_from(["span", "sup", "div", "td", "b"])), max_size=8))
def test_every_text_is_in_one_price_or_in_none(parts):
    page = Page.parse("<table><tr>" + "".join(f"<{tag}>{text}</{tag}>" for text, tag in parts))
    prices = SplitPrices.find(page)
    texts = [text for price in prices.by_amount.values() for text in price.texts]
    assert len(set(texts)) == len(texts)
    letters = prices.join(range(len(page.texts)))
    assert sorted(letters.replace(" ", "").replace(".", "").replace(",", "")) == sorted(
        "".join(page.texts).replace(" ", "").replace(".", "").replace(",", "")
    )


def test_fields_of_detail_pages_have_whole_prices(tmp_path):
    pages = []
    for k in range(5):
        path = tmp_path / f"{k}.html"
        price = f"<p class='price'><span>$</span><span>{19 + k}</span><sup>9{k}</sup></p>"
        path.write_text(f"<h1>Chair number {k}</h1>{price}<p><b>Phone</b>: (770) 730-908{k}</p>")
        pages.append(str(path))
    wrapper = unweave.learn(pages)
    fields, _ = extract(wrapper, pages[3])
    assert fields["price"] == "$22.93"
    assert clean_fields(fields)["phone"] == "(770) 730-9083"
    assert not any("22" in value for name, value in fields.items() if name != "price")
