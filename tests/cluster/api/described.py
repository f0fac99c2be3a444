"""What `scripts.kafka_configs` asks a real broker, and tests ask ours."""

from collections.abc import Iterator
from typing import Final

from cluster.model.config_spec import ValueKind
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS
from tests.cluster.broker.configs.values import other_value

ALL: Final = "<all>"
"""How the resource of all brokers is called in the record."""

FILE: Final = {
    "broker.id": "0",
    "log.retention.hours": "1",
    "log.flush.scheduler.interval.ms": "1234567",
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "zookeeper.session.timeout.ms": "18000",
    "log.cleaner.dedupe.buffer.size": "8388608",
    "offsets.topic.replication.factor": "1",
    "num.io.threads": "7",
    "log.roll.jitter.hours": "1",
    "ssl.keystore.password": "secret",
    "listener.name.plaintext.max.connections": "500",
    "some.plugin.key": "whatever",
}
"""server.properties, but for addresses and directories."""

FOR_ALL: Final = {
    "log.retention.ms": "9900000",
    "num.io.threads": "9",
    "foo.def": "zz",
    "leader.replication.throttled.rate": "88",
    "log.roll.jitter.ms": "60000",
}
OWN: Final = {
    "log.retention.ms": "7200000",
    "max.connections.per.ip.overrides": "127.0.0.1:100,10.0.0.1:5",
    "log.roll.ms": "100000",
    "foo.bar": "secret",
    "leader.replication.throttled.rate": "1000",
    "max.connections.per.ip": "0",
    "background.threads": "11",
    "ssl.cipher.suites": "TLS_A,TLS_B",
    "listener.name.plaintext.ssl.keystore.location": "/nowhere",
    "listener.name.plaintext.max.connections": "400",
}

VALUES: Final = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SECOND://127.0.0.1:0",
    "advertised.listeners": "PLAINTEXT://127.0.0.1:9999",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECOND:PLAINTEXT",
    "log.cleaner.dedupe.buffer.size": "9388608",
    "log.cleanup.policy": "delete",
    "metric.reporters": "org.apache.kafka.common.metrics.JmxReporter",
    "num.replica.fetchers": "7777",
}
"""Where the first value that comes to mind is none."""
PREFIX: Final = "listener.name.plaintext."


def alterations() -> Iterator[tuple[str, str, str]]:
    """Each key of Kafka's, for one broker and for all; then what is special."""
    for name, config in KAFKA_BROKER_CONFIGS.items():
        for resource in ("0", ""):
            yield resource, name, VALUES.get(name) or other_value(name, config.spec)
    for resource in ("0", ""):
        for name in (
            "max.connections",
            "max.connection.creation.rate",
            "num.network.threads",
            "ssl.keystore.location",
            "ssl.keystore.password",
            "ssl.truststore.type",
            "sasl.jaas.config",
            "plain.sasl.jaas.config",
            "connections.max.reauth.ms",
            "sasl.enabled.mechanisms",
            "principal.builder.class",
            "num.partitions",
            "log.retention.ms",
            "foo",
        ):
            known = KAFKA_BROKER_CONFIGS.get(name)
            is_text = known is None or known.spec.kind in (ValueKind.STRING, ValueKind.PASSWORD)
            value = "x" if known is None or is_text else other_value(name, known.spec)
            yield resource, PREFIX + name, value
        for name, value in (
            ("foo.bar", "x"),
            ("num.io.threads", "0"),
            ("num.io.threads", "3"),
            ("num.io.threads", "15"),
            ("num.network.threads", "7"),
            ("background.threads", "21"),
            ("background.threads", "4"),
            ("num.replica.fetchers", "3"),
            ("num.recovery.threads.per.data.dir", "3"),
            ("log.cleaner.threads", "3"),
            ("log.cleaner.threads", "0"),
            ("log.retention.ms", "x"),
            ("log.retention.ms", "0"),
            ("log.roll.ms", "0"),
            ("log.local.retention.ms", "9223372036854775807"),
            ("max.connections.per.ip.overrides", "127.0.0.1:5,::1:x"),
            ("metric.reporters", "no.such.Reporter"),
            ("principal.builder.class", "no.such.Builder"),
            ("listeners", ""),
            ("listeners", "PLAINTEXT://:1,PLAINTEXT://:2"),
            ("listeners", "OTHER://127.0.0.1:0"),
            ("listeners", "no listener"),
            ("advertised.listeners", "OTHER://127.0.0.1:1"),
            ("advertised.listeners", "PLAINTEXT://0.0.0.0:1"),
            ("listener.security.protocol.map", "PLAINTEXT:SSL"),
            ("listener.security.protocol.map", "OTHER:PLAINTEXT"),
            ("compression.type", "none"),
            ("ssl.client.auth", "perhaps"),
            ("leader.replication.throttled.rate", "-1"),
            ("follower.replication.throttled.rate", "5"),
            ("replica.alter.log.dirs.io.max.bytes.per.second", "5"),
        ):
            yield resource, name, value


ALTERATIONS: Final = tuple(alterations())
