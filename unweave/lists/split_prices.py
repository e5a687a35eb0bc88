"""Split prices: "$", "19" and "97" in three elements are one price.

Shops put the currency and the cents into elements of their own. Read one by one, the price would
be 19, the cents a column of numbers, and the currency a constant that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from unweave.page.page import BLOCK_TAGS, Page
from unweave.values.naming import split_class_words
from unweave.values.numbers import build_amount_pattern, build_cents_pattern, is_currency, is_number

_DIGIT = re.compile(r"\d")
_DECIMAL_MARK = re.compile(r"[.,]")
_DASH_FOR_CENTS = re.compile(r"[.,]?[-–—]{1,2}")
_COUNTRY = re.compile("[A-Z]{1,3}")
_CENTS_CLASSES = frozenset(
    "cent cents centavos centimes dec decimal decimals fraction frac pence".split()
)
_PRICE_CLASSES = frozenset(
    "price prices cost amount money preis prix precio prezzo preco pris cena".split()
)
_SIGNS_IN_FRONT = frozenset("$ £ ¥ US$ CA$ A$ ₹ R$".split())
_CELL_TAGS = frozenset(["td", "th", "dt", "dd", "li", "tr"])
# How many elements around a text may have a class for cents, and how many one for prices.
_MAX_CENTS_LEVELS = 2
_MAX_PRICE_LEVELS = 3
# An element of nothing but a price has at most this many texts.
_MAX_PARTS = 4
_MAX_PART_LENGTH = 20


class SplitPrice(NamedTuple):
    """The text nodes that make up a price, and the price as one text."""

    texts: range
    amount: int
    """The text node that has the amount, or its whole part."""
    text: str


class SplitPrices:
    """The split prices of a page, as far as its text nodes were searched."""

    @classmethod
    def find(cls, page: Page) -> SplitPrices:
        """Search all text nodes of a page."""
        prices = cls(page)
        prices.search(range(len(page.texts)))
        return prices

    def __init__(self, page: Page) -> None:
        self._page = page
        self.by_amount: dict[int, SplitPrice] = {}
        """The prices by the text node of their amount."""
        self._by_start: dict[int, SplitPrice] = {}
        self._parts: set[int] = set()

    def search(self, text_nodes: range) -> None:
        """Find the prices among these text nodes that are made of several of them."""
        texts, stop = self._page.texts, text_nodes.stop
        end = text_nodes.start
        with_digits = {
            number
            for number in text_nodes
            if len(texts[number]) <= _MAX_PART_LENGTH and _DIGIT.search(texts[number])
        }
        for amount in sorted(with_digits):
            # A currency and its country may be before the first digit.
            for start in (amount - 2, amount - 1, amount):
                if start < end or not self._may_start(start, amount, with_digits):
                    continue
                price = _read_price(self._page, start, stop)
                if price is not None:
                    self.by_amount[price.amount] = self._by_start[start] = price
                    self._parts.update(price.texts)
                    end = price.texts.stop

    def _may_start(self, start: int, amount: int, with_digits: Set[int]) -> bool:
        """Tell whether the first text of a price is ``start``, by its text and the one after it."""
        texts = self._page.texts
        if start < amount:
            return is_currency(texts[start]) or bool(_COUNTRY.fullmatch(texts[start]))
        following = texts[amount + 1] if amount + 1 < len(texts) else ""
        return (
            amount + 1 in with_digits
            or is_currency(following)
            or bool(_DECIMAL_MARK.fullmatch(following) or _DASH_FOR_CENTS.fullmatch(following))
        )

    def is_absorbed(self, text_node: int) -> bool:
        """Tell whether a text is a part of a price whose amount is in another text node."""
        return text_node in self._parts and text_node not in self.by_amount

    def is_whole_price(self, text_nodes: range) -> bool:
        """Tell whether these are the text nodes of one split price."""
        price = self._by_start.get(text_nodes.start)
        return price is not None and price.texts == text_nodes

    def join(self, text_nodes: Sequence[int]) -> str:
        """Return the text of text nodes on one line, with every split price as one word."""
        if len(text_nodes) == 1 and text_nodes[0] not in self._by_start:
            return self._page.texts[text_nodes[0]]
        words: list[str] = []
        start = 0
        while start < len(text_nodes):
            stop = start + 1
            if price := self._by_start.get(text_nodes[start]):
                words.append(price.text)
                stop = start + len(price.texts)
            else:
                while (
                    stop < len(text_nodes)
                    and text_nodes[stop] == text_nodes[stop - 1] + 1
                    and text_nodes[stop] not in self._by_start
                ):
                    stop += 1
                run = range(text_nodes[start], text_nodes[stop - 1] + 1)
                words.append(self._page.join_text_nodes(run))
            if stop < len(text_nodes) and text_nodes[stop] not in self._continuations:
                words.append(" ")
            start = stop
        return "".join(words)

    @cached_property
    def _continuations(self) -> frozenset[int]:
        return frozenset(self._page.continuations)


def _read_price(page: Page, start: int, stop: int) -> SplitPrice | None:
    """Return the price that begins with a text node: currency, whole number, cents, currency.

    Some of these may be missing. A price in a single text node is not split.
    """
    texts = page.texts
    amount, before = _skip_currency(page, start, stop)
    if len(texts[amount]) > _MAX_PART_LENGTH:
        return None
    match = build_amount_pattern().fullmatch(texts[amount])
    if match is None or (before and (match["before"] or match["after"])):
        return None
    before, after = before or match["before"] or "", match["after"] or ""
    number, end = match["number"], amount + 1
    has_cents = number[-3:-2] in (".", ",")
    if not has_cents:
        cents = _read_cents(page, amount, stop, match["mark"] or "", before or after)
        if cents is not None:
            end, after = cents.stop, after or cents.currency
            if cents.digits:
                number += (cents.mark or ("," if "." in number else ".")) + cents.digits
    is_bare = not before and not after
    if is_bare and end < stop and is_currency(texts[end]) and _ends_price(page, end, stop):
        after, end = texts[end], end + 1
    if end - start < 2:
        return None
    gap = " " if before[-1:].isalnum() or before.endswith(".") else ""
    text = f"{before}{gap}{number}" + (f" {after}" if after else "")
    return SplitPrice(range(start, end), amount, text)


def _skip_currency(page: Page, start: int, stop: int) -> tuple[int, str]:
    """Return the text node after a currency before a price, and the currency: "$", "US" and "$"."""
    texts = page.texts
    if (
        start + 2 < stop
        and _COUNTRY.fullmatch(texts[start])
        and texts[start + 1] in _SIGNS_IN_FRONT
        and _is_inline(page, start, start + 1)
    ):
        amount = start + 2
    elif start + 1 < stop and is_currency(texts[start]):
        amount = start + 1
    else:
        return start, ""
    if not all(_can_join(page, number, number + 1) for number in range(start, amount)):
        return start, ""
    return amount, "".join(texts[start:amount])


class _Cents(NamedTuple):
    """The cents after an amount, with the decimal mark and the currency beside them."""

    stop: int
    """The text node after them."""
    digits: str = ""
    """Empty if a dash is in their position ("19,-")."""
    mark: str = ""
    currency: str = ""


def _read_cents(page: Page, amount: int, stop: int, mark: str, currency: str) -> _Cents | None:
    """Return the cents after an amount, which ends with ``mark`` and has this currency before it.

    A decimal mark or a currency ("19 € 97") may be between the amount and the cents.
    """
    texts, number, middle = page.texts, amount + 1, ""
    if number < stop and _is_inline(page, amount, number):
        if _DASH_FOR_CENTS.fullmatch(texts[number]):
            return _Cents(number + 1)
        if not mark and _DECIMAL_MARK.fullmatch(texts[number]):
            number, mark = number + 1, texts[number]
        elif not currency and number + 1 < stop and is_currency(texts[number]):
            inside = page.text_nodes(_find_common_ancestor(page, amount, number + 1))
            if inside == range(amount, number + 2) or _is_marked_as_cents(page, number + 1):
                number, middle = number + 1, texts[number]
    if number >= stop or len(texts[number]) > _MAX_PART_LENGTH:
        return None
    match = build_cents_pattern().fullmatch(texts[number])
    is_marked = _is_marked_as_cents(page, number)
    if match is None or not (is_marked or _is_inline(page, number - 1, number)):
        return None
    currency_after = middle or match["before"] or match["after"] or ""
    is_money = bool(currency or currency_after) or _has_price_class(page, amount)
    if number + 1 < stop and not is_money:
        is_money = is_currency(texts[number + 1]) and _is_inline(page, number, number + 1)
    parent, parent_of_amount = page.text_parents[number], page.text_parents[amount]
    tag = page.tree.labels[parent]
    has_mark = bool(mark or middle or match["mark"])
    # An exponent is in the element of its base, as in "10<sup>12</sup>"; cents may be beside it.
    is_beside = not parent_of_amount <= parent < page.tree.ends[parent_of_amount]
    if (is_money and (has_mark or is_marked or tag == "small")) or (tag == "sup" and is_beside):
        return _Cents(number + 1, match["cents"], mark or match["mark"] or "", currency_after)
    return None


def _has_price_class(page: Page, text_node: int) -> bool:
    """Tell whether an element around the text has a class for prices."""
    around = islice(page.tree.ancestors(page.text_parents[text_node]), _MAX_PRICE_LEVELS)
    return any(_has_class_word(page, node, _PRICE_CLASSES) for node in around)


def _is_marked_as_cents(page: Page, text_node: int) -> bool:
    """Tell whether the text is raised, or an element of nothing else has a class for cents."""
    node = page.text_parents[text_node]
    for _ in range(_MAX_CENTS_LEVELS):
        if page.tree.labels[node] == "sup" or _has_class_word(page, node, _CENTS_CLASSES):
            return True
        node = page.tree.parents[node]
        if node < 0 or page.count_texts(node) > 1:
            return False
    return False


def _has_class_word(page: Page, node: int, words: frozenset[str]) -> bool:
    return not words.isdisjoint(split_class_words(page.identifiers[node][0] or ""))


def _can_join(page: Page, currency: int, amount: int) -> bool:
    """Tell whether a currency and the amount after it can be one price.

    They can within a line, and in an element that has nothing else. In two cells of a table they
    can if the currency is a sign, and no code, and if they are not columns with a header each.
    """
    positions = page.text_positions
    crossed = page.tree.labels[positions[currency] : positions[amount]]
    if _CELL_TAGS.isdisjoint(crossed):
        if _is_inline(page, currency, amount):
            return True
        return page.count_texts(_find_common_ancestor(page, currency, amount)) <= _MAX_PARTS
    if any(map(str.isalpha, page.texts[currency])):
        return False
    return not (_has_header(page, currency) and _has_header(page, amount))


def _has_header(page: Page, text_node: int) -> bool:
    headers = page.table_grid.headers
    return any(node in headers for node in page.tree.ancestors(page.text_parents[text_node]))


def _ends_price(page: Page, currency: int, stop: int) -> bool:
    """Tell whether a currency belongs to the amount before it, and not to one that follows.

    It belongs to the one that shares the nearer element.
    """
    if not _is_inline(page, currency - 1, currency):
        return False
    if currency + 1 == stop or not is_number(page.texts[currency + 1]):
        return True
    before = _find_common_ancestor(page, currency - 1, currency)
    after = _find_common_ancestor(page, currency, currency + 1)
    return before > after or (before == after and page.texts[currency] not in _SIGNS_IN_FRONT)


def _is_inline(page: Page, left: int, right: int) -> bool:
    """Tell whether two neighbouring texts are in one line, by the tags of their elements."""
    labels, parents = page.tree.labels, page.tree.parents
    common = _find_common_ancestor(page, left, right)
    for node in (page.text_parents[left], page.text_parents[right]):
        while node != common:
            if labels[node] in BLOCK_TAGS:
                return False
            node = parents[node]
    return BLOCK_TAGS.isdisjoint(labels[page.text_positions[left] : page.text_positions[right]])


def _find_common_ancestor(page: Page, left: int, right: int) -> int:
    """Return the deepest element that has both texts."""
    node, last = page.text_parents[left], page.text_parents[right]
    while not node <= last < page.tree.ends[node]:
        node = page.tree.parents[node]
    return node
