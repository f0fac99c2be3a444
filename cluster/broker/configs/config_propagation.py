"""Who in this process applies a config that has changed, and what is called for that.

`broker_configs` finds the appliers of a change by the table in `supported_configs`; here each of
them is registered once.  Whoever adds an applier to the table has to register it here.
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
    """Who accepts connections."""

    def limit(self, limits: ConnectionLimits) -> None:
        """Admit by other limits from now on; other listeners have none of their own."""


class TopicPartitions(Protocol):
    """The partitions that this broker has."""

    def change_topic_configs(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Go by *overrides* of *topic* from now on."""

    def topic_defaults_changed(self) -> None:
        """Go by the broker's own configs of now, as far as topics do not override them."""


class ReplicaFetchers(Protocol):
    """The connections by which followers fetch."""

    def resize(self, count_per_leader: int) -> None:
        """Have so many connections to each leader."""


class ReplicationThrottles(Protocol):
    """Who bounds what replicas move."""

    def set_rates(self, configs: BrokerConfigs) -> None:
        """Go by the broker's rates of now."""


class ListenerChanges(Protocol):
    """Who listens, and registers the broker."""

    def listeners_changed(self) -> None:
        """Listen, and be reached, as the broker's configs of now say."""


class LeaderElections(Protocol):
    """The controller, which elects leaders when it is the active one."""

    def allow_unclean(self, is_allowed: bool) -> None:
        """Go by this where a topic does not override it."""

    def allow_unclean_of(self, topic: str) -> None:
        """Find leaders for *topic*, whose override allows such that lack records.

        That it does not any more need not be told: the override is read for each election.
        """


class ConfigPropagation:
    """Has changed configs of the broker, or of a topic, applied."""

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
        """Have all dynamic configs applied, as they are when the broker starts."""
        self.broker_changed(self._of_broker)

    def broker_changed(self, appliers: Collection[Applier]) -> None:
        """Have the broker's configs of now applied by *appliers*, who apply what has changed."""
        for applier, apply in self._of_broker.items():
            if applier in appliers:
                apply()

    def topic_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Have all *overrides* of *topic* applied; which of them are new is not known."""
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
    """Whether topics that do not override it may have leaders that lack records."""
    return is_true(configs.topic_defaults.get(UNCLEAN_LEADER_ELECTION, ""))
