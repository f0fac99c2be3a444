"""Topic deletion: logs first, then znodes, and the request last.

A request waits in ZooKeeper until the last replica has deleted its log, and the last live broker
has confirmed that it tells clients of the topic no more; only then do the topic's nodes go, and the
request with them.  A crash at any point leaves the request, so a new controller begins again; to
delete a log that is gone already is no error.  Were the nodes to go first, a replica that was away
would come back with a log that no topic knows, in the way of the next topic of that name.  A topic
with a replica on a dead broker, or in a log directory that has failed, waits until that broker
starts.

Source: Kafka's TopicDeletionManager, which does not wait for what clients are told: after a change
of controllers, brokers may go on telling of a topic that nobody knows any more.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from cluster.controller import partitions, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.procedures import Procedure, fenced
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.topics import is_another, refresh_topics
from cluster.coordination import reads, writes
from cluster.coordination.transaction import SentOnce
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed
from cluster.statechange.line import Level
from cluster.zk.requests import Lost

NOT_THERE: Final = "is not there"


def refresh_requests(active: ActiveController) -> Procedure[None]:
    """Read which topics shall be deleted, and begin with those that can be."""
    requested = yield from reads.read_deletion_requests()
    if any(topic not in active.context.topics for topic in requested):
        # The request may have overtaken the news of its topic.
        there = yield from refresh_topics(active)
        senseless = tuple(topic for topic in requested if topic not in there)
        yield from drop_requests(active, senseless)
    yield from enqueue(active, requested)
    yield from resume(active)


def enqueue(active: ActiveController, requested: Iterable[str]) -> Procedure[None]:
    """Note the requests for topics that are known; drop all where deletion is switched off."""
    context = active.context
    known = tuple(topic for topic in requested if topic in context.topics)
    if not active.config.may_delete_topics:
        yield from drop_requests(active, known)
        return
    for topic in known:
        if topic in context.topics_to_be_deleted:
            continue
        context.topics_to_be_deleted[topic] = None
        if context.has_reassignment(topic):
            active.note(
                f"topic={topic} waits to be deleted: it is being reassigned, until that is over or"
                " cancelled"
            )
            context.topics_ineligible_for_deletion[topic] = None


def has_dead_replica(active: ActiveController, topic: str) -> bool:
    """Whether a replica of *topic* cannot be asked to delete its log now."""
    context = active.context
    return any(member.broker_id not in context.brokers for member in context.replicas_of(topic))


def drop_requests(active: ActiveController, topics: tuple[str, ...]) -> Procedure[None]:
    """Remove requests that cannot be met."""
    if topics:
        active.note(f"requests to delete {', '.join(topics)} dropped", Level.WARN)
        yield from fenced(writes.delete_deletion_requests(active.fence, topics))


def resume(active: ActiveController) -> Procedure[None]:
    """Do what can be done for each topic that shall be deleted.

    Kafka's resumeDeletions: called after whatever may let one of them go on.
    """
    context = active.context
    ready = []
    for topic in tuple(context.topics_to_be_deleted):
        members = context.replicas_of(topic)
        statuses = {context.replica_status(member) for member in members}
        if statuses <= {ReplicaStatus.DELETION_SUCCESSFUL}:
            if not context.unconfirmed_removals.get(topic):
                yield from _complete(active, topic)
        elif (
            topic not in context.topics_ineligible_for_deletion
            and ReplicaStatus.DELETION_STARTED not in statuses
        ):
            ready.append(topic)
    if ready:
        yield from _begin(active, ready)


def _begin(active: ActiveController, topics: list[str]) -> Procedure[None]:
    """Take *topics* out of what clients are told, stop their replicas, and have the logs deleted.

    For a topic that had to wait in the middle, only with the replicas that still have a log.
    """
    context = active.context
    for topic in topics:
        members = context.partitions_of(topic)
        if topic not in context.topics_with_deletion_started:
            partitions.take_offline(active, members)
            partitions.remove(active, members)
            context.topics_with_deletion_started[topic] = None
    batch = OrderBatch(active)
    for topic in topics:
        members = context.partitions_of(topic)
        batch.add_update_metadata(context.brokers, members)
        # Of a topic without states no client was ever told: `OrderBatch` leaves it out.
        if any(partition in context.states for partition in members):
            context.unconfirmed_removals[topic] = dict.fromkeys(context.brokers)
    # Clients hear that the topic is gone before any log goes.
    batch.send()
    for topic in topics:
        yield from _delete_replicas(active, topic)


def _delete_replicas(active: ActiveController, topic: str) -> Procedure[None]:
    """Ask every broker that is there, also one that could not open the log or has lost its disk.

    Only the broker can tell these two apart: the first deletes the files, the second refuses.
    """
    context = active.context
    waiting = [
        member
        for member in context.replicas_of(topic)
        if context.replica_status(member) is not ReplicaStatus.DELETION_SUCCESSFUL
    ]
    dead = [member for member in waiting if member.broker_id not in context.brokers]
    alive = [member for member in waiting if member.broker_id in context.brokers]
    yield from _fail_deletion(active, dead)
    yield from replicas.take_offline(active, alive)
    replicas.start_deletion(active, alive)
    for member in dead:
        _make_wait(active, member, NOT_THERE)


def _make_wait(active: ActiveController, member: Replica, reason: str) -> None:
    """Let the topic of *member* wait; only the first reason is noted."""
    topic = member.partition.topic
    if topic not in active.context.topics_ineligible_for_deletion:
        active.context.topics_ineligible_for_deletion[topic] = None
        active.note(f"topic={topic} waits to be deleted: broker {member.broker_id} {reason}")


def _fail_deletion(active: ActiveController, members: Iterable[Replica]) -> Procedure[None]:
    """A replica that was not stopped yet is noted as stopped first."""
    context = active.context
    able = [
        member
        for member in members
        if context.replica_status(member) is not ReplicaStatus.DELETION_INELIGIBLE
    ]
    running = (ReplicaStatus.NEW, ReplicaStatus.ONLINE)
    yield from replicas.take_offline(
        active, [member for member in able if context.replica_status(member) in running]
    )
    replicas.fail_deletion(active, able)


def on_removal_confirmed(
    active: ActiveController, broker_id: BrokerId, topics: Iterable[str]
) -> Procedure[None]:
    """Take note that a broker tells clients of *topics* no more."""
    unconfirmed_removals = active.context.unconfirmed_removals
    for topic in topics:
        unconfirmed_removals.get(topic, {}).pop(broker_id, None)
    yield from resume(active)


def on_brokers_gone(active: ActiveController, gone: Iterable[BrokerId]) -> Procedure[None]:
    """Wait no more for what these brokers tell clients: a next life is told everything anew."""
    for broker_id in gone:
        for brokers in active.context.unconfirmed_removals.values():
            brokers.pop(broker_id, None)
    yield from resume(active)


def on_stopped(
    active: ActiveController, stopped: Iterable[Replica], failed: Mapping[Replica, str]
) -> Procedure[None]:
    """Take note that replicas have deleted their logs, or could not; *failed* says why."""
    context = active.context
    started = ReplicaStatus.DELETION_STARTED
    done = [replica for replica in stopped if context.replica_status(replica) is started]
    broken = [replica for replica in failed if context.replica_status(replica) is started]
    replicas.complete_deletion(active, done)
    for member in broken:
        _make_wait(active, member, f"does not delete {member.partition}: {failed[member]}")
    yield from _fail_deletion(active, broken)
    yield from resume(active)


def on_replicas_gone(active: ActiveController, gone: Iterable[Replica]) -> Procedure[None]:
    """Let topics wait for replicas whose brokers have gone; go on with the other topics."""
    context = active.context
    successful = ReplicaStatus.DELETION_SUCCESSFUL
    waiting = [member for member in gone if context.replica_status(member) is not successful]
    for member in waiting:
        _make_wait(active, member, NOT_THERE)
    yield from _fail_deletion(active, waiting)
    yield from resume(active)


def on_brokers_started(active: ActiveController, started: Iterable[BrokerId]) -> Procedure[None]:
    """Try topics again that waited for these brokers."""
    context = active.context
    for broker_id in started:
        for partition in context.hosted_on(broker_id):
            topic = partition.topic
            if topic in context.topics_ineligible_for_deletion and not context.has_reassignment(
                topic
            ):
                del context.topics_ineligible_for_deletion[topic]
    yield from resume(active)


def on_reassigned(active: ActiveController, topic: str) -> Procedure[None]:
    """Try a topic again that may have waited for this end of a reassignment."""
    context = active.context
    if topic in context.topics_ineligible_for_deletion and not context.has_reassignment(topic):
        del context.topics_ineligible_for_deletion[topic]
    yield from resume(active)


def _complete(active: ActiveController, topic: str) -> Procedure[None]:
    """Remove what is left of a topic: its nodes, and what is known of it.

    Nodes that cannot be removed are tried again whenever something else about deletions happens.
    """
    outcome = yield from _delete_nodes(active, topic)
    if not isinstance(outcome, Committed):
        what = type(outcome).__name__.upper()
        text = f"topic={topic} has no logs any more, but znodes: {what}"
        active.note(text, Level.ERROR)
        return
    # Only now: until the nodes are gone, the topic is known and its deletion can be tried again.
    replicas.remove(active, active.context.replicas_of(topic))
    active.context.forget_topic(topic)
    active.note(f"topic={topic} deleted")


def _delete_nodes(active: ActiveController, topic: str) -> Procedure[SentOnce]:
    """Delete a topic's nodes, again only if they are still that topic's.

    After an answer that was lost, somebody may have made a topic of the same name already.
    """
    known = active.context.topics[topic]
    while True:
        outcome = yield from fenced(writes.delete_topic(active.fence, topic))
        if not isinstance(outcome, Lost):
            return outcome
        read = yield from reads.read_assignments(active.client, (topic,))
        if topic not in read or is_another(known, read[topic]):
            return Committed()
