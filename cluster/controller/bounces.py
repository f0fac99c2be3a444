"""Brokers that bounced while there was no controller: how a new controller finds and treats them.

A running controller sees a broker come back under another broker epoch, and removes it from its
ISRs.  A controller elected afterwards only sees a registered broker.  But the broker epoch is the
zxid of the registration: a broker that registered after the state of a partition was written is in
the ISR for the records of an earlier incarnation, and may have lost some of them.  The exception is
a broker that registers as intact: our brokers register with the epoch since which every shutdown
was clean, or only the session was lost.

Kafka does not check this: there the broker stays in the ISR, and may lead with fewer records in the
same leader epoch.
"""

from collections.abc import Sequence
from functools import partial

from cluster.controller.active_controller import ActiveController
from cluster.controller.election import without_bounced
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import (
    Procedure,
    States,
    is_ahead,
    rewrite_states,
    some_at_once,
)
from cluster.coordination.reads import StatesRead
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    partition_elected,
    partition_failed,
    replica_out_of_isr,
)


def remove_bounced_from_isrs(active: ActiveController, found: StatesRead) -> Procedure[None]:
    """Remove brokers from the ISRs that they joined before they registered; *found* are all states.

    To be called before any state is sent to brokers, so that no broker leads in an older leader
    epoch.  After a crash in between, the states already written are newer than the registrations,
    and the next controller goes on with the others.
    """
    stale = [partition for partition in found.states if _decided(active, partition, found)]
    bounced = {broker_id for one in stale for broker_id in _bounced(active, one, found)}
    if stale:
        text = f"brokers={sorted(bounced)} bounced while there was no controller"
        active.note(f"{text}: {len(stale)} partitions get another leader epoch")
    for some in some_at_once(stale):
        yield from _write_off(active, some)


def _write_off(active: ActiveController, partitions: Sequence[TopicPartition]) -> Procedure[None]:
    before: dict[TopicPartition, PartitionState] = {}

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        wanted: dict[TopicPartition, PartitionState] = {}
        for partition in waiting:
            state = found.states.get(partition)
            decided = _decided(active, partition, found)
            if state is None:
                _fail(active, partition, "its state is gone")
            elif decided is not None:
                before[partition], wanted[partition] = state, decided
            else:
                active.context.states[partition] = state
        return wanted

    def on_written(partition: TopicPartition, state: PartitionState) -> None:
        _take(active, before[partition], partition, state)

    yield from rewrite_states(active, partitions, decide, on_written, partial(_fail, active))


def may_have_lost(
    active: ActiveController, partition: TopicPartition, found: StatesRead
) -> frozenset[BrokerId]:
    """The members of the ISR that may have lost records since the state was written."""
    bounced = _bounced(active, partition, found)
    return bounced - frozenset(_intact(active, bounced, found.written[partition]))


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
    """The state to write instead; None if the present one can stay or must not be decided on."""
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
    return without_bounced(assignment, state, live, bounced, epoch, intact)


def _intact(
    active: ActiveController, bounced: frozenset[BrokerId], written: int
) -> frozenset[BrokerId]:
    """The *bounced* brokers that still have all that they had when the state was *written*."""
    brokers = active.context.brokers
    return frozenset(one for one in bounced if brokers[one].is_intact_since(written))


def _take(
    active: ActiveController,
    before: PartitionState,
    partition: TopicPartition,
    state: PartitionState,
) -> None:
    """Note a written state, and log what it means in Kafka's words."""
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
