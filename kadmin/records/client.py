"""A client of librdkafka: how is it set up and connected, and what do its failures mean?

The only place that knows how librdkafka spells the settings.  Knows no record.
"""

import logging
import re
import sys
import time
from collections.abc import Collection, Mapping
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, libversion

from kadmin.admin.oauth import Tokens
from kadmin.admin.tls import check_no_device
from kadmin.admin.wire.errors import BrokersDenied, BrokersUnreachable, refuse_foreign_server
from kadmin.errors import KadminError, UsageError, hint_for_missing
from kadmin.extras import installer
from kadmin.records.properties import Said
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl

GROUP: Final = "kadmin"
"""librdkafka wants the name of a group also from clients that join none."""

TLS_FILES: Final = {"ssl.ca.location", "ssl.certificate.location", "ssl.key.location"}

PATIENCE_S: Final = 1.0
"""So long all brokers may refuse: one name may stand for several addresses, tried in turn."""

ROUND_S: Final = 0.3
EVENTS_MAX: Final = 20

DENIALS: Final = frozenset(
    (
        KafkaError._AUTHENTICATION,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    )
)
SILENCES: Final = frozenset(
    (
        KafkaError._TRANSPORT,
        KafkaError._TIMED_OUT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._SSL,
        KafkaError._MSG_TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
    )
)
"""Errors that mean: no broker answered."""

PASSING: Final = frozenset(
    (
        *(KafkaError._TRANSPORT, KafkaError._DESTROY_BROKER),
        *(KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.OFFSET_NOT_AVAILABLE),
        *(KafkaError.FENCED_LEADER_EPOCH, KafkaError.UNKNOWN_LEADER_EPOCH),
        *(KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE),
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    )
)
"""Errors while brokers fail over: the same request is answered a little later."""


class NoSuchTopic(KadminError):
    """The brokers know no topic of that name, only those of *known*."""

    def __init__(self, topic: str, known: Collection[str]) -> None:
        super().__init__(
            f"there is no topic '{topic}'",
            hint=hint_for_missing(topic, known, listed_by="kadmin topics --list"),
        )
        self.topic = topic


class NoSuchPartition(KadminError):
    """The topic has fewer partitions."""

    def __init__(self, topic: str, partition: int, count: int) -> None:
        super().__init__(
            f"there is no partition {partition} in topic '{topic}', which has {count}",
            hint=f"kadmin topics --describe --topic {topic}",
        )


class ConnectionLog(logging.Handler):
    """What librdkafka reports of its connections while it tries, in errors and in its log."""

    def __init__(self, bootstrap: str, *, has_tls: bool = False) -> None:
        super().__init__()
        self.bootstrap = bootstrap
        self.has_tls = has_tls
        self.reason = ""
        self.denial: str | None = None
        self.are_all_down = False

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line of the log: some failures are reported nowhere else."""
        line = record.getMessage()
        if line.startswith("FAIL "):
            self.reason = plain_text(re.sub(r"^FAIL \[[^]]*\] ", "", line))

    def note(self, error: KafkaError) -> None:
        """Take an error that is about no record; called while the client is polled."""
        if error.code() == KafkaError._ALL_BROKERS_DOWN:
            self.are_all_down = True
        elif error.code() in DENIALS:
            self.denial = plain_reason(error)
        else:
            self.reason = plain_reason(error)

    def check(self) -> None:
        """Raise that the credentials are refused, if they are."""
        if self.denial is not None:
            raise BrokersDenied(self.bootstrap, self.denial)

    def unreachable(self, otherwise: str = "no answer") -> BrokersUnreachable:
        return BrokersUnreachable(self.bootstrap, self.reason or otherwise)

    def failure(self, error: KafkaError, what: str) -> KadminError:
        """Return what *error* of a request means, which was for *what*."""
        if error.code() in DENIALS:
            return BrokersDenied(self.bootstrap, plain_reason(error))
        if error.code() in SILENCES:
            return self.unreachable(plain_reason(error))
        return KadminError(f"{what}: {plain_reason(error)}")


def plain_reason(error: KafkaError) -> str:
    """Return the text of *error* for an operator."""
    return plain_text(error.str())


def plain_text(text: str) -> str:
    """Return librdkafka's *text* without the names of threads and states, as kadmin's own texts
    look."""
    text = re.sub(r"^\[thrd:[^]]*\]: ", "", text)
    text = re.sub(r"^(?:\w+://)?(\S+?)(?:/bootstrap|/\d+): ", r"\1: ", text)
    text = re.sub(r"^\S+: Connect to ipv[46]#(\S+) failed: ", r"\1: ", text)
    text = re.sub(r" \(after .*$", "", text)
    text = re.sub(
        r"^ProduceRequest for .* failed due to (.*?) \((?:broker \S+ )?PID\{.*$", r"\1", text
    )
    text = re.sub(r": receive 0 after POLLIN$", "", text)
    text = re.sub(r"^(?:Broker|Local): ", "", text).rstrip(" .:\n")
    head, colon, tail = text.rpartition(": ")
    return f"{head}{colon}{lower_first(tail)}"


def lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def client_config(
    settings: BrokerSettings, properties: Mapping[str, str], log: ConnectionLog, *, debug: bool
) -> dict[str, Any]:
    """Return librdkafka's configuration; *properties* win over *settings*, and need no
    translation."""
    config: dict[str, Any] = {
        "bootstrap.servers": settings.bootstrap,
        "client.id": "kadmin",
        "security.protocol": settings.protocol,
        "socket.keepalive.enable": True,
        "error_cb": log.note,
        "logger": client_logger(log, debug=debug),
    }
    if settings.sasl is not BrokerSasl.NONE:
        config |= login_config(settings)
    if settings.tls:
        config |= {
            "ssl.ca.location": settings.tls_ca,
            "ssl.certificate.location": settings.tls_cert,
            "ssl.key.location": settings.tls_key,
            "ssl.key.password": settings.tls_key_password and str(settings.tls_key_password),
            "enable.ssl.certificate.verification": settings.tls_verify,
        }
        if not settings.tls_check_host:
            config["ssl.endpoint.identification.algorithm"] = "none"
    given = {name: value for name, value in config.items() if value is not None}
    return given | dict(properties)


def login_config(settings: BrokerSettings) -> dict[str, Any]:
    """Return how *settings* log in, in librdkafka's words; raises as `Tokens.token`."""
    mechanism = {"sasl.mechanism": settings.sasl.value.upper()}
    if settings.sasl is BrokerSasl.GSSAPI:
        service = {"sasl.kerberos.service.name": settings.sasl_service}
        keytab = {} if settings.keytab is None else {"sasl.kerberos.keytab": settings.keytab}
        return mechanism | service | keytab
    if settings.sasl is BrokerSasl.OAUTHBEARER:
        tokens = Tokens(settings)
        tokens.token()  # Here a failure is reported with its reason.

        def token(_config: str | None) -> tuple[str, float]:
            found = tokens.token()
            return found.text, found.ends_s

        return {**mechanism, "oauth_cb": token}
    return {**mechanism, "sasl.username": settings.user, "sasl.password": str(settings.password)}


def client_logger(log: ConnectionLog, *, debug: bool) -> logging.Logger:
    """Return where librdkafka logs: into *log*, with *debug* also to standard error."""
    # A logger of our own: it changes no other logging, and other logging does not change it.
    logger = logging.Logger("librdkafka", logging.DEBUG)
    logger.addHandler(log)
    if debug:
        logger.addHandler(logging.StreamHandler(sys.stderr))
    return logger


def create_client(kind: type[Any], config: Mapping[str, Any]) -> Any:
    """Return a client of *kind*; what librdkafka does not take of *config* is wrong usage.

    Raises:
        UsageError: a property that does not exist, a value that it cannot have, or a file that
            cannot be used; librdkafka's text names it, and shows no password.
    """
    for name in TLS_FILES & config.keys():
        check_no_device(config[name])
    try:
        return kind(dict(config))
    except KafkaException as error:
        reason = plain_reason(error.args[0])
        hint = "their names are librdkafka's (CONFIGURATION.md of that project)"
        if "mechanism GSSAPI" in reason:
            reason = "this librdkafka is built without Kerberos (GSSAPI)"
            hint = (
                "with librdkafka and libsasl2 of the system:"
                f" {installer()} --no-binary confluent-kafka --force-reinstall confluent-kafka"
            )
        if "idempotence" in reason:
            hint = "--no-idempotence, or leave that property out"
        raise UsageError(f"{where_said(kind, config, reason)}: {reason}", hint=hint) from error


def where_said(kind: type[Any], config: Mapping[str, Any], reason: str) -> str:
    """Return where the property stands for which a client of *kind* refuses *config* with *reason*.

    librdkafka may call it otherwise than the file, so each is tried alone.
    """
    for name, value in config.items():
        if isinstance(value, Said):
            try:
                kind({"group.id": GROUP, name: value})
            except KafkaException as error:
                if plain_reason(error.args[0]) == reason:
                    return f"{value.source}: {name}"
    return "the client's properties"


def open_consumer(
    settings: BrokerSettings, properties: Mapping[str, Any], log: ConnectionLog, *, debug: bool
) -> Consumer:
    """Return a consumer that has no partitions yet; unless *properties* say so, it belongs to no
    group and commits nothing."""
    config = {
        **client_config(settings, {}, log, debug=debug),
        "group.id": GROUP,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "earliest",
        **properties,
    }
    client = create_client(Consumer, config)
    assert isinstance(client, Consumer)
    return client


def poll_events(consumer: Consumer) -> None:
    """Let *consumer* hand out the events of its connections: one at each poll."""
    for _ in range(EVENTS_MAX):
        consumer.poll(0)


def answers(consumer: Consumer, topic: str) -> bool:
    """Return whether some broker soon returns metadata of *topic*."""
    try:
        consumer.list_topics(topic, timeout=ROUND_S)
    except KafkaException:
        return False
    return True


def leaders_of(
    consumer: Consumer,
    topic: str,
    log: ConnectionLog,
    timeout_s: float,
) -> dict[int, int]:
    """Return the leader of each partition of *topic*, in order, -1 for none.

    This is the first request to the brokers, so it fails if none can be reached.  It never creates
    the topic.

    Raises:
        BrokersUnreachable: all refuse the connection, or none answers within *timeout_s*.
        BrokersDenied: they refuse the credentials, or the topic.
        NoSuchTopic: there is none.
    """
    started = time.monotonic()
    is_known = False
    while True:
        elapsed_s = time.monotonic() - started
        try:
            left_s = max(0.01, timeout_s - elapsed_s)
            metadata = consumer.list_topics(topic, timeout=min(ROUND_S, left_s))
        except KafkaException as error:
            poll_events(consumer)
            log.check()
            elapsed_s = time.monotonic() - started
            if error.args[0].code() not in SILENCES:
                raise log.failure(error.args[0], f"topic '{topic}'") from error
            if not is_known and (elapsed_s >= min(PATIENCE_S, timeout_s) or log.are_all_down):
                refuse_foreign_server(log.bootstrap, has_tls=log.has_tls)
                is_known = True
            if elapsed_s >= timeout_s or (log.are_all_down and elapsed_s >= PATIENCE_S):
                raise log.unreachable(f"no answer within {elapsed_s:.0f} s") from error
            continue
        found = metadata.topics[topic]
        if found.error is None:
            return {index: found.partitions[index].leader for index in sorted(found.partitions)}
        if found.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            # A topic that was made a moment ago is not yet known to every broker.
            if elapsed_s >= min(PATIENCE_S, timeout_s):
                raise NoSuchTopic(topic, known_topics(consumer))
        elif elapsed_s >= timeout_s or not found.error.retriable():
            raise log.failure(found.error, f"topic '{topic}'")
        time.sleep(ROUND_S)


def known_topics(consumer: Consumer) -> list[str]:
    """Return the names of all topics; none without an answer in time, since only a hint
    needs them."""
    try:
        return sorted(consumer.list_topics(timeout=ROUND_S).topics)
    except KafkaException:
        return []


def library_version() -> str:
    """Return the release of librdkafka."""
    return str(libversion()[0])
