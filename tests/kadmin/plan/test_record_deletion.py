"""Deletions of records: does exactly what is before an offset go, and is each refusal told?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.plan.offsets import LATEST, FoundOffset
from kadmin.plan.record_deletion import (
    BeforeOffset,
    BeforeOffsets,
    NotDeleted,
    RecordDeletion,
    Result,
    StillDeleting,
    UnfitOffsets,
    befores,
    befores_in_time,
    plan_deletion,
    results_of,
)

T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def at(offset: int | None) -> FoundOffset:
    return FoundOffset(offset, None)


def test_what_is_meant_of_each_partition() -> None:
    assert {T0: 7, T1: 7} == befores(BeforeOffset(7), [T0, T1])
    assert {T1: 3} == befores(BeforeOffsets({T0: 9, T1: 3}), [T1])
    assert {T0: 5, T1: LATEST} == befores_in_time({T0: at(5), T1: at(None)})


def test_a_plan_says_what_goes_and_what_stays() -> None:
    plan = plan_deletion(
        {U0: 2, T1: LATEST, T0: 7},
        {T0: at(5), T1: at(0), U0: at(4)},
        {T0: at(10), T1: at(3), U0: at(4)},
        {},
    )

    assert [(T0, 2, 3), (T1, 3, 0), (U0, 0, 0)] == [
        (each.partition, each.count, each.kept_count) for each in plan.deletions
    ]
    assert [T0, T1] == [each.partition for each in plan.deleting]
    assert 5 == plan.count


@given(st.integers(0, 50), st.integers(0, 50), st.integers(-1, 50))
def test_what_goes_and_what_stays_is_all_that_there_is(start: int, size: int, before: int) -> None:
    end = start + size
    if before > end:
        with pytest.raises(UnfitOffsets):
            plan_deletion({T0: before}, {T0: at(start)}, {T0: at(end)}, {})
        return

    (made,) = plan_deletion({T0: before}, {T0: at(start)}, {T0: at(end)}, {}).deletions

    assert size == made.count + made.kept_count
    assert made.before <= end


def test_what_does_not_fit_is_named_and_nothing_is_planned() -> None:
    with pytest.raises(UnfitOffsets) as refused:
        plan_deletion(
            {T0: 11, T1: 1, U0: 5},
            {T0: at(0), U0: at(0)},
            {T0: at(10), U0: at(5)},
            {T1: "it has no leader"},
        )

    assert ("t-1: it has no leader", "t-0 ends at 10, before offset 11") == refused.value.problems


def test_a_result_is_what_the_log_shows_afterwards() -> None:
    plan = plan_deletion(
        dict.fromkeys((T0, T1, U0, TopicPartition("v", 0)), 4),
        {T0: at(0), T1: at(0), U0: at(0), TopicPartition("v", 0): at(4)},
        {T0: at(9), T1: at(9), U0: at(9), TopicPartition("v", 0): at(9)},
        {},
    )

    results = results_of(
        plan,
        {T0: at(4), T1: at(4), TopicPartition("v", 0): at(5)},
        {T1: "it took too long", U0: "no answer"},
    )

    assert [
        (Result.DELETED, 4, ""),
        (Result.PENDING, 4, "it took too long"),
        (Result.FAILED, None, "no answer"),
        (Result.NOTHING, 5, ""),
    ] == [(each.result, each.low_watermark, each.reason) for each in results]


def test_errors_name_some_of_the_partitions() -> None:
    many = [TopicPartition("t", number) for number in range(7)]

    assert "records of 7 partitions: t-0, t-1, t-2, t-3, t-4, …" in NotDeleted(many).message
    assert StillDeleting([T0]).message.endswith("not by all replicas yet: 1 partition: t-0")


def test_a_deletion_behind_the_beginning_deletes_nothing() -> None:
    made = RecordDeletion(partition=T0, start=5, before=2, end=8)

    assert (0, 3) == (made.count, made.kept_count)
