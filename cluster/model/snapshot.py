"""A snapshot of the cluster: its whole state at the time of reading.

A value for planners, judges and renderers; knows no ZooKeeper client.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from cluster.model import fault as subjects
from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import NO_OVERRIDES, ConfigOverrides
from cluster.model.controller import (
    Controller,
    ControllerEpochNode,
    Feature,
    MigrationState,
    Quorum,
)
from cluster.model.fault import Fault, Thing
from cluster.model.ids import INTERNAL_TOPICS, BrokerId, TopicPartition
from cluster.model.topic import PartitionState, TopicAssignment


class _Everybody:
    """Contains every broker."""

    def __contains__(self, broker_id: object) -> bool:
        return True


EVERYBODY: Final[Container[BrokerId]] = _Everybody()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSnapshot:
    """One topic; a partition without a state, since no controller has started it, is missing from
    *states*.

    *leaderless_since_ms* is when the states of partitions without a leader were written, where that
    is known: that is when they lost it.
    """

    name: str
    assignment: TopicAssignment
    config: ConfigOverrides
    states: Mapping[int, PartitionState]
    is_marked_for_deletion: bool = False
    leaderless_since_ms: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_internal(self) -> bool:
        return self.name in INTERNAL_TOPICS


class EligibleLeaders(NamedTuple):
    """The replicas of a partition that have all committed records and are not in its ISR, and
    those that had them last (KIP-966)."""

    leaders: tuple[BrokerId, ...] = ()
    last_known: tuple[BrokerId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSnapshot:
    """A cluster, read in a few round trips, so not from one instant.

    *brokers* and *topics* are in order of id and name.  *migration* is one to KRaft that has begun,
    whichever controller is active.  *quorum* and *features* are those of a cluster on KRaft, and
    *fenced* has its brokers that are registered and not live.  *eligible* has who may lead
    partitions there beside the ISR, of the topics that were asked for.  *moving* has the targets of
    a reassignment requested through `/admin/reassign_partitions`, as in releases before 2.4 for
    each; *stale_moves* are those of partitions that do not exist, which will never be carried out.
    *stale_deletions* are topics that do not exist, whose deletion is asked for: without a
    controller, the next one would delete a new topic of that name.
    *broker_defaults* are the dynamic configs of all brokers.  *faults* are about what could not be
    decoded or may not be read, which is left out.
    """

    brokers: Mapping[BrokerId, BrokerRegistration]
    topics: Mapping[str, TopicSnapshot]
    controller: Controller | None = None
    controller_epoch: ControllerEpochNode | None = None
    migration: MigrationState | None = None
    quorum: Quorum | None = None
    features: tuple[Feature, ...] = ()
    fenced: frozenset[BrokerId] = frozenset()
    eligible: Mapping[TopicPartition, EligibleLeaders] = field(default_factory=dict)
    moving: Mapping[TopicPartition, tuple[BrokerId, ...]] = field(default_factory=dict)
    stale_moves: Mapping[TopicPartition, tuple[BrokerId, ...]] = field(default_factory=dict)
    stale_deletions: frozenset[str] = frozenset()
    broker_defaults: ConfigOverrides = NO_OVERRIDES
    faults: tuple[Fault, ...] = ()

    @property
    def is_hybrid(self) -> bool:
        """Whether this is ZooKeeper's view of a cluster that KRaft owns, where brokers on KRaft are
        not registered."""
        has_kraft = self.controller is not None and self.controller.is_kraft
        return has_kraft and self.migration is not None

    @property
    def is_uncopied(self) -> bool:
        """Whether this is ZooKeeper's view of a cluster that KRaft owns, before it is copied."""
        has_kraft = self.controller is not None and self.controller.is_kraft
        return has_kraft and self.migration is None and self.quorum is None

    @property
    def live(self) -> Container[BrokerId]:
        """The brokers that are live as far as known: also those whose registration cannot be read,
        and all brokers where the list of live ones may not be read, or has only a part of them.
        """
        unreadable = {fault.subject for fault in self.faults}
        if subjects.BROKERS in unreadable or self.is_hybrid:
            return EVERYBODY
        names = {name for thing, name in unreadable if thing is Thing.BROKER and name.isdecimal()}
        return self.brokers.keys() | {BrokerId(int(name)) for name in names}

    @property
    def lacks_controller(self) -> bool:
        """Whether there is none, as far as that could be read."""
        is_hidden = any(fault.subject == subjects.CONTROLLER for fault in self.faults)
        return self.controller is None and not is_hidden

    @property
    def knows_brokers(self) -> bool:
        """Whether the list of live brokers could be read."""
        return all(fault.subject != subjects.BROKERS for fault in self.faults)
