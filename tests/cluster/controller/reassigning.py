"""Topics whose replicas move: what tests ask of the controller, and what they look at."""

from collections.abc import Mapping

from cluster.controller.events import (
    OrderAnswered,
    Requested,
)
from cluster.controller.orders import Order
from cluster.controller.requests import AlterReassignments, AlterReassignmentsReply
from cluster.model.admin import PartitionList
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change
from cluster.zk.requests import Create
from cluster.zk.topics import decode_assignment
from tests.cluster.controller.asked import WriteAssignment, WriteReassignment, WriteStates
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
) -> dict[TopicPartition, ApiError | None]:
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


def notify(harness: Harness, *partitions: TopicPartition) -> None:
    notification = encode_isr_change(PartitionList(partitions=partitions or (T0,)))
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
            case WriteStates(states):
                lines += (
                    f"state {one.leader}/{one.leader_epoch}{list(one.isr)}"
                    for one in states.values()
                )
            case WriteReassignment(count):
                lines.append(f"request {count}")
            case _:
                pass
    return lines


def told_to(harness: Harness, kind: type[Order]) -> list[str]:
    words = kind.__name__
    return [line for line in harness.told() if f" {words} " in line]


def half_way(*origin: int) -> Harness:
    """On the way from *origin* to 3 and 4, of which 3 is in the ISR."""
    harness = cluster_with(origin, brokers=(1, 2, 3, 4))
    reassign(harness, 3, 4)
    catch_up(harness, *origin, 3)
    forget(harness)
    return harness


def answer_all(harness: Harness, broker_id: int) -> None:
    """Let a broker that was silent answer the order that it has; the rest follows."""
    order = next(order for b, order in reversed(harness.orders) if b == broker_id)
    result = harness.answer(BrokerId(broker_id), order)
    assert result is not None
    harness.step(OrderAnswered(BrokerId(broker_id), harness.correlation_ids[broker_id], result))
    harness.settle()
