"""Clusters of a mix of sites, against the sites: the adjusted Rand index, and the time on one core.

    python -m bench.clusters --data ../shared/data

Twenty pages of each of the forty sites of detail/swde, shuffled. The status is 1 if the default falls below its floor.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import comb
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.corpus import page_sets
from unweave import Page
from unweave.clustering.clusters import DEFAULT, PAPER, Clusters

_PAGES_A_SITE = 20
_FLOOR = 0.98


def main() -> None:
    """Measure, print, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    mixed = mixed_pages(parser.parse_args().data)
    if not mixed:
        print("detail/swde is not at hand: clusters were not measured.")
        return
    sites = [site for site, _ in mixed]
    grid = Table(
        "threshold",
        "pages",
        "clusters",
        "adjusted Rand index",
        "seconds",
        title="Clusters of forty sites",
    )
    indices: dict[float, float] = {}
    for threshold in (DEFAULT, PAPER):
        begin = time.perf_counter()
        numbers = Clusters(threshold).add(Page.load(path) for _, path in mixed)
        seconds = time.perf_counter() - begin
        indices[threshold] = adjusted_rand_index(sites, numbers)
        name = f"{threshold} ({'default' if threshold == DEFAULT else 'the paper'})"
        grid.add_row(
            name,
            str(len(mixed)),
            str(len(set(numbers))),
            f"{indices[threshold]:.3f}",
            f"{seconds:.0f}",
        )
    Console(width=120 if not sys.stdout.isatty() else None).print(grid)
    if indices[DEFAULT] < _FLOOR:
        sys.exit(f"below the floor: {indices[DEFAULT]:.4f} < {_FLOOR}")


def mixed_pages(data: Path) -> list[tuple[str, Path]]:
    """The pages with their sites, shuffled."""
    sites: dict[str, list[Path]] = {}
    for page_set in page_sets(data, "detail", ("swde",)):
        for page in page_set.pages():
            sites.setdefault(page["site"], []).append(page_set.folder / page["page"])
    pages = [(site, path) for site in sorted(sites) for path in sites[site][:_PAGES_A_SITE]]
    random.Random(0).shuffle(pages)
    return pages


def adjusted_rand_index(truth: Sequence[object], found: Sequence[object]) -> float:
    """1 if two partitions are the same, about 0 if one was drawn by chance (Hubert and Arabie, 1985)."""
    both = _pairs(list(zip(truth, found, strict=True)))
    one, other = _pairs(truth), _pairs(found)
    expected = one * other / comb(len(truth), 2)
    return (both - expected) / ((one + other) / 2 - expected)


def _pairs(labels: Sequence[object]) -> int:
    return sum(comb(count, 2) for count in Counter(labels).values())


if __name__ == "__main__":
    main()
