"""ZooKeeper's multiRead: many nodes' data, or children, in one request.

Servers from 3.6 on support it (op code 22), each item with its own result or error.  kazoo has no
call for it, so this uses kazoo's own connection.  Older servers answer that they do not know it,
and close the connection.

Source: org.apache.zookeeper.MultiOperationRecord, ZOOKEEPER-1575.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kazoo.exceptions import EXCEPTIONS, NoNodeError
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

STAT_FIELDS: Final = struct.Struct("!qqqqi8xq16x")
"""Of a Stat: czxid, mzxid, ctime, mtime, version, owner; other versions and sizes left out."""


class MultiRead:
    """A request for kazoo's connection: *operation* on *paths*, which lie below *chroot*.

    The operation is GET_DATA or GET_CHILDREN.  The response is one item per path: a `Znode` or a
    list of names, None where there is no node, or the exception of that item alone.
    """

    type = 22

    def __init__(self, operation: int, chroot: str, paths: Sequence[str]) -> None:
        self.operation = operation
        self.paths = paths
        self.full_paths = [chroot + path.rstrip("/") or "/" for path in paths]

    def serialize(self) -> bytes:
        header = MultiHeader(self.operation, False, -1).serialize()
        parts = [header + write_string(path) + NO_WATCH for path in self.full_paths]
        return b"".join([*parts, multiheader_struct.pack(-1, True, -1)])

    def deserialize(self, buffer: bytes, offset: int) -> list[Any]:
        results: list[Any] = []
        for path in self.paths:
            # This runs once for each znode that is read, so two of kazoo's helpers are inlined.
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
                czxid, mzxid, ctime_ms, mtime_ms, version, owner = STAT_FIELDS.unpack_from(
                    buffer, offset
                )
                offset += STAT_FIELDS.size
                results.append(Znode(path, data, version, czxid, ctime_ms, mtime_ms, owner, mzxid))
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


def batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """*paths* in their order, in parts of as many as one request may have."""
    for start in range(0, len(paths), PATHS_PER_REQUEST):
        yield paths[start : start + PATHS_PER_REQUEST]
