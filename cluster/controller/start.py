"""How does a new controller begin?

In Kafka's order: everything is read, then the brokers are told who is alive, and only then who
leads what, since a broker can follow no leader whose address it does not know.

Source: Kafka's KafkaController.onControllerFailover.
"""

from cluster.controller import deletion, partitions, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import Procedure, ask, read_states, settle
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.topics import learn
from cluster.controller.zookeeper_requests import (
    BrokersRead,
    DeletionRequestsRead,
    DropNotifications,
    IsrChangesRead,
    LogDirEventsRead,
    ReadBrokers,
    ReadDeletionRequests,
    ReadIsrChanges,
    ReadLogDirEvents,
    ReadTopics,
    TopicsRead,
)
from cluster.model.ids import TopicPartition


def begin(active: ActiveController) -> Procedure[None]:
    """Read the cluster and bring it into order; what changes meanwhile comes as hints later."""
    yield from _drop_notifications(active)
    topics = yield from _load(active)
    yield from _load_deletions(active, topics)
    batch = OrderBatch(active)
    batch.add_update_metadata(active.context.brokers)
    batch.send()
    yield from _start_replicas(active)
    _set_first_statuses(active)
    yield from partitions.bring_leaderless_online(active)
    yield from deletion.resume(active)


def _drop_notifications(active: ActiveController) -> Procedure[None]:
    """What they tell is covered by what is read next; reading them arms their watches."""
    log_dirs = yield from ask(ReadLogDirEvents(), LogDirEventsRead)
    isrs = yield from ask(ReadIsrChanges(), IsrChangesRead)
    if log_dirs.names or isrs.names:
        yield from settle(
            DropNotifications(
                isr_changes=isrs.names,
                log_dir_events=log_dirs.names,
                epoch_zk_version=active.epoch_zk_version,
            )
        )


def _load(active: ActiveController) -> Procedure[tuple[str, ...]]:
    """Fill the context; returns the names of all topics, those that are damaged included."""
    context = active.context
    brokers = yield from ask(ReadBrokers(), BrokersRead)
    context.set_brokers(brokers.brokers.values())
    topics = yield from ask(ReadTopics(), TopicsRead)
    known = yield from learn(active, topics.topics)
    context.states |= yield from read_states(active, known)
    for broker in context.brokers.values():
        active.effects.append(active.channels.open(broker))
    return topics.topics


def _load_deletions(active: ActiveController, topics: tuple[str, ...]) -> Procedure[None]:
    """Topics with a dead replica wait for it: what was begun with them is begun anew then."""
    read = yield from ask(ReadDeletionRequests(), DeletionRequestsRead)
    senseless = tuple(topic for topic in read.topics if topic not in topics)
    yield from deletion.drop_requests(active, senseless)
    yield from deletion.enqueue(active, read.topics)
    for topic in active.context.to_delete:
        if deletion.has_dead_replica(active, topic):
            active.context.ineligible[topic] = None


def _start_replicas(active: ActiveController) -> Procedure[None]:
    """Replicas on live brokers are online, others go offline, out of their ISRs.

    A dead one is ineligible first: should its topic be deleted, it cannot be asked to.
    """
    context = active.context
    online, offline = [], []
    for partition, assignment in context.assignments.items():
        for broker_id in assignment.replicas:
            replica = Replica(broker_id, partition)
            if context.is_reachable(broker_id, partition):
                context.set_replica_status(replica, ReplicaStatus.ONLINE)
                online.append(replica)
            else:
                context.set_replica_status(replica, ReplicaStatus.DELETION_INELIGIBLE)
                offline.append(replica)
    replicas.bring_online(active, online)
    yield from replicas.take_offline(active, offline)


def _set_first_statuses(active: ActiveController) -> None:
    context = active.context
    for partition in context.assignments:
        context.set_partition_status(partition, _first_status(active, partition))


def _first_status(active: ActiveController, partition: TopicPartition) -> PartitionStatus:
    if partition not in active.context.states:
        return PartitionStatus.NEW
    if active.context.has_live_leader(partition):
        return PartitionStatus.ONLINE
    return PartitionStatus.OFFLINE
