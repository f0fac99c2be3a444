"""Reassignment, phase by phase; the steps are named as in `cluster.controller.reassignment`."""

from typing import Final

import pytest

from cluster.controller.orders import LeaderAndIsr
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.requests import Create, Refused, ZkReply
from tests.cluster.controller.asked import Asked, WriteAssignment, WriteStates
from tests.cluster.controller.harness import tp
from tests.cluster.controller.reassigning import (
    T0,
    alter,
    assigned,
    catch_up,
    cluster_with,
    forget,
    leadership,
    moving,
    notify,
    reassign,
    replicas,
    told_to,
    writes,
)


def test_a_replica_moves_in_the_phases_of_kip_455() -> None:
    harness = cluster_with((1, 2))

    reassign(harness, 3, 2)

    assert writes(harness) == ["topic [3, 2, 1] +[3] -[1]", "state 1/1[1, 2]"]  # U1, A1
    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))
    assert told_to(harness, LeaderAndIsr) == [
        "1 LeaderAndIsr t-0:1/1[1,2]",
        "2 LeaderAndIsr t-0:1/1[1,2]",
        "3 LeaderAndIsr t-0:1/1[1,2] new",  # A1
        "3 LeaderAndIsr t-0:1/1[1,2] new",  # A2
    ]

    harness.requests.clear()
    catch_up(harness, 1, 2, 3)

    assert writes(harness) == [
        "state 3/2[1, 2, 3]",  # B3
        "state 3/3[2, 3]",  # B4
        "topic [3, 2] +[] -[]",  # B6
    ]
    assert leadership(harness) == (3, 3, (2, 3))
    assert [line for line in harness.told() if "UpdateMetadata" not in line] == [
        "1 StopReplica t-0/2",  # B4
        "1 StopReplica t-0/3 delete",  # B5
        "2 LeaderAndIsr t-0:3/2[1,2,3]",
        "2 LeaderAndIsr t-0:3/3[2,3]",
        "3 LeaderAndIsr t-0:3/2[1,2,3]",
        "3 LeaderAndIsr t-0:3/3[2,3]",
    ]
    assert harness.active.context.hosted_on(BrokerId(1)) == ()
    assert harness.active.context.hosted_on(BrokerId(3)) == (T0,)


def test_what_brokers_are_told_names_who_comes_and_who_goes() -> None:
    harness = cluster_with((1, 2))

    reassign(harness, 3, 2)

    orders = [order for _, order in harness.orders if isinstance(order, LeaderAndIsr)]
    assert {order.partitions[0].assignment for order in orders} == {
        moving((3, 2, 1), adding=(3,), removing=(1,))
    }


def test_who_is_in_the_isr_and_no_replica_any_more_is_told_as_one_that_goes() -> None:
    """Kafka's leaders wait for replicas only, and until B4 it can be elected."""
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    forget(harness)

    catch_up(harness, 1, 2, 3)

    told = [
        each
        for _, order in harness.orders
        if isinstance(order, LeaderAndIsr)
        for each in order.partitions
    ]
    assert {(1, 2, 3): moving((3, 2, 1), adding=(), removing=(1,)), (2, 3): replicas(3, 2)} == {
        each.state.isr: each.assignment for each in told
    }


def test_a_leader_that_stays_keeps_the_leadership_under_another_epoch() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3, 1)
    forget(harness)

    catch_up(harness, 1, 2, 3)

    assert writes(harness)[:2] == ["state 1/2[1, 2, 3]", "state 1/3[1, 3]"]


def test_the_lines_of_a_reassignment_are_kafkas() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)

    assert (
        "[Controller id=1 epoch=1] Sent LeaderAndIsr request (Leader:1,ISR:1,2,"
        "LeaderRecoveryState:RECOVERED,LeaderEpoch:1,ZkVersion:1,ControllerEpoch:1) with new "
        "replica assignment ReplicaAssignment(replicas=3,2,1, addingReplicas=3, "
        "removingReplicas=1) to leader 1 for partition being reassigned t-0"
    ) in harness.lines_apart()


def test_replicas_in_another_order_are_written_twice_as_by_kafka() -> None:
    harness = cluster_with((1, 2))

    reassign(harness, 2, 1)

    assert writes(harness) == ["topic [2, 1] +[] -[]", "state 1/1[1, 2]", "topic [2, 1] +[] -[]"]


def test_the_replicas_of_now_are_told_once_more() -> None:
    harness = cluster_with((1, 2))

    reassign(harness, 1, 2)

    assert writes(harness) == ["state 1/1[1, 2]", "topic [1, 2] +[] -[]"]


def test_replicas_in_another_order_need_no_leader() -> None:
    harness = cluster_with((2,))
    harness.unregister(2)
    harness.settle()

    reassign(harness, 2)

    assert assigned(harness) == replicas(2)
    assert leadership(harness)[0] == -1


def test_fewer_replicas_need_no_wait() -> None:
    harness = cluster_with((1, 2, 3))

    reassign(harness, 2)

    assert assigned(harness) == replicas(2)
    assert leadership(harness) == (2, 2, (2,))  # B4 once: the replicas leave together.


def test_more_replicas_wait_until_they_are_in_the_isr() -> None:
    harness = cluster_with((1,))
    reassign(harness, 1, 2, 3)

    catch_up(harness, 1, 2)
    assert assigned(harness).adding == (2, 3)

    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(1, 2, 3)
    assert leadership(harness) == (1, 2, (1, 2, 3))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ((), "Empty replica list specified in partition reassignment."),
        ((1, 1), "Duplicate replica ids in partition reassignment replica list: [1, 1]"),
        ((1, -1), "Invalid broker id in replica list: [1, -1]"),
        (
            (9, 1),
            "Replica assignment has brokers that are not alive. Replica list: [9], "
            "live broker list: [1, 2, 3]",
        ),
    ],
)
def test_a_target_that_cannot_be_is_refused(target: tuple[int, ...], message: str) -> None:
    harness = cluster_with((1, 2))

    refusals = alter(harness, {T0: target})

    assert refusals == {T0: ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)}
    assert writes(harness) == []


def test_a_broker_that_shuts_down_gets_no_replica() -> None:
    harness = cluster_with((1, 2))
    harness.active.context.shutting_down[BrokerId(3)] = None

    refusals = alter(harness, {T0: (1, 3)})

    refusal = refusals[T0]
    assert refusal is not None
    assert refusal.error is ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_a_dead_replica_may_stay_one() -> None:
    harness = cluster_with((1, 2))
    harness.unregister(2)
    harness.settle()

    reassign(harness, 3, 2)

    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))


def test_partitions_that_are_not_there_or_go_are_refused_and_others_are_not() -> None:
    harness = cluster_with((1, 2))
    harness.create_topic("gone", (1, 2), topic_id="id2")
    harness.settle()
    harness.silent = {2}
    harness.tool(Create(paths.delete_topic("gone")))
    harness.settle()

    refusals = alter(harness, {tp("x-0"): (1,), tp("t-1"): (1,), tp("gone-0"): (1,), T0: (2,)})

    unknown = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
    assert refusals == {
        tp("x-0"): unknown,
        tp("t-1"): unknown,
        tp("gone-0"): unknown,
        T0: None,
    }


def test_only_what_is_reassigned_can_be_given_up() -> None:
    harness = cluster_with((1, 2))

    refusals = alter(harness, {T0: None, tp("x-0"): None})

    none = ApiError(
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress."
    )
    assert refusals == {T0: none, tp("x-0"): none}


def test_a_topic_that_cannot_be_written_is_not_reassigned() -> None:
    harness = cluster_with((1, 2))
    harness.refuse(WriteAssignment)

    refusals = alter(harness, {T0: (3, 2)})

    refusal = refusals[T0]
    assert refusal is not None
    assert refusal.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert harness.active.context.assignments[T0] == replicas(1, 2)
    assert told_to(harness, LeaderAndIsr) == []


MANY: Final = [tp(f"t-{number}") for number in range(20)]


def test_partitions_that_move_together_are_written_together() -> None:
    """One by one, as in Kafka, the topic's node is written twice for each, and each of them waits
    for ZooKeeper some ten times: 500 moves kept a controller from anything else for minutes."""
    harness = cluster_with(*[(1, 2)] * len(MANY))

    refusals = alter(harness, dict.fromkeys(MANY, (3, 2)))
    for partition in MANY:
        harness.write_isr(partition, (1, 2, 3))
    notify(harness, *MANY)

    assert refusals == dict.fromkeys(MANY)
    assert [assigned(harness, each) for each in MANY] == [replicas(3, 2)] * len(MANY)
    asked = [type(request) for request in harness.requests]
    assert asked.count(WriteAssignment) == 2
    assert asked.count(WriteStates) <= 4


def test_what_does_not_fit_into_a_topics_node_together_is_written_as_far_as_it_does() -> None:
    harness = cluster_with(*[(1, 2)] * 3)

    def before(request: Asked) -> ZkReply | None:
        if isinstance(request, WriteAssignment):
            parts = request.assignment.partitions.values()
            if sum(part.is_reassigning for part in parts) > 2:
                return Refused("too large")
        return None

    harness.before = before
    refusals = alter(harness, dict.fromkeys(MANY[:3], (3, 2)))

    assert [each for each, refusal in refusals.items() if refusal is not None] == [MANY[2]]
    assert [assigned(harness, each).is_reassigning for each in MANY[:3]] == [True, True, False]
