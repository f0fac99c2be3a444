"""Metrics of the broker's parts: durations of their work.

A port: the parts that measure do not depend on the consumers of the figures.
"""

from typing import Protocol

from cluster.wire.api_keys import ApiKey


class Metrics(Protocol):
    """Records figures; durations are in nanoseconds unless their names contain another unit.

    Source: Kafka's RequestMetrics (TotalTimeMs, RequestQueueTimeMs, RemoteTimeMs,
    ResponseSendTimeMs) and ControllerEventManager.
    """

    def request_answered(
        self, api_key: ApiKey, total_ns: int, queue_ns: int, remote_ns: int, /
    ) -> None:
        """Record that a request was answered, *total_ns* after it arrived.

        Of these, *queue_ns* passed before its handler began, and *remote_ns* after the handler had
        returned and before the answer was there: from a disk, from followers, from ZooKeeper, with
        records to fetch.
        """
        ...

    def response_delayed(self, api_key: ApiKey, send_ns: int, /) -> None:
        """Record that a client took *send_ns* to receive an answer; most are received at once."""
        ...

    def controller_event_done(self, event: str, queue_ms: int, processing_ms: int, /) -> None:
        """Record that the controller has processed an *event*, by Kafka's name for its kind: how
        long it waited in the queue, and how long it then took; both in milliseconds.
        """
        ...
