"""Faults: what of a cluster could not be understood, or may not be seen?

A value for whoever shows a cluster or judges whether it may be changed; knows no ZooKeeper.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple

from cluster.model.acl import ResourcePattern
from cluster.model.config_entity import ConfigEntity
from cluster.model.ids import TopicPartition


class Thing(Enum):
    BROKERS = auto()
    """Which brokers are alive."""
    BROKER = auto()
    TOPICS = auto()
    """Which topics there are."""
    TOPIC = auto()
    """Its partitions and their replicas."""
    PARTITION_STATE = auto()
    CONFIG = auto()
    ACLS = auto()
    CONTROLLER = auto()
    CONTROLLER_EPOCH = auto()
    MIGRATION = auto()
    """How far a migration to KRaft is."""
    REASSIGNMENT = auto()
    """Which partitions are to get other replicas."""
    DELETIONS = auto()
    """Which topics wait for their deletion."""
    ELECTION = auto()
    """Which partitions are to get another leader."""


class Subject(NamedTuple):
    """What a fault is about; *name* tells which where there are several."""

    thing: Thing
    name: str = ""


BROKERS: Final = Subject(Thing.BROKERS)
TOPICS: Final = Subject(Thing.TOPICS)
CONFIGS: Final = Subject(Thing.CONFIG)
"""Those of whoever is asked about."""
DELETIONS: Final = Subject(Thing.DELETIONS)
ELECTION: Final = Subject(Thing.ELECTION)
CONTROLLER: Final = Subject(Thing.CONTROLLER)
CONTROLLER_EPOCH: Final = Subject(Thing.CONTROLLER_EPOCH)
MIGRATION: Final = Subject(Thing.MIGRATION)
REASSIGNMENT: Final = Subject(Thing.REASSIGNMENT)


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


def hidden(subject: Subject, what: str) -> "Fault":
    """What brokers do not tell this user, which has no place to look at."""
    reason = "may not be read by this user"
    return Fault(subject=subject, where=what, version=None, reason=reason, text=f"{what} {reason}")


def untold(subject: Subject, what: str, why: str) -> "Fault":
    """What brokers do not tell now, for a reason that passes."""
    reason = f"not told by the brokers: {why}"
    return Fault(subject=subject, where=what, version=None, reason=reason, text=f"{what}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """*where* is the place to look at, in the words of whoever was asked, such as a path, and
    *version* that of what stands there; None for what may not be seen.

    *text* is all of it for an operator.
    """

    subject: Subject
    where: str
    version: int | None
    reason: str
    text: str

    def __str__(self) -> str:
        return self.text
