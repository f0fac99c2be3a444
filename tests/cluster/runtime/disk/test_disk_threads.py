"""Does what blocks run beside the loop, and is somebody told when it has ended?"""

import asyncio
import threading
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cluster.runtime.disk.disk_threads import DiskThreads
from cluster.runtime.disk.files import Disk
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.logs import append, opened
from tests.support.waiting import OUTER_LIMIT_S, turns, until


def test_the_loop_goes_on_while_work_waits_for_the_disk():
    """The work ends only after the loop has turned again."""
    turned = threading.Event()
    seen: list[str] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        disk = DiskThreads(loop, Disk(), 1)
        over = loop.create_future()

        def work() -> None:
            assert turned.wait(OUTER_LIMIT_S)
            seen.append(threading.current_thread().name)

        def done() -> None:
            seen.append(threading.current_thread().name)
            over.set_result(None)

        disk.do(work, done)
        loop.call_soon(turned.set)
        await over
        disk.close()

    asyncio.run(use())

    assert ["disk_0", threading.current_thread().name] == seen


def test_a_mistake_in_the_work_keeps_nobody_waiting_and_is_said():
    said: list[dict[str, Any]] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: said.append(context))
        disk = DiskThreads(loop, Disk(), 1)
        over = loop.create_future()

        def mistake() -> None:
            raise AssertionError("a mistake")

        disk.do(mistake, lambda: over.set_result(None))
        await over
        disk.close()

    asyncio.run(use())

    with pytest.raises(AssertionError, match="a mistake"):
        raise said[0]["exception"]


def test_a_flush_that_waits_for_another_at_the_end_is_left_to_the_closing_of_its_log(
    tmp_path: Path,
):
    said: list[dict[str, Any]] = []
    directory = tmp_path / "orders-0"
    directory.mkdir()
    gate = threading.Event()

    def block() -> None:
        assert gate.wait(OUTER_LIMIT_S)

    async def use() -> PartitionLog:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: said.append(context))
        disk = DiskThreads(loop, Disk(), 1)
        log, _ = opened(Disk(), str(directory))
        disk.do(block, lambda: None)
        for _ in range(2):
            append(log)
            disk.flush(log, lambda error: None)
        closing = loop.create_task(asyncio.to_thread(disk.close))
        loop.call_soon(gate.set)
        await closing
        await asyncio.to_thread(log.close, START_MS)
        return log

    log = asyncio.run(use())

    assert (2, []) == (log.recovery_point, said)


def test_whoever_asks_for_a_flush_whenever_is_told_when_what_he_has_seen_is_durable(
    tmp_path: Path,
):
    """Each asks behind an append of his own: before, amid and after the flushes of others."""
    directory = tmp_path / "orders-0"
    directory.mkdir()
    random = Random(1)
    asked: list[int] = []
    told: list[int] = []

    async def use() -> None:
        disk = DiskThreads(asyncio.get_running_loop(), Disk(), 4)
        log, _ = opened(Disk(), str(directory))

        def done(end_offset: int, error: KafkaStorageError | None) -> None:
            assert error is None
            assert log.recovery_point >= end_offset
            told.append(end_offset)

        for _ in range(100):
            append(log)
            asked.append(log.log_end_offset)
            disk.flush(log, partial(done, log.log_end_offset))
            await turns(random.choice((0, 1, 3, 30)))
            await until(
                lambda: len(told) == len(asked) or random.random() >= 0.2,
                what="an answer, or a chance not to wait for it",
            )
        await until(lambda: len(told) == len(asked), what="the last flush")
        assert not disk.is_flushing(log)
        disk.close()
        log.close(START_MS)

    asyncio.run(use())

    assert asked == told
