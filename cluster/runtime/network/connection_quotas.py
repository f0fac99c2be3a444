"""The limits of connections: in all, per listener and per address.

By `max.connections`, of the broker and of single listeners, `max.connections.per.ip` and its
overrides.  Knows no socket.
"""

from collections import Counter

from cluster.model.address_limits import ConnectionLimits


class ConnectionQuotas:
    """The connections of a broker by listener, and by the address that they come from."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        """A change does not affect existing connections."""
        self._by_address: Counter[str] = Counter()
        self.by_listener: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        """How many were admitted by each listener since the start."""
        self.expired_count = 0
        """How many were closed since they were idle."""
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Whether no connection is accepted until another is closed."""
        return self.count >= self.limits.count_max

    def is_listener_full(self, listener: str) -> bool:
        """Whether no connection is accepted on *listener* until one of it is closed."""
        count_max = self.limits.per_listener_max.get(listener)
        return count_max is not None and self.by_listener[listener] >= count_max

    def address_max(self, address: str) -> int:
        return self.limits.overrides.get(address, self.limits.per_address_max)

    def admit(self, address: str, listener: str) -> bool:
        """Count a connection from *address* by *listener*, unless the address has reached its
        limit."""
        assert not self.is_full
        assert not self.is_listener_full(listener)
        if self._by_address[address] >= self.address_max(address):
            if self._by_address[address] == 0:
                del self._by_address[address]
            return False
        self._by_address[address] += 1
        self.by_listener[listener] += 1
        self.opened[listener] += 1
        self.count += 1
        return True

    def leave(self, address: str, listener: str) -> None:
        """Count a connection from *address* by *listener* as closed."""
        self.count -= 1
        self.by_listener[listener] -= 1
        self._by_address[address] -= 1
        if self._by_address[address] == 0:
            del self._by_address[address]
