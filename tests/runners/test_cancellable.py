"""Calls in a separate process."""

import os
import signal

import pytest

from unweave.errors import UnweaveError, UsageError, WorkLimit
from unweave.runners.cancellable import call_in_process


def add(left, right):
    return left + right, os.getpid()


def refuse(reason):
    raise UsageError(reason)


def raise_key_error():
    raise KeyError("oh")


def do_nothing():
    pass


def test_the_result_of_a_function_in_another_process():
    total, process = call_in_process(add, 1, 2, check=do_nothing, max_seconds=60)
    assert total == 3
    assert process != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_errors_are_raised():
    with pytest.raises(UsageError, match=r"^wrong$"):
        call_in_process(refuse, "wrong", check=do_nothing, max_seconds=60)
    with pytest.raises(UnweaveError, match=r"^something went wrong: KeyError: 'oh'$"):
        call_in_process(raise_key_error, check=do_nothing, max_seconds=60)


def test_a_process_that_dies_is_an_error():
    with pytest.raises(UnweaveError, match=r"died \(exit status 3\)"):
        call_in_process(os._exit, 3, check=do_nothing, max_seconds=60)


def test_the_check_can_cancel_the_call():
    checks = []

    def stop():
        checks.append(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call_in_process(signal.pause, check=stop, max_seconds=60)
    assert len(checks) == 1


def test_the_time_is_limited():
    with pytest.raises(WorkLimit, match=r"^not finished after 0 seconds$"):
        call_in_process(signal.pause, check=do_nothing, max_seconds=0)
