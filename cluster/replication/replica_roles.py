"""The roles that a replica can have on its own broker, and what may come after what.

Knows no action: `replica` says what a change of roles does.

Source: Kafka's HostedPartition, and Partition.makeLeader and makeFollower.
"""

from enum import StrEnum
from typing import Final


class ReplicaRole(StrEnum):
    NONE = "None"
    """No controller has spoken of it yet, or the replica has ended."""
    LEADER = "Leader"
    FOLLOWER = "Follower"
    OFFLINE = "Offline"
    """Its log directory has failed: it stays so until the broker starts again."""


_SERVING: Final = frozenset({ReplicaRole.NONE, ReplicaRole.LEADER, ReplicaRole.FOLLOWER})

ROLE_VALID_PREVIOUS: Final = {
    ReplicaRole.NONE: _SERVING,
    ReplicaRole.LEADER: _SERVING,
    ReplicaRole.FOLLOWER: _SERVING,
    ReplicaRole.OFFLINE: _SERVING,
}
"""For each role, those after which it may be taken."""

assert ROLE_VALID_PREVIOUS.keys() == set(ReplicaRole)
