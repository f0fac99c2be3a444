"""Start of a new controller: it reads the cluster, and sends the brokers what it found.

Everything is read, then the live brokers are sent, and only then the roles, since a broker cannot
follow a leader whose address it does not have.  The order is Kafka's with one exception: there dead
replicas leave their ISRs before leaders are elected; here after it, as when a broker dies under a
controller, since produce requests wait for a leader, and not for a smaller ISR.

Nothing depends on how far the former controller came: what it wrote is read, and what it did not
send is sent, since every live replica gets the state of its partition again.  Changes from the time
without a controller are handled first.

Source: Kafka's KafkaController.onControllerFailover.
"""

from cluster.controller import (
    bounces,
    deletion,
    elections,
    partitions,
    reassignment,
    reassignment_requests,
    replicas,
)
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import Procedure, fenced, read_states_as_written
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.topics import learn, nameable
from cluster.coordination import reads, writes
from cluster.model.ids import TopicPartition


def begin(active: ActiveController) -> Procedure[None]:
    """Read the cluster and bring it into order; later changes arrive as hints.

    Each read but that of the states arms the watch of what it reads, so a change after the read
    causes a hint, which waits in the queue until this is over.  Leaders announce changed states by
    notifications.
    """
    yield from _drop_notifications(active)
    topics = yield from _load(active)
    requested = yield from _load_deletions(active)
    batch = OrderBatch(active)
    batch.add_update_metadata(active.context.brokers)
    batch.send()
    lost = yield from _start_replicas(active)
    _set_first_statuses(active)
    yield from partitions.bring_leaderless_online(active)
    yield from replicas.take_offline(active, lost, away=frozenset(lost))
    begun = yield from reassignment_requests.refresh(active)
    yield from reassignment.resume_all(active, but=begun)
    if all(topic in topics for topic in requested):
        yield from deletion.resume(active)
    else:
        # A request for an unknown topic is useless, but one for a topic created after the topics
        # were read above is not: only reading both again shows which it is.
        yield from deletion.refresh_requests(active)
    yield from elections.refresh_preferred_election(active)


def _drop_notifications(active: ActiveController) -> Procedure[None]:
    """Remove notifications, which the next reads cover; reading them arms their watches.

    They are removed before the states are read: a notification that arrives in between is read
    again.
    """
    log_dirs = yield from reads.read_log_dir_events(active.client)
    isrs = yield from reads.read_isr_changes(active.client)
    yield from fenced(
        writes.delete_notifications(
            active.fence, isr_changes=isrs.names, log_dir_events=log_dirs.names
        )
    )


def _load(active: ActiveController) -> Procedure[tuple[str, ...]]:
    """Fill the context; returns the names of all topics, including ignored ones."""
    context = active.context
    assert not context.brokers, "a new controller knows nothing"
    assert not context.topics, "a new controller knows nothing"
    brokers = yield from reads.read_brokers(active.client)
    context.set_brokers(brokers.values())
    topics = yield from reads.read_topics()
    known = yield from learn(active, nameable(active, topics))
    # After the assignments: a partition that comes in between is a change of its topic's node.
    found = yield from read_states_as_written(active, known)
    context.states |= found.states
    context.loaded_zxids = found.written
    yield from bounces.remove_bounced_from_isrs(active, found)
    for broker in context.brokers.values():
        active.effects.append(active.channels.open(broker))
    return topics


def _load_deletions(active: ActiveController) -> Procedure[tuple[str, ...]]:
    """Read the requests for deletion before any election: those topics need no leaders.

    Returns all requested topics, including unknown ones.  Topics with a dead replica wait for it:
    their deletion then begins anew.
    """
    requested = yield from reads.read_deletion_requests()
    yield from deletion.enqueue(active, requested)
    for topic in active.context.topics_to_be_deleted:
        if deletion.has_dead_replica(active, topic):
            active.context.topics_ineligible_for_deletion[topic] = None
    return requested


def _start_replicas(active: ActiveController) -> Procedure[list[Replica]]:
    """Put replicas on live brokers online; return the others, which are to go offline.

    A dead one is ineligible first: if its topic is deleted, it cannot receive the order.
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
    yield from replicas.bring_online(active, online)
    return offline


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
