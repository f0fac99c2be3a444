"""Propagation of a changed config to the parts of this process that apply it.

`broker_configs` finds the appliers of a change by the table in `supported_configs`; each of them is
registered here once.  A new applier in the table has to be registered here as well.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import (
    FETCHERS_PER_LEADER,
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_OVERRIDES,
    MAX_CONNECTIONS_PER_IP,
    PRODUCER_EXPIRATION,
    SUPPORTED_TOPIC_CONFIGS,
    Applier,
)
from cluster.model.address_limits import ConnectionLimits, parse_address_limits
from cluster.model.config_spec import is_true
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.storage.directories.log_manager import LogManager


class Connections(Protocol):
    """The part that accepts connections."""

    def limit(self, limits: ConnectionLimits) -> None:
        """Accept by other limits from now on; listeners that are not named have none of their
        own.
        """


class TopicPartitions(Protocol):
    """The partitions of this broker."""

    def change_topic_configs(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Apply *overrides* of *topic* from now on."""

    def topic_defaults_changed(self) -> None:
        """Apply the broker's present configs where topics do not override them."""


class ReplicaFetchers(Protocol):
    """The connections by which followers fetch."""

    def resize(self, count_per_leader: int) -> None:
        """Use this number of connections to each leader."""


class Cleaner(Protocol):
    """Who compacts logs."""

    def reconfigure(self, configs: BrokerConfigs) -> None:
        """Go by the broker's configs of now."""


class ReplicationThrottles(Protocol):
    """The part that throttles replication."""

    def set_rates(self, configs: BrokerConfigs) -> None:
        """Apply the broker's present rates."""


class ListenerChanges(Protocol):
    """The part that listens, and registers the broker."""

    def listeners_changed(self) -> None:
        """Listen and register as the broker's present configs require."""


class LeaderElections(Protocol):
    """The controller, which elects leaders when it is the active one."""

    def allow_unclean(self, is_allowed: bool) -> None:
        """Apply this to topics that do not override it."""

    def allow_unclean_of(self, topic: str) -> None:
        """Elect leaders for *topic*, whose override allows unclean elections.

        Withdrawing the permission needs no call: the override is read for each election.
        """


class ConfigPropagation:
    """Applies changed configs of the broker, or of a topic."""

    def __init__(
        self,
        configs: BrokerConfigs,
        connections: Connections,
        logs: LogManager,
        partitions: TopicPartitions,
        fetchers: ReplicaFetchers,
        throttles: ReplicationThrottles,
        listening: ListenerChanges,
        controller: LeaderElections,
        cleaner: Cleaner,
    ) -> None:
        self._configs = configs
        self._connections = connections
        self._logs = logs
        self._fetchers = fetchers
        self._controller = controller
        self._of_broker: Mapping[Applier, Callable[[], None]] = {
            Applier.CONNECTION_QUOTAS: self._limit_connections,
            Applier.PRODUCER_STATE: self._expire_producers,
            Applier.PARTITIONS: partitions.topic_defaults_changed,
            Applier.REPLICATION_THROTTLES: lambda: throttles.set_rates(configs),
            Applier.REPLICA_FETCHERS: self._resize_fetchers,
            Applier.LOG_CLEANER: lambda: cleaner.reconfigure(configs),
            Applier.LISTENERS: listening.listeners_changed,
            Applier.UNCLEAN_ELECTION: self._allow_unclean,
        }
        assert self._of_broker.keys() == set(Applier) - {Applier.STARTUP}
        self._of_topics: Mapping[Applier, Callable[[str, Mapping[str, str]], None]] = {
            Applier.PARTITIONS: partitions.change_topic_configs,
            Applier.UNCLEAN_ELECTION: self._allow_unclean_of,
        }
        assert self._of_topics.keys() == {
            row.applied_by for row in SUPPORTED_TOPIC_CONFIGS.values()
        }

    def start(self) -> None:
        """Apply all dynamic configs, as they are when the broker starts."""
        self.broker_changed(self._of_broker)

    def broker_changed(self, appliers: Collection[Applier]) -> None:
        """Apply the broker's present configs by *appliers*, to which a changed config belongs."""
        for applier, apply in self._of_broker.items():
            if applier in appliers:
                apply()

    def topic_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Apply all *overrides* of *topic*; which of them are new is unknown."""
        for apply in self._of_topics.values():
            apply(topic, overrides)

    def _limit_connections(self) -> None:
        limits = ConnectionLimits(
            self._configs.number(MAX_CONNECTIONS),
            self._configs.number(MAX_CONNECTIONS_PER_IP),
            parse_address_limits(self._configs.text(MAX_CONNECTIONS_OVERRIDES)),
            self._configs.listener_limits(),
        )
        self._connections.limit(limits)

    def _expire_producers(self) -> None:
        self._logs.expire_producers_after(self._configs.number(PRODUCER_EXPIRATION))

    def _resize_fetchers(self) -> None:
        self._fetchers.resize(self._configs.number(FETCHERS_PER_LEADER))

    def _allow_unclean(self) -> None:
        self._controller.allow_unclean(allows_unclean(self._configs))

    def _allow_unclean_of(self, topic: str, overrides: Mapping[str, str]) -> None:
        if is_true(overrides.get(UNCLEAN_LEADER_ELECTION, "")):
            self._controller.allow_unclean_of(topic)


def allows_unclean(configs: BrokerConfigs) -> bool:
    """Whether topics that do not override it may have unclean elections."""
    return is_true(configs.topic_defaults.get(UNCLEAN_LEADER_ELECTION, ""))
