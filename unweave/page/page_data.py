"""Data in the scripts of a page: JSON-LD, JSON, and the state that scripts of a site start from.

Many pages are drawn by scripts from JSON that is in the page, too. Scripts are never executed: only
what is JSON by itself is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from unweave.page.metadata import load_json

NUXT_ID = "__NUXT_DATA__"

_MAX_FAILED_CHARACTERS = 8_000_000
"""For all texts of a page that begin like JSON and are none: a page could repeat them."""
_FAILURE_CHARACTERS = 100
_RECURSION_CHARACTERS = 10_000
# The error counts the lines before it, which is faster than parsing by about this factor.
_COUNTING_SPEED = 50
_MAX_NUXT_VALUES = 200_000
_MAX_NUXT_DEPTH = 40

_JSON_TYPE = re.compile(r"application/(?:[\w.+-]*\+)?json", re.IGNORECASE)
_JAVASCRIPT_TYPES = frozenset(["", "module", "text/javascript", "application/javascript"])
# What can begin an object or a list of JSON that is not empty; most of JavaScript does not.
_JSON_START = r"""(?=\{\s*"|\[\s*[\[{"\d\-tfn])"""
_START = re.compile(
    rf"""=\s*(?:JSON\.parse\(\s*(?=["'])|{_JSON_START})|__next_f\.push\(\s*{_JSON_START}""",
    re.ASCII,
)
_SINGLE_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\.|\"", re.DOTALL)
_FLIGHT_LINE = re.compile(r"[0-9a-f]*:[A-Z]*(?=[{\[])")
_DECODER = json.JSONDecoder(strict=False)


class Script(NamedTuple):
    """A script element that may hold data."""

    type: str
    id: str
    text: str


def may_hold_data(script: Script) -> bool:
    """Tell whether a script is JSON, or a program with JSON in it."""
    if _JSON_TYPE.fullmatch(script.type):
        return True
    return script.type.lower() in _JAVASCRIPT_TYPES and _START.search(script.text) is not None


def read_values(scripts: Iterable[Script]) -> Iterator[Any]:
    """Yield the values of JSON in scripts. What cannot be parsed is skipped."""
    budget = _Budget()
    flight: list[str] = []
    for script in scripts:
        if _JSON_TYPE.fullmatch(script.type):
            value = load_json(script.text)
            yield _revive_nuxt(value) if script.id == NUXT_ID else value
        else:
            yield from _read_program(script.text, budget, flight)
    for line in "".join(flight).split("\n"):
        start = _FLIGHT_LINE.match(line)
        if start is not None and (found := _decode(line, start.end(), budget)):
            yield found[0]


class _Budget:
    """The characters that may still be read in vain."""

    def __init__(self) -> None:
        self.characters = _MAX_FAILED_CHARACTERS


def _read_program(text: str, budget: _Budget, flight: list[str]) -> Iterator[Any]:
    """Yield the values that a program assigns; texts that Next.js streams are added to a list."""
    position = 0
    while budget.characters > 0 and (start := _START.search(text, position)):
        position = start.end()
        if text.startswith("'", position):
            quoted = _SINGLE_QUOTED.match(text, position)
            if quoted is None:
                return
            position = quoted.end()
            found = _decode(f'"{_ESCAPE.sub(_unescape, quoted[1])}"', 0, budget)
        else:
            found = _decode(text, position, budget)
            if found is not None:
                position = found[1]
        if found is None:
            continue
        value = found[0]
        if start[0].startswith("__next_f"):
            flight += [part for part in value if isinstance(part, str)]
        elif isinstance(value, str):
            yield load_json(value)
        else:
            yield value


def _decode(text: str, position: int, budget: _Budget) -> tuple[Any, int] | None:
    """Return the JSON value at a position and where it ends; None if there is none."""
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        read_characters = error.pos - position + error.pos // _COUNTING_SPEED
        budget.characters -= read_characters + _FAILURE_CHARACTERS
    except (ValueError, RecursionError):
        budget.characters -= _RECURSION_CHARACTERS
    return None


def _unescape(match: re.Match[str]) -> str:
    """Return a quotation mark or an escape of JavaScript as JSON has it."""
    if match[1]:
        return f"\\u00{match[1]}"
    if match[0] == '"':
        return '\\"'
    return "'" if match[0] == "\\'" else match[0]


def _revive_nuxt(values: Any) -> Any:
    """Return the state of Nuxt, whose objects and lists hold the numbers of their values."""
    if not isinstance(values, list):
        return values
    remaining = _MAX_NUXT_VALUES

    def revive(number: Any, depth: int) -> Any:
        nonlocal remaining
        remaining -= 1
        is_number = type(number) is int and 0 <= number < len(values)
        if not is_number or remaining < 0 or depth > _MAX_NUXT_DEPTH:
            return None
        value = values[number]
        if isinstance(value, dict):
            return {name: revive(each, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            if len(value) == 2 and isinstance(value[0], str):  # such as ["Reactive", 3]
                return value[1] if isinstance(value[1], str) else revive(value[1], depth + 1)
            return [revive(each, depth + 1) for each in value]
        return value

    return revive(0, 0)
