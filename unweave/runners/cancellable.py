"""Call one function in a separate process, which can be ended at any time."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from unweave.errors import UnweaveError, WorkLimit
from unweave.runners.processes import prepare_worker

POLL_SECONDS = 0.1

T = TypeVar("T")


def call_in_process(
    function: Callable[..., T], *arguments: Any, check: Callable[[], None], max_seconds: float
) -> T:
    """Return the result of a function of a module, called in a new process.

    ``check`` is called several times a second and may raise to cancel the call. In any case the
    process has ended at the return. Raises WorkLimit after ``max_seconds``, and what the function
    raises if that is an UnweaveError.
    """
    # Not forked: a fork of a process with threads may deadlock.
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    # The process ends with this one, however that happens: it waits for the end of a pipe that
    # nobody else writes to.
    pipe, pipe_writer = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(sender, pipe, function, arguments), daemon=True)
    deadline = time.monotonic() + max_seconds
    process.start()
    sender.close()
    try:
        while not receiver.poll(POLL_SECONDS):
            check()
            if time.monotonic() > deadline:
                raise WorkLimit(f"not finished after {max_seconds:,.0f} seconds")
        error, result = receiver.recv()
    except EOFError:
        process.join()
        raise UnweaveError(
            f"the worker process died (exit status {process.exitcode}): too little memory?"
        ) from None
    finally:
        for end in (receiver, pipe, pipe_writer):
            end.close()
        process.kill()
        process.join()
        process.close()
    if error is not None:
        raise error
    value: T = result
    return value


def _work(
    sender: Connection, pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    prepare_worker(pipe)
    answer: tuple[UnweaveError | None, Any]
    try:
        answer = None, function(*arguments)
    except UnweaveError as error:
        answer = error, None
    except Exception as error:  # a defect
        answer = UnweaveError(f"something went wrong: {type(error).__name__}: {error}"), None
    sender.send(answer)
