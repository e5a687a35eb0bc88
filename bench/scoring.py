"""Running and scoring are separate programs: ours writes what unweave gives, the scorer reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.corpus import PageSet

OUTPUT = Path(".data") / "out"


def scored_by(scorer: Path, page_set: PageSet, output: Path) -> dict[str, Any]:
    """What the scorer says of an output for a set of pages."""
    command = [sys.executable, str(scorer), page_set.kind, str(page_set.truth), str(output), "--json"]
    scored: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return scored
