"""Selectors as steps from element to element, written in XPath 1.0 or in the CSS of Scrapy.

They are made for pages as lxml parses them. Its tree differs from a browser's, so steps go down any
number of levels where they can, and none names a tbody, which browsers add and lxml does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import NamedTuple

_TAG = re.compile(r"[A-Za-z_][\w-]*|\*", re.ASCII)
_CSS_NAME = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
_CSS_ESCAPED = re.compile(r'[\x00-\x1f"\x7f]')
# Characters that no XML document can contain, and so no string of XPath.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CLASS_TEST = re.compile(r"contains\(concat\(' ', normalize-space\(@class\), ' '\), ' ([^' ]+) '\)")
_FINAL_BLANK_TEST = re.compile(r"(?<=/text\(\))\[normalize-space\(\)\](?= \| |$)")


class Form(StrEnum):
    """The languages of selectors."""

    XPATH = "xpath"
    CSS = "css"


# ---- strings and identifiers ---------------------------------------------------------------------


def is_xml_text(text: str) -> bool:
    """Tell whether a text can be part of an XPath string."""
    return _NOT_XML.search(text) is None


def quote_xpath(text: str) -> str:
    """Return a text as an XPath string, which has no escapes."""
    for quote in ("'", '"'):
        if quote not in text:
            return f"{quote}{text}{quote}"
    parts = [f"'{part}'" for part in text.split("'")]
    return "concat({})".format(', "\'", '.join(parts))


def quote_css(text: str) -> str | None:
    """Return a text as a CSS string; None if it has a backslash, which Scrapy reads in two ways."""
    if "\\" in text:
        return None
    return '"{}"'.format(_CSS_ESCAPED.sub(lambda match: f"\\{ord(match[0]):x} ", text))


# An identifier is written as in template paths: .class, #id or @itemprop.
_ATTRIBUTES = {".": "class", "#": "id", "@": "itemprop"}


def format_xpath_test(identifier: str) -> str:
    """Return the XPath predicate for elements with an identifier, without brackets."""
    sign, name = identifier[0], identifier[1:]
    if sign == ".":
        return f"contains(concat(' ', normalize-space(@class), ' '), {quote_xpath(f' {name} ')})"
    return f"@{_ATTRIBUTES[sign]}={quote_xpath(name)}"


def format_css_test(identifier: str) -> str | None:
    """Return the CSS condition for elements with an identifier; None if CSS cannot express it."""
    sign, name = identifier[0], identifier[1:]
    if sign != "@" and _CSS_NAME.fullmatch(name):
        return identifier
    quoted = quote_css(name)
    operator = "~=" if sign == "." else "="
    return None if quoted is None else f"[{_ATTRIBUTES[sign]}{operator}{quoted}]"


def shorten_class_tests(xpath: str, classes_of_pages: Iterable[Collection[str]]) -> str:
    """Return an XPath that tests for a part of the attribute where no other class has that part."""

    def shorten(match: re.Match[str]) -> str:
        name = match[1]
        for classes in classes_of_pages:
            if any(name in other and name != other for other in classes):
                return match[0]
        return f"contains(@class, '{name}')"

    return _CLASS_TEST.sub(shorten, xpath)


def replace_blank_tests(xpath: str, replacement: str) -> str:
    """Replace the predicates at the ends of an XPath that leave out blank texts."""
    return _FINAL_BLANK_TEST.sub(replacement, xpath)


# ---- steps ---------------------------------------------------------------------------------------


class Condition(NamedTuple):
    """A predicate of an element; in CSS, what follows the tag, or None if CSS cannot express it."""

    xpath: str
    css: str | None = None


class Axis(Enum):
    """The direction of a step, as XPath and CSS write it."""

    DESCENDANT = ("//", " ")
    CHILD = ("/", " > ")
    NEXT_SIBLING = ("/following-sibling::", " + ")
    LATER_SIBLING = ("/following-sibling::", " ~ ")


class Step(NamedTuple):
    """A step from an element to those that match."""

    tag: str
    identifiers: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Identifiers that the element must not have."""
    conditions: tuple[Condition, ...] = ()
    number: int | None = None
    """The number of the element among its siblings of this tag, counted from 1."""
    axis: Axis = Axis.DESCENDANT

    def add_condition(self, condition: Condition) -> Step:
        """Return the step with one more condition."""
        return self._replace(conditions=(*self.conditions, condition))

    def format_element(self) -> str:
        """Return the element in XPath, without the axis."""
        parts = [self.tag if _TAG.fullmatch(self.tag) else f"*[name()={quote_xpath(self.tag)}]"]
        if self.number is not None:  # counts all elements of the tag, and so comes first
            parts.append(f"[{self.number}]")
        parts += [f"[{format_xpath_test(name)}]" for name in self.identifiers]
        parts += [f"[not({format_xpath_test(name)})]" for name in self.excluded]
        parts += [f"[{condition.xpath}]" for condition in self.conditions]
        return "".join(parts)

    def to_xpath(self) -> str:
        """Return the step in XPath; the next sibling is the nearest that matches."""
        nearest = "[1]" if self.axis is Axis.NEXT_SIBLING else ""
        return self.axis.value[0] + self.format_element() + nearest

    def to_css(self) -> str | None:
        """Return the step in CSS; None if CSS cannot express it."""
        if not _TAG.fullmatch(self.tag):
            return None
        parts = [self.axis.value[1], self.tag]
        if self.number is not None:
            parts.append(f":nth-of-type({self.number})")
        conditions = [format_css_test(name) for name in self.identifiers]
        conditions += [condition.css for condition in self.conditions]
        for condition in conditions:
            if condition is None:
                return None
            parts.append(condition)
        for name in self.excluded:
            condition = format_css_test(name)
            if condition is None:
                return None
            parts.append(f":not({condition})")
        return "".join(parts)


Steps = tuple[Step, ...]


# ---- selectors -----------------------------------------------------------------------------------


class Content(NamedTuple):
    """What is taken of the selected elements; in CSS, None if CSS cannot express it."""

    xpath: str = ""
    css: str | None = None


NON_BLANK_TEXT = "text()[normalize-space()]"
ELEMENT = Content("", "")
"""The element itself, for the text of its sub-tree."""
TEXT = Content(f"/{NON_BLANK_TEXT}", "::text")
"""Each text node that is a child of the element."""
ALL_TEXTS = Content(f"//{NON_BLANK_TEXT}", " ::text")
"""Each text node of the sub-tree."""
HREF = Content("/@href", "::attr(href)")
SRC = Content("/@src", "::attr(src)")


@dataclass(frozen=True)
class Selector:
    """Steps, and what is taken of the elements that they lead to."""

    steps: Steps
    content: Content = TEXT
    nth: int | None = None
    """Only the n-th of all results, counted from 1."""
    alternatives: tuple[Selector, ...] = ()
    """Selectors whose results are added, for pages on which this one has none."""
    is_relative: bool = False
    """Whether it starts at a given element, as the columns of a row do."""
    is_joined: bool = False
    """Whether all results are one text."""

    @property
    def searches_backwards(self) -> bool:
        """Whether the page is searched for a label before each element, or a table around it."""
        tests = [condition.xpath for step in self.steps for condition in step.conditions]
        text = " ".join([*tests, self.content.xpath])
        return "preceding::" in text or "ancestor::" in text

    def format(self, form: Form) -> str | None:
        """Return the selector in one of the languages; None if CSS cannot express it."""
        return self.to_xpath() if form is Form.XPATH else self.to_css()

    def to_xpath(self) -> str:
        """Return the selector in XPath 1.0."""
        paths: list[str] = []
        for selector in (self, *self.alternatives):
            path = "".join([step.to_xpath() for step in selector.steps]) + selector.content.xpath
            if selector.is_relative:
                path = f".{path}"
            if selector.nth is not None:
                path = f"({path})[{selector.nth}]"
            paths.append(path)
        return " | ".join(dict.fromkeys(paths))

    def to_css(self) -> str | None:
        """Return the selector in the CSS of Scrapy; None if CSS cannot express it."""
        paths: list[str] = []
        for selector in (self, *self.alternatives):
            steps = [step.to_css() for step in selector.steps]
            if selector.nth is not None or selector.content.css is None or None in steps:
                return None
            path = "".join(filter(None, steps))
            if selector.steps and selector.steps[0].axis is Axis.DESCENDANT:
                path = path.strip()
            elif selector.is_relative:
                path = f":scope{path}"
            else:
                return None
            paths.append(path + selector.content.css)
        return ", ".join(paths)

    def add_to_last_step(self, condition: Condition) -> Selector:
        """Return the selector with a condition for the last step of it and its alternatives."""
        return replace(
            self,
            steps=add_to_last_step(self.steps, condition),
            alternatives=tuple([way.add_to_last_step(condition) for way in self.alternatives]),
        )


def add_to_last_step(steps: Steps, condition: Condition) -> Steps:
    """Return steps of which the last has one more condition."""
    return (*steps[:-1], steps[-1].add_condition(condition))


def join_selectors(selectors: Sequence[Selector]) -> Selector:
    """Return the first selector with the others as its alternatives."""
    first, *others = selectors
    return replace(first, alternatives=(*first.alternatives, *others))
