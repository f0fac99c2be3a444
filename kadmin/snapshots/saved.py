"""Saved clusters: a cluster's snapshot with all that is kept beside it in a file.

Knows neither the file's form nor where the values were read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from cluster.model.acl import AclEntry, ResourcePattern
from cluster.model.config_entity import ConfigEntity
from cluster.model.fault import Fault, Thing
from cluster.model.ids import TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.log_dirs import LogDirs


class Source(StrEnum):
    """Which servers were read."""

    ZOOKEEPER = "zookeeper"
    """And beside it brokers, for what only they know."""
    BROKERS = "brokers"


class Section(StrEnum):
    """A part of a snapshot, under the name by which `--only` selects it."""

    CLUSTER = "cluster"
    """Its id and its controller."""
    BROKERS = "brokers"
    TOPICS = "topics"
    CONFIGS = "configs"
    """Those of topics, brokers, users, clients and addresses, without quotas."""
    QUOTAS = "quotas"
    ACLS = "acls"
    LOG_DIRS = "log-dirs"
    GROUPS = "groups"


SECTION_OF: Final = {
    Thing.BROKERS: Section.BROKERS,
    Thing.BROKER: Section.BROKERS,
    Thing.TOPICS: Section.TOPICS,
    Thing.TOPIC: Section.TOPICS,
    Thing.PARTITION_STATE: Section.TOPICS,
    Thing.CONFIG: Section.CONFIGS,
    Thing.ACLS: Section.ACLS,
    Thing.CONTROLLER: Section.CLUSTER,
    Thing.CONTROLLER_EPOCH: Section.CLUSTER,
    Thing.MIGRATION: Section.CLUSTER,
    Thing.REASSIGNMENT: Section.TOPICS,
    Thing.DELETIONS: Section.TOPICS,
    Thing.ELECTION: Section.TOPICS,
    Thing.CLUSTER_ID: Section.CLUSTER,
    Thing.LOG_DIRS: Section.LOG_DIRS,
    Thing.GROUPS: Section.GROUPS,
    Thing.GROUP: Section.GROUPS,
}
assert SECTION_OF.keys() == set(Thing)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedGroup:
    """A group of consumers; *state* is None where its coordinator did not return it.

    *offsets* are those that it has committed.
    """

    state: str | None
    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedCluster:
    """A cluster at *taken_at_ms* since 1970.

    The faults of *cluster* are about all parts.  *configs* are those of entities other than topics,
    in order; the topics' are in *cluster*.  *secrets* are the configs that are left out because
    their values must not be shown, each as `user-principal 'alice': SCRAM-SHA-256`.  *log_dirs* has
    the brokers that answered.  *groups* are None where they were not asked for.  *tool_version* is
    that of the kadmin that saved it.
    """

    tool_version: str
    taken_at_ms: int
    source: Source
    cluster_id: str | None
    cluster: ClusterSnapshot
    configs: Mapping[ConfigEntity, Mapping[str, str]] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    acls: Mapping[ResourcePattern, tuple[AclEntry, ...]] = field(default_factory=dict)
    log_dirs: LogDirs = field(default_factory=dict)
    groups: Mapping[str, SavedGroup] | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What could not be read, which is left out."""
        return self.cluster.faults

    @property
    def partition_count(self) -> int:
        return sum(len(topic.assignment.partitions) for topic in self.cluster.topics.values())
