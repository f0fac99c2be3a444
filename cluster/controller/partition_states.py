"""States of a partition, as the controller sees it, and which may follow which.

Has no actions: `partitions` implements the transitions.

Source: Kafka's PartitionStateMachine.
"""

from enum import StrEnum
from typing import Final


class PartitionStatus(StrEnum):
    """The names that operators find in state-change.log."""

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
"""For each state, the states from which it may be entered."""

assert PARTITION_VALID_PREVIOUS.keys() == set(PartitionStatus)
