"""Hints of the current leader, for answers to clients that use an outdated one (KIP-951)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.wire.messages.leaders import LeaderIdAndEpoch, NodeEndpoint

NO_HINT: Final = LeaderIdAndEpoch()
HINTED_ERRORS: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


@dataclass(frozen=True, slots=True)
class LeaderHints:
    """The leaders in this broker's state, in the form of answers."""

    partitions: Partitions
    cache: MetadataCache

    def current_leader(self, topic: str, index: int) -> LeaderIdAndEpoch:
        """Return the leader by this broker's replica or metadata; NO_HINT when both lack it."""
        hosted = self.partitions.find_index(topic, index)
        if hosted is not None and hosted.replica.leader_epoch >= 0:
            return LeaderIdAndEpoch(hosted.replica.state.leader, hosted.replica.leader_epoch)
        known = self.cache.find(topic, index)
        return NO_HINT if known is None else LeaderIdAndEpoch(known.leader, known.leader_epoch)

    def endpoints_of(
        self, hints: Iterable[LeaderIdAndEpoch], listener: str
    ) -> tuple[NodeEndpoint, ...]:
        """Return the addresses of the leaders on *listener*; those that are not live are left
        out.
        """
        endpoints = []
        for leader_id in sorted({hint.leader_id for hint in hints}):
            leader = self.cache.brokers.get(leader_id)
            endpoint = leader.endpoints.get(listener) if leader is not None else None
            if leader is not None and endpoint is not None:
                endpoints.append(NodeEndpoint(leader_id, endpoint.host, endpoint.port, leader.rack))
        return tuple(endpoints)
