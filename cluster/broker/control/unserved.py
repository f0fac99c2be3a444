"""Partitions that are not served, since the configs of their topics cannot be.

Keeps how to obey what the controller has said of each of them last: it does not say it again, and
once the configs are mended the broker obeys.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from cluster.model.ids import TopicPartition

Obey: TypeAlias = Callable[[Sequence[TopicPartition]], None]
"""Obeys once more what an order said of these partitions."""


class Unserved:
    """The partitions that are not served, each with the order that named it last."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[TopicPartition, Obey] = {}

    def keep(self, partitions: Iterable[TopicPartition], obey: Obey) -> None:
        """Have *obey* called with those of *partitions* whose configs may be mended."""
        self._kept.update(dict.fromkeys(partitions, obey))

    def forget(self, partition: TopicPartition) -> None:
        """Expect nothing more of *partition*: it is served, or another order says what it is."""
        self._kept.pop(partition, None)

    def try_again(self, topic: str | None = None) -> None:
        """Have the orders about the partitions of *topic*, None for all, obeyed once more."""
        orders: dict[Obey, list[TopicPartition]] = {}
        for partition, obey in tuple(self._kept.items()):
            if topic in (None, partition.topic):
                orders.setdefault(obey, []).append(partition)
                del self._kept[partition]
        for obey, partitions in orders.items():
            obey(partitions)
