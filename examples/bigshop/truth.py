"""What the pages tell, as plain data: a line of ``truth.jsonl`` for each page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from examples.bigshop.article import article_pages
from examples.bigshop.frame import NAME, Sheet
from examples.bigshop.lists import category_pages, index_pages
from examples.bigshop.product import product_pages
from examples.bigshop.single import single_pages, store_pages
from examples.bigshop.stock import Shop
from examples.bigshop.things import DAYS, Article, Price, Product, Review, Store
from examples.bigshop.words import long_day, slug

Truth = dict[str, Any]


def pages_with_truth(shop: Shop) -> Iterator[tuple[Sheet, Truth]]:
    """All pages of the shop, with what is true of each."""
    for sheet in single_pages(shop):
        yield sheet, {"template": "other"}
    for sheet, products in category_pages(shop):
        yield (
            sheet,
            {"template": "category", "records": [_product_in_list(own) for own in products]},
        )
    for sheet, product in product_pages(shop):
        reviews = [_review(own) for own in product.reviews]
        yield (
            sheet,
            {"template": "product", "fields": _product(product), "tables": {"reviews": reviews}},
        )
    for sheet, articles in index_pages(shop):
        yield sheet, {"template": "index", "records": [_article_in_list(own) for own in articles]}
    for sheet, article in article_pages(shop):
        yield (
            sheet,
            {
                "template": "article",
                "fields": _article(article),
                "paragraphs": list(article.paragraphs),
            },
        )
    for sheet, store in store_pages(shop):
        yield sheet, {"template": "store", "fields": _store(store)}


def _shown(text: str, value: float | str | None = None, **more: str) -> Truth:
    """A text of a page, and what it is worth."""
    return {"text": text, **({} if value is None else {"value": value}), **more}


def _price(price: Price) -> Truth:
    return _shown(price.text, price.value, currency="€")


def _prices(product: Product) -> Truth:
    prices = {"price": product.price, "old_price": product.old_price}
    return {name: _price(price) for name, price in prices.items() if price}


def _rating(product: Product) -> Truth:
    return {} if product.rating is None else {"rating": _shown(str(product.rating), product.rating)}


def _product_in_list(product: Product) -> Truth:
    flag = {} if product.price else {"flag": _shown("Sold out")}
    fields = {"title": _shown(product.title), **_prices(product), **_rating(product), **flag}
    return {"fields": fields, "target": product.path}


def _product(product: Product) -> Truth:
    return {
        "title": _shown(product.title),
        **_prices(product),
        **_rating(product),
        "availability": _shown(product.availability),
        "description": _shown(" ".join(product.description)),
        **{
            slug(label).replace("-", "_"): _specification(text)
            for label, text in product.specifications
        },
    }


def _specification(text: str) -> Truth:
    """A value of the table of details; a number with its unit is a number too."""
    number, _, unit = text.partition(" ")
    is_number = unit in ("kg", "l", "years")
    return _shown(text, float(number), unit=unit) if is_number else _shown(text)


def _review(review: Review) -> Truth:
    return {
        "author": _shown(review.author),
        "date": _shown(long_day(review.day), str(review.day)),
        "stars": _shown(f"{review.stars} out of 5", review.stars),
        "text": _shown(review.text),
    }


def _article_in_list(article: Article) -> Truth:
    return {
        "fields": {**_article(article), "standfirst": _shown(article.standfirst)},
        "target": article.path,
    }


def _article(article: Article) -> Truth:
    return {
        "title": _shown(article.title),
        "authors": _shown(article.author),
        "date": _shown(long_day(article.day), str(article.day)),
    }


def _store(store: Store) -> Truth:
    return {
        "title": _shown(f"{NAME} {store.town}"),
        "street": _shown(store.street),
        "town": _shown(f"{store.postcode} {store.town}"),
        "telephone": _shown(store.telephone),
        "manager": _shown(store.manager),
        **{day.lower(): _shown(hours) for day, hours in zip(DAYS, store.hours, strict=True)},
    }
