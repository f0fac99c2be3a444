"""Connection limits: in all, by address (`max.connections.per.ip.overrides`) and by listener.

Knows no connection.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cluster.model.config_spec import members, trimmed
from cluster.model.errors import ClusterError


class ConnectionLimits(NamedTuple):
    """The maximum numbers of connections: `max.connections`, of the broker and of single listeners,
    and `max.connections.per.ip` with its *overrides*.
    """

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
    """The limits by address; none for empty text.  IPv6 addresses may be in brackets.

    Raises:
        InvalidAddressLimits: with all invalid members.
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
