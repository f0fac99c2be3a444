"""Why a partition got the leader that it got, by what lines say before and in the decision."""

from collections.abc import Sequence
from dataclasses import dataclass

from kadmin.statechange.kinds import Kind
from kadmin.story.events import NEW, NON_EXISTENT, OFFLINE, ONLINE, Event
from kadmin.story.reigns import Life, Reign
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


def why(reign: Reign, before: Before, life: Life) -> Why:
    """Return why *reign* began after what was *before*; unknown if the previous leader is."""
    if reign.leader is None:
        return Why(Reason.UNKNOWN)
    decided = reign.decided
    state = None if decided is None else decided.from_state
    if reign.leader == NO_LEADER:
        reason = Reason.NOBODY_LEFT if before.has_failed else Reason.BROKER_GONE
        return Why(reason, removals(reign))
    if state is not None and (state in NEW or state in NON_EXISTENT):
        return Why(Reason.CREATED, () if life.created is None else (life.created,))
    if before.leader is None and reign.leader_epoch == 0 and life.created is not None:
        # Kafka 0.8 writes that the partition was Online before it was.
        return Why(Reason.CREATED, (life.created,))
    if before.leader is not None and is_unclean(reign, before):
        return Why(Reason.UNCLEAN_ELECTION)
    if before.leader is None or before.missed > 0:
        # Where the logs begin later than the partition, its state shows that a leader was lost.
        is_gone = state is not None and state in OFFLINE
        return Why(Reason.BROKER_GONE, removals(reign)) if is_gone else Why(Reason.UNKNOWN)
    if before.leader == reign.leader and before.is_led:
        # While replicas are added, brokers write the current ones with each leader epoch.
        ordered = [each for each in life.reassignments if each.is_of_controller]
        change = last_before(ordered, reign)
        if change is not None and change.time_ms > before.since_ms:
            return Why(Reason.REASSIGNMENT, (change,))
        return Why(Reason.SAME_LEADER, removals(reign))
    disk = failed_disk(reign, before, life)
    if disk is not None:
        return Why(Reason.DISK_FAILED, (disk,))
    if not before.is_led or (state is not None and state in OFFLINE):
        is_back = before.has_failed or before.leader == reign.leader
        return Why(Reason.REPLICA_RETURNED if is_back else Reason.BROKER_GONE, removals(reign))
    return why_moved(reign, before, state, life)


def why_moved(reign: Reign, before: Before, state: str | None, life: Life) -> Why:
    """Return why another broker leads although no line shows that the previous leader was lost."""
    isr = isr_of(reign)
    if isr is not None and before.leader not in isr:
        # Who shuts down leaves the ISR with the election; a dead one is Offline before it.
        is_told = state is not None and state in ONLINE
        return Why(Reason.CONTROLLED_SHUTDOWN if is_told else Reason.BROKER_GONE)
    change = last_reassignment(life, reign)
    if change is not None and before.leader not in (change.replicas or before.replicas):
        return Why(Reason.REASSIGNMENT, (change,))
    if before.replicas and before.replicas[0] == reign.leader:
        return Why(Reason.PREFERRED_ELECTION)
    if change is not None:
        return Why(Reason.REASSIGNMENT, (change,))
    # The known replicas may be outdated: no line of level INFO records their change.
    is_told = state is not None and state in ONLINE
    return Why(Reason.ON_REQUEST if is_told else Reason.UNKNOWN)


def is_unclean(reign: Reign, before: Before) -> bool:
    """Return whether the leader was elected from outside of the ISR, as far as lines prove it.

    Changes of the ISR without a line appear as a jump of its version: then the version proves
    nothing, but a line that the leader recovers does.
    """
    was_member = before.isr is not None and reign.leader in before.isr
    told = reign.decided or reign.claims[0]
    has_versions = before.zk_version is not None and told.zk_version is not None
    jumps = has_versions and told.zk_version != (before.zk_version or 0) + 1
    jumps |= before.missed > 0
    if any(event.is_recovering for event in reign.claims if event.leader == reign.leader):
        return not was_member or (jumps and before.leader != reign.leader)
    if was_member or not before.isr or jumps:
        return False
    is_offline = told.from_state is not None and told.from_state in OFFLINE
    return (has_versions or is_offline) and isr_of(reign) == (reign.leader,)


def isr_of(reign: Reign) -> tuple[int, ...] | None:
    """The ISR with which it began."""
    told = isr_told(reign)
    return None if told is None else told.isr


def isr_told(reign: Reign) -> Event | None:
    """Return the first line of *reign* that has an ISR."""
    told = [reign.decided, *reign.claims] if reign.decided else reign.claims
    return next((each for each in told if each.isr is not None), None)


def isr_step(reign: Reign, before: Before) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which brokers the decision for *reign* removed from the ISR, and which it added.

    Both are empty without a line that proves it, since leaders change the ISR, too.
    """
    decided = reign.decided
    if before.isr is None:
        return (), ()
    if decided is not None and decided.kind is Kind.ISR_CHANGE:
        # Later lines of the epoch remove only those who had left before.  The last one stays.
        gone = decided.peer_broker
        return ((), ()) if gone is None or gone in (decided.isr or ()) else ((gone,), ())
    told = isr_told(reign)
    if told is None or before.zk_version is None or told.zk_version != before.zk_version + 1:
        return (), ()
    isr = told.isr or ()
    return (
        tuple(each for each in before.isr if each not in isr),
        tuple(each for each in isr if each not in before.isr),
    )


def removals(reign: Reign) -> tuple[Event, ...]:
    """Return the lines of this epoch about brokers that the controller removed from the ISR."""
    return tuple(each for each in reign.claims if each.kind is Kind.ISR_CHANGE)


def failed_disk(reign: Reign, before: Before, life: Life) -> Event | None:
    """The last line by which a disk of the old leader failed while it led."""
    failed = [
        each
        for each in life.failed_disks
        if each.peer_broker == before.leader and each.time_ms >= before.since_ms
    ]
    return last_before(failed, reign)


def last_reassignment(life: Life, reign: Reign) -> Event | None:
    """Return the last line with changed replicas up to the beginning of *reign*."""
    return last_before(life.reassignments, reign)


def last_before(events: Sequence[Event], reign: Reign) -> Event | None:
    return next((each for each in reversed(events) if each.time_ms <= reign.since_ms), None)
