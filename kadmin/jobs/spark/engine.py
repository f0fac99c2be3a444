"""Spark as an engine: its tasks do work items, in order and not too far ahead.

Brings up a driver in the background.  Knows nothing of what the work is.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final

from kadmin.jobs.engine import Work
from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.work_item import pack_work_item, result_of, run_work_item
from kadmin.jobs.work_queue import WorkQueue, run_work_items

WORKERS_MAX: Final = 32
"""More workers give more than one process can take."""

JOIN_TIMEOUT_S: Final = 10.0

JOB_BYTES: Final = 64 << 20
"""A job of several work items takes no more there and back: all of it lies in the driver's JVM, and
what one task gets is one message."""

TASKS_PER_WORKER: Final = 2
WORK_ITEMS_MIN: Final = 8
WORK_ITEMS_MAX: Final = 32
"""For a worker, in a job that takes half of what is left.  A job costs Spark some 60 ms and a task
40 ms, however small: more of them would take time from the work, fewer tell of progress late and
leave workers idle at the end."""

HELD_MAX: Final = 1
"""No job is started while outcomes of more jobs than that wait here to be taken."""

LOCAL_HINT: Final = "if this machine's memory was short, let fewer work: --master 'local[1]'"
CLUSTER_HINT: Final = "if it is memory, give a worker more: --conf spark.executor.memory=2g"


class SparkEngine:
    """Spark's tasks as an engine; the driver, which this ends, comes up in the background.

    Tasks on this machine import the module *imports* while they wait for their first work item.
    No more than *workers_max* tasks are at work at a time.
    """

    def __init__(
        self, driver: Driver, *, imports: str | None = None, workers_max: int = WORKERS_MAX
    ) -> None:
        self.driver = driver
        self.imports = imports
        self.workers = min(workers_max, WORKERS_MAX)
        self.work_queue: WorkQueue | None = None
        self.job: threading.Thread | None = None
        self.started: Future[None] = Future()
        self.starter = threading.Thread(target=self.start, name="start-spark", daemon=True)
        self.starter.start()

    def start(self) -> None:
        """Bring up the driver; the outcome is in `started`."""
        try:
            self.driver.bring_up()
            self.driver.await_executors()
            self.driver.await_pythons()
            self.workers = min(int(self.driver.context.defaultParallelism), self.workers)
            if self.driver.is_local:
                self.work_queue = WorkQueue()
                self.job = threading.Thread(
                    target=self.run_tasks, args=(self.work_queue,), name="spark-job", daemon=True
                )
                self.job.start()
            self.started.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for.
            self.started.set_exception(error)

    @property
    def in_flight_max(self) -> int:
        """One more than there are workers, so that none waits for us to send the next work item."""
        self.started.result()
        return self.workers + 1

    @property
    def shares_files(self) -> bool:
        """Whether the tasks run on this very machine, which only a local master makes sure of."""
        self.started.result()
        return self.driver.is_local

    def is_ready(self) -> bool:
        """Whether a worker is there, or on a cluster the driver; raises what the start raised."""
        if not self.started.done():
            return False
        self.started.result()
        return self.work_queue is None or self.work_queue.is_ready()

    def check_paths(self, paths: Sequence[str]) -> None:
        """See that workers of other machines see *paths*; raises UsageError where they do not."""
        self.driver.look_for(paths)
        self.started.result()
        self.driver.check_paths(paths)

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        """Run *work* on each of *arguments* in a task; one run is over before the next begins."""
        self.started.result()
        if self.work_queue is not None:
            return self.work_queue.run(work, arguments, self.in_flight_max)
        work_items = (pack_work_item(work, argument) for argument in arguments)
        return self.run_jobs(in_jobs(work_items, len(arguments), result_bytes, self.workers))

    def run_tasks(self, work_queue: WorkQueue) -> None:
        """On this machine: the one job, whose tasks take all work items from this process.

        Its workers start and import while this process goes on.
        """
        work = partial(
            run_task, address=work_queue.address, key=work_queue.key, imports=self.imports
        )
        try:
            with py4j_errors(self.driver.log, hint=LOCAL_HINT):
                self.driver.context.parallelize(range(self.workers), self.workers).foreach(work)
        except BaseException as error:  # noqa: BLE001 - it is raised where results are taken.
            work_queue.fail(error)

    def run_jobs(self, jobs: Iterator[list[bytes]]) -> Iterator[Any]:
        """On a cluster, whose workers may not reach this process: *jobs* of packed work items.

        Spark itself carries the results, and repeats what fails with a worker.
        """
        ended = threading.Event()
        with ThreadPoolExecutor(self.in_flight_max, "spark-job") as pool:

            def start(job: list[bytes]) -> Future[list[bytes]]:
                return pool.submit(self.run_job, job, ended)

            try:
                for outcomes in outcomes_of(jobs, start, self.workers):
                    yield from map(result_of, outcomes)
            except BaseException:
                ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                with suppress(Exception):
                    self.driver.context.cancelAllJobs()
                raise

    def run_job(self, work_items: Sequence[bytes], ended: threading.Event) -> list[bytes]:
        """The outcomes of *work_items*, in order; none once they all have *ended*."""
        tasks = min(len(work_items), TASKS_PER_WORKER * self.workers)
        with py4j_errors(self.driver.log, hint=CLUSTER_HINT):
            shares = self.driver.context.parallelize(work_items, tasks)
            if ended.is_set():
                return []
            outcomes: list[bytes] = shares.map(run_work_item).collect()
        return outcomes

    def close(self, *, is_abandoned: bool) -> None:
        """End the driver; waits for nothing that is still at work."""
        if is_abandoned or not self.started.done():
            self.driver.kill()
        self.starter.join(JOIN_TIMEOUT_S)
        if self.work_queue is not None:
            self.work_queue.close()
        if self.job is not None and self.driver.process is None and not is_abandoned:
            # Whoever owns the JVM reads its log: the job shall end before the context does.
            self.job.join(JOIN_TIMEOUT_S)
        self.driver.end(is_abandoned=is_abandoned)
        if self.job is not None:
            self.job.join(JOIN_TIMEOUT_S)


def outcomes_of(
    jobs: Iterator[list[bytes]],
    start: Callable[[list[bytes]], Future[list[bytes]]],
    workers: int,
) -> Iterator[list[bytes]]:
    """What became of each of *jobs*, in order.  So many are started that, when one is done, those
    behind it have a work item for each of the *workers*.

    Of two that are started at once, Spark may do the later one first: then the next one is started
    as soon as that is done, or workers would have nothing to do.
    """
    pending: deque[tuple[int, Future[list[bytes]]]] = deque()
    following = next(jobs, None)
    while following is not None or pending:
        at_work = [(count, job) for count, job in pending if not job.done()]
        held = len(pending) - len(at_work)
        behind = sum(count for count, _ in at_work[1:])
        if following is not None and behind < workers and held <= HELD_MAX:
            pending.append((len(following), start(following)))
            following = next(jobs, None)
        elif pending[0][1].done():
            yield pending.popleft()[1].result()
        else:
            wait([job for _, job in at_work], return_when=FIRST_COMPLETED)


def in_jobs(
    work_items: Iterable[bytes], left: int, result_bytes: int, workers: int
) -> Iterator[list[bytes]]:
    """All *left* of *work_items*, whose results take up to *result_bytes* each, in jobs for so many
    *workers*."""
    job: list[bytes] = []
    carried = 0
    for work_item in work_items:
        carries = len(work_item) + result_bytes
        size = workers * min(max(left // (2 * workers), WORK_ITEMS_MIN), WORK_ITEMS_MAX)
        if job and (len(job) == size or carried + carries > JOB_BYTES):
            yield job
            left -= len(job)
            job, carried = [], 0
        job.append(work_item)
        carried += carries
    if job:
        yield job


def run_task(_: int, *, address: tuple[str, int], key: bytes, imports: str | None) -> None:
    """In a task of this machine: import what work items need, then do them."""
    if imports is not None:
        import_module(imports)
    run_work_items(address, key)
