"""This machine's clock, random numbers and log: small ports of `cluster.broker.ports`."""

import logging
import os
import random
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable
from time import clock_gettime_ns, time_ns
from typing import Final

from cluster.broker.handling import Cancel
from cluster.runtime.hourly_logs import write_state_change
from cluster.statechange.line import StateChangeLine

NS_PER_MS: Final = 1_000_000
STEADY_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""It runs on while the machine is suspended, as the timeouts of others do."""

logger: Final = logging.getLogger("cluster.api")


class LoopClock:
    """The machine's two clocks, and the loop's timers."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        return clock_gettime_ns(STEADY_CLOCK) // NS_PER_MS

    def wall_ms(self) -> int:
        return time_ns() // NS_PER_MS

    def call_later(self, delay_ms: int, function: Callable[[], None]) -> Cancel:
        return self._loop.call_later(delay_ms / 1000, function).cancel


class SystemRandomStream:
    """Unpredictable numbers; ids come from the kernel."""

    def below(self, bound: int) -> int:
        return random.randrange(bound)

    def unique_id(self) -> bytes:
        return os.urandom(16)


class LogJournal:
    """Writes lines to server.log and state-change.log."""

    def state_change(self, line: StateChangeLine) -> None:
        write_state_change(line)

    def info(self, message: str) -> None:
        logger.info("%s", message)

    def warning(self, message: str) -> None:
        logger.warning("%s", message)

    def error(self, message: str) -> None:
        logger.error("%s", message)
