"""Inputs and checks with planted faults, in a module so that they can be pickled."""

import threading

from fuzz.cases import Case
from unweave.errors import PageError

FAULT = b"<b>fault</b>"


class Pages:
    """A page for each number; every fifth has the fault."""

    def build_case(self, number):
        fault = FAULT if number % 5 == 3 else b""
        page = (
            b"<html><body>" + b"<p>text</p>" * 40 + fault + b"<p>more</p>" * 40 + b"</body></html>"
        )
        return Case("planted", (b"<p>another page</p>", page))


def _has_fault(case):
    return any(FAULT in part for part in case.parts)


def raise_error(case):
    if _has_fault(case):
        raise KeyError("planted")


def refuse(case):
    if _has_fault(case):
        raise PageError("the page is refused")


def use_processor(case):
    while _has_fault(case):
        pass


def use_memory(case):
    if _has_fault(case):
        bytearray(500 * 1024 * 1024)


def allocate_for_ever(case):
    held = []
    while _has_fault(case):
        held.append(bytearray(16 * 1024 * 1024))


def wait_for_ever(case):
    if _has_fault(case):
        threading.Event().wait()


def die(case):
    if _has_fault(case):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGSEGV)
