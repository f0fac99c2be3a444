"""States of a partition, as the controller sees it, and which may follow which.

Knows no action: `partitions` says what a transition does.

Source: Kafka's PartitionStateMachine.
"""

from enum import StrEnum
from typing import Final


class PartitionStatus(StrEnum):
    """Under the names that operators find in state-change.log."""

    NON_EXISTENT = "NonExistentPartition"
    NEW = "NewPartition"
    ONLINE = "OnlinePartition"
    OFFLINE = "OfflinePartition"


PARTITION_VALID_PREVIOUS: Final = {
    PartitionStatus.NON_EXISTENT: frozenset({PartitionStatus.OFFLINE}),
    PartitionStatus.NEW: frozenset({PartitionStatus.NON_EXISTENT}),
    PartitionStatus.ONLINE: frozenset(
        {PartitionStatus.NEW, PartitionStatus.ONLINE, PartitionStatus.OFFLINE}
    ),
    PartitionStatus.OFFLINE: frozenset(
        {PartitionStatus.NEW, PartitionStatus.ONLINE, PartitionStatus.OFFLINE}
    ),
}
"""For each state, those from which it may be entered."""

assert PARTITION_VALID_PREVIOUS.keys() == set(PartitionStatus)
