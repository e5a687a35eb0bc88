"""Running and scoring are separate programs: ours writes what unweave gives, the scorer reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from bench.corpus import PageSet

OUTPUT = Path(".data") / "out"


def scored_by(
    scorer: Path, page_set: PageSet, output: Path, only: Collection[str] | None = None
) -> dict[str, Any]:
    """What the scorer says of an output for a set of pages, or only for some of them."""
    truth = page_set.truth
    if only is not None:
        truth = output.with_suffix(".truth.jsonl")
        lines = page_set.truth.read_text(encoding="utf-8").splitlines(keepends=True)
        truth.write_text(
            "".join(line for line in lines if json.loads(line)["page"] in only), encoding="utf-8"
        )
    command = [sys.executable, str(scorer), page_set.kind, str(truth), str(output), "--json"]
    scored: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return scored
