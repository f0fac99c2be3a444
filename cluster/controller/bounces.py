"""Brokers that bounced while there was no controller: how a new controller finds and treats them.

A running controller sees a broker come back under another broker epoch, and removes it from its
ISRs.  A controller elected afterwards only sees a registered broker.  But the broker epoch is the
zxid of the registration: a broker that registered after the state of a partition was written is in
the ISR for the records of an earlier incarnation, and may have lost some of them.  The exception is
a broker that registers as intact: our brokers register with the epoch since which they have lost
nothing.  And a topic that flushes each record loses nothing with a machine that stops, only with a
disk: those of ours register since when they have what was flushed.

A controller may have written a state after a broker had registered again, and not have known that.
So a loss stays in the registration until a controller has sent an order that shows that it knows.
Until then the broker counts as one that bounced, whenever the state was written.

One of our brokers that is not intact has lost what its machine had not flushed; of Kafka's it is
not known.  The former leaves every ISR that has another member, also one that is away: that may
come back with everything.

Kafka does not check this: there the broker stays in the ISR, and may lead with fewer records in the
same leader epoch.
"""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

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
from cluster.coordination import reads
from cluster.coordination.reads import StatesRead
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    partition_elected,
    partition_failed,
    replica_out_of_isr,
)


class Bounced(NamedTuple):
    """The members of an ISR that have registered after its state was written."""

    members: frozenset[BrokerId]
    intact: frozenset[BrokerId] = frozenset()
    """Those that still have all that they had then."""
    lost: frozenset[BrokerId] = frozenset()
    """Those that say that they may not."""

    @property
    def doubtful(self) -> frozenset[BrokerId]:
        return self.members - self.intact


def remove_bounced_from_isrs(active: ActiveController, found: StatesRead) -> Procedure[None]:
    """Remove brokers from the ISRs that they joined before they registered; *found* are all states.

    To be called before any state is sent to brokers, so that no broker leads in an older leader
    epoch.  After a crash in between, the states already written are newer than the registrations,
    and the next controller goes on with the others.
    """
    flushing = yield from flushing_topics(active, found)
    stale = [one for one in found.states if _decided(active, one, found, flushing)]
    if stale:
        bounced = sorted(
            {
                broker_id
                for one in stale
                for broker_id in bounced_of(active, one, found, flushing).members
            }
        )
        text = f"brokers={bounced} bounced while there was no controller"
        active.note(f"{text}: {len(stale)} partitions get another leader epoch")
    for some in some_at_once(stale):
        yield from _write_off(active, some, flushing)


def _write_off(
    active: ActiveController, partitions: Sequence[TopicPartition], flushing: Collection[str]
) -> Procedure[None]:
    before: dict[TopicPartition, PartitionState] = {}

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        yield from ()
        wanted: dict[TopicPartition, PartitionState] = {}
        for partition in waiting:
            state = found.states.get(partition)
            decided = _decided(active, partition, found, flushing)
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


def flushing_topics(active: ActiveController, found: StatesRead) -> Procedure[frozenset[str]]:
    """Read which topics with doubtful members in their ISRs flush each record."""
    topics = dict.fromkeys(
        partition.topic
        for partition in found.states
        if bounced_of(active, partition, found, ()).doubtful
    )
    if not topics:
        return frozenset()
    return (yield from reads.read_flushing_topics(active.client, tuple(topics)))


def bounced_of(
    active: ActiveController,
    partition: TopicPartition,
    found: StatesRead,
    flushing: Collection[str],
) -> Bounced:
    """The members that have bounced; in the topics *flushing* those with all that was flushed are
    intact.
    """
    brokers, written = active.context.brokers, found.written[partition]
    state = found.states[partition]
    # An earlier controller may have written it after it registered, and not have known that.
    is_earlier = state.controller_epoch != active.controller_epoch
    bounced = frozenset(
        member
        for member in state.isr
        if member in brokers
        and (
            brokers[member].broker_epoch > written or (is_earlier and brokers[member].has_open_loss)
        )
    )
    intact = _intact(active, bounced, written)
    if partition.topic in flushing:
        intact |= {one for one in bounced if brokers[one].has_flushed_since(written)}
    lost = frozenset(one for one in bounced - intact if brokers[one].has_lost_since(written))
    return Bounced(bounced, intact, lost)


def _decided(
    active: ActiveController,
    partition: TopicPartition,
    found: StatesRead,
    flushing: Collection[str],
) -> PartitionState | None:
    """The state to write instead; None if the present one can stay or must not be decided on."""
    state = found.states.get(partition)
    if state is None or is_ahead(active, state):
        return None
    bounced = bounced_of(active, partition, found, flushing)
    if not bounced.members:
        return None
    context = active.context
    live = context.live_replicas(partition)
    assignment, epoch = context.assignments[partition], active.controller_epoch
    return without_bounced(
        assignment, state, live, bounced.members, epoch, bounced.intact, bounced.lost
    )


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
    is_elected = state.leader != before.leader or state.isr == before.isr
    if is_elected and state.leader != NO_LEADER:
        offline, online = PartitionStatus.OFFLINE, PartitionStatus.ONLINE
        active.log(partition_elected(active.tag, partition, offline, online, state))


def _fail(active: ActiveController, partition: TopicPartition, reason: str) -> None:
    offline, online = PartitionStatus.OFFLINE, PartitionStatus.ONLINE
    active.log(partition_failed(active.tag, partition, offline, online, reason))
