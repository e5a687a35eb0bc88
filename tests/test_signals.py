"""Ctrl-C, SIGTERM and SIGHUP: commands end at once, leave nothing half written, and say what became of their output."""

import os
import signal
import sys

import pytest

import unweave
from tests.processes import DEADLINE, start_module, try_open_fifo, wait_until
from unweave.cli import main, signals
from unweave.cli.shared import Output, _identify_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PAGE = "examples/products.html"
WORDS = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated by SIGTERM",
    signal.SIGHUP: "terminated by SIGHUP",
}


@pytest.fixture(scope="module")
def wrapper(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrapper") / "products.json"
    path.write_text(unweave.learn([PAGE]).dumps())
    return path


@pytest.fixture
def fifo(tmp_path):
    """A page that is not there yet: whoever reads it waits."""
    path = tmp_path / "page.html"
    os.mkfifo(path)
    return path


def verbs(wrapper, fifo):
    return {
        "records": ["records", PAGE, fifo],
        "together": ["records", "--together", PAGE, fifo],
        "learn": ["learn", PAGE, fifo],
        "apply": ["apply", wrapper, PAGE, fifo],
        "export": ["export", wrapper, fifo],
        "explain": ["explain", fifo],
        "news": ["news", PAGE, fifo],
        "cluster": ["cluster", PAGE, fifo],
    }


ENDINGS = {"learn": "json", "export": "json", "explain": "html"}
COMMANDS = ("records", "together", "learn", "apply", "export", "explain", "news", "cluster")


def waiting(process, fifo):
    """Wait until the command waits for the page."""
    return wait_until(lambda: try_open_fifo(fifo), process)


def send(process, number, fifo, *, twice=False):
    """Send a signal to a command that waits for the page, which then is empty.

    A signal that comes just before a process begins to wait does not wake it, and is seen when the waiting ends.
    """
    page = waiting(process, fifo)
    process.send_signal(number)
    if twice:
        os.killpg(process.pid, number)
    os.close(page)


@pytest.mark.parametrize("verb", COMMANDS)
@pytest.mark.parametrize("number", WORDS)
def test_a_command_that_is_ended_leaves_nothing_under_the_name_of_its_output(
    verb, number, wrapper, fifo
):
    out = fifo.with_name(f"out.{ENDINGS.get(verb, 'csv')}")
    with start_module("unweave", *verbs(wrapper, fifo)[verb], "-o", out) as process:
        send(process, number, fifo)
        printed, said = process.communicate(timeout=DEADLINE)
    assert (printed, said) == ("", f"unweave: {WORDS[number]}: {out} was not written\n")
    assert process.returncode == 128 + number
    assert [path.name for path in out.parent.iterdir()] == [fifo.name]


def test_an_older_result_stays_as_it_was(fifo):
    out = fifo.with_name("out.csv")
    out.write_text("older")
    with start_module("unweave", "records", fifo, "-o", out) as process:
        send(process, signal.SIGTERM, fifo)
        _, said = process.communicate(timeout=DEADLINE)
    assert said == f"unweave: terminated by SIGTERM: {out} was not changed\n"
    assert out.read_text() == "older"


def test_what_was_printed_may_be_incomplete(fifo):
    with start_module("unweave", "records", PAGE, fifo) as process:
        send(process, signal.SIGINT, fifo)
        printed, said = process.communicate(timeout=DEADLINE)
    assert printed.startswith('{"page": "examples/products.html"')
    assert (said, process.returncode) == (
        "unweave: interrupted: the output may be incomplete\n",
        130,
    )


def test_a_signal_that_is_sent_twice_is_one(fifo):
    """As by ``timeout``, which sends it to the process and to its group."""
    out = fifo.with_name("out.csv")
    with start_module("unweave", "records", fifo, "-o", out) as process:
        send(process, signal.SIGTERM, fifo, twice=True)
        _, said = process.communicate(timeout=DEADLINE)
    assert (said, process.returncode) == (
        f"unweave: terminated by SIGTERM: {out} was not written\n",
        143,
    )
    assert not out.exists()


def test_a_command_below_nohup_does_not_end_with_the_terminal(fifo):
    out = fifo.with_name("out.csv")

    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with start_module("unweave", "records", fifo, "-o", out, preexec_fn=ignore) as process:
        page = waiting(process, fifo)
        process.send_signal(signal.SIGHUP)
        os.write(
            page, b"<ul>" + b"".join(b"<li><b>thing %d</b> <i>%d kg</i>" % (n, n) for n in range(9))
        )
        os.close(page)
        _, said = process.communicate(timeout=DEADLINE)
    assert (said, process.returncode) == ("", 0)
    assert len(out.read_text().splitlines()) == 10


def test_what_became_of_an_output(tmp_path):
    out = tmp_path / "out.csv"
    assert Output(str(out), None).describe() == f"{out} was not written"
    out.write_text("older")
    before = _identify_file(str(out))
    assert Output(str(out), before).describe() == f"{out} was not changed"
    (tmp_path / "new").write_text("newer")
    os.replace(tmp_path / "new", out)
    assert Output(str(out), before).describe() == f"{out} is complete"
    assert (
        Output("/dev/null", _identify_file("/dev/null")).describe() == "/dev/null may be incomplete"
    )
    assert "secret" not in Output("postgresql://me:secret@host/db", None).describe()


def test_programs_that_call_the_command_line_keep_their_signals():
    before = [signal.getsignal(number) for number in WORDS]
    with signals.raise_signals():
        assert [signal.getsignal(number) for number in WORDS] != before
    assert [signal.getsignal(number) for number in WORDS] == before


def test_an_error_that_a_signal_was_turned_into_is_an_interruption(monkeypatch, capsys, tmp_path):
    """DuckDB gives a RuntimeError when it is interrupted."""

    def interrupted(*args, **more):
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("unweave.api.site", interrupted)
    before = {number: signal.getsignal(number) for number in WORDS}
    for number in (
        WORDS
    ):  # as in a new process: libraries that other tests load may have handlers of their own
        signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as ended:
            main(["site", str(tmp_path), "-o", str(tmp_path / "out.duckdb")])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ended.value.code == 143
    assert (
        capsys.readouterr().err
        == f"unweave: terminated by SIGTERM: {tmp_path}/out.duckdb was not written\n"
    )
