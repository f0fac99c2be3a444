"""A foreign server in the place of a ZooKeeper or a broker: what answers there?

Asks as its own clients would, in the clear.  Knows no session.
"""

import struct
from collections.abc import Sequence
from functools import partial
from typing import Final

from cluster.model.address import host_and_port, split_address
from kadmin.admin.asking import Asking, Lines

PROBE_TIMEOUT_S: Final = 0.5

HTTP: Final = b"GET / HTTP/1.0\r\n\r\n"

CORRELATION_ID: Final = 7
API_VERSIONS: Final = struct.pack(">ihhih", 10, 18, 0, CORRELATION_ID, -1)
"""Size, key, version 0, correlation id, a client id of null: every broker since 0.10 answers."""
FOUR_LETTERS: Final = b"srvr"
OF_ZOOKEEPER: Final = (b"Zookeeper version", b"srvr is not executed", b"This ZooKeeper instance")
"""How ZooKeeper answers that: with its version, with a refusal of the command, or, without a
quorum, with the statement that it does not serve."""

ANSWER_HEAD: Final = struct.Struct(">ii")


def hint_for_foreign_server(servers: str) -> str | None:
    """Return the hint for the first of *servers*, `host:port,…`, that is something else than a
    ZooKeeper; None where none of them is known to be."""
    addresses = servers.split(",")
    for address, replies in zip(addresses, answers_of(addresses, HTTP, API_VERSIONS), strict=True):
        named = host_and_port(*split_address(address))
        if replies[HTTP].startswith(b"HTTP/"):
            return (
                f"{named} speaks HTTP, as ZooKeeper's admin server does;"
                " its port for clients is mostly 2181"
            )
        answer = replies[API_VERSIONS]
        if len(answer) >= ANSWER_HEAD.size and ANSWER_HEAD.unpack_from(answer)[1] == CORRELATION_ID:
            return (
                f"{named} is a Kafka broker:"
                f" --bootstrap-server {named} asks brokers,"
                " and ZooKeeper's port is mostly 2181"
            )
    return None


def hint_for_foreign_broker(bootstrap: str) -> str | None:
    """Return the hint for the first address of *bootstrap* where something else than a broker
    is; None where none of them is known to be."""
    addresses = bootstrap.split(",")
    for address, replies in zip(addresses, answers_of(addresses, FOUR_LETTERS, HTTP), strict=True):
        named = host_and_port(*split_address(address))
        if replies[FOUR_LETTERS].startswith(OF_ZOOKEEPER):
            return (
                f"{named} is a ZooKeeper: --zookeeper {named} asks it, and the port of brokers is"
                " mostly 9092"
            )
        if replies[HTTP].startswith(b"HTTP/"):
            return f"{named} speaks HTTP; the port of brokers is mostly 9092"
    return None


def answers_of(addresses: Sequence[str], *requests: bytes) -> list[dict[bytes, bytes]]:
    """Return the first bytes that each of *addresses* sends in reply to each of *requests*.

    All are asked at the same time; a reply is empty where none arrives in time.
    """
    lines = Lines()
    questions = [(address, request) for address in addresses for request in requests]
    with Asking(questions, partial(answer_to, lines), lines) as asking:
        replies = asking.answers(2 * PROBE_TIMEOUT_S)
    return [
        {request: replies.get((address, request), b"") for request in requests}
        for address in addresses
    ]


def answer_to(lines: Lines, question: tuple[str, bytes]) -> bytes:
    """Return the first bytes of the reply to a request at an address; empty if none arrives in
    time."""
    address, request = question
    try:
        with lines.connect(split_address(address), PROBE_TIMEOUT_S) as connection:
            connection.sendall(request)
            return connection.recv(4096)
    except (OSError, ValueError):
        return b""
