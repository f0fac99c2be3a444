"""The size of a migration: how many records of which type will the controllers write?"""

from dataclasses import dataclass
from typing import Final

from cluster.model.config_entity import EntityKind
from kadmin.plan.migration.contents import QUOTA_KINDS
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.scram import HASHES

BATCH_SIZE: Final = 200
"""The default of zookeeper.metadata.migration.min.batch.size."""
MEASURED: Final = (102_000, 36.0)
"""How many records, those of 100,000 partitions in 1,000 topics, a controller of Kafka 3.9.1 copied
in how many seconds, on two cores that were busy beside it (17 s of CPU, ZooKeeper's with it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """*records* by the types' names in the controllers' log, in its order, without those of which
    there is none; *uncopied* are topics that wait for their deletion.  *uncounted* are znodes that
    cannot be read."""

    records: dict[str, int]
    uncopied: tuple[str, ...]
    uncounted: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.records.values())

    @property
    def batches(self) -> int:
        """At most so many, with the default size of a batch."""
        return -(-self.total // BATCH_SIZE)

    @property
    def copy_s(self) -> float:
        """How long it would take where it was measured."""
        records, seconds = MEASURED
        return self.total * seconds / records


def preview(evidence: MigrationEvidence) -> Preview:
    topics = [
        topic for topic in evidence.snapshot.topics.values() if not topic.is_marked_for_deletion
    ]
    configs = sum(len(topic.config.values) for topic in topics)
    quotas = credentials = 0
    for entity, config in evidence.configs.items():
        if entity.root.kind not in QUOTA_KINDS:
            # Those of topics that do not exist are not copied.
            configs += len(config.values) if entity.kind is EntityKind.BROKERS else 0
            continue
        is_user = entity.child is None and entity.root.kind is EntityKind.USERS
        kept = sum(is_user and key in HASHES for key in config.values)
        credentials += kept
        quotas += len(config.values) - kept
    counts = {
        "TOPIC_RECORD": len(topics),
        "PARTITION_RECORD": sum(len(topic.assignment.partitions) for topic in topics),
        "CONFIG_RECORD": configs,
        "DELEGATION_TOKEN_RECORD": len(evidence.tokens),
        "USER_SCRAM_CREDENTIAL_RECORD": credentials,
        "CLIENT_QUOTA_RECORD": quotas,
        "PRODUCER_IDS_RECORD": int(evidence.producer_ids is not None),
        "ACCESS_CONTROL_ENTRY_RECORD": sum(len(each.entries) for each in evidence.acls.values()),
    }
    return Preview(
        records={name: count for name, count in counts.items() if count},
        uncopied=tuple(
            name for name, topic in evidence.snapshot.topics.items() if topic.is_marked_for_deletion
        ),
        uncounted=tuple(damage.path for damage in evidence.damages),
    )
