"""Runs on all runners: the same result, whatever is killed."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runners import tasks
from tests.runners.drive import read_rows
from unweave.errors import SinkError
from unweave.files import create_folder
from unweave.pipeline.run_folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "examples" / "shop", ROOT / "examples" / "news"]
SHARDS = 9


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the rows of a serial run."""
    folder = tmp_path_factory.mktemp("serial")
    run_silently("run", "serial", "", folder, 0, *SOURCES)
    return read_rows(folder)


@pytest.fixture(params=["serial", "processes", "ray"])
def name_and_address(request):
    return request.param, request.getfixturevalue(
        "cluster"
    ).address if request.param == "ray" else ""


def start(*words):
    command = [sys.executable, "-m", "tests.runners.drive", *map(str, words)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run_silently(*words):
    """Run to the end, and check that nothing is printed."""
    with start(*words) as process:
        outputs = process.communicate(timeout=2 * tasks.DEADLINE)
    assert (*outputs, process.returncode) == ("", "", 0)


def find_finished_shards(folder):
    """Return the shards with rows, and when they were written."""
    return {
        path.parent.name: path.stat().st_mtime_ns
        for path in folder.glob("round-1/rows/[!.]*/summary.json")
    }


def test_the_pages_are_of_several_templates(expected):
    assert len(expected["pages.jsonl"]) == 18
    assert len(expected) > 5


def test_a_killed_run_is_continued_with_the_same_result(name_and_address, expected, tmp_path):
    with start("run", *name_and_address, tmp_path, 2, *SOURCES) as process:
        process.communicate(timeout=2 * tasks.DEADLINE)
    assert process.returncode == -signal.SIGKILL
    before = find_finished_shards(tmp_path)
    assert len(before) >= 2
    run_silently("run", *name_and_address, tmp_path, 0, *SOURCES)
    assert read_rows(tmp_path) == expected
    after = find_finished_shards(tmp_path)
    assert len(after) == SHARDS
    assert {shard: after[shard] for shard in before} == before


def test_workers_on_this_machine_end_when_their_parent_is_killed(tmp_path):
    with start("hold", "processes", "", tmp_path) as process:
        tasks.wait_for(lambda: any(tmp_path.glob("held-*")))
        process.kill()
    tasks.wait_for(lambda: is_free(tmp_path / "lock-0"))


@pytest.mark.parametrize("name", ["processes", "ray"])
def test_ctrl_c_ends_all_workers_silently(name, request, tmp_path):
    address = request.getfixturevalue("cluster").address if name == "ray" else ""
    with start("hold", name, address, tmp_path) as process:
        tasks.wait_for(lambda: any(tmp_path.glob("held-*")))
        os.killpg(process.pid, signal.SIGINT)
        outputs = process.communicate(timeout=tasks.DEADLINE)
    assert (*outputs, process.returncode) == ("", "", 130)
    tasks.wait_for(lambda: is_free(tmp_path / "lock-0"))


def is_free(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_the_tasks_of_a_node_that_dies_are_tried_again(cluster, expected, tmp_path):
    work, markers = tmp_path / "work", tmp_path / "markers"
    markers.mkdir()
    victim = cluster.raylets[-1]
    with start("held", "ray", cluster.address, work, victim, markers, *SOURCES) as process:
        tasks.wait_for(lambda: any(markers.iterdir()))
        os.kill(victim, signal.SIGKILL)
        (worker,) = markers.iterdir()
        os.kill(int(worker.name), signal.SIGKILL)
        output, _ = process.communicate(timeout=2 * tasks.DEADLINE)
    assert (output, process.returncode) == ("", 0)
    assert read_rows(work) == expected
    assert len(list(work.glob("round-1/rows/.*.part"))) == 1, "unfinished folders have another name"
    with RunFolder(work).lock():
        assert not list(work.rglob(".*"))


def test_of_two_workers_on_one_task_the_first_counts(tmp_path):
    target = tmp_path / "rows" / "000001"
    with create_folder(target) as slow, create_folder(target) as fast:
        (slow / "summary.json").write_text("slow")
        (fast / "summary.json").write_text("fast")
    assert (target / "summary.json").read_text() == "fast"
    assert [path.name for path in target.parent.iterdir()] == ["000001"]


def test_a_failed_folder_is_removed(tmp_path):
    target = tmp_path / "000001"
    with pytest.raises(SinkError, match="No such file"), create_folder(target) as unfinished:
        (unfinished / "rows.jsonl").write_text((unfinished / "no such file").read_text())
    assert not list(tmp_path.iterdir())
