"""Clusters of a mix of sites, against the sites: the adjusted Rand index, and the time on one core.

    python -m bench.clusters --data ../shared/data

Twenty pages of each of the forty sites of detail/swde are clustered, in random order. The exit
status is 1 if the index of the default threshold is below its floor.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import comb
from pathlib import Path

from rich.table import Table

from bench.corpus import find_page_sets
from bench.reporting import make_console, make_parser
from unweave import Page
from unweave.clustering.clusters import DEFAULT_THRESHOLD, PAPER_THRESHOLD, Clusters

_PAGES_PER_SITE = 20
_MIN_INDEX = 0.98


def main() -> None:
    """Print the figures, and check the floor."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    pages = shuffle_pages(parser.parse_args().data)
    if not pages:
        print("detail/swde was not found: nothing was measured.")
        return
    sites = [site for site, _ in pages]
    grid = Table(
        "threshold",
        "pages",
        "clusters",
        "adjusted Rand index",
        "seconds",
        title="Clusters of forty sites",
    )
    indices: dict[float, float] = {}
    for threshold in (DEFAULT_THRESHOLD, PAPER_THRESHOLD):
        begin = time.perf_counter()
        numbers = Clusters(threshold).add(Page.load(path) for _, path in pages)
        seconds = time.perf_counter() - begin
        indices[threshold] = compute_adjusted_rand_index(sites, numbers)
        name = f"{threshold} ({'default' if threshold == DEFAULT_THRESHOLD else 'the paper'})"
        grid.add_row(
            name,
            str(len(pages)),
            str(len(set(numbers))),
            f"{indices[threshold]:.3f}",
            f"{seconds:.0f}",
        )
    make_console().print(grid)
    if indices[DEFAULT_THRESHOLD] < _MIN_INDEX:
        sys.exit(f"below the floor: {indices[DEFAULT_THRESHOLD]:.4f} < {_MIN_INDEX}")


def shuffle_pages(data: Path) -> list[tuple[str, Path]]:
    """Return sites and files of pages in random order."""
    pages: list[tuple[str, Path]] = []
    for page_set in find_page_sets(data, "detail", ("swde",)):
        for site, site_pages in sorted(page_set.group_by_site().items()):
            chosen = site_pages[:_PAGES_PER_SITE]
            pages += [(site, page_set.folder / page["page"]) for page in chosen]
    random.Random(0).shuffle(pages)
    return pages


def compute_adjusted_rand_index(truth: Sequence[object], output: Sequence[object]) -> float:
    """Compare two partitions (Hubert and Arabie, 1985): 1 if equal, about 0 if one is random."""
    in_both = _count_pairs(list(zip(truth, output, strict=True)))
    in_truth, in_output = _count_pairs(truth), _count_pairs(output)
    expected = in_truth * in_output / comb(len(truth), 2)
    return (in_both - expected) / ((in_truth + in_output) / 2 - expected)


def _count_pairs(labels: Sequence[object]) -> int:
    return sum(comb(count, 2) for count in Counter(labels).values())


if __name__ == "__main__":
    main()
