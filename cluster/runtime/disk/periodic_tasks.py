"""Periodic tasks on an event loop, each in steps between which the loop serves requests."""

from asyncio import AbstractEventLoop, Handle, TimerHandle
from collections.abc import Callable, Iterator
from typing import TypeAlias

Task: TypeAlias = Callable[[], Iterator[None] | None]
"""Does all at once, or returns an iterator that does a step before each item."""


class PeriodicTasks:
    """The timers of tasks; each task has a name of its own."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._timers: dict[str, TimerHandle] = {}
        self._steps: dict[str, Handle] = {}
        """The next step of each task that is under way."""

    def every(self, interval_ms: int, name: str, task: Task) -> None:
        """Begin *task* every *interval_ms*, for the first time after one; leave out a turn at
        which it is still under way."""

        def turn() -> None:
            # The next turn is scheduled before this one's work, which may fail.
            self._timers[name] = self._loop.call_later(interval_ms / 1000, turn)
            if name in self._steps:
                return
            steps = task()
            if steps is not None:
                self._go_on(name, steps)

        self._timers[name] = self._loop.call_later(interval_ms / 1000, turn)

    def _go_on(self, name: str, steps: Iterator[None]) -> None:
        # A task that fails is over, too.
        self._steps.pop(name, None)
        if next(steps, self) is not self:
            self._steps[name] = self._loop.call_soon(self._go_on, name, steps)

    def stop(self) -> None:
        for handle in (*self._timers.values(), *self._steps.values()):
            handle.cancel()
        self._timers.clear()
        self._steps.clear()
