"""``site`` on a full disk: a short error, no partial output, and results to continue with."""

import resource
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest

import unweave
from tests.pipeline.conftest import write_warc
from tests.pipeline.test_page_types import make_product
from unweave.cli import main
from unweave.errors import SinkError
from unweave.files import create_folder, write_json
from unweave.pipeline import scan, write
from unweave.pipeline.options import SiteOptions
from unweave.pipeline.run import run_site
from unweave.pipeline.run_folder import RunFolder
from unweave.runners.runner import SerialRunner
from unweave.sources.sqlite_store import create_database

KEPT = "finished work is kept in {}: the same command continues with it, --fresh starts over"


def run_command(source, out, *words, **options):
    command = [sys.executable, "-m", "unweave", "site", str(source), "-o", str(out), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def check_failure(done, out):
    """Check the error and the files; tell whether results were kept."""
    work = out.with_name(f"{out.name}.work")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    lines = done.stderr.splitlines()
    assert lines
    assert lines[0].startswith(f"unweave: cannot write {out}"), done.stderr
    assert not out.exists()
    assert not list(out.parent.rglob("*.part"))
    if work.exists():
        assert lines[1:] == ["unweave: " + KEPT.format(work)]
    else:
        assert lines[1:] == []
    return work.exists()


@contextmanager
def mount_small_disk(folder, size):
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    try:
        mounted = (
            subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
        )
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("only root can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("runner", ["serial", "processes"])
def test_a_disk_too_small_for_any_result(shop, tmp_path, runner):
    with mount_small_disk(tmp_path / "disk", "60k") as disk:
        assert not check_failure(
            run_command(shop, disk / "out.duckdb", "--runner", runner), disk / "out.duckdb"
        )
        assert list(disk.iterdir()) == []


def test_a_disk_that_becomes_full(shop, tmp_path):
    """With more space, the same command continues."""
    kept = 0
    with mount_small_disk(tmp_path / "disk", "500k") as disk:
        out = disk / "out.duckdb"
        for size in ("700k", "1m", "1500k", "2m"):
            kept += check_failure(run_command(shop, out, "--runner", "serial"), out)
            subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        done = run_command(shop, out, "--runner", "serial")
        assert (done.returncode, done.stderr) == (0, "")
    assert kept


@pytest.mark.parametrize(("max_bytes", "is_kept"), [(20_000, False), (1_200_000, True)])
def test_a_limit_of_file_sizes(shop, tmp_path, max_bytes, is_kept):
    """It gives the same errors as a full disk, and needs no root."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes))

    out = tmp_path / "out.duckdb"
    done = run_command(shop, out, "--runner", "serial", preexec_fn=limit)
    assert check_failure(done, out) == is_kept


def test_a_temporary_database_that_cannot_grow(tmp_path, monkeypatch):
    pages = [
        (f"http://example.org/item/{n}", make_product(n, is_signed=False).encode())
        for n in range(300)
    ]
    archive = write_warc(tmp_path / "a.warc", pages)
    real = sqlite3.connect

    def connect(path, **more):
        connection = real(path, **more)
        if path == "":
            connection.execute("pragma max_page_count = 2")
        return connection

    monkeypatch.setattr(scan.sqlite3, "connect", connect)
    with pytest.raises(
        SinkError, match=r"^cannot write a temporary file: database or disk is full$"
    ):
        unweave.site(archive, tmp_path / "out.duckdb", runner="serial")


def test_an_error_while_tables_are_built_names_the_folder(shop, tmp_path, monkeypatch, capsys):
    import duckdb

    def full(*args):
        raise duckdb.OutOfMemoryException("failed to offload data block\nand more")

    monkeypatch.setattr(write._TableBuilder, "build_tables", full)
    out = tmp_path / "out.duckdb"
    with pytest.raises(SystemExit) as ended:
        main(["site", str(shop), "-o", str(out), "--runner", "serial"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"unweave: cannot write {out}.work: failed to offload data block\n"
        f"unweave: {KEPT.format(f'{out}.work')}\n"
    )


def test_half_written_files_are_removed(tmp_path):
    blocked = tmp_path / "folder"
    blocked.mkdir()
    with pytest.raises(SinkError, match=rf"^cannot write {blocked}: it is a folder$"):
        write_json(blocked, {})
    with (
        pytest.raises(SinkError, match=r"cannot write .*rows: No space left"),
        create_folder(tmp_path / "rows"),
    ):
        raise OSError(28, "No space left on device")
    with (
        pytest.raises(SinkError, match=r"cannot write .*a\.db: "),
        create_database(tmp_path / "a.db", "no sql") as _,
    ):
        pass
    assert list(tmp_path.iterdir()) == [blocked]


def test_an_error_of_a_source_is_not_taken_for_one_of_the_output(tmp_path):
    with pytest.raises(PermissionError), create_folder(tmp_path / "work" / "rows"):
        raise PermissionError(13, "Permission denied", "/elsewhere/pages.zip")


def test_a_named_folder_and_an_earlier_plan_stay(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<p>x</p>")

    class Failing(SerialRunner):
        def map(self, function, tasks):
            raise SinkError("cannot write x: No space left on device")

    for work in (None, str(tmp_path / "named")):
        with pytest.raises(SinkError):
            run_site(
                [str(tmp_path / "pages")],
                str(tmp_path / "out.duckdb"),
                SiteOptions(work=work),
                runner=Failing(),
            )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["named", "pages"]
    run_site([str(tmp_path / "pages")], str(tmp_path / "out.duckdb"), SiteOptions(until="plan"))
    with pytest.raises(SinkError):
        run_site([str(tmp_path / "pages")], str(tmp_path / "out.duckdb"), runner=Failing())
    assert RunFolder(tmp_path / "out.duckdb.work").plan.exists()
