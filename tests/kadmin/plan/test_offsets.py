"""Partitions whose offsets are meant: which are there, and which cannot be told?"""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.plan.offsets import (
    NoSuchPartition,
    UnansweredOffsets,
    partitions_of,
)
from tests.kadmin.builders import brokers, cluster, topic

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))


def test_partitions_are_those_of_the_topics_and_numbers_that_are_meant() -> None:
    snapshot = cluster(brokers("0"), topic("t", "0 0 0"), topic("u", "0"))

    assert [T0, T1, T2] == partitions_of(snapshot, ["t"], None)
    assert [T0, TopicPartition("u", 0)] == partitions_of(snapshot, ["t", "u"], frozenset({0}))
    assert [T2] == partitions_of(snapshot, ["t", "u"], frozenset({2}))
    assert [] == partitions_of(snapshot, [], frozenset({2}))


def test_a_partition_that_no_topic_has_is_named() -> None:
    snapshot = cluster(brokers("0"), topic("t", "0 0"), topic("u", "0"))

    with pytest.raises(NoSuchPartition, match=r"^topic 't' has no partitions 2, 7$"):
        partitions_of(snapshot, ["t"], frozenset({1, 2, 7}))
    with pytest.raises(NoSuchPartition, match=r"^none of these topics has partition 2$"):
        partitions_of(snapshot, ["t", "u"], frozenset({1, 2}))


def test_an_error_names_some_of_the_untold() -> None:
    many = {TopicPartition("t", number): "" for number in range(7)}

    assert "of 7 partitions: t-0, t-1, t-2, t-3, t-4, …" in UnansweredOffsets(many).message
    assert UnansweredOffsets({T0: ""}).message.endswith("of 1 partition: t-0")
