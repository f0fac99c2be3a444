"""FindCoordinator: returns the broker that coordinates a group.

It leads the group's partition of `__consumer_offsets`, a topic that the first such request creates.

Source: Kafka's KafkaApis.handleFindCoordinatorRequest.
"""

from typing import Final, cast

from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

GROUP: Final = 0
TRANSACTION: Final = 1
SEVERAL_VERSION: Final = 4
"""The first version for several groups at once."""
NOBODY: Final = -1


class CoordinatorFinder:
    """Finds coordinators for clients."""

    def __init__(
        self,
        cache: MetadataCache,
        metadata_updates: MetadataUpdates,
        auto_creation: AutoCreation,
        groups: GroupService,
    ) -> None:
        self._cache = cache
        self._metadata_updates = metadata_updates
        self._auto_creation = auto_creation
        self._groups = groups

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        body = cast(FindCoordinatorRequest, request.body)
        if request.api_version >= SEVERAL_VERSION:
            reply.in_turns(self._answer(body, peer))
            return
        found = self._find(body.key, body.key_type, peer)
        reply(
            FindCoordinatorResponse(
                error_code=found.error_code,
                node_id=found.node_id,
                host=found.host,
                port=found.port,
            )
        )

    def _answer(self, body: FindCoordinatorRequest, peer: Peer) -> Steps:
        found: list[Coordinator] = []
        for key in body.coordinator_keys:
            found.append(self._find(key, body.key_type, peer))
            yield
        return FindCoordinatorResponse(coordinators=found)

    def _find(self, key: str, key_type: int, peer: Peer) -> Coordinator:
        if key_type == TRANSACTION:
            # There are none here; for librdkafka no other error is final, and it would retry for
            # ever.
            return refused(key, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        if key_type == GROUP:
            coordinator_id = self._groups.coordinator_of(key)
            if coordinator_id is None and not self._metadata_updates.awaits_topics:
                self._auto_creation.create_offsets_topic()
        else:
            return refused(key, ErrorCode.INVALID_REQUEST)
        broker = None if coordinator_id is None else self._cache.brokers.get(coordinator_id)
        endpoint = None if broker is None else broker.endpoints.get(peer.listener)
        if broker is None or endpoint is None:
            return refused(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return Coordinator(key, broker.broker_id, endpoint.host, endpoint.port)


def refused(key: str, error: ErrorCode) -> Coordinator:
    return Coordinator(key, NOBODY, "", NOBODY, error)
