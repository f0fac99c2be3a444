"""Differences between two saved clusters: their kinds, and how bad each is."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kadmin.plan.check.findings import SEVERITY_ORDER, Severity
from kadmin.snapshots.saved import Section


class Kind(StrEnum):
    """The kind of a difference, an interface for scripts; of one severity, earlier members are
    shown first."""

    OTHER_CLUSTER = "other-cluster"
    TOPIC_REMOVED = "topic-removed"
    TOPIC_RECREATED = "topic-recreated"
    """Its id is another one: the records of before are gone."""
    PARTITIONS_REMOVED = "partitions-removed"
    OFFLINE = "offline"
    UNDER_MIN_ISR = "under-min-isr"
    LOG_DIR_FAILED = "log-dir-failed"
    CONTROLLER_LOST = "controller-lost"
    BROKER_REMOVED = "broker-removed"
    REFUSED = "refused"
    """What a broker should serve and does not."""
    LOG_DIR_REMOVED = "log-dir-removed"
    ISR_SHRUNK = "isr-shrunk"
    REPLICAS = "replicas"
    REASSIGNMENT = "reassignment"
    DELETION = "deletion"
    RACK = "rack"
    CONFIG = "config"
    QUOTA = "quota"
    ACL = "acl"
    GROUP_REMOVED = "group-removed"
    OFFSETS_REWOUND = "offsets-rewound"
    OFFSETS_REMOVED = "offsets-removed"
    CONTROLLER = "controller"
    BROKER_ADDED = "broker-added"
    BROKER_RESTARTED = "broker-restarted"
    ENDPOINTS = "endpoints"
    TOPIC_ADDED = "topic-added"
    PARTITIONS_ADDED = "partitions-added"
    ONLINE = "online"
    """A leader again, or an ISR that is large enough again."""
    LEADER = "leader"
    ISR_GROWN = "isr-grown"
    LEADER_EPOCH = "leader-epoch"
    """The same leader was elected again."""
    LOG_DIR_ADDED = "log-dir-added"
    GROUP_ADDED = "group-added"


CRITICAL: Final = frozenset(
    {
        *(Kind.OTHER_CLUSTER, Kind.TOPIC_REMOVED, Kind.TOPIC_RECREATED, Kind.PARTITIONS_REMOVED),
        *(Kind.OFFLINE, Kind.UNDER_MIN_ISR, Kind.LOG_DIR_FAILED),
    }
)
WARNING: Final = frozenset(
    {
        *(Kind.CONTROLLER_LOST, Kind.BROKER_REMOVED, Kind.REFUSED, Kind.LOG_DIR_REMOVED),
        *(Kind.ISR_SHRUNK, Kind.REPLICAS, Kind.REASSIGNMENT, Kind.DELETION, Kind.RACK),
        *(Kind.CONFIG, Kind.QUOTA, Kind.ACL, Kind.GROUP_REMOVED),
        *(Kind.OFFSETS_REWOUND, Kind.OFFSETS_REMOVED),
    }
)

KIND_ORDER: Final = {kind: number for number, kind in enumerate(Kind)}


def severity_of(kind: Kind) -> Severity:
    if kind in CRITICAL:
        return Severity.CRITICAL
    return Severity.WARNING if kind in WARNING else Severity.NOTE


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; *subject* is what differs, such as `orders-0` or `broker 3`.

    *before* and *after* are None for what was not there, or is not any more.
    """

    section: Section
    kind: Kind
    subject: str
    before: str | None = None
    after: str | None = None

    @property
    def severity(self) -> Severity:
        return severity_of(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideReport:
    """One of two snapshots; *unread* is what is missing in it, each with the reason."""

    name: str
    cluster_id: str | None
    taken_at_ms: int
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffReport:
    """What two snapshots differ in, worst first.

    *uncompared* are parts that one of them lacks, each with the reason.
    """

    before: SideReport
    after: SideReport
    sections: tuple[Section, ...]
    differences: tuple[Difference, ...]
    uncompared: tuple[str, ...] = ()

    def counted(self, severity: Severity) -> int:
        return sum(each.severity is severity for each in self.differences)


def in_order(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Sort *differences* by severity and kind; of one kind they stay in their order."""
    return tuple(
        sorted(differences, key=lambda each: (SEVERITY_ORDER[each.severity], KIND_ORDER[each.kind]))
    )


def only(differences: Iterable[Difference], sections: Collection[Section]) -> Iterable[Difference]:
    return (each for each in differences if each.section in sections)
