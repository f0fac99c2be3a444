"""SyncGroup, sessions and LeaveGroup: assignments on their way, members that fall silent or go."""

import pytest

from cluster.group.answers import LeftMember
from cluster.group.requests import LeaveGroup, LeavingMember
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataKey, GroupMetadataValue
from tests.cluster.group.coordinating import (
    EPOCH,
    GROUP,
    REBALANCE_MS,
    SESSION_MS,
    WALL_MS,
    Coordinating,
    heartbeat,
    join,
    leave,
    sync,
)


def test_members_get_their_assignments_once_the_log_has_them() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(metadata=b"1"), join(metadata=b"2"))
    waiting = group.send(sync(follower))
    request = group.send(sync(leader, {leader.member_id: b"x", "stranger": b"y"}))
    assert group.waits(waiting, request)
    (append,) = group.appends

    group.land()

    assert b"x" == group.synced(request).assignment
    assert b"" == group.synced(waiting).assignment
    assert ("consumer", "range") == (
        group.synced(waiting).protocol_type,
        group.synced(waiting).protocol_name,
    )
    assert "Stable" == group.state
    ((key, value),) = append.records
    assert (0, EPOCH, GroupMetadataKey(GROUP)) == (append.partition, append.leader_epoch, key)
    assert isinstance(value, GroupMetadataValue)
    assert ("consumer", 1, "range", leader.member_id) == value[:4]
    assert [(b"1", b"x"), (b"2", b"")] == [(m.subscription, m.assignment) for m in value.members]


def test_a_second_assignment_of_the_same_leader_does_not_get_into_the_log() -> None:
    """Members have the first; the next coordinator would give them the second."""
    group = Coordinating()
    (leader,) = group.complete(join())
    earlier = group.send(sync(leader, {leader.member_id: b"1"}))

    later = group.send(sync(leader, {leader.member_id: b"2"}))
    group.land()

    assert ErrorCode.REBALANCE_IN_PROGRESS == group.synced(earlier).error
    assert b"1" == group.synced(later).assignment
    assert 1 == len(group.appended)


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.REBALANCE_IN_PROGRESS),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_FETCH_SIZE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.CORRUPT_MESSAGE, ErrorCode.CORRUPT_MESSAGE),
    ],
)
def test_an_assignment_that_is_not_stored_begins_a_rebalance(
    failure: ErrorCode, error: ErrorCode
) -> None:
    group = Coordinating()
    leader, follower = group.complete(join(), join())
    waiting = [group.send(sync(follower)), group.send(sync(leader, {}))]

    group.fail(failure)

    assert [error, error] == [group.synced(one).error for one in waiting]
    assert "PreparingRebalance" == group.state


def test_the_outcome_of_an_earlier_generation_is_late() -> None:
    group = Coordinating()
    (leader,) = group.complete(join())
    group.send(sync(leader, {leader.member_id: b"old"}))
    again = group.send(join(leader.member_id, metadata=b"more"))
    assert 2 == group.joined(again).generation

    group.land()

    assert "CompletingRebalance" == group.state


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ({"protocol_type": "consumer", "protocol_name": "range"}, ErrorCode.NONE),
        ({"protocol_type": "connect"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_name": "sticky"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_sync_names_the_protocol_of_the_generation(
    names: dict[str, str], error: ErrorCode
) -> None:
    group = Coordinating()
    (leader,) = group.stabilize(join())

    assert error == group.error(sync(leader, **names))  # type: ignore[arg-type]


def test_who_does_not_sync_in_time_is_removed() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(), join())
    request = group.send(sync(leader, {}))
    group.land()
    assert ErrorCode.NONE == group.synced(request).error

    for _ in range(REBALANCE_MS // SESSION_MS):
        group.let_pass(SESSION_MS - 1)
        group.send(heartbeat(leader))
        group.send(heartbeat(follower))
    group.let_pass(SESSION_MS - 1)

    assert ErrorCode.UNKNOWN_MEMBER_ID == group.error(heartbeat(follower))
    assert ErrorCode.REBALANCE_IN_PROGRESS == group.error(heartbeat(leader))


def test_a_member_that_is_silent_is_removed_after_its_session() -> None:
    group = Coordinating()
    first, second = group.stabilize(join(), join())
    group.let_pass(SESSION_MS - 1)
    assert ErrorCode.NONE == group.error(heartbeat(first))

    group.let_pass(1)

    assert ErrorCode.UNKNOWN_MEMBER_ID == group.error(heartbeat(second))
    assert ErrorCode.REBALANCE_IN_PROGRESS == group.error(heartbeat(first))


def test_a_member_that_waits_for_an_assignment_needs_no_heartbeats() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(session_ms=100_000), join())
    waiting = group.send(sync(follower))

    group.let_pass(2 * SESSION_MS)

    assert group.waits(waiting)
    group.send(sync(leader, {}))
    group.land()
    assert ErrorCode.NONE == group.synced(waiting).error


def test_members_leave_each_with_an_error_of_its_own() -> None:
    group = Coordinating()
    first, second = group.stabilize(join(), join(instance_id="s"))
    pending = group.joined(group.send(join(requires_known_id=True))).member_id
    leaving = (
        LeavingMember(first.member_id),
        LeavingMember("", "s"),
        LeavingMember("", "t"),
        LeavingMember("x"),
        LeavingMember(second.member_id, "s"),
        LeavingMember(pending),
        LeavingMember(""),
    )

    answer = group.ask(LeaveGroup(GROUP, leaving))

    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    errors = [ErrorCode.NONE, ErrorCode.NONE, unknown, unknown, unknown, ErrorCode.NONE, unknown]
    expected = tuple(LeftMember(*one, error) for one, error in zip(leaving, errors, strict=True))
    assert (ErrorCode.NONE, expected) == answer
    assert "Empty" == group.state


def test_a_fenced_static_member_does_not_leave_for_another() -> None:
    group = Coordinating()
    (old,) = group.stabilize(join(instance_id="s"))
    group.send(join(instance_id="s"))
    group.land()

    (left,) = group.left(leave(old.member_id, "s"))

    assert ErrorCode.FENCED_INSTANCE_ID == left.error


def test_when_the_last_member_leaves_the_group_is_empty_and_the_log_knows() -> None:
    group = Coordinating()
    (member,) = group.stabilize(join())

    group.send(leave(member.member_id))

    assert "Empty" == group.state
    ((key, value),) = group.appended[-1].records
    stored = GroupMetadataValue("consumer", 2, None, None, WALL_MS + group.now_ms, ())
    assert (GroupMetadataKey(GROUP), stored) == (key, value)


def test_a_member_that_is_removed_while_it_waits_is_answered() -> None:
    group = Coordinating()
    _, follower = group.complete(join(), join())
    waiting = group.send(sync(follower))

    group.send(leave(follower.member_id))

    assert ErrorCode.UNKNOWN_MEMBER_ID == group.synced(waiting).error
