"""Partitions that are not served, since the configs of their topics cannot be.

Keeps what the controller has said of each of them last: it does not say it again, and once the
configs are mended the broker obeys.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from cluster.model.ids import TopicPartition


class AboutPartition(Protocol):
    """What an order says of one partition."""

    @property
    def partition(self) -> TopicPartition: ...


Change = TypeVar("Change", bound=AboutPartition)
Obey: TypeAlias = Callable[[Sequence[Change]], None]
"""Obeys a part of an order once more."""


class Unserved(Generic[Change]):
    """The partitions that are not served, each with the order that named it last."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[TopicPartition, tuple[Obey[Change], Change]] = {}

    def keep(self, changes: Iterable[Change], obey: Obey[Change]) -> None:
        """Have *obey* called with those of *changes* whose configs may be mended."""
        for change in changes:
            self._kept[change.partition] = (obey, change)

    def forget(self, partition: TopicPartition) -> None:
        """Expect nothing more of *partition*: it is served, or another order says what it is."""
        self._kept.pop(partition, None)

    def try_again(self, topic: str | None = None) -> None:
        """Have the orders about the partitions of *topic*, None for all, obeyed once more."""
        orders: dict[Obey[Change], list[Change]] = {}
        for partition, (obey, change) in tuple(self._kept.items()):
            if topic in (None, partition.topic):
                orders.setdefault(obey, []).append(change)
                del self._kept[partition]
        for obey, changes in orders.items():
            obey(changes)
