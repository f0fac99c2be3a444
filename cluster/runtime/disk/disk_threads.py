"""Threads for blocking disk work, so that the loop goes on serving meanwhile.

They flush logs, delete files and do other blocking work.  Decides nothing about logs.
"""

import logging
import os
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter_ns
from typing import Final, TypeAlias

from cluster.broker.ports import DiskSpace
from cluster.runtime.environment import LoopClock
from cluster.storage.directories.log_manager import Deletion
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log.work import FlushWork

PARALLEL_SYNCS: Final = 16
"""How many threads wait for the disk at a time: file systems combine many syncs into one."""

Flushed: TypeAlias = Callable[[KafkaStorageError | None], None]

NOBODY_KNOWS: Final = DiskSpace(-1, -1)

logger: Final = logging.getLogger(__name__)


class DiskThreads:
    """Flushes and deletions of one broker; at most one flush of a log at a time."""

    def __init__(
        self,
        loop: AbstractEventLoop,
        files: Files,
        thread_count: int,
        note_flush: Callable[[int], None] | None = None,
    ) -> None:
        """Begin; *note_flush* receives of each flush how many nanoseconds it took."""
        self._note_flush = note_flush
        self._loop = loop
        self._files = files
        self._clock = LoopClock(loop)
        self._threads = ThreadPoolExecutor(thread_count, thread_name_prefix="disk")
        self._waiting: dict[PartitionLog, list[Flushed]] = {}
        self._running: set[str] = set()
        self._is_closed = False

    # Flushing.

    def flush(self, log: PartitionLog, done: Flushed) -> None:
        """Make durable what *log* holds now, then call *done*, with the error if it failed.

        Calls during a flush share the next one: what they want durable may have been appended after
        the first began.
        """
        waiting = self._waiting.get(log)
        if waiting is not None:
            waiting.append(done)
            return
        self._waiting[log] = []
        self._begin(log, [done])

    def is_flushing(self, log: PartitionLog) -> bool:
        return log in self._waiting

    def _begin(self, log: PartitionLog, served: list[Flushed]) -> None:
        try:
            work = log.begin_flush()
        except KafkaStorageError as error:
            # Callbacks are never called from within the call.
            self._loop.call_soon(self._finish, log, served, error)
            return
        began_ns = perf_counter_ns()
        running = self._loop.run_in_executor(self._threads, self._sync, log, work)

        def synced(done: "Future[None]") -> None:
            if self._note_flush is not None:
                self._note_flush(perf_counter_ns() - began_ns)
            self._synced(log, work, served, done)

        running.add_done_callback(synced)

    def _sync(self, log: PartitionLog, work: FlushWork) -> None:
        """Wait for the disk.  Runs on a thread."""
        with log.health.guard():
            work.run(self._files)

    def _synced(
        self, log: PartitionLog, work: FlushWork, served: list[Flushed], done: "Future[None]"
    ) -> None:
        error = failure_of(done)
        if error is None:
            log.finish_flush(work, self._clock.now_ms())
        self._finish(log, served, error)

    def _finish(
        self, log: PartitionLog, served: list[Flushed], error: KafkaStorageError | None
    ) -> None:
        following = self._waiting.pop(log)
        # On shutdown closing the log makes the rest durable; no callback is left to call.
        if following and not self._is_closed:
            self._waiting[log] = []
            self._begin(log, following)
        for done in served:
            done(error)

    # Other blocking work.

    def run(self, name: str, work: Callable[[], None]) -> None:
        """Run *work*, unless earlier work of this *name* is still running."""
        if name in self._running:
            return
        self._running.add(name)
        running = self._loop.run_in_executor(self._threads, work)
        running.add_done_callback(lambda done: self._ended(name, done))

    def _ended(self, name: str, done: "Future[None]") -> None:
        self._running.discard(name)
        failure_of(done)

    def delete(self, deletions: tuple[Deletion, ...]) -> None:
        """Remove files that are no longer needed; on failure the directory goes offline."""
        if deletions:
            self._loop.run_in_executor(self._threads, self._remove, deletions)

    def _remove(self, deletions: tuple[Deletion, ...]) -> None:
        """Runs on a thread."""
        for deletion in deletions:
            try:
                deletion.run(self._files)
            except KafkaStorageError as error:
                logger.error("%s", error)

    def do(self, work: Callable[[], None], done: Callable[[], None]) -> None:
        """Run *work*, which raises nothing, on a thread, and call *done* afterwards."""

        def ended(running: "Future[None]") -> None:
            try:
                # A bug of ours goes on to the loop, which logs it.
                running.result()
            finally:
                done()

        self._loop.run_in_executor(self._threads, work).add_done_callback(ended)

    # Queries.

    def space(self, directory: str) -> DiskSpace:
        try:
            found = os.statvfs(directory)
        except OSError:
            return NOBODY_KNOWS
        return DiskSpace(found.f_frsize * found.f_blocks, found.f_frsize * found.f_bavail)

    def close(self) -> None:
        """Wait for running work; queued work is not begun."""
        self._is_closed = True
        self._threads.shutdown()


def failure_of(done: "Future[None]") -> KafkaStorageError | None:
    """Why the disk failed; any other exception is a bug of ours, and raised."""
    error = done.exception()
    if error is None or isinstance(error, KafkaStorageError):
        return error
    raise error


def run_on_threads(works: Sequence[Callable[[], None]]) -> None:
    """Run all of *works*, many at a time, and return when the last is done.

    Raises an exception of one of them, after all have ended.
    """
    with ThreadPoolExecutor(PARALLEL_SYNCS, thread_name_prefix="sync") as threads:
        running = [threads.submit(work) for work in works]
    for done in running:
        done.result()
