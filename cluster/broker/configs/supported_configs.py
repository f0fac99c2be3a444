"""The broker configs that this broker supports.

Kafka's names, types and defaults.  The dynamic ones have their specs in
`cluster.model.dynamic_broker_config_specs`; here stand those of the read-only ones.
"""

from collections.abc import Mapping
from typing import Final

from cluster.broker.configs.topic_defaults import TOPIC_DEFAULTS
from cluster.model.config_spec import ConfigSpec, ValueKind
from cluster.model.dynamic_broker_config_specs import DYNAMIC_BROKER_CONFIG_SPECS
from cluster.model.topic_config_specs import LONG_MAX

BOOLEAN: Final = ValueKind.BOOLEAN
INT: Final = ValueKind.INT
LONG: Final = ValueKind.LONG
STRING: Final = ValueKind.STRING

CONNECT: Final = "zookeeper.connect"
LOGS_DIRECTORY: Final = "kafka.logs.dir"
"""Of Kafka's start script, which takes it for a system property: where the logs go."""
LOGS_VARIABLE: Final = "LOG_DIR"
"""The variable by which that script is told."""

LISTENING: Final = (
    ConfigSpec("listeners", STRING, "PLAINTEXT://:9092"),
    ConfigSpec("advertised.listeners", STRING),
    ConfigSpec("listener.security.protocol.map", STRING),
    ConfigSpec("inter.broker.listener.name", STRING),
    ConfigSpec("socket.listen.backlog.size", INT, "50", at_least=1),
    ConfigSpec("socket.send.buffer.bytes", INT, "-1", at_least=-1),
    ConfigSpec("socket.receive.buffer.bytes", INT, "-1", at_least=-1),
    ConfigSpec("socket.request.max.bytes", INT, "104857600", at_least=1),
    ConfigSpec("connections.max.idle.ms", LONG, "600000", at_least=1, also=-1),
    ConfigSpec("queued.max.request.bytes", LONG, "-1"),
)
"""Unlike in Kafka, the sizes of the socket buffers are left to the kernel, which adapts them."""

CLUSTER: Final = (
    ConfigSpec("broker.id", INT, "-1", at_least=-1),
    ConfigSpec("broker.id.generation.enable", BOOLEAN, "true"),
    ConfigSpec("reserved.broker.max.id", INT, "1000", at_least=0),
    ConfigSpec("broker.rack", STRING),
    ConfigSpec(CONNECT, STRING),
    ConfigSpec("zookeeper.session.timeout.ms", INT, "18000", at_least=1),
    ConfigSpec("zookeeper.connection.timeout.ms", INT, at_least=1),
    ConfigSpec("controlled.shutdown.enable", BOOLEAN, "true"),
    ConfigSpec("controlled.shutdown.max.retries", INT, "3", at_least=0),
    ConfigSpec("controlled.shutdown.retry.backoff.ms", LONG, "5000", at_least=0),
    ConfigSpec("controller.socket.timeout.ms", INT, "30000", at_least=1),
)

TOPICS: Final = (
    ConfigSpec("auto.create.topics.enable", BOOLEAN, "true"),
    ConfigSpec("default.replication.factor", INT, "1", at_least=1),
    ConfigSpec("delete.topic.enable", BOOLEAN, "true"),
    ConfigSpec("num.partitions", INT, "1", at_least=1),
    ConfigSpec("fetch.max.bytes", INT, "57671680", at_least=1024),
    ConfigSpec("max.incremental.fetch.session.cache.slots", INT, "1000", at_least=0),
)

LOGS: Final = (
    ConfigSpec("log.dir", STRING, "/tmp/kafka-logs"),
    ConfigSpec("log.dirs", STRING),
    ConfigSpec(LOGS_DIRECTORY, STRING),
    ConfigSpec("log.retention.hours", INT, "168", at_least=1, also=-1),
    ConfigSpec("log.retention.minutes", INT, at_least=1, also=-1),
    ConfigSpec("log.retention.check.interval.ms", LONG, "300000", at_least=1),
    ConfigSpec("log.roll.hours", INT, "168", at_least=1),
    ConfigSpec("log.flush.scheduler.interval.ms", LONG, LONG_MAX, at_least=1),
    ConfigSpec("log.flush.offset.checkpoint.interval.ms", INT, "60000", at_least=1),
    ConfigSpec("log.flush.start.offset.checkpoint.interval.ms", INT, "60000", at_least=1),
    ConfigSpec("replica.high.watermark.checkpoint.interval.ms", LONG, "5000", at_least=1),
)

DYNAMIC: Final = (
    "max.connections",
    "max.connections.per.ip",
    "max.connections.per.ip.overrides",
    "producer.id.expiration.ms",
)
"""Of the keys that may be changed while a broker runs: those that are about no topic."""


def table() -> dict[str, ConfigSpec]:
    dynamic = {spec.name: spec for spec in DYNAMIC_BROKER_CONFIG_SPECS}
    specs = {spec.name: spec for spec in (*LISTENING, *CLUSTER, *TOPICS, *LOGS)}
    return specs | {name: dynamic[name] for name in (*DYNAMIC, *TOPIC_DEFAULTS)}


SUPPORTED_BROKER_CONFIGS: Final[Mapping[str, ConfigSpec]] = table()
