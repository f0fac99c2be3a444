"""The placement of new partitions: on which brokers do they go, in an operator's words?

The algorithm is `cluster.model.placement`, which brokers go by as well.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cluster.model import placement as layouts
from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, Placement, Racks, RacksMissing, TooFewBrokers
from kadmin.errors import KadminError, RefusedError

NEW_PARTITIONS_MAX: Final = 10_000
"""The most partitions that one change adds unless it is allowed more.

Neither a KRaft controller nor our broker accepts more in one request; and they fill a good part of
ZooKeeper's 1 MiB for a topic.
"""

TELL_EVERY: Final = 10_000

Progress: TypeAlias = Callable[[int], None]
"""Receives the number of partitions laid out so far, now and then while there are many."""


def ignore_progress(_count: int) -> None:
    """Ignore progress."""


class TooManyPartitions(RefusedError):
    """More partitions at once than a typing error should bring into a cluster."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count:,} new partitions are more than the {NEW_PARTITIONS_MAX:,} of one change:"
            " each is files on every broker that has it, and work for the controller at every"
            " election",
            hint="check the number; --allow-many-partitions goes on with it",
        )
        self.count = count


class NotEnoughBrokers(KadminError):
    """More replicas are asked for than there are live brokers."""

    def __init__(
        self, message: str, replication_factor: int, available: Sequence[BrokerId]
    ) -> None:
        super().__init__(message, hint="'kadmin brokers --list' lists the live brokers")
        self.replication_factor = replication_factor
        self.available = tuple(available)


class MixedRacks(KadminError):
    """Some brokers have a rack and some have none, so racks cannot be respected."""

    def __init__(self, message: str, without_rack: Sequence[BrokerId]) -> None:
        super().__init__(
            message,
            hint="set broker.rack there, or add --disable-rack-aware to place without racks",
        )
        self.without_rack = tuple(without_rack)


def drawn_placement(draw: tuple[int, int], broker_count: int, *, is_rack_aware: bool) -> Placement:
    """Return where Kafka, which draws below the number of brokers, could have begun.

    *draw* are two random numbers of the caller, of any size.
    """
    start, shift = (number % max(1, broker_count) for number in draw)
    return Placement(start_index=start, shift=shift, is_rack_aware=is_rack_aware)


def place(
    racks: Racks,
    *,
    partition_count: int,
    replication_factor: int,
    placement: Placement,
    first_partition: int = 0,
    progress: Progress = ignore_progress,
) -> Layout:
    """Lay out partitions *first_partition* … +*partition_count* - 1.

    Raises:
        NotEnoughBrokers: fewer brokers than *replication_factor*.
        MixedRacks: rack-aware, and only some brokers have a rack.
    """
    layout: Layout = {}
    try:
        for partition, replicas in layouts.placed(
            racks,
            partition_count=partition_count,
            replication_factor=replication_factor,
            placement=placement,
            first_partition=first_partition,
        ):
            layout[partition] = replicas
            if len(layout) % TELL_EVERY == 0:
                progress(len(layout))
    except TooFewBrokers as error:
        raise NotEnoughBrokers(str(error), error.replication_factor, error.available) from error
    except RacksMissing as error:
        raise MixedRacks(str(error), error.without_rack) from error
    return layout
