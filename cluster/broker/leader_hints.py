"""Hints of the current leader.

Who leads a partition instead, for answers that tell a client so (KIP-951)?
"""

from collections.abc import Iterable
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.wire.messages.leaders import LeaderIdAndEpoch, NodeEndpoint

NO_HINT: Final = LeaderIdAndEpoch()
HINTED_ERRORS: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


class LeaderHints:
    """The leaders that this broker knows of: from an order about its own replica, or else from the
    metadata cache.
    """

    __slots__ = ("_cache", "_partitions")

    def __init__(self, cache: MetadataCache, partitions: Partitions) -> None:
        self._cache = cache
        self._partitions = partitions

    def current_leader(self, topic: str, index: int) -> LeaderIdAndEpoch:
        """Return the leader of a partition; NO_HINT when none is known."""
        hosted = self._partitions.find_index(topic, index)
        if hosted is not None and hosted.replica.leader_epoch >= 0:
            return LeaderIdAndEpoch(hosted.replica.state.leader, hosted.replica.leader_epoch)
        known = self._cache.find(topic, index)
        return NO_HINT if known is None else LeaderIdAndEpoch(known.leader, known.leader_epoch)

    def endpoints_of(
        self, hints: Iterable[LeaderIdAndEpoch], listener: str
    ) -> tuple[NodeEndpoint, ...]:
        """Return where the leaders are reached on *listener*, without those that are not alive."""
        endpoints = []
        for leader_id in sorted({hint.leader_id for hint in hints}):
            leader = self._cache.brokers.get(leader_id)
            endpoint = leader.endpoints.get(listener) if leader is not None else None
            if leader is not None and endpoint is not None:
                endpoints.append(NodeEndpoint(leader_id, endpoint.host, endpoint.port, leader.rack))
        return tuple(endpoints)
