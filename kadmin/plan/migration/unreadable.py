"""Znodes that cannot be decoded or read: what would the controllers do with each?"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.model.acl import PatternType, ResourceType
from cluster.model.config_entity import EntityKind
from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.plan.check.findings import Severity
from kadmin.plan.check.leftovers import NONSENSE
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
    f"'Expected `String` value, received …', or 'No such field exists': {DIES}",
)
BAD_NAME: Final = Fate(Severity.CRITICAL, f"'URLDecoder: Illegal hex characters': {DIES}")
OTHER_NAME: Final = Fate(
    Severity.WARNING, "it is copied under the name that Kafka decodes, if need be over that one's"
)
WAITS_FOR_TOPIC: Final = f"'Unhandled error in WaitForZkBrokersEvent': {WAITS}"
WRONG_TOPIC: Final = Fate(Severity.CRITICAL, WAITS_FOR_TOPIC)
NO_PARTITIONS: Final = Fate(
    Severity.CRITICAL,
    "where 'partitions' is missing, the topic is copied without any; where it is no object,"
    f" {WAITS_FOR_TOPIC}",
)
AS_IT_IS: Final = Fate(Severity.WARNING, "it is copied as it is")
NEGATIVE: Final = re.compile(r"'(leader|\w+_epoch)' is not an? [a-z ]+: -\d{1,9}")
"""Numbers of a state that Kafka takes as they are."""
COPIED: Final = (*NONSENSE, "a partition in 'partitions' is out of bounds: -", "is illegal")
WRONG_STATE: Final = Fate(Severity.CRITICAL, f"'Expected `Int` value, received …': {DIES}")
LOST_STATE: Final = Fate(
    Severity.CRITICAL,
    "'Could not find partition state in ZK': the ISR becomes all replicas, and records are lost"
    " where the new leader lacks them",
)
NOT_COPIED: Final = Fate(
    Severity.NOTE, "its topic is marked for deletion: the controllers do not read it"
)
NOT_JSON: Final = ("is not JSON", "is not UTF-8")
"""What Kafka takes for no data at all."""
TAKEN_FOR_NOTHING: Final = (
    *("is empty", "is not a JSON object", "has no object 'config'", "no broker reads what stands"),
)
"""JSON of another shape in which Kafka finds nothing; of any other it makes an error."""
BLOCK_BOUNDS: Final = re.compile(r"'block_(start|end)' is out of bounds: (-?\d{1,18})")
REUSED_IDS: Final = Fate(
    Severity.WARNING, "it is copied as it is: producers may get ids that others have had"
)
ANY_RESOURCE: Final = frozenset(f"{paths.acl_store(each)}/Any" for each in PatternType)
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
        Fate(
            Severity.CRITICAL,
            "unless this broker registers with the controllers, too: 'Still waiting for ZK brokers"
            f" […] to register with KRaft.': {WAITS}",
        ),
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
    marked = marked_topics(evidence)
    for damage in evidence.damages:
        fate = NOT_COPIED if topic_at(damage.path) in marked else fate_of(damage)
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


def marked_topics(evidence: MigrationEvidence) -> frozenset[str]:
    """Return the topics that are marked for deletion, with those that cannot be decoded."""
    topics = evidence.snapshot.topics.values()
    names = (topic.name for topic in topics if topic.is_marked_for_deletion)
    return frozenset((*names, *evidence.orphan_marks))


def topic_at(path: str) -> str | None:
    """Return the topic whose assignment, state or configs are at *path*."""
    for parent in (paths.TOPICS, f"{paths.CONFIG}/{EntityKind.TOPICS}"):
        if path.startswith(f"{parent}/"):
            return path.removeprefix(f"{parent}/").partition("/")[0]
    return None


def broker_at(path: str) -> BrokerId | None:
    """Return the broker whose registration or configs are at *path*."""
    for parent in (paths.BROKER_IDS, f"{paths.CONFIG}/{EntityKind.BROKERS}"):
        name = path.removeprefix(f"{parent}/")
        if name != path and name.isdecimal():
            return BrokerId(int(name))
    return None


def with_names(finding: MigrationFinding) -> MigrationFinding:
    """Return *finding* with the topics and brokers of its znodes, where it names nothing else; its
    text names them."""
    if finding.partitions or finding.topics or finding.brokers or finding.groups:
        return finding
    topics = (topic_at(path) or topic_of_rules(path) for path in finding.znodes)
    brokers = dict.fromkeys(map(broker_at, finding.znodes))
    return replace(
        finding,
        topics=tuple(dict.fromkeys(filter(None, topics))),
        brokers=tuple(each for each in brokers if each is not None),
        has_names=True,
    )


def topic_of_rules(path: str) -> str | None:
    """Return the topic whose ACLs are at *path*."""
    name = path.removeprefix(f"{paths.acl_store(PatternType.LITERAL)}/{ResourceType.TOPIC}/")
    return None if name in (path, "*") else name


def fate_of(damage: Damage) -> Fate:
    path, reason = damage.path, damage.reason
    if damage.is_hidden:
        is_read = any(is_below(path, prefix) for prefix in READ_BY_CONTROLLERS)
        return NO_AUTH if is_read else UNSEEN
    if is_below(path, paths.TOPICS):
        return fate_of_topic(path, reason)
    if is_below(path, paths.BROKER_IDS) and "the broker id is" in reason:
        return WRONG_TOPIC
    if is_below(path, paths.CONFIG) and "is not URL-encoded" in reason:
        return BAD_NAME if paths.ILLEGAL_ESCAPE.search(path) else OTHER_NAME
    if path == paths.PRODUCER_ID_BLOCK and BLOCK_BOUNDS.fullmatch(reason):
        return REUSED_IDS
    if path in ANY_RESOURCE:
        return BREAKS
    fate = next((fate for prefix, fate in FATES if is_below(path, prefix)), SKIPPED)
    is_error = not any(each in reason for each in (*NOT_JSON, *TAKEN_FOR_NOTHING))
    return BREAKS if fate is LOST and is_error else fate


def fate_of_topic(path: str, reason: str) -> Fate:
    if "/partitions/" in path and NEGATIVE.fullmatch(reason):
        return AS_IT_IS
    if "/partitions/" in path:
        return LOST_STATE if reason.startswith(NOT_JSON) else WRONG_STATE
    if any(each in reason for each in COPIED):
        return AS_IT_IS
    return NO_PARTITIONS if "no object 'partitions'" in reason else WRONG_TOPIC


def is_below(path: str, prefix: str) -> bool:
    return f"{path}/".startswith(f"{prefix}/")


def command_for(path: str) -> str | None:
    """Return a command that mends *path* or shows more of it."""
    return "kadmin migration rollback-check --fix" if path == paths.MIGRATION else None
