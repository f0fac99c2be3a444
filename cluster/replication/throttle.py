"""Replication throttles: which replicas are throttled, and when they exceed their rate.

A broker has two: for what it sends as a leader, and for what it fetches as a follower.  Replicas in
the ISR are never held back, but their bytes count: the rate bounds all throttled replicas.

Source: Kafka's ReplicationQuotaManager and SimpleRate.
"""

from collections import deque
from collections.abc import Container
from typing import Final

from cluster.model.ids import BrokerId

NO_RATE: Final = 2**63 - 1
"""Bytes per second that are never exceeded: Kafka's default."""
SAMPLE_MS: Final = 1000
"""`replication.quota.window.size.seconds`"""
SAMPLES: Final = 11
"""`replication.quota.window.num`"""
EVERY_PARTITION: Final = range(2**31)
NO_PARTITION: Final = range(0)


def throttled_partitions(text: str, broker_id: BrokerId) -> Container[int]:
    """The partitions of a topic that *text*, its list of throttled replicas, names for a broker.

    *text* is a valid config: `*`, or partition:broker, … .
    """
    if text.strip() == "*":
        return EVERY_PARTITION
    pairs = (replica.partition(":") for replica in text.split(",") if replica.strip())
    return frozenset(int(index) for index, _, broker in pairs if int(broker) == broker_id)


class ReplicationThrottle:
    """One direction.  Times are in ms, and do not fall."""

    __slots__ = ("_partitions", "_samples", "rate")

    def __init__(self) -> None:
        self.rate: int = NO_RATE
        """Bytes per second."""
        self._partitions: dict[str, Container[int]] = {}
        self._samples: deque[list[int]] = deque()
        """The start of each, and the bytes moved in it."""

    def throttle(self, topic: str, partitions: Container[int]) -> None:
        """Throttle these partitions of *topic* from now on, and no others of it."""
        self._partitions[topic] = partitions

    def release(self, topic: str) -> None:
        """Throttle nothing of *topic*."""
        self._partitions.pop(topic, None)

    @property
    def is_active(self) -> bool:
        """Whether any replicas are throttled."""
        return bool(self._partitions)

    def is_throttled(self, topic: str, index: int) -> bool:
        return index in self._partitions.get(topic, NO_PARTITION)

    def record(self, size: int, now_ms: int) -> None:
        """Count *size* bytes of throttled replicas as moved now."""
        samples = self._samples
        if not samples or now_ms - samples[-1][0] >= SAMPLE_MS:
            samples.append([now_ms, 0])
            if len(samples) > SAMPLES:
                samples.popleft()
        samples[-1][1] += size

    def is_exceeded(self, now_ms: int) -> bool:
        """Whether the bytes of the window, over the time since it began, exceed the rate."""
        if self.rate == NO_RATE:
            return False
        samples = self._samples
        while samples and now_ms - samples[0][0] >= SAMPLES * SAMPLE_MS:
            samples.popleft()
        if not samples:
            return False
        elapsed_ms = max(now_ms - samples[0][0], SAMPLE_MS)
        return sum(size for _, size in samples) * 1000 > self.rate * elapsed_ms
