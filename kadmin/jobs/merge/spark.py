"""How does Spark do a merge's work?

Brings up a driver in the background and gives its tasks errands, in order and not too far ahead.
Knows nothing of logs.
"""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Final

from kadmin.jobs.merge.driver import Driver
from kadmin.jobs.merge.engines import Work
from kadmin.jobs.merge.errand import pack, perform, unpack
from kadmin.jobs.merge.handout import Handout, do_errand
from kadmin.jobs.merge.spark_errors import py4j_errors

CORES_MAX: Final = 32
"""More workers give more than one process can take."""

WARM_UP_BYTES: Final = 64 << 20
"""For smaller inputs the first tasks start the workers as soon."""

JOIN_TIMEOUT_S: Final = 10.0


class SparkEngine:
    """Spark's tasks as an engine; the driver, which this ends, comes up in the background.

    *input_bytes* is what will be read.
    """

    def __init__(self, driver: Driver, input_bytes: int) -> None:
        self.driver = driver
        self.input_bytes = input_bytes
        self.cores = 1
        self.started: Future[None] = Future()
        self.starter = threading.Thread(target=self.start, name="start-spark", daemon=True)
        self.starter.start()

    def start(self) -> None:
        """Bring up the driver; the outcome is in `started`."""
        try:
            self.driver.bring_up()
            self.cores = min(int(self.driver.context.defaultParallelism), CORES_MAX)
            if self.input_bytes >= WARM_UP_BYTES and self.driver.is_local:
                threading.Thread(target=self.warm_up, name="warm-up", daemon=True).start()
            self.started.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for.
            self.started.set_exception(error)

    @property
    def ahead(self) -> int:
        """One more than there are cores, so that none waits for us to hand out the next slice."""
        self.started.result()
        return self.cores + 1

    @property
    def shares_files(self) -> bool:
        """Whether the tasks run on this very machine, which only a local master makes sure of."""
        self.started.result()
        return self.driver.is_local

    def is_ready(self) -> bool:
        """Whether the driver is up; raises what its start raised."""
        if self.started.done():
            self.started.result()
        return self.started.done()

    def run(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """Run *work* on each of *arguments* in a task of its own."""
        runs = self.run_job if self.shares_files else self.run_jobs
        return runs(work, arguments)

    def run_job(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """On this machine: all tasks in one job, which this process hands the work out to."""
        handout = Handout(work, arguments, self.ahead)
        task = partial(do_errand, address=handout.address, key=handout.key)

        def run() -> None:
            try:
                with py4j_errors(self.driver.log):
                    numbers = range(len(arguments))
                    self.driver.context.parallelize(numbers, max(len(numbers), 1)).foreach(task)
            except BaseException as error:  # noqa: BLE001 - it is raised where results are taken.
                handout.fail(error)

        threading.Thread(target=run, name="spark-job", daemon=True).start()
        try:
            yield from handout.results()
        finally:
            handout.close()

    def run_jobs(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """On a cluster, whose workers may not reach this process: a job for each task.

        Spark itself carries the results, and repeats what fails with a worker.
        """
        pending: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(self.ahead, "spark-job") as pool:
            try:
                for argument in arguments:
                    if len(pending) == self.ahead:
                        yield pending.popleft().result()
                    pending.append(pool.submit(self.run_one, work, argument))
                while pending:
                    yield pending.popleft().result()
            except BaseException:
                for future in pending:
                    future.cancel()
                with suppress(Exception):
                    self.driver.context.cancelAllJobs()
                raise

    def run_one(self, work: Work, argument: Any) -> Any:
        with py4j_errors(self.driver.log):
            errand = self.driver.context.parallelize([pack(work, argument)], 1)
            (outcome,) = errand.map(perform).collect()
        return unpack(outcome)

    def warm_up(self) -> None:
        """Let every worker start and import what slices need, while the survey goes on."""
        # What goes wrong here goes wrong again where somebody waits for it; and where the survey
        # is over first, this waits behind the slices, until the JVM is gone.
        with suppress(Exception):
            numbers = range(self.cores)
            self.driver.context.parallelize(numbers, len(numbers)).foreach(import_worker)

    def close(self, *, is_abandoned: bool) -> None:
        """End the driver; waits for nothing that is still at work."""
        if is_abandoned:
            self.driver.kill()
        self.starter.join(JOIN_TIMEOUT_S)
        self.driver.end(is_abandoned=is_abandoned)


def import_worker(_: int) -> None:
    import kadmin.jobs.merge.worker  # noqa: F401 - it is kept for the task that follows.
