"""Reassignment: a partition gets other replicas, in the phases of KIP-455.

Whatever starts it, a reassignment is written to the topic's node first, then noted in memory, and
then sent to brokers, so that the next controller finds it there and continues:

* U, the assignment is changed.  U0: replicas that the new assignment drops, since they were added
  by a reassignment which is cancelled, are fenced out of the ISR.  U1: the topic's node gets the
  replicas of both sides, and which are added and removed.  U2: so does memory.  U3: the dropped
  replicas are stopped and deleted.
* A, while a target replica is not in the ISR.  A1: the leader epoch rises, and all replicas are
  sent the new assignment.  A2: the added replicas start.
* B, when the ISR has the whole target.  B1: the added replicas are online.  B2: memory has the
  target only.  B3: a target replica leads, under another leader epoch, and the target is sent the
  state.  B4: the removed replicas leave the ISR and stop.  B5: they delete their logs.  B6: the
  topic's node gets the target only.  B7: the request in `/admin/reassign_partitions` is answered.
  B8: all brokers publish it to clients.

The phase is not stored anywhere: the ISR determines it each time.  A crash before U1 leaves none;
a crash after it, up to B6, leaves a node from which the next controller begins again with A1 or B1,
whatever part of that was done already.

It differs from Kafka's onPartitionReassignment where that can lose records, or leave logs behind:

* U0 comes before U1, so that there is never an ISR with a replica that is not assigned, and is
  refused when it would leave an ISR empty, as KRaft refuses it.
* When B3 finds no leader in the target, or the ISR no longer has the target by then, B1 and B2 are
  taken back.  Kafka goes on, and may delete the only replica that has everything.
* B6 waits until all live brokers have confirmed B5.  Dead brokers get the order when they start,
  as long as this controller is active.

Source: Kafka's KafkaController, from onPartitionReassignment to maybeRemoveFromZkReassignment.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cluster.controller import deletion, partitions, reassignment_node, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.election import Strategy, new_leader_and_isr
from cluster.controller.procedures import (
    Procedure,
    States,
    fenced,
    is_ahead,
    read_states,
    rewrite_states,
)
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.controller.topics import absorb, is_another
from cluster.coordination import reads, writes
from cluster.coordination.reads import StatesRead
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.statechange.controller import failed_for_reassignment, sent_for_reassignment
from cluster.statechange.line import Level
from cluster.zk.requests import Refused

VERSION_WITH_MOVES: Final = 2
"""The first version of a topic's node that has the added and removed replicas."""
NO_SUCH_PARTITION: Final = ApiError(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist."
)


def start(
    active: ActiveController, partition: TopicPartition, assignment: PartitionAssignment
) -> Procedure[ApiError | None]:
    """Begin, replace or cancel a reassignment; *assignment* was computed from the current one.

    For a topic that is to be deleted it can only be cancelled, so that the deletion goes on.
    Returns the reason if nothing was begun, else None.
    """
    context = active.context
    if partition not in context.assignments:
        return NO_SUCH_PARTITION
    if context.is_to_be_deleted(partition) and not _gives_up(
        context.assignments[partition], assignment
    ):
        return NO_SUCH_PARTITION
    refusal = yield from _change_assignment(active, partition, assignment)
    if refusal is None:
        yield from advance(active, partition)
    return refusal


def advance(active: ActiveController, partition: TopicPartition) -> Procedure[None]:
    """Continue a partition whose assignment is written: to its end, if the ISR has the target.

    A partition that is to be deleted and has no state gets none for it.
    """
    context = active.context
    if partition in context.reassigning:
        context.states |= yield from read_states(active, (partition,))
        if context.is_to_be_deleted(partition) and partition not in context.states:
            return
    # Without a replica to add or remove, only the order of the replicas changes.
    if partition not in context.reassigning or _can_complete(active, partition):
        yield from _complete(active, partition)
        return
    yield from _add_replicas(active, partition)
    # A partition that had no leader before has its first ISR now, of all live replicas.
    yield from on_isr_changed(active, (partition,))


def on_isr_changed(active: ActiveController, changed: Iterable[TopicPartition]) -> Procedure[None]:
    """Complete the reassignments that have only waited for the ISRs of *changed*.

    To be called with partitions that may be reassigning, whenever the context has new states.
    """
    context = active.context
    for partition in tuple(changed):
        if partition in context.reassigning and _can_complete(active, partition):
            target = context.assignments[partition].target
            active.note(f"partition={partition} target={list(target)} has caught up")
            yield from _complete(active, partition)


def delete_old_logs(active: ActiveController, started: Iterable[BrokerId]) -> None:
    """Order *started* brokers to delete logs that they should have deleted before they stopped.

    To be called before they receive their replicas: the log of a deleted topic, which no later
    order would name, could block the log of the next topic of that name.
    """
    context = active.context
    batch = OrderBatch(active)
    for broker_id in started:
        for partition in tuple(context.unconfirmed_stops.get(broker_id, ())):
            batch.add_stop_replica(broker_id, partition, is_deleted=True)
            assignment = context.assignments.get(partition)
            if assignment is None or broker_id in assignment.replicas:
                del context.unconfirmed_stops[broker_id][partition]
            elif partition in context.finishing:
                context.finishing[partition][broker_id] = None
    batch.send()


def resume(active: ActiveController, started: Collection[BrokerId]) -> Procedure[None]:
    """Continue the reassignments that waited for brokers that have *started*."""
    context = active.context
    for partition in tuple(context.reassigning):
        target = context.assignments[partition].target
        if any(broker_id in target for broker_id in started):
            yield from advance(active, partition)


def resume_all(active: ActiveController, but: Collection[TopicPartition] = ()) -> Procedure[None]:
    """Continue all reassignments that another controller has begun, *but* these."""
    for partition in tuple(active.context.reassigning):
        if partition not in but:
            yield from advance(active, partition)


def on_brokers_gone(active: ActiveController, gone: Iterable[BrokerId]) -> Procedure[None]:
    """Wait no longer until these brokers have deleted the replicas removed from them."""
    context = active.context
    for broker_id in gone:
        for partition, waiting in tuple(context.finishing.items()):
            waiting.pop(broker_id, None)
            yield from _finish(active, partition)


def on_stopped(
    active: ActiveController, stopped: Iterable[Replica], failed: Mapping[Replica, str]
) -> Procedure[None]:
    """Note that removed replicas have deleted their logs, or failed to; *failed* has the reasons.

    A broker that failed gets the order again when it starts next, and the reassignment goes on
    without it.
    """
    context = active.context
    for broker_id, partition in stopped:
        context.unconfirmed_stops.get(broker_id, {}).pop(partition, None)
        yield from _on_settled(active, Replica(broker_id, partition))
    for replica, reason in failed.items():
        broker_id, partition = replica
        if partition in context.unconfirmed_stops.get(broker_id, ()):
            text = f"partition={partition} was removed from broker {broker_id}, which has its log"
            active.note(f"{text}: {reason}", Level.WARN)
            yield from _on_settled(active, replica)


# Phase U


def _change_assignment(
    active: ActiveController, partition: TopicPartition, assignment: PartitionAssignment
) -> Procedure[ApiError | None]:
    context = active.context
    current = context.assignments[partition]
    if current == assignment:
        return None
    dropped = tuple(
        broker_id for broker_id in current.replicas if broker_id not in assignment.replicas
    )
    if dropped and partition in context.states:
        refusal = yield from _fence_off(active, partition, assignment)  # U0
        if refusal is not None:
            return refusal
    if not (yield from _write_assignment(active, partition, assignment)):  # U1
        if dropped and partition in context.states:
            batch = OrderBatch(active)
            batch.add_leader_and_isr(current.replicas, partition)
            batch.send()
        return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "The topic's node could not be written.")
    active.note(f"partition={partition} is reassigned: {_text(current)} to {_text(assignment)}")
    context.set_assignment(partition, assignment)  # U2
    context.finishing.pop(partition, None)
    for broker_id in assignment.replicas:
        # What was removed before, and comes back now, must keep what it gets from now on.
        context.unconfirmed_stops.get(broker_id, {}).pop(partition, None)
    removed = [Replica(broker_id, partition) for broker_id in dropped]
    # The others receive the change in A1 or B3: they do not need the leader epoch of U0.
    yield from replicas.take_offline(active, removed, tells_others=False)  # U3
    _delete(active, removed)
    return None


def _fence_off(
    active: ActiveController, partition: TopicPartition, assignment: PartitionAssignment
) -> Procedure[ApiError | None]:
    """U0: remove the replicas that *assignment* drops from the ISR, and prevent their return.

    A dropped replica leads no longer.  The leader epoch rises also where none of them is in the
    ISR: otherwise a replica that catches up just now would be added before the leader learns that
    it is no longer a replica.
    """
    context = active.context
    kept = assignment.replicas
    is_unclean = False

    def without_dropped(state: PartitionState) -> PartitionState | None:
        nonlocal is_unclean
        isr = tuple(member for member in state.isr if member in kept)
        able = [member for member in kept if member in isr and context.is_live(member, partition)]
        leader = state.leader if state.leader in kept else next(iter(able), NO_LEADER)
        is_unclean = not isr
        return None if is_unclean else _decided(active, state, leader, isr)

    state = yield from _rewrite_state(active, partition, without_dropped)
    if is_unclean:
        return ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to drop the replicas that partition {partition} was being moved to, because "
            "it would require an unclean leader election.",
        )
    if state is None:
        text = "The partition's state could not be written."
        return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, text)
    if state.leader == NO_LEADER:
        partitions.take_offline(active, (partition,))
    return None


def _write_assignment(
    active: ActiveController, partition: TopicPartition, assignment: PartitionAssignment
) -> Procedure[bool]:
    """Write the partition's replicas into its topic's node; False when that fails for good.

    The node's other content is kept: after a conflict it is read again.  That also adds partitions
    that another writer has added, as their own event would.
    """
    context = active.context
    topic, number = partition.topic, partition.partition
    known = context.topics[topic]
    while True:
        wanted = replace(
            known,
            partitions={**known.partitions, number: assignment},
            version=max(known.version, VERSION_WITH_MOVES),
        )
        result = yield from fenced(writes.write_assignment(active.fence, topic, wanted))
        if isinstance(result, Committed):
            context.topics[topic] = replace(wanted, zk_version=result.zk_version)
            return True
        read = yield from reads.read_assignments(active.client, (topic,))
        is_there = topic in read and not is_another(known, read[topic])
        if isinstance(result, Refused) or not is_there:
            reason = "ZooKeeper refuses to write its topic" if is_there else "its topic is gone"
            active.note(f"partition={partition} stays as it is: {reason}", Level.ERROR)
            return False
        yield from absorb(active, topic, read[topic])
        known = context.topics[topic]


# Phase A


def _add_replicas(active: ActiveController, partition: TopicPartition) -> Procedure[None]:
    """Send who is added and removed, and start the added replicas.

    A partition that has had no leader yet may get one now.
    """
    context = active.context
    assignment = context.assignments[partition]
    if partition in context.states:
        yield from _raise_leader_epoch(active, partition)  # A1
    new = [Replica(broker_id, partition) for broker_id in assignment.adding]
    non_existent = ReplicaStatus.NON_EXISTENT
    replicas.make_new(
        active, [replica for replica in new if context.replica_status(replica) is non_existent]
    )  # A2
    if partition not in context.states:
        yield from partitions.bring_online(active, (partition,), Strategy.OFFLINE)


def _raise_leader_epoch(
    active: ActiveController, partition: TopicPartition
) -> Procedure[PartitionState | None]:
    """Send all replicas the present assignment; the leader and the ISR stay.

    Replicas would ignore it under the leader epoch that they have.  None when it cannot be raised.

    Source: Kafka's updateLeaderEpochAndSendRequest.
    """
    assignment = active.context.assignments[partition]
    state = yield from _rewrite_state(
        active, partition, lambda state: _decided(active, state, state.leader, state.isr)
    )
    if state is None:
        active.log(failed_for_reassignment(active.tag, partition, assignment))
        return None
    batch = OrderBatch(active)
    batch.add_leader_and_isr(assignment.origin, partition)
    # The added ones may choose any log directory; the origin's logs must not be made a second time.
    batch.add_leader_and_isr(assignment.adding, partition, is_new=True)
    batch.send()
    active.log(sent_for_reassignment(active.tag, partition, state, assignment))
    return state


# Phase B


def _can_complete(active: ActiveController, partition: TopicPartition) -> bool:
    """Whether the ISR has the whole target, and one of its replicas can lead."""
    context = active.context
    state = context.states.get(partition)
    target = context.assignments[partition].target
    return (
        state is not None
        and set(target) <= set(state.isr)
        and any(context.is_live(broker_id, partition) for broker_id in target)
    )


def _complete(active: ActiveController, partition: TopicPartition) -> Procedure[None]:
    context = active.context
    assignment = context.assignments[partition]
    added = [Replica(broker_id, partition) for broker_id in assignment.adding]
    removed = [Replica(broker_id, partition) for broker_id in assignment.removing]
    yield from replicas.bring_online(active, added)  # B1
    context.set_assignment(partition, PartitionAssignment(assignment.target))  # B2
    is_led = yield from _lead_from_target(active, partition)  # B3
    if assignment.is_reassigning and not is_led:
        # No broker was sent the target: the assignment is as it was.
        active.note(f"partition={partition} waits for a leader in its target", Level.WARN)
        context.set_assignment(partition, assignment)
        return
    is_safe = not assignment.is_reassigning or _can_complete(active, partition)
    if is_safe:
        yield from replicas.take_offline(active, removed)  # B4
        offline = ReplicaStatus.OFFLINE
        is_safe = all(context.replica_status(replica) is offline for replica in removed)
    if not is_safe:
        # The former leader shrank the ISR just before B3, or ZooKeeper refused B4: the replicas
        # that received the target are sent the full assignment again.
        context.set_assignment(partition, assignment)
        yield from _add_replicas(active, partition)
        return
    # Also those that cannot open the log, or have lost its disk: only the broker can distinguish
    # them.
    waiting = context.finishing.setdefault(partition, {})
    waiting |= {broker_id: None for broker_id, _ in removed if broker_id in context.brokers}
    _delete(active, removed)  # B5
    yield from _finish(active, partition)


def _lead_from_target(active: ActiveController, partition: TopicPartition) -> Procedure[bool]:
    """B3; whether a target replica leads under a leader epoch that was sent to the target.

    Source: Kafka's moveReassignedPartitionLeaderIfRequired.
    """
    context = active.context
    if partition not in context.states:
        return False
    before = context.states[partition]
    target = context.assignments[partition].replicas
    if before.leader in target and context.is_live(before.leader, partition):
        active.note(f"partition={partition} keeps its leader {before.leader}")
        return (yield from _raise_leader_epoch(active, partition)) is not None
    active.note(f"partition={partition} needs another leader than {before.leader}")
    yield from partitions.bring_online(active, (partition,), Strategy.REASSIGNMENT)
    return context.states[partition].leader_epoch > before.leader_epoch


def _finish(active: ActiveController, partition: TopicPartition) -> Procedure[None]:
    """B6 to B8, when all brokers have confirmed the deletion."""
    context = active.context
    if context.finishing.get(partition, True):
        return
    assignment = context.assignments[partition]
    if not (yield from _write_assignment(active, partition, assignment)):  # B6
        return
    del context.finishing[partition]
    active.note(f"partition={partition} replicas={list(assignment.replicas)} is reassigned")
    yield from reassignment_node.drop(
        active, lambda named, target: (named, target) == (partition, assignment.replicas)
    )  # B7
    batch = OrderBatch(active)
    batch.add_update_metadata(context.brokers, (partition,))  # B8
    batch.send()
    yield from deletion.on_reassigned(active, partition.topic)


# What several phases do


def _delete(active: ActiveController, removed: Iterable[Replica]) -> None:
    """Delete the logs of offline replicas; from now on they belong to no assignment.

    They count as gone at once, as in Kafka, so that they can be added again at any time.
    """
    removed = tuple(removed)
    for broker_id, partition in removed:
        active.context.unconfirmed_stops.setdefault(broker_id, {})[partition] = None
    replicas.start_deletion(active, removed)
    replicas.complete_deletion(active, removed)
    replicas.remove(active, removed)


def _on_settled(active: ActiveController, replica: Replica) -> Procedure[None]:
    """Wait no longer for a removed replica."""
    waiting = active.context.finishing.get(replica.partition)
    if waiting is not None:
        waiting.pop(replica.broker_id, None)
        yield from _finish(active, replica.partition)


def _rewrite_state(
    active: ActiveController,
    partition: TopicPartition,
    change: Callable[[PartitionState], PartitionState | None],
) -> Procedure[PartitionState | None]:
    """Read, decide and write a state.

    None when there is no state, or one that `is_ahead`, when *change* returns None, and when
    ZooKeeper refuses the write.
    """
    rewritten: PartitionState | None = None

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        stored = found.states.get(partition)
        if stored is None or partition not in waiting:
            return {}
        if is_ahead(active, stored):
            reason = replicas.written_by_another(active, stored)
            active.note(f"partition={partition} keeps its state: {reason}", Level.ERROR)
            return {}
        wanted = change(stored)
        return {} if wanted is None else {partition: wanted}

    def on_written(partition: TopicPartition, state: PartitionState) -> None:
        nonlocal rewritten
        active.context.states[partition] = rewritten = state

    yield from rewrite_states(active, (partition,), decide, on_written, lambda *failed: None)
    return rewritten


def _gives_up(current: PartitionAssignment, assignment: PartitionAssignment) -> bool:
    """Whether *assignment* returns a partition to the replicas that it had before its move."""
    return (
        current.is_reassigning
        and not assignment.is_reassigning
        and set(assignment.replicas) == set(current.origin)
    )


def _decided(
    active: ActiveController, state: PartitionState, leader: BrokerId, isr: tuple[BrokerId, ...]
) -> PartitionState:
    return new_leader_and_isr(state, leader, isr, active.controller_epoch)


def _text(assignment: PartitionAssignment) -> str:
    moves = ((" adding=", assignment.adding), (" removing=", assignment.removing))
    return str(list(assignment.replicas)) + "".join(
        f"{name}{list(brokers)}" for name, brokers in moves if brokers
    )
