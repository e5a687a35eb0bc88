"""Torn prices: "$", "19" and "97" in elements of their own are one price.

Shops set the currency and the cents in elements of their own. Read one by one, the price would be 19, the cents a column of
numbers, and the currency a constant that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from unweave.page.page import BLOCK_TAGS, Page
from unweave.values.naming import split_class_words
from unweave.values.numbers import build_amount_pattern, build_cents_pattern, is_currency, is_number

_SEPARATOR = re.compile(r"[.,]")
_NO_CENTS = re.compile(r"[.,]?[-–—]{1,2}")
_COUNTRY = re.compile("[A-Z]{1,3}")
_CENTS_WORDS = frozenset(
    "cent cents centavos centimes dec decimal decimals fraction frac pence".split()
)
_PRICE_WORDS = frozenset(
    "price prices cost amount money preis prix precio prezzo preco pris cena".split()
)
_SIGNS_IN_FRONT = frozenset("$ £ ¥ US$ CA$ A$ ₹ R$".split())
_CELLS = frozenset(["td", "th", "dt", "dd", "li", "tr"])
# How far around the text of cents an element may say that it is cents, and around an amount that it is a price.
_MAX_LEVELS = 2
_MAX_PRICE_LEVELS = 3
_MAX_PARTS = 4
_MAX_PART_LENGTH = 20


class SplitPrice(NamedTuple):
    """The text nodes that make up a price, and the price as one text."""

    texts: range
    amount: int
    """The chunk that has the amount, or its whole part."""
    text: str


class Prices:
    """The torn prices of a page, as far as its text chunks were searched."""

    @classmethod
    def find(cls, page: Page) -> Prices:
        """Search all texts of a page."""
        prices = cls(page)
        prices.search(range(len(page.texts)))
        return prices

    def __init__(self, page: Page) -> None:
        self._page = page
        self.by_amount: dict[int, SplitPrice] = {}
        self._by_start: dict[int, SplitPrice] = {}
        self._parts: set[int] = set()

    def search(self, chunks: range) -> None:
        """Find the prices among these text chunks that are made of several of them."""
        texts = self._page.texts
        chunk = chunks.start
        while chunk < chunks.stop:
            price = None
            if len(texts[chunk]) <= _MAX_PART_LENGTH and self._may_begin(chunk, chunks.stop):
                price = _price_at(self._page, chunk, chunks.stop)
            if price is None:
                chunk += 1
                continue
            self.by_amount[price.amount] = self._by_start[chunk] = price
            self._parts.update(price.texts)
            chunk = price.texts.stop

    def _may_begin(self, chunk: int, stop: int) -> bool:
        """Has the chunk a figure, or one of the two behind it, which a currency and its country may stand before?"""
        return any(
            any(map(str.isdigit, text)) for text in self._page.texts[chunk : min(chunk + 3, stop)]
        )

    def is_absorbed(self, chunk: int) -> bool:
        """Is the text a part of a price whose amount is in another chunk?"""
        return chunk in self._parts and chunk not in self.by_amount

    def is_whole_price(self, chunks: range) -> bool:
        """Are these the chunks of one torn price?"""
        price = self._by_start.get(chunks.start)
        return price is not None and price.texts == chunks

    def join(self, chunks: Sequence[int]) -> str:
        """Return the text of chunks on one line, with every torn price as one word."""
        words: list[str] = []
        place = 0
        while place < len(chunks):
            stop = place + 1
            if price := self._by_start.get(chunks[place]):
                words.append(price.text)
                stop = place + len(price.texts)
            else:
                while (
                    stop < len(chunks)
                    and chunks[stop] == chunks[stop - 1] + 1
                    and chunks[stop] not in self._by_start
                ):
                    stop += 1
                words.append(self._page.join_text_nodes(range(chunks[place], chunks[stop - 1] + 1)))
            if stop < len(chunks) and chunks[stop] not in self._continuations:
                words.append(" ")
            place = stop
        return "".join(words)

    @cached_property
    def _continuations(self) -> frozenset[int]:
        return frozenset(self._page.continuations)


def _price_at(page: Page, start: int, stop: int) -> SplitPrice | None:
    """Return the price that begins with a chunk: a currency, a whole number, cents, a currency, not all of them."""
    texts = page.texts
    amount, before = _skip_currency(page, start, stop)
    own = (
        build_amount_pattern().fullmatch(texts[amount])
        if len(texts[amount]) <= _MAX_PART_LENGTH
        else None
    )
    if own is None or (before and (own["before"] or own["after"])):
        return None
    before, number, mark, after = (
        before or own["before"] or "",
        own["number"],
        own["mark"] or "",
        own["after"] or "",
    )
    end, cents = amount + 1, ""
    has_cents = number[-3:-2] in (".", ",")
    if not has_cents and (found := _cents_after(page, amount, stop, mark, before or after)):
        end, cents, mark, behind = found
        after = after or behind
    if (
        not before
        and not after
        and end < stop
        and is_currency(texts[end])
        and _ends_price(page, end, stop)
    ):
        after, end = texts[end], end + 1
    if end - start < 2:
        return None
    if cents:
        number += (mark or ("," if "." in number else ".")) + cents
    gap = " " if before[-1:].isalnum() or before.endswith(".") else ""
    return SplitPrice(
        range(start, end), amount, f"{before}{gap}{number}" + (f" {after}" if after else "")
    )


def _skip_currency(page: Page, start: int, stop: int) -> tuple[int, str]:
    """Return the chunk after a currency that a price may begin with, and the currency: "$", or "US" and "$"."""
    parts = (
        2
        if _is_country(page, start, stop)
        else int(is_currency(page.texts[start]) and start + 1 < stop)
    )
    if not all(_may_join(page, chunk, chunk + 1) for chunk in range(start, start + parts)):
        return start, ""
    return start + parts, "".join(page.texts[start : start + parts])


def _is_country(page: Page, chunk: int, stop: int) -> bool:
    """Is this the country of a dollar or the like, as "US" in a part of its own before "$"?"""
    text = page.texts[chunk]
    return (
        chunk + 2 < stop
        and bool(_COUNTRY.fullmatch(text))
        and page.texts[chunk + 1] in _SIGNS_IN_FRONT
        and _is_inline(page, chunk, chunk + 1)
    )


def _cents_after(
    page: Page, amount: int, stop: int, mark: str, currency: str
) -> tuple[int, str, str, str] | None:
    """Return what follows an amount as its cents: the chunk after them, the cents, the decimal mark, and a currency.

    There may be no cents, but a dash for them ("19,-"), and a currency in their place ("19 € 97").
    """
    texts, chunk, middle = page.texts, amount + 1, ""
    if chunk < stop and _NO_CENTS.fullmatch(texts[chunk]) and _is_inline(page, amount, chunk):
        return chunk + 1, "", "", ""
    if (
        not mark
        and chunk < stop
        and _SEPARATOR.fullmatch(texts[chunk])
        and _is_inline(page, amount, chunk)
    ):
        chunk, mark = chunk + 1, texts[chunk]
    elif (
        not currency
        and chunk + 1 < stop
        and is_currency(texts[chunk])
        and _is_inline(page, amount, chunk)
    ):
        common = _common(page, amount, chunk + 1)
        if page.text_nodes(common) == range(amount, chunk + 2) or _is_marked_as_cents(
            page, chunk + 1
        ):
            chunk, middle = chunk + 1, texts[chunk]
    if chunk >= stop or len(texts[chunk]) > _MAX_PART_LENGTH:
        return None
    cents = build_cents_pattern().fullmatch(texts[chunk])
    is_marked = _is_marked_as_cents(page, chunk)
    if cents is None or not (is_marked or _is_inline(page, chunk - 1, chunk)):
        return None
    behind = middle or cents["before"] or cents["after"] or ""
    is_money = bool(currency or behind) or _is_called_price(page, amount)
    if chunk + 1 < stop and not is_money:
        is_money = is_currency(texts[chunk + 1]) and _is_inline(page, chunk, chunk + 1)
    tag = page.tree.labels[page.text_parents[chunk]]
    has_mark = bool(mark or middle or cents["mark"])
    # An exponent stands in the element of its base, as in "10<sup>12</sup>"; cents may stand beside that of the amount.
    is_beside = (
        not page.text_parents[amount]
        <= page.text_parents[chunk]
        < page.tree.ends[page.text_parents[amount]]
    )
    if (is_money and (has_mark or is_marked or tag == "small")) or (tag == "sup" and is_beside):
        return chunk + 1, cents["cents"], mark or cents["mark"] or "", behind
    return None


def _is_called_price(page: Page, chunk: int) -> bool:
    """Does an element around the text have a class that says price?"""
    around = islice(page.tree.ancestors(page.text_parents[chunk]), _MAX_PRICE_LEVELS)
    return any(
        not _PRICE_WORDS.isdisjoint(split_class_words(page.identifiers[node][0] or ""))
        for node in around
    )


def _is_marked_as_cents(page: Page, chunk: int) -> bool:
    """Is the text raised, or does its element have a class that says cents?"""
    node = page.text_parents[chunk]
    for _ in range(_MAX_LEVELS):
        if page.tree.labels[node] == "sup" or not _CENTS_WORDS.isdisjoint(
            split_class_words(page.identifiers[node][0] or "")
        ):
            return True
        node = page.tree.parents[node]
        if node < 0 or page.count_texts(node) > 1:
            return False
    return False


def _may_join(page: Page, currency: int, amount: int) -> bool:
    """May a currency and the amount after it be one price?

    They may within a line, and in an element that has nothing else. In two cells of a table they may if the currency is
    a sign, and no code, and if they are not columns with a header each.
    """
    crossed = page.tree.labels[page.text_positions[currency] : page.text_positions[amount]]
    if not _CELLS.isdisjoint(crossed):
        headers = page.table_grid.headers
        cells = [
            next(
                (node for node in page.tree.ancestors(page.text_parents[chunk]) if node in headers),
                None,
            )
            for chunk in (currency, amount)
        ]
        is_code = any(map(str.isalpha, page.texts[currency]))
        return not is_code and None in cells
    return (
        _is_inline(page, currency, amount)
        or page.count_texts(_common(page, currency, amount)) <= _MAX_PARTS
    )


def _ends_price(page: Page, currency: int, stop: int) -> bool:
    """Does a currency belong to the amount before it, and not to one that follows? The nearer element decides."""
    if not _is_inline(page, currency - 1, currency):
        return False
    if currency + 1 == stop or not is_number(page.texts[currency + 1]):
        return True
    before, after = _common(page, currency - 1, currency), _common(page, currency, currency + 1)
    return before > after or (before == after and page.texts[currency] not in _SIGNS_IN_FRONT)


def _is_inline(page: Page, first: int, second: int) -> bool:
    """Do two neighbouring chunks stand in one line, as far as their elements tell?"""
    labels, parents = page.tree.labels, page.tree.parents
    common = _common(page, first, second)
    for node in (page.text_parents[first], page.text_parents[second]):
        while node != common:
            if labels[node] in BLOCK_TAGS:
                return False
            node = parents[node]
    return BLOCK_TAGS.isdisjoint(labels[page.text_positions[first] : page.text_positions[second]])


def _common(page: Page, first: int, second: int) -> int:
    """Return the deepest element that has both chunks."""
    node, last = page.text_parents[first], page.text_parents[second]
    while not node <= last < page.tree.ends[node]:
        node = page.tree.parents[node]
    return node
