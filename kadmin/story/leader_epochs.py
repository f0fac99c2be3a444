"""Leader epochs as the lines of several brokers record them.

Lines are grouped by the epoch that they name; the epochs order them, whatever the clocks show.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from kadmin.statechange.kinds import Kind
from kadmin.story.coverage import CLOCKS_AGREE_MS
from kadmin.story.events import NEW, NON_EXISTENT, OFFLINE, ONLINE, Event
from kadmin.story.incarnations import DELETED, split
from kadmin.story.values import NO_LEADER

STATED = frozenset(
    {
        Kind.PARTITION_STATE,
        Kind.ISR_CHANGE,
        Kind.SEND_LEADER_AND_ISR,
        Kind.SEND_UPDATE_METADATA,
        Kind.REASSIGNMENT,
        Kind.RECEIVED_LEADER_AND_ISR,
        Kind.CACHED,
        Kind.LEADER_START,
        Kind.FOLLOWER_START,
    }
)
"""Kinds of lines that may name the leader of an epoch."""

DECIDING = frozenset({Kind.PARTITION_STATE, Kind.ISR_CHANGE})


@dataclass(slots=True)
class ObservedEpoch:
    """One leader epoch, as lines record it; *leader_epoch* is None where releases name none.

    *named* is the first line that names it; *claims* are all lines that name it with a leader or an
    ISR, in order; *decided* the controller's own line that began it; *orders* the first line that
    sent it to each broker; *roles* the first line by which each broker took its part in it;
    *answers* those by which brokers showed that they know of it.
    """

    leader_epoch: int | None
    named: Event
    claims: list[Event] = field(default_factory=list)
    decided: Event | None = None
    orders: dict[int, Event] = field(default_factory=dict)
    roles: dict[int, Event] = field(default_factory=dict)
    answers: dict[int, Event] = field(default_factory=dict)

    @property
    def first(self) -> Event:
        return self.decided or next(iter(self.claims), self.named)

    @property
    def since_ms(self) -> int:
        if self.decided is not None:
            return self.decided.time_ms
        events = (self.named, *self.claims, *self.roles.values())
        return min(each.time_ms for each in events)

    @property
    def leader(self) -> int | None:
        """Return the leader, NO_LEADER if there was none, None if no line names it."""
        if self.decided is not None and self.decided.leader is not None:
            return self.decided.leader
        return next((each.leader for each in self.claims if each.leader is not None), None)

    @property
    def is_led(self) -> bool:
        """Return whether there was a leader: a follower has one even if no line names it."""
        return bool(self.roles) if self.leader is None else self.leader != NO_LEADER


@dataclass(slots=True)
class Incarnation:
    """A partition from its creation to its deletion, as far as the logs show it.

    *replicas* are the assigned ones with the times of the first lines that have them, each change
    once; *reassignments* the lines of a reassignment.  *ended_ms* is when the partition was deleted
    or, without a line of that, when the next one of its name existed; None if it still exists.
    """

    created: Event | None = None
    deleted: Event | None = None
    epochs: list[ObservedEpoch] = field(default_factory=list)
    failures: list[Event] = field(default_factory=list)
    refusals: list[Event] = field(default_factory=list)
    offline: list[Event] = field(default_factory=list)
    failed_disks: list[Event] = field(default_factory=list)
    replicas: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    reassignments: list[Event] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    topic_id: str | None = None
    ended_ms: int | None = None


def incarnations(events: Sequence[Event]) -> Iterator[Incarnation]:
    """Return the incarnations of a partition that have at least one leader or failed election
    in *events*."""
    found = []
    for part in split(events):
        incarnation = read_incarnation(part)
        if incarnation.epochs or incarnation.failures:
            found.append(incarnation)
    for incarnation, following in zip_longest(found, found[1:]):
        if incarnation.deleted is not None:
            incarnation.ended_ms = incarnation.deleted.time_ms
        elif following is not None:
            incarnation.ended_ms = following.events[0].time_ms
        yield incarnation


def read_incarnation(events: list[Event]) -> Incarnation:
    ids = (event.topic_id for event in events)
    incarnation = Incarnation(
        events=events, topic_id=next((each for each in ids if each is not None), None)
    )
    reader = IncarnationReader(incarnation)
    for event in events:
        reader.read(event)
    incarnation.epochs = [reader.epochs[epoch] for epoch in sorted(reader.epochs)]
    for event in reader.unnumbered:
        if not is_named(event, reader):
            insert(incarnation.epochs, ObservedEpoch(None, event, [event], event))
    return incarnation


def is_named(decision: Event, reader: "IncarnationReader") -> bool:
    """Return whether a decision without a leader epoch began one that other lines name.

    The order that followed proves it, or a broker that became the leader later.
    """
    return any(decision is each for each in reader.numbered) or any(
        epoch.decided is None
        and epoch.leader == decision.leader
        and epoch.since_ms >= decision.time_ms - CLOCKS_AGREE_MS
        for epoch in reader.epochs.values()
    )


def insert(epochs: list[ObservedEpoch], late: ObservedEpoch) -> None:
    """Put an epoch that no line names where it belongs by its time.

    Not behind a named one of the same leader: both may be the same.
    """
    place = sum(1 for each in epochs if each.since_ms <= late.since_ms)
    before = epochs[place - 1] if place > 0 else None
    if before is None or before.leader != late.leader or before.leader_epoch is None:
        epochs.insert(place, late)


class IncarnationReader:
    """Takes the events of one incarnation in order and adds them to its epochs."""

    def __init__(self, incarnation: Incarnation) -> None:
        self.incarnation = incarnation
        self.epochs: dict[int, ObservedEpoch] = {}
        self.unnumbered: list[Event] = []
        """Decisions of releases up to 1.0, whose own lines have no leader epoch."""
        self.pending: dict[int | None, Event] = {}
        """The last of them, by controller, whose epoch the orders that follow will name."""
        self.numbered: list[Event] = []
        """Those whose epoch an order has named."""
        self.received: dict[tuple[int | None, int | None, int | None], int] = {}
        """The leader epoch of each order that a broker has received, by its correlation id."""

    def read(self, event: Event) -> None:
        known, replicas = self.incarnation.replicas, event.replicas
        if replicas is not None and (not known or known[-1][1] != replicas):
            known.append((event.time_ms, replicas))
        if event.is_reassigning:
            self.incarnation.reassignments.append(event)
        match event.kind:
            case Kind.PARTITION_STATE:
                self.on_state(event)
            case Kind.TRANSITION_FAILED:
                if event.to_state in ONLINE:
                    self.incarnation.failures.append(event)
            case Kind.REFUSED | Kind.FAILED:
                self.on_refused(event)
            case Kind.OFFLINE_REPLICAS:
                self.incarnation.failed_disks.append(event)
            case Kind.COMPLETED | Kind.SKIPPED:
                self.on_completed(event)
            case kind if kind in STATED:
                self.on_stated(event)
            case _:
                pass

    def on_state(self, event: Event) -> None:
        incarnation = self.incarnation
        if event.to_state in NON_EXISTENT:
            incarnation.deleted = incarnation.deleted or event
        elif event.to_state in NEW:
            incarnation.created = incarnation.created or event
        elif event.to_state in OFFLINE:
            incarnation.offline.append(event)
        elif event.to_state in ONLINE and event.leader is not None:
            if event.leader_epoch is not None:
                self.on_stated(event)
            else:
                self.unnumbered.append(event)
                self.pending[event.controller_epoch] = event

    def on_stated(self, event: Event) -> None:
        if event.leader == DELETED or event.leader_epoch is None:
            return
        epoch = self.epochs.setdefault(event.leader_epoch, ObservedEpoch(event.leader_epoch, event))
        if event.leader is not None or event.isr is not None:
            epoch.claims.append(event)
        if event.is_of_controller:
            self.on_decision(event, epoch)
        if event.kind is Kind.SEND_LEADER_AND_ISR and event.peer_broker is not None:
            epoch.orders.setdefault(event.peer_broker, event)
        if event.broker is None or event.is_of_controller:
            return
        if event.kind is Kind.RECEIVED_LEADER_AND_ISR:
            key = event.broker, event.controller_epoch, event.correlation_id
            self.received[key] = event.leader_epoch
            epoch.answers.setdefault(event.broker, event)
        elif event.kind in (Kind.LEADER_START, Kind.FOLLOWER_START):
            epoch.roles.setdefault(event.broker, event)
            epoch.answers.setdefault(event.broker, event)

    def on_decision(self, event: Event, epoch: ObservedEpoch) -> None:
        if epoch.decided is not None:
            return
        pending = self.pending.get(event.controller_epoch)
        if event.kind in DECIDING:
            epoch.decided = event
        elif pending is not None and pending.leader == event.leader:
            del self.pending[event.controller_epoch]
            self.numbered.append(pending)
            epoch.decided = replace(
                pending, leader_epoch=event.leader_epoch, isr=event.isr, zk_version=event.zk_version
            )

    def on_refused(self, event: Event) -> None:
        self.incarnation.refusals.append(event)
        if event.leader_epoch is not None and event.broker is not None:
            epoch = self.epochs.get(event.leader_epoch)
            if epoch is not None:
                epoch.answers.setdefault(event.broker, event)

    def on_completed(self, event: Event) -> None:
        key = event.broker, event.controller_epoch, event.correlation_id
        epoch = self.received.get(key)
        if epoch is None or event.broker is None:
            return
        self.epochs[epoch].roles.setdefault(event.broker, event)
