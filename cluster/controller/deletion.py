"""Topic deletion: logs first, then znodes, and the request last.

A request waits in ZooKeeper until the last replica has deleted its log, and the last live broker
has confirmed that the topic is no longer in its metadata; only then are the topic's nodes removed,
and the request with them.  A crash at any point leaves the request, so a new controller begins
again; to delete a log that is gone already is no error.  If the nodes were removed first, a replica
that was away would come back with the log of an unknown topic, which would block the next topic of
that name.  A topic with a replica on a dead broker, or in a log directory that has failed, waits
until that broker starts.

Source: Kafka's TopicDeletionManager, which does not wait for the metadata of brokers: after a
change of controllers, brokers may keep a deleted topic in their metadata.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from cluster.controller import partitions, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.procedures import Procedure, fenced
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.replicas import REPLICAS_PER_PARTITION
from cluster.controller.topics import is_another, refresh_topics
from cluster.coordination import reads, writes
from cluster.coordination.transaction import SentOnce
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed
from cluster.statechange.line import Level
from cluster.zk.requests import Lost

NOT_THERE: Final = "is not there"


def refresh_requests(active: ActiveController) -> Procedure[None]:
    """Read the requests for deletion, and begin with the topics that can be deleted."""
    requested = yield from reads.read_deletion_requests()
    if any(topic not in active.context.topics for topic in requested):
        # The request may have arrived before the hint about its topic.
        there = yield from refresh_topics(active)
        senseless = tuple(topic for topic in requested if topic not in there)
        yield from drop_requests(active, senseless)
    yield from enqueue(active, requested)
    yield from resume(active)


def enqueue(active: ActiveController, requested: Iterable[str]) -> Procedure[None]:
    """Note the requests for known topics; drop all where deletion is switched off."""
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
    """Whether a replica of *topic* cannot be ordered to delete its log now."""
    context = active.context
    return any(member.broker_id not in context.brokers for member in context.replicas_of(topic))


def drop_requests(active: ActiveController, topics: tuple[str, ...]) -> Procedure[None]:
    """Remove requests that cannot be carried out."""
    if topics:
        active.note(f"requests to delete {', '.join(topics)} dropped", Level.WARN)
        yield from fenced(writes.delete_deletion_requests(active.fence, topics))


def resume(active: ActiveController) -> Procedure[None]:
    """Continue the deletion of each topic as far as possible.

    Kafka's resumeDeletions: called after each event that may unblock one of them.
    """
    context = active.context
    ready = []
    for topic in tuple(context.topics_to_be_deleted):
        if topic in context.logs_to_delete:
            continue
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
    """Remove *topics* from the metadata of clients, stop their replicas, and delete the logs.

    For a topic whose deletion was interrupted, only with the replicas that still have a log.
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
        # A topic without states was never published to clients: `OrderBatch` leaves it out.
        if any(partition in context.states for partition in members):
            context.unconfirmed_removals[topic] = dict.fromkeys(context.brokers)
    # Clients learn that the topic is gone before any log is deleted.
    batch.send()
    for topic in topics:
        yield from _delete_replicas(active, topic)
    yield from _delete_some(active)


def _delete_replicas(active: ActiveController, topic: str) -> Procedure[None]:
    """Have the order sent to every live broker, also to one that could not open the log or lost its
    disk.

    Only the broker can distinguish these two: in the first case it deletes the files, in the second
    it returns an error.
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
    if alive:
        context.logs_to_delete[topic] = dict.fromkeys(alive)
    for member in dead:
        _make_wait(active, member, NOT_THERE)


def go_on(active: ActiveController) -> Procedure[None]:
    """Order the next replicas to delete their logs."""
    yield from _delete_some(active)
    yield from resume(active)


def _delete_some(active: ActiveController) -> Procedure[None]:
    """Order some of the replicas that are due to delete their logs.

    A replica whose broker has gone since it became due has failed already.
    """
    context = active.context
    room = active.config.partitions_in_a_turn * REPLICAS_PER_PARTITION
    turn: list[Replica] = []
    for topic, due in tuple(context.logs_to_delete.items()):
        part = tuple(islice(due, room - len(turn)))
        turn += part
        for replica in part:
            del due[replica]
        if due:
            break
        del context.logs_to_delete[topic]
    alive = [replica for replica in turn if replica.broker_id in context.brokers]
    yield from replicas.take_offline(active, alive)
    replicas.start_deletion(active, alive)


def _make_wait(active: ActiveController, member: Replica, reason: str) -> None:
    """Let the topic of *member* wait; only the first reason is logged."""
    topic = member.partition.topic
    if topic not in active.context.topics_ineligible_for_deletion:
        active.context.topics_ineligible_for_deletion[topic] = None
        active.note(f"topic={topic} waits to be deleted: broker {member.broker_id} {reason}")


def _fail_deletion(active: ActiveController, members: Iterable[Replica]) -> Procedure[None]:
    """Mark deletions as failed; a replica that is not stopped yet is marked as stopped first."""
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
    """Note that a broker has removed *topics* from its metadata."""
    unconfirmed_removals = active.context.unconfirmed_removals
    for topic in topics:
        unconfirmed_removals.get(topic, {}).pop(broker_id, None)
    yield from resume(active)


def on_brokers_gone(active: ActiveController, gone: Iterable[BrokerId]) -> Procedure[None]:
    """Wait no longer for the metadata of these brokers: after a restart they receive it anew."""
    for broker_id in gone:
        for brokers in active.context.unconfirmed_removals.values():
            brokers.pop(broker_id, None)
    yield from resume(active)


def on_stopped(
    active: ActiveController, stopped: Iterable[Replica], failed: Mapping[Replica, str]
) -> Procedure[None]:
    """Note that replicas have deleted their logs, or failed to; *failed* has the reasons."""
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
    """Let topics wait for replicas whose brokers have gone; continue with the other topics."""
    context = active.context
    successful = ReplicaStatus.DELETION_SUCCESSFUL
    waiting = [member for member in gone if context.replica_status(member) is not successful]
    for member in waiting:
        _make_wait(active, member, NOT_THERE)
    yield from _fail_deletion(active, waiting)
    yield from resume(active)


def on_brokers_started(active: ActiveController, started: Iterable[BrokerId]) -> Procedure[None]:
    """Retry topics that waited for these brokers."""
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
    """Retry a topic that may have waited for the end of this reassignment."""
    context = active.context
    if topic in context.topics_ineligible_for_deletion and not context.has_reassignment(topic):
        del context.topics_ineligible_for_deletion[topic]
    yield from resume(active)


def _complete(active: ActiveController, topic: str) -> Procedure[None]:
    """Remove what is left of a topic: its nodes and its state in the context.

    Nodes that cannot be removed are retried at the next event of any deletion.
    """
    outcome = yield from _delete_nodes(active, topic)
    if not isinstance(outcome, Committed):
        what = type(outcome).__name__.upper()
        text = f"topic={topic} has no logs any more, but znodes: {what}"
        active.note(text, Level.ERROR)
        return
    # Only now: until the nodes are gone, the topic is known and its deletion can be retried.
    replicas.remove(active, active.context.replicas_of(topic))
    active.context.forget_topic(topic)
    active.note(f"topic={topic} deleted")


def _delete_nodes(active: ActiveController, topic: str) -> Procedure[SentOnce]:
    """Delete a topic's nodes; retry only if they still belong to that topic.

    After a lost answer, a new topic of the same name may exist already.
    """
    known = active.context.topics[topic]
    while True:
        outcome = yield from fenced(writes.delete_topic(active.fence, topic))
        if not isinstance(outcome, Lost):
            return outcome
        read = yield from reads.read_assignments(active.client, (topic,))
        if topic not in read or is_another(known, read[topic]):
            return Committed()
