"""Paths of labels from the root: hashes that are the same everywhere, counts that bound RTDM."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from unweave.trees.tree import ROOT_PARENT, Tree


def hash_paths(parents: Sequence[int], steps: Iterable[str]) -> list[int]:
    """Return for every node a hash of the steps from the root to it.

    Hashes are the same in every tree, process and machine. Different paths collide once in four
    thousand million pairs.
    """
    hashes: list[int] = []
    for parent, step in zip(parents, steps, strict=True):
        hashes.append(crc32(_encode_step(step), 0 if parent == ROOT_PARENT else hashes[parent]))
    return hashes


@lru_cache(maxsize=16_384)
def _encode_step(step: str) -> bytes:
    """Return a step with a terminator, so that "a", "bc" and "ab", "c" are different paths."""
    return step.encode(errors="surrogatepass") + b"\0"


@dataclass(frozen=True, slots=True)
class PathProfile:
    """The size of a tree, and for every path the number of its vertices and of their children."""

    size: int
    counts: dict[int, tuple[int, int]]

    def compute_similarity_bound(self, other: PathProfile) -> float:
        """Return an upper bound of ``Rtdm.compute_normalized_similarity`` with unit costs.

        In a restricted top-down mapping, vertices that keep their label are on the same path in
        both trees, and replaced ones are children of vertices on the same path. Each mapped pair
        saves one operation, and one more if the label is kept. The bound takes microseconds, the
        mapping milliseconds.
        """
        fewer, more = sorted((self.counts, other.counts), key=len)
        kept, mapped = 0, 1
        for path, (count, children) in fewer.items():
            if path in more:
                other_count, other_children = more[path]
                kept += min(count, other_count)
                mapped += min(children, other_children)
        return min(1.0, (kept + mapped) / (self.size + other.size))


class PathProfiler:
    """Computes profiles of trees that can be compared, as their paths have the same numbers."""

    def __init__(self) -> None:
        self._paths: dict[tuple[int, str], int] = {}

    def compute_profile(self, tree: Tree) -> PathProfile:
        """Return the profile of a tree. All roots have the same path: RTDM always maps them."""
        paths: list[int] = []
        counts: dict[int, list[int]] = {}
        for parent, label in zip(tree.parents, tree.labels, strict=True):
            is_root = parent == ROOT_PARENT
            parent_path = ROOT_PARENT if is_root else paths[parent]
            key = (parent_path, "" if is_root else label)
            path = self._paths.setdefault(key, len(self._paths))
            paths.append(path)
            counts.setdefault(path, [0, 0])[0] += 1
            if not is_root:
                counts[parent_path][1] += 1
        return PathProfile(
            len(tree), {path: (vertices, children) for path, (vertices, children) in counts.items()}
        )
