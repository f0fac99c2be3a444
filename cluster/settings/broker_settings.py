"""The static configs of a broker: server.properties, validated and typed.

Knows the keys from `cluster.broker.configs.supported_configs`, and neither files nor sockets.
"""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Self

from cluster.broker.configs import reporter_configs
from cluster.broker.configs.broker_configs import topic_defaults
from cluster.broker.configs.dynamic_config_validation import broker_spec, is_supported
from cluster.broker.configs.listeners import InvalidListeners, read_listeners
from cluster.broker.configs.supported_configs import (
    BROKER_ID,
    CLEANER_ENABLE,
    CONNECT,
    LOGS_DIRECTORY,
    NODE_ID,
    RACK_SELECTOR,
    SUPPORTED_BROKER_CONFIGS,
)
from cluster.broker.ports import FetcherSettings, GroupSettings
from cluster.group.config import GroupConfig
from cluster.model.address_limits import InvalidAddressLimits, parse_address_limits
from cluster.model.broker import Endpoint
from cluster.model.config_spec import (
    ValueKind,
    is_true,
    members,
    trimmed,
    value_problem,
)
from cluster.model.ids import BrokerId
from cluster.settings.errors import InvalidSettings
from cluster.settings.properties_file import Given
from cluster.settings.reporter_settings import Address, ReporterSettings
from cluster.storage.errors import InvalidLogConfig
from cluster.storage.log_config import LogConfig

LOGS_NAME: Final = "logs"
TEXTS: Final = (ValueKind.STRING, ValueKind.LIST, ValueKind.CLASS)
"""Configs that may be empty."""

REFUSED: Final = {
    "authorizer.class.name": ("", "there is no authorizer"),
    "process.roles": ("", "there is no KRaft: brokers are coordinated by ZooKeeper"),
    "security.inter.broker.protocol": ("PLAINTEXT", "only PLAINTEXT is spoken"),
    "zookeeper.metadata.migration.enable": ("false", "there is no KRaft to migrate to"),
    "zookeeper.set.acl": ("false", "znodes are written without ACLs"),
    "zookeeper.ssl.client.enable": ("false", "ZooKeeper is spoken to without TLS"),
}
"""Unsupported keys that must not be ignored, since operators rely on them: each with the one value
that requires nothing, and why no other is possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionSettings:
    """The limits of client connections; a size of -1 has none, or is left to the kernel."""

    backlog: int
    send_buffer_size: int
    receive_buffer_size: int
    request_size_max: int
    queued_size_max: int
    idle_ms_max: int
    """-1: a connection may be idle for ever."""
    count_max: int
    per_address_max: int
    address_overrides: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """The broker's configs in `server.properties`, typed.

    *given* is the text of the configured ones, without defaults.
    """

    given: Mapping[str, str]
    ignored: tuple[str, ...]
    """One sentence for each unsupported key."""
    broker_id: BrokerId | None
    """None: use the id in the log directories, else a new one."""
    generates_id: bool
    reserved_id_max: int
    rack: str | None
    listeners: tuple[Endpoint, ...]
    advertised: tuple[Endpoint, ...]
    inter_broker_listener: str
    connections: ConnectionSettings
    zookeeper_connect: str
    session_timeout_ms: int
    connection_timeout_ms: int
    log_directories: tuple[str, ...]
    logs_directory: str
    """The directory of server.log and the like."""
    partition_count: int
    replication_factor: int
    creates_topics: bool
    deletes_topics: bool
    fetch_size_max: int
    fetch_session_count_max: int
    selects_by_rack: bool
    """Whether leaders send consumers to followers in their racks."""
    compacts_logs: bool
    retention_interval_ms: int
    producer_expiration_interval_ms: int
    flush_interval_ms: int
    recovery_point_interval_ms: int
    log_start_interval_ms: int
    high_watermark_interval_ms: int
    fetchers: FetcherSettings
    groups: GroupSettings
    reporters: ReporterSettings
    peer_receive_buffer_size: int
    """-1: left to the kernel."""
    lag_max_ms: int
    shuts_down_controlled: bool
    shutdown_retries_max: int
    shutdown_backoff_ms: int
    controller_timeout_ms: int
    rebalances_leaders: bool
    rebalance_interval_s: int
    imbalance_percentage: int

    @classmethod
    def parse(cls, given: Mapping[str, Given], *, working_directory: str) -> Self:
        """Validate and type what was *given*; relative paths begin at *working_directory*.

        Raises:
            InvalidSettings: with every invalid value, each with its source.
        """
        return cls(**_Reader(given, working_directory).fields())  # type: ignore[arg-type]


class _Reader:
    """Reads each key once and collects the problems."""

    def __init__(self, given: Mapping[str, Given], working_directory: str) -> None:
        self._names = given.keys()
        self._given = with_node_id(given)
        self._working_directory = working_directory
        self._problems: list[str] = []

    def fields(self) -> dict[str, object]:
        for name, value in self._given.items():
            if name in self._names:
                self._check(name, trimmed(value.value))
        if CONNECT not in self._given or not self._text(CONNECT):
            self._problems.append(
                f"{CONNECT} is missing: give it as host:port[,host:port][/chroot]"
            )
        listeners = self._listeners()
        self._check_topic_defaults()
        self._check_fetchers()
        self._check_id()
        overrides = self._address_overrides()
        if self._problems:
            raise InvalidSettings(self._problems)
        connections = self._connections(overrides)
        return (
            listeners
            | self._identity()
            | self._paths()
            | self._topics()
            | self._intervals()
            | {
                "connections": connections,
                "fetchers": self._fetchers(),
                "groups": self._groups(),
                "reporters": self._reporters(),
                "peer_receive_buffer_size": self._number("replica.socket.receive.buffer.bytes"),
            }
        )

    def _check(self, name: str, text: str) -> None:
        """Report an invalid value; also for unused keys, as Kafka does."""
        refused = REFUSED.get(name)
        if refused is not None and text.lower() != refused[0].lower():
            self._blame(name, f"{name}={text} is not possible: {refused[1]}")
            return
        spec = broker_spec(name)
        if spec is not None and (text or spec.kind not in TEXTS):
            problem = value_problem(spec, text)
            if problem is not None:
                self._blame(name, problem)

    def _blame(self, name: str, reason: str) -> None:
        self._problems.append(f"{self._given[name].source}: {reason}")

    # Single values.

    def _text(self, name: str) -> str:
        """The value of *name*, or its default, or nothing."""
        value = self._given.get(name)
        return (
            trimmed(value.value)
            if value is not None
            else SUPPORTED_BROKER_CONFIGS[name].spec.default or ""
        )

    def _number(self, name: str) -> int:
        return int(self._text(name))

    def _boolean(self, name: str) -> bool:
        return is_true(self._text(name))

    # Groups of them.

    def _listeners(self) -> dict[str, object]:
        try:
            found = read_listeners(self._text)
        except InvalidListeners as error:
            value = self._given.get(error.key, Given("", "default"))
            self._problems.append(f"{value.source}: {error.key}: {error}")
            return {}
        return {
            "listeners": found.bound,
            "advertised": found.advertised,
            "inter_broker_listener": found.inter_broker,
        }

    def _check_topic_defaults(self) -> None:
        """Check whether topics without overrides could be served."""
        values = {name: self._text(name) for name in self._given if self._is_valid(name)}
        try:
            LogConfig.parse(topic_defaults(values))
        except InvalidLogConfig as error:
            self._problems += [f"defaults of topics: {problem}" for problem in error.problems]

    def _check_fetchers(self) -> None:
        """Check that a follower receives an answer before it times out, or is removed from
        the ISR.
        """
        wait = "replica.fetch.wait.max.ms"
        for longer in ("replica.socket.timeout.ms", "replica.lag.time.max.ms"):
            given = [name for name in (longer, wait) if name in self._given]
            if not given or not all(map(self._is_valid, given)):
                continue
            if self._number(longer) < self._number(wait):
                self._blame(given[0], f"{longer} is less than {wait}={self._number(wait)}")

    def _check_id(self) -> None:
        if BROKER_ID in self._given and self._text(NODE_ID) != self._text(BROKER_ID):
            self._blame(
                NODE_ID, f"{NODE_ID} is not the same as {BROKER_ID}={self._text(BROKER_ID)}"
            )

    def _is_valid(self, name: str) -> bool:
        """Whether *name*, which was given, is supported and valid."""
        row = SUPPORTED_BROKER_CONFIGS.get(name)
        return row is not None and value_problem(row.spec, self._given[name].value) is None

    def _address_overrides(self) -> dict[str, int]:
        name = "max.connections.per.ip.overrides"
        try:
            return parse_address_limits(self._text(name))
        except InvalidAddressLimits as error:
            for text in error.texts:
                self._blame(name, f"{name}: {text!r} is not address:count")
            return {}

    def _connections(self, overrides: Mapping[str, int]) -> ConnectionSettings:
        return ConnectionSettings(
            backlog=self._number("socket.listen.backlog.size"),
            send_buffer_size=self._number("socket.send.buffer.bytes"),
            receive_buffer_size=self._number("socket.receive.buffer.bytes"),
            request_size_max=self._number("socket.request.max.bytes"),
            queued_size_max=self._number("queued.max.request.bytes"),
            idle_ms_max=self._number("connections.max.idle.ms"),
            count_max=self._number("max.connections"),
            per_address_max=self._number("max.connections.per.ip"),
            address_overrides=overrides,
        )

    def _identity(self) -> dict[str, object]:
        broker_id = self._number(BROKER_ID)
        session_timeout_ms = self._number("zookeeper.session.timeout.ms")
        timeout = self._text("zookeeper.connection.timeout.ms")
        return {
            "given": {name: value.value for name, value in self._given.items()},
            "ignored": tuple(ignored_keys(self._given)),
            "broker_id": BrokerId(broker_id) if broker_id >= 0 else None,
            "generates_id": self._boolean("broker.id.generation.enable"),
            "reserved_id_max": self._number("reserved.broker.max.id"),
            "rack": self._text("broker.rack") or None,
            "zookeeper_connect": self._text(CONNECT),
            "session_timeout_ms": session_timeout_ms,
            "connection_timeout_ms": int(timeout) if timeout else session_timeout_ms,
        }

    def _paths(self) -> dict[str, object]:
        words = members(self._text("log.dirs") or self._text("log.dir"))
        directories = tuple(map(self._absolute, words))
        beside = posixpath.join(posixpath.dirname(directories[0]), LOGS_NAME)
        return {
            "log_directories": directories,
            "logs_directory": self._absolute(self._text(LOGS_DIRECTORY) or beside),
        }

    def _absolute(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self._working_directory, path))

    def _topics(self) -> dict[str, object]:
        return {
            "partition_count": self._number("num.partitions"),
            "replication_factor": self._number("default.replication.factor"),
            "creates_topics": self._boolean("auto.create.topics.enable"),
            "deletes_topics": self._boolean("delete.topic.enable"),
            "rebalances_leaders": self._boolean("auto.leader.rebalance.enable"),
            "imbalance_percentage": self._number("leader.imbalance.per.broker.percentage"),
            "fetch_size_max": self._number("fetch.max.bytes"),
            "fetch_session_count_max": self._number("max.incremental.fetch.session.cache.slots"),
            "selects_by_rack": self._text("replica.selector.class") == RACK_SELECTOR,
        }

    def _fetchers(self) -> FetcherSettings:
        return FetcherSettings(
            partition_size_max=self._number("replica.fetch.max.bytes"),
            response_size_max=self._number("replica.fetch.response.max.bytes"),
            min_bytes=self._number("replica.fetch.min.bytes"),
            wait_max_ms=self._number("replica.fetch.wait.max.ms"),
            backoff_ms=self._number("replica.fetch.backoff.ms"),
            timeout_ms=self._number("replica.socket.timeout.ms"),
        )

    def _groups(self) -> GroupSettings:
        number = self._number
        return GroupSettings(
            config=GroupConfig(
                min_session_timeout_ms=number("group.min.session.timeout.ms"),
                max_session_timeout_ms=number("group.max.session.timeout.ms"),
                initial_rebalance_delay_ms=number("group.initial.rebalance.delay.ms"),
                max_size=number("group.max.size"),
                metadata_max_bytes=number("offset.metadata.max.bytes"),
                retention_ms=60_000 * number("offsets.retention.minutes"),
            ),
            partition_count=number("offsets.topic.num.partitions"),
            replication_factor=number("offsets.topic.replication.factor"),
            segment_size=number("offsets.topic.segment.bytes"),
            commit_timeout_ms=number("offsets.commit.timeout.ms"),
            load_size_max=number("offsets.load.buffer.size"),
            expiration_interval_ms=number("offsets.retention.check.interval.ms"),
        )

    def _reporters(self) -> ReporterSettings:
        has_csv = reporter_configs.CSV_ENABLED in self._given
        return ReporterSettings(
            names=tuple(members(self._text(reporter_configs.REPORTERS))),
            csv_enabled=self._boolean(reporter_configs.CSV_ENABLED) if has_csv else None,
            interval_s=self._number(reporter_configs.INTERVAL),
            csv_directory=self._absolute(self._text(reporter_configs.CSV_DIRECTORY)),
            prometheus=self._address("prometheus"),
            jolokia=self._address("jolokia"),
            graphite=self._address("graphite"),
            graphite_prefix=self._text(reporter_configs.GRAPHITE_PREFIX),
        )

    def _address(self, reporter: str) -> Address:
        return Address(
            host=self._text(reporter_configs.host_key(reporter)),
            port=self._number(reporter_configs.port_key(reporter)),
        )

    def _intervals(self) -> dict[str, object]:
        return {
            "compacts_logs": self._boolean(CLEANER_ENABLE),
            "retention_interval_ms": self._number("log.retention.check.interval.ms"),
            "producer_expiration_interval_ms": self._number(
                "producer.id.expiration.check.interval.ms"
            ),
            "flush_interval_ms": self._number("log.flush.scheduler.interval.ms"),
            "recovery_point_interval_ms": self._number("log.flush.offset.checkpoint.interval.ms"),
            "log_start_interval_ms": self._number("log.flush.start.offset.checkpoint.interval.ms"),
            "high_watermark_interval_ms": self._number(
                "replica.high.watermark.checkpoint.interval.ms"
            ),
            "lag_max_ms": self._number("replica.lag.time.max.ms"),
            "shuts_down_controlled": self._boolean("controlled.shutdown.enable"),
            "shutdown_retries_max": self._number("controlled.shutdown.max.retries"),
            "shutdown_backoff_ms": self._number("controlled.shutdown.retry.backoff.ms"),
            "controller_timeout_ms": self._number("controller.socket.timeout.ms"),
            "rebalance_interval_s": self._number("leader.imbalance.check.interval.seconds"),
        }


def with_node_id(given: Mapping[str, Given]) -> Mapping[str, Given]:
    """*given*, with the broker's id under both of its names.

    Source: Kafka's KafkaConfig.populateSynonyms.
    """
    both = {
        name: given[other]
        for name, other in ((NODE_ID, BROKER_ID), (BROKER_ID, NODE_ID))
        if other in given
    }
    return {**both, **given}


def ignored_keys(given: Mapping[str, Given]) -> Iterable[str]:
    """One sentence for each key of *given* that has no effect."""
    for name, value in given.items():
        if is_supported(name) or name in REFUSED:
            continue
        # A typing error is close to the intended key; other keys of Kafka's are not.
        similar = get_close_matches(name, SUPPORTED_BROKER_CONFIGS, n=1, cutoff=0.9)
        advice = f"; is {similar[0]} meant?" if similar else ""
        yield f"{value.source}: {name} is not honoured{advice}"
