"""Batched reads: how are many znodes read in few round trips?

Carries out requests that only read, as many as are handed over together in one round trip.
ZooKeeper 3.6 and later answer a multiRead (op code 22): a list of getData and getChildren in one
request, each item with its own result or error.  kazoo has no call for it, so a request object of
ours goes through kazoo's own connection.  Older servers drop the connection on an op code that
they do not know; for them the same reads are pipelined one by one.  Which way is open is found
out once per connection.

Source: org.apache.zookeeper.MultiOperationRecord, ZOOKEEPER-1575.
"""

import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import (
    EXCEPTIONS,
    ConnectionLoss,
    KazooException,
    NoAuthError,
    NoNodeError,
    UnimplementedError,
)
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.protocol.serialization import (
    MultiHeader,
    int_struct,
    multiheader_struct,
    read_string,
    write_string,
)

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
from cluster.zk.znode import Znode

GET_DATA: Final = 4
GET_CHILDREN: Final = 8
ERROR: Final = -1
NO_NODE: Final = NoNodeError.code
NO_WATCH: Final = b"\0"

PATHS_PER_REQUEST: Final = 500
"""500 paths of the longest legal name stay well below jute.maxbuffer (1 MiB) of a request."""

STAT_FIELDS: Final = struct.Struct("!q8xqqi8xq16x")
"""Of a Stat: czxid, ctime, mtime, version, owner; mzxid, the other versions and sizes left out."""

Item = TypeVar("Item")


class ReadMode(Enum):
    UNKNOWN = "unknown"
    BATCHED = "batched"
    PIPELINED = "pipelined"


class MultiRead:
    """A request for kazoo's connection: *operation* (GET_DATA or GET_CHILDREN) on *paths*.

    *paths* are what the caller calls the nodes, *full_paths* the same with the chroot in front.
    The response is one item per path: a `Znode` or a list of names, None where there is no node,
    or the exception of that item alone.
    """

    type = 22

    def __init__(self, operation: int, paths: Sequence[str], full_paths: Sequence[str]) -> None:
        self.operation = operation
        self.paths = paths
        self.full_paths = full_paths

    def serialize(self) -> bytes:
        header = MultiHeader(self.operation, False, -1).serialize()
        parts = [header + write_string(path) + NO_WATCH for path in self.full_paths]
        return b"".join([*parts, multiheader_struct.pack(-1, True, -1)])

    def deserialize(self, buffer: bytes, offset: int) -> list[Any]:
        results: list[Any] = []
        for path in self.paths:
            # This runs once for each znode of a describe, so two of kazoo's helpers stand in line.
            kind, done, _ = multiheader_struct.unpack_from(buffer, offset)
            offset += multiheader_struct.size
            assert not done, "fewer results than operations"
            if kind == GET_DATA:
                (length,) = int_struct.unpack_from(buffer, offset)
                offset += int_struct.size
                data = None
                if length >= 0:
                    data = buffer[offset : offset + length]
                    offset += length
                czxid, ctime_ms, mtime_ms, version, owner = STAT_FIELDS.unpack_from(buffer, offset)
                offset += STAT_FIELDS.size
                results.append(Znode(path, data, version, czxid, ctime_ms, mtime_ms, owner))
            elif kind == GET_CHILDREN:
                names, offset = read_names(buffer, offset)
                results.append(names)
            else:
                assert kind == ERROR, kind
                (code,) = int_struct.unpack_from(buffer, offset)
                offset += int_struct.size
                results.append(None if code == NO_NODE else EXCEPTIONS[code](path))
        return results


def read_names(buffer: bytes, offset: int) -> tuple[list[str], int]:
    (count,) = int_struct.unpack_from(buffer, offset)
    offset += int_struct.size
    names = []
    for _ in range(count):
        name, offset = read_string(buffer, offset)
        names.append(name)
    names.sort()
    return names, offset


class Part(NamedTuple):
    """One *operation* on all of *paths*; *use* makes of each item what is wanted of it."""

    operation: int
    paths: Sequence[str]
    use: Callable[[Any], Any]


class BatchedReader:
    """Reads many znodes over one kazoo client; *round_trips* counts the waits for an answer.

    A lost connection is waited for and the read made again, within *timeout_s* in all.
    """

    def __init__(
        self, client: KazooClient, *, timeout_s: float, mode: ReadMode = ReadMode.UNKNOWN
    ) -> None:
        self.client: Any = client
        self.timeout_s = timeout_s
        self.mode = mode
        self.round_trips = 0

    def replies_to(self, requests: Sequence[ZkRequest]) -> tuple[ZkReply, ...]:
        """The reply to each of *requests*, which only read data and children and arm no watch.

        What is decoded is decoded while the server still works on what comes after, and again when
        the connection was lost in between.

        Raises:
            NoAuthError: a node may not be read, and was not one of many.
        """
        groups = [list(group) for _, group in groupby(requests, type)]
        parts = [part for group in groups for part in parts_of(group)]
        results = iter(self.run(parts))
        return tuple(reply for group in groups for reply in replies_of(group, results))

    def run(self, parts: Sequence[Part]) -> list[list[Any]]:
        """What became of each path of each of *parts*; kazoo's error where one may not be read."""
        if not any(part.paths for part in parts):
            return [[] for _ in parts]
        deadline = time.monotonic() + self.timeout_s
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
            [self.send(part.operation, batch) for batch in batches(part.paths, PATHS_PER_REQUEST)]
            for part in parts
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
        chroot = self.client.chroot
        full_paths = [chroot + path.rstrip("/") or "/" for path in paths]
        waiting = self.client.handler.async_result()
        self.client._call(MultiRead(operation, paths, full_paths), waiting)
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
    """How requests of one type are sent: those for single nodes as one."""
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
    """The replies to requests of one type, from the *results* of their `parts_of`."""
    if isinstance(group[0], GetMany):
        for _ in group:
            items = next(results)
            yield Many([refusal(i) if isinstance(i, KazooException) else i for i in items])
        return
    for item in next(results):
        if isinstance(item, KazooException):
            raise item
        yield item


def refusal(error: KazooException) -> Refused:
    """What *error* says of one of many nodes; raises it where it says more than that."""
    if isinstance(error, NoAuthError):
        return Refused(str(error))
    raise error


def children_of(names: Sequence[str]) -> Children:
    return Children(tuple(names))


def gather(requests: Sequence[Any], deadline: float) -> Iterator[Any]:
    """The answers in order; that a node is missing or denied is one, other errors are raised."""
    for request in requests:
        try:
            yield request.get(timeout=max(0.0, deadline - time.monotonic()))
        except (NoNodeError, NoAuthError) as error:
            yield error


def unchanged(item: Item) -> Item:
    return item


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
