"""The sockets of kazoo: how are they opened, and why did one not get through?

kazoo keeps the reason of a failed attempt to its log; `Failures` listens there.  Knows no znode.
"""

import logging
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any, Final

from kazoo.exceptions import AuthFailedError, ConnectionDropped, SASLException
from kazoo.handlers.threading import KazooTimeoutError

from cluster.model.address import host_and_port
from cluster.zkclient.handler import Handler

CONNECT_TIMEOUT_S: Final = 2.5
"""For one address; kazoo would give a dead host the whole session timeout before the next."""


class Failures(logging.Handler):
    """The newest failure of each address, as kazoo's log reports it.

    *settled* is set when another attempt cannot succeed.
    """

    def __init__(self, settled: threading.Event) -> None:
        super().__init__(logging.WARNING)
        self.settled = settled
        self.is_final = False
        self.address = ""
        self.by_address: dict[str, BaseException] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[1] is not None:
            # kazoo's connection thread dies of what it does not expect.
            self.add(self.address, record.exc_info[1])
            self.give_up()
            return
        arguments = record.args if isinstance(record.args, tuple) else ()
        for argument in arguments:
            if isinstance(argument, socket.gaierror):
                self.add(str(arguments[0]), argument)
            elif isinstance(argument, BaseException):
                # kazoo keeps the socket's own error behind a ConnectionDropped.
                is_wrapper = isinstance(argument, ConnectionDropped)
                self.add(self.address, (is_wrapper and argument.__context__) or argument)

    def add(self, address: str, error: BaseException) -> None:
        # Every address was tried once more before the first of them comes a second time.
        is_second_round = address in self.by_address
        self.by_address[address] = error
        if isinstance(error, AuthFailedError) or (
            is_second_round and all(map(is_refusal, self.by_address.values()))
        ):
            self.give_up()

    def give_up(self) -> None:
        self.is_final = True
        self.settled.set()

    @property
    def denial(self) -> BaseException | None:
        """Return a failure that means refused credentials, if there is one."""
        denials = (AuthFailedError, SASLException)
        return next((e for e in self.by_address.values() if isinstance(e, denials)), None)

    @property
    def tls_error(self) -> ssl.SSLError | None:
        errors = self.by_address.values()
        return next((error for error in errors if isinstance(error, ssl.SSLError)), None)

    def __str__(self) -> str:
        reasons = {address: reason(error) for address, error in self.by_address.items()}
        if len(set(reasons.values())) == 1:
            return next(iter(reasons.values()))
        return "; ".join(f"{address}: {reason}" for address, reason in sorted(reasons.items()))


def is_refusal(error: BaseException) -> bool:
    """Return whether the same attempt would fail again.

    Certificates and names do not change by waiting, and a refused connection counts, too: where no
    server listens, none is about to start, as far as an operator cares.
    """
    if isinstance(error, ConnectionRefusedError | socket.gaierror):
        return True
    return isinstance(error, ssl.SSLError) and not isinstance(
        error, ssl.SSLEOFError | ssl.SSLZeroReturnError
    )


def reason(error: BaseException) -> str:
    """Return why an attempt failed, in an operator's words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"TLS: the server's certificate is not trusted: {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLError):
        words = (error.reason or str(error)).lower().replace("_", " ")
        return f"TLS: {words}"
    if isinstance(error, socket.gaierror):
        return f"the name cannot be resolved ({error.strerror})"
    if isinstance(error, KazooTimeoutError):
        return "the server takes the connection but does not answer"
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    if isinstance(error, ConnectionDropped):
        return "the server closed the connection"
    return f"{type(error).__name__}: {error}"


class Sockets(Handler):
    """kazoo's threads, with our sockets: TLS as checked before, and a bound for each address."""

    def __init__(self, tls: ssl.SSLContext | None, failures: Failures) -> None:
        super().__init__()
        self.tls = tls
        self.failures = failures

    def create_connection(
        self,
        address: tuple[str, int],
        hostname: str | None = None,
        timeout: float = CONNECT_TIMEOUT_S,
        **_kazoo_tls: Any,
    ) -> socket.socket:
        host, port = address
        self.failures.address = host_and_port(host, port)
        connection = socket.create_connection(address, min(timeout, CONNECT_TIMEOUT_S))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls is None:
                return connection
            return self.tls.wrap_socket(connection, server_hostname=hostname or host)
        except BaseException:
            connection.close()
            raise

    def spawn(self, function: Callable[..., None], *args: Any, **kwargs: Any) -> threading.Thread:
        def run() -> None:
            try:
                function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - the thread's outermost; reported to the waiting thread
                self.failures.add(self.failures.address, error)
                self.failures.give_up()

        thread: threading.Thread = super().spawn(run)
        return thread
