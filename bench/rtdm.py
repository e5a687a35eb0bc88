"""RTDM against Chawathe's top-down distance (Figure 10 of the RTDM paper) and tree edit distances.

    python -m bench.rtdm --data ../shared/data [--picture docs/rtdm.svg]

Pairs of real pages, of one site and of two; without the data, of examples/. Every time is that of a
cold start: the table of classes is made anew for each pair. Trees of other sizes are the first
vertices of a page. The general distances (edist, zss, apted) are tried as long as one of their
pairs takes at most a second; they are in the group ``peers``: ``pip install --group peers``.

With ``--clustering``, the clustering step of the paper is timed, once with either distance, as for
its Figure 10: each point is the pages of one site, by the mean size of their trees.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chawathe
from bench.corpus import find_page_sets
from unweave import Page
from unweave.clustering.clusters import PAPER_THRESHOLD, AverageLinkage
from unweave.trees.rtdm import Rtdm
from unweave.trees.tree import SubtreeClasses, Tree

_PAIRS = 25
_SIZES = (25, 50, 100, 200, 400, 800, 1600)
_PAIRS_A_SIZE = 3
_MAX_SECONDS = 1.0
_PAGES_A_CLUSTERING = 4

Distance = Callable[[Tree, Tree], object]
Pair = tuple[Tree, Tree]


def main() -> None:
    """Print the tables, and draw the picture if requested."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--picture", type=Path, help="SVG file to draw Figure 10 into")
    parser.add_argument(
        "--clustering",
        metavar="N",
        type=int,
        help="time the clustering of the pages of N sites instead",
    )
    arguments = parser.parse_args()
    console = Console(width=120 if not sys.stdout.isatty() else None)
    if arguments.clustering:
        _print_clustering(console, list_pages_by_site(arguments.data), arguments.clustering)
        return
    pairs = choose_page_pairs(arguments.data)
    _print_whole_pages(console, pairs)
    times = _time_sizes(pairs)
    _print_sizes(console, times)
    if arguments.picture:
        arguments.picture.write_text(draw_svg(times), encoding="utf-8")


def compute_rtdm(a: Tree, b: Tree) -> float:
    """Return the distance of two trees, with a new table of classes."""
    classes = SubtreeClasses()
    return Rtdm(classes).compute_distance(classes.classify(a)[0], classes.classify(b)[0])


def list_pages_by_site(data: Path) -> dict[str, list[Path]]:
    """Return the pages of real sites by site; without the data, those of examples/."""
    sites: dict[str, list[Path]] = {}
    for page_set in find_page_sets(data, "detail", ("swde",)):
        for page in page_set.read_pages():
            sites.setdefault(page["site"], []).append(page_set.folder / page["page"])
    if not sites:
        sites = {
            "shop": sorted(Path("examples/shop").glob("*.html")),
            "lists": sorted(Path("examples").glob("*.html")),
        }
    return sites


def choose_page_pairs(data: Path) -> dict[str, list[Pair]]:
    """Return pairs of pages of one site, and of two."""
    rng = random.Random(1)
    sites = list_pages_by_site(data)
    names = sorted(sites)
    same = [rng.sample(sites[name], 2) for name in rng.choices(names, k=_PAIRS)]
    other = [[rng.choice(sites[name]) for name in rng.sample(names, 2)] for _ in range(_PAIRS)]
    return {"one site": list(map(_load_trees, same)), "two sites": list(map(_load_trees, other))}


def _load_trees(paths: Sequence[Path]) -> Pair:
    left, right = (Page.load(path).build_tree_with_texts() for path in paths)
    return left, right


def _time_distance(distance: Distance, pairs: Iterable[Pair]) -> float:
    total = 0.0
    for a, b in pairs:
        best = math.inf
        for _ in range(2):
            start = time.perf_counter()
            distance(a, b)
            best = min(best, time.perf_counter() - start)
        total += best
    return total


def _print_whole_pages(console: Console, pairs: dict[str, list[Pair]]) -> None:
    """Print the times of RTDM, Chawathe's distance and edist; the others take too long."""
    slow = {
        "Chawathe": chawathe.compute_distance,
        **{name: distance for name, distance in _import_peers().items() if name == "edist"},
    }
    heads = [f"{name}, ms (ratio)" for name in slow]
    grid = Table(
        "pairs of pages of", "number", "vertices a tree", "RTDM, ms", *heads, title="Whole pages"
    )
    for name, group in {
        **pairs,
        "both": [pair for some in pairs.values() for pair in some],
    }.items():
        size = sum(len(a) + len(b) for a, b in group) // (2 * len(group))
        ours = _time_distance(compute_rtdm, group)
        theirs = [_time_distance(distance, group) for distance in slow.values()]
        cells = [f"{1000 * seconds / len(group):.0f} ({seconds / ours:.0f})" for seconds in theirs]
        grid.add_row(name, str(len(group)), str(size), f"{1000 * ours / len(group):.2f}", *cells)
    console.print(grid)


def _time_sizes(pairs: dict[str, list[Pair]]) -> dict[str, dict[int, float]]:
    """Return the milliseconds for a pair by method and size."""
    times: dict[str, dict[int, float]] = {}
    for name, distance in {
        "RTDM": compute_rtdm,
        "Chawathe": chawathe.compute_distance,
        **_import_peers(),
    }.items():
        times[name] = {}
        for size in _SIZES:
            cut = [
                (_cut_tree(a, size), _cut_tree(b, size))
                for a, b in pairs["one site"]
                if min(len(a), len(b)) >= size
            ]
            seconds = _time_distance(distance, cut[:_PAIRS_A_SIZE]) / max(
                1, len(cut[:_PAIRS_A_SIZE])
            )
            if cut:
                times[name][size] = 1000 * seconds
            if seconds > _MAX_SECONDS:
                break
    return times


def _cut_tree(tree: Tree, size: int) -> Tree:
    return Tree(tree.labels[:size], tree.parents[:size])


def _print_sizes(console: Console, times: dict[str, dict[int, float]]) -> None:
    grid = Table(
        "vertices", *times, title="Milliseconds a pair; in brackets, as a multiple of RTDM's"
    )
    for size in _SIZES:
        if size in times["RTDM"]:
            cells = [
                f"{by_size[size]:.2f} ({by_size[size] / times['RTDM'][size]:.0f})"
                if size in by_size
                else ""
                for by_size in times.values()
            ]
            grid.add_row(str(size), *cells)
    console.print(grid)


# ---- the clustering step -------------------------------------------------------------------------


class _Similarities:
    """The similarities of trees by a distance, each computed once."""

    def __init__(self, trees: Sequence[Tree], distance: Callable[[int, int], float]) -> None:
        self._trees = trees
        self._distance = distance
        self._known: dict[tuple[int, int], float] = {}
        self.computed = 0

    def compute_upper_bound(self, left: int, right: int) -> float:
        """Return no bound: both distances are computed for all pairs."""
        return 1.0

    def compute_similarity(self, left: int, right: int) -> float:
        """Return 1 less the distance over the sum of both sizes."""
        pair = (min(left, right), max(left, right))
        if pair not in self._known:
            self.computed += 1
            self._known[pair] = 1 - self._distance(*pair) / sum(
                len(self._trees[tree]) for tree in pair
            )
        return self._known[pair]


def _time_clustering(
    trees: Sequence[Tree], distance: Callable[[int, int], float]
) -> tuple[float, int, int]:
    """Return the processor time of clustering trees at the threshold of the paper, the number of
    distances computed, and that of clusters.

    Elapsed time would favour the faster one: other programs interrupt the slower far more often.
    """
    similarities = _Similarities(trees, distance)
    start = time.process_time()
    groups = AverageLinkage(range(len(trees)), similarities, PAPER_THRESHOLD).build_groups()
    return time.process_time() - start, similarities.computed, len(groups)


def _make_rtdm(trees: Sequence[Tree]) -> Callable[[int, int], float]:
    """Return RTDM with one table for all trees, which the first call makes, to be timed."""
    roots: list[int] = []
    measure: list[Rtdm] = []

    def distance(left: int, right: int) -> float:
        if not roots:
            classes = SubtreeClasses()
            roots.extend(classes.classify(tree)[0] for tree in trees)
            measure.append(Rtdm(classes))
        return measure[0].compute_distance(roots[left], roots[right])

    return distance


def _make_chawathe(trees: Sequence[Tree]) -> Callable[[int, int], float]:
    return lambda left, right: chawathe.compute_distance(trees[left], trees[right])


def _print_clustering(console: Console, sites: dict[str, list[Path]], count: int) -> None:
    heads = (
        "site",
        "vertices a tree",
        "clusters",
        "distances",
        "RTDM, ms",
        "Chawathe, ms",
        "ratio",
    )
    grid = Table(*heads, title="The clustering step, processor time")
    rows: list[tuple[int, str, str, str, float, float]] = []
    for site in sorted(sites)[:: max(1, len(sites) // count)][:count]:
        trees = [
            Page.load(path).build_tree_with_texts() for path in sites[site][:_PAGES_A_CLUSTERING]
        ]
        ours, computed, clusters = _time_clustering(trees, _make_rtdm(trees))
        theirs, computed_theirs, clusters_theirs = _time_clustering(trees, _make_chawathe(trees))
        rows.append(
            (
                sum(map(len, trees)) // len(trees),
                site,
                f"{clusters}, {clusters_theirs}",
                f"{computed}, {computed_theirs}",
                ours,
                theirs,
            )
        )
    for size, site, groups, distances, rtdm_time, chawathe_time in sorted(rows):
        times = (
            f"{1000 * rtdm_time:.0f}",
            f"{1000 * chawathe_time:.0f}",
            f"{chawathe_time / rtdm_time:.0f}",
        )
        grid.add_row(site, str(size), groups, distances, *times)
    console.print(grid)


# ---- peers ---------------------------------------------------------------------------------------


def _import_peers() -> dict[str, Distance]:
    """Return the general distances that are installed."""
    peers: dict[str, Distance] = {}
    for name, make in (("edist", _import_edist), ("zss", _import_zss), ("apted", _import_apted)):
        try:
            peers[name] = make()
        except ImportError:
            print(f"{name} is not installed: left out.")
    return peers


def _import_edist() -> Distance:
    from edist import ted

    def children(tree: Tree) -> list[list[int]]:
        return [tree.children(node) for node in range(len(tree))]

    return lambda a, b: ted.standard_ted(list(a.labels), children(a), list(b.labels), children(b))


def _import_zss() -> Distance:
    import zss

    def node(tree: Tree, number: int = 0) -> Any:
        return zss.Node(tree.labels[number], [node(tree, child) for child in tree.children(number)])

    return lambda a, b: zss.simple_distance(node(a), node(b))


def _import_apted() -> Distance:
    from apted import APTED
    from apted.helpers import Tree as Braced

    def braced(tree: Tree, number: int = 0) -> str:
        return (
            "{"
            + tree.labels[number]
            + "".join(braced(tree, child) for child in tree.children(number))
            + "}"
        )

    return lambda a, b: APTED(
        Braced.from_text(braced(a)), Braced.from_text(braced(b))
    ).compute_edit_distance()


# ---- the picture ---------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _EDGE = 580, 380, 70
_COLOURS = ("#0b6e4f", "#c1440e", "#5b6c9d", "#9a7d0a", "#7d3c98")


def draw_svg(times: dict[str, dict[int, float]]) -> str:
    """Return time against size, both in powers of ten, as SVG."""
    sizes = [size for by_size in times.values() for size in by_size]
    values = [value for by_size in times.values() for value in by_size.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(size: float) -> float:
        return _EDGE + (_WIDTH - 2 * _EDGE - 60) * math.log(size / min(sizes)) / math.log(
            max(sizes) / min(sizes)
        )

    def y(value: float) -> float:
        return _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * (math.log10(value) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' style="font: 12px sans-serif">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        "<title>Time of a tree distance against the size of the trees</title>",
    ]
    for power in range(low, high + 1):
        level = y(10**power)
        parts.append(f'<path d="M{_EDGE} {level:.1f}H{_WIDTH - _EDGE - 60}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{_EDGE - 6}" y="{level + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>'
        )
    parts += [
        f'<text x="{x(size):.1f}" y="{_HEIGHT - _EDGE + 18}" text-anchor="middle">{size}</text>'
        for size in sorted(set(sizes))
    ]
    parts.append(
        f'<text x="{_WIDTH / 2 - 30}" y="{_HEIGHT - 10}" text-anchor="middle">'
        "vertices of each tree</text>"
    )
    for colour, (name, by_size) in zip(_COLOURS, times.items(), strict=False):
        points = [(x(size), y(value)) for size, value in by_size.items()]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        end_x, end_y = points[-1]
        parts.append(f'<text x="{end_x + 6:.1f}" y="{end_y + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
