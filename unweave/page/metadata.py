"""Metadata of a page: its meta elements, link elements and JSON-LD scripts."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

JsonLdObject = dict[str, Any]

# The attributes that name the content of a meta element, by precedence.
_NAME_ATTRIBUTES = ("property", "name", "itemprop", "http-equiv")
_MAX_JSONLD_OBJECTS = 1_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a page, in document order."""

    meta_contents: dict[str, list[str]] = field(default_factory=dict)
    """The contents of the meta elements by name, in lower case."""
    jsonld_objects: list[JsonLdObject] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """The URLs of the link elements by relation, such as "canonical"."""

    def find_first(self, *names: str) -> str:
        """Return the first content of the first of these names that has any, or ""."""
        return next((text for name in names for text in self.meta_contents.get(name, ())), "")


def build_metadata(
    metas: Iterable[dict[str, str]], scripts: Iterable[str], links: Iterable[dict[str, str]] = ()
) -> Metadata:
    """Build metadata from attributes of meta and link elements and texts of JSON-LD scripts.

    What cannot be parsed is skipped.
    """
    metadata = Metadata()
    for attributes in metas:
        content = " ".join(attributes.get("content", "").split())
        name = next((attributes[name] for name in _NAME_ATTRIBUTES if attributes.get(name)), "")
        if name and content:
            metadata.meta_contents.setdefault(name.strip().lower(), []).append(content)
    for attributes in links:
        for relation in attributes.get("rel", "").casefold().split():
            if url := attributes.get("href", "").strip():
                metadata.links.setdefault(relation, url)
    metadata.jsonld_objects.extend(islice(_iter_jsonld_objects(scripts), _MAX_JSONLD_OBJECTS))
    return metadata


def _iter_jsonld_objects(scripts: Iterable[str]) -> Iterator[JsonLdObject]:
    """Yield the top-level objects of each script: single, in lists or in a graph."""
    for script in scripts:
        pending = [load_json(script)]
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending.extend(reversed(value))
            elif isinstance(value, dict):
                yield value
                pending.append(value.get("@graph"))


def load_json(script: str) -> Any:
    """Parse JSON, also with line breaks in strings or with HTML entities; None if it is invalid."""
    for text in (script, html.unescape(script)):
        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
    return None
