"""Pause detector: has this process been stopped for so long that its session may have expired?

A process that was stopped (SIGSTOP, a machine that swaps or is migrated) resumes and finds what was
sent to it meanwhile.  Its session with ZooKeeper may have expired by then, and others may lead what
it led or was about to lead.  It does not know: ZooKeeper reports it some milliseconds later, and
until it registers again it has the broker epoch that the orders name.

Kafka carries out such orders.  It leads in an epoch that is over, and an idempotent producer that
connects to it receives an error about missing records, which librdkafka takes for fatal.
"""

from typing import Final

from cluster.broker.handling import Cancel
from cluster.broker.ports import Ports
from cluster.model.ids import UNKNOWN_BROKER_EPOCH

LOOKS_PER_TIMEOUT: Final = 10
"""How many times in a session timeout the elapsed time is checked."""
DOUBT_MAX_MS: Final = 1000
"""What was sent before is read by then, and in a quarter of a session timeout.  A controller that
is still active sends a refused order again.
"""


class PauseDetector:
    """Stores when this broker resumed last."""

    __slots__ = ("_looked_ms", "_ports", "_stop_timer", "_woke_epoch", "_woke_ms")

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._looked_ms: int | None = None
        self._stop_timer: Cancel | None = None
        self._woke_ms: int | None = None
        self._woke_epoch = UNKNOWN_BROKER_EPOCH

    def start(self) -> None:
        self._look()
        interval_ms = max(1, self._ports.settings.session_timeout_ms // LOOKS_PER_TIMEOUT)
        self._stop_timer = self._ports.clock.call_later(interval_ms, self.start)

    def stop(self) -> None:
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None

    def _look(self) -> int:
        """The present time, after a check of how much has passed since the last check.

        ZooKeeper counts from the last ping, which may be a third of the timeout old when the
        process stops: so half of the timeout may be too long.
        """
        now_ms = self._ports.clock.now_ms()
        timeout_ms = self._ports.settings.session_timeout_ms
        if self._looked_ms is not None and now_ms - self._looked_ms > timeout_ms // 2:
            self._woke_ms = now_ms
            self._woke_epoch = self._ports.registration.broker_epoch
            self._ports.journal.warning(
                f"This broker has stood still for {now_ms - self._looked_ms} ms, and its session"
                " with ZooKeeper may be over: what it was ordered before is not obeyed"
            )
        self._looked_ms = now_ms
        return now_ms

    def doubts_orders(self) -> bool:
        """Whether an order may have been sent before the pause.

        When the broker is registered again, the orders' broker epoch shows it.
        """
        if self._looked_ms is None:
            return False
        now_ms = self._look()
        doubt_ms = min(DOUBT_MAX_MS, self._ports.settings.session_timeout_ms // 4)
        return (
            self._woke_ms is not None
            and now_ms - self._woke_ms < doubt_ms
            and self._ports.registration.broker_epoch == self._woke_epoch
        )

    def doubts_leadership(self) -> bool:
        """Whether another broker may lead what this broker leads, without its knowledge."""
        if self._looked_ms is None:
            return False
        now_ms = self._look()
        timeout_ms = self._ports.settings.session_timeout_ms
        return self._woke_ms is not None and now_ms - self._woke_ms < timeout_ms
