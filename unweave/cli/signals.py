"""Signals that end a command (Ctrl-C, SIGTERM, SIGHUP) as exceptions, so that files are closed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

INTERRUPT = int(signal.SIGINT)

STATUS = 128
"""A command that a signal ends has this plus the signal's number as its exit status."""

# One signal often comes twice: "timeout" and terminals send it to the process and to its group.
REPEAT_SECONDS = 1.0

_HANDLED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)

_received: list[tuple[int, float]] = []


class Interrupted(KeyboardInterrupt):
    """A signal asked the command to end."""


def get_signal_number() -> int:
    """Return the number of the first signal that came; 0 if there was none."""
    return _received[0][0] if _received else 0


def get_signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGTERM."""
    return signal.Signals(number).name


@contextmanager
def raise_signals() -> Iterator[None]:
    """Raise Interrupted in the main thread when a signal comes.

    Signals that are ignored, as under nohup, stay ignored.

    After one has come, all are ignored when the context ends, because the process is about to.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return
    _received.clear()
    before = {number: signal.getsignal(number) for number in _HANDLED}
    ours = [number for number, handler in before.items() if handler in _DEFAULTS]
    for number in ours:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_IGN if _received else before[number])


def end_at_once() -> None:
    """Let signals end the process from now on, for commands that have nothing to finish.

    A thread that waits for standard input would otherwise hold the process until input comes.
    """
    for number in _HANDLED:
        if signal.getsignal(number) is _raise:
            signal.signal(number, signal.SIG_DFL)


def _raise(number: int, frame: FrameType | None) -> None:
    is_repeated = bool(_received) and monotonic() - _received[-1][1] < REPEAT_SECONDS
    _received.append((number, monotonic()))
    if not is_repeated:
        raise Interrupted(get_signal_name(number))
