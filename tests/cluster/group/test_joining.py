"""JoinGroup: who gets in, who is sent away, and what begins a rebalance."""

from dataclasses import replace

import pytest

from cluster.group.answers import JoinedMember
from cluster.group.config import GroupConfig
from cluster.group.requests import JoinGroup
from cluster.model.error_codes import ErrorCode
from tests.cluster.group.coordinating import (
    DELAY_MS,
    GROUP,
    REBALANCE_MS,
    SESSION_MS,
    Coordinating,
    heartbeat,
    join,
    leave,
    sync,
)


def test_members_that_start_together_meet_in_one_generation() -> None:
    group = Coordinating()

    first, second = group.complete(join(metadata=b"1"), join(metadata=b"2"))

    assert (1, 1) == (first.generation, second.generation)
    assert first.member_id == first.leader_id == second.leader_id
    assert ("consumer", "range") == (first.protocol_type, first.protocol_name)
    members = (
        JoinedMember(first.member_id, None, b"1"),
        JoinedMember(second.member_id, None, b"2"),
    )
    assert members == first.members
    assert () == second.members


def test_new_members_extend_the_initial_delay_up_to_the_rebalance_timeout() -> None:
    group = Coordinating()
    requests = [group.send(join(rebalance_ms=2 * DELAY_MS + 1000))]
    for _ in range(2):
        group.let_pass(DELAY_MS - 1)
        requests.append(group.send(join(rebalance_ms=DELAY_MS)))
        group.let_pass(1)
    assert group.waits(*requests)

    group.let_pass(1000)

    assert {1} == {group.joined(one).generation for one in requests}


def test_a_join_without_new_members_is_not_extended() -> None:
    group = Coordinating()
    request = group.send(join())
    group.let_pass(DELAY_MS - 1)
    assert group.waits(request)

    group.let_pass(1)

    assert not group.waits(request)


def test_a_new_dynamic_member_gets_an_id_first() -> None:
    group = Coordinating()

    answer = group.joined(group.send(join(requires_known_id=True)))

    assert ErrorCode.MEMBER_ID_REQUIRED == answer.error
    assert "c-id1" == answer.member_id
    waiting = group.send(join(answer.member_id, requires_known_id=True))
    group.let_pass(DELAY_MS)
    assert answer.member_id == group.joined(waiting).member_id


def test_an_id_that_does_not_come_back_is_forgotten() -> None:
    group = Coordinating()
    answer = group.joined(group.send(join(requires_known_id=True)))

    group.let_pass(SESSION_MS)

    assert ErrorCode.UNKNOWN_MEMBER_ID == group.error(join(answer.member_id))


def test_a_rebalance_waits_for_ids_that_were_given_out() -> None:
    group = Coordinating()
    (first,) = group.stabilize(join())
    pending = group.joined(group.send(join(requires_known_id=True)))
    again = group.send(join(first.member_id))

    assert group.waits(again)

    group.send(leave(pending.member_id))
    assert 2 == group.joined(again).generation


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (join(group_id=""), ErrorCode.INVALID_GROUP_ID),
        (join(session_ms=5999), ErrorCode.INVALID_SESSION_TIMEOUT),
        (join(session_ms=1_800_001), ErrorCode.INVALID_SESSION_TIMEOUT),
        (join("unknown"), ErrorCode.UNKNOWN_MEMBER_ID),
        (join("unknown", instance_id="s"), ErrorCode.UNKNOWN_MEMBER_ID),
        (join(protocol_type="connect"), ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        (join("", "sticky"), ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        (join(protocol_type=""), ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_join_is_refused(request_, error: ErrorCode) -> None:
    group = Coordinating()
    group.stabilize(join())

    assert error == group.error(request_)
    assert "Stable" == group.state


@pytest.mark.parametrize("request_", [join(protocol_type=""), join("x", group_id="other")])
def test_the_first_join_of_a_group_is_checked(request_) -> None:
    group = Coordinating()

    assert group.error(request_) in (
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.UNKNOWN_MEMBER_ID,
    )


@pytest.mark.parametrize(
    ("preferences", "chosen"),
    [
        ([("range",), ("range", "sticky")], "range"),
        ([("range", "sticky"), ("sticky", "range"), ("sticky", "range")], "sticky"),
        ([("a", "b"), ("b", "c")], "b"),
    ],
)
def test_members_vote_for_the_protocol(preferences: list[tuple[str, ...]], chosen: str) -> None:
    group = Coordinating()

    joined = group.complete(*(join("", *names) for names in preferences))

    assert {chosen} == {one.protocol_name for one in joined}


def test_a_full_group_takes_nobody_else() -> None:
    group = Coordinating(GroupConfig(max_size=1))
    (first,) = group.stabilize(join())

    assert ErrorCode.GROUP_MAX_SIZE_REACHED == group.error(join())
    assert ErrorCode.NONE == group.error(heartbeat(first))


def test_in_a_rebalance_of_a_group_that_is_too_large_the_last_go() -> None:
    group = Coordinating(GroupConfig(max_size=1))
    waiting = group.prepare(join(), join())

    assert group.waits(waiting[0])
    assert ErrorCode.GROUP_MAX_SIZE_REACHED == group.joined(waiting[1]).error


def test_a_follower_that_joins_again_unchanged_stays_in_its_generation() -> None:
    group = Coordinating()
    _, follower = group.stabilize(join(), join())

    assert follower == group.ask(join(follower.member_id))
    assert "Stable" == group.state


@pytest.mark.parametrize("who", ["leader", "changed"])
def test_a_leader_or_a_change_begins_a_rebalance(who: str) -> None:
    group = Coordinating()
    leader, follower = group.stabilize(join(), join())
    request = join(leader.member_id)
    if who == "changed":
        request = join(follower.member_id, metadata=b"more")

    waiting = group.send(request)

    assert group.waits(waiting)
    assert ErrorCode.REBALANCE_IN_PROGRESS == group.error(heartbeat(leader))


def test_a_leader_that_missed_its_answer_gets_it_again() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(), join())

    assert leader == group.ask(join(leader.member_id))
    assert follower == group.ask(join(follower.member_id))


def test_a_change_before_the_assignment_begins_anew() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(), join())
    waiting = group.send(sync(follower))

    again = group.send(join(leader.member_id, metadata=b"more"))

    assert ErrorCode.REBALANCE_IN_PROGRESS == group.synced(waiting).error
    assert group.waits(again)


def test_who_does_not_join_in_time_is_removed() -> None:
    group = Coordinating()
    first, second = group.stabilize(join(), join(session_ms=100_000))
    again = group.send(join(first.member_id))

    group.let_pass(REBALANCE_MS)

    assert 2 == group.joined(again).generation
    assert ErrorCode.UNKNOWN_MEMBER_ID == group.error(heartbeat(second))


def test_a_new_leader_is_one_that_has_joined() -> None:
    group = Coordinating()
    leader, follower = group.stabilize(join(instance_id="s", session_ms=100_000), join())
    again = group.send(join(follower.member_id, metadata=b"more"))

    group.let_pass(REBALANCE_MS)

    assert follower.member_id == group.joined(again).leader_id
    assert group.is_member(leader.member_id)


def test_a_new_member_that_is_gone_does_not_hold_the_group_up_for_ever() -> None:
    group = Coordinating()
    (first,) = group.stabilize(join(session_ms=1_800_000, rebalance_ms=1_800_000))
    new = group.send(join(rebalance_ms=1_800_000))

    group.let_pass(5 * 60 * 1000)

    assert ErrorCode.UNKNOWN_MEMBER_ID == group.joined(new).error
    again = group.send(join(first.member_id))
    assert 2 == group.joined(again).generation


def test_an_earlier_join_of_a_member_does_not_wait_for_ever() -> None:
    group = Coordinating()
    first, second = group.stabilize(join(), join())
    earlier = group.send(join(first.member_id))

    later = group.send(join(first.member_id))

    assert ErrorCode.REBALANCE_IN_PROGRESS == group.joined(earlier).error
    group.send(join(second.member_id))
    assert 2 == group.joined(later).generation


def test_a_protocol_that_a_member_names_twice_counts_once() -> None:
    """Counted twice it would stand for a member that does not support it."""
    group = Coordinating()

    first, second = group.complete(join("", "range", "range", "sticky"), join("", "sticky"))

    assert {"sticky"} == {first.protocol_name, second.protocol_name}


def test_a_member_alone_that_names_its_protocol_twice_has_that() -> None:
    group = Coordinating()

    (joined,) = group.complete(join("", "range", "range"))

    assert "range" == joined.protocol_name


@pytest.mark.parametrize("instance_id", [None, "i"], ids=["dynamic", "static"])
def test_nobody_gets_a_member_id_that_cannot_be_said(instance_id: str | None) -> None:
    """With such a member, its group could be neither described nor stored."""
    group = Coordinating()

    def named(size: int) -> JoinGroup:
        request = replace(join(requires_known_id=True), client_id="c" * size)
        return replace(request, group_instance_id=instance_id and instance_id * size)

    assert ErrorCode.INVALID_REQUEST is group.error(named(32_767))
    assert not group.core.describe(GROUP).members
    assert ErrorCode.INVALID_REQUEST is not group.error(named(32_000))
