"""How does Spark do a merge's work?

Brings up a driver in the background and lets its tasks do errands, in order and not too far ahead.
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
from kadmin.jobs.merge.handout import Handout, do_errands
from kadmin.jobs.merge.spark_errors import py4j_errors

HANDS_MAX: Final = 32
"""More workers give more than one process can take."""

JOIN_TIMEOUT_S: Final = 10.0

LOCAL_HINT: Final = "if this machine's memory was short, let fewer work: --master 'local[1]'"
CLUSTER_HINT: Final = "if it is memory, give a worker more: --conf spark.executor.memory=2g"


class SparkEngine:
    """Spark's tasks as an engine; the driver, which this ends, comes up in the background.

    No more than *hands_max* tasks are at work at a time.
    """

    def __init__(self, driver: Driver, hands_max: int = HANDS_MAX) -> None:
        self.driver = driver
        self.hands = min(hands_max, HANDS_MAX)
        self.handout: Handout | None = None
        self.job: threading.Thread | None = None
        self.started: Future[None] = Future()
        self.starter = threading.Thread(target=self.start, name="start-spark", daemon=True)
        self.starter.start()

    def start(self) -> None:
        """Bring up the driver; the outcome is in `started`."""
        try:
            self.driver.bring_up()
            self.hands = min(int(self.driver.context.defaultParallelism), self.hands)
            if self.driver.is_local:
                self.handout = Handout()
                self.job = threading.Thread(
                    target=self.run_tasks, args=(self.handout,), name="spark-job", daemon=True
                )
                self.job.start()
            self.started.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for.
            self.started.set_exception(error)

    @property
    def ahead(self) -> int:
        """One more than there are hands, so that none waits for us to hand out the next slice."""
        self.started.result()
        return self.hands + 1

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
        return self.handout is None or self.handout.is_ready()

    def run(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """Run *work* on each of *arguments* in a task; one run is over before the next begins."""
        self.started.result()
        if self.handout is not None:
            return self.handout.run(work, arguments, self.ahead)
        return self.run_jobs(work, arguments)

    def run_tasks(self, handout: Handout) -> None:
        """On this machine: the one job, whose tasks this process hands all work out to.

        Its workers start and import what slices need while the survey goes on.
        """
        work = partial(do_all, address=handout.address, key=handout.key)
        try:
            with py4j_errors(self.driver.log, hint=LOCAL_HINT):
                self.driver.context.parallelize(range(self.hands), self.hands).foreach(work)
        except BaseException as error:  # noqa: BLE001 - it is raised where results are taken.
            handout.fail(error)

    def run_jobs(self, work: Work, arguments: Sequence[Any]) -> Iterator[Any]:
        """On a cluster, whose workers may not reach this process: a job for each errand.

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
        with py4j_errors(self.driver.log, hint=CLUSTER_HINT):
            errand = self.driver.context.parallelize([pack(work, argument)], 1)
            (outcome,) = errand.map(perform).collect()
        return unpack(outcome)

    def close(self, *, is_abandoned: bool) -> None:
        """End the driver; waits for nothing that is still at work."""
        if is_abandoned or not self.started.done():
            self.driver.kill()
        self.starter.join(JOIN_TIMEOUT_S)
        if self.handout is not None:
            self.handout.close()
        if self.job is not None and self.driver.process is None and not is_abandoned:
            # Whoever owns the JVM reads its log: the job shall end before the context does.
            self.job.join(JOIN_TIMEOUT_S)
        self.driver.end(is_abandoned=is_abandoned)
        if self.job is not None:
            self.job.join(JOIN_TIMEOUT_S)


def do_all(_: int, *, address: tuple[str, int], key: bytes) -> None:
    """In a task of this machine: import what slices need, then do errands."""
    import kadmin.jobs.merge.worker  # noqa: F401 - the errands need it.

    do_errands(address, key)
