"""Wrappers that are learned from a few pages of each site, applied to all, and scored."""

from __future__ import annotations

import json
import random
import time
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
"""Learns from pages, with the seed of their random sample."""

Harm = Callable[[bytes, Wrapper, random.Random], bytes]
"""Changes the markup of a page before the wrapper is applied."""


@dataclass(frozen=True)
class Run:
    """The output for one site, and the time to learn."""

    lines: list[str]
    seconds: float


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
    """Return precision, recall, F1, fields per site and seconds to learn, as means over the seeds.

    ``sample`` is the number of pages to learn from. Only every ``every``-th site is used.
    """
    scored: list[dict[str, Any]] = []
    seconds: list[float] = []
    output = OUTPUT / f"{page_set.name}-fields.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    sites = [
        [page["page"] for page in pages]
        for pages in list(page_set.group_by_site().values())[::every]
    ]
    names = {name for site in sites for name in site}
    for seed in range(seeds):
        runs = _run_sites(page_set, sites, learn, sample, seed, harm)
        output.write_text(
            "".join(line + "\n" for run in runs for line in run.lines), encoding="utf-8"
        )
        scored.append(run_scorer(scorer, page_set, output, only=names))
        seconds += [run.seconds for run in runs]
    return {
        **{
            name: mean(figures[name] for figures in scored)
            for name in ("precision", "recall", "f1")
        },
        "fields": mean(figures["fields_per_site"] for figures in scored),
        "median": median(seconds),
        "maximum": max(seconds),
    }


def _run_sites(
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
                _run_site,
                repeat(page_set.folder),
                sites,
                repeat(learn),
                repeat(sample),
                repeat(seed),
                repeat(harm),
            )
        )


def _run_site(
    folder: Path, names: list[str], learn: Learner, sample: int, seed: int, harm: Harm | None
) -> Run:
    chosen = random.Random(seed).sample(names, min(sample, len(names)))
    pages = [unweave.load_page(folder / name) for name in chosen]
    begin = time.perf_counter()
    wrapper = learn(pages, seed)
    seconds = time.perf_counter() - begin
    rng = random.Random(seed)
    lines = []
    for name in names:
        markup = (folder / name).read_bytes()
        extraction = unweave.apply(wrapper, harm(markup, wrapper, rng) if harm else markup)
        lines.append(json.dumps({"page": name, "fields": extraction.fields or {}}))
    return Run(lines, seconds)
