"""The page index: sums over the text of a page and descriptions of its elements."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from unweave.lists.listing import Listing
from unweave.page.page import Page
from unweave.page.parse import Identifiers

Span = tuple[int, int]
"""The text nodes of a record: the number of the first, and that after the last."""

StartTokens = tuple[str, ...]
"""The tokens of an element: its tag, its classes, and the tags that it starts with."""

_MAX_START_TAGS = 4
# A hostile page could have as many different children as it has children.
_MAX_STEPS = 2_000_000
_DIGITS = re.compile(r"\d+")

_MENU_NAMES = {
    "navigation": r"nav|menu|breadcrumb|toolbar|tabs?\b|topbar",
    "footer": "foot|copyright|legal|bottom",
    "header": r"header|masthead|banner|top\b",
    "sidebar": "side|aside|widget|rail|column-?(?:left|right)",
    "related": "related|recommend|similar|also|popular|trend|most|recent|latest|viewed|suggest",
    "promotion": r"promo|sponsor|\bads?\b|advert|deal|offer|carousel|slider|cta",
    "filter": "filter|facet|refine|sort|categor|dropdown|select|option|tag",
    "pager": "pag(?:er|in|ing)|prev|next",
    "dialog": "social|share|follow|cookie|consent|lang|login|user|account|modal|popup",
}
_CONTENT_NAMES = {
    "result": "result|search|hit|listing|feed|stream|archive",
    "product": "product|card|tile|catalog|shop|goods",
    "item": "item|row|entry|record|post|thread|topic",
    "article": "article|story|news|blog|event|doc",
    "list": "list|grid|table|collection|gallery",
    "main": "main|content|body|primary|center",
}
"""Groups of words in classes and ids that name boilerplate, and that name content."""

_NAME_GROUPS = {
    name: (1 << bit, re.compile(words))
    for bit, (name, words) in enumerate({**_MENU_NAMES, **_CONTENT_NAMES}.items())
}
"""For every group its bit, and what matches its words in lower case."""
MENU_GROUPS = sum(_NAME_GROUPS[name][0] for name in _MENU_NAMES)
CONTENT_GROUPS = sum(_NAME_GROUPS[name][0] for name in _CONTENT_NAMES)
"""The bits of all groups of each kind."""
RESULT_GROUP, FILTER_GROUP = _NAME_GROUPS["result"][0], _NAME_GROUPS["filter"][0]

_GROUP_OF_TAG = {
    "nav": "navigation",
    "footer": "footer",
    "header": "header",
    "aside": "sidebar",
    "select": "filter",
    "main": "main",
    "article": "article",
}
_GROUP_OF_ROLE = {
    "navigation": "navigation",
    "menu": "navigation",
    "menubar": "navigation",
    "tablist": "navigation",
    "contentinfo": "footer",
    "banner": "header",
    "complementary": "sidebar",
    "search": "filter",
    "dialog": "dialog",
    "main": "main",
    "feed": "result",
    "article": "article",
    "list": "list",
    "grid": "list",
    "listitem": "item",
    "row": "item",
}
"""The groups of ARIA roles."""
_MAX_NAME_LENGTH = 300
# Names of these describe the whole page.
_PAGE_TAGS = frozenset(["html", "body"])

_HIDING_STYLE = "display:none"

HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_EMPHASIS_TAGS = HEADING_TAGS | frozenset("a b strong dt th".split())
_MAX_EMPHASIS_STEPS = 3

DIGIT, DATE, PRICE, LONG = 1, 2, 4, 8
"""What a text looks like, as bits."""
_MIN_LONG_TEXT = 80  # characters, about a sentence
_MIN_PROSE_TEXT = 100
_DIGIT = re.compile(r"\d")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}:\d\d\b"
    r"|\b\d+ (?:minute|hour|day|week|month|year)s?\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d",
    re.IGNORECASE,
)
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?[$€£¥]|\b(?:USD|EUR|GBP)\b|\d[.,]\d\d\b")
# "1-10 of 345", "24 products", "Results: 10"
_STATED_COUNT = re.compile(
    r"\b(?P<first>\d{1,4})\s*[-–—]\s*(?P<last>\d{1,4})\b"
    r"|\b(?P<before>\d{1,4})\s+(?:results|items|products|records|matches|entries|posts|jobs|hits"
    r"|found|articles|documents|cases|opinions)"
    r"|(?:results|showing|displaying|total|found)\D{0,12}(?P<after>\d{1,4})\b",
    re.IGNORECASE,
)
_MAX_COUNT_TEXT = 120


class Names(NamedTuple):
    """The groups of the names of an element, as bits, and those around it."""

    groups: int
    around: int
    """Of the element and of all elements around it."""
    boilerplate_depth: int
    """The number of elements around it, itself included, whose names are those of menus."""
    content_depth: int
    """The number of elements around it, itself included, whose names are those of content."""


class PageIndex:
    """An index of one page: prefix sums by text node and by element, and tokens of elements.

    A prefix sum at ``i`` is the sum over all text nodes (or elements) before ``i``, so that the
    sum over a range is the difference of two.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.labels, self.parents, self.ends = page.tree.labels, page.tree.parents, page.tree.ends
        self.first_texts, self.stop_texts = page.text_starts, page.text_ends
        self.length_sums = list(accumulate(map(len, page.texts), initial=0))
        """The length of all text before each text node, in characters."""
        self._steps_left = _MAX_STEPS
        self._paths_of_spans: dict[Span, frozenset[int]] = {}
        self._looks_of_spans: dict[Span, int] = {}

    def spend_steps(self, steps: int) -> bool:
        """Take steps from the budget of this page; return False if too few are left."""
        self._steps_left -= steps
        return self._steps_left >= 0

    # ---- text ------------------------------------------------------------------------------------

    @cached_property
    def nodes_with_text(self) -> list[int]:
        """The elements that have text."""
        return [node for node, (first, stop) in enumerate(self.spans) if stop > first]

    @cached_property
    def spans(self) -> list[Span]:
        """For every element its text nodes."""
        return list(zip(self.first_texts, self.stop_texts, strict=True))

    @cached_property
    def children_with_text(self) -> list[list[int]]:
        """For every element its children that have text."""
        children: list[list[int]] = [[] for _ in self.labels]
        parents = self.parents
        for node in self.nodes_with_text:
            if node:
                children[parents[node]].append(node)
        return children

    @cached_property
    def length_before(self) -> list[int]:
        """For every element the length of the text before it."""
        return [self.length_sums[first] for first in self.first_texts]

    @cached_property
    def length_to_end(self) -> list[int]:
        """For every element the length of the text before its end."""
        return [self.length_sums[stop] for stop in self.stop_texts]

    def measure_text(self, node: int) -> int:
        """Return the length of the text of an element."""
        return self.length_to_end[node] - self.length_before[node]

    @cached_property
    def link_length_sums(self) -> list[int]:
        """The length of all linked text before each text node."""
        is_linked: list[bool] = []
        for label, parent in zip(self.labels, self.parents, strict=True):
            is_linked.append(label == "a" or (parent >= 0 and is_linked[parent]))
        texts = zip(self.page.texts, self.page.text_parents, strict=True)
        return list(
            accumulate((len(text) if is_linked[owner] else 0 for text, owner in texts), initial=0)
        )

    @cached_property
    def image_sums(self) -> list[int]:
        """The number of images before each element."""
        return list(accumulate((label == "img" for label in self.labels), initial=0))

    # ---- lists -----------------------------------------------------------------------------------

    def is_contiguous(self, listing: Listing) -> bool:
        """Tell whether the parts of each record are adjacent siblings."""
        return all(self.page.are_adjacent_siblings(record) for record in listing.records)

    def collect_texts(self, listing: Listing) -> set[int]:
        """Return the numbers of the text nodes of a list."""
        return {text for node in listing.nodes for text in self.page.text_nodes(node)}

    @cached_property
    def text_paths(self) -> list[int]:
        """For every text node the number of its path: three tags, and the classes of the first."""
        numbers: dict[tuple[str, str, str, str], int] = {}
        paths: list[int] = []
        labels, parents = [*self.labels, ""], [*self.parents, -1]
        without_digits: dict[str | None, str] = {None: ""}
        for owner in self.page.text_parents:
            parent = parents[owner]
            classes = self.page.identifiers[owner][0]
            if classes not in without_digits:  # digits only number similar elements
                without_digits[classes] = _DIGITS.sub("", classes or "")
            key = (
                labels[owner],
                labels[parent],
                labels[parents[parent]],
                without_digits[classes],
            )
            paths.append(numbers.setdefault(key, len(numbers)))
        return paths

    def find_paths(self, span: Span) -> frozenset[int]:
        """Return the paths of the text nodes of a record; candidates share records."""
        paths = self._paths_of_spans.get(span)
        if paths is None:
            paths = self._paths_of_spans[span] = frozenset(self.text_paths[span[0] : span[1]])
        return paths

    # ---- elements --------------------------------------------------------------------------------

    @cached_property
    def starts(self) -> dict[int, StartTokens]:
        """For every element its tag, its class tokens, and the tags that it starts with.

        Equal starts are one object.
        """
        labels, describe = self.labels, self._describe_start
        known: dict[tuple[StartTokens, str], StartTokens] = {}
        starts: dict[int, StartTokens] = {}
        for node, tokens in self.class_tokens.items():
            key = (tokens, describe(node))
            start = known.get(key)
            if start is None:
                start = known[key] = (labels[node], *tokens, key[1])
            starts[node] = start
        return starts

    @cached_property
    def class_tokens(self) -> dict[int, tuple[str, ...]]:
        """For every element its classes, each with its tag, and its id without digits.

        Digits in an id only number similar elements.
        """
        labels, names = self.labels, self.page.identifiers
        known: dict[tuple[str, Identifiers], tuple[str, ...]] = {}
        tokens_of: dict[int, tuple[str, ...]] = {}
        for node in self.nodes_with_text:
            key = (labels[node], names[node])
            tokens = known.get(key)
            if tokens is None:
                label, (classes, id_, _) = key
                words = dict.fromkeys((classes or "").split())
                tokens = tuple([f"{label}.{word}" for word in words])
                if id_ and _DIGITS.search(id_):
                    tokens += (f"{label}#{_DIGITS.sub('', id_)}",)
                known[key] = tokens
            tokens_of[node] = tokens
        return tokens_of

    def _describe_start(self, node: int) -> str:
        """Return the tags of the first descendants of an element, up to the first text."""
        labels, ends, starts_with_text = self.labels, self.ends, self._nodes_starting_with_text
        tags = labels[node]
        for _ in range(_MAX_START_TAGS):
            if node in starts_with_text:
                return f"{tags}>#text"
            if node + 1 >= ends[node]:
                break
            node += 1
            tags = f"{tags}>{labels[node]}"
        return f"{tags}>"

    @cached_property
    def _nodes_starting_with_text(self) -> set[int]:
        texts = zip(self.page.text_parents, self.page.text_positions, strict=True)
        return {owner for owner, following in texts if following == owner + 1}

    @cached_property
    def depths(self) -> list[int]:
        """The number of elements around each, itself included."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 1)
        return depths

    # ---- names -----------------------------------------------------------------------------------

    @cached_property
    def names(self) -> Mapping[int, Names]:
        """For every element the groups of its names, and of those around it."""
        return _NamesByNode(self)

    @cached_property
    def roles(self) -> Mapping[int, str]:
        """The ARIA roles of elements."""
        return self.page.find_attribute("role")

    @cached_property
    def hidden_sums(self) -> list[int]:
        """The number of hidden elements before each: attributes hide them or one around them."""
        hidden = {*self.page.find_attribute("hidden")}
        aria, styles = self.page.find_attribute("aria-hidden"), self.page.find_attribute("style")
        hidden.update(node for node, value in aria.items() if value == "true")
        hidden.update(
            node for node, style in styles.items() if _HIDING_STYLE in style.replace(" ", "")
        )
        is_hidden = bytearray(len(self.labels))
        for node in hidden:
            end = self.ends[node]
            is_hidden[node:end] = b"\1" * (end - node)
        return list(accumulate(is_hidden, initial=0))

    # ---- what texts look like --------------------------------------------------------------------

    def find_looks(self, span: Span) -> int:
        """Return what a record has, as bits: a text with a DIGIT, a DATE, a PRICE, a LONG text."""
        looks = self._looks_of_spans.get(span)
        if looks is None:
            looks = 0
            for text in self.page.texts[span[0] : span[1]]:
                looks |= _describe_text(text)
            self._looks_of_spans[span] = looks
        return looks

    @cached_property
    def prose_length_sums(self) -> list[int]:
        """The length of all prose before each text node: long texts that are not links."""
        lengths, linked = self.length_sums, self.link_length_sums
        prose = [
            length if length >= _MIN_PROSE_TEXT and linked[text + 1] == linked[text] else 0
            for text, length in enumerate(map(int.__sub__, lengths[1:], lengths))
        ]
        return list(accumulate(prose, initial=0))

    @cached_property
    def text_counts(self) -> Counter[str]:
        """How often the page has each text."""
        return Counter(self.page.texts)

    @cached_property
    def stated_counts(self) -> set[int]:
        """The numbers of results that the page states: 10 for "1-10 of 345"."""
        counts: set[int] = set()
        for text in self.page.texts:
            if len(text) > _MAX_COUNT_TEXT or not _DIGIT.search(text):
                continue
            for match in _STATED_COUNT.finditer(text):
                if match["last"]:
                    counts.add(int(match["last"]) - int(match["first"]) + 1)
                else:
                    counts.add(int(match["before"] or match["after"]))
        return counts

    def is_emphasized(self, text: int) -> bool:
        """Tell whether a text node is in a heading, a link or bold type."""
        node = self.page.text_parents[text]
        for _ in range(_MAX_EMPHASIS_STEPS):
            if node < 0:
                return False
            if self.labels[node] in _EMPHASIS_TAGS:
                return True
            node = self.parents[node]
        return False

    # ---- elements of a kind ----------------------------------------------------------------------

    @cached_property
    def links(self) -> list[int]:
        """The link elements."""
        return [node for node, label in enumerate(self.labels) if label == "a"]

    @cached_property
    def headings(self) -> list[int]:
        """The headings that have text."""
        return [
            node
            for node, label in enumerate(self.labels)
            if label in HEADING_TAGS and self.stop_texts[node] > self.first_texts[node]
        ]

    @cached_property
    def main_heading(self) -> int | None:
        """The first h1 element."""
        return next((node for node in self.headings if self.labels[node] == "h1"), None)

    @cached_property
    def main_element(self) -> int | None:
        """The element that the page marks as its main content."""
        elements = [node for node, role in self.roles.items() if role == "main"]
        if "main" in self.labels:
            elements.append(self.labels.index("main"))
        return min(elements, default=None)

    @cached_property
    def rows_with_header(self) -> set[int]:
        """The table rows that have a cell below a header."""
        return {self.parents[cell] for cell in self.page.table_grid.headers}

    @cached_property
    def tag_path_counts(self) -> Counter[int]:
        """How many elements with text have each tag path."""
        paths = self.page.tree.path_ids
        return Counter([paths[node] for node in self.nodes_with_text])

    @cached_property
    def class_counts(self) -> Counter[str]:
        """How many elements with text have each class."""
        counts: Counter[str] = Counter()
        for tokens, times in Counter(self.class_tokens.values()).items():
            for token in tokens:
                counts[token] += times
        return counts


@lru_cache(maxsize=10_000)
def _describe_text(text: str) -> int:
    """Return the looks of a text, as bits."""
    looks = LONG if len(text) >= _MIN_LONG_TEXT else 0
    if _DIGIT.search(text):
        looks |= DIGIT
        if _DATE.search(text):
            looks |= DATE
        if _PRICE.search(text):
            looks |= PRICE
    return looks


class _NamesByNode(dict[int, Names]):
    """The names of elements, found when they are first used: most are not."""

    def __init__(self, index: PageIndex) -> None:
        super().__init__()
        self._labels, self._parents = index.labels, index.parents
        self._identifiers, self._roles = index.page.identifiers, index.roles

    def __missing__(self, node: int) -> Names:
        parent = self._parents[node]
        outer = self[parent] if parent >= 0 else Names(0, 0, 0, 0)
        classes, id_, _ = self._identifiers[node]
        groups = _find_name_groups(self._labels[node], classes, id_, self._roles.get(node))
        if groups or outer.groups:
            outer = Names(
                groups,
                groups | outer.around,
                outer.boilerplate_depth + (groups & MENU_GROUPS != 0),
                outer.content_depth + (groups & CONTENT_GROUPS != 0),
            )
        self[node] = outer
        return outer


def _find_name_groups(label: str, classes: str | None, id_: str | None, role: str | None) -> int:
    """Return the groups of an element's names, as bits."""
    if label in _PAGE_TAGS:
        return 0
    bits = 0
    if label in _GROUP_OF_TAG:
        bits = _NAME_GROUPS[_GROUP_OF_TAG[label]][0]
    if role in _GROUP_OF_ROLE:
        bits |= _NAME_GROUPS[_GROUP_OF_ROLE[role]][0]
    for words in (classes, id_):
        if words:
            bits |= _find_word_groups(words[:_MAX_NAME_LENGTH])
    return bits


@lru_cache(maxsize=10_000)  # pages share many names
def _find_word_groups(words: str) -> int:
    """Return the groups of words in a class or id, as bits."""
    return _match_word_groups(_DIGITS.sub("", words).lower())


@lru_cache(maxsize=10_000)
def _match_word_groups(words: str) -> int:
    """Return the groups of words without digits in lower case, as bits."""
    bits = 0
    for bit, pattern in _NAME_GROUPS.values():
        if pattern.search(words):
            bits |= bit
    return bits
