"""What stops working once a cluster has left ZooKeeper."""

from collections.abc import Iterator
from typing import Final

from cluster.zk import paths
from cluster.zk.configs import config_path
from kadmin.plan.check.findings import Severity
from kadmin.plan.entity_options import options_of
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import MigrationFinding, MigrationKind
from kadmin.quoting import quoted
from kadmin.wording import counted, first_listed, span, verb_of

REMOVED_TOPIC_CONFIGS: Final = {
    "message.format.version": "KIP-724; seen with Kafka 4.1.0",
    "message.timestamp.difference.max.ms": "KIP-937; seen with Kafka 4.1.0",
}
"""The configs of topics that Kafka 4.0 does not know, each with its source."""

REMOVED_BROKER_CONFIGS: Final = (
    "log.message.format.version",
    "log.message.timestamp.difference.max.ms",
    "inter.broker.protocol.version",
)


def loss_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    yield from old_consumers(evidence)
    yield from removed_configs(evidence)
    yield from foreign_znodes(evidence)


def old_consumers(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for each in evidence.old_consumers:
        age_s = None if each.written_ms is None else (evidence.now_ms - each.written_ms) / 1000
        if age_s is None and not each.members:
            continue
        wrote = "no offset" if age_s is None else f"an offset {span(max(0.0, age_s))} ago"
        yield MigrationFinding(
            severity=Severity.WARNING if each.is_in_use(evidence.now_ms) else Severity.NOTE,
            kind=MigrationKind.OLD_CONSUMER,
            text=f"group '{each.group}' keeps its offsets in ZooKeeper:"
            f" {counted(each.members, 'member')}, wrote {wrote}",
            outcome="/consumers is not copied, and brokers on KRaft store no offsets there: these"
            " consumers stop, and newer ones begin without their offsets",
            command=f"kadmin groups migrate-offsets --from-zookeeper --group {quoted(each.group)}",
            groups=(each.group,),
            has_names=True,
            znodes=(paths.consumer_group(each.group),),
            source="KIP-866, KAFKA-14768",
        )


def removed_configs(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for key, source in REMOVED_TOPIC_CONFIGS.items():
        topics = tuple(
            topic.name for topic in evidence.snapshot.topics.values() if key in topic.config.values
        )
        if topics:
            yield MigrationFinding(
                severity=Severity.NOTE,
                kind=MigrationKind.REMOVED_CONFIG,
                text=f"{counted(len(topics), 'topic')} {verb_of(topics, 'sets')} {key}",
                outcome="it is copied, and brokers of Kafka 4 refuse every change of such a topic's"
                f" configs but its deletion: 'Unknown topic config name: {key}'",
                topics=topics,
                command=f"kadmin configs --alter --topic {quoted(topics[0])} --delete-config {key}",
                znodes=tuple(map(paths.topic_config, topics)),
                source=source,
            )
    for entity, config in evidence.configs.items():
        keys = [key for key in REMOVED_BROKER_CONFIGS if key in config.values]
        if keys:
            yield MigrationFinding(
                severity=Severity.NOTE,
                kind=MigrationKind.REMOVED_CONFIG,
                text=f"{entity} sets {', '.join(keys)}",
                outcome="it is copied, and Kafka 4.0 does not know it",
                command=f"kadmin configs --alter {options_of(entity)} --delete-config"
                f" {','.join(keys)}",
                znodes=(config_path(entity),),
                source="KIP-724",
            )


def foreign_znodes(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    if evidence.foreign:
        names = evidence.foreign
        verb = verb_of(names, "is")
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.FOREIGN_ZNODE,
            text=f"/{first_listed(names)} {verb} not Kafka's: something else uses this ZooKeeper",
            outcome="it needs the ensemble after Kafka has left it, or stops with it",
            command="kadmin zookeeper clients",
            znodes=tuple(f"/{name}" for name in names),
            source="the znodes of Kafka 0.8 to 3.9: kafka.zk.ZkData",
        )
