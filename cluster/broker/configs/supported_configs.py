"""The table of the configs that our brokers support: key, spec, meaning, and who applies it.

One row a key; what a broker tells of its configs (DescribeConfigs), what of them may be changed
while it runs (IncrementalAlterConfigs, ZooKeeper), and the page of the settings all follow from the
rows.  A key without a row is not supported: Kafka may know it (`cluster.model.config_table`), but
here it has no effect.  The specs of topic configs and of dynamic broker configs are Kafka's, of any
release, which that table has; read-only ones bring their own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ConfigSpec, UpdateMode, ValueKind
from cluster.model.config_table import CONFIGS, TOPIC_CONFIGS
from cluster.model.topic_config_specs import (
    LONG_MAX,
    MIN_ISR,
    THROTTLED_FOLLOWERS,
    THROTTLED_LEADERS,
    UNCLEAN_LEADER_ELECTION,
)

BOOLEAN: Final = ValueKind.BOOLEAN
INT: Final = ValueKind.INT
LONG: Final = ValueKind.LONG
STRING: Final = ValueKind.STRING

CONNECT: Final = "zookeeper.connect"
LOGS_DIRECTORY: Final = "kafka.logs.dir"
"""Of Kafka's start script, which takes it for a system property: where the logs go."""
LOGS_VARIABLE: Final = "LOG_DIR"
"""The variable by which that script is told."""
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
LEADER_RATE: Final = "leader.replication.throttled.rate"
LOG_DIR_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
MAX_CONNECTIONS: Final = "max.connections"
MAX_CONNECTIONS_PER_IP: Final = "max.connections.per.ip"
MAX_CONNECTIONS_OVERRIDES: Final = "max.connections.per.ip.overrides"
PRODUCER_EXPIRATION: Final = "producer.id.expiration.ms"
PRODUCER_EXPIRATION_CHECK: Final = "producer.id.expiration.check.interval.ms"
FETCHERS_PER_LEADER: Final = "num.replica.fetchers"

LEADER_SELECTOR: Final = "org.apache.kafka.common.replica.LeaderSelector"
RACK_SELECTOR: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
"""The two selectors that Kafka brings; others are classes of somebody's own."""


class Applier(Enum):
    """Who applies a config; by him it is decided whether the config can change while a broker runs.

    `cluster.broker.configs.config_propagation` has what is called for each of them but STARTUP.
    """

    STARTUP = "startup"
    """`cluster.settings.broker_settings`, once, when the broker starts: the config is read-only."""
    CONNECTION_QUOTAS = "connection quotas"
    """Who accepts connections."""
    PRODUCER_STATE = "producer state"
    """All logs, which remember producers."""
    REPLICA_FETCHERS = "replica fetchers"
    """Who fetches what this broker follows."""
    PARTITIONS = "partitions"
    """The logs and replicas of the partitions of each topic."""
    REPLICATION_THROTTLES = "replication throttles"
    """Who sends records to followers, and fetches them from leaders."""
    UNCLEAN_ELECTION = "unclean election"
    """The controller of this process, which may be the active one."""


@dataclass(frozen=True, slots=True)
class SupportedConfig:
    """One row; *doc* is what clients that ask for documentation are told."""

    spec: ConfigSpec
    applied_by: Applier
    doc: str

    @property
    def update_mode(self) -> UpdateMode:
        is_static = self.applied_by is Applier.STARTUP
        return UpdateMode.READ_ONLY if is_static else self.spec.update_mode


def topic(name: str, applied_by: Applier, doc: str) -> SupportedConfig:
    return SupportedConfig(TOPIC_CONFIGS[name], applied_by, doc)


def read_only(spec: ConfigSpec, doc: str) -> SupportedConfig:
    return SupportedConfig(spec, Applier.STARTUP, doc)


def dynamic(name: str, applied_by: Applier, doc: str) -> SupportedConfig:
    return SupportedConfig(CONFIGS[EntityKind.BROKERS][name], applied_by, doc)


def fixed(name: str, doc: str, default: str | None = None) -> SupportedConfig:
    """A config that can be changed while a Kafka runs, and here cannot."""
    spec = CONFIGS[EntityKind.BROKERS][name]
    return read_only(replace(spec, default=default), doc)


TOPIC_ROWS: Final = (
    topic(
        "cleanup.policy",
        Applier.PARTITIONS,
        "What becomes of old records: delete is the only policy that is supported.",
    ),
    topic(
        "file.delete.delay.ms",
        Applier.PARTITIONS,
        "How long the file of a deleted segment stays on the disk.",
    ),
    topic(
        THROTTLED_FOLLOWERS,
        Applier.PARTITIONS,
        "Which replicas fetch at no more than their broker's rate: partition:broker,… or *.",
    ),
    topic("flush.messages", Applier.PARTITIONS, "After how many records a log is made durable."),
    topic(
        "flush.ms", Applier.PARTITIONS, "How long a record may wait until its log is made durable."
    ),
    topic(
        "index.interval.bytes",
        Applier.PARTITIONS,
        "After how many bytes of records an index gets its next entry.",
    ),
    topic(
        THROTTLED_LEADERS,
        Applier.PARTITIONS,
        "Which leaders send at no more than their broker's rate: partition:broker,… or *.",
    ),
    topic("max.message.bytes", Applier.PARTITIONS, "The largest batch of records that is taken."),
    topic(
        "message.timestamp.after.max.ms",
        Applier.PARTITIONS,
        "How far ahead of the broker's clock a record may be.",
    ),
    topic(
        "message.timestamp.before.max.ms",
        Applier.PARTITIONS,
        "How far behind the broker's clock a record may be.",
    ),
    topic(
        "message.timestamp.difference.max.ms",
        Applier.PARTITIONS,
        "How far from the broker's clock a record may be, on each side of which"
        " message.timestamp.before.max.ms or message.timestamp.after.max.ms says nothing.",
    ),
    topic(
        "message.timestamp.type",
        Applier.PARTITIONS,
        "Whose time a record has: that of its producer (CreateTime) or that of the broker"
        " (LogAppendTime).",
    ),
    topic(
        MIN_ISR,
        Applier.PARTITIONS,
        "How many replicas have to be in sync for records that are sent with acks=all.",
    ),
    topic(
        "preallocate",
        Applier.PARTITIONS,
        "Whether the file of a new segment has its full size from the beginning.",
    ),
    topic(
        "retention.bytes",
        Applier.PARTITIONS,
        "The size above which the oldest segments of a partition go; -1: never.",
    ),
    topic("retention.ms", Applier.PARTITIONS, "The age at which segments go; -1: never."),
    topic("segment.bytes", Applier.PARTITIONS, "The size at which a log goes on in a new segment."),
    topic("segment.index.bytes", Applier.PARTITIONS, "The largest size of an index of a segment."),
    topic("segment.ms", Applier.PARTITIONS, "The age at which a log goes on in a new segment."),
    topic(
        UNCLEAN_LEADER_ELECTION,
        Applier.UNCLEAN_ELECTION,
        "Whether a replica that may lack records leads where no other is left:"
        " these are lost then.",
    ),
)

BROKER_ROWS: Final = (
    # Listeners and connections.  Unlike in Kafka, the sizes of the socket buffers are left to the
    # kernel, which adapts them.
    fixed("listeners", "The addresses at which the broker listens.", "PLAINTEXT://:9092"),
    fixed(
        "advertised.listeners", "The addresses that clients are told; unset, those of listeners."
    ),
    fixed(
        "listener.security.protocol.map", "The security protocol of each listener: only PLAINTEXT."
    ),
    read_only(
        ConfigSpec("inter.broker.listener.name", STRING),
        "The listener by which brokers reach this one; unset, the first.",
    ),
    read_only(
        ConfigSpec("socket.listen.backlog.size", INT, "50", at_least=1),
        "How many connections may wait to be taken.",
    ),
    read_only(
        ConfigSpec("socket.send.buffer.bytes", INT, "-1", at_least=-1),
        "What the kernel keeps of what goes; -1: as it likes.",
    ),
    read_only(
        ConfigSpec("socket.receive.buffer.bytes", INT, "-1", at_least=-1),
        "What the kernel keeps of what comes; -1: as it likes.",
    ),
    read_only(
        ConfigSpec("socket.request.max.bytes", INT, "104857600", at_least=1),
        "The largest request.",
    ),
    read_only(
        ConfigSpec("connections.max.idle.ms", LONG, "600000", at_least=1, also=-1),
        "How long a connection may be idle; -1: for ever.",
    ),
    read_only(
        ConfigSpec("queued.max.request.bytes", LONG, "268435456"),
        "How much requests may hold that are not answered; -1: no limit.",
    ),
    dynamic(
        MAX_CONNECTIONS,
        Applier.CONNECTION_QUOTAS,
        "How many connections there may be; whoever comes later waits.",
    ),
    dynamic(
        MAX_CONNECTIONS_PER_IP,
        Applier.CONNECTION_QUOTAS,
        "How many of them one address may have; more are refused.",
    ),
    dynamic(
        MAX_CONNECTIONS_OVERRIDES,
        Applier.CONNECTION_QUOTAS,
        "Other limits for some addresses, as address:count,….",
    ),
    # The broker in its cluster.
    read_only(
        ConfigSpec("broker.id", INT, "-1", at_least=-1),
        "The id of the broker; -1: what the log directories say, or a new one.",
    ),
    read_only(
        ConfigSpec("broker.id.generation.enable", BOOLEAN, "true"),
        "Whether a broker without an id gets a new one.",
    ),
    read_only(
        ConfigSpec("reserved.broker.max.id", INT, "1000", at_least=0),
        "The highest id that no broker gets by itself.",
    ),
    read_only(
        ConfigSpec("broker.rack", STRING),
        "The rack in which the broker stands: replicas are spread over racks.",
    ),
    read_only(ConfigSpec(CONNECT, STRING), "The ZooKeeper of the cluster, as host:port,…/chroot."),
    read_only(
        ConfigSpec("zookeeper.session.timeout.ms", INT, "18000", at_least=1),
        "After how long a silence ZooKeeper takes a broker for dead.",
    ),
    read_only(
        ConfigSpec("zookeeper.connection.timeout.ms", INT, at_least=1),
        "How long is waited for ZooKeeper at the start; unset, zookeeper.session.timeout.ms.",
    ),
    read_only(
        ConfigSpec("controlled.shutdown.enable", BOOLEAN, "true"),
        "Whether leaderships are moved away before the broker ends.",
    ),
    read_only(
        ConfigSpec("controlled.shutdown.max.retries", INT, "3", at_least=0),
        "How often that is asked for again.",
    ),
    read_only(
        ConfigSpec("controlled.shutdown.retry.backoff.ms", LONG, "5000", at_least=0),
        "How long is waited before it is asked for again.",
    ),
    read_only(
        ConfigSpec("controller.socket.timeout.ms", INT, "30000", at_least=1),
        "How long an order of the controller waits for its answer.",
    ),
    read_only(
        ConfigSpec("auto.leader.rebalance.enable", BOOLEAN, "true"),
        "Whether the controller brings leaderships back to preferred leaders by itself.",
    ),
    read_only(
        ConfigSpec("leader.imbalance.check.interval.seconds", LONG, "300", at_least=1),
        "How often the controller looks whether preferred leaders lead.",
    ),
    read_only(
        ConfigSpec("leader.imbalance.per.broker.percentage", INT, "10", at_least=0),
        "How many percent of the partitions that prefer a broker others may lead.",
    ),
    # Topics, and clients that read and write them.
    read_only(
        ConfigSpec("auto.create.topics.enable", BOOLEAN, "true"),
        "Whether topics are made when a client first asks for them.",
    ),
    read_only(
        ConfigSpec("default.replication.factor", INT, "1", at_least=1),
        "The replication factor of topics that come without one.",
    ),
    read_only(ConfigSpec("delete.topic.enable", BOOLEAN, "true"), "Whether topics may be deleted."),
    read_only(
        ConfigSpec("num.partitions", INT, "1", at_least=1),
        "The partition count of topics that come without one.",
    ),
    read_only(
        ConfigSpec("fetch.max.bytes", INT, "57671680", at_least=1024),
        "The most that the answer to a fetch holds, beyond its first batch.",
    ),
    read_only(
        ConfigSpec("max.incremental.fetch.session.cache.slots", INT, "1000", at_least=0),
        "How many fetch sessions are kept.",
    ),
    read_only(
        ConfigSpec("replica.selector.class", STRING, choices=(LEADER_SELECTOR, RACK_SELECTOR)),
        "Where a consumer with a client.rack reads: RackAwareReplicaSelector sends it to a follower"
        " in its rack; unset, its leader serves it.",
    ),
    dynamic(
        PRODUCER_EXPIRATION,
        Applier.PRODUCER_STATE,
        "How long a producer that is silent is remembered.",
    ),
    read_only(
        ConfigSpec(PRODUCER_EXPIRATION_CHECK, INT, "600000", at_least=1),
        "How often producers are forgotten that are silent for producer.id.expiration.ms.",
    ),
    # Log directories, and what of logs is looked at how often.
    read_only(
        ConfigSpec("log.dir", STRING, "/tmp/kafka-logs"),
        "The directory of the data, where log.dirs says nothing.",
    ),
    read_only(ConfigSpec("log.dirs", STRING), "The directories of the data."),
    read_only(
        ConfigSpec(LOGS_DIRECTORY, STRING),
        "The directory of server.log and the like; unset, logs beside the data.",
    ),
    read_only(
        ConfigSpec("log.retention.hours", INT, "168", at_least=1, also=-1),
        "As log.retention.ms, in hours, where that and the minutes are unset.",
    ),
    read_only(
        ConfigSpec("log.retention.minutes", INT, at_least=1, also=-1),
        "As log.retention.ms, in minutes, where that is unset.",
    ),
    read_only(
        ConfigSpec("log.retention.check.interval.ms", LONG, "300000", at_least=1),
        "How often is looked for segments that may go.",
    ),
    read_only(
        ConfigSpec("log.roll.hours", INT, "168", at_least=1),
        "As log.roll.ms, in hours, where that is unset.",
    ),
    read_only(
        ConfigSpec("log.flush.scheduler.interval.ms", LONG, LONG_MAX, at_least=1),
        "How often logs are looked at that may have to be made durable, and the default of"
        " log.flush.interval.ms.",
    ),
    read_only(
        ConfigSpec("log.flush.offset.checkpoint.interval.ms", INT, "60000", at_least=1),
        "How often is noted up to where logs are durable.",
    ),
    read_only(
        ConfigSpec("log.flush.start.offset.checkpoint.interval.ms", INT, "60000", at_least=1),
        "How often is noted where logs begin.",
    ),
    read_only(
        ConfigSpec("replica.high.watermark.checkpoint.interval.ms", LONG, "5000", at_least=1),
        "How often is noted up to where records are committed.",
    ),
    # Followers.
    dynamic(
        FETCHERS_PER_LEADER,
        Applier.REPLICA_FETCHERS,
        "How many connections fetch from one leader.",
    ),
    read_only(
        ConfigSpec("replica.fetch.max.bytes", INT, "1048576", at_least=0),
        "The most that is fetched of a partition at once, beyond its first batch.",
    ),
    read_only(
        ConfigSpec("replica.fetch.response.max.bytes", INT, "10485760", at_least=0),
        "The most that is fetched at once, beyond the first batch.",
    ),
    read_only(
        ConfigSpec("replica.fetch.min.bytes", INT, "1"),
        "How many bytes a leader waits for before it answers.",
    ),
    read_only(
        ConfigSpec("replica.fetch.wait.max.ms", INT, "500", at_least=0),
        "How long a leader waits for them.",
    ),
    read_only(
        ConfigSpec("replica.fetch.backoff.ms", INT, "1000", at_least=0),
        "How long a partition is left alone after an error, and a leader that is not reached.",
    ),
    read_only(
        ConfigSpec("replica.socket.timeout.ms", INT, "30000", at_least=1),
        "How long is waited for a leader's answer; at least replica.fetch.wait.max.ms.",
    ),
    read_only(
        ConfigSpec("replica.socket.receive.buffer.bytes", INT, "-1", at_least=-1),
        "What the kernel keeps of what comes from other brokers; -1: as it likes.",
    ),
    dynamic(
        LEADER_RATE,
        Applier.REPLICATION_THROTTLES,
        "How many bytes a second are sent to throttled followers, as topics name them.",
    ),
    dynamic(
        FOLLOWER_RATE,
        Applier.REPLICATION_THROTTLES,
        "How many bytes a second throttled followers fetch, as topics name them.",
    ),
    dynamic(
        LOG_DIR_RATE,
        Applier.REPLICATION_THROTTLES,
        "How many bytes a second are copied of replicas that move to another log directory.",
    ),
    read_only(
        ConfigSpec("replica.lag.time.max.ms", LONG, "30000", at_least=1),
        "For how long a follower may lack records before it leaves the in-sync replicas.",
    ),
)


def topic_default(row: SupportedConfig, synonym: str) -> SupportedConfig:
    """The broker's config that gives the default of a topic's, and is applied by the same."""
    doc = f"{row.doc} Topics may say otherwise, by {row.spec.name}."
    return dynamic(synonym, row.applied_by, doc)


def by_name(rows: Iterable[SupportedConfig]) -> Mapping[str, SupportedConfig]:
    table = {row.spec.name: row for row in rows}
    assert len(table) == len(tuple(rows)), "no key has two rows"
    return table


TOPIC_DEFAULTS: Final = {
    row.spec.synonym: row.spec.name for row in TOPIC_ROWS if row.spec.synonym is not None
}
"""The broker's dynamic configs for the defaults of topic configs, each with the topic's."""

SUPPORTED_TOPIC_CONFIGS: Final = by_name(TOPIC_ROWS)
SUPPORTED_BROKER_CONFIGS: Final = by_name(
    (
        *BROKER_ROWS,
        *(
            topic_default(SUPPORTED_TOPIC_CONFIGS[name], synonym)
            for synonym, name in TOPIC_DEFAULTS.items()
        ),
    )
)


def synonyms_of(spec: ConfigSpec) -> tuple[str, ...]:
    """The broker's keys for the default of a topic's config; the first one that is set counts."""
    first = () if spec.synonym is None else (spec.synonym,)
    return (*first, *(fallback.name for fallback in spec.fallbacks))


BROKER_SYNONYMS: Final = {
    name: names
    for spec in TOPIC_CONFIGS.values()
    if len(names := tuple(filter(SUPPORTED_BROKER_CONFIGS.__contains__, synonyms_of(spec)))) > 1
    for name in names
}
"""Supported configs that stand for the same, in other units for example; the first one that is set
counts for all of them."""

LISTED_WHERE_SET: Final = frozenset(
    {LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE, PRODUCER_EXPIRATION_CHECK}
)
"""Brokers' configs that clients are told of only where somebody has set them: Kafka's config has no
rates in it, and keeps the other one, for its own tests, from its clients.  Source: Kafka's
ConfigHelper.allConfigs."""

WITHOUT_DEFAULT: Final = frozenset(
    name for spec in TOPIC_CONFIGS.values() for name in synonyms_of(spec)[:-1]
) | {LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE}
"""Brokers' configs that have no value unless somebody sets them: of one with synonyms Kafka takes
that of the last then, in hours for most, and without a rate it throttles nothing.  Source: what
Kafka 3.9.1 answers."""
