"""A periodic task begins at its turns, but never beside itself."""

import asyncio
from collections.abc import Iterator
from typing import Any

from cluster.runtime.disk.periodic_tasks import PeriodicTasks
from tests.support.waiting import turns

TURNS = 20


def test_a_task_that_is_under_way_at_its_next_turn_is_not_begun_again():
    """With an interval of 0 there is a turn between any two of its steps."""
    running: list[int] = []
    runs: list[int] = []

    async def use() -> None:
        over = asyncio.get_running_loop().create_future()

        def task() -> Iterator[None]:
            running.append(1)
            runs.append(len(running))
            for _ in range(TURNS):
                yield
            running.pop()
            if len(runs) >= 3 and not over.done():
                over.set_result(None)

        tasks = PeriodicTasks(asyncio.get_running_loop())
        tasks.every(0, "look", task)
        await over
        tasks.stop()

    asyncio.run(use())

    assert set(runs) == {1}


def test_a_task_that_has_failed_amid_its_steps_begins_again():
    failures: list[dict[str, Any]] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failures.append(context))
        over = loop.create_future()

        def task() -> Iterator[None]:
            yield
            if failures:
                if not over.done():
                    over.set_result(None)
                return
            raise AssertionError("a mistake")

        tasks = PeriodicTasks(loop)
        tasks.every(0, "look", task)
        await over
        tasks.stop()

    asyncio.run(use())

    assert ["a mistake"] == [str(each["exception"]) for each in failures]


def test_nothing_begins_and_nothing_goes_on_after_the_stop():
    steps: list[str] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        tasks = PeriodicTasks(loop)

        def task() -> Iterator[None]:
            steps.append("first")
            tasks.every(0, "other", lambda: steps.append("other"))
            loop.call_soon(tasks.stop)
            yield
            steps.append("second")

        tasks.every(0, "look", task)
        await turns(TURNS)

    asyncio.run(use())

    assert steps == ["first"]
