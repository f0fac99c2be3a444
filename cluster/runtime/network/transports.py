"""Transports: what carries the bytes of a connection, by its security protocol?"""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from socket import socket
from typing import Final, TypeAlias

from cluster.broker.handling import Peer
from cluster.runtime.network.plaintext_transport import PlaintextTransport
from cluster.runtime.network.transport import Transport

MakeTransport: TypeAlias = Callable[[AbstractEventLoop, socket, Peer], Transport]
"""For a socket that is connected and does not block."""

TRANSPORTS: Final[Mapping[str, MakeTransport]] = {"PLAINTEXT": PlaintextTransport}

KERNEL_DECIDES: Final = -1
"""For the size of a socket's buffer."""
