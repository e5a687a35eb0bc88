"""Scoring of output by a separate program, the scorer."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.corpus import PageSet

OUTPUT = Path(".data") / "out"


def run_scorer(
    scorer: Path, page_set: PageSet, output: Path, only: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the figures of the scorer for the output of a set of pages, or of some of them."""
    truth = page_set.truth
    if only is not None:
        truth = output.with_suffix(".truth.jsonl")
        lines = page_set.truth.read_text(encoding="utf-8").splitlines(keepends=True)
        truth.write_text(
            "".join(line for line in lines if json.loads(line)["page"] in only), encoding="utf-8"
        )
    command = [sys.executable, str(scorer), page_set.task, str(truth), str(output), "--json"]
    scored: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return scored


def load_scorer(path: Path) -> ModuleType:
    """Import the scorer, to call its functions many times."""
    spec = importlib.util.spec_from_file_location("scorer", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
