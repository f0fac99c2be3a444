"""Znodes that cannot be decoded or read: what would the controllers do with each?"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from cluster.model.acl import PatternType, ResourceType
from cluster.zk import paths
from kadmin.plan.check.findings import Severity
from kadmin.plan.migration.evidence import Damage, MigrationEvidence
from kadmin.plan.migration.findings import (
    DIES,
    SOURCE_3_9,
    WAITS,
    MigrationFinding,
    MigrationKind,
    paths_text,
)


class Fate(NamedTuple):
    """What the controllers do with a damaged znode."""

    severity: Severity
    outcome: str
    source: str = SOURCE_3_9


NO_AUTH: Final = Fate(
    Severity.CRITICAL,
    f"where the controllers may not read it either ('KeeperErrorCode = NoAuth'): {DIES}",
    f"MigrationClientAuthException; {SOURCE_3_9}",
)
UNSEEN: Final = Fate(
    Severity.WARNING,
    "the controllers do not read it, and whatever stands there is not judged",
    "KafkaZkClient",
)
READ_BY_CONTROLLERS: Final = (
    *(paths.BROKER_IDS, paths.TOPICS, paths.CONFIG, paths.DELETE_TOPICS, paths.PRODUCER_ID_BLOCK),
    *(paths.CONTROLLER, paths.CONTROLLER_EPOCH, paths.MIGRATION, paths.ACLS, paths.EXTENDED_ACLS),
    *(paths.DELEGATION_TOKENS, paths.CLUSTER_ID),
)
SKIPPED: Final = Fate(
    Severity.WARNING, "no controller or broker reads it: what it holds is not copied"
)
OWNER: Final = Fate(
    Severity.CRITICAL,
    "no controller can take it over from the present one: mend it before any is started",
    "KafkaZkClient",
)
LOST: Final = Fate(
    Severity.WARNING, "it is copied as if it held nothing: what it is meant to say is gone"
)
BREAKS: Final = Fate(
    Severity.CRITICAL,
    f"'Expected `String` value, received …', or 'URLDecoder: Illegal hex characters': {DIES}",
)
NOT_PARSED: Final = ("is not text", "is not URL-encoded")
"""What in JSON that can be read, or in a name, ends the copy; what is not JSON does not."""
FATES: Final = (
    (
        paths.MIGRATION,
        Fate(
            Severity.CRITICAL,
            "'Encountered zk migration fault: Unhandled error in"
            f" RecoverMigrationStateFromZKEvent': {WAITS}",
            f"KAFKA-19480; {SOURCE_3_9}",
        ),
    ),
    (
        paths.PRODUCER_ID_BLOCK,
        Fate(Severity.CRITICAL, f"'Failed to parse the producerId block json': {DIES}"),
    ),
    (
        paths.TOPICS,
        Fate(
            Severity.CRITICAL,
            "a topic is copied without its partitions, a partition without its state ('Could not"
            " find partition state in ZK'): the ISR becomes all replicas, and records are lost"
            " where the new leader lacks them",
        ),
    ),
    (paths.CONFIG, LOST),
    (paths.DELEGATION_TOKENS, LOST),
    *(
        (f"{paths.acl_store(pattern_type)}/{resource_type}", LOST)
        for pattern_type in PatternType
        for resource_type in ResourceType
    ),
    (paths.CONTROLLER_EPOCH, OWNER),
    (paths.CONTROLLER, OWNER),
    (
        paths.BROKER_IDS,
        Fate(Severity.WARNING, "the controllers cannot reach this broker by it", "KafkaZkClient"),
    ),
    (
        paths.CLUSTER_ID,
        Fate(Severity.CRITICAL, "controllers must be formatted with it", "Kafka's StorageTool"),
    ),
)
"""By the beginning of the path, the longest first."""


def unreadable_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Return one finding for all znodes of the same fate and reason."""
    groups: dict[tuple[Fate, str], list[Damage]] = {}
    for damage in evidence.damages:
        fate = fate_of(damage)
        groups.setdefault((fate, damage.reason), []).append(damage)
    for (fate, reason), damages in groups.items():
        where = tuple(damage.path for damage in damages)
        yield MigrationFinding(
            severity=fate.severity,
            kind=MigrationKind.UNREADABLE,
            text=f"{paths_text(where)} cannot be read: {reason}",
            outcome=fate.outcome,
            command=command_for(where[0]),
            znodes=where,
            source=fate.source,
        )


def fate_of(damage: Damage) -> Fate:
    if damage.is_hidden:
        is_read = any(is_below(damage.path, prefix) for prefix in READ_BY_CONTROLLERS)
        return NO_AUTH if is_read else UNSEEN
    if is_below(damage.path, paths.CONFIG) and any(each in damage.reason for each in NOT_PARSED):
        return BREAKS
    return next((fate for prefix, fate in FATES if is_below(damage.path, prefix)), SKIPPED)


def is_below(path: str, prefix: str) -> bool:
    return f"{path}/".startswith(f"{prefix}/")


def command_for(path: str) -> str | None:
    """Return a command that mends *path* or shows more of it."""
    return "kadmin migration rollback-check --fix" if path == paths.MIGRATION else None
