"""Reassignments that are cancelled, or replaced by others, on the way."""

from cluster.controller.orders import LeaderAndIsr, StopReplica
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, LeaderEpoch
from tests.cluster.controller.asked import WriteAssignment, WriteStates
from tests.cluster.controller.harness import Harness
from tests.cluster.controller.reassigning import (
    T0,
    alter,
    assigned,
    cancel,
    catch_up,
    cluster_with,
    forget,
    half_way,
    leadership,
    moving,
    notify,
    reassign,
    replicas,
    told_to,
    writes,
)


def test_a_reassignment_that_is_given_up_returns_to_its_origin() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    forget(harness)

    cancel(harness)

    assert writes(harness) == [
        "state 1/2[1, 2]",  # U0: 3 may not join any more
        "topic [2, 1] +[] -[]",  # U1
        "state 1/3[1, 2]",  # B3
        "topic [2, 1] +[] -[]",  # B6
    ]
    assert told_to(harness, StopReplica) == ["3 StopReplica t-0/2", "3 StopReplica t-0/2 delete"]
    assert harness.active.context.hosted_on(BrokerId(3)) == ()


def test_a_replica_that_is_given_up_leaves_the_isr_before_it_leaves_the_topic() -> None:
    harness = half_way(1, 2)

    cancel(harness)

    assert writes(harness) == [
        "state 1/2[1, 2]",  # U0
        "topic [1, 2] +[] -[]",  # U1
        "state 1/3[1, 2]",  # B3
        "topic [1, 2] +[] -[]",  # B6
    ]


def test_a_leader_that_is_given_up_is_followed_by_another() -> None:
    harness = half_way(1, 2)
    lead(harness, 3)
    forget(harness)

    cancel(harness)

    assert writes(harness)[0] == "state 1/3[1, 2]"
    assert leadership(harness) == (1, 4, (1, 2))
    assert assigned(harness) == replicas(1, 2)


def test_where_nobody_else_can_lead_what_is_given_up_leaves_no_leader_until_one_can() -> None:
    harness = half_way(1)
    lead(harness, 3)
    harness.active.context.shutting_down[BrokerId(1)] = None

    cancel(harness)
    assert leadership(harness)[0] == -1
    assert assigned(harness) == replicas(1)

    harness.unregister(1)
    harness.settle()
    harness.register(1)
    harness.settle()

    assert leadership(harness)[0] == 1


def lead(harness: Harness, leader: int) -> None:
    """Let a replica lead that is not the first, by a state that another controller has left."""
    state = harness.state(T0)
    assert state is not None
    epoch = LeaderEpoch(state.leader_epoch + 1)
    harness.write_state(T0, state._replace(leader=BrokerId(leader), leader_epoch=epoch))
    notify(harness)


def test_a_replica_that_alone_has_everything_is_not_given_up() -> None:
    harness = half_way(1)
    lead(harness, 3)
    catch_up(harness, 3)
    forget(harness)

    refusals = alter(harness, {T0: None})

    refusal = refusals[T0]
    assert refusal is not None
    assert refusal.error is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert "unclean leader election" in (refusal.message or "")
    assert writes(harness) == []
    assert leadership(harness) == (3, 2, (3,))


def test_a_target_is_replaced_by_another_on_the_way() -> None:
    harness = half_way(1, 2)

    reassign(harness, 4, 2)

    assert assigned(harness) == moving((4, 2, 1), adding=(4,), removing=(1,))
    assert writes(harness) == [
        "state 1/2[1, 2]",  # U0
        "topic [4, 2, 1] +[4] -[1]",  # U1
        "state 1/3[1, 2]",  # A1
    ]
    orders = [line for line in harness.told() if "UpdateMetadata" not in line]
    assert [line for line in orders if line.startswith(("3", "4"))] == [
        "3 StopReplica t-0/2",  # U3
        "3 StopReplica t-0/2 delete",
        "4 LeaderAndIsr t-0:1/3[1,2] new",  # A1; it is no new replica in A2
    ]

    catch_up(harness, 1, 2, 4)

    assert assigned(harness) == replicas(4, 2)
    assert leadership(harness)[2] == (2, 4)


def test_a_leader_that_is_replaced_on_the_way_is_followed_by_another() -> None:
    harness = half_way(1, 2)
    lead(harness, 3)
    forget(harness)

    reassign(harness, 4, 2)

    assert leadership(harness) == (2, 4, (1, 2))
    assert assigned(harness).adding == (4,)


def test_a_topic_that_cannot_be_written_keeps_who_was_to_be_given_up() -> None:
    """U0 is told, and a leader that it has taken away is there again."""
    harness = half_way(1, 2)
    lead(harness, 3)
    forget(harness)
    harness.refuse(WriteAssignment)

    refusals = alter(harness, {T0: None})

    assert refusals[T0] is not None
    assert leadership(harness) == (1, 3, (1, 2))
    assert "3 LeaderAndIsr t-0:1/3[1,2]" in told_to(harness, LeaderAndIsr)

    harness.before = harness.do_nothing
    catch_up(harness, 1, 2, 3, 4)

    assert assigned(harness) == replicas(3, 4)


def test_a_state_that_cannot_be_written_keeps_who_was_to_be_given_up() -> None:
    harness = half_way(1, 2)
    harness.refuse(WriteStates)

    refusals = alter(harness, {T0: None})

    assert refusals == {
        T0: ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "The partition's state could not be written.")
    }
    assert assigned(harness).adding == (3, 4)
