"""The specs of Kafka's topic configs.

The union of Kafka 0.8.2 to 3.9, as its own classes list them.  Where bounds were widened or
narrowed between releases, the ones of 3.9 are used: what an older release accepted beyond them (a
segment of 0 ms, say) never made sense.
"""

from typing import Final

from cluster.model.config_spec import ConfigSpec, Fallback, Syntax, ValueKind

BOOLEAN: Final = ValueKind.BOOLEAN
INT: Final = ValueKind.INT
LONG: Final = ValueKind.LONG
DOUBLE: Final = ValueKind.DOUBLE
STRING: Final = ValueKind.STRING
LIST: Final = ValueKind.LIST

LONG_MAX: Final = "9223372036854775807"
CLEANUP_POLICIES: Final = ("compact", "delete")
COMPRESSION_TYPES: Final = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
TIMESTAMP_TYPES: Final = ("CreateTime", "LogAppendTime")
MS_PER_MINUTE: Final = 60_000
MS_PER_HOUR: Final = 60 * MS_PER_MINUTE

FLUSH_MESSAGES: Final = "flush.messages"
MIN_ISR: Final = "min.insync.replicas"
THROTTLED_FOLLOWERS: Final = "follower.replication.throttled.replicas"
THROTTLED_LEADERS: Final = "leader.replication.throttled.replicas"
UNCLEAN_LEADER_ELECTION: Final = "unclean.leader.election.enable"

TOPIC_CONFIG_SPECS: Final = (
    ConfigSpec(
        "cleanup.policy", LIST, "delete", choices=CLEANUP_POLICIES, synonym="log.cleanup.policy"
    ),
    ConfigSpec(
        "compression.gzip.level",
        INT,
        "-1",
        since="3.8",
        at_least=1,
        at_most=9,
        also=-1,
        synonym="compression.gzip.level",
    ),
    ConfigSpec(
        "compression.lz4.level",
        INT,
        "9",
        since="3.8",
        at_least=1,
        at_most=17,
        synonym="compression.lz4.level",
    ),
    ConfigSpec(
        "compression.type",
        STRING,
        "producer",
        since="0.9.0",
        choices=COMPRESSION_TYPES,
        synonym="compression.type",
    ),
    ConfigSpec(
        "compression.zstd.level",
        INT,
        "3",
        since="3.8",
        at_least=-131072,
        at_most=22,
        synonym="compression.zstd.level",
    ),
    ConfigSpec(
        "delete.retention.ms",
        LONG,
        "86400000",
        at_least=0,
        synonym="log.cleaner.delete.retention.ms",
    ),
    ConfigSpec(
        "file.delete.delay.ms", LONG, "60000", at_least=0, synonym="log.segment.delete.delay.ms"
    ),
    ConfigSpec(FLUSH_MESSAGES, LONG, LONG_MAX, at_least=1, synonym="log.flush.interval.messages"),
    ConfigSpec(
        "flush.ms",
        LONG,
        LONG_MAX,
        at_least=0,
        synonym="log.flush.interval.ms",
        fallbacks=(Fallback("log.flush.scheduler.interval.ms"),),
    ),
    ConfigSpec(
        THROTTLED_FOLLOWERS,
        LIST,
        "",
        since="0.10.1",
        syntax=Syntax.THROTTLED_REPLICAS,
    ),
    ConfigSpec("index.interval.bytes", INT, "4096", at_least=0, synonym="log.index.interval.bytes"),
    ConfigSpec(
        THROTTLED_LEADERS,
        LIST,
        "",
        since="0.10.1",
        syntax=Syntax.THROTTLED_REPLICAS,
    ),
    ConfigSpec(
        "local.retention.bytes",
        LONG,
        "-2",
        since="3.0",
        at_least=-2,
        synonym="log.local.retention.bytes",
    ),
    ConfigSpec(
        "local.retention.ms", LONG, "-2", since="3.0", at_least=-2, synonym="log.local.retention.ms"
    ),
    ConfigSpec(
        "max.compaction.lag.ms",
        LONG,
        LONG_MAX,
        since="2.3",
        at_least=1,
        synonym="log.cleaner.max.compaction.lag.ms",
    ),
    ConfigSpec(
        "max.message.bytes",
        INT,
        "1048588",
        at_least=0,
        synonym="message.max.bytes",
        earlier_defaults=(("2.5", "1000012"),),
    ),
    ConfigSpec(
        "message.downconversion.enable",
        BOOLEAN,
        "true",
        since="2.0",
        synonym="log.message.downconversion.enable",
    ),
    # Up to 2.8 the default is the brokers' own release, from 3.0 on always 3.0.
    ConfigSpec(
        "message.format.version",
        STRING,
        "3.0-IV1",
        since="0.10.0",
        syntax=Syntax.RELEASE,
        synonym="log.message.format.version",
    ),
    ConfigSpec(
        "message.timestamp.after.max.ms",
        LONG,
        LONG_MAX,
        since="3.6",
        at_least=0,
        synonym="log.message.timestamp.after.max.ms",
    ),
    ConfigSpec(
        "message.timestamp.before.max.ms",
        LONG,
        LONG_MAX,
        since="3.6",
        at_least=0,
        synonym="log.message.timestamp.before.max.ms",
    ),
    ConfigSpec(
        "message.timestamp.difference.max.ms",
        LONG,
        LONG_MAX,
        since="0.10.0",
        at_least=0,
        synonym="log.message.timestamp.difference.max.ms",
    ),
    ConfigSpec(
        "message.timestamp.type",
        STRING,
        "CreateTime",
        since="0.10.0",
        choices=TIMESTAMP_TYPES,
        synonym="log.message.timestamp.type",
    ),
    ConfigSpec(
        "min.cleanable.dirty.ratio",
        DOUBLE,
        "0.5",
        at_least=0,
        at_most=1,
        synonym="log.cleaner.min.cleanable.ratio",
    ),
    ConfigSpec(
        "min.compaction.lag.ms",
        LONG,
        "0",
        since="0.10.1",
        at_least=0,
        synonym="log.cleaner.min.compaction.lag.ms",
    ),
    ConfigSpec(MIN_ISR, INT, "1", at_least=1, synonym=MIN_ISR),
    ConfigSpec("preallocate", BOOLEAN, "false", since="0.9.0", synonym="log.preallocate"),
    ConfigSpec("remote.log.copy.disable", BOOLEAN, "false", since="3.9"),
    ConfigSpec("remote.log.delete.on.disable", BOOLEAN, "false", since="3.9"),
    ConfigSpec("remote.storage.enable", BOOLEAN, "false", since="3.0"),
    ConfigSpec("retention.bytes", LONG, "-1", synonym="log.retention.bytes"),
    ConfigSpec(
        "retention.ms",
        LONG,
        "604800000",
        at_least=-1,
        synonym="log.retention.ms",
        fallbacks=(
            Fallback("log.retention.minutes", MS_PER_MINUTE),
            Fallback("log.retention.hours", MS_PER_HOUR),
        ),
    ),
    ConfigSpec("segment.bytes", INT, "1073741824", at_least=14, synonym="log.segment.bytes"),
    ConfigSpec(
        "segment.index.bytes", INT, "10485760", at_least=4, synonym="log.index.size.max.bytes"
    ),
    ConfigSpec(
        "segment.jitter.ms",
        LONG,
        "0",
        at_least=0,
        synonym="log.roll.jitter.ms",
        fallbacks=(Fallback("log.roll.jitter.hours", MS_PER_HOUR),),
    ),
    ConfigSpec(
        "segment.ms",
        LONG,
        "604800000",
        at_least=1,
        synonym="log.roll.ms",
        fallbacks=(Fallback("log.roll.hours", MS_PER_HOUR),),
    ),
    ConfigSpec(
        UNCLEAN_LEADER_ELECTION,
        BOOLEAN,
        "false",
        synonym=UNCLEAN_LEADER_ELECTION,
        earlier_defaults=(("0.11.0", "true"),),
    ),
)
