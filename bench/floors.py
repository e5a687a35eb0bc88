"""Floors of figures: the values once reached, with the corpus that they were measured on."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench.corpus import PageSet

FLOORS = Path(__file__).with_name("floors.json")

# Figures may change by a page or two with a new version of a dependency.
_TOLERANCE = 0.005

Figures = dict[str, dict[str, float]]
"""Values by the name of the set, then by the name of the figure."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of all scripts that have floors."""
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--update", action="store_true", help="save the figures as floors")
    parser.add_argument("--allow-lower", action="store_true", help="let --update lower a floor")


def check_floors(
    console: Console,
    arguments: argparse.Namespace,
    measured: dict[str, Figures],
    sets: Sequence[PageSet],
) -> int:
    """Compare figures by method with their floors, or save them with --update.

    Return the exit status: 1 if a figure is below its floor, or the corpus is another one.
    """
    corpus = {page_set.key: page_set.digest for page_set in sets}
    if arguments.update:
        _update(measured, corpus, allow_lower=arguments.allow_lower)
    return _compare(console, measured, corpus)


def _compare(console: Console, measured: dict[str, Figures], corpus: dict[str, str]) -> int:
    pinned = json.loads(FLOORS.read_text(encoding="utf-8"))
    below = unknown = 0
    for method, sets in measured.items():
        for name, figures in sets.items():
            if pinned["corpus"].get(name) != corpus[name]:
                unknown += 1
                console.print(f"[red]{name} differs from the corpus of the floors: not compared.")
                continue
            for figure, value in figures.items():
                floor = pinned["floors"].get(method, {}).get(name, {}).get(figure, 0.0)
                if value < floor:
                    below += 1
                    console.print(
                        f"[red]below the floor: {method} {name} {figure} {value:.4f} < {floor:.3f}"
                    )
    compared = "All figures" if not unknown else "The figures that could be compared"
    console.print(
        f"{below} figures are below their floors."
        if below
        else f"{compared} are at or above their floors."
    )
    return 1 if below or unknown else 0


def _update(measured: dict[str, Figures], corpus: dict[str, str], *, allow_lower: bool) -> None:
    pinned = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {"floors": {}}
    for method, sets in measured.items():
        for name, figures in sets.items():
            floors = pinned["floors"].setdefault(method, {}).setdefault(name, {})
            for figure, value in figures.items():
                floor = math.floor((value - _TOLERANCE) * 1000) / 1000
                pinned_floor = floors.get(figure, 0.0)
                if value < pinned_floor and not allow_lower:
                    sys.exit(
                        f"{method} {name} {figure} would be lowered to {floor}: add --allow-lower"
                    )
                floors[figure] = floor if allow_lower else max(floor, pinned_floor)
    corpus = {**pinned.get("corpus", {}), **corpus}
    FLOORS.write_text(
        json.dumps({"corpus": corpus, "floors": pinned["floors"]}, indent=1) + "\n",
        encoding="utf-8",
    )
