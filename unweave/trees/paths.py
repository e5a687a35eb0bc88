"""Paths from the root as numbers that are the same in every tree, in every process and on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from zlib import crc32

from unweave.trees.tree import ROOT_PARENT


def hash_paths(parents: Sequence[int], steps: Iterable[str]) -> list[int]:
    """For every node the number of its path: of the steps from the root to it. Equal paths have equal numbers.

    Different paths may share one, once in four thousand million pairs.
    """
    found: list[int] = []
    for parent, step in zip(parents, steps, strict=True):
        found.append(crc32(_bytes(step), 0 if parent == ROOT_PARENT else found[parent]))
    return found


@lru_cache(maxsize=16_384)
def _bytes(step: str) -> bytes:
    """A step as bytes that no other step goes on with."""
    return step.encode(errors="surrogatepass") + b"\0"
