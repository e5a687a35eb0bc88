"""What a page says about itself where no reader sees it: its meta and link elements, and its JSON-LD."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

Thing = dict[str, Any]

# Names that tell what a meta element is about, in the order in which they are asked.
_NAMES = ("property", "name", "itemprop", "http-equiv")
_MOST_THINGS = 1_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """Texts of meta elements by their names, in lower case, and the objects of JSON-LD, in the order of the page."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    things: list[Thing] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """Where the link elements lead, by their relation to the page."""

    def first(self, *names: str) -> str:
        """The first text that has one of these names, asked in this order; empty if there is none."""
        return next((text for name in names for text in self.texts.get(name, ())), "")


def metadata(metas: Iterable[dict[str, str]], scripts: Iterable[str], links: Iterable[dict[str, str]] = ()) -> Metadata:
    """Read the attributes of meta and link elements and the texts of JSON-LD scripts, as far as they can be read."""
    found = Metadata()
    for attributes in metas:
        content = " ".join(attributes.get("content", "").split())
        name = next((attributes[name] for name in _NAMES if attributes.get(name)), "")
        if name and content:
            found.texts.setdefault(name.strip().lower(), []).append(content)
    for attributes in links:
        for relation in attributes.get("rel", "").casefold().split():
            if address := attributes.get("href", "").strip():
                found.links.setdefault(relation, address)
    values = (_value(script) for script in scripts)
    found.things.extend(islice((thing for value in values for thing in _things(value)), _MOST_THINGS))
    return found


def _value(script: str) -> Any:
    """What the script says; None if that is no JSON. Line ends within strings, and quotes by their names, are forgiven."""
    for text in (script, html.unescape(script)):
        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _things(value: Any) -> Iterator[Thing]:
    """The objects in a value that may be one, a list of them, or a graph; objects within objects are not looked for."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, dict):
            yield value
            waiting.append(value.get("@graph"))
