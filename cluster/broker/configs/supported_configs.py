"""The table of the configs that our brokers support: key, spec, meaning, and applier.

One row a key.  What a broker returns for DescribeConfigs, what can change while it runs
(IncrementalAlterConfigs, ZooKeeper), and the page of the settings all follow from the rows.  A key
without a row is not supported: Kafka may know it (`cluster.model.config_table`), but here it has no
effect, as clients are informed.  The specs of topic configs and of dynamic broker configs are
Kafka's, of any release, which that table has; those of read-only ones are of 3.9.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from cluster.broker.configs import reporter_configs
from cluster.broker.configs.listeners import ADVERTISED, BOUND, PROTOCOL_MAP
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ConfigSpec, UpdateMode, ValueKind
from cluster.model.config_table import CONFIGS, TOPIC_CONFIGS
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS
from cluster.model.topic_config_specs import (
    MIN_ISR,
    THROTTLED_FOLLOWERS,
    THROTTLED_LEADERS,
    UNCLEAN_LEADER_ELECTION,
)

BROKER_ID: Final = "broker.id"
NODE_ID: Final = "node.id"
CONNECT: Final = "zookeeper.connect"
LOGS_DIRECTORY: Final = "kafka.logs.dir"
"""A system property of Kafka's start script: the directory of its logs."""
LOGS_VARIABLE: Final = "LOG_DIR"
"""The environment variable that sets it for that script."""
FOLLOWER_RATE: Final = "follower.replication.throttled.rate"
LEADER_RATE: Final = "leader.replication.throttled.rate"
LOG_DIR_RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
MAX_CONNECTIONS: Final = "max.connections"
MAX_CONNECTIONS_PER_IP: Final = "max.connections.per.ip"
MAX_CONNECTIONS_OVERRIDES: Final = "max.connections.per.ip.overrides"
PRODUCER_EXPIRATION: Final = "producer.id.expiration.ms"
PRODUCER_EXPIRATION_CHECK: Final = "producer.id.expiration.check.interval.ms"
CLEANER_ENABLE: Final = "log.cleaner.enable"
CLEANER_THREADS: Final = "log.cleaner.threads"
CLEANER_MAP_SIZE: Final = "log.cleaner.dedupe.buffer.size"
CLEANER_LOAD_FACTOR: Final = "log.cleaner.io.buffer.load.factor"
CLEANER_BUFFER_SIZE: Final = "log.cleaner.io.buffer.size"
CLEANER_RATE: Final = "log.cleaner.io.max.bytes.per.second"
CLEANER_BACKOFF: Final = "log.cleaner.backoff.ms"
FETCHERS_PER_LEADER: Final = "num.replica.fetchers"

LEADER_SELECTOR: Final = "org.apache.kafka.common.replica.LeaderSelector"
RACK_SELECTOR: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
"""The two selectors of Kafka; others are custom classes."""


class Applier(Enum):
    """The part that applies a config, which determines whether the config can change at runtime.

    `cluster.broker.configs.config_propagation` has the function of each of them but STARTUP.
    """

    STARTUP = "startup"
    """`cluster.settings.broker_settings`, once, when the broker starts: the config is read-only."""
    CONNECTION_QUOTAS = "connection quotas"
    """The part that accepts connections."""
    PRODUCER_STATE = "producer state"
    """All logs, which keep producer state."""
    REPLICA_FETCHERS = "replica fetchers"
    """The replica fetchers."""
    PARTITIONS = "partitions"
    """The logs and replicas of the partitions of each topic."""
    LOG_CLEANER = "log cleaner"
    """Who compacts logs."""
    REPLICATION_THROTTLES = "replication throttles"
    """The throttles of followers and leaders."""
    LISTENERS = "listeners"
    """The part that listens, and registers the broker."""
    UNCLEAN_ELECTION = "unclean election"
    """The controller of this process, which may be the active one."""


@dataclass(frozen=True, slots=True)
class SupportedConfig:
    """One row; *doc* is the documentation for clients that request it."""

    spec: ConfigSpec
    applied_by: Applier
    doc: str

    @property
    def update_mode(self) -> UpdateMode:
        is_static = self.applied_by is Applier.STARTUP
        return UpdateMode.READ_ONLY if is_static else self.spec.update_mode


def topic(name: str, applied_by: Applier, doc: str) -> SupportedConfig:
    return SupportedConfig(TOPIC_CONFIGS[name], applied_by, doc)


def read_only(name: str, doc: str, **ours: Any) -> SupportedConfig:
    """*ours* are fields of the spec that differ from Kafka's, such as a bound that it leaves
    out.
    """
    return SupportedConfig(replace(KAFKA_BROKER_CONFIGS[name].spec, **ours), Applier.STARTUP, doc)


def dynamic(name: str, applied_by: Applier, doc: str) -> SupportedConfig:
    return SupportedConfig(CONFIGS[EntityKind.BROKERS][name], applied_by, doc)


TOPIC_ROWS: Final = (
    topic(
        "cleanup.policy",
        Applier.PARTITIONS,
        "What becomes of old records: delete removes them by age and size, compact keeps the last"
        " record of each key; both may go together.",
    ),
    topic(
        "delete.retention.ms",
        Applier.PARTITIONS,
        "For how long a compacted topic keeps the tombstones of keys that were deleted.",
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
    topic(
        "max.compaction.lag.ms",
        Applier.PARTITIONS,
        "After which time a record is compacted, however little of the log is dirty; its segment"
        " is finished in time for that.",
    ),
    topic("max.message.bytes", Applier.PARTITIONS, "The largest batch of records that is taken."),
    topic(
        "message.downconversion.enable",
        Applier.PARTITIONS,
        "Whether consumers before 0.11 get records in the message formats that they know; otherwise"
        " they get UNSUPPORTED_VERSION.",
    ),
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
        "min.cleanable.dirty.ratio",
        Applier.PARTITIONS,
        "Which part of a log has to be dirty for it to be compacted.",
    ),
    topic(
        "min.compaction.lag.ms",
        Applier.PARTITIONS,
        "For how long a record is not compacted.",
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
    dynamic(BOUND, Applier.LISTENERS, "The addresses at which the broker listens."),
    dynamic(
        ADVERTISED, Applier.LISTENERS, "The addresses that clients get; unset, those of listeners."
    ),
    dynamic(
        PROTOCOL_MAP, Applier.LISTENERS, "The security protocol of each listener: only PLAINTEXT."
    ),
    read_only(
        "inter.broker.listener.name",
        "The listener by which brokers reach this one; unset, the first.",
    ),
    read_only("socket.listen.backlog.size", "How many connections may wait to be taken."),
    read_only(
        "socket.send.buffer.bytes",
        "What the kernel keeps of what goes; -1: as it likes.",
        default="-1",
        at_least=-1,
    ),
    read_only(
        "socket.receive.buffer.bytes",
        "What the kernel keeps of what comes; -1: as it likes.",
        default="-1",
        at_least=-1,
    ),
    read_only("socket.request.max.bytes", "The largest request."),
    read_only(
        "connections.max.idle.ms",
        "How long a connection may be idle; -1: for ever.",
        at_least=1,
        also=-1,
    ),
    read_only(
        "queued.max.request.bytes",
        "How much requests may hold that are not answered; -1: no limit.",
        default="268435456",
    ),
    dynamic(
        MAX_CONNECTIONS,
        Applier.CONNECTION_QUOTAS,
        "How many connections there may be; whoever comes later waits. Also for one listener, by"
        " listener.name.<listener in lower case>.max.connections.",
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
        BROKER_ID,
        "The id of the broker; -1: what the log directories say, or a new one.",
        at_least=-1,
    ),
    read_only(NODE_ID, "Another name of broker.id.", at_least=-1),
    read_only("broker.id.generation.enable", "Whether a broker without an id gets a new one."),
    read_only("reserved.broker.max.id", "The highest id that no broker gets by itself."),
    read_only(
        "broker.rack", "The rack in which the broker stands: replicas are spread over racks."
    ),
    read_only(CONNECT, "The ZooKeeper of the cluster, as host:port,…/chroot."),
    read_only(
        "zookeeper.session.timeout.ms",
        "After how long a silence ZooKeeper takes a broker for dead.",
        at_least=1,
    ),
    read_only(
        "zookeeper.connection.timeout.ms",
        "How long is waited for ZooKeeper at the start; unset, zookeeper.session.timeout.ms.",
        at_least=1,
    ),
    read_only(
        "controlled.shutdown.enable", "Whether leaderships are moved away before the broker ends."
    ),
    read_only("controlled.shutdown.max.retries", "How often that is asked for again.", at_least=0),
    read_only(
        "controlled.shutdown.retry.backoff.ms",
        "How long is waited before it is asked for again.",
        at_least=0,
    ),
    read_only(
        "controller.socket.timeout.ms",
        "How long an order of the controller waits for its answer.",
        at_least=1,
    ),
    read_only(
        "auto.leader.rebalance.enable",
        "Whether the controller brings leaderships back to preferred leaders by itself.",
    ),
    read_only(
        "leader.imbalance.check.interval.seconds",
        "How often the controller looks whether preferred leaders lead.",
    ),
    read_only(
        "leader.imbalance.per.broker.percentage",
        "How many percent of the partitions that prefer a broker others may lead.",
        at_least=0,
    ),
    # Topics, and clients that read and write them.
    read_only(
        "auto.create.topics.enable", "Whether topics are made when a client first asks for them."
    ),
    read_only(
        "default.replication.factor",
        "The replication factor of topics that come without one.",
        at_least=1,
    ),
    read_only("delete.topic.enable", "Whether topics may be deleted."),
    read_only("num.partitions", "The partition count of topics that come without one."),
    read_only(
        "fetch.max.bytes", "The most that the answer to a fetch holds, beyond its first batch."
    ),
    read_only("max.incremental.fetch.session.cache.slots", "How many fetch sessions are kept."),
    read_only(
        "replica.selector.class",
        "Where a consumer with a client.rack reads: RackAwareReplicaSelector sends it to a follower"
        " in its rack; unset, its leader serves it.",
        choices=(LEADER_SELECTOR, RACK_SELECTOR),
    ),
    dynamic(
        PRODUCER_EXPIRATION,
        Applier.PRODUCER_STATE,
        "How long a producer that is silent is remembered.",
    ),
    read_only(
        PRODUCER_EXPIRATION_CHECK,
        "How often producers are forgotten that are silent for producer.id.expiration.ms.",
    ),
    # Groups of consumers, and the topic that keeps their offsets.
    read_only("group.min.session.timeout.ms", "The shortest session timeout of a member."),
    read_only("group.max.session.timeout.ms", "The longest session timeout of a member."),
    read_only(
        "group.initial.rebalance.delay.ms",
        "How long a new group waits for more members before its first rebalance ends.",
        at_least=0,
    ),
    read_only("group.max.size", "How many members a group may have."),
    read_only(
        "offset.metadata.max.bytes",
        "How many characters of metadata may be committed with an offset.",
        at_least=0,
    ),
    read_only(
        "offsets.retention.minutes",
        "How long the offsets of a group without members are kept, and those of a topic to which no"
        " member subscribes.",
    ),
    read_only(
        "offsets.retention.check.interval.ms", "How often is looked for offsets that may go."
    ),
    read_only(
        "offsets.commit.timeout.ms",
        "How long a commit waits until all in-sync replicas have it.",
    ),
    read_only("offsets.load.buffer.size", "How much is read at once of offsets that are loaded."),
    read_only(
        "offsets.topic.num.partitions",
        "The partition count of __consumer_offsets, when the first group makes that topic.",
    ),
    read_only(
        "offsets.topic.replication.factor",
        "The replication factor of that topic: without so many brokers no group is served.",
    ),
    read_only("offsets.topic.segment.bytes", "The size of the segments of that topic."),
    # Log directories, and the intervals of work on logs.
    read_only("log.dir", "The directory of the data, where log.dirs says nothing."),
    read_only("log.dirs", "The directories of the data."),
    SupportedConfig(
        ConfigSpec(LOGS_DIRECTORY, ValueKind.STRING),
        Applier.STARTUP,
        "The directory of server.log and the like; unset, logs beside the data.",
    ),
    # Reporters of metrics.
    read_only(
        reporter_configs.REPORTERS,
        "Where metrics go, any of them together: prometheus and jolokia answer over HTTP, csv,"
        " console and log write every kafka.metrics.polling.interval.secs, and graphite sends.",
        choices=(*reporter_configs.Reporter, *reporter_configs.CLASS_NAMES),
    ),
    read_only(reporter_configs.INTERVAL, "How often metrics are written and sent."),
    *(SupportedConfig(spec, Applier.STARTUP, doc) for spec, doc in reporter_configs.ROWS),
    read_only(
        "log.retention.hours",
        "As log.retention.ms, in hours, where that and the minutes are unset.",
        at_least=1,
        also=-1,
    ),
    read_only(
        "log.retention.minutes",
        "As log.retention.ms, in minutes, where that is unset.",
        at_least=1,
        also=-1,
    ),
    read_only("log.retention.check.interval.ms", "How often is looked for segments that may go."),
    read_only(CLEANER_ENABLE, "Whether logs are compacted whose cleanup.policy says so."),
    dynamic(CLEANER_THREADS, Applier.LOG_CLEANER, "How many logs are compacted at a time."),
    dynamic(
        CLEANER_MAP_SIZE,
        Applier.LOG_CLEANER,
        "The memory in which the keys of logs are noted that are compacted, 24 bytes for each key.",
    ),
    dynamic(
        CLEANER_LOAD_FACTOR,
        Applier.LOG_CLEANER,
        "Up to which part of that memory keys are noted: nearer to 1 more keys and more time each.",
    ),
    dynamic(
        CLEANER_BUFFER_SIZE,
        Applier.LOG_CLEANER,
        "The memory for what is read and written by compaction; a larger batch gets more.",
    ),
    dynamic(
        CLEANER_RATE,
        Applier.LOG_CLEANER,
        "How many bytes a second compaction reads and writes in all.",
    ),
    dynamic(
        CLEANER_BACKOFF,
        Applier.LOG_CLEANER,
        "How long is waited before it is looked for dirty logs again when there was none.",
    ),
    read_only("log.roll.hours", "As log.roll.ms, in hours, where that is unset."),
    read_only(
        "log.flush.scheduler.interval.ms",
        "How often logs are looked at that may have to be made durable, and the default of"
        " log.flush.interval.ms.",
        at_least=1,
    ),
    read_only(
        "log.flush.offset.checkpoint.interval.ms",
        "How often is noted up to where logs are durable.",
        at_least=1,
    ),
    read_only(
        "log.flush.start.offset.checkpoint.interval.ms",
        "How often is noted where logs begin.",
        at_least=1,
    ),
    read_only(
        "replica.high.watermark.checkpoint.interval.ms",
        "How often is noted up to where records are committed.",
        at_least=1,
    ),
    # Followers.
    dynamic(
        FETCHERS_PER_LEADER,
        Applier.REPLICA_FETCHERS,
        "How many connections fetch from one leader.",
    ),
    read_only(
        "replica.fetch.max.bytes",
        "The most that is fetched of a partition at once, beyond its first batch.",
    ),
    read_only(
        "replica.fetch.response.max.bytes",
        "The most that is fetched at once, beyond the first batch.",
    ),
    read_only("replica.fetch.min.bytes", "How many bytes a leader waits for before it answers."),
    read_only("replica.fetch.wait.max.ms", "How long a leader waits for them.", at_least=0),
    read_only(
        "replica.fetch.backoff.ms",
        "How long a partition is left alone after an error, and a leader that is not reached.",
    ),
    read_only(
        "replica.socket.timeout.ms",
        "How long is waited for a leader's answer; at least replica.fetch.wait.max.ms.",
        at_least=1,
    ),
    read_only(
        "replica.socket.receive.buffer.bytes",
        "What the kernel keeps of what comes from other brokers; -1: as it likes.",
        default="-1",
        at_least=-1,
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
        "replica.lag.time.max.ms",
        "For how long a follower may lack records before it leaves the in-sync replicas.",
        at_least=1,
    ),
)


def topic_default(row: SupportedConfig, synonym: str) -> SupportedConfig:
    """The broker's config for the default of a topic config, with the same applier."""
    doc = f"{row.doc} Topics may say otherwise, by {row.spec.name}."
    return dynamic(synonym, row.applied_by, doc)


def by_name(rows: Iterable[SupportedConfig]) -> Mapping[str, SupportedConfig]:
    table = {row.spec.name: row for row in rows}
    assert len(table) == len(tuple(rows)), "no key has two rows"
    return table


TOPIC_DEFAULTS: Final = {
    row.spec.synonym: row.spec.name for row in TOPIC_ROWS if row.spec.synonym is not None
}
"""The broker's dynamic configs for defaults of topic configs, each with the topic's."""

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
    """The broker's keys for the default of a topic's config; the first that is set counts."""
    first = () if spec.synonym is None else (spec.synonym,)
    return (*first, *(fallback.name for fallback in spec.fallbacks))


BROKER_SYNONYMS: Final = {
    name: names
    for spec in TOPIC_CONFIGS.values()
    if len(names := synonyms_of(spec)) > 1
    for name in names
}
"""Synonymous configs of brokers, in other units for example; the first one that is set counts for
all of them."""

LISTED_WHERE_SET: Final = frozenset(
    {LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE, LOGS_DIRECTORY}
    | {spec.name for spec, _ in reporter_configs.ROWS}
    | {name for name, config in KAFKA_BROKER_CONFIGS.items() if config.is_internal}
)
"""Brokers' configs that clients see only where they are set: Kafka's config has no rates in it, nor
the directory of its logs, and hides some that only its tests use.  Source: Kafka's
ConfigHelper.allConfigs."""

NOT_USED: Final = "Not used by this broker: no value of it has an effect. In Kafka: "
"""Prefix of Kafka's own text, in the documentation of a config without a row."""

WITHOUT_DEFAULT: Final = frozenset(
    name for spec in TOPIC_CONFIGS.values() for name in synonyms_of(spec)[:-1]
) | {LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE}
"""Brokers' configs that have no value unless they are set: of several synonyms Kafka then uses the
last one, in hours for most, and without a rate it throttles nothing.  Source: what Kafka 3.9.1
returns."""
