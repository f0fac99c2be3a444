"""Batched reads: how are many znodes read in few round trips?

Carries out requests that only read, as many as are handed over together in one round trip.
ZooKeeper 3.6 and later answer a multiRead (op code 22): a list of getData and getChildren in one
request, each item with its own result or error.  kazoo has no call for it, so a request object of
ours goes through kazoo's own connection.  Older servers drop the connection on an op code that
they do not know; for them the same reads are pipelined one by one.  Which way is open is found
out once per connection.

Source: org.apache.zookeeper.MultiOperationRecord, ZOOKEEPER-1575.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import (
    ConnectionLoss,
    KazooException,
    NoAuthError,
    NoNodeError,
    UnimplementedError,
)
from kazoo.handlers.threading import KazooTimeoutError

from cluster.zk.requests import (
    Children,
    GetChildren,
    GetData,
    GetMany,
    Many,
    Refused,
    ZkReply,
    ZkRequest,
)
from cluster.zkclient.multi_read import (
    GET_CHILDREN,
    GET_DATA,
    PATHS_PER_REQUEST,
    MultiRead,
    batches,
)
from kadmin.budget import Budget

Item = TypeVar("Item")


class ReadMode(Enum):
    UNKNOWN = "unknown"
    BATCHED = "batched"
    PIPELINED = "pipelined"


class Part(NamedTuple):
    """One *operation* on all of *paths*; *use* makes of each item what is wanted of it."""

    operation: int
    paths: Sequence[str]
    use: Callable[[Any], Any]


class BatchedReader:
    """Reads many znodes over one kazoo client; *round_trips* counts the waits for an answer.

    A lost connection is waited for and the read made again, within the *budget*.
    """

    def __init__(
        self, client: KazooClient, budget: Budget, *, mode: ReadMode = ReadMode.UNKNOWN
    ) -> None:
        self.client: Any = client
        self.budget = budget
        self.mode = mode
        self.round_trips = 0

    def replies_to(self, requests: Sequence[ZkRequest]) -> tuple[ZkReply, ...]:
        """Return the reply to each of *requests*, which only read data and children and arm no
        watch.

        What is decoded is decoded while the server still works on what comes after, and again when
        the connection was lost in between.

        What may not be read is answered by `Refused`.
        """
        groups = [list(group) for _, group in groupby(requests, type)]
        parts = [part for group in groups for part in parts_of(group)]
        results = iter(self.run(parts))
        return tuple(reply for group in groups for reply in replies_of(group, results))

    def run(self, parts: Sequence[Part]) -> list[list[Any]]:
        """Return what became of each path of each of *parts*; kazoo's error where one may not be
        read."""
        if not any(part.paths for part in parts):
            return [[] for _ in parts]
        with self.budget.spending() as left_s:
            return self.run_until(parts, time.monotonic() + left_s)

    def run_until(self, parts: Sequence[Part], deadline: float) -> list[list[Any]]:
        while True:
            try:
                return self.run_once(parts, deadline)
            except UnimplementedError:
                self.mode = ReadMode.PIPELINED
                self.await_drop(deadline)
            except ConnectionLoss:
                if time.monotonic() >= deadline:
                    raise
            self.wait_until_connected(deadline)

    def run_once(self, parts: Sequence[Part], deadline: float) -> list[list[Any]]:
        if self.mode is ReadMode.PIPELINED:
            return self.pipelined(parts, deadline)
        if self.mode is ReadMode.BATCHED:
            return self.batched(parts, deadline)
        # The first request goes alone: an old server answers it by dropping the connection, and
        # with it whatever else is in flight.
        number = next(number for number, part in enumerate(parts) if part.paths)
        part = parts[number]
        [begun] = self.batched([part._replace(paths=part.paths[:PATHS_PER_REQUEST])], deadline)
        self.mode = ReadMode.BATCHED
        left = part._replace(paths=part.paths[PATHS_PER_REQUEST:])
        rest = [*parts[:number], left, *parts[number + 1 :]]
        is_done = not any(each.paths for each in rest)
        results = [[] for _ in parts] if is_done else self.batched(rest, deadline)
        results[number] = begun + results[number]
        return results

    def batched(self, parts: Sequence[Part], deadline: float) -> list[list[Any]]:
        self.round_trips += 1
        sent = [
            [self.send(part.operation, batch) for batch in batches(part.paths)] for part in parts
        ]
        return [
            [
                item if item is None or isinstance(item, KazooException) else part.use(item)
                for answer in gather(requests, deadline)
                for item in answer
            ]
            for part, requests in zip(parts, sent, strict=True)
        ]

    def send(self, operation: int, paths: Sequence[str]) -> Any:
        waiting = self.client.handler.async_result()
        self.client._call(MultiRead(operation, self.client.chroot, paths), waiting)
        return waiting

    def pipelined(self, parts: Sequence[Part], deadline: float) -> list[list[Any]]:
        self.round_trips += 1
        sent = [[self.ask(part.operation, path) for path in part.paths] for part in parts]
        return [
            [
                self.answer(part, path, answer)
                for path, answer in zip(part.paths, gather(requests, deadline), strict=True)
            ]
            for part, requests in zip(parts, sent, strict=True)
        ]

    def ask(self, operation: int, path: str) -> Any:
        if operation == GET_DATA:
            return self.client.get_async(path)
        return self.client.get_children_async(path)

    def answer(self, part: Part, path: str, answer: Any) -> Any:
        # Only old servers need it, and what only lists names shall import no more than that takes.
        from cluster.zkclient.kazoo_requests import znode_of

        if isinstance(answer, NoNodeError):
            return None
        if isinstance(answer, NoAuthError):
            return NoAuthError(path)
        return part.use(znode_of(path, answer) if part.operation == GET_DATA else sorted(answer))

    def await_drop(self, deadline: float) -> None:
        """Let one small read be lost instead of thousands.

        An old server closes the connection right behind its refusal, and what is sent before kazoo
        notices gets no answer.
        """
        with suppress(ConnectionLoss):
            self.client.exists_async("/").get(timeout=max(0.0, deadline - time.monotonic()))

    def wait_until_connected(self, deadline: float) -> None:
        while not self.client.connected:
            if time.monotonic() >= deadline:
                raise KazooTimeoutError("not connected again in time")
            time.sleep(0.01)


def parts_of(group: Sequence[ZkRequest]) -> list[Part]:
    """Return how requests of one type are sent: those for single nodes as one."""
    many = [each for each in group if isinstance(each, GetMany)]
    if many:
        return [Part(GET_DATA, each.paths, each.decode) for each in many]
    nodes = [each.path for each in group if isinstance(each, GetData)]
    if nodes:
        return [Part(GET_DATA, nodes, unchanged)]
    parents = [each.path for each in group if isinstance(each, GetChildren)]
    assert parents, "not only reads of data and children"
    return [Part(GET_CHILDREN, parents, children_of)]


def replies_of(group: Sequence[ZkRequest], results: Iterator[list[Any]]) -> Iterator[ZkReply]:
    """Return the replies to requests of one type, from the *results* of their `parts_of`."""
    if isinstance(group[0], GetMany):
        for _ in group:
            items = next(results)
            yield Many([refusal(i) if isinstance(i, KazooException) else i for i in items])
        return
    for item in next(results):
        yield refusal(item) if isinstance(item, KazooException) else item


def refusal(error: KazooException) -> Refused:
    """Return the refusal of one node that *error* means; re-raise any other error."""
    if isinstance(error, NoAuthError):
        return Refused(str(error))
    raise error


def children_of(names: Sequence[str]) -> Children:
    return Children(tuple(names))


def gather(requests: Sequence[Any], deadline: float) -> Iterator[Any]:
    """Return the answers in order.

    That a node is missing or denied is one, other errors are raised.
    """
    for request in requests:
        try:
            yield request.get(timeout=max(0.0, deadline - time.monotonic()))
        except (NoNodeError, NoAuthError) as error:
            yield error


def unchanged(item: Item) -> Item:
    return item
