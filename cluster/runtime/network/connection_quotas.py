"""The limits of connections, in all, per listener and per address: may one more client connect?

Counts by `max.connections`, of the broker and of single listeners, `max.connections.per.ip` and its
overrides.  Knows no socket.
"""

from collections import Counter

from cluster.model.address_limits import ConnectionLimits


class ConnectionQuotas:
    """The connections of a broker by listener, and by the address that they come from."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        """Whoever is connected stays when it changes."""
        self._by_address: Counter[str] = Counter()
        self._by_listener: Counter[str] = Counter()
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Whether nobody is admitted until somebody leaves."""
        return self.count >= self.limits.count_max

    def is_listener_full(self, listener: str) -> bool:
        """Whether nobody is admitted by *listener* until somebody of it leaves."""
        count_max = self.limits.per_listener_max.get(listener)
        return count_max is not None and self._by_listener[listener] >= count_max

    def address_max(self, address: str) -> int:
        return self.limits.overrides.get(address, self.limits.per_address_max)

    def admit(self, address: str, listener: str) -> bool:
        """Count a connection from *address* by *listener*, unless the address has as many as it
        may."""
        assert not self.is_full
        assert not self.is_listener_full(listener)
        if self._by_address[address] >= self.address_max(address):
            if self._by_address[address] == 0:
                del self._by_address[address]
            return False
        self._by_address[address] += 1
        self._by_listener[listener] += 1
        self.count += 1
        return True

    def leave(self, address: str, listener: str) -> None:
        """Count a connection from *address* by *listener* as gone."""
        self.count -= 1
        self._by_listener[listener] -= 1
        self._by_address[address] -= 1
        if self._by_address[address] == 0:
            del self._by_address[address]
