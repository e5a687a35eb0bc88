"""The report of a run of the fuzzer: counts by verb, failures, the slowest inputs."""

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
    """Failures with the same signature: their number, and the input of the first."""

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

    def compute_rate(self) -> float:
        """Return the inputs per second."""
        return self.inputs / max(1e-9, time.monotonic() - self.begun)

    def format_progress(self) -> str:
        """Return a line with the progress of the run."""
        seconds = time.monotonic() - self.begun
        failed = f"{self.failed.total():,} failures, {len(self.faults)} different"
        return f"{seconds:6.0f} s  {self.inputs:9,} inputs  {self.compute_rate():6.1f}/s  {failed}"

    def format_summary(self) -> str:
        """Return the tables that are printed at the end."""
        lines = [
            f"{'verb':16} {'inputs':>9} {'answered':>9} {'refused':>9} {'failed':>7}"
            f" {'ms each':>8} {'longest s':>10}"
        ]
        for verb in sorted(self.by_verb):
            inputs, refused, failed = self.by_verb[verb], self.refused[verb], self.failed[verb]
            answered = inputs - refused - failed
            each = 1000 * self.seconds[verb] / inputs
            lines.append(
                f"{verb:16} {inputs:9,} {answered:9,} {refused:9,} {failed:7,}"
                f" {each:8.1f} {self.longest[verb]:10.2f}"
            )
        refusals = ", ".join(
            f"{count:,} {name}" for name, count in self.refusals.most_common(_MAX_REFUSALS)
        )
        slowest = ", ".join(
            f"{seconds:.2f} s ({verb}, {number})"
            for seconds, number, verb in sorted(self.slowest)[::-1]
        )
        average = 1000 * sum(self.seconds.values()) / max(1, self.inputs)
        lines += [
            f"{'all':16} {self.inputs:9,} {'':27} {average:8.1f}",
            "",
            f"refused with: {refusals or 'nothing'}",
            f"slowest: {slowest}",
            f"largest memory: {self.peak[0]:,.0f} MiB ({self.peak[2]}, {self.peak[1]})",
            f"{self.compute_rate():.1f} inputs per second",
        ]
        if self.faults:
            lines += ["", f"{'failures':>9}  {'first input':>11}  kind"]
        for fault in sorted(self.faults.values(), key=lambda fault: -fault.count):
            lines.append(
                f"{fault.count:9,}  {fault.number:11}  {fault.verb}: {fault.failure.signature}"
            )
        return "\n".join(lines)


def save_fault(folder: Path, fault: Fault, seed: int, original: Case, smaller: Case) -> Path:
    """Write the shrunken input of a fault and its description; return the folder."""
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
