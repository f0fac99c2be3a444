"""Waiting for what another process, thread or task does: look again until it is so.

All waits of all tests have one bound, which none is meant to reach: a machine that stands still
for minutes makes no test fail.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

OUTER_LIMIT_S: Final = 300
"""After this a wait has failed, whatever it waits for."""
PAUSE_S: Final = 0.02
TIMEOUTS_S: Final = (1, 5, 25, OUTER_LIMIT_S)
"""Time-outs of commands that wait until theirs is over, whatever the machine."""


def wait_until(condition: Callable[[], bool], *, what: str) -> None:
    """Ask *condition* again and again until it holds.

    Raises:
        AssertionError: it does not hold within the outer limit; the text names *what* did not come.
    """
    deadline_s = time.monotonic() + OUTER_LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s, never(what)
        time.sleep(PAUSE_S)


def patiently(ask: Callable[[int], T], is_meant: Callable[[T], bool]) -> T:
    """Call *ask* with a time-out in seconds, and with longer ones until its result *is_meant*.

    For what ends with its time-out only, and needs an answer of a server before.  Returns the last
    result, for a test to say what is wrong with it.
    """
    for timeout_s in TIMEOUTS_S:
        result = ask(timeout_s)
        if is_meant(result):
            break
    return result


async def until(condition: Callable[[], bool], *, what: str) -> None:
    """Let the loop run until *condition* holds, which is asked in between.

    Raises:
        AssertionError: as `wait_until`.
    """
    deadline_s = time.monotonic() + OUTER_LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s, never(what)
        # In a thread: the loop's own time may be one that only the test moves on.
        await asyncio.to_thread(time.sleep, PAUSE_S / 10)


async def turns(count: int) -> None:
    """Let the loop take *count* turns, in each of which it calls everything that is due."""
    for _ in range(count):
        await asyncio.sleep(0)


def never(what: str) -> str:
    return f"{what}: not within {OUTER_LIMIT_S} s"
