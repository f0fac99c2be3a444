"""States of a replica, as the controller sees it, and which may follow which.

Has no actions: `replicas` implements the transitions.

Source: Kafka's ReplicaStateMachine.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from cluster.model.ids import BrokerId, TopicPartition


class Replica(NamedTuple):
    """The copy of a partition on one broker."""

    broker_id: BrokerId
    partition: TopicPartition


class ReplicaStatus(StrEnum):
    """The names that operators find in state-change.log."""

    NON_EXISTENT = "NonExistentReplica"
    NEW = "NewReplica"
    ONLINE = "OnlineReplica"
    OFFLINE = "OfflineReplica"
    DELETION_STARTED = "ReplicaDeletionStarted"
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"
    DELETION_INELIGIBLE = "ReplicaDeletionIneligible"


_USED: Final = frozenset(
    {
        ReplicaStatus.NEW,
        ReplicaStatus.ONLINE,
        ReplicaStatus.OFFLINE,
        ReplicaStatus.DELETION_INELIGIBLE,
    }
)

REPLICA_VALID_PREVIOUS: Final = {
    ReplicaStatus.NON_EXISTENT: frozenset({ReplicaStatus.DELETION_SUCCESSFUL}),
    ReplicaStatus.NEW: frozenset({ReplicaStatus.NON_EXISTENT}),
    ReplicaStatus.ONLINE: _USED,
    ReplicaStatus.OFFLINE: _USED,
    ReplicaStatus.DELETION_STARTED: frozenset({ReplicaStatus.OFFLINE}),
    ReplicaStatus.DELETION_SUCCESSFUL: frozenset({ReplicaStatus.DELETION_STARTED}),
    ReplicaStatus.DELETION_INELIGIBLE: frozenset(
        {ReplicaStatus.OFFLINE, ReplicaStatus.DELETION_STARTED}
    ),
}
"""For each state, the states from which it may be entered."""

assert REPLICA_VALID_PREVIOUS.keys() == set(ReplicaStatus)
