"""How does a new controller begin?

In Kafka's order: everything is read, then the brokers are told who is alive, and only then who
leads what, since a broker can follow no leader whose address it does not know.

Source: Kafka's KafkaController.onControllerFailover.
"""

from cluster.controller import deletion, partitions, replicas
from cluster.controller.asking import Procedure, ask, read_states, settle
from cluster.controller.asks import (
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
from cluster.controller.batch import OrderBatch
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.tenure import Tenure
from cluster.controller.topics import learn
from cluster.model.ids import TopicPartition


def begin(tenure: Tenure) -> Procedure[None]:
    """Read the cluster and bring it into order; what changes meanwhile comes as hints later."""
    yield from _drop_notifications(tenure)
    topics = yield from _load(tenure)
    yield from _load_deletions(tenure, topics)
    batch = OrderBatch(tenure)
    batch.add_update_metadata(tenure.context.brokers)
    batch.send()
    yield from _start_replicas(tenure)
    _set_first_statuses(tenure)
    yield from partitions.bring_leaderless_online(tenure)
    yield from deletion.resume(tenure)


def _drop_notifications(tenure: Tenure) -> Procedure[None]:
    """What they tell is covered by what is read next; reading them arms their watches."""
    log_dirs = yield from ask(ReadLogDirEvents(), LogDirEventsRead)
    isrs = yield from ask(ReadIsrChanges(), IsrChangesRead)
    if log_dirs.names or isrs.names:
        yield from settle(
            DropNotifications(
                isr_changes=isrs.names,
                log_dir_events=log_dirs.names,
                epoch_zk_version=tenure.epoch_zk_version,
            )
        )


def _load(tenure: Tenure) -> Procedure[tuple[str, ...]]:
    """Fill the context; returns the names of all topics, those that are damaged included."""
    context = tenure.context
    brokers = yield from ask(ReadBrokers(), BrokersRead)
    context.set_brokers(brokers.brokers.values())
    topics = yield from ask(ReadTopics(), TopicsRead)
    known = yield from learn(tenure, topics.topics)
    context.states |= yield from read_states(tenure, known)
    for broker in context.brokers.values():
        tenure.effects.append(tenure.channels.open(broker))
    return topics.topics


def _load_deletions(tenure: Tenure, topics: tuple[str, ...]) -> Procedure[None]:
    """Topics with a dead replica wait for it: what was begun with them is begun anew then."""
    read = yield from ask(ReadDeletionRequests(), DeletionRequestsRead)
    senseless = tuple(topic for topic in read.topics if topic not in topics)
    yield from deletion.drop_requests(tenure, senseless)
    yield from deletion.enqueue(tenure, read.topics)
    for topic in tenure.context.to_delete:
        if deletion.has_dead_replica(tenure, topic):
            tenure.context.ineligible[topic] = None


def _start_replicas(tenure: Tenure) -> Procedure[None]:
    """Replicas on live brokers are online, others go offline, out of their ISRs.

    A dead one is ineligible first: should its topic be deleted, it cannot be asked to.
    """
    context = tenure.context
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
    replicas.bring_online(tenure, online)
    yield from replicas.take_offline(tenure, offline)


def _set_first_statuses(tenure: Tenure) -> None:
    context = tenure.context
    for partition in context.assignments:
        context.set_partition_status(partition, _first_status(tenure, partition))


def _first_status(tenure: Tenure, partition: TopicPartition) -> PartitionStatus:
    if partition not in tenure.context.states:
        return PartitionStatus.NEW
    if tenure.context.has_live_leader(partition):
        return PartitionStatus.ONLINE
    return PartitionStatus.OFFLINE
