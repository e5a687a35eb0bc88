"""Lists of products: those whose records show an image and a price (DEPTA, section 3.5)."""

from __future__ import annotations

from unweave.fields.types import Type, type_of
from unweave.page.page import Page
from unweave.records.prices import Prices
from unweave.records.region import Listing, Record

# A list is one of products if so many of its records, of the first ones, are.
_MIN_SHARE = 0.5
_MAX_RECORDS = 40


def is_product_list(page: Page, listing: Listing) -> bool:
    """Have most records of a list an image and a price?"""
    records = listing.records[:_MAX_RECORDS]
    return sum(_has_image(page, record) and _has_price(page, record) for record in records) >= _MIN_SHARE * len(records)


def _has_image(page: Page, record: Record) -> bool:
    labels, ends = page.tree.labels, page.tree.ends
    return any("img" in labels[root : ends[root]] for root in record)


def _has_price(page: Page, record: Record) -> bool:
    """Is one of the record's texts a price, or what is after its label; or are several a price together?"""
    for root in record:
        chunks = page.chunks(root)
        if any(type_of(page.texts[chunk].rsplit(": ", 1)[-1]) is Type.PRICE for chunk in chunks):
            return True
        prices = Prices(page)
        prices.search(chunks)
        if prices.by_amount:
            return True
    return False
