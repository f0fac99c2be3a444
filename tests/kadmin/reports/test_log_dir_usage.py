"""The use of log directories: is everything counted once, wherever a row sums it up?"""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog, offline_dirs
from kadmin.reports.log_dir_usage import (
    Grouping,
    Order,
    Place,
    Usage,
    usage_report,
)

B0, B1 = BrokerId(0), BrokerId(1)


def log(name: str, size: int, lag: int = 0, *, is_future: bool = False) -> ReplicaLog:
    topic, number = name.split("-")
    return ReplicaLog(
        partition=TopicPartition(topic, int(number)),
        size_bytes=size,
        lag_records=lag,
        is_future=is_future,
    )


DIRS: LogDirs = {
    B0: (
        LogDir(
            path="/a", replicas=(log("t-0", 10), log("u-0", 5)), total_bytes=100, usable_bytes=9
        ),
        LogDir(path="/b", replicas=(log("t-0", 4, 2, is_future=True),)),
    ),
    B1: (
        LogDir(path="/a", replicas=(log("t-0", 8, 3), log("t-10", 1), log("t-9", 1))),
        LogDir(path="/c", error_code=ErrorCode.KAFKA_STORAGE_ERROR),
    ),
}


def rows(grouping: Grouping, order: Order = Order.NAME) -> list[tuple[object, ...]]:
    return [
        (*of(row.place), row.replica_count, row.size_bytes, row.lag_records)
        for row in usage_report(DIRS, grouping, order=order).rows
    ]


def of(place: Place) -> tuple[object, ...]:
    fields = (place.topic, place.partition, place.broker, place.path)
    return tuple(field for field in fields if field is not None)


def test_rows_of_every_grouping() -> None:
    # What has failed comes first.
    assert [(1, 3, 10, 3), (0, 3, 19, 2)] == rows(Grouping.BROKER)
    assert [
        (1, "/c", 0, 0, 0),
        (0, "/a", 2, 15, 0),
        (0, "/b", 1, 4, 2),
        (1, "/a", 3, 10, 3),
    ] == rows(Grouping.DIR)
    assert [("t", 5, 24, 3), ("u", 1, 5, 0)] == rows(Grouping.TOPIC)
    assert [("t", 0, 3, 22, 3), ("t", 9, 1, 1, 0), ("t", 10, 1, 1, 0), ("u", 0, 1, 5, 0)] == rows(
        Grouping.PARTITION
    )
    assert [
        ("t", 0, 0, "/a", 1, 10, 0),
        ("t", 0, 0, "/b", 1, 4, 2),
        ("t", 0, 1, "/a", 1, 8, 3),
    ] == rows(Grouping.REPLICA)[:3]


@pytest.mark.parametrize("grouping", Grouping)
def test_the_total_is_that_of_all_rows(grouping: Grouping) -> None:
    report = usage_report(DIRS, grouping, limit=1)
    everything = usage_report(DIRS, grouping).rows

    assert 29 == report.total.size_bytes == sum(row.size_bytes for row in everything)
    assert 6 == report.total.replica_count == sum(row.replica_count for row in everything)
    assert (1, 3) == (report.total.future_count, report.total.lag_records)
    assert (4, 1) == (report.total.dir_count, report.total.offline_count)
    assert (1, len(everything) - 1) == (len(report.rows), report.hidden_count)


def test_the_largest_come_first_behind_what_has_failed_and_equals_by_name() -> None:
    assert [("t", 0), ("u", 0), ("t", 9), ("t", 10)] == [
        row[:2] for row in rows(Grouping.PARTITION, Order.SIZE)
    ]
    assert [(1, "/c"), (1, "/a"), (0, "/b"), (0, "/a")] == [
        row[:2] for row in rows(Grouping.DIR, Order.LAG)
    ]


def test_disks_are_known_of_directories_that_tell() -> None:
    by_broker: dict[object, Usage] = {
        row.place.broker: row for row in usage_report(DIRS, Grouping.BROKER).rows
    }

    assert (100, 9) == (by_broker[B0].total_bytes, by_broker[B0].usable_bytes)
    assert (None, None) == (by_broker[B1].total_bytes, by_broker[B1].usable_bytes)
    assert [(B1, "/c")] == offline_dirs(DIRS)


def test_nothing_is_summed_up_of_nothing() -> None:
    report = usage_report({B0: (LogDir(path="/a"),)}, Grouping.TOPIC, silent=[B1])

    assert ((), 0, 0, (B1,)) == (
        report.rows,
        report.total.size_bytes,
        report.total.lag_records,
        report.silent,
    )
