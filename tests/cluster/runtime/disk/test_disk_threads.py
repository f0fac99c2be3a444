"""Does what blocks run beside the loop, and is somebody told when it has ended?"""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from cluster.runtime.disk.disk_threads import DiskThreads
from cluster.runtime.disk.files import Disk
from cluster.storage.log import PartitionLog
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.logs import append, opened


def test_the_loop_goes_on_while_work_waits_for_the_disk():
    """The work ends only after the loop has turned again."""
    turned = threading.Event()
    seen: list[str] = []

    async def use() -> None:
        loop = asyncio.get_running_loop()
        disk = DiskThreads(loop, Disk(), 1)
        over = loop.create_future()

        def work() -> None:
            assert turned.wait(30)
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
        assert gate.wait(30)

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
