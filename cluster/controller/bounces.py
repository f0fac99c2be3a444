"""Brokers that bounced while there was no controller: what a new one finds out, and does about it.

A controller sees a broker come back under another epoch, and takes it out of the ISRs that it was
in.  One that is elected after that sees a broker that is there.  But the epoch is the transaction
that has made the registration: whoever registered after the state of a partition was written is in
the ISR for what it had in a life before, and may have less now.  Unless it says that it is intact:
our brokers register with the epoch since which they have shut down cleanly each time, or have only
lost their session.

Kafka does not look: there it stays in the ISR, and leads on with less, in the same leader epoch.
"""

from cluster.controller.active_controller import ActiveController
from cluster.controller.election import is_same_decision, without_former_lives
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import (
    Procedure,
    is_ahead,
    read_states_as_written,
    some_at_once,
    write_states,
)
from cluster.coordination.reads import StatesRead
from cluster.coordination.transaction import Committed, Conflict
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    partition_elected,
    partition_failed,
    replica_out_of_isr,
)
from cluster.zk.requests import Lost, Refused


def write_off_former_lives(active: ActiveController, found: StatesRead) -> Procedure[None]:
    """Let nobody be in an ISR for what it had before it registered; *found* are all states.

    To be done before anybody is told of a state: nobody shall lead in an epoch of before.  After a
    crash in between some are written, and are newer than the registrations; the next controller
    goes on with the others.
    """
    stale = [partition for partition in found.states if _decided(active, partition, found)]
    bounced = {broker_id for one in stale for broker_id in _bounced(active, one, found)}
    if stale:
        text = f"brokers={sorted(bounced)} bounced while there was no controller"
        active.note(f"{text}: {len(stale)} partitions get another leader epoch")
    for some in some_at_once(stale):
        yield from _write_off(active, tuple(some), found)


def _write_off(
    active: ActiveController, partitions: tuple[TopicPartition, ...], found: StatesRead
) -> Procedure[None]:
    """Decide and write, again on what is read then for those that somebody else has written."""
    before: dict[TopicPartition, PartitionState] = {}
    attempted: dict[TopicPartition, PartitionState] = {}
    waiting = partitions
    while waiting:
        wanted: dict[TopicPartition, PartitionState] = {}
        for partition in waiting:
            state = found.states.get(partition)
            decided = _decided(active, partition, found)
            if state is None:
                _fail(active, partition, "its state is gone")
            elif decided is not None:
                before[partition], wanted[partition] = state, decided
            elif partition in attempted and is_same_decision(state, attempted[partition]):
                # The write had landed, only its answer was lost.
                _take(active, before[partition], partition, state)
            else:
                active.context.states[partition] = state
        attempted = wanted
        results = yield from write_states(active, wanted)
        for partition, result in results.items():
            state = wanted[partition]
            if isinstance(result, Committed):
                written = state._replace(zk_version=result.zk_version)
                _take(active, before[partition], partition, written)
            elif isinstance(result, Refused):
                _fail(active, partition, f"ZooKeeper refused to write its state {state}")
        waiting = tuple(
            partition
            for partition, result in results.items()
            if isinstance(result, Conflict | Lost)
        )
        found = yield from read_states_as_written(active, waiting)


def _bounced(
    active: ActiveController, partition: TopicPartition, found: StatesRead
) -> frozenset[BrokerId]:
    """The members of the ISR that have registered after the state was written."""
    brokers, written = active.context.brokers, found.written[partition]
    return frozenset(
        member
        for member in found.states[partition].isr
        if member in brokers and brokers[member].broker_epoch > written
    )


def _decided(
    active: ActiveController, partition: TopicPartition, found: StatesRead
) -> PartitionState | None:
    """What shall stand there instead; None for what can stay, or is not to be decided on."""
    state = found.states.get(partition)
    if state is None or is_ahead(active, state):
        return None
    bounced = _bounced(active, partition, found)
    if not bounced:
        return None
    context = active.context
    live = context.live_replicas(partition)
    assignment, epoch = context.assignments[partition], active.controller_epoch
    intact = _intact(active, bounced, found.written[partition])
    return without_former_lives(assignment, state, live, bounced, epoch, intact)


def _intact(
    active: ActiveController, bounced: frozenset[BrokerId], written: int
) -> frozenset[BrokerId]:
    """Those that have *bounced* and still have what they had when the state was *written*."""
    brokers = active.context.brokers
    return frozenset(one for one in bounced if brokers[one].is_intact_since(written))


def _take(
    active: ActiveController,
    before: PartitionState,
    partition: TopicPartition,
    state: PartitionState,
) -> None:
    """Note a state that is written, and log what it means in Kafka's words."""
    active.context.states[partition] = state
    for broker_id in before.isr:
        if broker_id not in state.isr:
            active.log(replica_out_of_isr(active.tag, partition, state, broker_id))
    if state.leader != before.leader or state.isr == before.isr:
        offline, online = PartitionStatus.OFFLINE, PartitionStatus.ONLINE
        active.log(partition_elected(active.tag, partition, offline, online, state))


def _fail(active: ActiveController, partition: TopicPartition, reason: str) -> None:
    offline, online = PartitionStatus.OFFLINE, PartitionStatus.ONLINE
    active.log(partition_failed(active.tag, partition, offline, online, reason))
