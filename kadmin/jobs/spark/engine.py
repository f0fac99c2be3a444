"""Spark as an engine: jobs whose tasks do the pieces of work, in order.

Brings up a session in the background.  Knows nothing of what the work is.
"""

import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from kadmin.errors import UsageError
from kadmin.jobs.engine import Work, pack, result_of, run_packed
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.spark.probes import View, look
from kadmin.jobs.spark.session import Session

WORKERS_MAX: Final = 32
"""More workers give more than one process can take."""

JOIN_TIMEOUT_S: Final = 10.0

TASKS_PER_WORKER: Final = 2
ITEMS_PER_WORKER: Final = 4
"""In a job, at most.  A job costs Spark some 100 ms and a task 40 ms, however small: smaller jobs
would take time from the work, larger ones report progress late."""

JOBS_MIN: Final = 8
"""In a run that has so many pieces of work for each worker."""

JOB_BYTES: Final = 64 << 20
"""A job of several items takes no more there and back: all of it lies in the driver's JVM."""

LOCAL_HINT: Final = "if this machine's memory was short, let fewer work: --master 'local[1]'"
CLUSTER_HINT: Final = "if it is memory, give a worker more: --conf spark.executor.memory=2g"


class SparkEngine:
    """Spark's tasks as an engine; the *session*, which this ends, comes up in the background.

    No more than *workers_max* tasks are at work at a time, as far as this engine knows.
    """

    def __init__(self, session: Session, *, workers_max: int = WORKERS_MAX) -> None:
        self.session = session
        self.workers_max = min(workers_max, WORKERS_MAX)
        self.started: Future[int] = Future()
        self.starter = threading.Thread(target=self.start, name="start-spark", daemon=True)
        self.starter.start()

    def start(self) -> None:
        """Bring up the session; the number of workers, or what failed, is in `started`."""
        try:
            self.session.bring_up()
            cores = int(self.session.context.defaultParallelism)
            self.started.set_result(min(cores, self.workers_max))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for.
            self.started.set_exception(error)

    @property
    def workers(self) -> int:
        return self.started.result()

    @property
    def in_flight_max(self) -> int:
        """A job that is waited for, less than a piece for each worker behind it, and a job more."""
        return self.workers * (2 * ITEMS_PER_WORKER + 1)

    @property
    def shares_files(self) -> bool:
        """Whether the tasks run on this very machine, which only a local master makes sure of."""
        self.started.result()
        return self.session.is_local

    def is_ready(self) -> bool:
        """Return whether the session is up; raises what the start raised."""
        return self.started.done() and self.started.result() > 0

    def check_paths(self, paths: Sequence[str]) -> None:
        """See that workers of other machines see *paths*; raises UsageError where they do not."""
        if self.shares_files:
            return
        cores = int(self.session.context.defaultParallelism)
        for view in self.run(look, [tuple(paths)] * cores):
            assert isinstance(view, View), "look gives no others"
            if view.missing is not None:
                raise UsageError(
                    f"the Spark worker {view.host} does not see {view.missing}",
                    hint="put it where all workers see it by the same path, or give a URI; "
                    "TMPDIR says where archives are unpacked",
                )

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        """Run *work* on each of *arguments* in a task; one run is over before the next begins."""
        items_max = job_size(len(arguments), self.workers)
        jobs = in_jobs((pack(work, each) for each in arguments), items_max, result_bytes)
        ended = threading.Event()
        with ThreadPoolExecutor(self.in_flight_max, "spark-job") as pool:

            def start(job: list[bytes]) -> Future[list[Any]]:
                return pool.submit(self.run_job, job, ended)

            try:
                for outcomes in outcomes_of(jobs, start, self.workers):
                    yield from map(result_of, outcomes)
            except BaseException:
                ended.set()
                pool.shutdown(wait=False, cancel_futures=True)
                with suppress(Exception):
                    self.session.context.cancelAllJobs()
                raise

    def run_job(self, items: Sequence[bytes], ended: threading.Event) -> list[Any]:
        """Return the outcomes of packed *items*, in order; none once all jobs have *ended*.

        Spark itself carries them, and repeats what fails with a worker.
        """
        tasks = min(len(items), TASKS_PER_WORKER * self.workers)
        hint = LOCAL_HINT if self.session.is_local else CLUSTER_HINT
        with py4j_errors(self.session.log, hint=hint):
            shares = self.session.context.parallelize(items, tasks)
            if ended.is_set():
                return []
            outcomes = shares.map(run_packed).collect()
        return [pickle.loads(outcome) for outcome in outcomes]

    def close(self, *, is_abandoned: bool) -> None:
        """End the session; waits for nothing that is still at work."""
        if is_abandoned or not self.started.done():
            self.session.kill()
        self.starter.join(JOIN_TIMEOUT_S)
        self.session.end(is_abandoned=is_abandoned)


def outcomes_of(
    jobs: Iterable[list[bytes]], start: Callable[[list[bytes]], Future[list[Any]]], workers: int
) -> Iterator[list[Any]]:
    """Return what became of each of *jobs*, in order.

    So many are started that behind the one that is waited for there is an item for each of the
    *workers*, and no more, so that few outcomes wait here to be taken.
    """
    pending: deque[tuple[int, Future[list[Any]]]] = deque()
    for job in jobs:
        pending.append((len(job), start(job)))
        while sum(count for count, _ in pending) - pending[0][0] >= workers:
            yield pending.popleft()[1].result()
    while pending:
        yield pending.popleft()[1].result()


def job_size(count: int, workers: int) -> int:
    """Return how many of *count* items a job has at most."""
    return min(max(count // JOBS_MIN, workers), ITEMS_PER_WORKER * workers)


def in_jobs(items: Iterable[bytes], items_max: int, result_bytes: int) -> Iterator[list[bytes]]:
    """Return all *items*, whose results take up to *result_bytes* each, in jobs of so many at
    most."""
    job: list[bytes] = []
    carried = 0
    for item in items:
        carries = len(item) + result_bytes
        if job and (len(job) == items_max or carried + carries > JOB_BYTES):
            yield job
            job, carried = [], 0
        job.append(item)
        carried += carries
    if job:
        yield job
