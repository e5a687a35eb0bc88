"""Tag strings of records, and when two of them are alike."""

from __future__ import annotations

from unweave.records.region import Record
from unweave.trees.distance import normalized_distance
from unweave.trees.tree import Tree

# "Similarity of at least 0.6" is a normalized distance of at most 0.4.
T = 0.4


def tag_similarity(one: str, other: str) -> float:
    """How alike two tag strings are, from 0 to 1."""
    return max(0.0, 1 - normalized_distance(one, other))


def tags_of(tree: Tree, record: Record) -> str:
    """The tag string of a record."""
    return "".join([tree.tags[node : tree.ends[node]] for node in record])
