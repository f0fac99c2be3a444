"""A client of brokers: how is it opened, and why could it not be?

The only place that builds a client of kafka-python.
"""

import logging
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Final, TextIO

from kafka.admin import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    IllegalSaslStateError,
    IncompatibleBrokerVersion,
    KafkaError,
    RequestTimedOutError,
    SaslAuthenticationFailedError,
)
from kafka.net.sasl.oauth import AbstractTokenProvider

from kadmin.admin.oauth import Tokens
from kadmin.admin.tls import check_readable, tls_context
from kadmin.admin.wire.bounded_client import client_within
from kadmin.admin.wire.connection import PREFIX, SILENCES, WireConnection, plain
from kadmin.admin.wire.errors import (
    ANSWERED_BEFORE,
    BrokersDenied,
    BrokersUnreachable,
    ControllerNamed,
    KerberosFailed,
    refuse_foreign_server,
)
from kadmin.admin.wire.patience import Patience
from kadmin.admin.wire.probe import Probe
from kadmin.budget import Budget
from kadmin.errors import KadminError
from kadmin.extras import require_package
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl

FIRST_ROUND_S: Final = 3.0
"""A broker that sends a wrong answer has sent it by then; one that is silent gets more time."""

BACKOFF_MAX_MS: Final = 2_000
"""So long a broker that refused is left aside at most: kafka-python would leave one that is back
aside for 30 s, and a run would end without its throttle taken away there."""

FAILURE: Final = re.compile(
    r"(?:Bootstrap connection to \S+ failed:|Metadata refresh: failed) (.*?)(?: \(backoff.*)?$"
)
"""How kafka-python logs that a broker that was asked first did not answer."""

TLS_FAILURE: Final = re.compile(r"Handshake failed: \[SSL: (\w+)\] (.*?) \(_ssl\.c:\d+\)$")
"""How Python puts it that a TLS handshake failed: OpenSSL's name of it, and its words."""

NO_TLS: Final = ("UNEXPECTED_EOF_WHILE_READING", "WRONG_VERSION_NUMBER")
"""What a server that speaks no TLS makes of a handshake: it hangs up, or answers otherwise."""

SILENT: Final = (
    RequestTimedOutError.__name__,
    *("Connection timed out", "I/O wait timed out", "SASL Authentication timed out"),
)
"""How kafka-python reports that a broker has not answered yet, or not even taken a connection."""

NO_METADATA: Final = "does not support the 'MetadataRequest'"
"""What kafka-python makes of the only servers that answer and have no metadata for clients."""
NO_LOGIN: Final = IllegalSaslStateError.__name__
"""What a broker answers to a login at a listener that takes none."""
HANG_UPS: Final = ("socket disconnected", "Connection reset by peer")
GSS_FAILURE: Final = re.compile(r"Major \(\d+\): .*, Minor \(\d+\): (.+)$")
"""How Python's gssapi puts it that Kerberos failed: its own words stand behind the minor code."""

DENIAL: Final = re.compile(r"SaslAuthenticationFailedError: (?!SaslAuth)(.*)")
"""How kafka-python puts it that a broker ended a connection, and what it said of a login."""


class FailureLog(logging.Handler):
    """Why connections failed: kafka-python reports it in its log only.

    Its log is that of all clients in the process: only what *threads* write is of this one.
    *is_silence* while no broker has sent anything, so that another attempt may succeed.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.threads = {threading.get_ident()}
        self.reason: str | None = None
        self.is_silence = True
        self.is_closed = False

    def reset(self) -> None:
        """Forget what has failed: another attempt begins."""
        self.reason, self.is_silence, self.is_closed = None, True, False

    def emit(self, record: logging.LogRecord) -> None:
        if self.is_closed or record.thread not in self.threads:
            return
        match = FAILURE.match(record.getMessage())
        if match is None:
            return
        is_silence = any(words in match[1] for words in SILENT)
        # The end of a round cuts the last attempt off, whose failure does not concern the others.
        if self.is_silence or not is_silence:
            self.reason = TLS_FAILURE.sub(tls_words, PREFIX.sub("", match[1]))
            self.is_silence = is_silence


def tls_words(match: re.Match[str]) -> str:
    """Return why a TLS handshake failed, as *match* of `TLS_FAILURE` has it, in an operator's
    words."""
    name, text = match[1], match[2]
    if name == "CERTIFICATE_VERIFY_FAILED":
        why = text.removeprefix("certificate verify failed: ").rstrip(".")
        return f"TLS: the broker's certificate is not trusted: {why}"
    words = name.replace("_", " ").lower()
    return f"TLS: {words}: does that listener speak TLS?" if name in NO_TLS else f"TLS: {words}"


@contextmanager
def connect_brokers(
    settings: BrokerSettings,
    *,
    log: TextIO | None = None,
    budget: Budget | None = None,
    probe: Probe | None = None,
    patience: Patience | None = None,
) -> Iterator[WireConnection]:
    """Connect to brokers, hand the connection out, and close it.

    *log* takes the client's log.  All waits spend the *budget*, which is one of the settings'
    timeout if none is given.  A *probe* that is given is its owner's to close.  *patience* with
    single brokers may be shared with connections before and after this one.

    Raises:
        BrokersUnreachable: none answered within the timeout, or all refused at once.
        BrokersDenied: they refused the credentials, or what was asked.
        KadminError: another error of a broker.
        UsageError: a certificate or key that cannot be used.
    """
    budget = budget or Budget(settings.timeout_s)
    failures = FailureLog()
    with ExitStack() as stack:
        if probe is None:
            probe = stack.enter_context(closing(Probe(settings)))
        stack.enter_context(logging_to(failures, log))
        client = open_client(settings, probe, failures, budget)
        stack.callback(client.close)
        try:
            yield WireConnection(client, settings, probe, budget, patience)
        except (SaslAuthenticationFailedError, AuthorizationError) as error:
            raise BrokersDenied(settings.bootstrap, plain(error)) from error
        except SILENCES as error:
            raise BrokersUnreachable(
                settings.bootstrap, plain(error), hint=ANSWERED_BEFORE
            ) from error
        except KafkaError as error:
            raise KadminError(
                f"the brokers at {settings.bootstrap} failed: {plain(error)}"
            ) from error


def open_client(
    settings: BrokerSettings, probe: Probe, failures: FailureLog, budget: Budget
) -> KafkaAdminClient:
    """Open a client that is connected to a broker at one of the addresses that work, among which
    may be those of KRaft controllers; raises what `open_at` raises."""
    with budget.spending() as left_s:
        working = probe.working(left_s)
    try:
        return open_at(settings, working, failures, budget)
    except ControllerNamed:
        # The client has tried one of them, and does not report which; brokers may answer later.
        controllers: list[str] = []
        count = len(settings.bootstrap.split(","))
        while 1 < count > len(controllers):
            try:
                with budget.spending() as left_s:
                    address = probe.working(left_s, but=controllers)[0]
            except BrokersUnreachable:
                break
            failures.reset()
            try:
                return open_at(settings, [address], failures, budget)
            except ControllerNamed:
                controllers.append(address)
        raise


def open_at(
    settings: BrokerSettings, working: Sequence[str], failures: FailureLog, budget: Budget
) -> KafkaAdminClient:
    """Open a client that is connected to a broker at one of the *working* addresses.

    Raises:
        ControllerNamed: the one that was tried is a controller's.
        BrokersUnreachable: none answers within the budget, or each refuses.
        BrokersDenied: they refuse the login, or support none.
        UsageError: a certificate or key that cannot be used.
    """
    config = client_config(replace(settings, bootstrap=",".join(working)))
    round_s = FIRST_ROUND_S
    end_s = budget.end_s()
    while True:
        left_s = max(0.01, end_s - time.monotonic())
        client = KafkaAdminClient.__new__(KafkaAdminClient)
        try:
            client.__init__(  # It connects here, and must be closed when that fails.
                **config,
                kafka_client=client_within(budget, failures.threads),
                bootstrap_timeout_ms=round(1000 * min(round_s, left_s)),
            )
            return client
        except SILENCES as error:
            close_unopened(client, failures)
            if round_s == FIRST_ROUND_S:
                with budget.spending():
                    refuse_foreign_server(settings.bootstrap, has_tls=settings.tls)
            if failures.is_silence and time.monotonic() < end_s:
                round_s *= 2
                continue
            raise failure_of(failures, settings) from error
        except IncompatibleBrokerVersion as error:
            close_unopened(client, failures)
            if "Sasl" not in str(error):  # The request that they do not know.
                raise BrokersUnreachable(settings.bootstrap, plain(error)) from error
            reason = f"that listener takes no login by {settings.sasl.value}, or none at all"
            raise BrokersDenied(settings.bootstrap, reason) from error
        except BaseException:
            close_unopened(client, failures)
            raise


def close_unopened(client: KafkaAdminClient, failures: FailureLog) -> None:
    """Close *client*, whose construction has failed; that is none of the *failures*."""
    client._closed = False
    failures.is_closed = True
    client.close()
    failures.is_closed = False


def failure_of(failures: FailureLog, settings: BrokerSettings) -> KadminError:
    """Return why no broker could be spoken to."""
    if failures.reason is None or failures.is_silence:
        reason = f"no answer within {settings.timeout_s:g} s"
        return BrokersUnreachable(settings.bootstrap, reason)
    if NO_METADATA in failures.reason:
        return ControllerNamed(settings.bootstrap)
    kerberos = GSS_FAILURE.search(failures.reason)
    if kerberos is not None:
        return KerberosFailed(settings.bootstrap, kerberos[1])
    if settings.sasl is not BrokerSasl.NONE:
        denied = DENIAL.search(failures.reason)
        if denied is not None:
            return BrokersDenied(settings.bootstrap, denied[1])
        if NO_LOGIN in failures.reason:
            return BrokersDenied(settings.bootstrap, "that listener takes no login")
        if any(words in failures.reason for words in HANG_UPS):
            # kafka-python mostly drops the broker's reason for a failed login when the broker
            # disconnects.
            return BrokersDenied(settings.bootstrap, f"they hang up on {login_of(settings)}")
    return BrokersUnreachable(settings.bootstrap, failures.reason)


def login_of(settings: BrokerSettings) -> str:
    """Return who logs in, and what to ask about that."""
    if settings.sasl is BrokerSasl.GSSAPI:
        who = f"the Kerberos ticket: is {settings.sasl_service} the service of their principals"
    elif settings.sasl is BrokerSasl.OAUTHBEARER:
        who = "the token: is it one for them"
    else:
        who = f"user '{settings.user}': is the password right"
    return f"{who}, and does that listener take {settings.sasl.value}?"


def client_config(settings: BrokerSettings) -> Mapping[str, object]:
    """Return *settings* in kafka-python's words."""
    config: dict[str, object] = {
        "bootstrap_servers": settings.bootstrap.split(","),
        "client_id": "kadmin",
        "request_timeout_ms": round(1000 * settings.timeout_s),
        "security_protocol": settings.protocol,
        "reconnect_backoff_max_ms": BACKOFF_MAX_MS,
    }
    config |= login_config(settings)
    context = tls_context(settings, "broker")
    if context is not None:
        config |= {"ssl_context": context, "ssl_check_hostname": context.check_hostname}
    return config


def login_config(settings: BrokerSettings) -> Mapping[str, object]:
    """Return how *settings* log in, in kafka-python's words.

    Raises:
        MissingPackage: what Kerberos takes is not installed.
        UsageError: the key table cannot be read.
        TokenDenied, UnreachableError, UsageError: there is no token to be had.
    """
    if settings.sasl is BrokerSasl.NONE:
        return {}
    mechanism = {"sasl_mechanism": settings.sasl.value.upper()}
    if settings.sasl is BrokerSasl.GSSAPI:
        use_kerberos(settings)
        return {**mechanism, "sasl_kerberos_service_name": settings.sasl_service}
    if settings.sasl is BrokerSasl.OAUTHBEARER:
        tokens = Tokens(settings)
        tokens.token()  # Within the client a failure would look like a timeout.
        return {**mechanism, "sasl_oauth_token_provider": KafkaPythonTokens(tokens)}
    return {
        **mechanism,
        "sasl_plain_username": settings.user,
        "sasl_plain_password": str(settings.password),
    }


class KafkaPythonTokens(AbstractTokenProvider):  # type: ignore[misc]  # no annotations there
    """Our tokens, as kafka-python asks for them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def token(self) -> str:
        return self._tokens.token().text


def use_kerberos(settings: BrokerSettings) -> None:
    """See that there is a library for Kerberos, and that it takes the key table that is named.

    Raises:
        MissingPackage: there is none.
        UsageError: the key table cannot be read.
    """
    require_package("--broker-sasl gssapi", "gssapi")
    if settings.keytab is not None:
        check_readable(settings.keytab.removeprefix("FILE:"))
        # MIT's library gets a ticket by it when the cache has none: this one has none.
        os.environ["KRB5_CLIENT_KTNAME"] = settings.keytab
        os.environ["KRB5CCNAME"] = "MEMORY:kadmin"


@contextmanager
def logging_to(failures: FailureLog, log: TextIO | None) -> Iterator[None]:
    """Let kafka-python log into *failures* and *log*, and nowhere else, for a while.

    Its loggers are global, so they are left as they were found, by the last of those who use them
    at the same time on several threads.
    """
    handlers: list[logging.Handler] = [failures]
    if log is not None:
        handlers.append(logging.StreamHandler(log))
    LOGGER.take(handlers, logging.WARNING if log is None else logging.INFO)
    try:
        yield
    finally:
        LOGGER.give_back(handlers)


class ClientLogger:
    """kafka-python's logger, which connections on several threads share."""

    def __init__(self) -> None:
        self._logger = logging.getLogger("kafka")
        self._lock = threading.Lock()
        self._users = 0
        self._before = (self._logger.propagate, self._logger.level)

    def take(self, handlers: Sequence[logging.Handler], level: int) -> None:
        with self._lock:
            if self._users == 0:
                self._before = (self._logger.propagate, self._logger.level)
            self._users += 1
            for handler in handlers:
                self._logger.addHandler(handler)
            self._logger.propagate = False
            self._logger.setLevel(level)

    def give_back(self, handlers: Sequence[logging.Handler]) -> None:
        with self._lock:
            self._users -= 1
            for handler in handlers:
                self._logger.removeHandler(handler)
            if self._users == 0:
                self._logger.propagate, level = self._before
                self._logger.setLevel(level)


LOGGER: Final = ClientLogger()
