"""What keeps KRaft controllers from taking over: the present owner, and brokers to wait for."""

from collections.abc import Iterator
from typing import Final

from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.plan.check.findings import Severity
from kadmin.plan.migration.brokers import ENABLE
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import (
    SOURCE_3_9,
    WAITS,
    MigrationFinding,
    MigrationKind,
)
from kadmin.plan.topic_ids import wrong_ids
from kadmin.quoting import quoted
from kadmin.wording import brokers_text, counted, verb_of

GENERATED_FROM: Final = BrokerId(1001)
"""The first id that brokers without a `broker.id` give themselves, unless
`reserved.broker.max.id` is raised."""
NO_UUID: Final = (
    "'Unhandled error in WaitForZkBrokersEvent' ('… not equal to the expected 16 bytes of a"
    f" base64-encoded UUID'): {WAITS}"
)
SHARED_ID: Final = (
    "they are copied as one topic, with the name and the partitions of which it was copied last:"
    " KRaft has the cluster without the others, and 'Encountered ZooKeeper error during event"
    " SyncKRaftMetadataEvent. Will retry.': dual-write is never reached"
)
"""What comes of topics of one id, as 3.9.1 did it."""


def takeover_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    yield from stale_migration(evidence)
    yield from owner(evidence)
    if evidence.snapshot.is_hybrid:
        return
    yield from dead_replicas(evidence)
    yield from topics_without_id(evidence)
    yield from wrong_topic_ids(evidence)
    yield from generated_ids(evidence)


def stale_migration(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find what an earlier attempt left, unless a KRaft controller owns the cluster."""
    migration, controller = evidence.migration, evidence.snapshot.controller
    if migration is None or migration.kraft_metadata_offset <= 0:
        return
    if controller is not None and controller.is_kraft:
        return
    at = f"offset {migration.kraft_metadata_offset} of epoch {migration.kraft_metadata_epoch}"
    yield MigrationFinding(
        severity=Severity.CRITICAL,
        kind=MigrationKind.STALE_MIGRATION,
        text=f"/migration says that the cluster was copied up to {at}, and ZooKeeper owns it:"
        " it is left of an earlier migration",
        outcome="new controllers log 'Initial migration of ZK metadata is done', copy nothing, take"
        " /controller, and as soon as their own log is past that offset write their empty state"
        " over ZooKeeper: all topics are deleted",
        command="kadmin migration rollback-check --fix",
        znodes=(paths.MIGRATION,),
        source=f"Kafka 3.9 upgrade notes, Strimzi#11262; {SOURCE_3_9}",
    )


def owner(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    snapshot = evidence.snapshot
    if snapshot.lacks_controller:
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.CONTROLLER,
            text="the cluster has no controller",
            outcome="brokers have no controller that answers them, until a migration has ended",
            command="kadmin controller",
            znodes=(paths.CONTROLLER,),
            source="Kafka's KafkaController",
        )
    elif snapshot.controller is not None and snapshot.controller.is_kraft:
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.CONTROLLER,
            text=f"the KRaft controller {snapshot.controller.broker_id} owns the cluster already",
            command="kadmin migration status",
            znodes=(paths.CONTROLLER,),
            source="KIP-866",
        )
    if paths.CONTROLLER_EPOCH not in evidence.nodes:
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.EPOCH,
            text="there is no /controller_epoch: no controller was ever elected",
            outcome="'Cannot register KRaft controller … as the active controller since there is no"
            f" ZK controller epoch present.': {WAITS}",
            command="kadmin controller",
            znodes=(paths.CONTROLLER_EPOCH,),
            source=f"Kafka's KafkaZkClient; {SOURCE_3_9}",
        )


def dead_replicas(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find brokers that have replicas and are not registered: one finding for each."""
    gone = evidence.gone
    if not gone:
        return
    live = ",".join(map(str, sorted(evidence.snapshot.brokers)))
    for broker, topics in sorted(evidence.assigned.items()):
        if broker not in gone:
            continue
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.DEAD_REPLICA,
            text=f"{brokers_text([broker])} has replicas of {counted(len(topics), 'topic')} and is"
            " not registered: start it, or move its replicas away",
            outcome=f"'Still waiting for ZK brokers [{broker}] found in metadata to register with"
            f" KRaft.': {WAITS}",
            topics=tuple(topics),
            brokers=(broker,),
            command=f"kadmin reassign --execute --from-broker {broker} --to-brokers {live}"
            if live
            else "kadmin brokers --list",
            znodes=(paths.broker(broker),),
            source=f"KRaftMigrationDriver; {SOURCE_3_9}",
        )


def topics_without_id(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    names = tuple(
        topic.name
        for topic in evidence.snapshot.topics.values()
        if topic.assignment.topic_id is None and not topic.is_marked_for_deletion
    )
    if not names:
        return
    verb = verb_of(names, "has")
    yield MigrationFinding(
        severity=Severity.CRITICAL,
        kind=MigrationKind.TOPIC_ID,
        text=f"{counted(len(names), 'topic')} {verb} no topic id; a controller of 2.8 or later adds"
        " it when it is elected",
        outcome=f"'Error in topic consumer. Topic was {names[0]}.' (None.get): {WAITS}",
        topics=names,
        command=f"kadmin topics --describe --topic {quoted(names[0])}",
        znodes=tuple(map(paths.topic, names)),
        source=f"ZkTopicMigrationClient; {SOURCE_3_9}",
    )


def wrong_topic_ids(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find ids of topics that are no UUIDs, or of several topics."""
    topics = evidence.snapshot.topics.values()
    for wrong in wrong_ids(each for each in topics if not each.is_marked_for_deletion):
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.TOPIC_ID,
            text=wrong.reason,
            outcome=SHARED_ID if wrong.is_shared else NO_UUID,
            topics=wrong.topics,
            has_names=True,
            command=f"kadmin topics --describe --topic {quoted(wrong.topics[0])}",
            znodes=tuple(map(paths.topic, wrong.topics)),
            source=f"ZkTopicMigrationClient; {SOURCE_3_9}",
        )


def is_enabled(evidence: MigrationEvidence, broker: BrokerId) -> bool:
    """Return whether *broker* runs in migration mode, as far as it has answered."""
    answer = (evidence.answers or {}).get(broker)
    return answer is not None and answer.configs.get(ENABLE) == "true"


def generated_ids(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    # Brokers in migration mode would not have started.
    ids = tuple(
        broker
        for broker in evidence.snapshot.brokers
        if broker >= GENERATED_FROM and not is_enabled(evidence, broker)
    )
    if not (ids and evidence.has_id_sequence):
        return
    yield MigrationFinding(
        severity=Severity.WARNING,
        kind=MigrationKind.BROKER_ID,
        text=f"{brokers_text(ids)} gave {'itself its id' if len(ids) == 1 else 'themselves ids'}",
        outcome=f"with {ENABLE}=true a broker does not start: 'broker.id generation is incompatible"
        " with ZooKeeper migration.': set broker.id to the present one, and"
        f" reserved.broker.max.id to {max(ids)} or more, or broker.id.generation.enable=false",
        brokers=ids,
        znodes=(paths.BROKER_SEQUENCE,),
        source=f"Kafka's KafkaConfig; {SOURCE_3_9}",
    )
