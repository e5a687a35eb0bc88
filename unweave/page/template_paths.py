"""Template paths: tag paths with the classes, ids and properties of all pages of a template."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from unweave.page.page import Page
from unweave.page.parse import Identifiers

UNKNOWN_PATH = -1
"""The number of a template path that no learned page had."""

HIDDEN_PATH = -2
"""The number given to nodes inside the rows of a table, which have no fields."""

MAX_WORD_LENGTH = 100
_MAX_CACHED_STEPS = 20_000


def list_identifiers(tag: str, identifiers: Identifiers) -> list[str]:
    """Return classes, id and property as ``tag.class``, ``tag#id`` and ``tag@property``."""
    classes, id_, property_ = identifiers
    words = [f"{tag}.{word[:MAX_WORD_LENGTH]}" for word in (classes or "").split()]
    if id_:
        words.append(f"{tag}#{id_[:MAX_WORD_LENGTH]}")
    if property_:
        words.append(f"{tag}@{property_[:MAX_WORD_LENGTH]}")
    return words


@dataclass(frozen=True)
class TemplatePaths:
    """The numbered template paths of a template."""

    stable: frozenset[str]
    """The identifiers that (nearly) all pages have, as ``list_identifiers`` writes them."""
    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    """The number of each path by the number of its parent path and its last step."""
    _steps: dict[tuple[str, Identifiers], str] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def number_nodes(self, page: Page, *, learning: bool = False) -> list[int]:
        """Return the number of the template path of every node of a page.

        While learning, new paths get new numbers; else they are unknown.
        """
        numbers = self.numbers
        paths: list[int] = []
        steps = self.find_steps(page)
        if learning:
            for step, parent in zip(steps, page.tree.parents, strict=True):
                above = paths[parent] if parent >= 0 else UNKNOWN_PATH
                paths.append(numbers.setdefault((above, step), len(numbers)))
        else:
            for step, parent in zip(steps, page.tree.parents, strict=True):
                above = paths[parent] if parent >= 0 else UNKNOWN_PATH
                is_known = above >= 0 or parent < 0
                paths.append(numbers.get((above, step), UNKNOWN_PATH) if is_known else UNKNOWN_PATH)
        return paths

    @cached_property
    def parents(self) -> dict[int, tuple[int, str]]:
        """The parent path and the last step of each path. Read it when learning is over."""
        return {number: parent for parent, number in self.numbers.items()}

    def list_steps(self, path: int) -> list[str]:
        """Return the steps of a path from the root."""
        steps: list[str] = []
        while path != UNKNOWN_PATH:
            path, step = self.parents[path]
            steps.append(step)
        return steps[::-1]

    def find_steps(self, page: Page) -> list[str]:
        """Return the tag of every node with its stable identifiers, from a cache."""
        cache = self._steps
        if len(cache) > _MAX_CACHED_STEPS:
            cache.clear()
        steps: list[str] = []
        for element in zip(page.tree.labels, page.identifiers, strict=True):
            step = cache.get(element)
            if step is None:
                tag, identifiers = element
                words = self.stable.intersection(list_identifiers(tag, identifiers))
                step = cache[element] = tag + "".join([word[len(tag) :] for word in sorted(words)])
            steps.append(step)
        return steps
