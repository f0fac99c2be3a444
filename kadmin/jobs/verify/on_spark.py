"""Replicas compared by Spark's tasks: who reads which piece, and who judges which partition?

Batch rows come from the data source, are written down where that is asked for, go to one task per
partition, and come back as verdicts: rows never pass the driver.
"""

import os
import pickle
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from cluster.model.ids import TopicPartition
from kadmin.jobs.places import absolute
from kadmin.jobs.progress import Meter
from kadmin.jobs.spark.driver import Driver, in_background
from kadmin.jobs.spark.errors import py4j_errors
from kadmin.jobs.spark.master_url import check_master
from kadmin.jobs.temporary import temporary_directory
from kadmin.jobs.uris import is_uri
from kadmin.jobs.verify.batch_rows import RowsOfPartition
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.data_source import SegmentSource, write_shares
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.jobs.verify.pieces import PIECE_BYTES, Piece, shares
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jvm.interrupts import deferring_interrupts

APP_NAME: Final = "kadmin verify-replicas"

HINT: Final = (
    "if it is memory, give a worker more: --conf spark.executor.memory=2g; on this machine let "
    "fewer work: --master 'local[1]'"
)

JOB_GROUP: Final = "compare replicas"
TASKS_PER_CORE: Final = 4
POLL_S: Final = 0.5
JOIN_TIMEOUT_S: Final = 10.0

Found = dict[TopicPartition, tuple[FoundReplica, ...]]


def verify_on_spark(
    request: VerifyRequest, pieces: Sequence[Piece], meter: Meter
) -> list[VerifiedPartition]:
    """Verdicts on the partitions that have any of *pieces*, in any order.

    Raises:
        UsageError: workers do not see the files.
        UnreachableError: the master does not answer.
        SparkFailed: Spark cannot start, or its work failed.
    """
    assert request.master is not None, "without a master there is no Spark"
    check_master(request.master)
    with temporary_directory("kadmin-verify-") as directory:
        driver: Driver | None = None
        comparing: Future[list[VerifiedPartition]] = Future()
        is_whole = False
        try:
            with deferring_interrupts():
                driver = Driver(
                    APP_NAME,
                    request.master,
                    {"spark.sql.warehouse.dir": str(directory), **request.conf},
                    directory,
                    makes_archive=request.makes_archive,
                )
                # A signal that meets this thread shall not meet the way to the JVM.
                comparing = in_background(partial(compared, driver, request, pieces, meter))
            verified = comparing.result()
            is_whole = True
        finally:
            with deferring_interrupts():
                if driver is not None:
                    if not is_whole and driver.process is not None:
                        driver.kill()
                        wait([comparing], JOIN_TIMEOUT_S)
                    driver.end(is_abandoned=not is_whole)
    return verified


def compared(
    driver: Driver, request: VerifyRequest, pieces: Sequence[Piece], meter: Meter
) -> list[VerifiedPartition]:
    driver.bring_up()
    preparing = in_background(partial(prepare_session, driver, request.how))
    found = as_workers_find(request, pieces)
    driver.await_executors()
    plan = partial(planned_comparison, driver, preparing, request, pieces, found)
    # Rows that are written down first can be read only when they are there.
    planning = in_background(plan) if request.parquet is None else None
    driver.await_pythons()
    driver.check_paths(directories_of(found))
    with py4j_errors(driver.log, hint=HINT), watching(driver.context, meter):
        verdicts = plan() if planning is None else planning.result()
        return [pickle.loads(row.verdict) for row in verdicts.collect()]


def prepare_session(driver: Driver, how: HowToVerify) -> Any:
    """A session, which on a cluster has planned the comparison of nothing while executors start.

    The driver's first plan takes it some seconds, of which the second one is spared.
    """
    from pyspark.sql import SparkSession

    session: Any = SparkSession(driver.context)
    # It would let one task do what is small, and what is small may be long to compare.
    session.conf.set("spark.sql.adaptive.enabled", "false")
    session.dataSource.register(SegmentSource)
    if not driver.is_local:
        planned(verdicts_on(driver.context, rows_of(session, None), {}, how))
    return session


def planned_comparison(
    driver: Driver,
    preparing: Future[Any],
    request: VerifyRequest,
    pieces: Sequence[Piece],
    found: Found,
) -> Any:
    """The verdicts on the partitions *found* as a query in the session of *preparing*."""
    session = preparing.result()
    cores = int(driver.context.defaultParallelism)
    tasks = max(min(TASKS_PER_CORE * cores, len(found)), 1)
    session.conf.set("spark.sql.shuffle.partitions", str(tasks))
    rows = read_rows(session, driver, request, pieces)
    return planned(verdicts_on(driver.context, rows, found, request.how))


def planned(query: Any) -> Any:
    """*query*, planned now and not when it runs."""
    query._jdf.queryExecution().toRdd()
    return query


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


def read_rows(session: Any, driver: Driver, request: VerifyRequest, pieces: Sequence[Piece]) -> Any:
    """The batch rows of *pieces*; where they are written down, as they stand there."""
    path = driver.directory / "shares"
    whole = [replace(piece, place=absolute(piece.place)) for piece in pieces]
    tasks = TASKS_PER_CORE * int(driver.context.defaultParallelism)
    share_bytes = min(PIECE_BYTES, sum(piece.size for piece in whole) // tasks + 1)
    write_shares(path, shares(whole, share_bytes))
    rows = rows_of(session, path)
    if request.parquet is None:
        return rows
    rows.write.mode("append").parquet(request.parquet)
    return session.read.schema(rows.schema).parquet(request.parquet)


def rows_of(session: Any, shares: Path | None) -> Any:
    """The batch rows of the *shares* that were written there; None: no rows."""
    option = "" if shares is None else str(shares)
    return session.read.format(SegmentSource.name()).option("shares", option).load()


def verdicts_on(context: Any, rows: Any, found: Found, how: HowToVerify) -> Any:
    """The verdicts on the partitions of *rows*, pickled, as a query."""
    from pyspark.sql import functions
    from pyspark.sql.pandas.functions import arrow_udf

    shared = context.broadcast((found, how))

    # As Spark's own hint of a function from a group to a value wants it.
    def judge(group: pa.Array) -> Any:
        return judged(group, *shared.value)

    column = arrow_udf(judge, "binary")  # type: ignore[call-overload]  # its stub lacks such functions
    verdicts = rows.groupBy("topic", "partition").agg(
        column(functions.struct(*rows.columns)).alias("verdict")
    )
    return verdicts.select("verdict")


def judged(group: pa.Array, found: Found, how: HowToVerify) -> bytes:
    """In a task: the verdict on the partition whose rows *group* has, pickled."""
    columns = dict(zip(group.type.names, group.flatten(), strict=True))
    partition = TopicPartition(columns["topic"][0].as_py(), columns["partition"][0].as_py())
    rows = RowsOfPartition(columns)
    return pickle.dumps(verify_partition(partition, found[partition], how, rows.read))


@contextmanager
def watching(context: Any, meter: Meter) -> Iterator[None]:
    """Tell *meter* how much is done of the first stage of this thread's jobs, which reads."""
    from py4j.protocol import Py4JError

    ended = threading.Event()
    total = meter.left_bytes
    context.setJobGroup(JOB_GROUP, APP_NAME)
    tracker = context.statusTracker()

    def watch() -> None:
        # Whoever waits for the work says what became of a JVM that is gone.
        with suppress(Py4JError, OSError, EOFError):
            while not ended.wait(POLL_S):
                stage = first_stage(tracker)
                if stage is not None and stage.numTasks > 0:
                    done = total * stage.numCompletedTasks // stage.numTasks
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


def first_stage(tracker: Any) -> Any:
    """What Spark says of the first stage of the comparison's first job; None before it begins."""
    job = min(tracker.getJobIdsForGroup(JOB_GROUP), default=None)
    info = None if job is None else tracker.getJobInfo(job)
    return None if info is None else tracker.getStageInfo(min(info.stageIds))
