"""Replicas compared by Spark's tasks: who reads which piece, and who judges which partition?

The rows of pieces go from the tasks that read to the one that judges their partition, and come back
as verdicts: rows never pass the driver.  No query does this, which would take Spark some seconds
longer to get ready for, and each row from columns and back.  Where batch rows are written down, a
query reads them before, from the data source.
"""

import os
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from heapq import heapreplace
from pathlib import Path
from typing import Any, Final

from cluster.model.ids import TopicPartition
from kadmin.jobs.places import absolute
from kadmin.jobs.progress import Meter
from kadmin.jobs.spark.driver import Driver, executors, in_background
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.uris import is_uri
from kadmin.jobs.verify.drivers import APP_NAME, driver_of
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition
from kadmin.jobs.verify.pieces import Piece, Share, shares
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jobs.verify.tasks import Found, judged, rows_by_partition
from kadmin.jvm.interrupts import deferring_interrupts
from kadmin.segments.values import ROW

HINT: Final = (
    "if it is memory, give a worker more: --conf spark.executor.memory=2g; on this machine let "
    "fewer work: --master 'local[1]'"
)

JOB_GROUP: Final = "compare replicas"
TASKS_PER_CORE: Final = 8
TASK_BYTES_MIN: Final = 32 << 20
"""A task costs Spark as much as to read so many."""
TASK_BYTES_MAX: Final = 512 << 20
"""The rows of so many are in a task's memory: a few thousandths, or half where batches are tiny."""

MESSAGE_BYTES: Final = 32 << 20
"""A task's Python hands its JVM no more rows at once, nor do all that share a JVM twice as many."""

MESSAGE_ITEMS: Final = 1000
"""How many items PySpark gathers at most before it hands them on as one (`partitionBy`), where
Pythons may have as little memory as `driver.DEFAULTS` says."""

POLL_S: Final = 0.5
JOIN_TIMEOUT_S: Final = 10.0


def verify_on_spark(
    request: VerifyRequest,
    pieces: Sequence[Piece],
    meter: Meter,
    driver: Driver | None = None,
) -> list[VerifiedPartition]:
    """Verdicts on the partitions that have any of *pieces*, in any order; ends the *driver*.

    Raises:
        UsageError: workers do not see the files.
        UnreachableError: the master does not answer.
        SparkFailed: Spark cannot start, or its work failed.
    """
    is_whole = False
    with driver_of(request) if driver is None else nullcontext(driver) as used:
        # A signal that meets this thread shall not meet the way to the JVM.
        comparing = in_background(partial(compared, used, request, pieces, meter))
        try:
            verified: list[VerifiedPartition] = comparing.result()
            is_whole = True
        finally:
            with deferring_interrupts():
                if not is_whole and used.process is not None:
                    used.kill()
                    wait([comparing], JOIN_TIMEOUT_S)
                used.end(is_abandoned=not is_whole)
    return verified


def compared(
    driver: Driver, request: VerifyRequest, pieces: Sequence[Piece], meter: Meter
) -> list[VerifiedPartition]:
    found = as_workers_find(request, pieces)
    driver.look_for(directories_of(found))
    driver.bring_up()
    driver.await_executors()
    driver.await_pythons()
    context = driver.context
    work = as_workers_read(pieces, int(context.defaultParallelism))
    readings = 1 if request.parquet is None else 2
    with py4j_errors(driver.log, hint=HINT), watching(context, meter, readings):
        if request.parquet is not None:
            write_rows(context, driver.directory / "shares", work, request.parquet)
        return verdicts_on(context, work, found, request.how)


def directories_of(found: Found) -> list[str]:
    """The directories on workers' machines that hold the replicas *found*."""
    places = {replica.directory for replicas in found.values() for replica in replicas}
    return sorted({os.path.dirname(each) for each in places if not is_uri(each)})


def as_workers_find(request: VerifyRequest, pieces: Sequence[Piece]) -> Found:
    """The replicas of all partitions that have *pieces*, as workers find them."""
    wanted = dict.fromkeys(piece.partition for piece in pieces)
    return {
        partition: tuple(
            replace(replica, directory=absolute(replica.directory))
            for replica in request.partitions[partition]
        )
        for partition in wanted
    }


def as_workers_read(pieces: Sequence[Piece], cores: int) -> list[Share]:
    """The *pieces* that each task reads, as workers find them."""
    whole = [replace(piece, place=absolute(piece.place)) for piece in pieces]
    wanted = sum(piece.effort for piece in whole) // (TASKS_PER_CORE * cores) + 1
    return shares(whole, min(max(wanted, TASK_BYTES_MIN), TASK_BYTES_MAX))


def write_rows(context: Any, path: Path, work: Sequence[Share], parquet: str) -> None:
    """Write the batch rows of *work* to the directory *parquet*; *path* is for a file of ours."""
    from pyspark.sql import SparkSession

    from kadmin.jobs.verify.data_source import SegmentSource, write_shares

    write_shares(path, work)
    session: Any = SparkSession(context)
    session.dataSource.register(SegmentSource)
    rows = session.read.format(SegmentSource.name()).option("shares", str(path)).load()
    rows.write.mode("append").parquet(parquet)


def verdicts_on(
    context: Any, work: Sequence[Share], found: Found, how: HowToVerify
) -> list[VerifiedPartition]:
    """The verdicts on the partitions whose pieces are the *work* of tasks."""
    efforts: dict[TopicPartition, int] = defaultdict(int)
    for piece in (piece for share in work for piece in share):
        efforts[piece.partition] += piece.effort
    task_of = dealt(efforts, len(work))
    judges = len(set(task_of.values()))
    rows_max = rows_at_once(int(context.defaultParallelism) // max(executors(context), 1))
    shared = context.broadcast((found, how))
    read = context.parallelize(work, len(work)).flatMap(
        partial(rows_by_partition, rows_max=rows_max)
    )
    of_tasks = read.partitionBy(judges, task_of.__getitem__)
    verdicts: list[VerifiedPartition] = of_tasks.mapPartitions(
        lambda rows: judged(rows, *shared.value)
    ).collect()
    return verdicts


def rows_at_once(tasks: int) -> int:
    """How many rows an item may have where so many *tasks* share a JVM."""
    message = min(MESSAGE_BYTES, 2 * MESSAGE_BYTES // max(tasks, 1))
    return max(message // ROW.itemsize // MESSAGE_ITEMS, 1)


def dealt(efforts: Mapping[TopicPartition, int], count: int) -> dict[TopicPartition, int]:
    """Which of *count* tasks judges which partition, so that they have about as much to do."""
    loads = [(0, number) for number in range(min(count, len(efforts)))]
    found = {}
    for partition in sorted(efforts, key=lambda each: (-efforts[each], each)):
        load, number = loads[0]
        found[partition] = number
        heapreplace(loads, (load + efforts[partition], number))
    return found


@contextmanager
def watching(context: Any, meter: Meter, readings: int) -> Iterator[None]:
    """Tell *meter* how much is done of what this thread's jobs read, so many times, in all."""
    from py4j.protocol import Py4JError

    ended = threading.Event()
    total = meter.left_bytes
    context.setJobGroup(JOB_GROUP, APP_NAME)
    tracker = context.statusTracker()

    def watch() -> None:
        # Whoever waits for the work says what became of a JVM that is gone.
        with suppress(Py4JError, OSError, EOFError):
            while not ended.wait(POLL_S):
                done = int(total * sum(map(share_done, reading_stages(tracker))) / readings)
                # What a worker takes with it that dies, is read again.
                meter.add(max(done - (total - meter.left_bytes), 0))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
    meter.add(meter.left_bytes)


def reading_stages(tracker: Any) -> list[Any]:
    """What Spark says of the first stage of each of the comparison's jobs that has begun."""
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(JOB_GROUP)]
    return [tracker.getStageInfo(min(job.stageIds)) for job in jobs if job is not None]


def share_done(stage: Any) -> float:
    """How much of *stage* is done, 0 to 1; None has not begun."""
    return 0.0 if stage is None else stage.numCompletedTasks / max(stage.numTasks, 1)
