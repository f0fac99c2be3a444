"""Attempts to log in: after some that failed, the next has to wait.

By address, and by all addresses together: a network of attackers has many.  A program that goes on
with a token that was taken from it repeats one guess, which counts once: others behind its address,
such as all of this machine, need not wait for that.
"""

from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Final

FREE_COUNT: Final = 5
"""A person errs that often before the next attempt has to wait."""
WAIT_S: Final = 2.0
"""Doubled with each attempt that fails."""
WAIT_S_MAX: Final = 300.0
FORGET_S: Final = 3600.0
FAILURES_PER_MINUTE_MAX: Final = 120
ADDRESS_COUNT_MAX: Final = 10_000
GUESSES_MAX: Final = 16
"""How many guesses of an address are remembered, the latest."""


@dataclass(slots=True, kw_only=True)
class Failures:
    """Those of one address: how many, when was the last one, and which were the latest?"""

    count: int
    last_s: float
    guesses: tuple[bytes, ...]

    @property
    def wait_s(self) -> float:
        over = self.count - FREE_COUNT
        return 0.0 if over < 0 else min(WAIT_S * 2.0 ** min(over, 20), WAIT_S_MAX)


class Attempts:
    """What has failed lately; the time is in seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._by_address: OrderedDict[str, Failures] = OrderedDict()
        self._minute = 0
        self._failures_of_minute = 0

    def wait_s(self, address: str, now_s: float) -> float:
        """Return how long *address* has to wait before its next attempt is looked at."""
        if int(now_s // 60) == self._minute and self._failures_of_minute >= FAILURES_PER_MINUTE_MAX:
            return 60.0 * (self._minute + 1) - now_s
        failures = self._by_address.get(network_of(address))
        if failures is None or now_s - failures.last_s >= FORGET_S:
            return 0.0
        return max(0.0, failures.last_s + failures.wait_s - now_s)

    def failed(self, address: str, now_s: float, guess: bytes) -> None:
        """Count an attempt that failed, unless it repeats a *guess* of its address."""
        address = network_of(address)
        failures = self._by_address.get(address)
        if failures is not None and now_s - failures.last_s >= FORGET_S:
            failures = None
        count, guesses = (0, ()) if failures is None else (failures.count, failures.guesses)
        if guess in guesses:
            return
        minute = int(now_s // 60)
        if minute != self._minute:
            self._minute, self._failures_of_minute = minute, 0
        self._failures_of_minute += 1
        self._by_address.pop(address, None)
        latest = (*guesses, guess)[-GUESSES_MAX:]
        self._by_address[address] = Failures(count=count + 1, last_s=now_s, guesses=latest)
        while len(self._by_address) > ADDRESS_COUNT_MAX:
            self._by_address.popitem(last=False)

    def succeeded(self, address: str) -> None:
        """Forget what *address* has failed in."""
        self._by_address.pop(network_of(address), None)


def network_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the network, in which a visitor has very many."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ip_network((int(found) >> 64 << 64, 64)))
