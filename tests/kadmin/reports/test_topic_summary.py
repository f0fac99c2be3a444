"""Summaries of topics: what is a row of, and which comes first?"""

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.health import Finding
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.reports.topic_sizes import TopicSizes
from kadmin.reports.topic_summary import Order, TopicSummaries, summarise
from kadmin.reports.topics import report_on
from tests.kadmin.builders import brokers, cluster, state, topic

SNAPSHOT = cluster(
    brokers("0 1 2"),
    topic("a", "0,1 1,0", {0: state(0, "0,1"), 1: state(1, "1,0")}),
    topic("b", "0,7", {0: state(0, "0")}),
    topic("c", "0,1,2 1 2", {0: state(0, "0,1,2"), 1: state(1, "1"), 2: state(-1, "2")}),
)
SIZES = TopicSizes(
    {
        BrokerId(broker): [
            LogDir(
                path="/data",
                replicas=tuple(
                    ReplicaLog(partition=TopicPartition(*of), size_bytes=size, lag_records=0)
                    for of, size in logs.items()
                ),
            )
        ]
        for broker, logs in enumerate(({("a", 0): 4, ("a", 1): 1, ("b", 0): 30}, {("a", 1): 5}))
    }
)


def summaries(
    order: Order = Order.NAME, limit: int | None = None, only: Finding | None = None
) -> TopicSummaries:
    report = report_on(SNAPSHOT, list(SNAPSHOT.topics), only=only)
    return summarise(report, SIZES, default_min_isr=1, order=order, limit=limit)


def test_a_row_is_of_all_partitions_of_its_topic() -> None:
    rows = {row.topic.name: row for row in summaries().rows}

    assert [(2, 2, 2), (1, 2, 2), (3, 1, 3)] == [
        (row.partition_count, row.replicas_min, row.replicas_max) for row in rows.values()
    ]
    assert [(10, 1), (30, 1), (None, 5)] == [
        (row.size_bytes, row.unsized_count) for row in rows.values()
    ]
    assert {} == rows["a"].findings
    assert {Finding.UNDER_REPLICATED: 1, Finding.AT_MIN_ISR: 1} == rows["b"].findings
    assert 1 == rows["c"].findings[Finding.UNAVAILABLE]
    assert [False, True, True] == [row.is_bad for row in rows.values()]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order.NAME, "abc"),
        (Order.SIZE, "bac"),
        (Order.PARTITIONS, "cab"),
        (Order.HEALTH, "cba"),
    ],
)
def test_the_order_is_the_one_asked_for(order: Order, expected: str) -> None:
    assert list(expected) == [row.topic.name for row in summaries(order).rows]


def test_what_is_not_shown_is_counted() -> None:
    first = summaries(limit=1)

    assert (["a"], 2) == ([row.topic.name for row in first.rows], first.hidden_count)


def test_a_filter_leaves_topics_out_and_no_partition_of_those_that_stay() -> None:
    (only,) = summaries(only=Finding.UNAVAILABLE).rows

    assert ("c", 3, 2) == (only.topic.name, only.partition_count, only.findings[Finding.AT_MIN_ISR])
