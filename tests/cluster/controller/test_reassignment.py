"""Reassignment, phase by phase; the steps are named as in `cluster.controller.reassignment`."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from cluster.controller.events import (
    OrderAnswered,
    Requested,
    UncleanElectionEnabled,
)
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica
from cluster.controller.requests import (
    AlterPartition,
    AlterPartitionReply,
    AlterReassignments,
    AlterReassignmentsReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
    ListReassignments,
    ListReassignmentsReply,
    Refusal,
)
from cluster.controller.zookeeper_requests import (
    Answer,
    CreateStates,
    Failed,
    ReadStates,
    Verdict,
    WriteAssignment,
    WriteReassignment,
    WriteResult,
    WriteStates,
    Written,
    ZooKeeperRequest,
)
from cluster.model.admin import PartitionList, Reassignment
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId, LeaderEpoch, TopicPartition
from cluster.model.topic import RECOVERED, PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_reassignment
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment
from tests.cluster.controller.harness import Harness, tp

T0 = tp("t-0")


def active_controller(*broker_ids: int) -> Harness:
    harness = Harness(*broker_ids)
    harness.register_controller()
    return harness


def cluster_with(*replicas: tuple[int, ...], brokers: tuple[int, ...] = (1, 2, 3)) -> Harness:
    """Topic t has partitions with these replicas, all in the ISR; all orders so far are obeyed."""
    harness = active_controller(*brokers)
    harness.create_topic("t", *replicas)
    harness.settle()
    forget(harness)
    return harness


def forget(harness: Harness) -> None:
    harness.orders.clear()
    harness.lines.clear()
    harness.notes.clear()
    harness.requests.clear()


def alter(
    harness: Harness, targets: Mapping[TopicPartition, tuple[int, ...] | None]
) -> dict[TopicPartition, Refusal | None]:
    """Ask by API; what each partition is answered."""
    asked = {
        partition: None if target is None else tuple(map(BrokerId, target))
        for partition, target in targets.items()
    }
    harness.step(Requested(len(harness.replies), AlterReassignments(asked)))
    harness.settle()
    reply = harness.replies[-1].reply
    assert isinstance(reply, AlterReassignmentsReply)
    assert reply.error is ErrorCode.NONE
    return dict(reply.refusals)


def reassign(harness: Harness, *target: int, partition: TopicPartition = T0) -> None:
    assert alter(harness, {partition: target}) == {partition: None}


def cancel(harness: Harness) -> None:
    assert alter(harness, {T0: None}) == {T0: None}


def catch_up(harness: Harness, *isr: int, partition: TopicPartition = T0) -> None:
    """The leader writes the ISR, and the controller hears of it."""
    harness.write_isr(partition, isr)
    notify(harness, partition)


def notify(harness: Harness, partition: TopicPartition = T0) -> None:
    notification = encode_isr_change(PartitionList(partitions=(partition,)))
    harness.tool(Create(paths.isr_change_prefix(), notification, is_sequential=True))
    harness.settle()


def assigned(harness: Harness, partition: TopicPartition = T0) -> PartitionAssignment:
    """What stands in ZooKeeper."""
    node = harness.zookeeper.node(paths.topic(partition.topic))
    assert node is not None
    return decode_assignment(node).partitions[partition.partition]


def replicas(*broker_ids: int) -> PartitionAssignment:
    return PartitionAssignment(tuple(map(BrokerId, broker_ids)))


def moving(
    broker_ids: tuple[int, ...], adding: tuple[int, ...], removing: tuple[int, ...]
) -> PartitionAssignment:
    return PartitionAssignment(
        tuple(map(BrokerId, broker_ids)),
        tuple(map(BrokerId, adding)),
        tuple(map(BrokerId, removing)),
    )


def leadership(
    harness: Harness, partition: TopicPartition = T0
) -> tuple[int, int, tuple[int, ...]]:
    """The leader, the leader epoch and the ISR."""
    state = harness.state(partition)
    assert state is not None
    return state.leader, state.leader_epoch, state.isr


def writes(harness: Harness) -> list[str]:
    """What was written, in order: replicas into the topic's node, states, the request's rest."""
    lines = []
    for request in harness.requests:
        match request:
            case WriteAssignment(assignment=assignment):
                part = assignment.partitions[0]
                lines.append(
                    f"topic {list(part.replicas)} +{list(part.adding)} -{list(part.removing)}"
                )
            case WriteStates(writes=states):
                lines += (
                    f"state {w.state.leader}/{w.state.leader_epoch}{list(w.state.isr)}"
                    for w in states
                )
            case WriteReassignment(request=left):
                lines.append(f"request {len(left.targets)}")
            case _:
                pass
    return lines


def told_to(harness: Harness, kind: type[Order]) -> list[str]:
    words = kind.__name__
    return [line for line in harness.told() if f" {words} " in line]


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
    assert leadership(harness) == (2, 3, (2,))  # B4 twice: each replica leaves on its own.


def test_more_replicas_wait_until_they_are_in_the_isr() -> None:
    harness = cluster_with((1,))
    reassign(harness, 1, 2, 3)

    catch_up(harness, 1, 2)
    assert assigned(harness).adding == (2, 3)

    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(1, 2, 3)
    assert leadership(harness) == (1, 2, (1, 2, 3))


# What is refused


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

    assert refusals == {T0: Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)}
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

    unknown = Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")
    assert refusals == {
        tp("x-0"): unknown,
        tp("t-1"): unknown,
        tp("gone-0"): unknown,
        T0: None,
    }


def test_only_what_is_reassigned_can_be_given_up() -> None:
    harness = cluster_with((1, 2))

    refusals = alter(harness, {T0: None, tp("x-0"): None})

    none = Refusal(
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


# Given up and replaced


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


def half_way(*origin: int) -> Harness:
    """On the way from *origin* to 3 and 4, of which 3 is in the ISR."""
    harness = cluster_with(origin, brokers=(1, 2, 3, 4))
    reassign(harness, 3, 4)
    catch_up(harness, *origin, 3)
    forget(harness)
    return harness


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
    assert "unclean leader election" in refusal.message
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
        T0: Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, "The partition's state could not be written.")
    }
    assert assigned(harness).adding == (3, 4)


# Brokers that die, come back and are slow


def test_a_dead_replica_is_waited_for_and_told_again_when_it_is_back() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.unregister(3)
    harness.settle()
    forget(harness)

    harness.register(3)
    harness.settle()

    assert "3 LeaderAndIsr t-0:1/2[1,2] new" in told_to(harness, LeaderAndIsr)
    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(3)


def test_other_brokers_that_start_change_nothing() -> None:
    harness = cluster_with((1, 2), brokers=(1, 2, 3, 4))
    reassign(harness, 3)
    forget(harness)
    harness.unregister(4)
    harness.settle()

    harness.register(4)
    harness.settle()

    assert writes(harness) == []


def test_no_replica_goes_while_nobody_in_the_target_can_lead() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    forget(harness)
    harness.active.context.shutting_down[BrokerId(3)] = None

    catch_up(harness, 1, 2, 3)

    assert writes(harness) == []
    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))


def test_an_isr_that_shrinks_while_it_is_looked_at_keeps_all_replicas() -> None:
    """B3 finds an ISR without the target: what B1 and B2 have done is taken back."""
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    harness.write_isr(T0, (1, 2, 3))
    shrink_between(harness, (1, 2))

    notify(harness)

    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))
    assert harness.active.context.assignments[T0] == assigned(harness)
    assert told_to(harness, StopReplica) == []
    state = harness.state(T0)
    assert state is not None
    assert state.isr == (1, 2)
    roles = [line for line in harness.lines if "LeaderAndIsrPartitionState(" in line]
    assert "replicas=[3, 2, 1]" in roles[-1]

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3, 2)


def shrink_between(harness: Harness, isr: tuple[int, ...]) -> None:
    """Let the leader shrink the ISR between the second read of the state and the third."""
    reads = 0

    def before(request: ZooKeeperRequest) -> Answer | None:
        nonlocal reads
        if isinstance(request, ReadStates):
            reads += 1
            if reads == 2:
                harness.before = harness.do_nothing
                harness.write_isr(T0, isr)
        return None

    harness.before = before


def test_an_isr_without_any_of_the_target_keeps_all_replicas() -> None:
    """B3 finds nobody to lead; in Kafka B5 would delete the only replica that has everything."""
    harness = cluster_with((1,))
    reassign(harness, 3)
    harness.write_isr(T0, (1, 3))
    shrink_between(harness, (1,))

    notify(harness)

    assert assigned(harness) == moving((3, 1), adding=(3,), removing=(1,))
    assert harness.active.context.assignments[T0] == assigned(harness)
    assert leadership(harness) == (1, 1, (1,))
    assert told_to(harness, StopReplica) == []


def test_an_isr_that_cannot_be_written_keeps_all_replicas() -> None:
    """B4 is refused."""
    harness = cluster_with((1, 2))
    reassign(harness, 2)  # Complete, so that the next one has B3 behind it.
    reassign(harness, 2, 3)
    forget(harness)
    refuse_shrinking(harness)

    catch_up(harness, 2, 3)
    reassign(harness, 3)

    assert assigned(harness) == moving((3, 2), adding=(), removing=(2,))
    assert leadership(harness)[2] == (2, 3)
    assert not any("delete" in line for line in harness.told())
    assert harness.active.context.assignments[T0] == assigned(harness)

    harness.before = harness.do_nothing
    notify(harness)

    assert assigned(harness) == replicas(3)
    assert leadership(harness)[2] == (3,)


def refuse_shrinking(harness: Harness) -> None:
    def before(request: ZooKeeperRequest) -> Answer | None:
        if isinstance(request, WriteStates) and request.writes[0].state.isr == (3,):
            return Written((WriteResult(Verdict.REFUSED),))
        return None

    harness.before = before


def test_the_node_keeps_who_is_removed_until_all_of_them_have_deleted_their_logs() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.silent = {1}

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))
    harness.silent = set()
    answer_all(harness, 1)
    assert assigned(harness) == replicas(3)


def test_another_partition_of_the_topic_does_not_write_the_target_early() -> None:
    harness = cluster_with((1, 2), (1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)

    reassign(harness, 2, 1, partition=tp("t-1"))

    assert assigned(harness).removing == (2,)
    assert assigned(harness, tp("t-1")) == replicas(2, 1)


def answer_all(harness: Harness, broker_id: int) -> None:
    """Let a broker that was silent answer the order that it has; the rest follows."""
    order = next(order for b, order in reversed(harness.orders) if b == broker_id)
    result = harness.answer(BrokerId(broker_id), order)
    assert result is not None
    harness.step(OrderAnswered(BrokerId(broker_id), harness.correlation_ids[broker_id], result))
    harness.settle()


def test_a_broker_that_dies_is_not_waited_for_and_deletes_its_log_when_it_is_back() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    assert assigned(harness).removing == (2,)

    harness.unregister(2)
    harness.settle()
    assert assigned(harness) == replicas(1, 3)

    harness.silent = set()
    forget(harness)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == ["2 StopReplica t-0/3 delete"]

    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == []


def test_a_broker_that_bounces_is_waited_for() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert assigned(harness).removing == (2,)

    harness.silent = set()
    answer_all(harness, 2)

    assert assigned(harness) == replicas(1, 3)


def test_a_log_that_cannot_be_deleted_holds_nothing_up() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    refuse_deletions(harness)

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3)
    assert any("has its log: KAFKA_STORAGE_ERROR" in note for note in harness.notes)


def refuse_deletions(harness: Harness) -> None:
    obeyed = harness.answer

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, StopReplica) and order.partitions[0].is_deleted:
            return OrderResult(errors={T0: ErrorCode.KAFKA_STORAGE_ERROR})
        return obeyed(broker_id, order)

    harness.answer = answer


def test_a_replica_that_is_added_again_keeps_its_log() -> None:
    """What its broker did not confirm in its last life is not asked of it any more."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    reassign(harness, 1, 2)
    harness.silent = set()
    forget(harness)

    harness.unregister(2)
    harness.register(2)
    harness.settle()

    assert told_to(harness, StopReplica) == []
    assert assigned(harness) == moving((1, 2, 3), adding=(2,), removing=(3,))
    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(1, 2)


def test_asked_again_for_the_same_the_node_still_waits_for_the_logs() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)

    reassign(harness, 1, 3)

    assert assigned(harness).removing == (2,)


def test_a_removed_replica_whose_log_is_not_open_is_waited_for() -> None:
    """Its broker may be able to delete the files, and answers in any case."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.active.context.replicas_on_offline_dirs[BrokerId(2)] = {T0: None}
    harness.silent = {2}

    catch_up(harness, 1, 2, 3)
    assert assigned(harness).removing == (2,)

    harness.silent = set()
    answer_all(harness, 2)
    assert assigned(harness) == replicas(1, 3)


def test_what_a_removed_replica_says_of_its_disk_is_not_listened_to() -> None:
    """Its broker would be taken for one whose disk fails when it gets such a replica again."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    reassign(harness, 1, 2, 3)  # The order that is answered in the end.
    catch_up(harness, 1, 2, 3)
    reassign(harness, 1, 3)
    harness.silent = set()
    fail_to_open(harness, 2)

    answer_all(harness, 2)

    assert assigned(harness) == replicas(1, 3)
    assert T0 not in harness.active.context.replicas_on_offline_dirs.get(BrokerId(2), {})


def fail_to_open(harness: Harness, broker: int) -> None:
    obeyed = harness.answer

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, LeaderAndIsr) and broker_id == broker:
            return OrderResult(errors={T0: ErrorCode.KAFKA_STORAGE_ERROR})
        return obeyed(broker_id, order)

    harness.answer = answer


def test_a_log_that_was_not_deleted_is_not_in_the_way_of_the_next_topic_of_its_name() -> None:
    harness = cluster_with((1, 2))
    harness.unregister(2)
    harness.settle()
    reassign(harness, 1)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.create_topic("t", (2,), topic_id="id2")
    harness.settle()
    forget(harness)

    harness.register(2)
    harness.settle()
    roles = [line for line in harness.told() if line.startswith("2") and "UpdateM" not in line]
    assert roles == ["2 StopReplica t-0/-1 delete", "2 LeaderAndIsr t-0:2/0[2] new"]

    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == []


def test_a_broker_that_lives_keeps_the_log_of_the_next_topic_of_a_name() -> None:
    """It may have deleted the old one, with only its answer lost."""
    harness = cluster_with((1, 2))
    reassign(harness, 3, 1)
    obeyed = harness.answer
    refuse_deletions(harness)
    cancel(harness)
    harness.answer = obeyed
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.create_topic("t", (3,), topic_id="id2")
    harness.settle()
    forget(harness)

    harness.unregister(3)
    harness.register(3)
    harness.settle()

    assert told_to(harness, StopReplica) == []


def test_a_partition_that_nobody_could_lead_begins_with_its_new_replicas() -> None:
    harness = active_controller(1, 3)
    harness.create_topic("t", (2,))
    harness.settle()
    forget(harness)

    reassign(harness, 3)

    assert leadership(harness)[0] == 3
    assert assigned(harness) == replicas(3)
    assert harness.count(CreateStates) == 1


def test_an_unclean_leader_in_the_target_completes_a_reassignment() -> None:
    harness = cluster_with((2,))
    reassign(harness, 3)
    harness.unregister(2)
    harness.settle()
    assert assigned(harness).adding == (3,)

    harness.allows_unclean = True
    harness.step(UncleanElectionEnabled(None))

    assert leadership(harness)[2] == (3,)
    assert assigned(harness) == replicas(3)


# The controller dies


def fail_at(harness: Harness, number: int, *, has_landed: bool) -> list[ZooKeeperRequest]:
    """Let the controller end with its *number*th write, which has landed or not; 0 for never.

    Returns the writes that it has made.
    """
    made: list[ZooKeeperRequest] = []

    def before(request: ZooKeeperRequest) -> Answer | None:
        if not isinstance(request, WriteAssignment | WriteStates | WriteReassignment):
            return None
        made.append(request)
        if len(made) != number:
            return None
        harness.before = harness.do_nothing
        if has_landed:
            harness.carry_out_request(request)
        return Failed("the controller ends here")

    harness.before = before
    return made


def move_through(harness: Harness) -> None:
    """Move t-0 from 1 and 2 to 3 and 4, give that up half way, and then to 2 and 4.

    Each is asked for until it is answered, by whoever is the controller then.
    """
    ask(harness, (3, 4))
    catch_up_all(harness, 1, 2, 3)
    ask(harness, None)
    ask(harness, (2, 4))
    catch_up_all(harness, 1, 2, 4)


def ask(harness: Harness, target: tuple[int, ...] | None) -> None:
    wanted = None if target is None else tuple(map(BrokerId, target))
    while True:
        harness.step(Requested(len(harness.replies), AlterReassignments({T0: wanted})))
        harness.settle()
        reply = harness.replies[-1].reply
        assert isinstance(reply, AlterReassignmentsReply)
        if reply.error is ErrorCode.NONE:
            refusal = reply.refusals[T0]
            # What was given up just before the controller ended cannot be given up again.
            is_over = refusal is not None and target is None
            assert refusal is None or is_over, refusal
            return
        take_office(harness)


def catch_up_all(harness: Harness, *isr: int) -> None:
    """The leader has to try again when the controller was faster."""
    catch_up(harness, *isr)
    take_office(harness)


def take_office(harness: Harness) -> None:
    if harness.core.active is None:
        harness.pass_time()
        harness.settle()


@pytest.mark.slow
@pytest.mark.parametrize("has_landed", [False, True])
def test_whichever_write_is_a_controllers_last_the_next_one_completes(has_landed: bool) -> None:
    """Nobody else changes anything; what is left in the end is the same as without any failure."""
    whole = cluster_with((1, 2), brokers=(1, 2, 3, 4))
    made = fail_at(whole, 0, has_landed=False)
    move_through(whole)
    assert assigned(whole) == replicas(2, 4)
    assert len(made) >= 10

    for number in range(1, len(made) + 1):
        harness = cluster_with((1, 2), brokers=(1, 2, 3, 4))
        fail_at(harness, number, has_landed=has_landed)

        move_through(harness)

        assert len(harness.resignations) == 1, number
        assert assigned(harness) == replicas(2, 4), number
        state = harness.state(T0)
        assert state is not None
        assert set(state.isr) == {2, 4}, number
        assert state.leader in state.isr
        context = harness.active.context
        assert [context.hosted_on(BrokerId(b)) for b in (1, 2, 3, 4)] == [(), (T0,), (), (T0,)]


@pytest.mark.parametrize("has_landed", [False, True])
@pytest.mark.parametrize("kind", [WriteAssignment, WriteStates])
def test_answers_that_are_lost_change_nothing(
    kind: type[ZooKeeperRequest], has_landed: bool
) -> None:
    harness = cluster_with((1, 2))
    harness.lose_answers_to(kind, has_landed=has_landed)
    reassign(harness, 3, 2)
    harness.lose_answers_to(kind, has_landed=has_landed)

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3, 2)
    assert leadership(harness) == (3, 3, (2, 3))


def test_a_new_controller_goes_on_with_what_it_finds_in_the_topics() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.write_isr(T0, (1, 2, 3))
    harness.lose_controller()

    harness.register_controller()

    assert assigned(harness) == replicas(3)


def propose(harness: Harness, *isr: int) -> None:
    """Its leader, broker 1, asks for this ISR of t-0."""
    state = harness.state(T0)
    assert state is not None
    proposal = IsrProposal(
        state.leader_epoch,
        state.zk_version,
        tuple(IsrMember(BrokerId(member)) for member in isr),
        RECOVERED,
    )
    asked = AlterPartition(
        BrokerId(1), harness.broker_epoch(1), {AskedTopic(name="t"): {0: proposal}}
    )
    harness.step(Requested(99, asked))
    harness.settle()


def test_a_leader_is_answered_before_the_reassignment_that_it_completes() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)

    propose(harness, 1, 2, 3)

    assert assigned(harness) == replicas(1, 3)
    reply = harness.replies[-1].reply
    assert isinstance(reply, AlterPartitionReply)
    altered = reply.topics[AskedTopic(name="t")][0]
    assert altered.state is not None
    assert (altered.state.leader_epoch, altered.state.isr) == (1, (1, 2, 3))


def test_a_leader_is_answered_once_when_the_controller_ends_behind_its_answer() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.replies.clear()
    fail_at(harness, 2, has_landed=False)

    propose(harness, 1, 2, 3)

    assert len(harness.resignations) == 1
    assert [type(reply.reply) for reply in harness.replies] == [AlterPartitionReply]


# Topics


def test_a_topic_waits_with_its_deletion_until_nothing_moves_any_more() -> None:
    harness = cluster_with((1, 2), (1, 2))
    reassign(harness, 3)
    reassign(harness, 3, partition=tp("t-1"))
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    assert harness.zookeeper.node(paths.topic("t")) is not None

    catch_up(harness, 1, 2, 3)
    assert harness.zookeeper.node(paths.topic("t")) is not None

    catch_up(harness, 1, 2, 3, partition=tp("t-1"))

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_topic_waits_with_its_deletion_until_the_logs_of_removed_replicas_are_gone() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    assert harness.zookeeper.node(paths.topic("t")) is not None

    harness.silent = set()
    answer_all(harness, 2)

    assert harness.zookeeper.node(paths.topic("t")) is None


def test_a_topic_that_waits_to_be_deleted_still_gets_leaders() -> None:
    """Or its reassignment would never end, and the deletion never begin."""
    harness = cluster_with((2,))
    reassign(harness, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    harness.unregister(2)
    harness.settle()
    assert leadership(harness)[0] == -1
    harness.register(2)
    harness.settle()
    assert leadership(harness)[0] == 2

    catch_up(harness, 2, 3)
    assert harness.zookeeper.node(paths.topic("t")) is None


@pytest.mark.parametrize("is_by_znode", [False, True])
@pytest.mark.parametrize("dies", [False, True])
def test_a_move_is_given_up_so_that_the_topic_is_deleted(is_by_znode: bool, dies: bool) -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    harness.tool(Create(paths.delete_topic("t")))
    if dies:
        harness.unregister(3)
    harness.settle()
    other = alter(harness, {T0: (1, 3)})
    assert other[T0] is not None
    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))

    if is_by_znode:
        request = Reassignment(targets={T0: (BrokerId(1), BrokerId(2))})
        harness.tool(Create(paths.REASSIGN_PARTITIONS, encode_reassignment(request)))
        harness.settle()
    else:
        cancel(harness)

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    assert harness.zookeeper.node(paths.REASSIGN_PARTITIONS) is None


HALF_DELETED = (
    b'{"version":3,"topic_id":"id","partitions":{"0":[2,1]},"adding_replicas":{"0":[2]},'
    b'"removing_replicas":{"0":[1]}}'
)


@pytest.mark.parametrize("way_out", ["broker", "cancel"])
@pytest.mark.parametrize("is_marked_later", [False, True])
def test_a_topic_that_goes_is_not_brought_into_being_to_be_moved(
    is_marked_later: bool, way_out: str
) -> None:
    """Its deletion has taken the states, and waits for a dead broker; nothing else moves it."""
    harness = Harness(1, 3)
    harness.tool(Create(paths.topic("t"), HALF_DELETED))
    if is_marked_later:
        harness.refuse(CreateStates)
        harness.register_controller()
        harness.before = harness.do_nothing
    harness.tool(Create(paths.delete_topic("t")))
    if is_marked_later:
        harness.settle()
    else:
        harness.register_controller()
    forget(harness)

    harness.register(4)
    harness.settle()
    harness.unregister(3)
    harness.settle()
    harness.register(3)
    harness.settle()

    assert harness.state(T0) is None
    assert told_to(harness, LeaderAndIsr) == []
    assert harness.zookeeper.node(paths.topic("t")) is not None

    if way_out == "broker":
        harness.register(2)
        harness.settle()
    else:
        cancel(harness)

    assert harness.zookeeper.node(paths.topic("t")) is None
    assert harness.zookeeper.children(paths.DELETE_TOPICS) == ()
    # The next topic of the name has what it needs.
    harness.create_topic("t", (1, 2), topic_id="id2")
    harness.settle()
    assert leadership(harness)[0] == 1


def test_partitions_that_are_added_meanwhile_are_kept() -> None:
    harness = cluster_with((1, 2))

    def add_partition() -> None:
        node = harness.zookeeper.node(paths.topic("t"))
        assert node is not None
        assignment = decode_assignment(node)
        partitions = {**assignment.partitions, 1: replicas(2, 3)}
        grown = TopicAssignment(partitions=partitions, topic_id=assignment.topic_id)
        harness.tool(SetData(paths.topic("t"), encode_assignment(grown), MATCH_ANY))

    harness.interfere(WriteAssignment, add_partition)
    reassign(harness, 3)

    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))
    assert assigned(harness, tp("t-1")) == replicas(2, 3)
    assert leadership(harness, tp("t-1"))[0] == 2


def test_a_topic_that_is_gone_is_not_reassigned() -> None:
    harness = cluster_with((1, 2))

    def remove() -> None:
        harness.remove_state(T0)
        harness.tool(Delete(paths.partitions("t")), Delete(paths.topic("t")))

    harness.interfere(WriteAssignment, remove)

    refusals = alter(harness, {T0: (3,)})

    refusal = refusals[T0]
    assert refusal is not None
    assert refusal.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert "t" not in harness.active.context.topics


def test_a_deletion_that_was_asked_for_takes_new_partitions_back_amid_a_reassignment() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()

    node = harness.zookeeper.node(paths.topic("t"))
    assert node is not None
    assignment = decode_assignment(node)
    grown = replace(assignment, partitions={**assignment.partitions, 1: replicas(2, 3)})
    harness.tool(SetData(paths.topic("t"), encode_assignment(grown), MATCH_ANY))
    catch_up(harness, 1, 2, 3)

    assert harness.zookeeper.node(paths.topic("t")) is None


# What is under way


def ongoing(
    harness: Harness, *partitions: TopicPartition
) -> dict[TopicPartition, PartitionAssignment]:
    harness.step(Requested(len(harness.replies), ListReassignments(partitions or None)))
    reply = harness.replies[-1].reply
    assert isinstance(reply, ListReassignmentsReply)
    return dict(reply.assignments)


def test_what_is_under_way_is_listed() -> None:
    harness = cluster_with((1, 2), (1, 2))
    assert ongoing(harness) == {}
    reassign(harness, 3)
    moved = moving((3, 1, 2), adding=(3,), removing=(1, 2))

    assert ongoing(harness) == {T0: moved}
    assert ongoing(harness, T0, tp("t-1"), tp("x-7")) == {T0: moved}
    assert ongoing(harness, tp("t-1")) == {}


def test_a_broker_that_is_not_the_controller_says_so() -> None:
    harness = Harness(1)
    harness.step(Requested(0, AlterReassignments({T0: None})))
    harness.step(Requested(1, ListReassignments(None)))

    assert [reply.reply for reply in harness.replies] == [
        AlterReassignmentsReply(ErrorCode.NOT_CONTROLLER),
        ListReassignmentsReply(ErrorCode.NOT_CONTROLLER),
    ]


def test_a_state_that_is_ahead_of_every_controller_keeps_who_was_to_be_given_up() -> None:
    harness = half_way(1, 2)
    before = harness.write_state_ahead(T0)

    refusals = alter(harness, {T0: None})

    assert refusals == {
        T0: Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, "The partition's state could not be written.")
    }
    assert harness.state(T0) == before
    assert not harness.resignations
    assert any("keeps its state: Leader and isr path written" in note for note in harness.notes)
