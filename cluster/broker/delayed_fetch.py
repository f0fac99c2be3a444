"""Fetches that wait for enough bytes (Kafka's purgatory of fetches).

Source: Kafka's DelayedFetch.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cluster.broker.broker import Broker
from cluster.broker.fetch_reading import Found, Limits, Want, read_all
from cluster.broker.handling import Cancel
from cluster.broker.partitions import HostedPartition
from cluster.wire.messages.fetch import FetchRequest

Answer: TypeAlias = Callable[[Sequence[Want], Found], None]


def is_enough(found: Found, body: FetchRequest) -> bool:
    """Whether *found* is answered at once."""
    return (
        found.size >= body.min_bytes or found.is_urgent or body.max_wait_ms <= 0 or not found.data
    )


class DelayedFetch:
    """A fetch that waits until there is enough, or its time is up.

    It looks again only when as many bytes have come as were missing, or something else happened,
    so that many small appends to many partitions cost a subtraction each.
    """

    __slots__ = (
        "_answer",
        "_body",
        "_broker",
        "_keys",
        "_limits",
        "_missing",
        "_stop_timer",
        "_wants",
    )

    def __init__(
        self,
        broker: Broker,
        wants: Sequence[Want],
        limits: Limits,
        answer: Answer,
        body: FetchRequest,
        found: Found,
    ) -> None:
        self._broker = broker
        self._wants = wants
        self._limits = limits
        self._answer = answer
        self._body = body
        self._missing = body.min_bytes - found.size
        self._keys: dict[HostedPartition, object] = {}
        self._stop_timer: Cancel | None = None

    def begin(self) -> Cancel:
        for want in self._wants:
            # Nothing was urgent, so all partitions are here.
            assert want.topic is not None
            hosted = self._broker.partitions.find_index(want.topic, want.part.partition)
            assert hosted is not None
            # A partition may be named again and again.
            if hosted not in self._keys:
                replica = hosted.replica
                watch = replica.watch_end if self._limits.is_replica else replica.watch
                self._keys[hosted] = watch(self._look)
        clock = self._broker.ports.clock
        self._stop_timer = clock.call_later(self._body.max_wait_ms, self._time_out)
        return self._end

    def _look(self, size: int) -> None:
        self._missing -= size
        if self._missing > 0 or self._stop_timer is None:
            return
        found = read_all(self._broker, self._wants, self._limits)
        if is_enough(found, self._body):
            self._end()
            self._answer(self._wants, found)
        else:
            self._missing = self._body.min_bytes - found.size

    def _time_out(self) -> None:
        self._end()
        self._answer(self._wants, read_all(self._broker, self._wants, self._limits))

    def _end(self) -> None:
        for hosted, key in self._keys.items():
            hosted.replica.unwatch(key)
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None
