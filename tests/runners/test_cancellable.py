"""One call in a process of its own."""

import os
import signal

import pytest

from unweave.errors import UnweaveError, UsageError, WorkLimit
from unweave.runners.cancellable import call_in_process


def add(left, right):
    return left + right, os.getpid()


def refuse(reason):
    raise UsageError(reason)


def break_down():
    raise KeyError("oh")


def go_on():
    pass


def test_it_gives_what_the_function_gives_from_another_process():
    total, process = call_in_process(add, 1, 2, check=go_on, max_seconds=60)
    assert total == 3
    assert process != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_errors_come_back_as_they_are():
    with pytest.raises(UsageError, match=r"^wrong$"):
        call_in_process(refuse, "wrong", check=go_on, max_seconds=60)
    with pytest.raises(UnweaveError, match=r"^something went wrong: KeyError: 'oh'$"):
        call_in_process(break_down, check=go_on, max_seconds=60)


def test_a_process_that_dies_is_told():
    with pytest.raises(UnweaveError, match=r"died \(exit status 3\)"):
        call_in_process(os._exit, 3, check=go_on, max_seconds=60)


def test_whoever_checks_may_end_it():
    checks = []

    def stop():
        checks.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call_in_process(signal.pause, check=stop, max_seconds=60)
    assert len(checks) == 1


def test_there_is_a_limit_of_time():
    with pytest.raises(WorkLimit, match=r"^not finished after 0 seconds$"):
        call_in_process(add, 1, 2, check=go_on, max_seconds=0)
