"""Sequences of ZooKeeper requests, carried out one after the other by a blocking connection.

Reads are batched by the connection into few round trips.  What ZooKeeper refuses is raised, and
`connect` reports it to the operator; only a lost reply to a transaction is passed on to the
sequence, which judges it.
"""

import time
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from kazoo.exceptions import (
    ConnectionClosedError,
    ConnectionLoss,
    InvalidACLError,
    NoAuthError,
    NoNodeError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from cluster.coordination import transaction
from cluster.zk.requests import (
    GetChildren,
    GetData,
    GetMany,
    Lost,
    Multi,
    SingleRequest,
    Sync,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Steps, from_singles, in_singles, run
from cluster.zkclient.kazoo_requests import ERRORS, Started, begin, first_failure, reply_to, size_of
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied, denying
from kadmin.errors import KadminError, UnreachableError

LOST: Final = (ConnectionLoss, ConnectionClosedError, SessionExpiredError, KazooTimeoutError)

JUTE_MAXBUFFER_BYTES: Final = 1_048_575
"""What a ZooKeeper takes in one request, unless its jute.maxbuffer is set."""

T = TypeVar("T")


class OutcomeUnknown(UnreachableError):
    """The connection was lost after a transaction was sent and could not be asked about it."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the connection to ZooKeeper was lost while {path} was written ({reason}):"
            " it was written completely or not at all",
            hint="see with a describe which it is, then run the command again if need be",
        )
        self.path = path


class TooLarge(KadminError):
    """The servers drop a connection that sends more than their jute.maxbuffer."""

    def __init__(self, path: str, size_bytes: int) -> None:
        super().__init__(
            f"ZooKeeper does not take {path}: {size_bytes:,} bytes in one transaction; nothing was"
            " written",
            hint=f"servers and brokers take {JUTE_MAXBUFFER_BYTES:,} bytes unless their"
            " jute.maxbuffer says more: use fewer partitions",
        )
        self.path = path


def run_blocking(connection: Connection, steps: Steps[T]) -> T:
    """Carry *steps* out, and return their result.

    Raises:
        ZooKeeperDenied: an ACL forbids a transaction; names the path.
        OutcomeUnknown: the connection stayed lost after a transaction was sent, or another client
            has written there since.
        TooLarge: it was lost every time, and the servers' limit is the likely reason.
    """
    server = Server(connection)
    try:
        with denying(connection.settings.connect):
            return run(steps, server.serve)
    except transaction.NeverAnswered as error:
        raise server.never_answered(error.path) from error
    except transaction.OutcomeUnknown as error:
        raise OutcomeUnknown(error.path, "and it has been changed since") from error


class Server:
    """Who answers a sequence of requests, within the settings' timeout from its first write on."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.deadline: float | None = None
        self.unanswered: tuple[Multi, Exception] | None = None
        """The latest transaction, while it is the question whether it landed, and why it is."""

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        try:
            return tuple(self.replies_to(requests))
        except LOST as error:
            if self.unanswered is None:
                raise
            request, cause = self.unanswered
            path = next(one.path for one in request.operations if transaction.leaves_trace(one))
            raise OutcomeUnknown(path, type(cause).__name__) from error

    def replies_to(self, requests: Sequence[ZkRequest]) -> Sequence[ZkReply]:
        if all(isinstance(request, GetData | GetChildren | GetMany) for request in requests):
            return self.connection.reader.replies_to(requests)
        singles = in_singles(requests)
        started = [self.begin(request) for request in singles]
        replies = [
            self.reply(request, waiting) for request, waiting in zip(singles, started, strict=True)
        ]
        return from_singles(requests, replies)

    def begin(self, request: SingleRequest) -> Started:
        if isinstance(request, Sync):
            self.connection.reader.wait_until_connected(self.time_out())
        return begin(request, self.connection.client)

    def reply(self, request: SingleRequest, waiting: Started) -> ZkReply:
        timeout_s = max(0.0, self.time_out() - time.monotonic())
        try:
            result = waiting.get(timeout=timeout_s)
        except NoNodeError as error:
            return reply_to(request, error)
        except LOST as error:
            if not isinstance(request, Multi):
                raise
            self.unanswered = (request, error)
            return Lost()
        if isinstance(request, Multi):
            self.unanswered = None
            self.raise_refusal(request, result)
        return reply_to(request, result)

    def raise_refusal(self, request: Multi, results: Sequence[Any]) -> None:
        failed = first_failure(results)
        if failed is None or type(failed[1]) in ERRORS:
            return
        index, failure = failed
        if isinstance(failure, NoAuthError | InvalidACLError):
            path = request.operations[index].path
            raise ZooKeeperDenied(
                self.connection.settings.connect, f"{type(failure).__name__} for {path}"
            ) from failure
        raise failure

    def never_answered(self, path: str) -> KadminError:
        """Return why the transaction, which writes *path* first, can have been lost every time."""
        assert self.unanswered is not None
        request, _ = self.unanswered
        size_bytes = size_of(self.connection.client, request)
        if size_bytes > JUTE_MAXBUFFER_BYTES:
            return TooLarge(request.operations[-1].path, size_bytes)
        return OutcomeUnknown(path, f"{transaction.SENDS_MAX} times in a row")

    def time_out(self) -> float:
        if self.deadline is None:
            self.deadline = time.monotonic() + self.connection.settings.timeout_s
        return self.deadline
