"""Notifications to systemd, or a compatible service manager, that the broker serves or stops.

One datagram to the socket in `NOTIFY_SOCKET`; without it nothing is sent.
"""

import os
import socket
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"


def notify(state: str) -> None:
    """Send *state* to the service manager; one that does not listen is no failure of the broker."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        # Linux's abstract sockets begin with a zero byte, which no variable can hold.
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(state.encode("ascii"), address)
