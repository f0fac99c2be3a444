"""Commits and fetches of offsets: what is taken, when it counts, and in which order."""

import pytest

from cluster.group.answers import CommitAnswer, FetchedOffset
from cluster.group.effects import Producer
from cluster.group.events import Appended, AppendFailed, TransactionEnded
from cluster.group.requests import CommitOffsets, CommitTransactionalOffsets
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import OffsetCommitKey, OffsetCommitValue
from cluster.model.ids import TopicPartition
from tests.cluster.group.coordinating import (
    A0,
    A1,
    B0,
    GROUP,
    SESSION_MS,
    WALL_MS,
    Coordinating,
    commit,
    heartbeat,
    join,
)


def offset(group: Coordinating, partition: TopicPartition = A0, *, stable: bool = False) -> int:
    answer = group.core.fetch_offsets(GROUP, (partition,), requires_stable=stable)
    return answer.offsets[partition].offset


def test_an_offset_counts_once_it_is_replicated() -> None:
    group = Coordinating()
    request = group.send(commit(7, metadata="m"))
    assert group.waits(request)
    assert -1 == offset(group)
    (append,) = group.appends
    value = OffsetCommitValue(7, 0, "m", WALL_MS)
    assert ((OffsetCommitKey(GROUP, "a", 0), value),) == tuple(append.records)

    group.land()

    assert CommitAnswer({A0: ErrorCode.NONE}) == group.answers[request]
    answer = group.core.fetch_offsets(GROUP, (A0, B0))
    assert {A0: FetchedOffset(7, 0, "m"), B0: FetchedOffset()} == answer.offsets


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE),
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE),
        (ErrorCode.INVALID_FETCH_SIZE, ErrorCode.INVALID_COMMIT_OFFSET_SIZE),
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.REQUEST_TIMED_OUT),
    ],
)
def test_an_offset_that_is_not_stored_does_not_count(failure: ErrorCode, error: ErrorCode) -> None:
    group = Coordinating()
    request = group.send(commit(7))

    group.fail(failure)

    assert CommitAnswer({A0: error}) == group.answers[request]
    assert -1 == offset(group)


def test_metadata_that_are_too_large_are_refused_by_themselves() -> None:
    group = Coordinating()
    value, large = OffsetCommitValue(7), OffsetCommitValue(8, metadata="x" * 4097)
    too_large = ErrorCode.OFFSET_METADATA_TOO_LARGE

    request = group.send(CommitOffsets(GROUP, {A0: value, A1: large}))
    group.land()

    assert CommitAnswer({A0: ErrorCode.NONE, A1: too_large}) == group.answers[request]
    assert CommitAnswer({A1: too_large}) == group.ask(CommitOffsets(GROUP, {A1: large}))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_commits_the_one_further_in_the_log_counts(order: tuple[int, int]) -> None:
    group = Coordinating()
    group.send(commit(1))
    group.send(commit(2))
    appends = group.appends

    for index in order:
        append_id = appends[index].append_id
        assert append_id is not None
        group.step(Appended(0, append_id, 100 + index))

    assert 2 == offset(group)


def test_a_commit_counts_although_a_later_one_has_failed_before_it() -> None:
    """Kafka forgets the first with the second, and answers it all the same."""
    group = Coordinating()
    first = group.send(commit(1))
    group.send(commit(2))
    earlier, later = (one.append_id for one in group.appends)
    assert earlier is not None
    assert later is not None

    group.step(AppendFailed(0, later, ErrorCode.MESSAGE_TOO_LARGE))
    group.step(Appended(0, earlier, 100))

    assert CommitAnswer({A0: ErrorCode.NONE}) == group.answers[first]
    assert 1 == offset(group)


def test_a_stable_offset_is_one_that_nothing_is_about_to_change() -> None:
    group = Coordinating()
    group.send(commit(1))

    (found,) = group.core.fetch_offsets(GROUP, (A0,), requires_stable=True).offsets.values()
    assert FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT) == found
    group.land()
    assert 1 == offset(group, stable=True)


def test_all_offsets_of_a_group_are_fetched() -> None:
    group = Coordinating()
    group.send(commit(1))
    group.send(commit(2, partition=B0))
    group.land()

    assert {A0, B0} == set(group.core.fetch_offsets(GROUP, None).offsets)
    assert {} == group.core.fetch_offsets("other", None).offsets


def test_a_commit_is_a_sign_of_life() -> None:
    group = Coordinating()
    (member,) = group.stabilize(join())
    group.let_pass(SESSION_MS - 1)

    group.send(commit(1, member.member_id, 1))

    group.let_pass(SESSION_MS - 1)
    assert ErrorCode.NONE == group.error(heartbeat(member))


def in_transaction(value: int, member_id: str = "", generation: int = -1):
    offsets = {A0: OffsetCommitValue(value)}
    return CommitTransactionalOffsets(GROUP, offsets, 9, 2, member_id, None, generation)


@pytest.mark.parametrize(("is_commit", "expected"), [(True, 7), (False, -1)])
def test_an_offset_of_a_transaction_counts_when_that_is_committed(
    is_commit: bool, expected: int
) -> None:
    group = Coordinating()
    request = group.send(in_transaction(7))
    assert Producer(9, 2) == group.appends[0].producer
    group.land()
    assert CommitAnswer({A0: ErrorCode.NONE}) == group.answers[request]
    assert -1 == offset(group)
    (found,) = group.core.fetch_offsets(GROUP, (A0,), requires_stable=True).offsets.values()
    assert ErrorCode.UNSTABLE_OFFSET_COMMIT == found.error

    group.step(TransactionEnded(0, 9, is_commit))

    assert expected == offset(group, stable=True)


def test_a_transaction_does_not_overwrite_a_later_commit() -> None:
    group = Coordinating()
    group.send(in_transaction(7))
    group.land()
    group.send(commit(8))
    group.land()

    group.step(TransactionEnded(0, 9, is_commit=True))

    assert 8 == offset(group)


@pytest.mark.parametrize(
    ("member_id", "generation", "error"),
    [("", -1, ErrorCode.NONE), ("x", 1, ErrorCode.UNKNOWN_MEMBER_ID)],
)
def test_old_producers_commit_without_a_member(
    member_id: str, generation: int, error: ErrorCode
) -> None:
    group = Coordinating()
    group.stabilize(join())

    request = group.send(in_transaction(7, member_id, generation))
    group.land()

    assert CommitAnswer({A0: error}) == group.answers[request]
