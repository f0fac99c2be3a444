"""The specs of Kafka's dynamic broker configs, which can be set while a broker runs.

Those of Kafka 1.1 to 3.9, as its own classes list them, and the replication throttles, which are
older.  Bounds that brokers check separately from the type (thread counts, log times) are included.
"""

from typing import Final

from cluster.model.config_spec import ConfigSpec, UpdateMode, ValueKind
from cluster.model.topic_config_specs import (
    CLEANUP_POLICIES,
    COMPRESSION_TYPES,
    LONG_MAX,
    MIN_ISR,
    TIMESTAMP_TYPES,
    UNCLEAN_LEADER_ELECTION,
)

BOOLEAN: Final = ValueKind.BOOLEAN
SHORT: Final = ValueKind.SHORT
INT: Final = ValueKind.INT
LONG: Final = ValueKind.LONG
DOUBLE: Final = ValueKind.DOUBLE
STRING: Final = ValueKind.STRING
LIST: Final = ValueKind.LIST
CLASS: Final = ValueKind.CLASS
PASSWORD: Final = ValueKind.PASSWORD
BROKER: Final = UpdateMode.PER_BROKER
LISTENER: Final = UpdateMode.PER_LISTENER

INT_MAX: Final = "2147483647"

THROTTLES: Final = (
    ConfigSpec("follower.replication.throttled.rate", LONG, LONG_MAX, since="0.10.1", at_least=0),
    ConfigSpec("leader.replication.throttled.rate", LONG, LONG_MAX, since="0.10.1", at_least=0),
    ConfigSpec(
        "replica.alter.log.dirs.io.max.bytes.per.second", LONG, LONG_MAX, since="1.1", at_least=0
    ),
)
"""Made to be set from outside; a broker accepts any of their values that are valid here."""

LOG_SPECS: Final = (
    ConfigSpec("compression.gzip.level", INT, "-1", since="3.8", at_least=1, at_most=9, also=-1),
    ConfigSpec("compression.lz4.level", INT, "9", since="3.8", at_least=1, at_most=17),
    ConfigSpec("compression.type", STRING, "producer", since="1.1", choices=COMPRESSION_TYPES),
    ConfigSpec("compression.zstd.level", INT, "3", since="3.8", at_least=-131072, at_most=22),
    ConfigSpec("log.cleaner.backoff.ms", LONG, "15000", since="1.1", at_least=0),
    # At least 1 MiB for each cleaner thread.
    ConfigSpec("log.cleaner.dedupe.buffer.size", LONG, "134217728", since="1.1", at_least=1048576),
    ConfigSpec("log.cleaner.delete.retention.ms", LONG, "86400000", since="1.1", at_least=0),
    ConfigSpec("log.cleaner.io.buffer.load.factor", DOUBLE, "0.9", since="1.1", at_least=0),
    ConfigSpec("log.cleaner.io.buffer.size", INT, "524288", since="1.1", at_least=0),
    ConfigSpec(
        "log.cleaner.io.max.bytes.per.second",
        DOUBLE,
        "1.7976931348623157E308",
        since="1.1",
        at_least=0,
    ),
    ConfigSpec("log.cleaner.max.compaction.lag.ms", LONG, LONG_MAX, since="2.3", at_least=1),
    ConfigSpec(
        "log.cleaner.min.cleanable.ratio", DOUBLE, "0.5", since="1.1", at_least=0, at_most=1
    ),
    ConfigSpec("log.cleaner.min.compaction.lag.ms", LONG, "0", since="1.1", at_least=0),
    ConfigSpec("log.cleaner.threads", INT, "1", since="1.1", at_least=1),
    ConfigSpec("log.cleanup.policy", LIST, "delete", since="1.1", choices=CLEANUP_POLICIES),
    ConfigSpec("log.flush.interval.messages", LONG, LONG_MAX, since="1.1", at_least=1),
    ConfigSpec("log.flush.interval.ms", LONG, since="1.1", at_least=0),
    ConfigSpec("log.index.interval.bytes", INT, "4096", since="1.1", at_least=0),
    ConfigSpec("log.index.size.max.bytes", INT, "10485760", since="1.1", at_least=4),
    ConfigSpec("log.local.retention.bytes", LONG, "-2", since="3.6", at_least=-2),
    ConfigSpec("log.local.retention.ms", LONG, "-2", since="3.6", at_least=-2),
    ConfigSpec("log.message.downconversion.enable", BOOLEAN, "true", since="2.0"),
    ConfigSpec("log.message.timestamp.after.max.ms", LONG, LONG_MAX, since="3.6", at_least=0),
    ConfigSpec("log.message.timestamp.before.max.ms", LONG, LONG_MAX, since="3.6", at_least=0),
    ConfigSpec("log.message.timestamp.difference.max.ms", LONG, LONG_MAX, since="1.1", at_least=0),
    ConfigSpec(
        "log.message.timestamp.type", STRING, "CreateTime", since="1.1", choices=TIMESTAMP_TYPES
    ),
    ConfigSpec("log.preallocate", BOOLEAN, "false", since="1.1"),
    ConfigSpec("log.retention.bytes", LONG, "-1", since="1.1"),
    # Without it the older log.retention.minutes or .hours of server.properties count: 7 days.
    ConfigSpec("log.retention.ms", LONG, "604800000", since="1.1", at_least=1, also=-1),
    ConfigSpec("log.roll.jitter.ms", LONG, "0", since="1.1", at_least=0),
    ConfigSpec("log.roll.ms", LONG, "604800000", since="1.1", at_least=1),
    ConfigSpec("log.segment.bytes", INT, "1073741824", since="1.1", at_least=14),
    ConfigSpec("log.segment.delete.delay.ms", LONG, "60000", since="1.1", at_least=0),
    ConfigSpec(
        "message.max.bytes",
        INT,
        "1048588",
        since="1.1",
        at_least=0,
        earlier_defaults=(("2.5", "1000012"),),
    ),
    ConfigSpec(MIN_ISR, INT, "1", since="1.1", at_least=1),
    ConfigSpec(UNCLEAN_LEADER_ELECTION, BOOLEAN, "false", since="1.1"),
)

SERVER_SPECS: Final = (
    ConfigSpec("background.threads", INT, "10", since="1.1", at_least=1),
    ConfigSpec("max.connection.creation.rate", INT, INT_MAX, since="2.7", at_least=0),
    ConfigSpec("max.connections", INT, INT_MAX, since="2.3", at_least=0),
    ConfigSpec("max.connections.per.ip", INT, INT_MAX, since="2.1", at_least=0),
    ConfigSpec("max.connections.per.ip.overrides", STRING, "", since="2.1"),
    ConfigSpec("metric.reporters", LIST, "", since="1.1"),
    ConfigSpec("num.io.threads", INT, "8", since="1.1", at_least=1),
    ConfigSpec("num.network.threads", INT, "3", since="1.1", at_least=1),
    ConfigSpec("num.recovery.threads.per.data.dir", INT, "1", since="1.1", at_least=1),
    ConfigSpec("num.replica.fetchers", INT, "1", since="1.1", at_least=1),
    ConfigSpec("producer.id.expiration.ms", INT, "86400000", since="3.5", at_least=1),
    ConfigSpec("remote.fetch.max.wait.ms", INT, "500", since="3.8", at_least=1),
    ConfigSpec(
        "remote.log.index.file.cache.total.size.bytes", LONG, "1073741824", since="3.8", at_least=1
    ),
    ConfigSpec(
        "remote.log.manager.copy.max.bytes.per.second", LONG, LONG_MAX, since="3.8", at_least=1
    ),
    ConfigSpec(
        "remote.log.manager.fetch.max.bytes.per.second", LONG, LONG_MAX, since="3.8", at_least=1
    ),
    ConfigSpec("transaction.partition.verification.enable", BOOLEAN, "true", since="3.6"),
)

LISTENER_SPECS: Final = (
    ConfigSpec("advertised.listeners", STRING, since="1.1", update_mode=BROKER),
    ConfigSpec(
        "listener.security.protocol.map",
        STRING,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        since="1.1",
        update_mode=BROKER,
    ),
    ConfigSpec("listeners", STRING, "PLAINTEXT://:9092", since="1.1", update_mode=BROKER),
    ConfigSpec(
        "principal.builder.class",
        CLASS,
        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
        since="1.1",
        update_mode=BROKER,
    ),
    ConfigSpec(
        "connections.max.reauth.ms", LONG, "0", since="2.2", at_least=0, update_mode=LISTENER
    ),
    ConfigSpec("sasl.enabled.mechanisms", LIST, "GSSAPI", since="1.1", update_mode=BROKER),
    ConfigSpec("sasl.jaas.config", PASSWORD, since="1.1", update_mode=BROKER),
    ConfigSpec(
        "sasl.kerberos.kinit.cmd", STRING, "/usr/bin/kinit", since="1.1", update_mode=BROKER
    ),
    ConfigSpec(
        "sasl.kerberos.min.time.before.relogin", LONG, "60000", since="1.1", update_mode=BROKER
    ),
    ConfigSpec(
        "sasl.kerberos.principal.to.local.rules", LIST, "DEFAULT", since="1.1", update_mode=BROKER
    ),
    ConfigSpec("sasl.kerberos.service.name", STRING, since="1.1", update_mode=BROKER),
    ConfigSpec(
        "sasl.kerberos.ticket.renew.jitter", DOUBLE, "0.05", since="1.1", update_mode=BROKER
    ),
    ConfigSpec(
        "sasl.kerberos.ticket.renew.window.factor", DOUBLE, "0.8", since="1.1", update_mode=BROKER
    ),
    ConfigSpec("sasl.login.callback.handler.class", CLASS, since="2.0", update_mode=LISTENER),
    ConfigSpec("sasl.login.class", CLASS, since="2.0", update_mode=LISTENER),
    ConfigSpec("sasl.login.refresh.buffer.seconds", SHORT, "300", since="2.0", update_mode=BROKER),
    ConfigSpec(
        "sasl.login.refresh.min.period.seconds", SHORT, "60", since="2.0", update_mode=BROKER
    ),
    ConfigSpec("sasl.login.refresh.window.factor", DOUBLE, "0.8", since="2.0", update_mode=BROKER),
    ConfigSpec("sasl.login.refresh.window.jitter", DOUBLE, "0.05", since="2.0", update_mode=BROKER),
    ConfigSpec(
        "sasl.mechanism.inter.broker.protocol", STRING, "GSSAPI", since="1.1", update_mode=BROKER
    ),
    ConfigSpec("sasl.server.callback.handler.class", CLASS, since="2.0", update_mode=LISTENER),
    ConfigSpec("ssl.cipher.suites", LIST, "", since="1.1", update_mode=BROKER),
    ConfigSpec(
        "ssl.client.auth",
        STRING,
        "none",
        since="1.1",
        choices=("required", "requested", "none"),
        update_mode=BROKER,
    ),
    ConfigSpec(
        "ssl.enabled.protocols",
        LIST,
        "TLSv1.2,TLSv1.3",
        since="1.1",
        earlier_defaults=(("2.5", "TLSv1.2,TLSv1.1,TLSv1"), ("2.6", "TLSv1.2")),
        update_mode=BROKER,
    ),
    ConfigSpec(
        "ssl.endpoint.identification.algorithm",
        STRING,
        "https",
        since="1.1",
        earlier_defaults=(("2.0", ""),),
        update_mode=BROKER,
    ),
    ConfigSpec("ssl.engine.factory.class", CLASS, since="2.6", update_mode=BROKER),
    ConfigSpec("ssl.key.password", PASSWORD, since="1.1", update_mode=LISTENER),
    ConfigSpec("ssl.keymanager.algorithm", STRING, "SunX509", since="1.1", update_mode=BROKER),
    ConfigSpec("ssl.keystore.certificate.chain", PASSWORD, since="2.7", update_mode=LISTENER),
    ConfigSpec("ssl.keystore.key", PASSWORD, since="2.7", update_mode=LISTENER),
    ConfigSpec("ssl.keystore.location", STRING, since="1.1", update_mode=LISTENER),
    ConfigSpec("ssl.keystore.password", PASSWORD, since="1.1", update_mode=LISTENER),
    ConfigSpec("ssl.keystore.type", STRING, "JKS", since="1.1", update_mode=LISTENER),
    ConfigSpec(
        "ssl.protocol",
        STRING,
        "TLSv1.3",
        since="1.1",
        earlier_defaults=(("2.5", "TLS"), ("2.6", "TLSv1.2")),
        update_mode=BROKER,
    ),
    ConfigSpec("ssl.provider", STRING, since="1.1", update_mode=BROKER),
    ConfigSpec("ssl.secure.random.implementation", STRING, since="1.1", update_mode=BROKER),
    ConfigSpec("ssl.trustmanager.algorithm", STRING, "PKIX", since="1.1", update_mode=BROKER),
    ConfigSpec("ssl.truststore.certificates", PASSWORD, since="2.7", update_mode=LISTENER),
    ConfigSpec("ssl.truststore.location", STRING, since="1.1", update_mode=LISTENER),
    ConfigSpec("ssl.truststore.password", PASSWORD, since="1.1", update_mode=LISTENER),
    ConfigSpec("ssl.truststore.type", STRING, "JKS", since="1.1", update_mode=LISTENER),
)

DYNAMIC_BROKER_CONFIG_SPECS: Final = (*THROTTLES, *LOG_SPECS, *SERVER_SPECS, *LISTENER_SPECS)
