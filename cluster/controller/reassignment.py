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

Partitions that are reassigned together make each step together: one by one, as in Kafka, a topic's
node would be written twice for each of its partitions, and the controller would do nothing else
for as long as hundreds of them wait for ZooKeeper in turn.

It also differs from Kafka's onPartitionReassignment where that can lose records, or leave logs
behind:

* U0 comes before U1, so that there is never an ISR with a replica that is not assigned, and is
  refused when it would leave an ISR empty, as KRaft refuses it.
* When B3 finds no leader in the target, or the ISR no longer has the target by then, B1 and B2 are
  taken back.  Kafka goes on, and may delete the only replica that has everything.
* B6 waits until all live brokers have confirmed B5.  Dead brokers get the order when they start,
  as long as this controller is active.

Source: Kafka's KafkaController, from onPartitionReassignment to maybeRemoveFromZkReassignment.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from cluster.controller import deletion, partitions, reassignment_node, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.assignment_writes import write_assignments
from cluster.controller.batch import OrderBatch
from cluster.controller.election import Strategy, new_leader_and_isr
from cluster.controller.procedures import (
    Procedure,
    States,
    is_ahead,
    read_states,
    rewrite_states,
    some_at_once,
)
from cluster.controller.replica_states import Replica, ReplicaStatus
from cluster.coordination.reads import StatesRead
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.statechange.controller import failed_for_reassignment, sent_for_reassignment
from cluster.statechange.line import Level

NO_SUCH_PARTITION: Final = ApiError(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist."
)
UNWRITTEN_TOPIC: Final = ApiError(
    ErrorCode.UNKNOWN_SERVER_ERROR, "The topic's node could not be written."
)
UNWRITTEN_STATE: Final = ApiError(
    ErrorCode.UNKNOWN_SERVER_ERROR, "The partition's state could not be written."
)


def start(
    active: ActiveController, wanted: Mapping[TopicPartition, PartitionAssignment]
) -> Procedure[dict[TopicPartition, ApiError | None]]:
    """Begin, replace or cancel reassignments; those *wanted* were computed from the current ones.

    For a topic that is to be deleted they can only be cancelled, so that the deletion goes on.
    Returns the reason for each of which nothing was begun, and None for the others.
    """
    refusals: dict[TopicPartition, ApiError | None] = {}
    for part in some_at_once(tuple(wanted.items())):
        possible = {each: new for each, new in part if _may_start(active, each, new)}
        refusals |= {each: NO_SUCH_PARTITION for each, _ in part if each not in possible}
        refused = yield from _change_assignments(active, possible)
        refusals |= {each: refused.get(each) for each in possible}
        yield from advance(active, [each for each in possible if each not in refused])
    return refusals


def _may_start(
    active: ActiveController, partition: TopicPartition, assignment: PartitionAssignment
) -> bool:
    context = active.context
    current = context.assignments.get(partition)
    if current is None:
        return False
    return not context.is_to_be_deleted(partition) or _gives_up(current, assignment)


def advance(active: ActiveController, some: Sequence[TopicPartition]) -> Procedure[None]:
    """Continue partitions whose assignment is written: to the end, where the ISR has the target.

    A partition that is to be deleted and has no state gets none for it.
    """
    for part in some_at_once(some):
        yield from _advance(active, part)


def _advance(active: ActiveController, some: Sequence[TopicPartition]) -> Procedure[None]:
    context = active.context
    moving = tuple(each for each in some if each in context.reassigning)
    if moving:
        context.states |= yield from read_states(active, moving)
    wait = [
        each
        for each in moving
        if not (_can_complete(active, each) or _is_deleted_without_state(active, each))
    ]
    # Without a replica to add or remove, only the order of the replicas changes.
    ready = [
        each for each in some if each not in context.reassigning or _can_complete(active, each)
    ]
    yield from _add_replicas(active, wait)
    # A partition that had no leader before has its first ISR now, of all live replicas.
    yield from on_isr_changed(active, wait)
    yield from _complete(active, ready)


def _is_deleted_without_state(active: ActiveController, partition: TopicPartition) -> bool:
    return active.context.is_to_be_deleted(partition) and partition not in active.context.states


def on_isr_changed(active: ActiveController, changed: Iterable[TopicPartition]) -> Procedure[None]:
    """Complete the reassignments that have only waited for the ISRs of *changed*.

    To be called with partitions that may be reassigning, whenever the context has new states.
    """
    context = active.context
    ready = [
        each for each in changed if each in context.reassigning and _can_complete(active, each)
    ]
    for part in some_at_once(ready):
        for partition in part:
            target = context.assignments[partition].target
            active.note(f"partition={partition} target={list(target)} has caught up")
        yield from _complete(active, part)


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
    waited = [
        each
        for each in context.reassigning
        if not set(started).isdisjoint(context.assignments[each].target)
    ]
    yield from advance(active, waited)


def resume_all(active: ActiveController, but: Collection[TopicPartition] = ()) -> Procedure[None]:
    """Continue all reassignments that another controller has begun, *but* these."""
    yield from advance(active, [each for each in active.context.reassigning if each not in but])


def on_brokers_gone(active: ActiveController, gone: Iterable[BrokerId]) -> Procedure[None]:
    """Wait no longer until these brokers have deleted the replicas removed from them."""
    finishing = active.context.finishing
    for broker_id in gone:
        for waiting in finishing.values():
            waiting.pop(broker_id, None)
    yield from _finish(active, tuple(finishing))


def on_stopped(
    active: ActiveController, stopped: Iterable[Replica], failed: Mapping[Replica, str]
) -> Procedure[None]:
    """Note that removed replicas have deleted their logs, or failed to; *failed* has the reasons.

    A broker that failed gets the order again when it starts next, and the reassignment goes on
    without it.
    """
    context = active.context
    settled = list(stopped)
    for broker_id, partition in settled:
        context.unconfirmed_stops.get(broker_id, {}).pop(partition, None)
    for replica, reason in failed.items():
        broker_id, partition = replica
        if partition in context.unconfirmed_stops.get(broker_id, ()):
            text = f"partition={partition} was removed from broker {broker_id}, which has its log"
            active.note(f"{text}: {reason}", Level.WARN)
            settled.append(replica)
    for broker_id, partition in settled:
        context.finishing.get(partition, {}).pop(broker_id, None)
    yield from _finish(active, [replica.partition for replica in settled])


# Phase U


def _change_assignments(
    active: ActiveController, wanted: Mapping[TopicPartition, PartitionAssignment]
) -> Procedure[dict[TopicPartition, ApiError]]:
    """Write and note *wanted*; returns the reasons for those that stay as they are."""
    context = active.context
    before = {each: context.assignments[each] for each in wanted}
    changed = {each: new for each, new in wanted.items() if new != before[each]}
    dropped = {
        each: [member for member in before[each].replicas if member not in new.replicas]
        for each, new in changed.items()
    }
    fenced_off = {
        each: changed[each] for each in changed if dropped[each] and each in context.states
    }
    refusals = yield from _fence_off(active, fenced_off)  # U0
    fenced_off = {each: new for each, new in fenced_off.items() if each not in refusals}
    changed = {each: new for each, new in changed.items() if each not in refusals}
    written = yield from write_assignments(active, changed)  # U1
    batch = OrderBatch(active)
    for partition in [each for each in changed if each not in written]:
        if partition in fenced_off:
            batch.add_leader_and_isr(before[partition].replicas, partition)
        refusals[partition] = UNWRITTEN_TOPIC
    batch.send()
    removed = []
    for partition in written:
        new = changed[partition]
        text = f"{_text(before[partition])} to {_text(new)}"
        active.note(f"partition={partition} is reassigned: {text}")
        context.set_assignment(partition, new)  # U2
        context.finishing.pop(partition, None)
        for broker_id in new.replicas:
            # What was removed before, and comes back now, must keep what it gets from now on.
            context.unconfirmed_stops.get(broker_id, {}).pop(partition, None)
        removed += [Replica(broker_id, partition) for broker_id in dropped[partition]]
    # The others receive the change in A1 or B3: they do not need the leader epoch of U0.
    yield from replicas.take_offline(active, removed, tells_others=False)  # U3
    _delete(active, removed)
    return refusals


def _fence_off(
    active: ActiveController, wanted: Mapping[TopicPartition, PartitionAssignment]
) -> Procedure[dict[TopicPartition, ApiError]]:
    """U0: remove the replicas that assignments drop from the ISRs, and prevent their return.

    A dropped replica leads no longer.  The leader epoch rises also where none of them is in the
    ISR: otherwise a replica that catches up just now would be added before the leader learns that
    it is no longer a replica.
    """
    context = active.context
    unclean: dict[TopicPartition, None] = {}

    def without_dropped(partition: TopicPartition, state: PartitionState) -> PartitionState | None:
        kept = wanted[partition].replicas
        isr = tuple(member for member in state.isr if member in kept)
        able = [member for member in kept if member in isr and context.is_live(member, partition)]
        leader = state.leader if state.leader in kept else next(iter(able), NO_LEADER)
        unclean.pop(partition, None)
        if not isr:
            unclean[partition] = None
            return None
        return _decided(active, state, leader, isr)

    states = yield from _rewrite_states(active, wanted, without_dropped)
    leaderless = [each for each, state in states.items() if state.leader == NO_LEADER]
    partitions.take_offline(active, leaderless)
    return {
        each: _would_be_unclean(each) if each in unclean else UNWRITTEN_STATE
        for each in wanted
        if each not in states
    }


def _would_be_unclean(partition: TopicPartition) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        f"Unable to drop the replicas that partition {partition} was being moved to, because "
        "it would require an unclean leader election.",
    )


# Phase A


def _add_replicas(active: ActiveController, some: Iterable[TopicPartition]) -> Procedure[None]:
    """Send who is added and removed, and start the added replicas.

    A partition that has had no leader yet may get one now.
    """
    context = active.context
    some = tuple(some)
    yield from _raise_leader_epochs(active, [each for each in some if each in context.states])  # A1
    new = [Replica(member, each) for each in some for member in context.assignments[each].adding]
    non_existent = ReplicaStatus.NON_EXISTENT
    replicas.make_new(
        active, [replica for replica in new if context.replica_status(replica) is non_existent]
    )  # A2
    unled = [each for each in some if each not in context.states]
    yield from partitions.bring_online(active, unled, Strategy.OFFLINE)


def _raise_leader_epochs(
    active: ActiveController, some: Iterable[TopicPartition]
) -> Procedure[States]:
    """Send all replicas the present assignments; the leaders and the ISRs stay.

    Replicas would ignore them under the leader epochs that they have.  Returns the states of those
    that could be raised.

    Source: Kafka's updateLeaderEpochAndSendRequest.
    """
    some = tuple(some)
    assignments = active.context.assignments
    states = yield from _rewrite_states(
        active, some, lambda _, state: _decided(active, state, state.leader, state.isr)
    )
    batch = OrderBatch(active)
    for partition in states:
        assignment = assignments[partition]
        batch.add_leader_and_isr(assignment.origin, partition)
        # The added ones may choose any log directory; the origin's logs must not be made a second
        # time.
        batch.add_leader_and_isr(assignment.adding, partition, is_new=True)
    batch.send()
    for partition in some:
        state = states.get(partition)
        active.log(
            failed_for_reassignment(active.tag, partition, assignments[partition])
            if state is None
            else sent_for_reassignment(active.tag, partition, state, assignments[partition])
        )
    return states


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


def _complete(active: ActiveController, some: Iterable[TopicPartition]) -> Procedure[None]:
    context = active.context
    before = {each: context.assignments[each] for each in some}
    added = [Replica(member, each) for each, old in before.items() for member in old.adding]
    yield from replicas.bring_online(active, added)  # B1
    for partition, old in before.items():
        context.set_assignment(partition, PartitionAssignment(old.target))  # B2
    led = yield from _lead_from_targets(active, before)  # B3
    for partition in [each for each, old in before.items() if old.is_reassigning]:
        if partition not in led:
            # No broker was sent the target: the assignment is as it was.
            active.note(f"partition={partition} waits for a leader in its target", Level.WARN)
            context.set_assignment(partition, before.pop(partition))
    removed = {
        each: [Replica(member, each) for member in old.removing]
        for each, old in before.items()
        if not old.is_reassigning or _can_complete(active, each)
    }
    yield from replicas.take_offline(active, chain.from_iterable(removed.values()))  # B4
    offline = ReplicaStatus.OFFLINE
    safe = {
        each: gone
        for each, gone in removed.items()
        if all(context.replica_status(replica) is offline for replica in gone)
    }
    # The former leader shrank the ISR just before B3, or ZooKeeper refused B4: the replicas that
    # received the target are sent the full assignment again.
    unsafe = [each for each in before if each not in safe]
    for partition in unsafe:
        context.set_assignment(partition, before[partition])
    yield from _add_replicas(active, unsafe)
    for partition, gone in safe.items():
        # Also those that cannot open the log, or have lost its disk: only the broker can
        # distinguish them.
        waiting = context.finishing.setdefault(partition, {})
        waiting |= {broker_id: None for broker_id, _ in gone if broker_id in context.brokers}
    _delete(active, chain.from_iterable(safe.values()))  # B5
    yield from _finish(active, safe)


def _lead_from_targets(
    active: ActiveController, some: Iterable[TopicPartition]
) -> Procedure[set[TopicPartition]]:
    """B3; those that a target replica leads, under a leader epoch that was sent to the target.

    Source: Kafka's moveReassignedPartitionLeaderIfRequired.
    """
    context = active.context
    before = {each: context.states[each] for each in some if each in context.states}
    keep, need = [], []
    for partition, state in before.items():
        target = context.assignments[partition].replicas
        if state.leader in target and context.is_live(state.leader, partition):
            active.note(f"partition={partition} keeps its leader {state.leader}")
            keep.append(partition)
        else:
            active.note(f"partition={partition} needs another leader than {state.leader}")
            need.append(partition)
    raised = yield from _raise_leader_epochs(active, keep)
    yield from partitions.bring_online(active, need, Strategy.REASSIGNMENT)
    return {*raised} | {
        each for each in need if context.states[each].leader_epoch > before[each].leader_epoch
    }


def _finish(active: ActiveController, some: Iterable[TopicPartition]) -> Procedure[None]:
    """B6 to B8, of those for which all brokers have confirmed the deletion."""
    context = active.context
    ready = {
        each: context.assignments[each] for each in some if not context.finishing.get(each, True)
    }
    if not ready:
        return
    done = yield from write_assignments(active, ready)  # B6
    if not done:
        return
    for partition in done:
        del context.finishing[partition]
        members = list(ready[partition].replicas)
        active.note(f"partition={partition} replicas={members} is reassigned")
    yield from reassignment_node.drop(
        active, lambda named, target: named in done and target == ready[named].replicas
    )  # B7
    batch = OrderBatch(active)
    batch.add_update_metadata(context.brokers, done)  # B8
    batch.send()
    for topic in dict.fromkeys(partition.topic for partition in done):
        yield from deletion.on_reassigned(active, topic)


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


def _rewrite_states(
    active: ActiveController,
    some: Iterable[TopicPartition],
    change: Callable[[TopicPartition, PartitionState], PartitionState | None],
) -> Procedure[dict[TopicPartition, PartitionState]]:
    """Read, decide and write states, and return those that are written.

    Missing are those without a state, or with one that `is_ahead`, those for which *change* returns
    None, and those that ZooKeeper refuses to write.
    """
    rewritten: dict[TopicPartition, PartitionState] = {}

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        wanted = {}
        for partition in waiting:
            stored = found.states.get(partition)
            if stored is None:
                continue
            if is_ahead(active, stored):
                reason = replicas.written_by_another(active, stored)
                active.note(f"partition={partition} keeps its state: {reason}", Level.ERROR)
            elif (state := change(partition, stored)) is not None:
                wanted[partition] = state
        return wanted

    def on_written(partition: TopicPartition, state: PartitionState) -> None:
        active.context.states[partition] = rewritten[partition] = state

    yield from rewrite_states(active, some, decide, on_written, lambda *failed: None)
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
