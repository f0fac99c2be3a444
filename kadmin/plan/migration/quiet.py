"""What must be quiet before a migration: work that is under way, and partitions that are ill."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.model.ids import TopicPartition
from cluster.zk import paths
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.leftovers import leftover_findings
from kadmin.plan.check.partitions import partition_findings
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import SOURCE_3_9, MigrationFinding, MigrationKind
from kadmin.wording import counted, verb_of


class Meaning(NamedTuple):
    """What a finding of `kadmin check` means for a migration."""

    kind: MigrationKind
    severity: Severity
    outcome: str
    source: str


LACKING: Final = Meaning(
    MigrationKind.UNDER_REPLICATED,
    Severity.WARNING,
    "the ISR is copied; a restart of another replica may take the last one away",
    "Kafka 3.9 documentation, Migrating from ZooKeeper",
)
MEANINGS: Final[Mapping[Kind, Meaning]] = {
    Kind.OFFLINE: Meaning(
        MigrationKind.OFFLINE,
        Severity.CRITICAL,
        "it is copied as it is: a rolling restart of all brokers begins with partitions that are"
        " down already",
        "Kafka 3.9 documentation, Migrating from ZooKeeper",
    ),
    Kind.UNDER_MIN_ISR: Meaning(
        MigrationKind.UNDER_MIN_ISR,
        Severity.CRITICAL,
        "each of the three rolling restarts takes one more replica away",
        "Kafka 3.9 documentation, Migrating from ZooKeeper",
    ),
    Kind.AT_MIN_ISR: LACKING,
    Kind.UNDER_REPLICATED: LACKING,
    Kind.REASSIGNMENT: Meaning(
        MigrationKind.REASSIGNMENT,
        Severity.WARNING,
        "requests in /admin/reassign_partitions are not copied: they are never carried out; moves"
        " that have begun go on under KRaft",
        "ZkMigrationClient",
    ),
    Kind.DELETION: Meaning(
        MigrationKind.DELETION,
        Severity.WARNING,
        "'Found 1 pending topic deletions. These will be not migrated to KRaft.': brokers rename"
        " their logs to -stray, and the disk space stays taken",
        f"ZkTopicMigrationClient, KAFKA-14768; {SOURCE_3_9}",
    ),
    Kind.ELECTION: Meaning(
        MigrationKind.ELECTION,
        Severity.WARNING,
        "requests in /admin/preferred_replica_election are not copied",
        "ZkMigrationClient",
    ),
    Kind.THROTTLE: Meaning(
        MigrationKind.THROTTLE,
        Severity.WARNING,
        "it is copied, and slows down replicas that catch up after each restart",
        "ZkMigrationClient",
    ),
}


def quiet_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for finding in found_by_check(evidence):
        assert isinstance(finding.kind, Kind)
        meaning = MEANINGS.get(finding.kind)
        if meaning is not None:
            yield as_migration_finding(finding, meaning)
    yield from without_state(evidence)
    yield from log_dir_events(evidence)


def found_by_check(evidence: MigrationEvidence) -> Iterator[Finding]:
    """Find what `kadmin check` finds in partitions that have a state, and what was left behind."""
    snapshot = evidence.snapshot
    stateless = set(partitions_without_state(evidence))
    for finding in partition_findings(snapshot, evidence.default_min_isr):
        left = tuple(each for each in finding.partitions if each not in stateless)
        if left or not finding.partitions:
            yield replace(finding, partitions=left)
    seen = Evidence(
        snapshot=replace(snapshot, faults=()),
        now_ms=evidence.now_ms,
        orphan_marks=evidence.orphan_marks,
        elections=evidence.elections,
        sees_moves=True,
    )
    yield from leftover_findings(seen)


def as_migration_finding(finding: Finding, meaning: Meaning) -> MigrationFinding:
    return MigrationFinding(
        severity=meaning.severity,
        kind=meaning.kind,
        text=finding.text,
        partitions=finding.partitions,
        topics=finding.topics,
        brokers=finding.brokers,
        command=finding.command,
        has_names=finding.has_names,
        outcome=meaning.outcome,
        source=meaning.source,
    )


def partitions_without_state(evidence: MigrationEvidence) -> tuple[TopicPartition, ...]:
    damaged = {damage.path for damage in evidence.damages}
    return tuple(
        TopicPartition(topic.name, number)
        for topic in evidence.snapshot.topics.values()
        if len(topic.states) < len(topic.assignment.partitions) and not topic.is_marked_for_deletion
        for number in topic.assignment.partitions
        if number not in topic.states and paths.state(topic.name, number) not in damaged
    )


def without_state(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    partitions = partitions_without_state(evidence)
    if not partitions:
        return
    verb = verb_of(partitions, "has")
    yield MigrationFinding(
        severity=Severity.CRITICAL,
        kind=MigrationKind.NO_STATE,
        text=f"{counted(len(partitions), 'partition')} {verb} no state: no controller has started"
        " them",
        outcome=f"'Could not find partition state in ZK for {partitions[0]}. Initializing this"
        " partition with ISR={all replicas} and leaderEpoch=0.': if they ever had records, a"
        " replica that lacks some may become leader, and the others truncate theirs",
        partitions=partitions,
        command=f"kadmin topics --describe --topic {partitions[0].topic}",
        znodes=(paths.state(partitions[0].topic, partitions[0].partition),),
        source=f"ZkTopicMigrationClient; {SOURCE_3_9}",
    )


def log_dir_events(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    if evidence.log_dir_events:
        yield MigrationFinding(
            severity=Severity.WARNING,
            kind=MigrationKind.LOG_DIR_EVENT,
            text=f"{counted(evidence.log_dir_events, 'event')} of failed log directories wait for"
            " the controller",
            outcome="they are not copied, and a broker in migration mode ends when another log"
            " directory fails",
            command="kadmin check",
            znodes=(paths.LOG_DIR_EVENTS,),
            source="ZkMigrationClient, KIP-858",
        )
