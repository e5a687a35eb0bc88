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
from unweave.values.parsing import detect_type
from unweave.values.types import Type
from unweave.wrappers.base import FieldDescription, Wrapper
from unweave.wrappers.learning import LEARNERS

_REPAIRABLE = ("fields", "records")
_TELLING_TYPES = frozenset([Type.PRICE, Type.DATE, Type.DATETIME, Type.PERCENTAGE])


@dataclass(frozen=True)
class MatchRules:
    """How much each agreement of an old field and a new one counts."""

    nodes: float = 3.0
    """Both read the same text nodes: times the share of them."""
    address: float = 0.6
    """They are located by the same label or the same last steps."""
    reworded: float = 0.8
    """They are located by labels that stand for each other."""
    name: float = 0.6
    values: float = 0.5
    """Their values look alike: times how much; subtracted if they do not at all."""
    shared: float = 1.2
    """The new one reads example values of the old one: times the share of them."""
    min_nodes: float = 0.4
    """If the old wrapper reads a field on the new pages, the new field reads this share of it."""
    min_score: float = 1.0
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


def is_repairable(wrapper: Wrapper) -> bool:
    """Tell whether ``repair`` can learn a wrapper again."""
    return wrapper.method in _REPAIRABLE


def repair(wrapper: Wrapper, pages: Sequence[Page]) -> Repair:
    """Learn a wrapper again from pages of the changed site, with the names of the old one.

    Raises:
        UsageError: If wrappers of this method have no named fields to carry over.
    """
    if not is_repairable(wrapper):
        raise UsageError(
            f"a wrapper of method {wrapper.method} cannot be repaired:"
            f" choose one of method {' or '.join(_REPAIRABLE)}, or learn a new one"
        )
    if not pages:
        raise UsageError("no pages to learn from")
    learned = LEARNERS.make(wrapper.method, {}).learn_again(pages, wrapper)
    old_fields = {field.name: field for field in wrapper.describe_fields()}
    new_fields = {field.name: field for field in learned.describe_fields()}
    old_nodes = _collect_nodes(wrapper.drop_selection(), pages)
    new_nodes = _collect_nodes(learned, pages)
    reworded = learned.pair_reworded(wrapper)
    scores = _score_pairs(old_fields, new_fields, old_nodes, new_nodes, pages, reworded)
    old_names: dict[str, str] = {}  # by the names in the new wrapper
    found: set[str] = set()
    for rank, new, old in sorted(((-score, new, old) for (old, new), score in scores.items())):
        if -rank >= _RULES.min_score and new not in old_names and old not in found:
            old_names[new] = old
            found.add(old)
    by_type = _pair_by_type(
        [field for name, field in old_fields.items() if name not in found],
        [field for name, field in new_fields.items() if name not in old_names],
    )
    old_names |= by_type
    found.update(by_type.values())
    names = UniqueNames(old_fields)  # a new field never has the name of a lost one
    new_names = {name: old_names.get(name) or names.add(name) for name in new_fields}
    same = {
        old
        for new, old in old_names.items()
        if old_fields[old].located_by == new_fields[new].located_by
    }
    missed = {
        name: old_nodes[name] for name in old_fields if name not in found and name in old_nodes
    }
    renamed = learned.rename_fields(new_names, wrapper)
    repaired = renamed.add_fields(wrapper, missed, pages) if missed else renamed
    found.update(name for name in missed if name in {f.name for f in repaired.describe_fields()})
    return Repair(
        repaired.drop_unknown(),
        kept=tuple([name for name in old_fields if name in same]),
        moved=tuple([name for name in old_fields if name in found and name not in same]),
        lost=tuple([name for name in old_fields if name not in found]),
        new=tuple([new_names[name] for name in new_fields if name not in old_names]),
    )


def _score_pairs(
    old_fields: Mapping[str, FieldDescription],
    new_fields: Mapping[str, FieldDescription],
    old_nodes: _Nodes,
    new_nodes: _Nodes,
    pages: Sequence[Page],
    reworded: Mapping[str, str],
) -> dict[tuple[str, str], float]:
    """Return how much pairs of an old field and a new one agree."""
    scores: defaultdict[tuple[str, str], float] = defaultdict(float)
    node_shares = dict(_compare_nodes(old_nodes, new_nodes))
    for (left, right), share in node_shares.items():
        if left in old_fields and right in new_fields:  # not the names of new labels of a page
            scores[left, right] += _RULES.nodes * share
    for name, candidate, share in _compare_examples(old_fields, new_fields, new_nodes, pages):
        scores[name, candidate] += _RULES.shared * share
    by_address: defaultdict[str, list[str]] = defaultdict(list)
    for name, field in new_fields.items():
        by_address[field.located_by].append(name)
    for name, field in old_fields.items():
        for candidate in by_address.get(field.located_by, ()):
            scores[name, candidate] += _RULES.address
        for candidate in by_address.get(reworded.get(field.located_by, ""), ()):
            scores[name, candidate] += _RULES.reworded
        if name in new_fields:
            scores[name, name] += _RULES.name
    for left, right in list(scores):
        examples, others = old_fields[left].examples, new_fields[right].examples
        if examples and others:
            looks = [max(compare_values(text, other) for other in others) for text in examples]
            share = sum(looks) / len(looks)
            scores[left, right] += _RULES.values * (share if share else -1.0)
    # What the old wrapper reads on the new pages outweighs how a field is called and looks.
    read = {left for left, _ in node_shares}
    return {
        pair: score
        for pair, score in scores.items()
        if pair[0] not in read or node_shares.get(pair, 0.0) >= _RULES.min_nodes
    }


def _compare_examples(
    old_fields: Mapping[str, FieldDescription],
    new_fields: Mapping[str, FieldDescription],
    new_nodes: _Nodes,
    pages: Sequence[Page],
) -> Iterator[tuple[str, str, float]]:
    """Yield an old field, a new one and the share of the old examples that the new one reads."""
    readers: defaultdict[str, set[str]] = defaultdict(set)
    for name, nodes in new_nodes.items():
        for number, node in nodes:
            if name in new_fields:
                readers[pages[number].texts[node]].add(name)
    for name, field in old_fields.items():
        for example in field.examples:
            candidates = readers.get(example, ())
            for candidate in candidates:  # a value of many fields tells little
                yield name, candidate, 1 / (len(field.examples) * len(candidates))


def _pair_by_type(
    old_fields: Sequence[FieldDescription], new_fields: Sequence[FieldDescription]
) -> dict[str, str]:
    """Return the old names of new fields that are the only ones of a type on both sides.

    Texts say nothing, because any field may be one; prices and dates do.
    """
    by_type: defaultdict[tuple[Type, bool], tuple[list[str], list[str]]] = defaultdict(
        lambda: ([], [])
    )
    for side, fields in enumerate((old_fields, new_fields)):
        for field in fields:
            types = set(map(detect_type, field.examples))
            if len(types) == 1 and field.table is None:
                by_type[types.pop(), field.is_list][side].append(field.name)
    return {
        new[0]: old[0]
        for (type_, _), (old, new) in by_type.items()
        if type_ in _TELLING_TYPES and len(old) == len(new) == 1
    }


_Nodes = dict[str, set[tuple[int, int]]]
"""For each field the text nodes that it reads, each with the number of its page."""


def _collect_nodes(wrapper: Wrapper, pages: Sequence[Page]) -> _Nodes:
    nodes: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for number, page in enumerate(pages):
        for name, text_nodes in wrapper.provenance(page).items():
            nodes[name].update((number, text_node) for text_node in text_nodes)
    return nodes


def _compare_nodes(old_nodes: _Nodes, new_nodes: _Nodes) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield pairs of an old field and a new one with the share of the text nodes that both read."""
    readers: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for name, nodes in new_nodes.items():
        for node in nodes:
            readers[node].append(name)
    for name, nodes in old_nodes.items():
        candidates = {reader for node in nodes for reader in readers.get(node, ())}
        for candidate in sorted(candidates):
            shared = len(nodes & new_nodes[candidate])
            yield (name, candidate), shared / (len(nodes) + len(new_nodes[candidate]) - shared)
