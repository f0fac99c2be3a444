"""Findings of a check: how bad is each, what is it about, and what helps?"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition


class Severity(StrEnum):
    """How bad a finding is, worst first; a cluster with nothing but notes is healthy."""

    CRITICAL = "critical"
    WARNING = "warning"
    NOTE = "note"


class Kind(StrEnum):
    """The kind of a finding, an interface for scripts; of one severity, earlier members are shown
    first."""

    CONTROLLER = "controller"
    OFFLINE = "offline"
    REFUSED = "refused"
    """What a broker should serve and does not."""
    DAMAGED = "damaged"
    """Replicas or ISR as only a hand can have written them."""
    UNDER_MIN_ISR = "under-min-isr"
    ZOOKEEPER = "zookeeper"
    LOG_DIR = "log-dir"
    QUORUM = "quorum"
    """A node of the metadata quorum that does not follow it."""
    DEAD_BROKER = "dead-broker"
    SILENT_BROKER = "silent-broker"
    ADDRESS = "address"
    """Where clients do not find the broker."""
    AT_MIN_ISR = "at-min-isr"
    UNDER_REPLICATED = "under-replicated"
    UNREADABLE = "unreadable"
    RECOVERING = "recovering"
    UNCLEAN = "unclean"
    INTERNAL_TOPIC = "internal-topic"
    REFUSES_RECORDS = "refuses-records"
    """Limits that hardly any record is within."""
    UNSERVED = "unserved"
    """What brokers will not serve any more once they start again."""
    DELETION = "deletion"
    REASSIGNMENT = "reassignment"
    ELECTION = "election"
    THROTTLE = "throttle"
    STRAY_LOG = "stray-log"
    """A log on a broker that is no replica of its partition."""
    VERSIONS = "versions"
    RACKS = "racks"
    STUCK_GROUP = "stuck-group"
    """A group that does not read what there is."""
    LAGGING_GROUP = "lagging-group"
    """A group that reads, and is behind."""
    NOT_PREFERRED = "not-preferred"
    RESTARTED = "restarted"
    SKEW = "skew"


SEVERITY_ORDER: Final = {severity: number for number, severity in enumerate(Severity)}
BAD: Final = frozenset({Severity.CRITICAL, Severity.WARNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause, with all that it has come of it.

    *kind* is a `Kind`, or that of another check.  *text* is a sentence without what *partitions*,
    *topics* and *groups* name, unless it *has_names*.  *command* is one that helps or shows more,
    None where there is none.
    """

    severity: Severity
    kind: StrEnum
    text: str
    partitions: tuple[TopicPartition, ...] = ()
    topics: tuple[str, ...] = ()
    brokers: tuple[BrokerId, ...] = ()
    groups: tuple[str, ...] = ()
    command: str | None = None
    has_names: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """*findings* are in order, worst first; *unlooked* lists what was not checked, and why.

    The counts are of what exists.
    """

    findings: tuple[Finding, ...]
    unlooked: tuple[str, ...]
    broker_count: int
    controller: BrokerId | None
    topic_count: int
    partition_count: int
    lacks_controller: bool = True
    """Where there is no *controller*: whether that is known."""

    @property
    def all_well(self) -> str:
        """The verdict where nothing is wrong."""
        return "healthy"

    @property
    def worst(self) -> Severity | None:
        """None where there is nothing at all."""
        return self.findings[0].severity if self.findings else None

    @property
    def is_healthy(self) -> bool:
        return self.worst not in BAD

    def counted(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)

    def partitions_with(self, kind: Kind) -> int:
        return sum(len(each.partitions) for each in self.findings if each.kind is kind)


def order_of(kind: StrEnum) -> int:
    """Return the place of *kind* among the members of its enumeration."""
    return list(type(kind).__members__.values()).index(kind)


def in_order(findings: Collection[Finding]) -> tuple[Finding, ...]:
    """Sort *findings*: the worst first; of the same kind, the one with the most partitions."""
    return tuple(
        sorted(
            findings,
            key=lambda each: (
                SEVERITY_ORDER[each.severity],
                order_of(each.kind),
                -len(each.partitions),
                -len(each.topics),
                -len(each.groups),
                each.brokers,
                each.text,
            ),
        )
    )
