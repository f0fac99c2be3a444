"""Findings about a migration: what stands in its way, what the controllers would do, and what
helps."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kadmin.plan.check.findings import CheckReport, Finding


class MigrationKind(StrEnum):
    """The kind of a finding, an interface for scripts; of one severity, earlier members are shown
    first."""

    STALE_MIGRATION = "stale-migration"
    UNREADABLE = "unreadable"
    TOPIC_ID = "topic-id"
    DEAD_REPLICA = "dead-replica"
    QUOTA = "quota"
    SCRAM = "scram"
    ACL = "acl"
    CONFIG_NAME = "config-name"
    PASSWORD = "password"
    CONTROLLER = "controller"
    EPOCH = "epoch"
    RELEASE = "release"
    LISTENER = "listener"
    BROKER_ID = "broker-id"
    AUTHORIZER = "authorizer"
    LOG_DIRS = "log-dirs"
    BROKER_CONFIG = "broker-config"
    ZNODE_ACL = "znode-acl"
    OFFLINE = "offline"
    UNDER_MIN_ISR = "under-min-isr"
    UNDER_REPLICATED = "under-replicated"
    NO_STATE = "no-state"
    REASSIGNMENT = "reassignment"
    DELETION = "deletion"
    ELECTION = "election"
    THROTTLE = "throttle"
    LOG_DIR_EVENT = "log-dir-event"
    SILENT_BROKER = "silent-broker"
    OLD_CONSUMER = "old-consumer"
    OLD_CLIENT = "old-client"
    REMOVED_CONFIG = "removed-config"
    FOREIGN_ZNODE = "foreign-znode"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationFinding(Finding):
    """A finding of `kadmin migration check`.

    *outcome* is what would happen, in the words of the real controller's log where it has some;
    *source* is where that is known from; *znodes* are the paths.
    """

    znodes: tuple[str, ...] = ()
    outcome: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationReport(CheckReport):
    """The judgement of a cluster that is to leave ZooKeeper, or *is_copied* already."""

    is_copied: bool

    @property
    def all_well(self) -> str:
        return "copied already" if self.is_copied else "ready to migrate"


WAITS: Final = "the controllers wait for ever, and ZooKeeper keeps the cluster"
DIES: Final = (
    "the controllers take /controller, log 'Aborting the metadata migration from ZooKeeper to"
    " KRaft' and exit: the cluster is left without any controller"
)
"""Seen with Kafka 3.9.1: `/controller` names the controller that has ended."""

SOURCE_3_9: Final = "seen with Kafka 3.9.1"


def paths_text(paths: Sequence[str]) -> str:
    """Return `/a`, `/a and 3 more`."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
