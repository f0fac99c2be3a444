"""Work that was begun and never finished: deletions, reassignments, elections, throttles, logs; and
what cannot be read."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, EntityKind, broker_entity, topic_entity
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic_config_specs import THROTTLED_FOLLOWERS, THROTTLED_LEADERS
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.stray_logs import stray_findings
from kadmin.plan.reassignment.dir_moves import running_dir_moves
from kadmin.plan.reassignment.journal import ThrottleJournal, is_set_by
from kadmin.plan.reassignment.moves import running_moves, stale_command, stale_text
from kadmin.plan.reassignment.sizes import copied_bytes, sizes_of
from kadmin.plan.reassignment.throttles import (
    FOLLOWER_RATE,
    LEADER_RATE,
    LOG_DIR_RATE,
)
from kadmin.plan.risks import slow_copy
from kadmin.plan.topic_ids import wrong_ids
from kadmin.quoting import quoted
from kadmin.wording import brokers_text, counted, verb_of

TOPIC_THROTTLES: Final = (THROTTLED_LEADERS, THROTTLED_FOLLOWERS)
RATES: Final = (LEADER_RATE, FOLLOWER_RATE)


NONSENSE: Final = ("is no part of its replicas", "but has no replicas")
"""What controllers of Kafka do not look at."""
HARMLESS: Final = (
    *("is not JSON", "is not UTF-8", "is illegal", "has no object 'partitions'"),
    *("names a partition twice", "'version' is", *NONSENSE),
)
"""Why a topic's znode cannot be read here and, maybe, can by a controller of Kafka."""
NEGATIVE: Final = re.compile(r".*(: | holds )-\d{1,9}( where a broker id was expected)?")
"""Numbers that controllers of Kafka take as they are."""

STOPS: Final = (
    "the next controller of Kafka fails on this, and the cluster has none until it is written anew"
    " or removed with zookeeper-shell"
)
UNREAD: Final = "this cannot be read"

BEING_MOVED: Final = "the topic is being reassigned"
"""What a deletion waits for, until that is over or cancelled."""


def leftover_findings(
    evidence: Evidence, unreadable: Severity = Severity.WARNING
) -> Iterator[Finding]:
    """Find all leftovers; *unreadable* is the severity of what cannot be read."""
    yield from deletions(evidence.snapshot, evidence.orphan_marks)
    yield from reassignments(evidence.snapshot)
    yield from slow_moves(evidence)
    yield from elections(evidence)
    yield from throttles(evidence)
    yield from stray_findings(evidence.strays, evidence.snapshot.topics)
    yield from wrong_topic_ids(evidence.snapshot)
    faults = list(dict.fromkeys((*evidence.snapshot.faults, *evidence.faults)))
    entities = entities_with_faults(evidence.snapshot, faults)
    for fault in faults:
        of_fault = about(fault, entities)
        if stops_controllers(fault):
            yield replace(
                of_fault, severity=Severity.CRITICAL, kind=Kind.DAMAGED, text=f"{STOPS}: {fault}"
            )
        else:
            yield replace(of_fault, severity=unreadable)
    for reason in evidence.hidden:
        yield Finding(severity=unreadable, kind=Kind.UNREADABLE, text=f"{UNREAD}: {reason}")


def stops_controllers(fault: Fault) -> bool:
    """Return whether a controller of Kafka fails on a damaged znode of a topic as it is elected.

    Source: Kafka 2.8.2 and 3.9.1, started on each; they take what is no JSON for no data.
    """
    return (
        fault.where.startswith("/brokers/topics/")
        and fault.version is not None
        and not any(each in fault.reason for each in HARMLESS)
        and NEGATIVE.fullmatch(fault.reason) is None
    )


def entities_with_faults(
    snapshot: ClusterSnapshot, faults: Iterable[Fault]
) -> dict[Subject, ConfigEntity]:
    """Return the topics and brokers by what a fault of their configs is about; none where no fault
    is about configs."""
    if all(fault.subject.thing is not Thing.CONFIG for fault in faults):
        return {}
    found = (*map(topic_entity, snapshot.topics), *map(broker_entity, snapshot.brokers))
    return {subjects.config(entity): entity for entity in found}


def about(fault: Fault, entities: Mapping[Subject, ConfigEntity]) -> Finding:
    """Return a finding of *fault* with all that it names."""
    thing, name = fault.subject
    if thing is Thing.CONFIG and fault.subject in entities:
        root = entities[fault.subject].root
        thing = Thing.TOPIC if root.kind is EntityKind.TOPICS else Thing.BROKER
        name = str(root.name)
    topic, _, number = name.rpartition("-")
    is_of_broker = thing in (Thing.BROKER, Thing.LOG_DIRS) and name.isdecimal()
    return Finding(
        severity=Severity.WARNING,
        kind=Kind.UNREADABLE,
        text=f"{UNREAD}: {fault}",
        partitions=(TopicPartition(topic, int(number)),) if thing is Thing.PARTITION_STATE else (),
        topics=(name,) if thing is Thing.TOPIC else (),
        brokers=(BrokerId(int(name)),) if is_of_broker else (),
        groups=(name,) if thing is Thing.GROUP else (),
        has_names=True,
    )


def wrong_topic_ids(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find topic ids on which the next controller fails.

    Source: Kafka 3.9.1, whose ControllerContext fails as it is elected.
    """
    for wrong in wrong_ids(snapshot.topics.values()):
        yield Finding(
            severity=Severity.CRITICAL,
            kind=Kind.DAMAGED,
            text=f"{STOPS}: {wrong.reason}",
            topics=wrong.topics,
            has_names=True,
        )


def deletions(snapshot: ClusterSnapshot, orphan_marks: tuple[str, ...]) -> Iterator[Finding]:
    """Find topics that are marked for deletion, by what they wait for."""
    waiting: dict[str, list[str]] = {}
    for topic in snapshot.topics.values():
        if topic.is_marked_for_deletion:
            waiting.setdefault(why_waiting(snapshot, topic), []).append(topic.name)
    for reason, names in waiting.items():
        verb = verb_of(names, "waits")
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.DELETION,
            text=f"{counted(len(names), 'topic')} {verb} for deletion: {reason}",
            topics=tuple(names),
            command=f"kadmin reassign --cancel --topic {quoted(names[0])}"
            if reason.endswith(BEING_MOVED)
            else f"kadmin topics --describe --topic {quoted(names[0])}",
        )
    if orphan_marks:
        verbs = (
            "is marked for deletion and does"
            if len(orphan_marks) == 1
            else ("are marked for deletion and do")
        )
        these = counted(len(orphan_marks), "topic")
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.DELETION,
            text=f"{these} {verbs} not exist",
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
    moved = any(each.topic == topic.name for each in snapshot.moving)
    reasons = [f"{brokers_text(dead)} {verb_of(dead, 'is')} dead"] if dead else []
    reasons += [BEING_MOVED] if moved or topic.assignment.is_reassigning else []
    if reasons:
        return ", and ".join(reasons)
    return "it is under way, or delete.topic.enable=false on the controller"


def moving(snapshot: ClusterSnapshot) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    """Return the partitions that are being reassigned, each with who is to have it and has not
    caught up."""
    found = {
        TopicPartition(topic.name, number): part.adding
        for topic in snapshot.topics.values()
        if topic.assignment.is_reassigning
        for number, part in topic.assignment.partitions.items()
        if part.is_reassigning
    }
    return {**snapshot.moving, **found}


def reassignments(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    under_way, live = moving(snapshot), snapshot.live
    if not under_way and not snapshot.stale_moves:
        return
    there = {
        TopicPartition(topic.name, number)
        for topic in snapshot.topics.values()
        for number in topic.assignment.partitions
    }
    unknown = {fault.subject for fault in snapshot.faults}
    unread = {
        partition
        for partition in under_way.keys() - there
        if unknown.isdisjoint({subjects.TOPICS, subjects.topic(partition.topic)})
    }
    gone = tuple(sorted(unread | snapshot.stale_moves.keys()))
    if gone:
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.REASSIGNMENT,
            text=stale_text(gone),
            partitions=gone,
            command=stale_command(gone, under_way.keys() - set(gone)),
        )
    by_dead: dict[tuple[BrokerId, ...], list[TopicPartition]] = {}
    for partition in sorted(under_way.keys() & there):
        dead = tuple(sorted(broker for broker in under_way[partition] if broker not in live))
        by_dead.setdefault(dead, []).append(partition)
    for dead, partitions in by_dead.items():
        verb = verb_of(partitions, "is")
        text = f"{counted(len(partitions), 'partition')} {verb} being reassigned"
        if dead:
            text += f" to {brokers_text(dead)}, which {verb_of(dead, 'is')} dead"
        yield Finding(
            severity=Severity.WARNING if dead else Severity.NOTE,
            kind=Kind.REASSIGNMENT,
            text=text,
            partitions=tuple(partitions),
            brokers=dead,
            command="kadmin reassign --list",
        )


def slow_moves(evidence: Evidence) -> Iterator[Finding]:
    """Find moves that cannot end at the rate of their throttle, by the sizes that
    brokers report."""
    snapshot = evidence.snapshot
    moves = running_moves(snapshot)
    copied = copied_bytes(moves, sizes_of(evidence.log_dirs or {}))
    rates = {
        broker: min(of_broker)
        for broker in copied
        if (of_broker := rates_in((evidence.broker_configs or {}).get(broker, {})))
    }
    for risk in slow_copy(copied, rates):
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.REASSIGNMENT,
            text=str(risk),
            partitions=tuple(move.partition for move in moves),
            command="kadmin reassign --list",
        )


def rates_in(values: Mapping[str, str]) -> list[int]:
    texts = (values.get(key, "") for key in RATES)
    return [int(text) for text in texts if text.isascii() and text.isdigit() and int(text) > 0]


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
    """Find throttles of what no longer moves: they slow down replicas that have to catch up.

    None where it is unknown what moves.  Throttles that reassignments have set are orphans once
    nothing moves at all; those of a supervised run stay between its moves.  Others were set by an
    operator: only he knows what they are for.  `kadmin throttle doctor` names what each slows down,
    and the command that removes it.
    """
    damaged = {fault.subject.thing for fault in evidence.snapshot.faults}
    if not evidence.sees_moves or not damaged.isdisjoint({Thing.REASSIGNMENT, Thing.TOPICS}):
        return
    under_way = moving(evidence.snapshot)
    # Of a topic that cannot be read, partitions may be on their way.
    is_still = not under_way and not evidence.has_supervisor and Thing.TOPIC not in damaged
    journal = evidence.journal or ThrottleJournal()
    ours: list[ConfigEntity] = []
    theirs: list[ConfigEntity] = []
    for entity, values in unused_throttles(evidence, under_way, is_still=is_still).items():
        recorded = journal.entries.get(entity, {})
        # A value that was changed since belongs to the one who changed it.
        is_ours = any(key in recorded and is_set_by(recorded[key], values[key]) for key in values)
        (ours if is_ours else theirs).append(entity)
    if ours and is_still:
        yield throttle_finding(ours, "has", "have", "throttles of a reassignment that is over")
    if topics := [entity for entity in theirs if entity.kind is EntityKind.TOPICS]:
        them = "it" if len(topics) == 1 else "them"
        what = f"throttled replicas, and nothing of {them} is moved"
        yield throttle_finding(topics, "has", "have", what)
    if limits := [entity for entity in theirs if entity.kind is EntityKind.BROKERS]:
        what = "the rate of replication, and nothing is moved"
        yield throttle_finding(limits, "limits", "limit", what)


def unused_throttles(
    evidence: Evidence, under_way: Collection[TopicPartition], *, is_still: bool
) -> dict[ConfigEntity, dict[str, str]]:
    """Return the throttles that are set for nothing that moves, by topic, and where all
    *is_still* by broker."""
    moved_topics = {partition.topic for partition in under_way}
    found = {
        topic_entity(topic.name): {
            key: value for key in TOPIC_THROTTLES if (value := topic.config.values.get(key))
        }
        for topic in evidence.snapshot.topics.values()
        if topic.name not in moved_topics
    }
    copying = {move.replica.broker for move in running_dir_moves(evidence.log_dirs or {})}
    for broker, values in sorted((evidence.broker_configs or {}).items()):
        rates = {key: values[key] for key in RATES if key in values and is_still}
        # Only the broker knows whether it copies a replica to another of its directories.
        if broker in (evidence.log_dirs or {}) and broker not in copying and LOG_DIR_RATE in values:
            rates[LOG_DIR_RATE] = values[LOG_DIR_RATE]
        found[broker_entity(broker)] = rates
    return {entity: values for entity, values in found.items() if values}


def throttle_finding(
    entities: Sequence[ConfigEntity], singular: str, plural: str, what: str
) -> Finding:
    topics = tuple(str(each.root.name) for each in entities if each.kind is EntityKind.TOPICS)
    brokers = tuple(
        BrokerId(int(str(each.root.name))) for each in entities if each.kind is EntityKind.BROKERS
    )
    who = [counted(len(topics), "topic")] if topics else []
    who += [brokers_text(brokers)] if brokers else []
    return Finding(
        severity=Severity.WARNING,
        kind=Kind.THROTTLE,
        text=f"{' and '.join(who)} {singular if len(entities) == 1 else plural} {what}",
        topics=topics,
        brokers=brokers,
        command="kadmin throttle doctor",
    )
