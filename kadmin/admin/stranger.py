"""A stranger in the place of a ZooKeeper or a broker: what listens there that is none?

Asks as its own clients would, in the clear.  Knows no session.
"""

import socket
import struct
from typing import Final

from cluster.model.address import host_and_port, split_address

PROBE_TIMEOUT_S: Final = 0.5

HTTP_REQUEST: Final = b"GET / HTTP/1.0\r\n\r\n"

CORRELATION_ID: Final = 7
API_VERSIONS: Final = 18
API_VERSIONS_REQUEST: Final = struct.pack(">ihhih", 10, API_VERSIONS, 0, CORRELATION_ID, -1)
"""Size, key, version 0, correlation id, a client id of null: every broker since 0.10 answers."""
FOUR_LETTERS: Final = b"srvr"
OF_ZOOKEEPER: Final = (b"Zookeeper version", b"srvr is not executed", b"This ZooKeeper instance")
"""How it answers that: with its version; that it may not tell; or, without a quorum, that it does
not serve."""

ANSWER_HEAD: Final = struct.Struct(">ii")


def hint_for_stranger(servers: str) -> str | None:
    """The hint for the first of *servers*, `host:port,…`, that is something else than a ZooKeeper;
    None where none of them is known to be.
    """
    for address in servers.split(","):
        host, port = split_address(address)
        if answer_to(HTTP_REQUEST, host, port).startswith(b"HTTP/"):
            return (
                f"{host_and_port(host, port)} speaks HTTP, as ZooKeeper's admin server does;"
                " its port for clients is mostly 2181"
            )
        answer = answer_to(API_VERSIONS_REQUEST, host, port)
        if len(answer) >= ANSWER_HEAD.size and ANSWER_HEAD.unpack_from(answer)[1] == CORRELATION_ID:
            return (
                f"{host_and_port(host, port)} is a Kafka broker:"
                f" --bootstrap-server {host_and_port(host, port)} asks brokers,"
                " and ZooKeeper's port is mostly 2181"
            )
    return None


def hint_for_strange_broker(bootstrap: str) -> str | None:
    """The hint for the first address of *bootstrap* where something else than a broker is; None
    where none of them is known to be."""
    for address in bootstrap.split(","):
        host, port = split_address(address)
        named = host_and_port(host, port)
        if answer_to(FOUR_LETTERS, host, port).startswith(OF_ZOOKEEPER):
            return (
                f"{named} is a ZooKeeper: --zookeeper {named} asks it, and the port of brokers is"
                " mostly 9092"
            )
        if answer_to(HTTP_REQUEST, host, port).startswith(b"HTTP/"):
            return f"{named} speaks HTTP; the port of brokers is mostly 9092"
    return None


def answer_to(request: bytes, host: str, port: int) -> bytes:
    """The first bytes that are said in answer to *request*; none where nobody does in time."""
    try:
        with socket.create_connection((host, port), PROBE_TIMEOUT_S) as connection:
            connection.sendall(request)
            return connection.recv(4096)
    except OSError:
        return b""
