"""How are brokers asked over the wire, and what do the client's failures mean?

The only place that builds a client of kafka-python.  Knows not what is asked.
"""

import logging
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO

from kafka.admin import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
    SaslAuthenticationFailedError,
)

from kadmin.admin.tls import tls_context
from kadmin.broker_errors import BrokersDenied, BrokersUnreachable
from kadmin.broker_settings import BrokerSettings
from kadmin.errors import KadminError, UnreachableError
from kadmin.keys import BrokerSasl

FIRST_ROUND_S: Final = 3.0
"""A broker that says something wrong has said it by then; one that is silent gets more time."""

SILENCES: Final = (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
)
FAILURE: Final = re.compile(
    r"(?:Bootstrap connection to \S+ failed:|Metadata refresh: failed) (.*?)(?: \(backoff.*)?$"
)
"""How kafka-python logs that a broker that was asked first did not answer."""

PAUSE_S: Final = 0.05
ATTEMPTS_MAX: Final = 20

HANG_UPS: Final = ("socket disconnected", "Connection reset by peer")
DENIAL: Final = re.compile(r"SaslAuthenticationFailedError: (?!SaslAuth)(.*)")
"""How kafka-python puts it that a broker ended a connection, and what it said of a login."""

PREFIX: Final = re.compile(r"^(?:\[Error \d+\] )?(?:\w+Error: (?:\d+ )?)?")
"""What stands before the words of an error."""


class FailureLog(logging.Handler):
    """Why connections failed: kafka-python tells it in its log only.

    *is_silence* while no broker has said anything, so that another attempt may go better.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reason: str | None = None
        self.is_silence = True

    def emit(self, record: logging.LogRecord) -> None:
        match = FAILURE.match(record.getMessage())
        if match is None:
            return
        is_silence = RequestTimedOutError.__name__ in match[1]
        # The end of a round cuts the last attempt off, which says nothing of the others.
        if self.is_silence or not is_silence:
            self.reason = PREFIX.sub("", match[1])
            self.is_silence = is_silence


class WireConnection:
    """An open client."""

    def __init__(self, client: KafkaAdminClient, settings: BrokerSettings) -> None:
        self.client: Any = client
        self.settings = settings

    @property
    def timeout_ms(self) -> int:
        return round(1000 * self.settings.timeout_s)

    @property
    def broker_version(self) -> tuple[int, ...]:
        """The release that the brokers' requests look like, `(2, 4)`."""
        return tuple(self.client._manager.broker_version)

    def metadata(self, topics: Sequence[str] | None) -> Mapping[str, Any]:
        """What one broker knows of brokers, controller, and *topics*; None means all topics.

        Not by `describe_cluster`: that fails on 2.8, and takes a request more.
        """
        told = self.read(self.client._get_cluster_metadata, topics)
        assert isinstance(told, dict)
        return told

    @contextmanager
    def asking_controller(self) -> Iterator[None]:
        """Say of a call of kafka-python that goes to the controller if there was none."""
        try:
            yield
        except RuntimeError as error:  # That is how kafka-python puts it.
            raise NoController(self.settings.bootstrap) from error

    def serves(self, request: type) -> bool:
        """Whether the brokers know *request*, a class of kafka-python, in a version of its."""
        try:
            self.client._manager.broker_version_data.api_version(request)
        except IncompatibleBrokerVersion:
            return False
        return True

    def read(self, call: Callable[..., object], *arguments: object) -> Any:
        """What some broker tells when *call* of kafka-python asks for what changes nothing.

        A broker that died a moment ago is alive to the others and may be chosen.  kafka-python
        leaves it aside for a while then, and another one is asked.
        """
        deadline = time.monotonic() + self.settings.timeout_s
        failure: KafkaError | None = None
        while True:
            try:
                return self.client._manager.run(call, *arguments)
            except KafkaConnectionError as error:
                failure = error
            except NodeNotReadyError as error:  # Nobody is left for now.
                failure = failure or error
            if time.monotonic() >= deadline:
                raise failure
            time.sleep(PAUSE_S)

    def ask(self, request: object, broker: int | None = None) -> Any:
        """What *broker*, None for any, answers to *request*, which changes nothing.

        Raises:
            BrokersUnreachable: a broker that is named does not answer.
            KafkaError: no other does; what is in an answer is the caller's.
        """
        if broker is None:
            return self.read(self.client._manager.send, request)
        try:
            return self.send(request, broker)
        except SILENCES as error:
            reason = f"broker {broker}: {plain(error)}"
            raise BrokersUnreachable(self.settings.bootstrap, reason) from error

    def send(self, request: object, broker: int | None = None) -> Any:
        """What *broker*, None for any, answers to *request*: its errors are the caller's."""
        if broker is not None:
            self.learn_of(broker)
        return self.client._manager.run(self.client._manager.send, request, broker)

    def learn_of(self, broker: int) -> None:
        """See that kafka-python knows where *broker* is.

        It knows those that the first broker told of, which may not have heard of all.

        Raises:
            BrokersUnreachable: nobody tells of it, again and again.
        """
        known = self.client._manager.cluster
        for _attempt in range(ATTEMPTS_MAX):
            if known.broker_metadata(broker) is not None:
                return
            self.read(known.refresh_metadata)
            time.sleep(PAUSE_S)
        reason = f"broker {broker} is not known to all of them"
        raise BrokersUnreachable(self.settings.bootstrap, reason)

    def controller(self) -> int:
        """The broker that carries out what only a controller does.

        Raises:
            NoController: there is none now.
        """
        controller = self.metadata([])["controller_id"]
        if controller < 0:
            raise NoController(self.settings.bootstrap)
        return int(controller)


class NotServed(KadminError):
    """The brokers do not know a request that this takes."""

    def __init__(self, bootstrap: str, what: str, since: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} do not serve {what}; Kafka does from {since} on",
            hint="kadmin configs --zookeeper HOST:PORT works with every release",
        )
        self.bootstrap = bootstrap


class NoController(UnreachableError):
    """No broker takes a request that only the controller carries out."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} have no controller now; nothing was changed",
            hint="kadmin brokers --describe shows when there is one again",
        )


@contextmanager
def connect_brokers(
    settings: BrokerSettings, *, log: TextIO | None = None
) -> Iterator[WireConnection]:
    """Connect to brokers, hand the connection out, and close it.

    *log* takes the client's log.

    Raises:
        BrokersUnreachable: none answered within the timeout, or all refused at once.
        BrokersDenied: they refused the credentials, or what was asked.
        KadminError: another error of a broker.
        UsageError: a certificate or key that cannot be used.
    """
    probe(settings)
    failures = FailureLog()
    with logging_to(failures, log):
        client = open_client(settings, failures)
        try:
            yield WireConnection(client, settings)
        except (SaslAuthenticationFailedError, AuthorizationError) as error:
            raise BrokersDenied(settings.bootstrap, plain(error)) from error
        except SILENCES as error:
            raise BrokersUnreachable(settings.bootstrap, plain(error)) from error
        except KafkaError as error:
            raise KadminError(
                f"the brokers at {settings.bootstrap} failed: {plain(error)}"
            ) from error
        finally:
            client.close()


def plain(error: KafkaError) -> str:
    """What *error* says, or its name where it says nothing."""
    text = PREFIX.sub("", str(error)).strip()
    return text or type(error).__name__.removesuffix("Error")


def probe(settings: BrokerSettings) -> None:
    """Find out at once if nobody listens at any of the addresses, which kafka-python would try
    again and again until the timeout.

    Raises:
        BrokersUnreachable: every one refuses, or is no address.
    """
    reason = ""
    for server in settings.bootstrap.split(","):
        host, _, port = server.rpartition(":")
        try:
            address = (host.strip("[]"), int(port))
            socket.create_connection(address, settings.timeout_s).close()
        except TimeoutError:
            return  # It may answer yet: what follows waits for it.
        except OSError as error:
            reason = f"{server}: {str(error.strerror or error).lower()}"
        else:
            return
    raise BrokersUnreachable(settings.bootstrap, reason)


def open_client(settings: BrokerSettings, failures: FailureLog) -> KafkaAdminClient:
    """A client that has spoken to a broker.

    Raises:
        BrokersUnreachable: none answers within the timeout, or each says that it will not.
        BrokersDenied: they refuse the login.
        UsageError: a certificate or key that cannot be used.
    """
    deadline = time.monotonic() + settings.timeout_s
    config = client_config(settings)
    round_s = FIRST_ROUND_S
    while True:
        left_s = max(0.01, deadline - time.monotonic())
        client = KafkaAdminClient.__new__(KafkaAdminClient)
        try:
            client.__init__(  # It connects here, and must be closed when that fails.
                **config, bootstrap_timeout_ms=round(1000 * min(round_s, left_s))
            )
            return client
        except SILENCES as error:
            client._closed = False
            client.close()
            if failures.is_silence and time.monotonic() < deadline:
                round_s *= 2
                continue
            raise failure_of(failures, settings) from error


def failure_of(failures: FailureLog, settings: BrokerSettings) -> KadminError:
    """Why no broker could be spoken to."""
    if failures.reason is None or failures.is_silence:
        reason = f"no answer within {settings.timeout_s:g} s"
        return BrokersUnreachable(settings.bootstrap, reason)
    if settings.sasl is not BrokerSasl.NONE:
        denied = DENIAL.search(failures.reason)
        if denied is not None:
            return BrokersDenied(settings.bootstrap, denied[1])
        if any(words in failures.reason for words in HANG_UPS):
            # kafka-python mostly drops what a broker says of a login before it hangs up.
            return BrokersDenied(
                settings.bootstrap,
                f"they hang up on user '{settings.user}': is the password right, and does that"
                f" listener take {settings.sasl.value}?",
            )
    return BrokersUnreachable(settings.bootstrap, failures.reason)


def client_config(settings: BrokerSettings) -> Mapping[str, object]:
    """*settings* in kafka-python's words."""
    config: dict[str, object] = {
        "bootstrap_servers": settings.bootstrap.split(","),
        "client_id": "kadmin",
        "request_timeout_ms": round(1000 * settings.timeout_s),
        "security_protocol": settings.protocol,
    }
    if settings.sasl is not BrokerSasl.NONE:
        config |= {
            "sasl_mechanism": settings.sasl.value.upper(),
            "sasl_plain_username": settings.user,
            "sasl_plain_password": str(settings.password),
        }
    context = tls_context(settings, "broker")
    if context is not None:
        config |= {"ssl_context": context, "ssl_check_hostname": settings.tls_verify}
    return config


@contextmanager
def logging_to(failures: FailureLog, log: TextIO | None) -> Iterator[None]:
    """Let kafka-python log into *failures* and *log*, and nowhere else, for a while.

    Its loggers are global, so they are left as they were found.
    """
    logger = logging.getLogger("kafka")
    before = (logger.propagate, logger.level)
    handlers: list[logging.Handler] = [failures]
    if log is not None:
        handlers.append(logging.StreamHandler(log))
    for handler in handlers:
        logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.WARNING if log is None else logging.INFO)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
        logger.propagate = before[0]
        logger.setLevel(before[1])
