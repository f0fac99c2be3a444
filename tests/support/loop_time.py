"""Loops of asyncio whose time passes when a test says so, however long the machine takes."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.support.waiting import turns

T = TypeVar("T")


class ManualTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose time stands still at *now_s* until `pass_time`."""

    now_s = 0.0

    def time(self) -> float:
        return self.now_s


def run_in_manual_time(work: Coroutine[Any, Any, T]) -> T:
    """Do what `asyncio.run` does, in a `ManualTimeLoop`."""
    with asyncio.Runner(loop_factory=ManualTimeLoop) as runner:
        return runner.run(work)


async def pass_time(seconds: float) -> None:
    """Let it be *seconds* later in the running loop, and let that call what is due by then."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ManualTimeLoop)
    loop.now_s += seconds
    # What is due is called behind what was ready before, and may wake others.
    await turns(3)
