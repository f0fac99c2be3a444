"""How does a Ctrl-C wait until a process that was just started is known to its starter?

Knows no process.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferring_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt only behind the block, which must be short.

    An interrupt between the start of a process and the assignment of its handle would leave it
    without an owner.  Only the main thread is ever interrupted; in others nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        interrupts.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt
