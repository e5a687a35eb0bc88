"""Torn prices: "$", "19" and "97" in elements of their own are one price.

Shops set the currency and the cents in elements of their own. Read one by one, the price would be 19, the cents a column of
numbers, and the currency a constant that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from unweave.fields.names import words_of
from unweave.fields.numbers import is_currency, is_number, split_currency
from unweave.page.page import BREAKING, Page

_CENTS = re.compile(r"([.,]?)(\d\d)")
_MARKS = frozenset([".", ","])
_CENTS_WORDS = frozenset("cent cents centavos centimes decimal decimals fraction frac pence".split())
_CELLS = frozenset(["td", "th", "dt", "dd", "li", "tr"])
# An element that a style sheet raises, or that is called after cents, is found this far around their text.
_MAX_LEVELS = 2
_MAX_PART_LENGTH = 20


class TornPrice(NamedTuple):
    """The text chunks that make up a price, and the price as one text."""

    chunks: range
    amount: int
    """The chunk that has the amount, or its whole part."""
    text: str


class Prices:
    """The torn prices of a page, as far as its text chunks were searched."""

    @classmethod
    def of(cls, page: Page) -> Prices:
        """Search all texts of a page."""
        prices = cls(page)
        prices.search(range(len(page.texts)))
        return prices

    def __init__(self, page: Page) -> None:
        self._page = page
        self.by_amount: dict[int, TornPrice] = {}
        self._by_start: dict[int, TornPrice] = {}
        self._parts: set[int] = set()

    def search(self, chunks: range) -> None:
        """Find the prices among these text chunks that are made of several of them."""
        texts = self._page.texts
        chunk = chunks.start
        while chunk < chunks.stop:
            price = None
            if texts[chunk][-1].isdigit() or (chunk + 1 < chunks.stop and texts[chunk + 1][0].isdigit()):
                price = _price_at(self._page, chunk, chunks.stop)
            if price is None:
                chunk += 1
                continue
            self.by_amount[price.amount] = self._by_start[chunk] = price
            self._parts.update(price.chunks)
            chunk = price.chunks.stop

    def is_absorbed(self, chunk: int) -> bool:
        """Is the text a part of a price whose amount is in another chunk?"""
        return chunk in self._parts and chunk not in self.by_amount

    def is_one(self, chunks: range) -> bool:
        """Are these the chunks of one torn price?"""
        price = self._by_start.get(chunks.start)
        return price is not None and price.chunks == chunks

    def join(self, chunks: Sequence[int]) -> str:
        """Return the text of chunks on one line, with every torn price as one word."""
        words: list[str] = []
        place = 0
        while place < len(chunks):
            stop = place + 1
            if price := self._by_start.get(chunks[place]):
                words.append(price.text)
                stop = place + len(price.chunks)
            else:
                while stop < len(chunks) and chunks[stop] == chunks[stop - 1] + 1 and chunks[stop] not in self._by_start:
                    stop += 1
                words.append(self._page.join(range(chunks[place], chunks[stop - 1] + 1)))
            if stop < len(chunks) and chunks[stop] not in self._continuations:
                words.append(" ")
            place = stop
        return "".join(words)

    @cached_property
    def _continuations(self) -> frozenset[int]:
        return frozenset(self._page.glued)


def _price_at(page: Page, start: int, stop: int) -> TornPrice | None:
    """Return the price that begins with a chunk: a currency, a whole number, cents, a currency, not all of them."""
    texts = page.texts
    amount = start
    currency = ""
    if is_currency(texts[start]) and start + 1 < stop and _may_join(page, start, start + 1):
        currency, amount = texts[start], start + 1
    own_currency, number = split_currency(texts[amount][:_MAX_PART_LENGTH])
    if len(texts[amount]) > _MAX_PART_LENGTH or not is_number(number) or (currency and own_currency):
        return None
    end, cents, mark = _cents_after(page, amount, stop) if number[-3:-2] not in _MARKS else (amount + 1, "", "")
    behind = ""
    has_currency = currency or own_currency
    if not has_currency and end < stop and is_currency(texts[end]) and _ends_price(page, end, stop):
        behind, end = texts[end], end + 1
    if end - start < 2 or not (cents or currency or behind):
        return None
    if cents:
        number += (mark or ("," if "." in number else ".")) + cents
    before = currency or own_currency
    gap = " " if before[-1:].isalnum() else ""
    return TornPrice(range(start, end), amount, f"{before}{gap}{number}" + (f" {behind}" if behind else ""))


def _cents_after(page: Page, amount: int, stop: int) -> tuple[int, str, str]:
    """Return the chunk after the cents that follow an amount, the cents, and the decimal mark that is written."""
    texts, chunk, mark = page.texts, amount + 1, ""
    if chunk < stop and texts[chunk] in _MARKS and _is_inline(page, amount, chunk):
        chunk, mark = chunk + 1, texts[chunk]
    cents = _CENTS.fullmatch(texts[chunk]) if chunk < stop and _is_inline(page, chunk - 1, chunk) else None
    if cents and (mark or cents[1] or _is_marked_as_cents(page, chunk)):
        return chunk + 1, cents[2], mark or cents[1]
    return amount + 1, "", ""


def _is_marked_as_cents(page: Page, chunk: int) -> bool:
    """Is the text raised, or does its element have a class that says cents?"""
    node = page.owners[chunk]
    for _ in range(_MAX_LEVELS):
        if page.tree.labels[node] == "sup" or not _CENTS_WORDS.isdisjoint(words_of(page.names[node][0] or "")):
            return True
        node = page.tree.parents[node]
        if node < 0 or page.count_texts(node) > 1:
            return False
    return False


def _may_join(page: Page, currency: int, amount: int) -> bool:
    """May a currency and the amount after it be one price? In two cells of a table only if it is a sign, and no code."""
    first, second = page.places[currency], page.places[amount]
    crossed = page.tree.labels[first:second]
    if not _CELLS.isdisjoint(crossed):
        return not any(map(str.isalpha, page.texts[currency]))
    return _is_inline(page, currency, amount) or page.count_texts(_common(page, currency, amount)) <= len("$ 9 .99".split())


def _ends_price(page: Page, currency: int, stop: int) -> bool:
    """Does a currency belong to the amount before it, and not to one that follows? The nearer element decides."""
    if not _is_inline(page, currency - 1, currency):
        return False
    if currency + 1 == stop or not is_number(page.texts[currency + 1]):
        return True
    before, after = _common(page, currency - 1, currency), _common(page, currency, currency + 1)
    return before > after or (before == after and page.texts[currency] not in _SIGNS_IN_FRONT)


_SIGNS_IN_FRONT = frozenset("$ £ ¥ US$ CA$ A$ ₹ R$".split())


def _is_inline(page: Page, first: int, second: int) -> bool:
    """Do two neighbouring chunks stand in one line, as far as their elements tell?"""
    labels, parents = page.tree.labels, page.tree.parents
    common = _common(page, first, second)
    for node in (page.owners[first], page.owners[second]):
        while node != common:
            if labels[node] in BREAKING:
                return False
            node = parents[node]
    return BREAKING.isdisjoint(labels[page.places[first] : page.places[second]])


def _common(page: Page, first: int, second: int) -> int:
    """Return the deepest element that has both chunks."""
    node, last = page.owners[first], page.owners[second]
    while not node <= last < page.tree.ends[node]:
        node = page.tree.parents[node]
    return node
