"""Chawathe's top-down distance (VLDB 1999), the baseline of the RTDM paper's Figure 10.

Trees are sequences of labels and depths in preorder. A cell of the table is reached from above (the
vertex is deleted), from the left (one is inserted) or diagonally (two vertices of the same depth
are matched); a vertex can be deleted only with all that is below it, which the depths of the next
vertices tell.
"""

from __future__ import annotations

import math

from unweave.trees.tree import Tree


def compute_distance(a: Tree, b: Tree) -> int:
    """Return the unrestricted top-down distance with unit costs."""
    depths, other_depths = [*_list_depths(a), 0], [*_list_depths(b), 0]
    above: list[float] = [0.0]
    # To insert a vertex of b, the next of a must not be below the level of its parent.
    for column in range(len(b)):
        above.append(above[column] + 1 if other_depths[column] >= depths[0] else math.inf)
    for row, (label, depth) in enumerate(zip(a.labels, depths, strict=False)):
        following = depths[row + 1] if row + 1 < len(a) else -1
        cells = [above[0] + 1 if depth >= other_depths[0] else math.inf]
        for column, (other, other_depth) in enumerate(zip(b.labels, other_depths, strict=False)):
            next_other = other_depths[column + 1] if column + 1 < len(b) else -1
            best = above[column] + (label != other) if depth == other_depth else math.inf
            if depth >= next_other:
                best = min(best, above[column + 1] + 1)
            if other_depth >= following:
                best = min(best, cells[column] + 1)
            cells.append(best)
        above = cells
    return int(above[-1])


def _list_depths(tree: Tree) -> list[int]:
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(depths[parent] + 1 if depths else 0)
    return depths
