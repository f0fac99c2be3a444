"""Connection limits, in all, by address and by listener.

How many connections may come from which address, as `max.connections.per.ip.overrides` has it?

Knows no connection.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cluster.model.config_spec import members, trimmed
from cluster.model.errors import ClusterError


class ConnectionLimits(NamedTuple):
    """How many connections a broker has at the most: `max.connections`, of all and of single
    listeners, and `max.connections.per.ip` with its *overrides*."""

    count_max: int
    per_address_max: int
    overrides: Mapping[str, int]
    per_listener_max: Mapping[str, int]


class InvalidAddressLimits(ClusterError):
    """Members of the list that are not `address:count`."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(f"{', '.join(map(repr, texts))} is not address:count")
        self.texts = tuple(texts)


def parse_address_limits(text: str) -> dict[str, int]:
    """The limits by address; none for empty text.  IPv6 addresses may stand in brackets.

    Raises:
        InvalidAddressLimits: with all members that are wrong.
    """
    limits: dict[str, int] = {}
    wrong: list[str] = []
    for pair in members(trimmed(text)):
        # An address may hold colons, its limit does not.
        address, colon, count = pair.rpartition(":")
        if colon and count.isascii() and count.isdigit():
            limits[address.strip("[]")] = int(count)
        else:
            wrong.append(pair)
    if wrong:
        raise InvalidAddressLimits(wrong)
    return limits
