"""Ports that a server on this machine can listen on.

Knows nothing of the servers.
"""

import os
import random
import socket
from collections.abc import Collection
from typing import Final

from kadmin.errors import KadminError

LISTENING_PORTS: Final = range(20_000, 32_768)
"""Below the ports that Linux and macOS hand to outgoing connections (from 32768 and 49152 on):
a server that was stopped finds its port free again."""


def why_blocked(address: str, port: int) -> str | None:
    """Return why a server cannot listen on *port* of *address*, which is numeric; None when it
    can."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        # As servers do: connections of an earlier server that still linger do not matter.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen(1)
        except OSError as error:
            return os.strerror(error.errno).lower() if error.errno is not None else str(error)
    return None


def free_ports(count: int, address: str, avoid: Collection[int] = ()) -> tuple[int, ...]:
    """Find *count* different free ports of *address*, none of *avoid*.

    They are only likely to be free a moment later: the server has to check again.

    Raises:
        KadminError: there are not that many.
    """
    found: list[int] = []
    # A random order keeps two commands that choose at the same time apart.
    for port in random.sample(LISTENING_PORTS, len(LISTENING_PORTS)):
        if port not in avoid and why_blocked(address, port) is None:
            found.append(port)
            if len(found) == count:
                return tuple(found)
    raise KadminError(f"there are no {count} free ports on {address}", hint="give --port PORT")
