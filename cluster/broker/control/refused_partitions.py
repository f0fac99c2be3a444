"""Partitions that this broker should serve and does not, each with the reason.

The broker's registration shows them to operators: `server.log` is one of many, and the controller
only receives an error code.
"""

from typing import Final

from cluster.broker.ports import Registration
from cluster.model.ids import TopicPartition

SHOWN_MAX: Final = 100
"""How many the registration shows: it is read each time that the cluster is listed."""


class RefusedPartitions:
    """The reasons by partition; the broker's registration has the first ones."""

    __slots__ = ("_reasons", "_registration", "shown")

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._reasons: dict[TopicPartition, str] = {}
        self.shown: dict[TopicPartition, str] = {}

    def note(self, partition: TopicPartition, reason: str) -> None:
        """Record that *partition* is not served."""
        self._reasons[partition] = reason
        if partition in self.shown or len(self.shown) < SHOWN_MAX:
            self._show()

    def forget(self, partition: TopicPartition) -> None:
        """Record that *partition* is served, or no longer on this broker."""
        if self._reasons.pop(partition, None) is not None and partition in self.shown:
            self._show()

    def _show(self) -> None:
        shown = dict(list(self._reasons.items())[:SHOWN_MAX])
        if shown != self.shown:
            self.shown = shown
            self._registration.show_refused(shown)
