"""Addresses of servers on this machine."""

from typing import Final

LOOPBACK: Final = "127.0.0.1"


def local_address(address: str) -> str:
    """Return where a client of this machine reaches a server that listens on *address*."""
    return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(address, address)


def host_and_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
