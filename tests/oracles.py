"""Slow and obvious versions of what the package does fast, straight from the definitions, for small inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import strategies as st

from unweave.trees.rtdm import UNIT_COSTS, Costs
from unweave.trees.tree import Tree
from unweave.wrappers.landmarks.regions import RegionSet, TokenTable


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """The textbook table, whole."""
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            replaced = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(replaced, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


def tree_matching(a: Tree, b: Tree, x: int = 0, y: int = 0) -> int:
    """Figure 9 of the DEPTA paper, recursive and without memo."""
    if a.labels[x] != b.labels[y]:
        return 0
    kids_x, kids_y = a.children(x), b.children(y)
    m = [[0] * (len(kids_y) + 1) for _ in range(len(kids_x) + 1)]
    for i, u in enumerate(kids_x, 1):
        for j, v in enumerate(kids_y, 1):
            m[i][j] = max(m[i][j - 1], m[i - 1][j], m[i - 1][j - 1] + tree_matching(a, b, u, v))
    return m[-1][-1] + 1


def tree_mapping(a: Tree, b: Tree, x: int = 0, y: int = 0) -> list[tuple[int, int]]:
    """The traceback over the whole table: up if equal, else left if equal, else the pair."""
    if a.labels[x] != b.labels[y]:
        return []
    kids_x, kids_y = a.children(x), b.children(y)
    m = [[0] * (len(kids_y) + 1) for _ in range(len(kids_x) + 1)]
    for i, u in enumerate(kids_x, 1):
        for j, v in enumerate(kids_y, 1):
            m[i][j] = max(m[i][j - 1], m[i - 1][j], m[i - 1][j - 1] + tree_matching(a, b, u, v))
    pairs = [(x, y)]
    i, j = len(kids_x), len(kids_y)
    while i and j:
        if m[i][j] == m[i - 1][j]:
            i -= 1
        elif m[i][j] == m[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs += tree_mapping(a, b, kids_x[i], kids_y[j])
    return sorted(pairs)


def _near(labels: Sequence[str], width: int, start: int) -> bool:
    """Labels stand for sub-trees, and equal means similar."""
    return labels[start : start + width] == labels[start + width : start + 2 * width]


def compared_pairs(n: int, k: int, *, as_printed: bool = False) -> list[tuple[int, int]]:
    """CombComp, Figure 6 of the MDR paper: all (width, start) that are compared, 1-based, in order.

    Corrected, the last pair of single nodes is compared, as Figure 4 has it.
    """
    pairs = []
    for i in range(1, k + 1):
        for r in range(i, k + 1):
            if i + 2 * r - 1 > n:
                continue
            start, after = i, i + r
            while after < n or (after == n and not as_printed):
                if after + r - 1 <= n:
                    pairs.append((r, start))
                    start = after
                after += r
    return pairs


def regions(
    labels: Sequence[str], k: int, *, as_printed: bool = False, keeps_current: bool = False
) -> list[tuple[int, int, int]]:
    """IdentDRs, Figure 9 of the MDR paper, literally: (width, start, covered), 1-based.

    Corrected, all pairs of Figure 4 have been compared, and a region that reaches the last child is returned. With
    ``keeps_current``, the current region is kept from one start to the next, as in the figure.
    """
    n = len(labels)
    pairs = set(compared_pairs(n, k, as_printed=as_printed))

    def identify(start: int) -> list[tuple[int, int, int]]:
        best = current = (0, 0, 0)
        for r in range(1, k + 1):
            for first in range(start, start + r + 1):
                is_first = True
                if not keeps_current:
                    current = (0, 0, 0)
                for j in range(first, n, r):
                    if (r, j) in pairs and _near(labels, r, j - 1):
                        current = (r, j, 2 * r) if is_first else (r, current[1], current[2] + r)
                        is_first = False
                    elif not is_first:
                        break
                if current[2] > best[2] and (not best[2] or current[1] <= best[1]):
                    best = current
        following = best[1] + best[2]
        if not best[2] or (as_printed and following - 1 == n):
            return []
        return [best] + (identify(following) if following <= n else [])

    return identify(1)


def _grown(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from("abc"), st.lists(children, max_size=4)).map(
        lambda pair: f"{pair[0]}({' '.join(pair[1])})" if pair[1] else pair[0]
    )


notations = st.recursive(st.sampled_from("abc"), _grown, max_leaves=14)
"""Small trees as ``Tree.parse`` reads them."""


def restricted_top_down_distance(
    a: Tree, b: Tree, costs: Costs = UNIT_COSTS, x: int = 0, y: int = 0
) -> float:
    """Definition 3 of the RTDM paper: every way to map the children of two vertices in order, and what follows below."""

    def deleted(node: int) -> float:
        return sum(costs.delete(a.labels[n]) for n in range(node, a.ends[node]))

    def inserted(node: int) -> float:
        return sum(costs.insert(b.labels[n]) for n in range(node, b.ends[node]))

    def replaced(u: int, v: int) -> float:
        if a.labels[u] == b.labels[v]:
            return restricted_top_down_distance(a, b, costs, u, v)
        below = sum(map(deleted, a.children(u))) + sum(map(inserted, b.children(v)))
        return costs.replace(a.labels[u], b.labels[v]) + below

    def cheapest(left: Sequence[int], right: Sequence[int]) -> float:
        if not left or not right:
            return sum(map(deleted, left)) + sum(map(inserted, right))
        skipped = deleted(left[0]) + cheapest(left[1:], right)
        mapped = [
            sum(map(inserted, right[:n]))
            + replaced(left[0], v)
            + cheapest(left[1:], right[n + 1 :])
            for n, v in enumerate(right)
        ]
        return min([skipped, *mapped])

    root = 0 if a.labels[x] == b.labels[y] else costs.replace(a.labels[x], b.labels[y])
    return root + cheapest(a.children(x), b.children(y))


def top_down_distance(a: Tree, b: Tree, x: int = 0, y: int = 0) -> int:
    """As above, but what is below replaced vertices may be mapped; unit costs."""

    def size(tree: Tree, nodes: Sequence[int]) -> int:
        return sum(tree.ends[node] - node for node in nodes)

    def cheapest(left: Sequence[int], right: Sequence[int]) -> int:
        if not left or not right:
            return size(a, left) + size(b, right)
        mapped = [
            size(b, right[:n])
            + top_down_distance(a, b, left[0], v)
            + cheapest(left[1:], right[n + 1 :])
            for n, v in enumerate(right)
        ]
        return min([size(a, left[:1]) + cheapest(left[1:], right), *mapped])

    return (a.labels[x] != b.labels[y]) + cheapest(a.children(x), b.children(y))


def incompressible(table: TokenTable, regions: RegionSet) -> int:
    """Return the number of tokens whose symbol is in fewer than k regions, or whose partner is in none."""
    regions_with = Counter(
        symbol for page, start, stop in regions for symbol in set(table.symbols[page][start:stop])
    )
    return sum(
        regions_with[table.symbols[page][place]] < table.k
        or not start <= table.partners[page][place] < stop
        for page, start, stop in regions
        for place in range(start, stop)
    )


def smallest_extraction(
    table: TokenTable, regions: RegionSet, known: dict[RegionSet, int] | None = None
) -> int:
    """The cost of the best landmark tree: all of them are tried."""
    known = {} if known is None else known
    if regions not in known:
        costs = [sum(stop - start for _, start, stop in regions)]
        for split in table.find_splits(regions):
            finished, parts = table.apply_split(regions, split)
            costs.append(finished + sum(smallest_extraction(table, part, known) for part in parts))
        known[regions] = min(costs)
    return known[regions]
