"""Forty sites in one WARC file: ``unweave site`` against learning and applying site by site.

    python -m bench.mixed --data ../shared/data --score ../shared/score/score.py
    python -m bench.mixed … --runner processes --copies 2

Prints the F1 of fields of both, the pages per second of the whole run, and the peak of the resident
memory of all processes. With ``--copies 2`` every page is there twice, at two URLs: memory should
not grow.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.corpus import PageSet, find_page_sets
from bench.memory import measure_peak
from bench.reporting import make_console, make_parser
from bench.scoring import run_scorer
from bench.sites import measure_sites
from unweave.page.page import Page
from unweave.wrappers.fields.apply import FieldWrapper
from unweave.wrappers.fields.learn import learn

_DATE = "2024-05-01T10:00:00Z"
_MAX_LOSS = 0.02


def main() -> None:
    """Print the figures, and check the loss."""
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--runner", default="processes")
    parser.add_argument("--copies", type=int, default=1)
    arguments = parser.parse_args()
    sets = find_page_sets(arguments.data, "detail", ("swde",))
    if not sets or not arguments.score.exists():
        print("detail/swde was not found: nothing was measured.")
        return
    (page_set,) = sets
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "mixed.warc.gz")
        pages = write_archive(page_set, archive, arguments.copies)
        seconds, megabytes = run_site(archive, Path(folder, "out"), arguments.runner)
        output = Path(folder, "out.jsonl")
        output.write_text("".join(format_rows(Path(folder, "out"))), encoding="utf-8")
        mixed = run_scorer(arguments.score, page_set, output)
    separate = measure_sites(page_set, arguments.score, _learn, sample=20, seeds=1)
    grid = Table(
        "method",
        "pages",
        "F1",
        "pages per second",
        "memory, MB",
        title="Forty sites in one WARC file",
    )
    grid.add_row(
        "unweave site",
        str(pages),
        f"{mixed['f1']:.3f}",
        f"{pages / seconds:.0f}",
        f"{megabytes:.0f}",
    )
    grid.add_row("learn and apply, site by site", "", f"{separate['f1']:.3f}", "", "")
    make_console().print(grid)
    if mixed["f1"] < separate["f1"] - _MAX_LOSS:
        sys.exit(f"the F1 of mixed sites is more than {_MAX_LOSS} below that of single ones")


def _learn(pages: Sequence[Page], seed: int) -> FieldWrapper:
    return learn(pages)


def write_archive(page_set: PageSet, path: Path, copies: int) -> int:
    """Write all pages in random order, each at a URL of its site; return their number."""
    pages = [(page["site"], page["page"]) for page in page_set.read_pages()]
    random.Random(0).shuffle(pages)
    with path.open("wb") as file:
        for copy in range(copies):
            for site, name in pages:
                body = (page_set.folder / name).read_bytes()
                file.write(
                    gzip.compress(
                        _format_record(f"http://{site}.example/{copy}/{name}", body),
                        compresslevel=6,
                    )
                )
    return len(pages) * copies


def _format_record(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {_DATE}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def run_site(archive: Path, out: Path, runner: str) -> tuple[float, float]:
    """Run ``unweave site``; return the seconds and the peak of the memory in MB."""
    command = [
        sys.executable,
        "-m",
        "unweave",
        "site",
        str(archive),
        "-o",
        str(out),
        "--format",
        "jsonl",
        "--texts",
    ]
    begin = time.perf_counter()
    with subprocess.Popen([*command, "--runner", runner], stdout=subprocess.DEVNULL) as process:
        peak = measure_peak(process)
    if process.returncode:
        sys.exit("unweave site failed")
    return time.perf_counter() - begin, peak


def format_rows(folder: Path) -> Iterator[str]:
    """Yield the fields of every page in all tables, as the scorer reads them."""
    fields: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem in ("pages", "templates", "columns"):
            continue
        for line in path.open(encoding="utf-8"):
            row: dict[str, Any] = json.loads(line)
            copy, _, page = row.pop("url").partition(".example/")[2].partition("/")
            for name, value in row.items():
                if copy == "0" and value is not None:
                    fields[page][name] += value if isinstance(value, list) else [str(value)]
    for page, page_fields in fields.items():
        output = {}
        for name, values in page_fields.items():
            output[name] = values if len(values) > 1 else values[0]
        yield json.dumps({"page": page, "fields": output}) + "\n"


if __name__ == "__main__":
    main()
