"""A signal to end: how does it wait for work that must not be left half done?

Until a process that was just started is known to its starter, or until what is temporary is
removed.  Knows no process and no file.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], Any]

ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a terminal that is closed, a supervisor or an operator ends a process by."""


@contextmanager
def deferring_interrupts() -> Iterator[None]:
    """Take signals to end into account only behind the block, which must be short.

    An interrupt between the start of a process and the assignment of its handle would leave it
    without an owner, and one in the midst of a clean-up the rest of what it cleans.  Only the main
    thread is ever interrupted; in others nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        noted.append(number)

    before = take_over(note)
    try:
        yield
    finally:
        restore(before)
    if noted:
        signal.raise_signal(noted[0])


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let signals to end raise KeyboardInterrupt in the block, one while none is under way.

    Blocks inside clean up, undisturbed by whoever is impatient.  Libraries lose the exception now
    and then, where it meets them as they look whether something can be imported: the next signal
    raises it again.  Behind the block the first signal does what it would have done at once: after
    Ctrl-C KeyboardInterrupt goes on, SIGTERM and SIGHUP end the process.  Signals that the process
    ignores, as under nohup, stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    first: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        first.append(number)
        if not is_interrupted():
            raise KeyboardInterrupt

    before = take_over(end)
    try:
        yield
    finally:
        restore(before)
        if first:
            signal.raise_signal(first[0])


def is_interrupted() -> bool:
    """Whether a KeyboardInterrupt is on its way, or another exception that one gave rise to."""
    error = sys.exception()
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def take_over(handler: Handler) -> dict[signal.Signals, Handler | int | None]:
    """Let *handler* take all signals to end that are handled; returns what took them before."""
    return {number: signal.signal(number, handler) for number in ENDS if is_handled(number)}


def restore(before: Mapping[signal.Signals, Handler | int | None]) -> None:
    """Let signals be taken again by what took them *before*."""
    for number, handler in before.items():
        signal.signal(number, handler)


def is_handled(number: int) -> bool:
    """Whether the process does not ignore a signal, and Python knows what it does instead."""
    return signal.getsignal(number) not in (signal.SIG_IGN, None)
