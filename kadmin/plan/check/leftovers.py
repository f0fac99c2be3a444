"""What somebody began and nobody ended: deletions, reassignments, elections, throttles; and what
cannot be read."""

from collections.abc import Iterator
from typing import Final

from cluster.model import fault as subjects
from cluster.model.fault import Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic_config_specs import THROTTLED_FOLLOWERS, THROTTLED_LEADERS
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity, brokers_text
from kadmin.plan.reassignment.throttles import FOLLOWER_RATE, LEADER_RATE, LOG_DIR_RATE
from kadmin.plan.wording import counted

TOPIC_THROTTLES: Final = (THROTTLED_LEADERS, THROTTLED_FOLLOWERS)
RATES: Final = (LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE)

SAYS_WHAT_MOVES: Final = frozenset({Thing.REASSIGNMENT, Thing.TOPICS, Thing.TOPIC})


def leftover_findings(
    evidence: Evidence, unreadable: Severity = Severity.WARNING
) -> Iterator[Finding]:
    """*unreadable* is how bad it is that something cannot be read."""
    yield from deletions(evidence.snapshot, evidence.orphan_marks)
    yield from reassignments(evidence.snapshot)
    yield from elections(evidence)
    yield from throttles(evidence)
    faults = dict.fromkeys((*evidence.snapshot.faults, *evidence.faults))
    for reason in (*map(str, faults), *evidence.hidden):
        yield Finding(
            severity=unreadable, kind=Kind.UNREADABLE, text=f"this cannot be read: {reason}"
        )


def deletions(snapshot: ClusterSnapshot, orphan_marks: tuple[str, ...]) -> Iterator[Finding]:
    """Topics that are marked for deletion, by what they wait for."""
    waiting: dict[str, list[str]] = {}
    for topic in snapshot.topics.values():
        if topic.is_marked_for_deletion:
            waiting.setdefault(why_waiting(snapshot, topic), []).append(topic.name)
    for reason, names in waiting.items():
        verb = "waits" if len(names) == 1 else "wait"
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.DELETION,
            text=f"{counted(len(names), 'topic')} {verb} for deletion: {reason}",
            topics=tuple(names),
            command=f"kadmin topics --describe --topic {names[0]}",
        )
    if orphan_marks:
        verb = "is" if len(orphan_marks) == 1 else "are"
        these = counted(len(orphan_marks), "topic")
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.DELETION,
            text=f"{these} {verb} marked for deletion and not there",
            topics=orphan_marks,
            command="kadmin topics --list",
        )


def why_waiting(snapshot: ClusterSnapshot, topic: TopicSnapshot) -> str:
    replicas = {
        replica for part in topic.assignment.partitions.values() for replica in part.replicas
    }
    live = snapshot.live
    dead = tuple(sorted(replica for replica in replicas if replica not in live))
    if snapshot.lacks_controller:
        return "there is no controller"
    if dead:
        return f"{brokers_text(dead)} {'is' if len(dead) == 1 else 'are'} dead"
    if topic.assignment.is_reassigning or any(each.topic == topic.name for each in snapshot.moving):
        return "the topic is being reassigned"
    return "it is under way, or delete.topic.enable=false on the controller"


def moving(snapshot: ClusterSnapshot) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    """The partitions that are being reassigned, each with who is to have it and has not caught
    up."""
    found = {
        TopicPartition(topic.name, number): part.adding
        for topic in snapshot.topics.values()
        for number, part in topic.assignment.partitions.items()
        if part.is_reassigning
    }
    return {**snapshot.moving, **found}


def reassignments(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    there = {
        TopicPartition(topic.name, number)
        for topic in snapshot.topics.values()
        for number in topic.assignment.partitions
    }
    under_way, live = moving(snapshot), snapshot.live
    unknown = {fault.subject for fault in snapshot.faults}
    gone = tuple(
        sorted(
            partition
            for partition in under_way.keys() - there
            if unknown.isdisjoint({subjects.TOPICS, subjects.topic(partition.topic)})
        )
    )
    if gone:
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.REASSIGNMENT,
            text=f"a reassignment was asked for of {counted(len(gone), 'partition')} that"
            f" {'is' if len(gone) == 1 else 'are'} not there",
            partitions=gone,
        )
    by_dead: dict[tuple[BrokerId, ...], list[TopicPartition]] = {}
    for partition in sorted(under_way.keys() & there):
        dead = tuple(sorted(broker for broker in under_way[partition] if broker not in live))
        by_dead.setdefault(dead, []).append(partition)
    for dead, partitions in by_dead.items():
        verb = "is" if len(partitions) == 1 else "are"
        text = f"{counted(len(partitions), 'partition')} {verb} being reassigned"
        if dead:
            text += f" to {brokers_text(dead)}, which {'is' if len(dead) == 1 else 'are'} dead"
        yield Finding(
            severity=Severity.WARNING if dead else Severity.NOTE,
            kind=Kind.REASSIGNMENT,
            text=text,
            partitions=tuple(partitions),
            brokers=dead,
            command="kadmin reassign --list",
        )


def elections(evidence: Evidence) -> Iterator[Finding]:
    if not evidence.elections:
        return
    has_controller = not evidence.snapshot.lacks_controller
    yield Finding(
        severity=Severity.NOTE if has_controller else Severity.WARNING,
        kind=Kind.ELECTION,
        text=f"an election was asked for of {counted(len(evidence.elections), 'partition')}, and"
        f" {'is not over' if has_controller else 'there is no controller'}",
        partitions=evidence.elections,
    )


def throttles(evidence: Evidence) -> Iterator[Finding]:
    """Throttles of what no longer moves: they slow replicas down that have to catch up.

    None where it could not all be seen what moves.
    """
    if any(fault.subject.thing in SAYS_WHAT_MOVES for fault in evidence.snapshot.faults):
        return
    under_way = moving(evidence.snapshot)
    moved_topics = {partition.topic for partition in under_way}
    left = tuple(
        topic.name
        for topic in evidence.snapshot.topics.values()
        if topic.name not in moved_topics
        and any(topic.config.values.get(key) for key in TOPIC_THROTTLES)
    )
    if left:
        verb = "has" if len(left) == 1 else "have"
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.THROTTLE,
            text=f"{counted(len(left), 'topic')} {verb} throttled replicas, and nothing is moved",
            topics=left,
            command="kadmin configs --alter --topic"
            f" {','.join(left)} --delete-config {','.join(TOPIC_THROTTLES)}",
        )
    slowed = tuple(
        broker
        for broker, values in sorted((evidence.broker_configs or {}).items())
        if any(key in values for key in RATES)
    )
    if slowed and not under_way:
        verb = "limits" if len(slowed) == 1 else "limit"
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.THROTTLE,
            text=f"{brokers_text(slowed)} {verb} the rate of replication, and nothing is moved",
            brokers=slowed,
            command=f"kadmin configs --describe --broker {slowed[0]}",
        )
