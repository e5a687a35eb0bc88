"""Run mutated pages through all verbs and report what fails."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from fuzz.cases import Case, Corpus, read_data, read_seeds
from fuzz.report import Fault, Statistics, save_fault
from fuzz.shrinking import MAX_RUNS, shrink
from fuzz.verbs import check, learn_example_wrappers
from fuzz.workers import DEFAULT_BOUNDS, Bounds, Cases, Check, Worker, run_case, run_numbers

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_PROGRESS_SECONDS = 15.0
_MEMORY_FOLDER = Path("/dev/shm")


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 0 if nothing failed, else 1."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="seed of the inputs; the same seed gives the same inputs (default: 0)",
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="duration (default: 5)")
    parser.add_argument("--inputs", type=int, help="run this number of inputs instead")
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first input (default: 0)"
    )
    parser.add_argument("--workers", type=int, default=2, help="number of processes (default: 2)")
    parser.add_argument(
        "--data", type=Path, help="more seed pages: the sets of real pages, or any folder"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(".fuzz"),
        help="folder for failing inputs (default: .fuzz)",
    )
    parser.add_argument(
        "--case", type=Path, help="run one saved input again, in this process, and nothing else"
    )
    options = parser.parse_args(arguments)
    if options.data and not options.data.is_dir():
        parser.error(f"{options.data}: no such folder")
    if options.case:
        return run_again(Case.load(options.case))
    corpus = Corpus(
        [*read_seeds(EXAMPLES), *read_data(options.data)],
        learn_example_wrappers(EXAMPLES),
        seed=options.seed,
    )
    return fuzz(
        corpus,
        check,
        seed=options.seed,
        numbers=_iter_numbers(options.first, options.inputs, options.minutes),
        workers=options.workers,
        output=options.output,
    )


def fuzz(
    cases: Cases,
    check: Check,
    *,
    seed: int,
    numbers: Iterator[int],
    workers: int,
    output: Path,
    bounds: Bounds = DEFAULT_BOUNDS,
    max_shrink_runs: int = MAX_RUNS,
) -> int:
    """Run the inputs of these numbers, print the failures, and save shrunken inputs in a folder."""
    statistics = Statistics()
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(
        prefix="fuzz-", dir=_MEMORY_FOLDER if _MEMORY_FOLDER.is_dir() else None
    ) as folder:
        team = [Worker(cases, check, bounds, folder) for _ in range(workers)]
        try:
            shown = time.monotonic()
            for result in run_numbers(team, numbers):
                if result is not None and isinstance(result.task, int):
                    statistics.add(result.task, result)
                    if result.failure is not None:
                        print(
                            f"failure: input {result.task}: {result.failure.signature}", flush=True
                        )
                if time.monotonic() - shown > _PROGRESS_SECONDS:
                    shown = time.monotonic()
                    print(statistics.format_progress(), flush=True)
            print(f"\n{statistics.format_summary()}", flush=True)
            for fault in statistics.faults.values():
                _shrink_and_save(
                    fault, cases.build_case(fault.number), team[0], output, seed, max_shrink_runs
                )
        finally:
            for worker in team:
                worker.end()
    return 1 if statistics.faults else 0


def _shrink_and_save(
    fault: Fault, case: Case, worker: Worker, output: Path, seed: int, max_runs: int
) -> None:
    failure = fault.failure

    def fails(candidate: Case) -> bool:
        nonlocal failure
        new_failure = worker.run(candidate).failure
        if new_failure is None or new_failure.signature != failure.signature:
            return False
        failure = new_failure
        return True

    if fails(case):
        smaller, note = shrink(case, fails, max_runs=max_runs), ""
    else:
        smaller, note = case, "; does not fail alone, after other inputs only"
    target = save_fault(output, replace(fault, failure=failure), seed, case, smaller)
    sizes = f"{sum(map(len, case.parts)):,} -> {sum(map(len, smaller.parts)):,} bytes"
    print(f"{target}: {fault.failure.signature}: {sizes}{note}", flush=True)


def run_again(case: Case) -> int:
    """Run one input in this process, and print its failure; return 1 if there is one."""
    refusal, failure = run_case(case, check)
    if failure is None:
        print(f"refused: {refusal}" if refusal else "nothing fails")
        return 0
    print(f"{failure.signature}\n{failure.details}")
    return 1


def _iter_numbers(first: int, inputs: int | None, minutes: float) -> Iterator[int]:
    if inputs is not None:
        yield from range(first, first + inputs)
        return
    until = time.monotonic() + 60 * minutes
    for number in count(first):
        if time.monotonic() > until:
            return
        yield number


if __name__ == "__main__":
    sys.exit(main())
