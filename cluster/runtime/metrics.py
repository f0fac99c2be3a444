"""Metrics of one broker's process: numbers and durations of requests and controller events.

They are kept from the start of the process and summed up in server.log at its end.  Those of
controller events can be read at any time.
"""

from collections.abc import Iterator
from typing import Final

from cluster.model.controller_stats import EventStats, Spread
from cluster.wire.api_keys import ApiKey

NS_PER_MS: Final = 1_000_000
P99: Final = 0.99
BUCKETS: Final = 64
"""Bucket n counts durations below 2ⁿ ns; the last one would take 292 years."""


class Durations:
    """Number and durations: in all, the longest, and by powers of two."""

    __slots__ = ("buckets", "max_ns", "total_ns")

    def __init__(self) -> None:
        self.total_ns = 0
        self.max_ns = 0
        self.buckets = [0] * BUCKETS

    def add(self, took_ns: int) -> None:
        self.total_ns += took_ns
        self.buckets[took_ns.bit_length()] += 1
        if took_ns > self.max_ns:
            self.max_ns = took_ns

    @property
    def count(self) -> int:
        return sum(self.buckets)

    def below_ns(self, share: float) -> int:
        """A duration that at most 1 - *share* of all exceeded: up to twice the exact one."""
        left = self.count * share
        for bits, count in enumerate(self.buckets):
            left -= count
            if left <= 0:
                return min(1 << bits, self.max_ns)
        return self.max_ns


class RequestDurations(Durations):
    """Durations of one API's requests, from arrival to answer, and of their parts."""

    __slots__ = ("delayed", "queue_ns", "remote_ns")

    def __init__(self) -> None:
        super().__init__()
        self.queue_ns = 0
        self.remote_ns = 0
        self.delayed = Durations()
        """How long answers waited for clients that did not receive them at once."""


class EventDurations(Durations):
    """Durations of one kind of the controller's events, from the beginning of the work to its
    end.
    """

    __slots__ = ("queue",)

    def __init__(self) -> None:
        super().__init__()
        self.queue = Durations()
        """How long they waited in the queue."""


class ProcessMetrics:
    """Implements `cluster.broker.metrics.Metrics`; an API without requests has no figures."""

    __slots__ = ("controller_events", "requests")

    def __init__(self) -> None:
        self.requests: dict[ApiKey, RequestDurations] = {}
        self.controller_events: dict[str, EventDurations] = {}

    def request_answered(
        self, api_key: ApiKey, total_ns: int, queue_ns: int, remote_ns: int, /
    ) -> None:
        try:
            durations = self.requests[api_key]
        except KeyError:
            durations = self.requests[api_key] = RequestDurations()
        durations.queue_ns += queue_ns
        durations.remote_ns += remote_ns
        # Every request comes here: this is `add` without the call.
        durations.total_ns += total_ns
        durations.buckets[total_ns.bit_length()] += 1
        if total_ns > durations.max_ns:
            durations.max_ns = total_ns

    def response_delayed(self, api_key: ApiKey, send_ns: int, /) -> None:
        self.requests[api_key].delayed.add(send_ns)

    def controller_event_done(self, event: str, queue_ms: int, processing_ms: int, /) -> None:
        durations = self.controller_events.setdefault(event, EventDurations())
        durations.add(processing_ms * NS_PER_MS)
        durations.queue.add(queue_ms * NS_PER_MS)

    def event_stats(self) -> tuple[EventStats, ...]:
        """The figures of each kind of controller event, by name; only of kinds that occurred."""
        return tuple(
            EventStats(
                event=event,
                count=durations.count,
                queue_ms=spread(durations.queue),
                processing_ms=spread(durations),
            )
            for event, durations in sorted(self.controller_events.items())
        )

    def summary(self) -> Iterator[str]:
        """A line for each API with requests, and for each kind of the controller's events."""
        for api_key, durations in sorted(self.requests.items()):
            count, delayed = durations.count, durations.delayed
            line = (
                f"api={api_key.name} {described(durations)}"
                f" queue_ms={ms(durations.queue_ns / count)}"
                f" remote_ms={ms(durations.remote_ns / count)}"
            )
            if delayed.count > 0:
                line += f" delayed={delayed.count} delay_ms_max={ms(delayed.max_ns)}"
            yield line
        for event, durations_of_event in sorted(self.controller_events.items()):
            queue = durations_of_event.queue
            yield (
                f"controller_event={event} {described(durations_of_event)}"
                f" queue_ms={ms(queue.total_ns / queue.count)} queue_ms_max={ms(queue.max_ns)}"
            )


def spread(durations: Durations) -> Spread:
    return Spread(
        mean=round(durations.total_ns / durations.count / NS_PER_MS, 3),
        p99=round(durations.below_ns(P99) / NS_PER_MS, 3),
        max=round(durations.max_ns / NS_PER_MS, 3),
    )


def described(durations: Durations) -> str:
    count = durations.count
    return (
        f"count={count} mean_ms={ms(durations.total_ns / count)}"
        f" p99_ms={ms(durations.below_ns(P99))} max_ms={ms(durations.max_ns)}"
    )


def ms(duration_ns: float) -> str:
    return f"{duration_ns / NS_PER_MS:.3f}"
