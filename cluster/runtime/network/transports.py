"""Transports by security protocol."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from socket import socket
from typing import Final, TypeAlias

from cluster.broker.handling import Peer
from cluster.runtime.network.plaintext_transport import PlaintextTransport
from cluster.runtime.network.transport import Transport

MakeTransport: TypeAlias = Callable[[AbstractEventLoop, socket, Peer], Transport]
"""For a connected, non-blocking socket."""

TRANSPORTS: Final[Mapping[str, MakeTransport]] = {"PLAINTEXT": PlaintextTransport}

KERNEL_DECIDES: Final = -1
"""The value for a buffer size of sockets that leaves it to the kernel."""
