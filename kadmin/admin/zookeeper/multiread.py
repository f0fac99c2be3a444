"""Batched reads: how are many znodes read in few round trips?

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
from typing import Any, Final, TypeVar

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

    def read(self, paths: Sequence[str], denied: list[str] | None = None) -> list[Znode | None]:
        """The znodes at *paths*, in their order; None where there is none.

        One that may not be read is None, too, and its path joins *denied*; without that list it
        raises kazoo's NoAuthError.
        """
        return self.read_each(paths, unchanged, denied)

    def read_each(
        self,
        paths: Sequence[str],
        decode: Callable[[Znode], Item],
        denied: list[str] | None = None,
    ) -> list[Item | None]:
        """What *decode* makes of each znode, else as `read`.

        It is called while the server still works on what comes after, and again for all of them
        when the connection was lost in between.
        """
        results = self.run(GET_DATA, paths, decode)
        for place, result in enumerate(results):
            if isinstance(result, NoAuthError) and denied is not None:
                denied.append(paths[place])
                results[place] = None
            elif isinstance(result, KazooException):
                raise result
        return results

    def children(self, paths: Sequence[str]) -> list[list[str] | None]:
        """The names below each of *paths*, sorted; None where there is no such node."""
        results = self.run(GET_CHILDREN, paths, unchanged)
        for result in results:
            if isinstance(result, KazooException):
                raise result
        return results

    def run(self, operation: int, paths: Sequence[str], use: Callable[[Any], Any]) -> list[Any]:
        if not paths:
            return []
        deadline = time.monotonic() + self.timeout_s
        while True:
            try:
                return self.run_once(operation, paths, use, deadline)
            except UnimplementedError:
                self.mode = ReadMode.PIPELINED
                self.await_drop(deadline)
            except ConnectionLoss:
                if time.monotonic() >= deadline:
                    raise
            self.wait_until_connected(deadline)

    def run_once(
        self, operation: int, paths: Sequence[str], use: Callable[[Any], Any], deadline: float
    ) -> list[Any]:
        if self.mode is ReadMode.PIPELINED:
            return self.pipelined(operation, paths, use, deadline)
        if self.mode is ReadMode.BATCHED:
            return self.batched(operation, paths, use, deadline)
        # The first request goes alone: an old server answers it by dropping the connection, and
        # with it whatever else is in flight.
        first, rest = paths[:PATHS_PER_REQUEST], paths[PATHS_PER_REQUEST:]
        results = self.batched(operation, first, use, deadline)
        self.mode = ReadMode.BATCHED
        return results + (self.batched(operation, rest, use, deadline) if rest else [])

    def batched(
        self, operation: int, paths: Sequence[str], use: Callable[[Any], Any], deadline: float
    ) -> list[Any]:
        self.round_trips += 1
        requests = [self.send(operation, batch) for batch in batches(paths, PATHS_PER_REQUEST)]
        return [
            item if item is None or isinstance(item, KazooException) else use(item)
            for answer in gather(requests, deadline)
            for item in answer
        ]

    def send(self, operation: int, paths: Sequence[str]) -> Any:
        chroot = self.client.chroot
        full_paths = [chroot + path.rstrip("/") or "/" for path in paths]
        waiting = self.client.handler.async_result()
        self.client._call(MultiRead(operation, paths, full_paths), waiting)
        return waiting

    def pipelined(
        self, operation: int, paths: Sequence[str], use: Callable[[Any], Any], deadline: float
    ) -> list[Any]:
        # Only old servers need it, and what only lists names shall import no more than that takes.
        from cluster.zkclient.kazoo_requests import znode_of

        ask: Callable[[str], Any] = (
            self.client.get_async if operation == GET_DATA else self.client.get_children_async
        )
        self.round_trips += 1
        results: list[Any] = []
        for path, answer in zip(
            paths, gather([ask(path) for path in paths], deadline), strict=True
        ):
            if isinstance(answer, NoNodeError):
                results.append(None)
            elif isinstance(answer, NoAuthError):
                results.append(answer)
            elif operation == GET_DATA:
                results.append(use(znode_of(path, answer)))
            else:
                results.append(use(sorted(answer)))
        return results

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
