"""What a run of the fuzzer has found: counts by verb, failures by kind, the slowest inputs."""

from __future__ import annotations

import heapq
import json
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.cases import Case
from fuzz.workers import Failure, Result

_SLOWEST = 5
_MAX_REFUSALS = 6


@dataclass
class Fault:
    """Failures of one kind at one place: how many, and the input of the first."""

    failure: Failure
    number: int
    verb: str
    count: int = 0


@dataclass
class Statistics:
    """The results of a run so far."""

    inputs: int = 0
    by_verb: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    longest: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    peak: tuple[float, int, str] = (0.0, 0, "")
    faults: dict[str, Fault] = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)

    def add(self, number: int, result: Result) -> None:
        """Count a result."""
        verb = result.verb
        self.inputs += 1
        self.by_verb[verb] += 1
        self.seconds[verb] += result.cpu_seconds
        self.longest[verb] = max(self.longest[verb], result.cpu_seconds)
        if result.refusal:
            self.refused[verb] += 1
            self.refusals[result.refusal] += 1
        heapq.heappush(self.slowest, (result.cpu_seconds, number, verb))
        if len(self.slowest) > _SLOWEST:
            heapq.heappop(self.slowest)
        if result.peak_mib > self.peak[0]:
            self.peak = (result.peak_mib, number, verb)
        if result.failure:
            self.failed[verb] += 1
            fault = self.faults.setdefault(
                result.failure.signature, Fault(result.failure, number, verb)
            )
            fault.count += 1

    def rate(self) -> float:
        """Return the inputs a second."""
        return self.inputs / max(1e-9, time.monotonic() - self.begun)

    def progress(self) -> str:
        """Return a line that says how far the run is."""
        seconds = time.monotonic() - self.begun
        failed = f"{self.failed.total():,} failures of {len(self.faults)} kinds"
        return f"{seconds:6.0f} s  {self.inputs:9,} inputs  {self.rate():6.1f}/s  {failed}"

    def summary(self) -> str:
        """Return the tables that are printed at the end."""
        lines = [
            f"{'verb':16} {'inputs':>9} {'answered':>9} {'refused':>9} {'failed':>7} {'ms each':>8} {'longest s':>10}"
        ]
        for verb in sorted(self.by_verb):
            inputs, refused, failed = self.by_verb[verb], self.refused[verb], self.failed[verb]
            answered = inputs - refused - failed
            each = 1000 * self.seconds[verb] / inputs
            lines.append(
                f"{verb:16} {inputs:9,} {answered:9,} {refused:9,} {failed:7,} {each:8.1f} {self.longest[verb]:10.2f}"
            )
        refusals = ", ".join(
            f"{count:,} {name}" for name, count in self.refusals.most_common(_MAX_REFUSALS)
        )
        slowest = ", ".join(
            f"{seconds:.2f} s ({verb}, {number})"
            for seconds, number, verb in sorted(self.slowest)[::-1]
        )
        lines += [
            f"{'all':16} {self.inputs:9,} {'':27} {1000 * sum(self.seconds.values()) / max(1, self.inputs):8.1f}",
            "",
            f"refused with: {refusals or 'nothing'}",
            f"slowest: {slowest}",
            f"largest memory: {self.peak[0]:,.0f} MiB ({self.peak[2]}, {self.peak[1]})",
            f"{self.rate():.1f} inputs a second",
        ]
        if self.faults:
            lines += ["", f"{'failures':>9}  {'first input':>11}  kind"]
        for fault in sorted(self.faults.values(), key=lambda own: -own.count):
            lines.append(
                f"{fault.count:9,}  {fault.number:11}  {fault.verb}: {fault.failure.signature}"
            )
        return "\n".join(lines)


def save_fault(folder: Path, fault: Fault, seed: int, original: Case, smaller: Case) -> Path:
    """Write the shrunken input of a fault, and what is known of it; return its folder."""
    name = re.sub(r"[^a-z0-9]+", "-", f"{fault.verb} {fault.failure.signature}".lower()).strip("-")[
        :80
    ]
    target = folder / f"{name}-{seed}-{fault.number}"
    smaller.save(target)
    facts = {
        "seed": seed,
        "number": fault.number,
        "failure": fault.failure.signature,
        "times": fault.count,
        "bytes": {
            "original": sum(map(len, original.parts)),
            "smaller": sum(map(len, smaller.parts)),
        },
    }
    (target / "failure.json").write_text(json.dumps(facts, indent=1) + "\n")
    (target / "failure.txt").write_text(
        f"{fault.failure.signature}\n\n{fault.failure.details}\n", errors="backslashreplace"
    )
    return target
