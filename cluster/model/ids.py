"""Ids, epochs and versions: the types of all of them, and the values that are special.

Knows no range checks: the codecs make them at the edge.
"""

from typing import Final, NamedTuple, NewType

BrokerId = NewType("BrokerId", int)
ControllerEpoch = NewType("ControllerEpoch", int)
UNKNOWN_CONTROLLER_EPOCH: Final = ControllerEpoch(-1)
"""Of a state that brokers tell over the wire, without the epoch that wrote it."""
LeaderEpoch = NewType("LeaderEpoch", int)
NO_LEADER_EPOCH: Final = LeaderEpoch(-1)
"""Of a partition that has no state yet, or of which no controller has said anything."""
BrokerEpoch = NewType("BrokerEpoch", int)
"""The czxid of a broker's registration znode."""
UNKNOWN_BROKER_EPOCH: Final = BrokerEpoch(-1)
ZkVersion = NewType("ZkVersion", int)
"""A znode's data version, counted by ZooKeeper from 0."""

OFFSETS_TOPIC: Final = "__consumer_offsets"
"""The topic in which coordinators of groups keep what they know."""
INTERNAL_TOPICS: Final = frozenset({OFFSETS_TOPIC, "__transaction_state"})
"""The topics that brokers keep for themselves."""

NO_LEADER: Final = BrokerId(-1)
LEADER_DURING_DELETION: Final = BrokerId(-2)
"""Tells brokers to take a partition out of what they tell clients."""
EPOCH_DURING_DELETION: Final = LeaderEpoch(-2)
"""Above any leader epoch: that of a topic does not rise when it is deleted."""
MATCH_ANY: Final = ZkVersion(-1)
"""ZooKeeper's own: write without comparing versions."""
NEVER_READ: Final = ZkVersion(-2)
"""Ours: the value did not come from a znode; must not reach ZooKeeper."""


class TopicPartition(NamedTuple):
    """A tuple, since nothing is looked up by as often: its hash is made in C."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"
