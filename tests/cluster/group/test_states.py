"""States of a group: which follow one another, and what each answers to a member."""

from itertools import product

import pytest

from cluster.group.answers import JoinAnswer
from cluster.group.group import Group
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode
from tests.cluster.group.coordinating import Coordinating, commit, heartbeat, join, leave, sync

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = GroupState
LEGAL = {
    (PREPARING, EMPTY),
    (EMPTY, PREPARING),
    (STABLE, PREPARING),
    (COMPLETING, PREPARING),
    (PREPARING, COMPLETING),
    (COMPLETING, STABLE),
    *((state, DEAD) for state in GroupState),
}


@pytest.mark.parametrize(("before", "after"), tuple(product(GroupState, GroupState)))
def test_only_these_states_follow_one_another(before: GroupState, after: GroupState) -> None:
    group = Group("g", 0, 0)
    group.state = before

    try:
        group.enter(after, 7)
    except AssertionError:
        assert (before, after) not in LEGAL
    else:
        assert (before, after) in LEGAL
        assert 7 == group.state_timestamp


def group_in(state: GroupState) -> tuple[Coordinating, str]:
    """A group in *state*, and its only member, or one that it had."""
    group = Coordinating()
    (member,) = group.complete(join())
    if state is not COMPLETING:
        group.sync_all([member])
    if state is PREPARING:
        group.send(join())
    if state is EMPTY:
        group.send(leave(member.member_id))
    assert state == group.state
    return group, member.member_id


UNKNOWN, REBALANCE = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.REBALANCE_IN_PROGRESS
STALE, NONE = ErrorCode.ILLEGAL_GENERATION, ErrorCode.NONE


@pytest.mark.parametrize(
    ("state", "beats", "syncs", "commits", "commits_alone"),
    [
        (EMPTY, UNKNOWN, UNKNOWN, UNKNOWN, NONE),
        (PREPARING, REBALANCE, REBALANCE, NONE, UNKNOWN),
        (COMPLETING, NONE, NONE, REBALANCE, UNKNOWN),
        (STABLE, NONE, NONE, NONE, UNKNOWN),
    ],
)
def test_a_state_answers_its_member_so(
    state: GroupState,
    beats: ErrorCode,
    syncs: ErrorCode,
    commits: ErrorCode,
    commits_alone: ErrorCode,
) -> None:
    group, member_id = group_in(state)
    known = join_answer(member_id)

    sent = [group.send(one) for one in (commit(1, member_id, 1), commit(2))]
    group.land()

    committed = [set(group.answers[one].errors.values()) for one in sent]  # type: ignore[union-attr]
    assert [{commits}, {commits_alone}] == committed
    assert beats == group.error(heartbeat(known))
    synced = group.send(sync(known))
    group.land()
    assert syncs == group.synced(synced).error


@pytest.mark.parametrize("state", [PREPARING, COMPLETING, STABLE])
def test_no_state_takes_what_is_of_another_generation(state: GroupState) -> None:
    group, member_id = group_in(state)
    known = join_answer(member_id)

    assert STALE == group.error(heartbeat(known, generation=0))
    assert STALE == group.error(sync(known, generation=2))
    assert STALE == group.error(commit(1, member_id, 0))
    assert STALE == group.error(commit(1, member_id))
    assert UNKNOWN == group.error(commit(1, "other", 1))
    assert UNKNOWN == group.error(commit(1, "", 1))


def join_answer(member_id: str) -> JoinAnswer:
    return JoinAnswer(member_id=member_id, generation=1, leader_id=member_id)


def test_a_group_that_is_not_there_refuses() -> None:
    group = Coordinating()
    nobody = join_answer("x")

    assert UNKNOWN == group.error(heartbeat(nobody))
    assert UNKNOWN == group.error(sync(nobody))
    assert STALE == group.error(commit(1, "x", 1))
    (left,) = group.left(leave("x"))
    assert UNKNOWN == left.error
