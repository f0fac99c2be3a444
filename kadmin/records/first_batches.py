"""First batches: the partitions whose leaders know a producer, so that several batches may be in
flight.

A leader that does not know a producer takes any of its batches for the first one.  If it refuses
the first for the moment (it does not lead yet or any more, the ISR is too small), and it or the
next leader takes the one behind it, librdkafka believes that it has both: the first is lost, and
reported as delivered.  So the first batch of each partition is sent alone.

Sends nothing itself.  The partition of a key is a guess, as good as the partitioner is known here.
"""

import random
import time
import zlib
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple

ANYWHERE: Final = -1
"""The partition that librdkafka chooses."""

STICKY_S: Final = 0.01
"""So long records without a key go to one partition, as librdkafka has it."""

MASK: Final = 2**32 - 1


class Place(NamedTuple):
    """Where a record goes; *first* is the partition whose first batch it is thought to be in."""

    partition: int
    first: int | None = None


class FirstBatches:
    """What one producer may send to the partitions of one topic.

    *served* of *count* partitions have a leader: records without a key go to others only if there
    are none.  *partitioner* is one of librdkafka's; with one that is not known here nothing waits.
    """

    def __init__(
        self,
        count: int,
        served: Collection[int],
        partitioner: str = "consistent_random",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._partitioner = PARTITIONERS.get(partitioner)
        self._clock = clock
        self._unknown = set(range(count))
        """Partitions that have taken nothing."""
        self._alone: set[int] = set()
        """Those of them whose first batch is under way."""
        self._targets = frozenset(served) or frozenset(range(count))
        """Where records without a key can go."""
        self._sticky: int | None = None
        self._turn_at = 0.0

    @property
    def are_over(self) -> bool:
        """Whether all partitions have taken something, so that nothing waits any more."""
        return not self._unknown

    def place_of(self, partition: int | None, key: bytes | None) -> Place | None:
        """Return where a record with that *key* goes, which names a *partition* or none; None
        for nowhere yet: it waits until another one is settled."""
        wanted = ANYWHERE if partition is None else partition
        if self.are_over or (partition is None and self._partitioner is None):
            return Place(wanted)
        if partition is None:
            assert self._partitioner is not None
            partition = self._partitioner(key, self._count)
            if partition is None:
                return self._place_of_any()
        if partition not in self._unknown:
            return Place(wanted)
        if partition in self._alone:
            return None
        self._alone.add(partition)
        return Place(wanted, partition)

    def _place_of_any(self) -> Place | None:
        """Return a place for a record without a key: one at a time looks for another partition."""
        now = self._clock()
        if self._sticky is not None and now < self._turn_at:
            return Place(self._sticky)
        self._turn_at = now + STICKY_S
        fresh = (self._unknown & self._targets) - self._alone
        if fresh and not (self._sticky is None and self._alone):
            scout = random.choice(sorted(fresh))
            self._alone.add(scout)
            return Place(scout, scout)
        if self._sticky is None:
            return None
        known = [each for each in range(self._count) if each not in self._unknown]
        self._sticky = random.choice(known)
        return Place(self._sticky)

    def settle(self, first: int, taken: int | None) -> None:
        """Note that the first record for the partition *first* was *taken* by that one,
        or by None."""
        self._alone.discard(first)
        if taken is not None:
            self._unknown.discard(taken)
            self._sticky = taken


def by_crc(key: bytes, count: int) -> int:
    return zlib.crc32(key) % count


def by_murmur2(key: bytes, count: int) -> int:
    return (murmur2(key) & 0x7FFFFFFF) % count


def murmur2(data: bytes) -> int:
    """Compute Austin Appleby's hash, as Kafka's Java clients use it: 32 bits, without a sign."""
    multiplier = 0x5BD1E995
    value = 0x9747B28C ^ len(data)
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * multiplier & MASK
        word = (word ^ word >> 24) * multiplier & MASK
        value = (value * multiplier & MASK) ^ word
    if rest := data[whole:]:
        value = (value ^ int.from_bytes(rest, "little")) * multiplier & MASK
    value = (value ^ value >> 13) * multiplier & MASK
    return value ^ value >> 15


PARTITIONERS: Final[Mapping[str, Callable[[bytes | None, int], int | None]]] = {
    "random": lambda key, count: None,
    "consistent": lambda key, count: by_crc(key or b"", count),
    "consistent_random": lambda key, count: by_crc(key, count) if key else None,
    "murmur2": lambda key, count: by_murmur2(key or b"", count),
    "murmur2_random": lambda key, count: None if key is None else by_murmur2(key, count),
}
"""The partition for a key among so many, None for any.

Source: librdkafka's rdkafka_msg.c.
"""
