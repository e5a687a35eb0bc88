"""Learn a wrapper again from pages of a changed site, and carry the names of its fields over.

The old wrapper and the new one read the same pages. A new field has the name of the old one whose
values it reads; where the old wrapper finds nothing any more, the label, the name and the look of
the values decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unweave.errors import UsageError
from unweave.names import UniqueNames
from unweave.page.page import Page
from unweave.values.look import compare_values
from unweave.wrappers.base import FieldDescription, Wrapper
from unweave.wrappers.learning import LEARNERS

_REPAIRABLE = ("fields", "records")


@dataclass(frozen=True)
class MatchRules:
    """How much each agreement of an old field and a new one counts."""

    nodes: float = 3.0
    """Both read the same text nodes: times the share of them."""
    address: float = 0.6
    """They are located by the same label or the same last steps."""
    name: float = 0.6
    values: float = 0.5
    """Their values look alike: times how much."""
    min_score: float = 1.4
    """Fields that agree less are different ones."""


_RULES = MatchRules()


@dataclass(frozen=True)
class Repair:
    """A wrapper that was learned again, and what became of the fields of the old one."""

    wrapper: Wrapper
    kept: tuple[str, ...] = ()
    """Fields that are located as before."""
    moved: tuple[str, ...] = ()
    """Fields that are located in another way."""
    lost: tuple[str, ...] = ()
    """Fields of the old wrapper that no field of the new one corresponds to."""
    new: tuple[str, ...] = ()
    """Fields that the old wrapper did not have."""

    def __str__(self) -> str:
        """Return a line for each group of fields that is not empty."""
        groups = {"kept": self.kept, "moved": self.moved, "lost": self.lost, "new": self.new}
        return "\n".join(
            f"{group} ({len(names)}): {', '.join(names)}"
            for group, names in groups.items()
            if names
        )


def repair(wrapper: Wrapper, pages: Sequence[Page]) -> Repair:
    """Learn a wrapper again from pages of the changed site, with the names of the old one.

    Raises:
        UsageError: If wrappers of this method have no named fields to carry over.
    """
    if wrapper.method not in _REPAIRABLE:
        raise UsageError(
            f"a wrapper of method {wrapper.method} cannot be repaired:"
            f" choose one of method {' or '.join(_REPAIRABLE)}, or learn a new one"
        )
    if not pages:
        raise UsageError("no pages to learn from")
    learned = LEARNERS.make(wrapper.method, {}).learn(pages)
    old_fields = {field.name: field for field in wrapper.describe_fields()}
    new_fields = {field.name: field for field in learned.describe_fields()}
    scores = _score_pairs(wrapper.drop_selection(), learned, old_fields, new_fields, pages)
    old_names: dict[str, str] = {}  # by the names in the new wrapper
    found: set[str] = set()
    for rank, new, old in sorted(((-score, new, old) for (old, new), score in scores.items())):
        if -rank >= _RULES.min_score and new not in old_names and old not in found:
            old_names[new] = old
            found.add(old)
    names = UniqueNames(old_fields)  # a new field never has the name of a lost one
    new_names = {name: old_names.get(name) or names.add(name) for name in new_fields}
    same = {
        old
        for new, old in old_names.items()
        if old_fields[old].located_by == new_fields[new].located_by
    }
    return Repair(
        learned.rename_fields(new_names, wrapper),
        kept=tuple([name for name in old_fields if name in same]),
        moved=tuple([name for name in old_fields if name in found and name not in same]),
        lost=tuple([name for name in old_fields if name not in found]),
        new=tuple([new_names[name] for name in new_fields if name not in old_names]),
    )


def _score_pairs(
    old: Wrapper,
    new: Wrapper,
    old_fields: Mapping[str, FieldDescription],
    new_fields: Mapping[str, FieldDescription],
    pages: Sequence[Page],
) -> dict[tuple[str, str], float]:
    """Return how much pairs of an old field and a new one agree."""
    scores: defaultdict[tuple[str, str], float] = defaultdict(float)
    for (left, right), share in _compare_nodes(old, new, pages):
        if left in old_fields and right in new_fields:  # not the names of new labels of a page
            scores[left, right] += _RULES.nodes * share
    by_address: defaultdict[str, list[str]] = defaultdict(list)
    for name, field in new_fields.items():
        by_address[field.located_by].append(name)
    for name, field in old_fields.items():
        for candidate in by_address.get(field.located_by, ()):
            scores[name, candidate] += _RULES.address
        if name in new_fields:
            scores[name, name] += _RULES.name
    for left, right in list(scores):
        values, others = old_fields[left].examples, new_fields[right].examples
        if values and others:
            similarities = [
                max(compare_values(value, other) for other in others) for value in values
            ]
            scores[left, right] += _RULES.values * sum(similarities) / len(similarities)
    return scores


def _compare_nodes(
    old: Wrapper, new: Wrapper, pages: Sequence[Page]
) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield pairs of an old field and a new one with the share of the text nodes that both read."""
    old_nodes: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    new_nodes: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    readers: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for number, page in enumerate(pages):
        for name, nodes in old.provenance(page).items():
            old_nodes[name].update((number, node) for node in nodes)
        for name, nodes in new.provenance(page).items():
            new_nodes[name].update((number, node) for node in nodes)
    for name, nodes_of_pages in new_nodes.items():
        for node in nodes_of_pages:
            readers[node].append(name)
    for name, nodes_of_pages in old_nodes.items():
        candidates = {reader for node in nodes_of_pages for reader in readers.get(node, ())}
        for candidate in sorted(candidates):
            shared = len(nodes_of_pages & new_nodes[candidate])
            yield (
                (name, candidate),
                shared / (len(nodes_of_pages) + len(new_nodes[candidate]) - shared),
            )
