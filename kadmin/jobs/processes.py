"""Processes of this machine as an engine: one for each core, in a pool of `concurrent.futures`.

They end with this process, however that ends.  One that is killed ends the pool: another one takes
its place and does again what was not done; where that goes on, it is an error.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final

from kadmin.errors import KadminError
from kadmin.jobs.engine import Work, attempt, result_of

WORKERS_MAX: Final = 32
"""More workers give more than one process can take."""

REPLACEMENTS_MAX: Final = 2
"""So many pools are replaced before workers that end are an error."""


def core_count() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:  # macOS binds no process to cores.
        count = os.cpu_count() or 1
    return min(count, WORKERS_MAX)


class WorkerDied(KadminError):
    """Workers end before their work is done."""

    def __init__(self) -> None:
        super().__init__(
            "processes that this one started were killed again and again",
            hint="where memory was short (see dmesg), let one core do it: taskset -c 0 kadmin …",
        )


class ProcessEngine:
    """So many *workers* do what this process has for them."""

    shares_files = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.in_flight_max = workers + 1
        self.replacements_left = REPLACEMENTS_MAX
        self.others = multiprocessing.active_children()
        self.start_pool()

    def start_pool(self) -> None:
        """Start all workers: each is busy with its start, so that the next piece needs another."""
        self.pool = ProcessPoolExecutor(
            self.workers, multiprocessing.get_context("spawn"), initializer=start_worker
        )
        # Workers inherit what is blocked: Ctrl-C is for this process to handle.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.starting = [self.pool.submit(os.getpid) for _ in range(self.workers)]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def is_ready(self) -> bool:
        return any(each.done() for each in self.starting)

    def check_paths(self, paths: Sequence[str]) -> None:
        """Do nothing: processes see the same files as this one."""

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        """Run *work* on each of *arguments*; one run is over before the next begins.

        Raises:
            KadminError: the work raised one, or workers were killed again and again.
        """
        pending: deque[tuple[Any, Future[Any]]] = deque()
        try:
            for argument in arguments:
                pending.append((argument, self.submit(work, argument)))
                if len(pending) == self.in_flight_max:
                    yield result_of(self.next_outcome(work, pending))
            while pending:
                yield result_of(self.next_outcome(work, pending))
        finally:
            for _, future in pending:
                future.cancel()

    def submit(self, work: Work, argument: Any) -> Future[Any]:
        try:
            return self.pool.submit(attempt, work, argument)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def next_outcome(self, work: Work, pending: "deque[tuple[Any, Future[Any]]]") -> Any:
        """Take the first of *pending*; where its worker was killed, after doing it again."""
        while True:
            try:
                outcome = pending[0][1].result()
            except BrokenProcessPool as error:
                self.replace_pool(error)
                for number, (argument, future) in enumerate(pending):
                    if not future.done() or future.exception() is not None:
                        pending[number] = argument, self.submit(work, argument)
            else:
                pending.popleft()
                return outcome

    def replace_pool(self, error: BrokenProcessPool) -> None:
        """Start other workers, if any are left to be started.

        Raises:
            WorkerDied: there are none left.
        """
        if self.replacements_left == 0:
            raise WorkerDied from error
        self.replacements_left -= 1
        self.pool.shutdown()
        self.start_pool()

    def close(self, *, is_abandoned: bool) -> None:
        """End all workers; with work under way whose results are not wanted, or without."""
        if is_abandoned:
            for process in multiprocessing.active_children():
                if process not in self.others:
                    process.kill()
        self.pool.shutdown(cancel_futures=True)


def start_worker() -> None:
    """Make a worker, before its first work, end with the process that started it."""
    # What a terminal sends to all processes of its own is for the one that started this.
    os.setsid()
    # There is a worker for each core already.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker was started by another process"
    parent.join()
    os.kill(os.getpid(), signal.SIGKILL)
