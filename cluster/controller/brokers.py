"""Brokers that start, fail or ask to shut down, and what the controller does then.

Source: Kafka's KafkaController, from onBrokerStartup to doControlledShutdown.
"""

from collections.abc import Collection, Iterable, Mapping

from cluster.controller import deletion, partitions, reassignment, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.effects import OpenChannel
from cluster.controller.election import Strategy
from cluster.controller.procedures import Procedure
from cluster.controller.replica_states import Replica
from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.coordination import reads
from cluster.model.broker import BrokerRegistration
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition


def refresh_brokers(active: ActiveController) -> Procedure[None]:
    """Read the registered brokers, and handle each difference.

    A broker that is registered under another epoch was away in between: it failed and started,
    even if its absence was never observed.  Brokers that came are handled before those that went,
    so that elections can choose among them.

    Source: Kafka's processBrokerChange and processBrokerModification.
    """
    context = active.context
    seen, known = (yield from reads.read_brokers(active.client)), context.brokers
    new = [broker_id for broker_id in seen if broker_id not in known]
    dead = [broker_id for broker_id in known if broker_id not in seen]
    both = [broker_id for broker_id in seen if broker_id in known]
    bounced = [b for b in both if seen[b].broker_epoch != known[b].broker_epoch]
    changed = [b for b in both if b not in bounced and seen[b] != known[b]]
    modified = [b for b in changed if face_of(seen[b]) != face_of(known[b])]
    if new or dead or bounced or modified:
        active.note(f"brokers new={new} dead={dead} bounced={bounced} modified={modified}")
    # A bounced broker gets a new channel: orders in the old one name its former broker epoch.
    for broker_id in bounced + dead:
        active.effects.append(active.channels.close(broker_id))
    for broker_id in new + bounced:
        active.effects.append(active.channels.open(seen[broker_id]))
    if new:
        yield from _remove_from_isrs(active, {broker_id: seen[broker_id] for broker_id in new})
        _add(active, seen, new)
        yield from _on_started(active, new)
    intact = [b for b in bounced if seen[b].is_intact_since(known[b].broker_epoch)]
    doubtful = [b for b in bounced if b not in intact]
    # Those that may have lost records leave ISRs first: then they are not the ones that stay.
    failed = [*doubtful, *dead, *intact]
    if failed:
        hosted = _replicas_on(active, doubtful)
        since = {replica: known[replica.broker_id].broker_epoch for replica in hosted}
        flushed = yield from _flushed_since(active, since, seen)
        away = frozenset((*_replicas_on(active, [*dead, *intact]), *flushed))
        # Removed from the context while it fails, or it would be elected for what it has just lost.
        _remove(active, failed)
        yield from _on_failed(active, failed, away)
    if bounced:
        _add(active, seen, bounced)
        yield from _on_started(active, bounced)
    if dead:
        yield from reassignment.on_brokers_gone(active, dead)
    _add(active, seen, changed)
    if modified:
        active.effects += (OpenChannel(seen[broker_id]) for broker_id in modified)
        _send_live_brokers(active)


def face_of(broker: BrokerRegistration) -> object:
    """The part of a registration that other brokers and clients use."""
    return broker.endpoints, broker.rack, broker.features


def _add(
    active: ActiveController,
    seen: Mapping[BrokerId, BrokerRegistration],
    broker_ids: Iterable[BrokerId],
) -> None:
    active.context.brokers |= {broker_id: seen[broker_id] for broker_id in broker_ids}


def _remove(active: ActiveController, broker_ids: Iterable[BrokerId]) -> None:
    context = active.context
    for broker_id in broker_ids:
        context.last_epochs[broker_id] = context.brokers[broker_id].broker_epoch
        # Forget this incarnation: the next one may have other disks, and does not shut down.
        del context.brokers[broker_id]
        context.shutting_down.pop(broker_id, None)
        context.replicas_on_offline_dirs.pop(broker_id, None)


def _on_started(active: ActiveController, started: list[BrokerId]) -> Procedure[None]:
    """Send the metadata to the others first, then everything to the new brokers; replicas last.

    A broker that is ordered to follow must know the address of its leader.

    Source: Kafka's onBrokerStartup.
    """
    context = active.context
    batch = OrderBatch(active)
    batch.add_update_metadata(broker for broker in context.brokers if broker not in started)
    batch.send()
    batch.add_update_metadata(started, context.states)
    batch.send()
    reassignment.delete_old_logs(active, started)
    yield from replicas.bring_online(active, _replicas_on(active, started))
    yield from partitions.bring_leaderless_online(active)
    yield from reassignment.resume(active, started)
    yield from deletion.on_brokers_started(active, started)


def _remove_from_isrs(
    active: ActiveController, come: Mapping[BrokerId, BrokerRegistration]
) -> Procedure[None]:
    """Remove brokers that have *come* from the ISRs of partitions of which they may have lost
    records, before they are there to be elected; an ISR of which all others have lost some, too,
    keeps its last one.

    Another member that is away may come back with everything: it, or an operator who asks for an
    unclean election, gives the partition a leader.

    Source: KIP-966, where a broker after an unclean shutdown is no eligible leader.
    """
    context = active.context
    members = {
        Replica(broker_id, partition): zxid
        for broker_id, broker in come.items()
        for partition in context.hosted_on(broker_id)
        if broker.has_lost_since(zxid := context.last_seen(broker_id, partition))
        and partition in context.states
        and broker_id in context.states[partition].isr
        and len(context.states[partition].isr) > 1
        and not context.is_left_alone(partition)
    }
    flushed = yield from _flushed_since(active, members, come)
    lost = [replica for replica in members if replica not in flushed]
    if lost:
        brokers = sorted({replica.broker_id for replica in lost})
        text = f"brokers={brokers} may have lost records when their machines stopped"
        active.note(f"{text}: {len(lost)} partitions wait for other members of their ISRs")
        yield from replicas.take_offline(active, lost)


def _flushed_since(
    active: ActiveController,
    there: Mapping[Replica, int],
    seen: Mapping[BrokerId, BrokerRegistration],
) -> Procedure[frozenset[Replica]]:
    """Those of *there* that have everything that they had at their transaction, since their topics
    flush each record, and no disk was lost.
    """
    topics = tuple(dict.fromkeys(replica.partition.topic for replica in there))
    flushing = (yield from reads.read_flushing_topics(active.client, topics)) if topics else ()
    return frozenset(
        replica
        for replica, zxid in there.items()
        if replica.partition.topic in flushing and seen[replica.broker_id].has_flushed_since(zxid)
    )


def _on_failed(
    active: ActiveController, failed: list[BrokerId], away: Collection[Replica]
) -> Procedure[None]:
    """Kafka's onBrokerFailure."""
    assert not any(broker_id in active.context.brokers for broker_id in failed)
    lost = _replicas_on(active, failed)
    yield from on_replicas_offline(active, lost, away)
    deleted = [replica for replica in lost if active.context.is_to_be_deleted(replica.partition)]
    yield from deletion.on_replicas_gone(active, deleted)
    yield from deletion.on_brokers_gone(active, failed)


def _replicas_on(active: ActiveController, broker_ids: Iterable[BrokerId]) -> tuple[Replica, ...]:
    return tuple(
        Replica(broker_id, partition)
        for broker_id in broker_ids
        for partition in active.context.hosted_on(broker_id)
    )


def on_replicas_offline(
    active: ActiveController, lost: tuple[Replica, ...], away: Collection[Replica] = ()
) -> Procedure[None]:
    """Elect other leaders for what these replicas led, and remove the replicas from their ISRs.

    Those that are only *away* may stay in them: see `replicas.take_offline`.

    The election comes first: produce requests wait for a leader, not for a smaller ISR; and where
    it finds a leader, its write removes the lost replicas from the ISR as well.

    Topics that are to be deleted are left out: when a broker has lost a log, its answer to the
    order to delete the log gives the result.
    """
    context = active.context
    kept = [replica for replica in lost if not context.is_left_alone(replica.partition)]
    leaderless = dict.fromkeys(
        partition for broker_id, partition in kept if context.leader_of(partition) == broker_id
    )
    partitions.take_offline(active, leaderless)
    yield from partitions.bring_leaderless_online(active)
    yield from replicas.take_offline(active, kept, away=away)
    # An unclean election may have changed the ISR to what a reassignment waits for.
    yield from reassignment.on_isr_changed(active, leaderless)
    if not leaderless:
        # An election has sent the metadata to all brokers already.
        _send_live_brokers(active)


def _send_live_brokers(active: ActiveController) -> None:
    batch = OrderBatch(active)
    batch.add_update_metadata(active.context.brokers)
    batch.send()


def shut_down(
    active: ActiveController, request: ControlledShutdown
) -> Procedure[ControlledShutdownReply]:
    """Move the leaderships of the broker to others; it repeats the request until none remains.

    Partitions with one replica stay where they are: they go offline when the broker does.
    """
    context, broker_id = active.context, request.broker_id
    registered = context.brokers.get(broker_id)
    if registered is None:
        return request.refused(ErrorCode.BROKER_NOT_AVAILABLE)
    if request.broker_epoch != -1 and request.broker_epoch < registered.broker_epoch:
        return request.refused(ErrorCode.STALE_BROKER_EPOCH)
    # From here on it is never elected, not even between its requests, until it has gone: a broker
    # that has begun to shut down does not change its mind.
    context.shutting_down[broker_id] = None
    active.note(f"broker={broker_id} shuts down")
    hosted = [
        partition for partition in context.hosted_on(broker_id) if _can_move(active, partition)
    ]
    led = [partition for partition in hosted if context.leader_of(partition) == broker_id]
    followed = [partition for partition in hosted if context.leader_of(partition) != broker_id]
    yield from partitions.bring_online(active, led, Strategy.CONTROLLED_SHUTDOWN)
    # Stopped before its ISRs shrink, in the other order than in `take_offline`: a follower that
    # goes on fetching would rejoin them.  No election chooses it meanwhile.
    batch = OrderBatch(active)
    for partition in followed:
        batch.add_stop_replica(broker_id, partition, is_deleted=False)
    batch.send()
    yield from replicas.take_offline(
        active, [Replica(broker_id, partition) for partition in followed]
    )
    remaining = [partition for partition in hosted if context.leader_of(partition) == broker_id]
    return ControlledShutdownReply(ErrorCode.NONE, tuple(remaining))


def refusal_of(
    active: ActiveController | None, broker_id: BrokerId, broker_epoch: BrokerEpoch
) -> ErrorCode:
    """The error for a request from a broker that claims *broker_epoch*, or NONE if it is accepted.

    *active* is None where this broker is not the controller.
    """
    if active is None:
        return ErrorCode.NOT_CONTROLLER
    registered = active.context.brokers.get(broker_id)
    if registered is None:
        return ErrorCode.BROKER_ID_NOT_REGISTERED
    if registered.broker_epoch != broker_epoch:
        return ErrorCode.STALE_BROKER_EPOCH
    return ErrorCode.NONE


def _can_move(active: ActiveController, partition: TopicPartition) -> bool:
    context = active.context
    return (
        len(context.assignments[partition].replicas) > 1
        and partition in context.states
        and not context.is_left_alone(partition)
    )
