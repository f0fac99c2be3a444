"""Types of ids, epochs and versions, and their special values.

Without range checks: the codecs make them.
"""

from typing import Final, NamedTuple, NewType

BrokerId = NewType("BrokerId", int)
ControllerEpoch = NewType("ControllerEpoch", int)
UNKNOWN_CONTROLLER_EPOCH: Final = ControllerEpoch(-1)
"""The controller epoch of a state from a broker's answer, which lacks it."""
LeaderEpoch = NewType("LeaderEpoch", int)
NO_LEADER_EPOCH: Final = LeaderEpoch(-1)
"""For a partition that has no state yet, or about which no controller has sent anything."""
BrokerEpoch = NewType("BrokerEpoch", int)
"""The czxid of a broker's registration znode."""
UNKNOWN_BROKER_EPOCH: Final = BrokerEpoch(-1)
ZkVersion = NewType("ZkVersion", int)
"""A znode's data version, counted by ZooKeeper from 0."""

OFFSETS_TOPIC: Final = "__consumer_offsets"
"""The topic in which group coordinators store their state."""
INTERNAL_TOPICS: Final = frozenset({OFFSETS_TOPIC, "__transaction_state"})
"""The topics that brokers use themselves."""

NO_LEADER: Final = BrokerId(-1)
LEADER_DURING_DELETION: Final = BrokerId(-2)
"""Orders brokers to remove a partition from the metadata for clients."""
EPOCH_DURING_DELETION: Final = LeaderEpoch(-2)
"""Above any leader epoch: that of a topic does not rise when it is deleted."""
MATCH_ANY: Final = ZkVersion(-1)
"""ZooKeeper's own: write without comparing versions."""
NEVER_READ: Final = ZkVersion(-2)
"""Ours: the value did not come from a znode; must not reach ZooKeeper."""


class TopicPartition(NamedTuple):
    """A tuple, since it is the most frequent dictionary key: its hash is computed in C."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"
