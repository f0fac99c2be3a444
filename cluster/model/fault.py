"""Faults: parts of a cluster that could not be decoded, or may not be read.

A value for showing a cluster or judging whether it may be changed; knows no ZooKeeper.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from cluster.model.acl import ResourcePattern
from cluster.model.config_entity import ConfigEntity
from cluster.model.ids import TopicPartition


class Thing(Enum):
    BROKERS = auto()
    """Which brokers are live."""
    BROKER = auto()
    TOPICS = auto()
    """Which topics exist."""
    TOPIC = auto()
    """Its partitions and their replicas."""
    PARTITION_STATE = auto()
    CONFIG = auto()
    ACLS = auto()
    CONTROLLER = auto()
    CONTROLLER_EPOCH = auto()
    MIGRATION = auto()
    """The state of a migration to KRaft."""
    REASSIGNMENT = auto()
    """Which partitions are being reassigned."""
    DELETIONS = auto()
    """Which topics wait for deletion."""
    ELECTION = auto()
    """Which partitions wait for the election of their preferred leader."""
    CLUSTER_ID = auto()
    LOG_DIRS = auto()
    """Those of one broker, or of all."""
    GROUPS = auto()
    """Which groups of consumers exist."""
    GROUP = auto()
    """Its state and what it has committed."""


class Subject(NamedTuple):
    """The subject of a fault; *name* identifies it where there are several."""

    thing: Thing
    name: str = ""


BROKERS: Final = Subject(Thing.BROKERS)
TOPICS: Final = Subject(Thing.TOPICS)
CONFIGS: Final = Subject(Thing.CONFIG)
"""Those of the entity in question."""
DELETIONS: Final = Subject(Thing.DELETIONS)
ELECTION: Final = Subject(Thing.ELECTION)
CONTROLLER: Final = Subject(Thing.CONTROLLER)
CONTROLLER_EPOCH: Final = Subject(Thing.CONTROLLER_EPOCH)
MIGRATION: Final = Subject(Thing.MIGRATION)
REASSIGNMENT: Final = Subject(Thing.REASSIGNMENT)
ACLS: Final = Subject(Thing.ACLS)
CLUSTER_ID: Final = Subject(Thing.CLUSTER_ID)
LOG_DIRS: Final = Subject(Thing.LOG_DIRS)
GROUPS: Final = Subject(Thing.GROUPS)


def topic(name: str) -> Subject:
    return Subject(Thing.TOPIC, name)


def broker(broker_id: int) -> Subject:
    return Subject(Thing.BROKER, str(broker_id))


def partition_state(partition: TopicPartition) -> Subject:
    return Subject(Thing.PARTITION_STATE, str(partition))


def config(entity: ConfigEntity) -> Subject:
    return Subject(Thing.CONFIG, str(entity))


def acls(resource: ResourcePattern) -> Subject:
    return Subject(Thing.ACLS, str(resource))


def log_dirs(broker_id: int) -> Subject:
    return Subject(Thing.LOG_DIRS, str(broker_id))


def group(name: str) -> Subject:
    return Subject(Thing.GROUP, name)


def hidden(subject: Subject, what: str) -> "Fault":
    """The fault for what brokers do not return to this user, which has no place to look at."""
    reason = "may not be read by this user"
    return Fault(subject=subject, where=what, version=None, reason=reason, text=f"{what} {reason}")


def unavailable(subject: Subject, what: str, why: str) -> "Fault":
    """The fault for what brokers do not return now, for a temporary reason."""
    reason = f"not known from the brokers: {why}"
    return Fault(
        subject=subject,
        where=what,
        version=None,
        reason=reason,
        text=f"{what}: {reason}",
        is_temporary=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """*where* is the place to look at, such as a path, in the terms of ZooKeeper or the brokers,
    and *version* that of its content; None for what may not be read.

    *text* is the whole message for an operator.  One that *is_temporary* may be gone at the next
    look: a broker does not answer now.
    """

    subject: Subject
    where: str
    version: int | None
    reason: str
    text: str
    is_temporary: bool = False

    def __str__(self) -> str:
        return self.text
