"""Free memory of malloc's: returned to the system after much of it was freed.

A controller that has moved thousands of partitions has freed most of what that took, and malloc
keeps it: whole free pages lie between used ones, a tenth of the process with 10,000 partitions.
Returning them takes some milliseconds, so it is done once after such work, not within it: Python's
garbage collector runs in full when many objects were created, and some seconds later the work is
over.

Where the C library has no `malloc_trim` (it is glibc's) nothing is done.
"""

import ctypes
import gc
from collections.abc import Callable
from typing import Any, Final, Protocol

REST_S: Final = 10.0
"""The delay after a full collection; further collections in it cause no other return."""
OLDEST: Final = 2


class Loop(Protocol):
    """The part of asyncio's loop that is used."""

    def call_later(self, delay: float, callback: Callable[[], Any]) -> Any: ...

    def call_soon_threadsafe(self, callback: Callable[[], Any]) -> Any: ...

    def is_closed(self) -> bool: ...


def give_back_after_work(loop: Loop) -> None:
    """From now on return free pages, *REST_S* after full garbage collections."""
    is_due = False

    def give_back_later() -> None:
        loop.call_later(REST_S, give_back_once)

    def give_back_once() -> None:
        nonlocal is_due
        is_due = False
        give_back()

    def collected(phase: str, info: dict[str, Any]) -> None:
        nonlocal is_due
        is_full = phase == "stop" and info["generation"] == OLDEST
        if is_full and not is_due and not loop.is_closed():
            is_due = True
            # Garbage is collected in any thread that creates one object too many.
            loop.call_soon_threadsafe(give_back_later)

    gc.callbacks.append(collected)


def give_back() -> None:
    """Return all free pages of malloc's to the system."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
