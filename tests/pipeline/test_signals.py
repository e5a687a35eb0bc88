"""``site`` that is interrupted: no partial output, no worker left, results to continue with."""

import os
import signal
import subprocess
import sys

import pytest

import unweave
from tests.pipeline.test_page_types import make_product
from tests.processes import DEADLINE, is_alive, start_module, wait_until
from tests.sources.site import Site
from unweave.runners import processes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

WORDS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated by SIGTERM",
    signal.SIGHUP: "terminated by SIGHUP",
}


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.html").write_text(make_product(number, is_signed=False))
    return folder


def start_held(step, runner, pages, out):
    held_in = out.with_name("held")
    held_in.mkdir()
    words = (
        "site",
        pages,
        "-o",
        out,
        "--runner",
        runner,
        *(("--workers", 2) if runner == "processes" else ()),
    )
    return held_in, start_module("tests.pipeline.held", step, held_in, *words)


def send_signal(process, held_in, number, *, group):
    """Send a signal when a worker has stopped; return the error output and the workers."""
    wait_until(lambda: any(held_in.iterdir()), process)
    (os.killpg if group else os.kill)(process.pid, number)
    output, errors = process.communicate(timeout=DEADLINE)
    assert output == ""
    return errors, [int(path.name) for path in held_in.iterdir()]


@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("number", WORDS)
@pytest.mark.parametrize("runner", ["serial", "processes"])
def test_results_are_kept_and_the_same_command_continues(runner, number, group, pages, tmp_path):
    out = tmp_path / "out.duckdb"
    held_in, starting = start_held("apply", runner, pages, out)
    with starting as process:
        errors, workers = send_signal(process, held_in, number, group=group)
    assert errors == (
        f"unweave: {WORDS[number]}: {out} was not written\n"
        f"unweave: finished work is kept in {out}.work:"
        " the same command continues with it, --fresh starts over\n"
    )
    assert process.returncode == 128 + number
    wait_until(lambda: not any(map(is_alive, workers)))
    assert not out.exists()
    assert not list(tmp_path.rglob("*.part"))
    scans = [
        path.stat().st_mtime_ns
        for path in out.with_name("out.duckdb.work").glob("round-1/scan/*.db")
    ]
    assert scans
    assert unweave.site(pages, out, runner="serial", until="apply").work == f"{out}.work"
    assert scans == [
        path.stat().st_mtime_ns
        for path in out.with_name("out.duckdb.work").glob("round-1/scan/*.db")
    ]
    assert unweave.site(pages, out, runner="serial").pages == 8


@pytest.mark.parametrize("runner", ["serial", "processes"])
def test_without_results_nothing_is_left(runner, pages, tmp_path):
    out = tmp_path / "out.duckdb"
    held_in, starting = start_held("scan", runner, pages, out)
    with starting as process:
        errors, workers = send_signal(process, held_in, signal.SIGINT, group=True)
    assert (errors, process.returncode) == (f"unweave: interrupted: {out} was not written\n", 130)
    wait_until(lambda: not any(map(is_alive, workers)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held", "pages"]


def test_a_crawl_that_is_terminated_is_continued(tmp_path):
    out = tmp_path / "out.duckdb"
    with Site() as site:
        site.add_page("/", *(f"/item/{number}" for number in range(6)))
        for number in range(6):
            site.respond(f"/item/{number}", make_product(number, is_signed=False))
        words = ("unweave", "site", site.url("/"), "-o", out, "--delay", "0", "--runner", "serial")
        with start_module(*words) as process:
            site.hooks["/item/3"] = lambda: (
                site.hooks.pop("/item/3") and process.send_signal(signal.SIGTERM)
            )
            _, errors = process.communicate(timeout=DEADLINE)
        assert process.returncode == 143, errors
        assert errors.splitlines() == [
            f"unweave: terminated by SIGTERM: {out} was not written",
            f"unweave: finished work is kept in {out}.work:"
            " the same command continues with it, --fresh starts over",
        ]
        requests = len(site.requested)
        with start_module(*words) as process:
            _, errors = process.communicate(timeout=DEADLINE)
        assert (errors, process.returncode) == ("", 0)
        assert "/" not in site.requested[requests:], "pages are not fetched again"


WORKER_THAT_STARTS = """
import os, signal, sys
from unweave.runners import processes
from tests.runners import tasks

if __name__ == "__main__":
    pool = processes.ProcessRunner(2)
    started = pool._submit(tasks.hold_lock, {"number": 0, "folder": sys.argv[1]})
    os.killpg(0, signal.SIGINT)
"""


def test_a_starting_worker_prints_nothing_at_ctrl_c(tmp_path):
    """Python itself would print a traceback from the middle of its imports."""
    script = tmp_path / "script.py"
    script.write_text(WORKER_THAT_STARTS)
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        start_new_session=True,
        env=environment,
        timeout=DEADLINE,
        check=False,
    )
    tracebacks = done.stderr.count("Traceback")
    assert tracebacks == 1, done.stderr
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_closing_gives_up_unfinished_tasks(tmp_path):
    from tests.runners import tasks

    pool = processes.ProcessRunner(1)
    results = pool.map(tasks.hold_lock, [{"number": 0, "folder": str(tmp_path)}])
    waiting = pool._submit(tasks.hold_lock, {"number": 1, "folder": str(tmp_path)})
    wait_until((tmp_path / "held-1").exists)
    results.close()
    pool.close()
    assert waiting.done()
    assert not pool._unfinished
