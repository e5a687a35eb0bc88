"""Selectors: steps from element to element, and what is taken of the last; in XPath 1.0, and in the CSS of Scrapy.

They are made for pages as lxml reads them, whose tree is not quite the browser's: steps go down any number of levels where
they can, and none names a tbody, which browsers add and lxml does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import NamedTuple

_TAG = re.compile(r"[A-Za-z_][\w-]*|\*", re.ASCII)
_PLAIN_NAME = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
_ESCAPED = re.compile(r'[\x00-\x1f"\x7f]')
# What no document of XML can hold, and so no string of XPath.
_UNSAYABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


# Class tests as Word.xpath writes them.
_CLASS_TEST = re.compile(r"contains\(concat\(' ', normalize-space\(@class\), ' '\), ' ([^' ]+) '\)")
_BLANK_TEST_AT_END = re.compile(r"(?<=/text\(\))\[normalize-space\(\)\](?= \| |$)")
_FAR_AXES = ("preceding::", "ancestor::")


class Form(StrEnum):
    """The languages of selectors."""

    XPATH = "xpath"
    CSS = "css"


def is_sayable(text: str) -> bool:
    """Can a selector have this text in it?"""
    return _UNSAYABLE.search(text) is None


def xpath_string(text: str) -> str:
    """The text as a string of XPath, which knows no escapes."""
    for quote in ("'", '"'):
        if quote not in text:
            return f"{quote}{text}{quote}"
    parts = [f"'{part}'" for part in text.split("'")]
    return "concat({})".format(', "\'", '.join(parts))


def css_string(text: str) -> str | None:
    """The text as a string of CSS; None if it has a backslash, which Scrapy's CSS reads in two ways at once."""
    return (
        None
        if "\\" in text
        else '"{}"'.format(_ESCAPED.sub(lambda match: f"\\{ord(match[0]):x} ", text))
    )


class Condition(NamedTuple):
    """What an element must be like: what stands in the brackets of XPath, and behind the name in CSS."""

    xpath: str
    css: str | None
    """None if CSS cannot say it."""
    is_position: bool = False
    """Does it count elements?"""


class Kind(Enum):
    """The attributes that tell elements apart, by the sign that stands before a word of theirs in a place."""

    PROPERTY = "@"
    ID = "#"
    CLASS = "."


_IN_CSS = {Kind.PROPERTY: "itemprop", Kind.ID: "id", Kind.CLASS: "class~"}


class Word(NamedTuple):
    """A property, an id, or one of the classes of an element."""

    kind: Kind
    text: str

    def xpath(self) -> str:
        """What stands in the brackets."""
        if self.kind is Kind.CLASS:
            return f"contains(concat(' ', normalize-space(@class), ' '), {xpath_string(f' {self.text} ')})"
        return f"@{'id' if self.kind is Kind.ID else 'itemprop'}={xpath_string(self.text)}"

    def css(self) -> str | None:
        """What stands behind the name, as a string where the word is no plain name; None if CSS cannot say it."""
        if _PLAIN_NAME.fullmatch(self.text) and self.kind is not Kind.PROPERTY:
            return f"{self.kind.value}{self.text}"
        quoted = css_string(self.text)
        return None if quoted is None else f"[{_IN_CSS[self.kind]}={quoted}]"


def shorten_class_tests(xpath: str, is_distinct: Callable[[str], bool]) -> str:
    """Return an XPath that asks for classes by a part of the attribute, where no other class has them in it."""

    def short(match: re.Match[str]) -> str:
        return f"contains(@class, '{match[1]}')" if is_distinct(match[1]) else match[0]

    return _CLASS_TEST.sub(short, xpath)


def without_blank_tests(xpath: str, instead: str = "") -> str:
    """Return an XPath without the tests at its ends that texts are not blank, or with others instead."""
    return _BLANK_TEST_AT_END.sub(instead, xpath)


class Axis(Enum):
    """Where a step leads, as XPath and CSS say it."""

    BELOW = ("//", " ")
    CHILD = ("/", " > ")
    NEXT = ("/following-sibling::", " + ")
    LATER = ("/following-sibling::", " ~ ")


class Step(NamedTuple):
    """From an element to others: their name, what they are called and what not, what else holds, and the direction."""

    tag: str
    words: tuple[Word, ...] = ()
    lacks: tuple[Word, ...] = ()
    """Words that others have which are called the same otherwise."""
    conditions: tuple[Condition, ...] = ()
    number: int | None = None
    """Which of the siblings of this name, counted from 1."""
    axis: Axis = Axis.BELOW

    def that(self, *conditions: Condition) -> Step:
        """The same step with more conditions."""
        return self._replace(conditions=(*self.conditions, *conditions))

    def along(self, axis: Axis) -> Step:
        """The same step in another direction."""
        return self._replace(axis=axis)

    @property
    def is_position(self) -> bool:
        """Does it count elements?"""
        return self.number is not None or any(
            condition.is_position for condition in self.conditions
        )

    def element(self) -> str:
        """The element in XPath, without the direction. A number counts elements of the name, and so comes first."""
        is_name = _TAG.fullmatch(self.tag)
        found = [self.tag if is_name else f"*[name()={xpath_string(self.tag)}]"]
        found += [] if self.number is None else [f"[{self.number}]"]
        found += [f"[{word.xpath()}]" for word in self.words]
        found += [f"[not({word.xpath()})]" for word in self.lacks]
        return "".join(found + [f"[{condition.xpath}]" for condition in self.conditions])

    def xpath(self) -> str:
        """The step in XPath; the next sibling is the nearest one that is like this."""
        return self.axis.value[0] + self.element() + ("[1]" if self.axis is Axis.NEXT else "")

    def css(self) -> str | None:
        """The step in CSS; None if CSS cannot say it."""
        lacks = [word.css() for word in self.lacks]
        parts = [
            *(word.css() for word in self.words),
            *(condition.css for condition in self.conditions),
        ]
        if not _TAG.fullmatch(self.tag) or None in (*lacks, *parts):
            return None
        number = "" if self.number is None else f":nth-of-type({self.number})"
        return (
            self.axis.value[1]
            + self.tag
            + number
            + "".join([*filter(None, parts), *(f":not({own})" for own in lacks)])
        )


Steps = tuple[Step, ...]


class End(NamedTuple):
    """What is taken of the elements at the end of the steps, as XPath and CSS say it; None if CSS cannot."""

    xpath: str = ""
    css: str | None = ""
    is_position: bool = False
    """Does it count texts?"""


SOME_TEXT = "text()[normalize-space()]"
WHOLE = End()
"""The element itself: all that it says."""
TEXT = End(f"/{SOME_TEXT}", "::text")
"""Each text that stands in the element itself."""
ALL_TEXTS = End(f"//{SOME_TEXT}", " ::text")
"""Each text that stands in the element or below it."""


def attribute(name: str) -> End:
    """An attribute of the element."""
    return End(f"/@{name}", f"::attr({name})")


@dataclass(frozen=True)
class Selector:
    """Steps, and what is taken at their end; of several ways, all that they find together."""

    steps: Steps
    end: End = TEXT
    nth: int | None = None
    """Only the n-th of all that is found, counted from 1."""
    others: tuple[Selector, ...] = ()
    """Other ways to the same, for pages on which this one leads nowhere."""
    is_relative: bool = False
    """Does it start at an element that is given, as the columns of a row do?"""
    is_joined: bool = False
    """Is all that is found one text, and not several?"""

    def of(self, form: Form) -> str | None:
        """The selector in one of the languages; None if that cannot say it."""
        return self.xpath() if form is Form.XPATH else self.css()

    @property
    def has_position(self) -> bool:
        """Does it count, because nothing else tells?"""
        own = (
            self.nth is not None
            or self.end.is_position
            or any(step.is_position for step in self.steps)
        )
        return own or any(other.has_position for other in self.others)

    @property
    def looks_back(self) -> bool:
        """Is for each element that is found the page before it searched, or the table around it?"""
        conditions = [condition.xpath for step in self.steps for condition in step.conditions]
        return any(axis in text for text in (*conditions, self.end.xpath) for axis in _FAR_AXES)

    def xpath(self) -> str:
        """The selector in XPath 1.0."""
        return " | ".join(dict.fromkeys(way._own_xpath() for way in (self, *self.others)))

    def _own_xpath(self) -> str:
        path = "".join([step.xpath() for step in self.steps]) + self.end.xpath
        if self.is_relative:
            path = f".{path}"
        return path if self.nth is None else f"({path})[{self.nth}]"

    def css(self) -> str | None:
        """The selector in CSS as Scrapy knows it; None if CSS cannot say it."""
        ways = [way._own_css() for way in (self, *self.others)]
        return None if None in ways else ", ".join(filter(None, ways))

    def _own_css(self) -> str | None:
        steps = [step.css() for step in self.steps]
        if self.nth is not None or None in steps or self.end.css is None:
            return None
        path = "".join(filter(None, steps))
        if self.steps and self.steps[0].axis is Axis.BELOW:
            return path.strip() + self.end.css
        return f":scope{path}{self.end.css}" if self.is_relative else None

    def or_else(self, *others: Selector) -> Selector:
        """What this one or the others find."""
        return replace(self, others=(*self.others, *others))
