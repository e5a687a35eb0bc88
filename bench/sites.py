"""Wrappers learned from a few pages of each site of a set, applied to all of its pages, and scored."""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import mean, median
from typing import Any

import unweave
from bench.corpus import PageSet
from bench.scoring import OUTPUT, run_scorer
from unweave.page.page import Page
from unweave.wrappers.base import Wrapper

Learner = Callable[[Sequence[Page], int], Wrapper]
"""Learns from the pages of a draw, which has a number."""

Harm = Callable[[bytes, Wrapper, random.Random], bytes]
"""Changes a page before the wrapper is applied."""


@dataclass(frozen=True)
class Run:
    """One draw of pages of one site."""

    lines: list[str]
    seconds: float
    """How long it took to learn."""


def measure_sites(
    page_set: PageSet,
    scorer: Path,
    learn: Learner,
    *,
    sample: int,
    seeds: int,
    harm: Harm | None = None,
    every: int = 1,
) -> dict[str, float]:
    """Precision, recall, F1, the number of fields, and the seconds to learn: means over several draws of the pages.

    ``every`` leaves out all but every n-th site.
    """
    scored: list[dict[str, Any]] = []
    seconds: list[float] = []
    output = OUTPUT / f"{page_set.name}-fields.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    for seed in range(seeds):
        chosen = _sites(page_set, every)
        runs = _runs(page_set, chosen, learn, sample, seed, harm)
        output.write_text(
            "".join(line + "\n" for run in runs for line in run.lines), encoding="utf-8"
        )
        scored.append(
            run_scorer(scorer, page_set, output, only={name for names in chosen for name in names})
        )
        seconds += [run.seconds for run in runs]
    return {
        **{name: mean(own[name] for own in scored) for name in ("precision", "recall", "f1")},
        "fields": mean(own["fields_per_site"] for own in scored),
        "median": median(seconds),
        "most": max(seconds),
    }


def _sites(page_set: PageSet, every: int) -> list[list[str]]:
    sites: dict[str, list[str]] = defaultdict(list)
    for page in page_set.read_pages():
        sites[page["site"]].append(page["page"])
    return list(sites.values())[::every]


def _runs(
    page_set: PageSet,
    sites: Sequence[list[str]],
    learn: Learner,
    sample: int,
    seed: int,
    harm: Harm | None,
) -> list[Run]:
    with ProcessPoolExecutor() as workers:
        return list(
            workers.map(
                _run,
                repeat(page_set.folder),
                sites,
                repeat(learn),
                repeat(sample),
                repeat(seed),
                repeat(harm),
            )
        )


def _run(
    folder: Path, names: list[str], learn: Learner, sample: int, seed: int, harm: Harm | None
) -> Run:
    drawn = random.Random(seed).sample(names, min(sample, len(names)))
    pages = [unweave.load_page(folder / name) for name in drawn]
    begin = time.perf_counter()
    wrapper = learn(pages, seed)
    seconds = time.perf_counter() - begin
    chance = random.Random(seed)
    lines = []
    for name in names:
        markup = (folder / name).read_bytes()
        found, _ = unweave.apply(wrapper, harm(markup, wrapper, chance) if harm else markup)
        lines.append(json.dumps({"page": name, "fields": found or {}}))
    return Run(lines, seconds)
