"""The preferred read replica of a consumer: one in its rack (KIP-392).

Knows neither brokers' addresses nor which are alive.

Source: Kafka's RackAwareReplicaSelector and ReplicaManager.findPreferredReadReplica.
"""

from collections.abc import Mapping
from typing import TypeAlias

from cluster.model.ids import BrokerId
from cluster.replication.follower_state import FollowerState
from cluster.replication.replica import Replica

Racks: TypeAlias = Mapping[BrokerId, str | None]
"""The racks of the brokers that the consumer can reach; None for one without a rack."""


def preferred_read_replica(
    leader: Replica, leader_end_offset: int, racks: Racks, rack: str, offset: int
) -> BrokerId | None:
    """The follower in *rack* that a consumer shall read from at *offset*; None for the leader.

    It has to be in the ISR, or the consumer would fall behind with it, and to have *offset*.  Of
    several the one with the highest log end wins, then the one that kept up last.  A leader in the
    same rack serves the consumer itself, as it does when no such follower is in the rack.
    """
    if racks.get(leader.broker_id) == rack:
        return None
    nearest = max(
        (
            follower
            for follower in leader.followers
            if racks.get(follower.broker_id) == rack
            and follower.broker_id in leader.state.isr
            and follower.broker_id in leader.assignment.replicas
            and follower.log_start_offset <= offset <= follower.log_end_offset
        ),
        key=lambda follower: nearness(follower, leader_end_offset),
        default=None,
    )
    return None if nearest is None else nearest.broker_id


def nearness(follower: FollowerState, leader_end_offset: int) -> tuple[int, int, int]:
    """The greater, the nearer to the leader."""
    last_ms = follower.last_caught_up_ms(leader_end_offset)
    return follower.log_end_offset, last_ms, follower.broker_id
