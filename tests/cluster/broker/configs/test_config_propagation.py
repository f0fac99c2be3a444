"""Every config that is advertised as dynamic is applied when it changes, and no other one is.

Each key that Kafka or we know is changed on a running broker, on the way from what is read in
ZooKeeper to whoever applies it, and what has become of the broker is compared.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Final

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.config_propagation import ConfigPropagation
from cluster.broker.configs.dynamic_config_validation import is_per_broker
from cluster.broker.configs.listeners import LISTENER_KEYS
from cluster.broker.configs.supported_configs import (
    LISTED_WHERE_SET,
    NOT_USED,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
    Applier,
)
from cluster.broker.handling import Cancel
from cluster.broker.ports import ApiSettings, Endpoint
from cluster.broker.replica_manager.log_cleaner import CleanerSettings, LogCleaner
from cluster.model.address_limits import ConnectionLimits
from cluster.model.config_entity import EntityKind
from cluster.model.config_table import CONFIGS, TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.model.kafka_broker_configs import READ_ONLY_BROKER_CONFIGS
from cluster.storage.log_config import LogConfig
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.cluster.api.world import World
from tests.cluster.broker.configs.values import broker_value, other_value
from tests.support.checkout import CHECKOUT

TOPIC, BROKER = 2, 4
TOPIC_NAME: Final = "orders"

DYNAMIC_IN_KAFKA: Final = CONFIGS[EntityKind.BROKERS]
ALL_BROKER_KEYS: Final = sorted(
    DYNAMIC_IN_KAFKA.keys() | READ_ONLY_BROKER_CONFIGS | SUPPORTED_BROKER_CONFIGS.keys()
)


@dataclass(frozen=True)
class Applied:
    """What has become of a broker, by who applies it."""

    connection_quotas: ConnectionLimits | None
    producer_state: int
    log: LogConfig
    is_under_min_isr: bool
    throttled: tuple[bool, bool]
    """As leader, and as follower."""
    throttle_rates: tuple[int, int, int]
    unclean_election: bool | None
    unclean_topics: tuple[str, ...]
    refusals: int
    fetcher_clients: tuple[str, ...]
    """The clients of other brokers that this one is."""
    listeners: tuple[str, ...]
    """The configs by which the broker listens."""
    cleaner: CleanerSettings


BY_APPLIER: Final = {
    Applier.CONNECTION_QUOTAS: {"connection_quotas"},
    Applier.PRODUCER_STATE: {"producer_state"},
    Applier.PARTITIONS: {"log", "is_under_min_isr", "refusals", "throttled"},
    Applier.REPLICATION_THROTTLES: {"throttle_rates"},
    Applier.REPLICA_FETCHERS: {"fetcher_clients"},
    Applier.LISTENERS: {"listeners"},
    Applier.LOG_CLEANER: {"cleaner"},
    Applier.UNCLEAN_ELECTION: {"unclean_election", "unclean_topics"},
}


class Connections:
    def __init__(self) -> None:
        self.limits: ConnectionLimits | None = None

    def limit(self, limits: ConnectionLimits) -> None:
        self.limits = limits


class Listening:
    """Listens by the configs that it is told of."""

    def __init__(self, configs: BrokerConfigs) -> None:
        self.configs = configs
        self.values: tuple[str, ...] = ()

    def listeners_changed(self) -> None:
        assert self.configs.listeners()
        self.values = tuple(self.configs.text(key) for key in sorted(LISTENER_KEYS))


class Elections:
    def __init__(self) -> None:
        self.is_unclean_allowed: bool | None = None
        self.unclean_topics: list[str] = []

    def allow_unclean(self, is_allowed: bool) -> None:
        self.is_unclean_allowed = is_allowed

    def allow_unclean_of(self, topic: str) -> None:
        self.unclean_topics.append(topic)


class Peers:
    """Other brokers, which nobody reaches."""

    def __init__(self) -> None:
        self.client_ids: list[str] = []

    def connect(
        self, endpoint: Endpoint, client_id: str, timeout_ms: int, opened: Callable[..., None]
    ) -> Cancel:
        self.client_ids.append(client_id)
        return lambda: self.client_ids.remove(client_id)


class RunningBroker:
    """A broker that leads a partition and follows others, with those who apply its configs."""

    def __init__(self) -> None:
        self.configs = BrokerConfigs()
        self.peers = Peers()
        self.world = World(ApiSettings(configs=self.configs), peers=self.peers)
        self.world.lead(TOPIC_NAME, replicas=(1, 2), isr=(1,))
        for index in range(4):
            self.world.order("followed", index, leader=2, replicas=(1, 2))
        self.connections = Connections()
        self.elections = Elections()
        self.listening = Listening(self.configs)
        broker = self.world.broker
        self.cleaner = LogCleaner(broker.ports, broker.partitions, self.world.clock.wall_ms)
        self.propagation = ConfigPropagation(
            self.configs,
            self.connections,
            self.world.logs,
            self.world.broker.role_changer,
            self.world.broker.replica_fetchers,
            self.world.broker.throttles,
            self.listening,
            self.elections,
            self.cleaner,
        )
        self.propagation.start()

    def find(
        self, cluster_default: Mapping[str, str], per_broker: Mapping[str, str]
    ) -> frozenset[Applier]:
        """What happens when these are found in ZooKeeper; who has been called."""
        update = self.configs.update(cluster_default, per_broker)
        self.propagation.broker_changed(update.appliers)
        return update.appliers

    @property
    def applied(self) -> Applied:
        hosted = self.world.broker.partitions.find(TopicPartition(TOPIC_NAME, 0))
        assert hosted is not None
        throttles = self.world.broker.throttles
        self.world.clock.advance(0)
        return Applied(
            connection_quotas=self.connections.limits,
            producer_state=hosted.log.producer_expiration_ms,
            log=hosted.log.config,
            is_under_min_isr=hosted.replica.is_under_min_isr,
            throttled=(
                throttles.leader.is_throttled(TOPIC_NAME, 0),
                throttles.follower.is_throttled(TOPIC_NAME, 0),
            ),
            throttle_rates=(
                throttles.leader.rate,
                throttles.follower.rate,
                throttles.log_dirs.rate,
            ),
            unclean_election=self.elections.is_unclean_allowed,
            unclean_topics=tuple(self.elections.unclean_topics),
            refusals=len(self.world.journal.errors),
            fetcher_clients=tuple(sorted(self.peers.client_ids)),
            listeners=self.listening.values,
            cleaner=self.cleaner.settings,
        )


def differences(before: Applied, after: Applied) -> frozenset[str]:
    return frozenset(
        field.name
        for field in fields(Applied)
        if getattr(before, field.name) != getattr(after, field.name)
    )


def described(world: World, kind: int, name: str):
    body = DescribeConfigsRequest(
        [DescribeConfigsResource(kind, name, None)], include_documentation=True
    )
    (result,) = world.ask_now(ApiKey.DESCRIBE_CONFIGS, body).results
    return result.configs


def is_taken(world: World, kind: int, resource: str, name: str, value: str) -> bool:
    """Whether IncrementalAlterConfigs would set *name*."""
    changes = [IncrementalAlterableConfig(name, 0, value)]
    body = IncrementalAlterConfigsRequest(
        [IncrementalAlterConfigsResource(kind, resource, changes)], validate_only=True
    )
    (result,) = world.ask_now(ApiKey.INCREMENTAL_ALTER_CONFIGS, body).responses
    return bool(result.error_code == ErrorCode.NONE)


# Brokers.


@cache
def two_brokers() -> tuple["RunningBroker", "RunningBroker"]:
    return RunningBroker(), RunningBroker()


@cache
def changed_by(name: str) -> frozenset[str]:
    """What becomes different when the broker's config *name* is set for all, or for this one."""
    own, shared = two_brokers()
    before = own.applied
    value = broker_value(name)

    own_appliers = own.find({}, {name: value})
    appliers = shared.find({name: value}, {})

    if is_per_broker(name):
        assert (before, frozenset()) == (shared.applied, appliers), f"{name} is one broker's"
    else:
        assert own.applied == shared.applied, f"it does not matter where {name} is set"
        assert own_appliers == appliers, name
    found = differences(before, own.applied)
    for broker in (own, shared):
        broker.find({}, {})
        assert broker.applied == before, f"{name}, now unset, has no effect any more"
    return found


DYNAMIC: Final = {
    name: row
    for name, row in SUPPORTED_BROKER_CONFIGS.items()
    if row.applied_by is not Applier.STARTUP
}


@pytest.mark.slow
@pytest.mark.slow
def test_a_dynamic_config_is_applied_by_whom_the_table_says_when_it_changes() -> None:
    for name, row in DYNAMIC.items():
        broker = RunningBroker()

        appliers = broker.find({}, {name: broker_value(name)})
        changed = changed_by(name)

        assert {row.applied_by} == appliers, name
        assert changed, f"nobody has applied {name}"
        assert changed <= BY_APPLIER[row.applied_by], name


def test_a_limit_of_one_listener_is_applied_wherever_it_is_set() -> None:
    name = "listener.name.second.max.connections"
    broker = RunningBroker()

    appliers = [
        broker.find(*found) for found in (({name: "7"}, {}), ({name: "7"}, {name: "5"}), ({}, {}))
    ]

    assert [{Applier.CONNECTION_QUOTAS}] * 3 == appliers
    broker.find({name: "7"}, {name: "5"})
    assert broker.connections.limits is not None
    assert {"SECOND": 5} == broker.connections.limits.per_listener_max
    assert {"SECOND": 9} == BrokerConfigs({name: "9"}).listener_limits()
    broker.find({}, {name: "many"})
    assert {} == broker.configs.listener_limits()


def test_no_other_config_of_brokers_has_an_effect_while_they_run() -> None:
    values = {name: broker_value(name) for name in ALL_BROKER_KEYS if name not in DYNAMIC}
    own, shared = two_brokers()
    before = own.applied

    own.find({}, values)
    shared.find(values, {})

    assert before == own.applied == shared.applied
    for broker in (own, shared):
        broker.find({}, {})


@pytest.mark.slow
def test_what_is_advertised_as_dynamic_is_what_is_applied() -> None:
    world = RunningBroker().world
    page = (CHECKOUT / "docs" / "broker-settings.md").read_text(encoding="utf-8")

    # Those that are told where somebody has set them are told.
    told = RunningBroker().world
    told.broker.ports.settings.configs.update(dict.fromkeys(LISTED_WHERE_SET, "1"), {})
    open_keys = {
        one.name
        for one in described(told, BROKER, "1")
        if not one.read_only and not one.documentation.startswith(NOT_USED)
    }
    row = r"^\| `([^`]*)` \|.*\| (?:cluster-wide|per-broker) \|"
    documented = set(re.findall(row, page, re.MULTILINE))
    taken = {
        name
        for name in SUPPORTED_BROKER_CONFIGS
        if is_taken(world, BROKER, "1", name, broker_value(name))
    }

    applied = {name for name in ALL_BROKER_KEYS if changed_by(name)}
    assert applied == open_keys
    assert applied == documented
    assert applied == taken


# Topics.


@cache
def changed_in_topic(name: str) -> frozenset[str]:
    """What becomes different when a topic overrides *name*."""
    broker = RunningBroker()
    before = broker.applied

    broker.propagation.topic_changed(TOPIC_NAME, {name: other_value(name, TOPIC_CONFIGS[name])})

    return differences(before, broker.applied)


def test_a_topic_config_is_applied_by_whom_the_table_says_when_it_changes() -> None:
    for name, row in SUPPORTED_TOPIC_CONFIGS.items():
        changed = changed_in_topic(name)

        assert changed, f"nobody has applied {name}"
        assert changed <= BY_APPLIER[row.applied_by], name


def test_no_other_config_of_topics_has_an_effect() -> None:
    others = TOPIC_CONFIGS.keys() - SUPPORTED_TOPIC_CONFIGS.keys()

    assert {} == {name: changed for name in others if (changed := changed_in_topic(name))}


def test_what_is_documented_of_topics_is_what_is_applied() -> None:
    world = RunningBroker().world

    documented = {one.name for one in described(world, TOPIC, TOPIC_NAME) if one.documentation}

    assert {name for name in TOPIC_CONFIGS if changed_in_topic(name)} == documented


def test_every_applier_has_configs() -> None:
    assert set(Applier) == {row.applied_by for row in SUPPORTED_BROKER_CONFIGS.values()}
    assert BY_APPLIER.keys() == set(Applier) - {Applier.STARTUP}
