"""Offsets and groups that go: deleted, expired, or with their topics."""

import pytest

from cluster.group.answers import DeleteGroupAnswer, DeleteOffsetsAnswer
from cluster.group.config import GroupConfig
from cluster.group.events import ExpirationDue, TopicsDeleted, TransactionEnded
from cluster.group.requests import CommitTransactionalOffsets, DeleteGroup, DeleteOffsets
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import (
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    OffsetCommitKey,
    OffsetCommitValue,
)
from cluster.model.ids import TopicPartition
from tests.cluster.group.coordinating import (
    A0,
    B0,
    GROUP,
    WALL_MS,
    Coordinating,
    commit,
    join,
    leave,
)

RETENTION_MS = GroupConfig().retention_ms
SUBSCRIBED_TO_A = b"\0\1\0\0\0\1\0\1a"
TOMBSTONE_A0, TOMBSTONE_B0 = (
    (OffsetCommitKey(GROUP, "a", 0), None),
    (OffsetCommitKey(GROUP, "b", 0), None),
)
TOMBSTONE_GROUP = (GroupMetadataKey(GROUP), None)


def committed(group: Coordinating) -> set[str]:
    return {str(one) for one in group.core.fetch_offsets(GROUP, None).offsets}


def with_offsets(records: tuple[GroupRecord, ...] = ()) -> Coordinating:
    """A coordinator with offsets of a-0 and b-0, in a group without members unless loaded."""
    group = Coordinating(records=records)
    group.send(commit(1, partition=A0))
    group.send(commit(2, partition=B0))
    group.land()
    group.appended.clear()
    return group


def with_member(protocol_type: str = "consumer", metadata: bytes = SUBSCRIBED_TO_A) -> Coordinating:
    """The same with a member, which subscribes to a."""
    group = with_offsets()
    group.stabilize(join(protocol_type=protocol_type, metadata=metadata))
    group.appended.clear()
    return group


def tombstones(group: Coordinating) -> list[GroupRecord]:
    assert all(one.append_id is None for one in group.appended)
    return [record for one in group.appended for record in one.records]


def test_a_group_without_members_is_deleted_with_its_offsets() -> None:
    group = with_offsets()

    assert DeleteGroupAnswer(ErrorCode.NONE) == group.ask(DeleteGroup(GROUP))
    assert {TOMBSTONE_A0, TOMBSTONE_B0} == set(tombstones(group))
    assert DeleteGroupAnswer(ErrorCode.GROUP_ID_NOT_FOUND) == group.ask(DeleteGroup(GROUP))


def test_a_group_that_had_members_has_a_tombstone_of_its_own() -> None:
    group = Coordinating()
    (member,) = group.stabilize(join())
    group.send(leave(member.member_id))
    group.appended.clear()

    group.send(DeleteGroup(GROUP))

    assert [TOMBSTONE_GROUP] == tombstones(group)


def test_a_group_whose_only_member_left_at_once_has_a_tombstone_too() -> None:
    first = GroupMetadataValue("consumer", 1, None, None, WALL_MS, ())
    group = Coordinating(records=[(GroupMetadataKey(GROUP), first)])

    group.send(DeleteGroup(GROUP))

    assert [TOMBSTONE_GROUP] == tombstones(group)


def test_a_group_with_members_is_not_deleted() -> None:
    group = with_member()

    assert DeleteGroupAnswer(ErrorCode.NON_EMPTY_GROUP) == group.ask(DeleteGroup(GROUP))
    assert {"a-0", "b-0"} == committed(group)


def test_a_commit_on_its_way_does_not_outlive_its_group() -> None:
    """The log has it before the tombstones: without one for it, it would be loaded again."""
    group = Coordinating()
    group.send(commit(1))

    group.send(DeleteGroup(GROUP))
    group.land()

    assert [TOMBSTONE_A0] == list(group.appended[-1].records)
    assert set() == committed(group)


def test_offsets_of_topics_that_nobody_reads_are_deleted() -> None:
    group = with_member()

    answer = group.ask(DeleteOffsets(GROUP, (A0, B0)))

    errors = {A0: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, B0: ErrorCode.NONE}
    assert DeleteOffsetsAnswer(ErrorCode.NONE, errors) == answer
    assert [TOMBSTONE_B0] == tombstones(group)
    assert {"a-0"} == committed(group)


@pytest.mark.parametrize("metadata", [b"", b"\0\1\0\0\0\2\0\1a", b"\0\1\0\0\0\1\0\1\xff"])
def test_of_a_subscription_that_cannot_be_read_every_topic_may_be(metadata: bytes) -> None:
    group = with_member(metadata=metadata)

    answer = group.ask(DeleteOffsets(GROUP, (B0,)))

    errors = {B0: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC}
    assert DeleteOffsetsAnswer(ErrorCode.NONE, errors) == answer


def test_offsets_of_other_groups_with_members_are_not_deleted() -> None:
    group = with_member("connect")

    answer = group.ask(DeleteOffsets(GROUP, (B0,)))

    assert DeleteOffsetsAnswer(ErrorCode.NON_EMPTY_GROUP, {}) == answer


def test_offsets_of_an_unknown_group_are_not_there() -> None:
    answer = Coordinating().ask(DeleteOffsets(GROUP, (A0,)))

    assert DeleteOffsetsAnswer(ErrorCode.GROUP_ID_NOT_FOUND, {}) == answer


def test_with_its_last_offset_an_empty_group_goes() -> None:
    group = with_offsets()

    group.send(DeleteOffsets(GROUP, (A0, B0)))

    assert "Dead" == group.state


def test_offsets_go_with_their_topics() -> None:
    group = with_member()

    group.step(TopicsDeleted((A0,)))

    assert [TOMBSTONE_A0] == tombstones(group)
    assert {"b-0"} == committed(group)


# Expiration: what is left, and what is in the log, after the retention and just before.


@pytest.mark.parametrize(
    ("make", "left"),
    [
        pytest.param(with_offsets, set(), id="no members, ever: since the commit"),
        pytest.param(with_member, {"a-0"}, id="stable: topics without subscription"),
        pytest.param(lambda: with_member("connect"), {"a-0", "b-0"}, id="other members"),
        pytest.param(lambda: with_member(metadata=b""), {"a-0", "b-0"}, id="unknown topics"),
    ],
)
def test_offsets_expire(make, left: set[str]) -> None:
    group = make()
    group.step(ExpirationDue(WALL_MS + RETENTION_MS - 1))
    assert {"a-0", "b-0"} == committed(group)

    group.step(ExpirationDue(WALL_MS + RETENTION_MS))

    assert left == committed(group)


def test_while_a_group_rebalances_nothing_expires() -> None:
    group = with_member()
    group.send(join())

    group.step(ExpirationDue(WALL_MS + 2 * RETENTION_MS))

    assert {"a-0", "b-0"} == committed(group)


def test_without_members_the_retention_runs_since_the_last_has_left() -> None:
    group = Coordinating()
    (member,) = group.stabilize(join())
    group.send(commit(1, member.member_id, 1))
    group.land()
    group.let_pass(5000)
    group.send(leave(member.member_id))
    left_ms = WALL_MS + group.now_ms
    group.appended.clear()

    group.step(ExpirationDue(left_ms + RETENTION_MS - 1))
    assert {"a-0"} == committed(group)
    group.step(ExpirationDue(left_ms + RETENTION_MS))

    assert [TOMBSTONE_A0, TOMBSTONE_GROUP] == tombstones(group)
    assert "Dead" == group.state


@pytest.mark.parametrize(("timestamp", "left"), [(-1, set()), (WALL_MS + 1, {"a-0", "b-0"})])
def test_a_group_of_an_old_release_has_no_time_of_its_state(timestamp: int, left: set[str]) -> None:
    value = GroupMetadataValue("consumer", 3, None, None, timestamp, ())
    group = with_offsets(((GroupMetadataKey(GROUP), value),))

    group.step(ExpirationDue(WALL_MS + RETENTION_MS))

    assert left == committed(group)


def test_a_commit_with_a_retention_of_its_own_goes_by_that() -> None:
    value = OffsetCommitValue(1, commit_timestamp=WALL_MS, expire_timestamp=WALL_MS + 10)
    group = Coordinating(records=[(OffsetCommitKey(GROUP, "a", 0), value)])
    group.step(ExpirationDue(WALL_MS + 9))
    assert {"a-0"} == committed(group)

    group.step(ExpirationDue(WALL_MS + 10))

    assert set() == committed(group)


def test_what_is_about_to_be_committed_does_not_expire() -> None:
    group = with_offsets()
    group.send(commit(3, partition=A0))

    group.step(ExpirationDue(WALL_MS + RETENTION_MS))

    assert {"a-0"} == committed(group)


def test_an_empty_group_without_offsets_goes_at_the_next_expiration() -> None:
    group = Coordinating()
    group.send(join(requires_known_id=True))

    group.step(ExpirationDue(WALL_MS))

    assert "Dead" == group.state
    assert [] == group.appended


@pytest.mark.parametrize("removed", [(A0,), (A0, B0)])
def test_offsets_of_an_open_transaction_are_deleted_with_the_others(
    removed: tuple[TopicPartition, ...],
) -> None:
    group = with_offsets()
    offsets = {A0: OffsetCommitValue(8), B0: OffsetCommitValue(9)}
    group.send(CommitTransactionalOffsets(GROUP, offsets, producer_id=9, producer_epoch=0))
    group.land()

    group.step(TopicsDeleted(removed))
    group.step(TransactionEnded(0, 9, is_commit=True))

    assert {"a-0", "b-0"} - {str(one) for one in removed} == committed(group)
