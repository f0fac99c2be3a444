"""A signal to end: how does it wait for work that must not be left half done?

Until a process that was just started is known to its starter, or until what is temporary is
removed.  Knows no process and no file.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Final, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], Any]

ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a terminal that is closed, a supervisor or an operator ends a process by."""

REPEAT_S: Final = 0.05
"""After which time a signal is sent again, as long as the block that it ends goes on."""


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


HOLD_MAX_S: Final = 1.0


class Hold:
    """What holds an interrupt back while a few steps belong together, for `HOLD_MAX_S` at most."""

    def __init__(self) -> None:
        self.is_due = False
        self._since: float | None = None

    @property
    def is_held(self) -> bool:
        return self._since is not None and time.monotonic() - self._since < HOLD_MAX_S

    def begin(self) -> None:
        self._since = time.monotonic()

    def end(self) -> None:
        """Raise the KeyboardInterrupt that was held back, if there is one."""
        self._since = None
        if self.is_due:
            raise KeyboardInterrupt


@contextmanager
def ending_in_order() -> Iterator[Hold]:
    """Let signals to end raise KeyboardInterrupt in the block, one while none is under way.

    The block may hold it back.  Blocks inside clean up, undisturbed by further signals.  Python and
    libraries lose the exception now and then, where it is raised while they import: the signal is
    sent again until the block has ended, and Python prints no exception that it cannot raise.
    Behind the block the first signal does what it would have done at once: after Ctrl-C
    KeyboardInterrupt is raised again, SIGTERM and SIGHUP end the process.  Signals that the process
    ignores, as under nohup, stay ignored.
    """
    hold = Hold()
    if threading.current_thread() is not threading.main_thread():
        yield hold
        return
    first: list[int] = []
    # The only queue that a handler may put into at any moment.
    heard: SimpleQueue[int | None] = SimpleQueue()

    def end(number: int, _frame: FrameType | None) -> None:
        first.append(number)
        heard.put(number)
        hold.is_due = True
        if not is_interrupted() and not hold.is_held:
            raise KeyboardInterrupt

    print_unraisable = sys.unraisablehook

    def print_others(lost: "sys.UnraisableHookArgs") -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            print_unraisable(lost)

    repeater = threading.Thread(
        target=repeat_first,
        args=(heard, threading.get_ident()),
        name="kadmin-interrupts",
        daemon=True,
    )
    repeater.start()
    before = take_over(end)
    sys.unraisablehook = print_others
    try:
        yield hold
    finally:
        # Before the handlers go: a signal that is sent again would end the process at once.
        heard.put(None)
        repeater.join()
        restore(before)
        sys.unraisablehook = print_unraisable
        if first:
            signal.raise_signal(first[0])


@contextmanager
def ending_as_by_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt in the block, as Ctrl-C does, so that it
    cleans up; behind it the first of them ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    first: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        first.append(number)
        raise KeyboardInterrupt

    before = take_over(end, set(ENDS) - {signal.SIGINT})
    try:
        yield
    finally:
        restore(before)
        if first:
            signal.raise_signal(first[0])


def repeat_first(heard: "SimpleQueue[int | None]", thread: int) -> None:
    """Send the first signal in the queue to *thread* again and again, until None is put into it."""
    number = latest = heard.get()
    while number is not None and latest is not None:
        try:
            latest = heard.get(timeout=REPEAT_S)
        except Empty:
            signal.pthread_kill(thread, number)


def is_interrupted() -> bool:
    """Return whether a KeyboardInterrupt is being handled, or an exception that was raised while
    one was."""
    error = sys.exception()
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def take_over(
    handler: Handler, ends: Iterable[signal.Signals] = ENDS
) -> dict[signal.Signals, Handler | int | None]:
    """Let *handler* take those signals to end that are handled; returns what took them before."""
    return {number: signal.signal(number, handler) for number in ends if is_handled(number)}


def restore(before: Mapping[signal.Signals, Handler | int | None]) -> None:
    """Let signals be taken again by what took them *before*."""
    for number, handler in before.items():
        signal.signal(number, handler)


def is_handled(number: int) -> bool:
    """Return whether the process does not ignore a signal, and Python knows what it does
    instead."""
    return signal.getsignal(number) not in (signal.SIG_IGN, None)
