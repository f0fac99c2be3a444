"""Notifications and answers of brokers, and what the controller does with them.

Brokers leave notifications in ZooKeeper of changed ISRs and failed log directories, and they answer
orders.
"""

from collections.abc import Iterable

from cluster.controller import reassignment, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.brokers import on_replicas_offline
from cluster.controller.deletion import on_removal_confirmed, on_stopped
from cluster.controller.orders import (
    LeaderAndIsr,
    Order,
    OrderResult,
    StopReplica,
    UpdateMetadata,
)
from cluster.controller.procedures import Procedure, fenced, read_states
from cluster.controller.replica_states import Replica
from cluster.coordination import reads, writes
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import LEADER_DURING_DELETION, BrokerId, TopicPartition
from cluster.statechange.controller import (
    OrderName,
    replicas_offline,
    response_failed,
    response_received,
    response_text,
)


def refresh_isrs(active: ActiveController) -> Procedure[None]:
    """Read again what leaders have changed, send it to all brokers, and remove the notifications.

    They are removed last: after a crash in between the next controller reads everything anyway.
    Only notifications that were read are removed: a later one belongs to the next hint.
    """
    read = yield from reads.read_isr_changes(active.client)
    changed = dict.fromkeys(read.partitions)
    yield from refresh_states(active, changed)
    yield from reassignment.on_isr_changed(active, changed)
    yield from fenced(writes.delete_notifications(active.fence, isr_changes=read.names))


def refresh_states(
    active: ActiveController, partitions: Iterable[TopicPartition]
) -> Procedure[None]:
    """Read states again, and send them to all brokers."""
    context = active.context
    known = tuple(partition for partition in partitions if partition in context.states)
    states = yield from read_states(active, known)
    context.states |= states
    batch = OrderBatch(active)
    if states:
        batch.add_update_metadata(context.brokers, states)
    batch.send()


def check_log_dirs(active: ActiveController) -> Procedure[None]:
    """Ask brokers that lost a directory which replicas were in it: their answers to LeaderAndIsr
    contain it.
    """
    read = yield from reads.read_log_dir_events(active.client)
    context = active.context
    asked = dict.fromkeys(broker for broker in read.broker_ids if broker in context.brokers)
    yield from replicas.bring_online(
        active,
        tuple(
            Replica(broker_id, partition)
            for broker_id in asked
            for partition in context.hosted_on(broker_id)
            if not context.is_left_alone(partition) and context.is_reachable(broker_id, partition)
        ),
    )
    yield from fenced(writes.delete_notifications(active.fence, log_dir_events=read.names))


def on_answer(
    active: ActiveController,
    broker_id: BrokerId,
    correlation_id: int,
    order: Order,
    result: OrderResult,
) -> Procedure[None]:
    """Process a broker's answer to an order.

    The answer may have waited while the broker restarted: the disks and logs of the earlier
    incarnation do not count for this one.
    """
    _log_answer(active, broker_id, correlation_id, order, result)
    broker = active.context.brokers.get(broker_id)
    if broker is None or broker.broker_epoch != order.broker_epoch:
        return
    if isinstance(order, LeaderAndIsr):
        yield from _on_leader_and_isr(active, broker_id, result)
    elif isinstance(order, StopReplica):
        yield from _on_stop_replica(active, broker_id, order, result)
    else:
        yield from _on_update_metadata(active, broker_id, order, result)


def _on_leader_and_isr(
    active: ActiveController, broker_id: BrokerId, result: OrderResult
) -> Procedure[None]:
    """Take replicas offline whose disk has failed, and mark those as back whose disk works."""
    context = active.context
    if result.error != ErrorCode.NONE:
        return
    offline = context.replicas_on_offline_dirs.setdefault(broker_id, {})
    failed = []
    for partition, error in result.errors.items():
        assignment = context.assignments.get(partition)
        if assignment is None or broker_id not in assignment.replicas:
            # It was removed after the order that is answered: its log is to be deleted.
            continue
        if error == ErrorCode.KAFKA_STORAGE_ERROR and partition not in offline:
            # Before the elections below, which would choose this replica again.
            offline[partition] = None
            failed.append(partition)
        elif error == ErrorCode.NONE:
            offline.pop(partition, None)
    if failed:
        active.log(replicas_offline(active.tag, failed, broker_id))
        lost = tuple(Replica(broker_id, partition) for partition in failed)
        yield from on_replicas_offline(active, lost)


def _on_stop_replica(
    active: ActiveController, broker_id: BrokerId, order: StopReplica, result: OrderResult
) -> Procedure[None]:
    deleted = [stopped.partition for stopped in order.partitions if stopped.is_deleted]
    stopped: list[Replica] = []
    failed: dict[Replica, str] = {}
    for partition in deleted:
        error = result.error or result.errors.get(partition, ErrorCode.NONE)
        replica = Replica(broker_id, partition)
        if error == ErrorCode.NONE:
            stopped.append(replica)
        else:
            failed[replica] = error_name(error)
    if deleted:
        yield from on_stopped(active, stopped, failed)
        yield from reassignment.on_stopped(active, stopped, failed)


def _on_update_metadata(
    active: ActiveController, broker_id: BrokerId, order: UpdateMetadata, result: OrderResult
) -> Procedure[None]:
    if result.error != ErrorCode.NONE or not active.context.unconfirmed_removals:
        return
    topics = dict.fromkeys(
        published.partition.topic
        for published in order.partitions
        if published.state.leader == LEADER_DURING_DELETION
    )
    if topics:
        yield from on_removal_confirmed(active, broker_id, topics)


def _log_answer(
    active: ActiveController,
    broker_id: BrokerId,
    correlation_id: int,
    order: Order,
    result: OrderResult,
) -> None:
    if result.error == ErrorCode.NONE and not active.config.writes_traces:
        return
    name = _name(order)
    text = response_text(name, result.error, result.errors)
    broker = active.context.brokers.get(broker_id)
    if broker is not None and broker.endpoints and active.config.writes_traces:
        endpoint = broker.endpoints[0]
        active.log(
            response_received(
                active.tag,
                name,
                text,
                correlation_id,
                broker_id,
                endpoint.host,
                endpoint.port,
                broker.rack,
            )
        )
    if result.error != ErrorCode.NONE:
        active.log(response_failed(active.tag, name, error_name(result.error), text, broker_id))


def _name(order: Order) -> OrderName:
    if isinstance(order, LeaderAndIsr):
        return OrderName.LEADER_AND_ISR
    return OrderName.STOP_REPLICA if isinstance(order, StopReplica) else OrderName.UPDATE_METADATA


def error_name(code: int) -> str:
    """Kafka's name of an error code; the number for a code that Kafka 3.9 does not have."""
    try:
        return ErrorCode(code).name
    except ValueError:
        return str(code)
