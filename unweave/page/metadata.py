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
_MAX_OPEN_GRAPH_NAMES = 1_000
_OPEN_GRAPH_PREFIXES = frozenset("og article book fb music product profile video".split())
_STRUCTURED_PROPERTIES = frozenset("image video audio".split())


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a page, in document order."""

    meta_contents: dict[str, list[str]] = field(default_factory=dict)
    """The contents of the meta elements by name, in lower case."""
    jsonld_objects: list[JsonLdObject] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """The URLs of the link elements by relation, such as "canonical"."""
    open_graph: dict[str, Any] = field(default_factory=dict)
    """The properties of the Open Graph protocol, such as "og:title".

    A property with several values has a list; one with properties of its own, such as the width of
    an image, is a dictionary with the value as "url".
    """

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
            _add_open_graph(metadata.open_graph, name.strip().lower(), content)
    for attributes in links:
        for relation in attributes.get("rel", "").casefold().split():
            if url := attributes.get("href", "").strip():
                metadata.links.setdefault(relation, url)
    metadata.jsonld_objects.extend(islice(_iter_jsonld_objects(scripts), _MAX_JSONLD_OBJECTS))
    return metadata


def _add_open_graph(graph: dict[str, Any], name: str, content: str) -> None:
    """Add a property of Open Graph; "og:image:width" belongs to the image before it."""
    prefix, _, rest = name.partition(":")
    if not rest or prefix not in _OPEN_GRAPH_PREFIXES:
        return
    root, _, detail = rest.partition(":")
    name = f"{prefix}:{root}"
    if prefix == "og" and detail and root in _STRUCTURED_PROPERTIES:
        known = graph.get(name)
        last = known[-1] if isinstance(known, list) else known
        if detail == "url" and last != content:
            _append(graph, name, content)
        elif detail != "url" and last is not None:
            if not isinstance(last, dict):
                last = {"url": last}
                if isinstance(known, list):
                    known[-1] = last
                else:
                    graph[name] = last
            last.setdefault(detail, content)
    else:
        _append(graph, f"{name}:{detail}" if detail else name, content)


def _append(graph: dict[str, Any], name: str, content: str) -> None:
    """Add a value to those of a property: the second one makes it a list."""
    if name not in graph:
        if len(graph) < _MAX_OPEN_GRAPH_NAMES:
            graph[name] = content
    elif isinstance(graph[name], list):
        graph[name].append(content)
    else:
        graph[name] = [graph[name], content]


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
