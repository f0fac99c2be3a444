"""The roles that a replica can have on its own broker, and which may follow which.

Has no actions: `replica` implements the transitions.

Source: Kafka's HostedPartition, and Partition.makeLeader and makeFollower.
"""

from enum import StrEnum
from typing import Final


class ReplicaRole(StrEnum):
    NONE = "None"
    """No controller has sent an order for it yet, or the replica has ended."""
    LEADER = "Leader"
    FOLLOWER = "Follower"
    OFFLINE = "Offline"
    """Its log directory has failed: it stays so until the broker restarts."""


_SERVING: Final = frozenset({ReplicaRole.NONE, ReplicaRole.LEADER, ReplicaRole.FOLLOWER})

ROLE_VALID_PREVIOUS: Final = {
    ReplicaRole.NONE: _SERVING,
    ReplicaRole.LEADER: _SERVING,
    ReplicaRole.FOLLOWER: _SERVING,
    ReplicaRole.OFFLINE: _SERVING,
}
"""For each role, those after which it may follow."""

assert ROLE_VALID_PREVIOUS.keys() == set(ReplicaRole)
