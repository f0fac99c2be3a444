"""Anomalies in the history of a partition, with the lines that prove it."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from kadmin.statechange.kinds import Kind
from kadmin.story.coverage import CLOCKS_AGREE_MS, Coverage
from kadmin.story.events import Event
from kadmin.story.leader_epochs import DECIDING, Incarnation, ObservedEpoch
from kadmin.story.reasons import isr_of
from kadmin.story.values import NO_LEADER, Anomaly, AnomalyKind

ANSWER_MS: Final = 30_000
"""How long a broker that keeps writing lines may take to carry out an order."""

LATE_MS: Final = 5_000
"""A leader that begins so long after it was chosen left its clients waiting."""

FLAPS: Final = 3
FLAPPING_MS: Final = 600_000
"""So often within that time, a replica that leaves the ISR is flapping."""


def anomalies_of(incarnation: Incarnation, coverage: Coverage) -> Iterator[Anomaly]:
    """Return all anomalies of one incarnation, in no order."""
    for epoch in incarnation.epochs:
        yield from two_leaders(epoch)
        yield from late_leader(epoch)
        yield from unanswered(epoch, incarnation, coverage)
    yield from fallen_epochs(incarnation)
    yield from stale_controllers(incarnation, coverage)
    yield from failed_elections(incarnation)
    yield from flapping(incarnation)
    yield from old_orders(incarnation)


def two_leaders(epoch: ObservedEpoch) -> Iterator[Anomaly]:
    if epoch.leader_epoch is None:
        return
    claims: dict[int, Event] = {}
    for event in epoch.claims:
        if event.leader is not None and event.leader != NO_LEADER:
            claims.setdefault(event.leader, event)
    if len(claims) > 1:
        leaders = " and ".join(map(str, claims))
        yield Anomaly(
            kind=AnomalyKind.TWO_LEADERS,
            text=f"leaders {leaders} in leader epoch {epoch.leader_epoch}",
            proof=tuple(event.line for event in claims.values()),
        )


def late_leader(epoch: ObservedEpoch) -> Iterator[Anomaly]:
    event = None if epoch.leader is None else epoch.roles.get(epoch.leader)
    if epoch.decided is None or event is None:
        return
    delay_ms = event.time_ms - epoch.decided.time_ms
    if delay_ms >= LATE_MS:
        yield Anomaly(
            kind=AnomalyKind.LATE_LEADER,
            text=f"leader {epoch.leader} began {delay_ms:,} ms after it was chosen "
            f"in leader epoch {epoch.leader_epoch}",
            proof=(epoch.decided.line, event.line),
        )


def unanswered(
    epoch: ObservedEpoch, incarnation: Incarnation, coverage: Coverage
) -> Iterator[Anomaly]:
    """Find brokers whose logs go on, and that never came to this leader epoch or a later one."""
    decided = epoch.decided
    leader = epoch.leader
    if decided is None or epoch.leader_epoch is None or leader is None or leader == NO_LEADER:
        return
    end_ms = coverage.last_ms if incarnation.ended_ms is None else incarnation.ended_ms
    members = dict.fromkeys((leader, *(isr_of(epoch) or ())))
    for broker in members:
        last_ms = min(coverage.brokers.get(broker, decided.time_ms), end_ms)
        if last_ms < decided.time_ms + ANSWER_MS or has_answered(broker, epoch, incarnation):
            continue
        if broker != leader and is_taken_out(broker, epoch, decided.time_ms, incarnation):
            continue
        order = epoch.orders.get(broker, decided)
        yield Anomaly(
            kind=AnomalyKind.UNANSWERED_ORDER,
            text=f"broker {broker} never carried out its order in leader epoch"
            f" {epoch.leader_epoch}",
            proof=(order.line,),
        )


def has_answered(broker: int, epoch: ObservedEpoch, incarnation: Incarnation) -> bool:
    """Return whether *broker* showed that it knew of this epoch or a later one, or refused
    since."""
    if any(
        broker in each.answers
        for each in incarnation.epochs
        if each.leader_epoch is not None and each.leader_epoch >= (epoch.leader_epoch or 0)
    ):
        return True
    return any(
        event.broker == broker and event.time_ms >= epoch.since_ms for event in incarnation.refusals
    )


def is_taken_out(
    broker: int, epoch: ObservedEpoch, decided_ms: int, incarnation: Incarnation
) -> bool:
    """Return whether *broker* left the ISR before it had to have answered.

    In a reassignment that removes the leader, the ISR still holds the old leader, which only
    receives an order to stop its replica.
    """
    for later in incarnation.epochs:
        is_next = (later.leader_epoch or 0) > (epoch.leader_epoch or 0)
        isr = isr_of(later) if is_next and later.since_ms < decided_ms + ANSWER_MS else None
        if isr is not None and broker not in isr:
            return True
    return False


def fallen_epochs(incarnation: Incarnation) -> Iterator[Anomaly]:
    """Find controllers that decided a lower leader epoch than before, and brokers that
    went back."""
    decisions = [
        event
        for event in incarnation.events
        if event.kind in DECIDING and event.leader_epoch is not None and event.leader is not None
    ]
    # The terms order controllers whatever their clocks say; within one, the log does.
    decisions.sort(key=lambda each: each.controller_epoch or 0)
    yield from falls(decisions, "the controller decided")
    roles: dict[tuple[str, int | None], list[Event]] = defaultdict(list)
    for event in incarnation.events:
        if event.kind in (Kind.LEADER_START, Kind.FOLLOWER_START):
            roles[event.line.source, event.broker].append(event)
    for (_, broker), events in roles.items():
        yield from falls(events, f"broker {broker} went back to")


def falls(events: list[Event], what: str) -> Iterator[Anomaly]:
    highest: Event | None = None
    for event in events:
        epoch = event.leader_epoch
        if epoch is None:
            continue
        if highest is not None and epoch < (highest.leader_epoch or 0):
            yield Anomaly(
                kind=AnomalyKind.EPOCH_FELL,
                text=f"{what} leader epoch {epoch} after {highest.leader_epoch}",
                proof=(highest.line, event.line),
            )
        else:
            highest = event


def stale_controllers(incarnation: Incarnation, coverage: Coverage) -> Iterator[Anomaly]:
    """Find decisions of a controller after the next one had begun to write."""
    for event in incarnation.events:
        if event.kind not in DECIDING or event.controller_epoch is None:
            continue
        replaced_ms = coverage.replaced_ms(event.controller_epoch)
        if replaced_ms is not None and event.time_ms > replaced_ms + CLOCKS_AGREE_MS:
            yield Anomaly(
                kind=AnomalyKind.STALE_CONTROLLER,
                text=f"controller {event.controller_id} of epoch {event.controller_epoch} decided "
                f"{event.time_ms - replaced_ms:,} ms after the next one had begun",
                proof=(event.line,),
            )


def failed_elections(incarnation: Incarnation) -> Iterator[Anomaly]:
    """Return one anomaly for all failed elections until the next leader."""
    ups = sorted(epoch.since_ms for epoch in incarnation.epochs if epoch.is_led)
    groups: dict[int | None, list[Event]] = defaultdict(list)
    for event in incarnation.failures:
        groups[next((up for up in ups if up >= event.time_ms), None)].append(event)
    for events in groups.values():
        times = "once" if len(events) == 1 else f"{len(events)} times"
        first = events[0]
        yield Anomaly(
            kind=AnomalyKind.FAILED_ELECTION,
            text=f"controller {first.controller_id} found no leader, {times}",
            proof=(first.line,) if len(events) == 1 else (first.line, events[-1].line),
        )


def flapping(incarnation: Incarnation) -> Iterator[Anomaly]:
    changes: dict[tuple[int, int], Event] = {}
    for epoch in incarnation.epochs:
        for event in epoch.claims:
            if event.isr is not None and event.zk_version is not None:
                changes.setdefault((epoch.leader_epoch or 0, event.zk_version), event)
    left: dict[int, list[Event]] = defaultdict(list)
    for (_, earlier), (_, later) in pairwise(sorted(changes.items(), key=lambda each: each[0])):
        for broker in set(earlier.isr or ()) - set(later.isr or ()):
            left[broker].append(later)
    for broker, events in sorted(left.items()):
        for first, last in zip(events, events[FLAPS - 1 :], strict=False):
            if last.time_ms - first.time_ms <= FLAPPING_MS:
                yield Anomaly(
                    kind=AnomalyKind.ISR_FLAPPING,
                    text=f"broker {broker} left the ISR {len(events)} times",
                    proof=tuple(event.line for event in events),
                )
                break


def old_orders(incarnation: Incarnation) -> Iterator[Anomaly]:
    for event in incarnation.refusals:
        if event.kind is Kind.REFUSED and "smaller than the current" in event.line.text:
            yield Anomaly(
                kind=AnomalyKind.OLD_ORDER,
                text=f"broker {event.broker} refused leader epoch {event.leader_epoch} "
                f"of controller {event.controller_id}",
                proof=(event.line,),
            )
