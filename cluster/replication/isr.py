"""ISR changes that a leader proposes: who joins, who leaves, and how a proposal ends.

The controller's ISR, or ZooKeeper's, is the true one: a leader proposes, and uses the maximal ISR,
the union of the ISR and its proposal, until it knows the result (KIP-497).  So whichever of the two
is true, nothing counts as committed that a member of it lacks.

Source: Kafka's PartitionState, CommittedPartitionState and PendingPartitionChange.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.model.topic import PartitionState


class PendingIsrChange(NamedTuple):
    """*isr* shall replace the ISR of *before*, which was read or written under its zkVersion."""

    before: PartitionState
    isr: tuple[BrokerId, ...]
    broker_epochs: tuple[BrokerEpoch, ...]
    """Broker epochs of *isr*, in its order; -1 where it is unknown."""

    @property
    def maximal_isr(self) -> tuple[BrokerId, ...]:
        """All that are in the ISR, or may be by now."""
        added = tuple(replica for replica in self.isr if replica not in self.before.isr)
        return self.before.isr + added


class Fate(Enum):
    """What a leader does about a refused proposal."""

    RETRY = "retry"
    WAIT = "wait"
    """The leadership is lost, or may be: an order of the controller will clear it up."""
    REVERT = "revert"
    """Nothing was changed, and this proposal will not succeed soon."""


_FATES: Final[Mapping[int, Fate]] = {
    ErrorCode.OPERATION_NOT_ATTEMPTED: Fate.REVERT,
    ErrorCode.INELIGIBLE_REPLICA: Fate.REVERT,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: Fate.WAIT,
    ErrorCode.UNKNOWN_TOPIC_ID: Fate.WAIT,
    ErrorCode.FENCED_LEADER_EPOCH: Fate.WAIT,
    ErrorCode.INVALID_UPDATE_VERSION: Fate.WAIT,
    ErrorCode.INVALID_REQUEST: Fate.WAIT,
    ErrorCode.NEW_LEADER_ELECTED: Fate.WAIT,
}


def fate_of(error: int) -> Fate:
    """Kafka's Partition.handleAlterPartitionError."""
    return _FATES.get(error, Fate.RETRY)
