"""A probe of a broker: does it answer on its port, and is it registered?

Asks the broker by the one request that every client begins with, and the ZooKeepers by a
four-letter word: neither needs a client library or a session.  Knows no process.
"""

import re
import socket
import struct
from collections.abc import Iterable
from typing import Final

from kadmin.errors import KadminError
from kadmin.local.zookeeper_probe import four_letter_word

ANSWER_TIMEOUT_S: Final = 1.0
"""A broker answers at once; one that is busy with requests, after those."""

CORRELATION_ID: Final = 0x6B61646D
API_VERSIONS: Final = struct.pack(">hhih", 18, 0, CORRELATION_ID, -1)
"""ApiVersions, version 0, from a client without a name."""

FRAME_HEADER: Final = struct.Struct(">i")
ANSWER_BEGIN: Final = struct.Struct(">ih")

EPHEMERALS: Final = "Sessions with Ephemerals"
CONNECTIONS: Final = "Connections dump"
NOT_ALLOWED: Final = "is not in the whitelist"


class TooOld(KadminError):
    """A ZooKeeper that an earlier kadmin started cannot report which brokers are registered."""

    def __init__(self) -> None:
        super().__init__(
            "the ZooKeepers were started by an earlier kadmin and do not report which brokers are"
            " registered",
            hint="stop and start the cluster once: 'kadmin cluster down', then 'kadmin cluster up'",
        )


def answers(address: str, port: int) -> bool:
    """Return whether a broker at *port* of *address* answers, within `ANSWER_TIMEOUT_S`."""
    try:
        with socket.create_connection((address, port), timeout=ANSWER_TIMEOUT_S) as connection:
            connection.sendall(FRAME_HEADER.pack(len(API_VERSIONS)) + API_VERSIONS)
            with connection.makefile("rb") as stream:
                begin = stream.read(FRAME_HEADER.size + ANSWER_BEGIN.size)
    except OSError:
        return False
    if len(begin) < FRAME_HEADER.size + ANSWER_BEGIN.size:
        return False
    return ANSWER_BEGIN.unpack_from(begin, FRAME_HEADER.size) == (CORRELATION_ID, 0)


def registered_brokers(zookeepers: Iterable[tuple[str, int]]) -> frozenset[int]:
    """Return the ids of the brokers whose registration is held by a connection at this moment.

    A registration that a killed broker left behind stays until its session expires: it does not
    count.  *zookeepers* are address and port of all members of the ensemble; those that do not
    answer count as having no connections.

    Raises:
        TooOld: they do not answer this question.
    """
    owners: dict[int, str] = {}
    connected: set[str] = set()
    for address, port in zookeepers:
        text = four_letter_word("dump", address, port)
        if text is None:
            continue
        if NOT_ALLOWED in text:
            raise TooOld
        ephemerals, _, connections = text.partition(CONNECTIONS)
        owners |= registrations(ephemerals.partition(EPHEMERALS)[2])
        connected |= set(re.findall(r"sessionId: (0x[0-9a-f]+)", connections))
    return frozenset(broker_id for broker_id, session in owners.items() if session in connected)


def registrations(text: str) -> dict[int, str]:
    """Return the session that each broker is registered by, from ZooKeeper's list of sessions'
    nodes."""
    found: dict[int, str] = {}
    session = ""
    for line in text.splitlines():
        node = re.fullmatch(r"\t/brokers/ids/([0-9]+)", line)
        if node is not None:
            found[int(node[1])] = session
        elif line.startswith("0x"):
            session = line.rstrip(":")
    return found
