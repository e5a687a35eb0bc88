"""Runs from pages to rows: the same result whoever does the work, and whatever is killed on the way."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runners import tasks
from tests.runners.drive import rows
from unweave.errors import SinkError
from unweave.files import create_folder
from unweave.pipeline.run_folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [ROOT / "examples" / "shop", ROOT / "examples" / "news"]
PARTS = 9


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What one process gives that does everything."""
    folder = tmp_path_factory.mktemp("serial")
    driven("run", "serial", "", folder, 0, *SOURCES)
    return rows(folder)


@pytest.fixture(params=["serial", "processes", "ray"])
def name_and_address(request):
    return request.param, request.getfixturevalue(
        "cluster"
    ).address if request.param == "ray" else ""


def started(*words):
    command = [sys.executable, "-m", "tests.runners.drive", *map(str, words)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def driven(*words):
    """A run says nothing that it was not asked for."""
    with started(*words) as process:
        said = process.communicate(timeout=2 * tasks.DEADLINE)
    assert (*said, process.returncode) == ("", "", 0)


def done(folder):
    """The parts that were read, and when."""
    return {
        path.parent.name: path.stat().st_mtime_ns
        for path in folder.glob("round-1/rows/[!.]*/summary.json")
    }


def test_the_pages_are_of_several_templates(expected):
    assert len(expected["pages.jsonl"]) == 18
    assert len(expected) > 5


def test_the_result_is_the_same_whoever_works_and_goes_on_after_a_kill(
    name_and_address, expected, tmp_path
):
    with started("run", *name_and_address, tmp_path, 2, *SOURCES) as process:
        process.communicate(timeout=2 * tasks.DEADLINE)
    assert process.returncode == -signal.SIGKILL
    before = done(tmp_path)
    assert len(before) >= 2
    driven("run", *name_and_address, tmp_path, 0, *SOURCES)
    assert rows(tmp_path) == expected
    after = done(tmp_path)
    assert len(after) == PARTS
    assert {part: after[part] for part in before} == before


def test_at_a_kill_workers_on_this_machine_end(tmp_path):
    with started("hold", "processes", "", tmp_path) as process:
        tasks.wait_for(lambda: any(tmp_path.glob("held-*")))
        process.kill()
    tasks.wait_for(lambda: is_free(tmp_path / "lock-0"))


@pytest.mark.parametrize("name", ["processes", "ray"])
def test_at_ctrl_c_all_end_without_a_word(name, request, tmp_path):
    address = request.getfixturevalue("cluster").address if name == "ray" else ""
    with started("hold", name, address, tmp_path) as process:
        tasks.wait_for(lambda: any(tmp_path.glob("held-*")))
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=tasks.DEADLINE)
    assert (*said, process.returncode) == ("", "", 130)
    tasks.wait_for(lambda: is_free(tmp_path / "lock-0"))


def is_free(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_node_that_dies_in_the_middle_costs_a_retry(cluster, expected, tmp_path):
    work, markers = tmp_path / "work", tmp_path / "markers"
    markers.mkdir()
    victim = cluster.raylets[-1]
    with started("held", "ray", cluster.address, work, victim, markers, *SOURCES) as process:
        tasks.wait_for(lambda: any(markers.iterdir()))
        os.kill(victim, signal.SIGKILL)
        (worker,) = markers.iterdir()
        os.kill(int(worker.name), signal.SIGKILL)
        said, _ = process.communicate(timeout=2 * tasks.DEADLINE)
    assert (said, process.returncode) == ("", 0)
    assert rows(work) == expected
    assert len(list(work.glob("round-1/rows/.*.part"))) == 1, "what was begun has another name"
    with RunFolder(work).lock():
        assert not list(work.rglob(".*"))


def test_of_two_that_do_the_same_the_first_counts(tmp_path):
    target = tmp_path / "rows" / "000001"
    with create_folder(target) as slow, create_folder(target) as fast:
        (slow / "summary.json").write_text("slow")
        (fast / "summary.json").write_text("fast")
    assert (target / "summary.json").read_text() == "fast"
    assert [path.name for path in target.parent.iterdir()] == ["000001"]


def test_what_fails_leaves_nothing(tmp_path):
    target = tmp_path / "000001"
    with pytest.raises(SinkError, match="No such file"), create_folder(target) as unfinished:
        (unfinished / "rows.jsonl").write_text((unfinished / "no such file").read_text())
    assert not list(tmp_path.iterdir())
