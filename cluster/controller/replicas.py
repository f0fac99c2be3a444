"""Replica state machine: what happens when a replica goes from one state to another.

As in `partitions`, each pass takes many replicas, orders are sent at its end, and only about what
is written by then.

Source: Kafka's ReplicaStateMachine.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.election import without_replicas
from cluster.controller.procedures import (
    Procedure,
    States,
    confirm_epoch,
    is_ahead,
    rewrite_states,
    some_at_once,
)
from cluster.controller.replica_states import REPLICA_VALID_PREVIOUS, Replica, ReplicaStatus
from cluster.coordination.reads import StatesRead
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    replica_changed,
    replica_failed,
    replica_out_of_isr,
    replica_refused,
)

REPLICAS_PER_PARTITION: Final = 3
"""How many replicas most partitions have."""


def permitted(
    active: ActiveController, replicas: Iterable[Replica], target: ReplicaStatus
) -> tuple[Replica, ...]:
    """Those of *replicas* that may enter the state *target* from their present one."""
    allowed = REPLICA_VALID_PREVIOUS[target]
    result = []
    for replica in replicas:
        status = active.context.replica_status(replica)
        if status in allowed:
            result.append(replica)
        else:
            active.log(replica_refused(active.tag, *replica, status, target, sorted(allowed)))
    return tuple(result)


def make_new(active: ActiveController, replicas: Iterable[Replica]) -> None:
    """Add replicas; one that joins a partition which has a leader already is ordered to follow."""
    context = active.context
    batch = OrderBatch(active)
    for replica in permitted(active, replicas, ReplicaStatus.NEW):
        broker_id, partition = replica
        if partition in context.states:
            if context.leader_of(partition) == broker_id:
                _fail(active, replica, ReplicaStatus.NEW, "it leads the partition already")
                continue
            batch.add_leader_and_isr((broker_id,), partition, is_new=True)
        _set_status(active, replica, ReplicaStatus.NEW)
    batch.send()


def bring_online(active: ActiveController, replicas: Iterable[Replica]) -> Procedure[None]:
    """Send replicas their partitions' states; new ones have just received them.

    Can be repeated at will: a replica that has that leader epoch keeps its role.  Of very many,
    some start before the orders to the others are sent; the metadata is sent for all together.
    """
    batch = OrderBatch(active)
    able = permitted(active, replicas, ReplicaStatus.ONLINE)
    for number, part in enumerate(some_at_once(able, REPLICAS_PER_PARTITION)):
        if number > 0:
            batch.send_roles()
            yield from confirm_epoch(active)
        _bring_online(active, batch, part)
    batch.send()


def _bring_online(active: ActiveController, batch: OrderBatch, replicas: Iterable[Replica]) -> None:
    context = active.context
    for replica in replicas:
        broker_id, partition = replica
        is_new = context.replica_status(replica) is ReplicaStatus.NEW
        if not is_new and partition in context.states:
            batch.add_leader_and_isr((broker_id,), partition)
        _set_status(active, replica, ReplicaStatus.ONLINE)


def take_offline(
    active: ActiveController,
    replicas: Iterable[Replica],
    *,
    away: Collection[Replica] = (),
    tells_others: bool = True,
) -> Procedure[None]:
    """Stop replicas, remove them from their ISRs, and send the others the new states.

    Replicas that are only *away* may come back with everything: they stay in an ISR of which no
    member can be reached.

    Without *tells_others* the caller sends them, before it waits for anything but ZooKeeper.

    The replicas of a topic that is deleted leave their ISRs as well, but no state is sent, unless
    the topic has to wait for a reassignment: then its leaders go on until that is over.

    The ISR shrinks in ZooKeeper before the order to stop is sent.  In the other order the leader
    would wait for a replica that has stopped, and an election could choose it.
    """
    batch = OrderBatch(active)
    for able in some_at_once(permitted(active, replicas, ReplicaStatus.OFFLINE)):
        by_partition: dict[TopicPartition, list[BrokerId]] = {}
        for broker_id, partition in able:
            by_partition.setdefault(partition, []).append(broker_id)
            # Also where ZooKeeper then refuses the smaller ISR: it is to stop all the same.
            batch.add_stop_replica(broker_id, partition, is_deleted=False)
        states = yield from _remove_from_isrs(active, by_partition, away)
        _set_offline(active, batch, by_partition, states, tells_others)
        batch.send()


def _set_offline(
    active: ActiveController,
    batch: OrderBatch,
    by_partition: Mapping[TopicPartition, Sequence[BrokerId]],
    states: States,
    tells_others: bool,
) -> None:
    context = active.context
    for partition, state in states.items():
        context.states[partition] = state
        gone = by_partition[partition]
        if tells_others and not context.is_left_alone(partition):
            others = [r for r in context.assignments[partition].replicas if r not in gone]
            batch.add_leader_and_isr(others, partition)
        for broker_id in gone:
            active.log(replica_out_of_isr(active.tag, partition, state, broker_id))
            _set_status(active, Replica(broker_id, partition), ReplicaStatus.OFFLINE)
    for partition, gone in by_partition.items():
        if partition not in context.states:
            batch.add_update_metadata(context.brokers, (partition,))
            for broker_id in gone:
                _set_status(active, Replica(broker_id, partition), ReplicaStatus.OFFLINE)


def _remove_from_isrs(
    active: ActiveController,
    by_partition: Mapping[TopicPartition, Sequence[BrokerId]],
    away: Collection[Replica],
) -> Procedure[States]:
    """The states of partitions without those brokers in their ISRs; those that failed are missing.

    All replicas of a partition leave it in one write.
    """
    context = active.context
    led = tuple(partition for partition in by_partition if partition in context.states)
    settled: dict[TopicPartition, PartitionState] = {}

    def fail(partition: TopicPartition, reason: str) -> None:
        for broker_id in by_partition[partition]:
            _fail(active, Replica(broker_id, partition), ReplicaStatus.OFFLINE, reason)

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        wanted: dict[TopicPartition, PartitionState] = {}
        for partition in waiting:
            state = found.states.get(partition)
            if state is None:
                fail(partition, "its state is not in ZooKeeper")
                continue
            if is_ahead(active, state):
                fail(partition, written_by_another(active, state))
                continue
            heirs = {
                broker_id: context.reachable_replicas(partition)
                if Replica(broker_id, partition) in away
                else None
                for broker_id in by_partition[partition]
            }
            smaller = without_replicas(state, heirs, active.controller_epoch)
            if smaller is None:
                # Nothing to write.  The others are sent it all the same, as by Kafka: a replica
                # that has that leader epoch keeps what it has.
                settled[partition] = state
            else:
                wanted[partition] = smaller
        return wanted

    yield from rewrite_states(active, led, decide, settled.__setitem__, fail)
    return settled


def start_deletion(active: ActiveController, replicas: Iterable[Replica]) -> None:
    """Order replicas to delete their logs."""
    batch = OrderBatch(active)
    for replica in permitted(active, replicas, ReplicaStatus.DELETION_STARTED):
        batch.add_stop_replica(replica.broker_id, replica.partition, is_deleted=True)
        _set_status(active, replica, ReplicaStatus.DELETION_STARTED)
    batch.send()


def complete_deletion(active: ActiveController, replicas: Iterable[Replica]) -> None:
    """Note that logs are deleted."""
    for replica in permitted(active, replicas, ReplicaStatus.DELETION_SUCCESSFUL):
        _set_status(active, replica, ReplicaStatus.DELETION_SUCCESSFUL)


def fail_deletion(active: ActiveController, replicas: Iterable[Replica]) -> None:
    """Note that logs cannot be deleted for now."""
    for replica in permitted(active, replicas, ReplicaStatus.DELETION_INELIGIBLE):
        _set_status(active, replica, ReplicaStatus.DELETION_INELIGIBLE)


def remove(active: ActiveController, replicas: Iterable[Replica]) -> None:
    """Forget replicas whose logs are gone."""
    for replica in permitted(active, replicas, ReplicaStatus.NON_EXISTENT):
        _set_status(active, replica, ReplicaStatus.NON_EXISTENT)
        active.context.drop_replica(replica)


def written_by_another(active: ActiveController, state: PartitionState) -> str:
    """Kafka's words for a state that `is_ahead`."""
    return (
        "Leader and isr path written by another controller. This probably means the current"
        f" controller with epoch {active.controller_epoch} went through a soft failure and another"
        f" controller was elected with epoch {state.controller_epoch}. Aborting state change by"
        " this controller"
    )


def _set_status(active: ActiveController, replica: Replica, status: ReplicaStatus) -> None:
    if active.config.writes_traces:
        previous = active.context.replica_status(replica)
        active.log(replica_changed(active.tag, *replica, previous, status))
    active.context.set_replica_status(replica, status)


def _fail(active: ActiveController, replica: Replica, target: ReplicaStatus, reason: str) -> None:
    status = active.context.replica_status(replica)
    active.log(replica_failed(active.tag, *replica, status, target, reason))
