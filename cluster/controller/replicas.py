"""What happens when a replica goes from one state to another?

As in `partitions`, each pass takes many replicas, and brokers are told at its end.

Source: Kafka's ReplicaStateMachine.
"""

from collections.abc import Iterable

from cluster.controller.asking import Procedure, read_states, write_states
from cluster.controller.asks import Verdict
from cluster.controller.batch import OrderBatch
from cluster.controller.election import is_same_decision, without_replica
from cluster.controller.replica_states import REPLICA_VALID_PREVIOUS, Replica, ReplicaStatus
from cluster.controller.tenure import Tenure
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    replica_changed,
    replica_failed,
    replica_out_of_isr,
    replica_refused,
)


def permitted(
    tenure: Tenure, replicas: Iterable[Replica], target: ReplicaStatus
) -> tuple[Replica, ...]:
    """Those of *replicas* that may become *target* from what they are."""
    allowed = REPLICA_VALID_PREVIOUS[target]
    result = []
    for replica in replicas:
        status = tenure.context.replica_status(replica)
        if status in allowed:
            result.append(replica)
        else:
            tenure.log(replica_refused(tenure.tag, *replica, status, target, sorted(allowed)))
    return tuple(result)


def make_new(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Take up replicas; one that joins a partition which is led already is told to follow."""
    context = tenure.context
    batch = OrderBatch(tenure)
    for replica in permitted(tenure, replicas, ReplicaStatus.NEW):
        broker_id, partition = replica
        if partition in context.states:
            if context.leader_of(partition) == broker_id:
                _fail(tenure, replica, ReplicaStatus.NEW, "it leads the partition already")
                continue
            batch.add_leader_and_isr((broker_id,), partition, is_new=True)
        _set_status(tenure, replica, ReplicaStatus.NEW)
    batch.send()


def bring_online(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Tell replicas what their partitions are like; new ones have just been told."""
    context = tenure.context
    batch = OrderBatch(tenure)
    for replica in permitted(tenure, replicas, ReplicaStatus.ONLINE):
        broker_id, partition = replica
        is_new = context.replica_status(replica) is ReplicaStatus.NEW
        if not is_new and partition in context.states:
            batch.add_leader_and_isr((broker_id,), partition)
        _set_status(tenure, replica, ReplicaStatus.ONLINE)
    batch.send()


def take_offline(tenure: Tenure, replicas: Iterable[Replica]) -> Procedure[None]:
    """Stop replicas, take them out of their ISRs, and tell the others of each partition.

    The replicas of a topic that is deleted leave their ISRs as well, but nobody is told.
    """
    batch = OrderBatch(tenure)
    by_broker: dict[BrokerId, list[TopicPartition]] = {}
    for broker_id, partition in permitted(tenure, replicas, ReplicaStatus.OFFLINE):
        by_broker.setdefault(broker_id, []).append(partition)
        batch.add_stop_replica(broker_id, partition, is_deleted=False)
    # One broker after the other: two replicas of one partition change its state twice.
    for broker_id, partitions in by_broker.items():
        yield from _take_offline(tenure, batch, broker_id, partitions)
    batch.send()


def _take_offline(
    tenure: Tenure, batch: OrderBatch, broker_id: BrokerId, partitions: list[TopicPartition]
) -> Procedure[None]:
    context = tenure.context
    led = tuple(partition for partition in partitions if partition in context.states)
    states = yield from _remove_from_isrs(tenure, broker_id, led)
    for partition, state in states.items():
        context.states[partition] = state
        if not context.is_to_be_deleted(partition):
            others = [r for r in context.assignments[partition].replicas if r != broker_id]
            batch.add_leader_and_isr(others, partition)
        tenure.log(replica_out_of_isr(tenure.tag, partition, state, broker_id))
        _set_status(tenure, Replica(broker_id, partition), ReplicaStatus.OFFLINE)
    for partition in partitions:
        if partition not in context.states:
            batch.add_update_metadata(context.brokers, (partition,))
            _set_status(tenure, Replica(broker_id, partition), ReplicaStatus.OFFLINE)


def _remove_from_isrs(
    tenure: Tenure, broker_id: BrokerId, partitions: tuple[TopicPartition, ...]
) -> Procedure[dict[TopicPartition, PartitionState]]:
    """The states of partitions without the broker in their ISRs; failures are logged, and missing.

    Read, decide and write, again for those that somebody else has written in between.
    """
    waiting = dict.fromkeys(partitions)
    attempted: dict[TopicPartition, PartitionState] = {}
    settled: dict[TopicPartition, PartitionState] = {}
    while waiting:
        stored = yield from read_states(tenure, tuple(waiting))
        wanted: dict[TopicPartition, PartitionState] = {}
        for partition in waiting:
            if partition not in stored:
                reason = "its state is not in ZooKeeper"
                _fail(tenure, Replica(broker_id, partition), ReplicaStatus.OFFLINE, reason)
                continue
            state = stored[partition]
            smaller = without_replica(state, broker_id, tenure.controller_epoch)
            has_landed = partition in attempted and is_same_decision(state, attempted[partition])
            if smaller is None or has_landed:
                settled[partition] = state
            else:
                wanted[partition] = smaller
        attempted = wanted
        results = yield from write_states(tenure, attempted)
        waiting = {}
        for partition, result in results.items():
            if result.verdict is Verdict.DONE:
                settled[partition] = wanted[partition]._replace(zk_version=result.zk_version)
            elif result.verdict is Verdict.REFUSED:
                reason = f"ZooKeeper refused to write its state {wanted[partition]}"
                _fail(tenure, Replica(broker_id, partition), ReplicaStatus.OFFLINE, reason)
            else:
                waiting[partition] = None
    return settled


def start_deletion(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Tell replicas to delete their logs."""
    batch = OrderBatch(tenure)
    for replica in permitted(tenure, replicas, ReplicaStatus.DELETION_STARTED):
        batch.add_stop_replica(replica.broker_id, replica.partition, is_deleted=True)
        _set_status(tenure, replica, ReplicaStatus.DELETION_STARTED)
    batch.send()


def complete_deletion(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Note that logs are gone."""
    for replica in permitted(tenure, replicas, ReplicaStatus.DELETION_SUCCESSFUL):
        _set_status(tenure, replica, ReplicaStatus.DELETION_SUCCESSFUL)


def fail_deletion(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Note that logs cannot be deleted for now."""
    for replica in permitted(tenure, replicas, ReplicaStatus.DELETION_INELIGIBLE):
        _set_status(tenure, replica, ReplicaStatus.DELETION_INELIGIBLE)


def remove(tenure: Tenure, replicas: Iterable[Replica]) -> None:
    """Forget replicas whose logs are gone."""
    for replica in permitted(tenure, replicas, ReplicaStatus.NON_EXISTENT):
        _set_status(tenure, replica, ReplicaStatus.NON_EXISTENT)
        tenure.context.drop_replica(replica)


def _set_status(tenure: Tenure, replica: Replica, status: ReplicaStatus) -> None:
    if tenure.config.writes_traces:
        previous = tenure.context.replica_status(replica)
        tenure.log(replica_changed(tenure.tag, *replica, previous, status))
    tenure.context.set_replica_status(replica, status)


def _fail(tenure: Tenure, replica: Replica, target: ReplicaStatus, reason: str) -> None:
    status = tenure.context.replica_status(replica)
    tenure.log(replica_failed(tenure.tag, *replica, status, target, reason))
