"""Partitions that this broker should serve and does not, each with the reason.

The broker's registration shows them to operators: `server.log` is one of many, and the controller
only receives an error code.
"""

from typing import Final

from cluster.broker.ports import Registration
from cluster.model.ids import TopicPartition

TOLD_MAX: Final = 100
"""How many the registration shows: it is read each time that the cluster is listed."""


class RefusedPartitions:
    """The reasons by partition; the broker's registration has the first ones."""

    __slots__ = ("_reasons", "_registration", "told")

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._reasons: dict[TopicPartition, str] = {}
        self.told: dict[TopicPartition, str] = {}

    def note(self, partition: TopicPartition, reason: str) -> None:
        """Record that *partition* is not served."""
        self._reasons[partition] = reason
        if partition in self.told or len(self.told) < TOLD_MAX:
            self._tell()

    def forget(self, partition: TopicPartition) -> None:
        """Record that *partition* is served, or no longer on this broker."""
        if self._reasons.pop(partition, None) is not None and partition in self.told:
            self._tell()

    def _tell(self) -> None:
        told = dict(list(self._reasons.items())[:TOLD_MAX])
        if told != self.told:
            self.told = told
            self._registration.tell_refused(told)
