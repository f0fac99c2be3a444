"""Static members (KIP-345): a client that comes back takes its place, without a rebalance."""

import pytest

from cluster.group.answers import JoinAnswer
from cluster.group.requests import JoinGroup
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import GroupMetadataValue
from tests.cluster.group.coordinating import (
    REBALANCE_MS,
    SESSION_MS,
    Coordinating,
    commit,
    heartbeat,
    join,
    sync,
)


def static(
    member_id: str = "", *names: str, skips: bool = True, metadata: bytes = b""
) -> JoinGroup:
    return join(
        member_id,
        *names,
        instance_id="s",
        metadata=metadata,
        requires_known_id=True,
        can_skip_assignment=skips,
    )


def stable() -> tuple[Coordinating, JoinAnswer, JoinAnswer]:
    """A stable group whose leader is static, and its other member."""
    group = Coordinating()
    leader, other = group.stabilize(static(), join())
    return group, leader, other


def test_a_static_member_gets_its_id_at_once() -> None:
    _, leader, _ = stable()

    assert "s-id1" == leader.member_id


def test_a_leader_that_comes_back_leads_without_assigning() -> None:
    group, old, other = stable()

    new = group.send(static())
    assert group.waits(new)
    group.land()

    answer = group.joined(new)
    assert (True, 1, answer.member_id) == (
        answer.skip_assignment,
        answer.generation,
        answer.leader_id,
    )
    assert {answer.member_id, other.member_id} == {one.member_id for one in answer.members}
    assert old.member_id.encode() == group.synced(group.send(sync(answer))).assignment
    assert ErrorCode.NONE == group.error(heartbeat(other))


def test_before_version_9_it_is_told_of_its_old_self() -> None:
    group, old, _ = stable()

    new = group.send(static(skips=False))
    group.land()

    answer = group.joined(new)
    assert (False, old.member_id, ()) == (
        answer.skip_assignment,
        answer.leader_id,
        answer.members,
    )
    assert old.member_id != answer.member_id


def test_the_log_knows_the_new_id() -> None:
    group, _, _ = stable()

    new = group.send(static())
    group.land()

    ((_, value),) = group.appended[-1].records
    assert isinstance(value, GroupMetadataValue)
    assert group.joined(new).member_id in {one.member_id for one in value.members}


def test_the_old_client_is_fenced() -> None:
    group, old, _ = stable()
    group.send(static())
    group.land()

    fenced = ErrorCode.FENCED_INSTANCE_ID
    assert fenced == group.error(heartbeat(old, instance_id="s"))
    assert fenced == group.error(static(old.member_id))
    assert fenced == group.error(sync(old, instance_id="s"))
    assert fenced == group.error(commit(1, old.member_id, 1, "s"))
    assert ErrorCode.UNKNOWN_MEMBER_ID == group.error(heartbeat(old))


def test_a_client_that_is_not_stored_gives_the_place_back() -> None:
    group, old, _ = stable()

    new = group.send(static(metadata=b"more"))
    group.fail(ErrorCode.REQUEST_TIMED_OUT)

    answer = group.joined(new)
    assert (ErrorCode.REBALANCE_IN_PROGRESS, "", 1) == (
        answer.error,
        answer.member_id,
        answer.generation,
    )
    assert ErrorCode.NONE == group.error(heartbeat(old, instance_id="s"))
    view = next(one for one in group.core.describe("g").members if one.group_instance_id == "s")
    assert b"" == view.metadata


def test_of_two_clients_the_first_is_fenced_while_it_waits() -> None:
    group, _, _ = stable()
    first = group.send(static())
    second = group.send(static())

    assert ErrorCode.FENCED_INSTANCE_ID == group.joined(first).error
    group.land()
    assert ErrorCode.NONE == group.joined(second).error


def test_the_failure_of_an_earlier_client_does_not_touch_a_later_one() -> None:
    group, _, _ = stable()
    group.send(static())
    (earlier,) = group.appends
    second = group.send(static())

    group.appends = [earlier]
    group.fail()

    assert group.waits(second)


def test_a_rebalance_meanwhile_takes_the_waiting_join_along() -> None:
    group, _, other = stable()
    new = group.send(static())
    changed = group.send(join(other.member_id, metadata=b"more"))

    group.land()

    assert [2, 2] == [group.joined(one).generation for one in (new, changed)]


def test_another_protocol_begins_a_rebalance() -> None:
    group = Coordinating()
    group.stabilize(static("", "range", "sticky"))

    new = group.send(static("", "sticky", "range"))

    assert 2 == group.joined(new).generation
    assert "sticky" == group.joined(new).protocol_name


def test_before_the_assignment_a_new_client_begins_a_rebalance() -> None:
    group = Coordinating()
    group.complete(static())

    new = group.send(static())

    assert 2 == group.joined(new).generation


def test_a_static_member_that_does_not_join_stays_for_its_session() -> None:
    group = Coordinating()
    old, other = group.stabilize(join(instance_id="s", session_ms=10 * REBALANCE_MS), join())
    waiting = group.send(join(other.member_id, metadata=b"more"))

    group.let_pass(REBALANCE_MS)

    answer = group.joined(waiting)
    assert {old.member_id, other.member_id} == {one.member_id for one in answer.members}
    assert ErrorCode.ILLEGAL_GENERATION == group.error(heartbeat(old, instance_id="s"))


@pytest.mark.parametrize("session_ms", [SESSION_MS])
def test_a_group_of_static_members_waits_until_one_is_back(session_ms: int) -> None:
    group = Coordinating()
    leader, other = group.stabilize(
        join(instance_id="s", session_ms=10 * REBALANCE_MS), join(session_ms=session_ms)
    )
    group.send(heartbeat(leader))

    group.let_pass(session_ms + 2 * REBALANCE_MS)

    assert not group.is_member(other.member_id)
    assert "PreparingRebalance" == group.state
    again = group.send(join(leader.member_id, instance_id="s"))
    assert 2 == group.joined(again).generation


def test_in_a_rebalance_a_new_client_takes_part_in_the_place_of_the_old() -> None:
    group, old, other = stable()
    waiting = group.send(static(old.member_id))

    new = group.send(static())

    assert ErrorCode.FENCED_INSTANCE_ID == group.joined(waiting).error
    group.send(join(other.member_id))
    answer = group.joined(new)
    assert (2, answer.member_id) == (answer.generation, answer.leader_id)


def test_a_follower_that_comes_back_follows() -> None:
    group = Coordinating()
    leader, _ = group.stabilize(join(), static())

    new = group.send(static())
    group.land()

    answer = group.joined(new)
    assert (leader.member_id, False, ()) == (
        answer.leader_id,
        answer.skip_assignment,
        answer.members,
    )
