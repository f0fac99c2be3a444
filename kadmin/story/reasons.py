"""Why a partition got the leader that it got, by what lines say before and in the decision."""

from collections.abc import Sequence
from dataclasses import dataclass

from kadmin.statechange.kinds import Kind
from kadmin.story.events import NEW, NON_EXISTENT, OFFLINE, ONLINE, Event
from kadmin.story.leader_epochs import Incarnation, ObservedEpoch
from kadmin.story.values import NO_LEADER, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What was known when a leader was elected.

    *leader* is the last known leader, from *since_ms* on, None if unknown; *is_led* if it led until
    then, *has_failed* if an election has failed since.  *isr* is the last known one, None without
    any, and *zk_version* its version.  *replicas* are the assigned ones, the preferred leader
    first.  *missed* counts the leader epochs since then that no line has: the leader that was lost
    is that of these epochs, not *leader*.
    """

    leader: int | None
    since_ms: int
    is_led: bool
    has_failed: bool
    isr: tuple[int, ...] | None
    zk_version: int | None
    replicas: tuple[int, ...]
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Why:
    """A reason and the lines that prove it, without that of the decision itself."""

    reason: Reason
    proof: tuple[Event, ...] = ()


def why(epoch: ObservedEpoch, before: Before, incarnation: Incarnation) -> Why:
    """Return why *epoch* began after what was *before*; unknown if the previous leader is."""
    if epoch.leader is None:
        return Why(Reason.UNKNOWN)
    decided = epoch.decided
    state = None if decided is None else decided.from_state
    if epoch.leader == NO_LEADER:
        reason = Reason.NOBODY_LEFT if before.has_failed else Reason.BROKER_GONE
        return Why(reason, removals(epoch))
    if state is not None and (state in NEW or state in NON_EXISTENT):
        return Why(Reason.CREATED, () if incarnation.created is None else (incarnation.created,))
    if before.leader is None and epoch.leader_epoch == 0 and incarnation.created is not None:
        # Kafka 0.8 writes that the partition was Online before it was.
        return Why(Reason.CREATED, (incarnation.created,))
    if before.leader is not None and is_unclean(epoch, before):
        return Why(Reason.UNCLEAN_ELECTION)
    if before.leader is None or before.missed > 0:
        # Where the logs begin later than the partition, its state shows that a leader was lost.
        is_gone = state is not None and state in OFFLINE
        return Why(Reason.BROKER_GONE, removals(epoch)) if is_gone else Why(Reason.UNKNOWN)
    if before.leader == epoch.leader and before.is_led:
        # While replicas are added, brokers write the current ones with each leader epoch.
        ordered = [each for each in incarnation.reassignments if each.is_of_controller]
        change = last_before(ordered, epoch)
        if change is not None and change.time_ms > before.since_ms:
            return Why(Reason.REASSIGNMENT, (change,))
        return Why(Reason.SAME_LEADER, removals(epoch))
    disk = failed_disk(epoch, before, incarnation)
    if disk is not None:
        return Why(Reason.DISK_FAILED, (disk,))
    if not before.is_led or (state is not None and state in OFFLINE):
        is_back = before.has_failed or before.leader == epoch.leader
        return Why(Reason.REPLICA_RETURNED if is_back else Reason.BROKER_GONE, removals(epoch))
    return why_moved(epoch, before, state, incarnation)


def why_moved(
    epoch: ObservedEpoch, before: Before, state: str | None, incarnation: Incarnation
) -> Why:
    """Return why another broker leads although no line shows that the previous leader was lost."""
    isr = isr_of(epoch)
    if isr is not None and before.leader not in isr:
        # Who shuts down leaves the ISR with the election; a dead one is Offline before it.
        is_online = state is not None and state in ONLINE
        return Why(Reason.CONTROLLED_SHUTDOWN if is_online else Reason.BROKER_GONE)
    change = last_reassignment(incarnation, epoch)
    if change is not None and before.leader not in (change.replicas or before.replicas):
        return Why(Reason.REASSIGNMENT, (change,))
    if before.replicas and before.replicas[0] == epoch.leader:
        return Why(Reason.PREFERRED_ELECTION)
    if change is not None:
        return Why(Reason.REASSIGNMENT, (change,))
    # The known replicas may be outdated: no line of level INFO records their change.
    is_online = state is not None and state in ONLINE
    return Why(Reason.ON_REQUEST if is_online else Reason.UNKNOWN)


def is_unclean(epoch: ObservedEpoch, before: Before) -> bool:
    """Return whether the leader was elected from outside of the ISR, as far as lines prove it.

    Changes of the ISR without a line appear as a jump of its version: then the version proves
    nothing, but a line that the leader recovers does.
    """
    was_member = before.isr is not None and epoch.leader in before.isr
    first = epoch.decided or epoch.claims[0]
    has_versions = before.zk_version is not None and first.zk_version is not None
    jumps = has_versions and first.zk_version != (before.zk_version or 0) + 1
    jumps |= before.missed > 0
    if any(event.is_recovering for event in epoch.claims if event.leader == epoch.leader):
        return not was_member or (jumps and before.leader != epoch.leader)
    if was_member or not before.isr or jumps:
        return False
    is_offline = first.from_state is not None and first.from_state in OFFLINE
    return (has_versions or is_offline) and isr_of(epoch) == (epoch.leader,)


def isr_of(epoch: ObservedEpoch) -> tuple[int, ...] | None:
    """Return the ISR with which it began."""
    event = first_with_isr(epoch)
    return None if event is None else event.isr


def first_with_isr(epoch: ObservedEpoch) -> Event | None:
    """Return the first line of *epoch* that has an ISR."""
    events = [epoch.decided, *epoch.claims] if epoch.decided else epoch.claims
    return next((each for each in events if each.isr is not None), None)


def isr_step(epoch: ObservedEpoch, before: Before) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which brokers the decision for *epoch* removed from the ISR, and which it added.

    Both are empty without a line that proves it, since leaders change the ISR, too.
    """
    decided = epoch.decided
    if before.isr is None:
        return (), ()
    if decided is not None and decided.kind is Kind.ISR_CHANGE:
        # Later lines of the epoch remove only those who had left before.  The last one stays.
        gone = decided.peer_broker
        return ((), ()) if gone is None or gone in (decided.isr or ()) else ((gone,), ())
    event = first_with_isr(epoch)
    if event is None or before.zk_version is None or event.zk_version != before.zk_version + 1:
        return (), ()
    isr = event.isr or ()
    return (
        tuple(each for each in before.isr if each not in isr),
        tuple(each for each in isr if each not in before.isr),
    )


def removals(epoch: ObservedEpoch) -> tuple[Event, ...]:
    """Return the lines of this epoch about brokers that the controller removed from the ISR."""
    return tuple(each for each in epoch.claims if each.kind is Kind.ISR_CHANGE)


def failed_disk(epoch: ObservedEpoch, before: Before, incarnation: Incarnation) -> Event | None:
    """Return the last line by which a disk of the old leader failed while it led."""
    failed = [
        each
        for each in incarnation.failed_disks
        if each.peer_broker == before.leader and each.time_ms >= before.since_ms
    ]
    return last_before(failed, epoch)


def last_reassignment(incarnation: Incarnation, epoch: ObservedEpoch) -> Event | None:
    """Return the last line with changed replicas up to the beginning of *epoch*."""
    return last_before(incarnation.reassignments, epoch)


def last_before(events: Sequence[Event], epoch: ObservedEpoch) -> Event | None:
    return next((each for each in reversed(events) if each.time_ms <= epoch.since_ms), None)
