"""What the broker's parts tell of how long their work takes.

A port: whoever measures neither knows nor waits for what becomes of the figures.
"""

from typing import Protocol

from cluster.wire.api_keys import ApiKey


class Metrics(Protocol):
    """Takes figures; durations are in nanoseconds unless their names say otherwise.

    Source: Kafka's RequestMetrics (TotalTimeMs, RequestQueueTimeMs, RemoteTimeMs,
    ResponseSendTimeMs) and ControllerEventManager.
    """

    def request_answered(
        self, api_key: ApiKey, total_ns: int, queue_ns: int, remote_ns: int, /
    ) -> None:
        """Note that a request has its answer, *total_ns* after it came.

        Of these, *queue_ns* is how long it lay there before its turn came, and *remote_ns* how long
        the answer was still to come after its handler had returned: from a disk, from followers,
        from ZooKeeper, with records to fetch.
        """
        ...

    def response_delayed(self, api_key: ApiKey, send_ns: int, /) -> None:
        """Note that a client took *send_ns* to let an answer in; most are taken at once."""
        ...

    def controller_event_done(self, event: str, queue_ms: int, processing_ms: int, /) -> None:
        """Note that the controller is through with an *event*, by Kafka's name for its kind, which
        waited for its turn, and then took its time; both in milliseconds.
        """
        ...
