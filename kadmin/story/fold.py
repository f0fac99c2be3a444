"""The fold: from all that lines say about a partition to its story."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from kadmin.story.anomalies import anomalies_of
from kadmin.story.coverage import Coverage
from kadmin.story.events import NEW, OFFLINE, Event
from kadmin.story.leader_epochs import Incarnation, ObservedEpoch, incarnations
from kadmin.story.reasons import Before, isr_step, why
from kadmin.story.values import (
    NO_LEADER,
    Anomaly,
    AnomalyKind,
    IsrChange,
    Leaderless,
    Leadership,
    Reason,
    RoleTaken,
    Story,
    may_hide_leader,
)

LEADS = "become-leader"


def fold(topic: str, partition: int, events: Sequence[Event], coverage: Coverage) -> list[Story]:
    """Return the story of a partition, one for each topic that had the name, in their order.

    None at all if no line has a leader or the lack of one.  *events* are in the order of common
    time, those of one log in its order.
    """
    found = list(incarnations(events))
    return [
        story_of(topic, partition, incarnation, coverage, number, len(found))
        for number, incarnation in enumerate(found, start=1)
    ]


def story_of(
    topic: str,
    partition: int,
    incarnation: Incarnation,
    coverage: Coverage,
    number: int,
    count: int,
) -> Story:
    leaderships = tuple(leaderships_of(incarnation))
    anomalies = (*anomalies_of(incarnation, coverage), *unclean_elections(leaderships))
    return Story(
        topic=topic,
        partition=partition,
        replicas=incarnation.replicas[-1][1] if incarnation.replicas else (),
        leaderships=leaderships,
        leaderless=tuple(leaderless_of(incarnation)),
        anomalies=tuple(sorted(anomalies, key=lambda each: each.time_ms)),
        hidden=tuple(hidden(incarnation, coverage)),
        silent=silent(incarnation, coverage),
        end_ms=coverage.last_ms,
        topic_id=incarnation.topic_id,
        incarnation=number,
        incarnations=count,
        ended_ms=incarnation.ended_ms,
    )


def unclean_elections(leaderships: Sequence[Leadership]) -> Iterator[Anomaly]:
    for each in leaderships:
        if each.reason is Reason.UNCLEAN_ELECTION:
            yield Anomaly(
                kind=AnomalyKind.UNCLEAN_ELECTION,
                text=f"broker {each.leader} was made leader in leader epoch {each.leader_epoch} "
                "from outside of the ISR",
                proof=each.proof,
            )


def leaderships_of(incarnation: Incarnation) -> Iterator[Leadership]:
    before = Before(
        leader=None,
        since_ms=0,
        is_led=False,
        has_failed=False,
        isr=None,
        zk_version=None,
        replicas=(),
    )
    last_epoch: int | None = None
    """The last one of which it is known who led."""
    since = [epoch.since_ms for epoch in incarnation.epochs]
    # There was no leader where there are only lines of failed elections.
    ends = [*since[1:], incarnation.ended_ms] if since else []
    for epoch, since_ms, until_ms in zip(incarnation.epochs, since, ends, strict=True):
        failed = has_failed(incarnation, since_ms, until_ms)
        missed = missed_between(last_epoch, epoch.leader_epoch)
        cause = why(
            epoch,
            replace(
                before,
                replicas=replicas_until(incarnation, since_ms),
                missed=missed,
                has_failed=before.has_failed or (epoch.leader == NO_LEADER and failed),
            ),
            incarnation,
        )
        first, isr = epoch.first, isr_changes(epoch)
        left, joined = isr_step(epoch, before)
        yield Leadership(
            leader=epoch.leader,
            leader_epoch=epoch.leader_epoch,
            since_ms=since_ms,
            # By clocks that differ, the next one may seem to have begun before.
            until_ms=None if until_ms is None else max(until_ms, since_ms),
            before=before.leader,
            isr_left=left,
            isr_joined=joined,
            reason=cause.reason,
            is_decided=epoch.decided is not None,
            controller_id=first.controller_id,
            controller_epoch=first.controller_epoch,
            isr=isr,
            roles=tuple(roles_of(epoch)),
            proof=(first.line, *(each.line for each in cause.proof if each.line != first.line)),
            missed=missed,
        )
        if epoch.leader is None:
            # There may have been a leader, in an epoch that no line names.
            continue
        if epoch.leader_epoch is not None:
            last_epoch = epoch.leader_epoch
        has_led = epoch.leader != NO_LEADER
        before = Before(
            leader=epoch.leader if has_led else before.leader,
            since_ms=since_ms if has_led else before.since_ms,
            is_led=has_led and not failed,
            has_failed=failed or (before.has_failed and not has_led),
            isr=isr[-1].isr if isr else before.isr,
            zk_version=isr[-1].zk_version if isr else before.zk_version,
            replicas=(),
        )


def missed_between(before: int | None, leader_epoch: int | None) -> int:
    """Return how many leader epochs are missing between two; 0 if one of the two is unknown."""
    if before is None or leader_epoch is None:
        return 0
    return max(0, leader_epoch - before - 1)


def has_failed(incarnation: Incarnation, since_ms: int, until_ms: int | None) -> bool:
    """Return whether an election failed before the next one elected a leader."""
    return any(
        since_ms <= event.time_ms and (until_ms is None or event.time_ms <= until_ms)
        for event in incarnation.failures
        if is_outage(event)
    )


def is_outage(failure: Event) -> bool:
    """Return whether there was no leader when the election failed; another one may only be
    wanted."""
    return failure.from_state is None or failure.from_state in OFFLINE | NEW


def replicas_until(incarnation: Incarnation, time_ms: int) -> tuple[int, ...]:
    """Return the last replicas in lines up to a time, or the first ones in any line."""
    known = bisect_right(incarnation.replicas, time_ms, key=lambda each: each[0])
    return incarnation.replicas[max(known - 1, 0)][1] if incarnation.replicas else ()


def isr_changes(epoch: ObservedEpoch) -> tuple[IsrChange, ...]:
    """Return the ISRs in the lines of an epoch, each once, in the order of their versions."""
    changes: list[IsrChange] = []
    for event in epoch.claims:
        if event.isr is None:
            continue
        version = event.zk_version
        if any(each.zk_version == version and each.isr == event.isr for each in changes):
            continue
        changes.append(IsrChange(isr=event.isr, zk_version=version, line=event.line))
    versioned = [each for each in changes if each.zk_version is not None]
    if versioned:
        # An ISR without a version may be older than those of the lines around it.
        changes = sorted(versioned, key=lambda each: each.zk_version or 0)
    return tuple(
        each
        for number, each in enumerate(changes)
        if number == 0 or set(each.isr) != set(changes[number - 1].isr)
    )


def roles_of(epoch: ObservedEpoch) -> Iterator[RoleTaken]:
    for broker, event in epoch.roles.items():
        order = epoch.orders.get(broker, epoch.decided)
        yield RoleTaken(
            broker=broker,
            is_leader=event.to_state == LEADS,
            delay_ms=None if order is None else event.time_ms - order.time_ms,
            line=event.line,
        )


def leaderless_of(incarnation: Incarnation) -> Iterator[Leaderless]:
    """Return the times without a leader, with the lines that begin and end them.

    Leader epochs that no line names may have had a leader: before them a time ends with the last
    line about it.
    """
    downs = [
        (event.time_ms, event)
        for event in incarnation.offline
        if not is_of_deletion(incarnation, event)
    ]
    downs += [(event.time_ms, event) for event in incarnation.failures if is_outage(event)]
    downs += [
        (epoch.since_ms, epoch.first) for epoch in incarnation.epochs if epoch.leader == NO_LEADER
    ]
    ups = [epoch.since_ms for epoch in incarnation.epochs if epoch.is_led]
    if incarnation.ended_ms is not None:
        ups.append(incarnation.ended_ms)
    ups.sort()
    gaps = gaps_of(incarnation)
    covered_ms: int | None = None
    for start_ms, event in sorted(downs, key=lambda each: each[0]):
        if covered_ms is not None and start_ms < covered_ms:
            continue
        place = bisect_left(ups, start_ms)
        end_ms = ups[place] if place < len(ups) else None
        gap = bisect_right(gaps, start_ms)
        if gap < len(gaps) and (end_ms is None or gaps[gap] <= end_ms):
            covered_ms = gaps[gap]
            last_ms = max(time_ms for time_ms, _ in downs if start_ms <= time_ms < covered_ms)
            yield Leaderless(start_ms=start_ms, end_ms=last_ms, line=event.line)
            continue
        if end_ms != start_ms:
            yield Leaderless(start_ms=start_ms, end_ms=end_ms, line=event.line)
        if end_ms is None:
            return
        covered_ms = end_ms


def gaps_of(incarnation: Incarnation) -> list[int]:
    """Return when those leader epochs begin before which others are that no line names."""
    led = [
        (each.leader, each)
        for each in incarnation.epochs
        if each.leader_epoch is not None and each.leader is not None
    ]
    return sorted(
        behind.since_ms
        for (leader, before), (_, behind) in pairwise(led)
        if may_hide_leader(leader, missed_between(before.leader_epoch, behind.leader_epoch))
    )


def is_of_deletion(incarnation: Incarnation, offline: Event) -> bool:
    """Return whether a controller took a partition offline to delete it: it had done nothing
    more about it when it was gone.  Of one whose broker dies it looks for another leader."""
    if incarnation.deleted is None:
        return False
    lines = (each for each in incarnation.events if each.is_of_controller)
    return any(one == offline and behind is incarnation.deleted for one, behind in pairwise(lines))


def hidden(incarnation: Incarnation, coverage: Coverage) -> Iterator[str]:
    """Return what these logs do not show about a partition."""
    if not any(event.is_of_controller for event in incarnation.events):
        yield "lines of a controller: why a leader moved is known from brokers alone"
    elif not coverage.has_traces:
        yield (
            "TRACE lines (Kafka writes none from 2.6 on): when a leader was lost, "
            "ISR changes by leaders, and when each order was sent"
        )
    jumps = version_jumps(incarnation)
    if jumps:
        yield f"versions of the ISR or the replicas in between: {jumps}"


def silent(incarnation: Incarnation, coverage: Coverage) -> tuple[int, ...]:
    """Return the brokers that lead or are in the ISR, and of which there is no line at all."""
    named = {epoch.leader for epoch in incarnation.epochs if epoch.leader is not None} - {NO_LEADER}
    for epoch in incarnation.epochs:
        for event in epoch.claims:
            named |= set(event.isr or ())
    return tuple(sorted(named - set(coverage.brokers)))


def version_jumps(incarnation: Incarnation) -> int:
    """Return how many versions of the state no line names, between the first and the last that
    are."""
    versions = {
        event.zk_version
        for epoch in incarnation.epochs
        for event in epoch.claims
        if event.zk_version is not None
    }
    return max(versions) - min(versions) + 1 - len(versions) if versions else 0
