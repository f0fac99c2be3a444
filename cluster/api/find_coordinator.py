"""FindCoordinator: returns the broker that coordinates a group.

It leads the group's partition of `__consumer_offsets`, a topic that the first such request creates.
The answer waits for the topic: librdkafka's admin client retries COORDINATOR_NOT_AVAILABLE twice,
within 300 ms, and then never again, while it takes longer to create 50 partitions.

Source: Kafka's KafkaApis.handleFindCoordinatorRequest, which does not wait.
"""

from typing import Final, cast

from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.delayed_metadata import until_metadata_says
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock
from cluster.broker.procedures import Procedure, run
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, OFFSETS_TOPIC
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

GROUP: Final = 0
TRANSACTION: Final = 1
NO_TRANSACTIONS: Final = "transactions are not supported by this broker"
SEVERAL_VERSION: Final = 4
"""The first version for several groups at once."""
NOBODY: Final = -1
PATIENCE_MS: Final = 5000
"""How long requests wait at most for the controller's first update, and for a topic that is being
created: well below the shortest request timeout of clients, and requests behind it wait, too."""


class CoordinatorFinder:
    """Finds coordinators for clients."""

    def __init__(
        self,
        clock: Clock,
        cache: MetadataCache,
        metadata_updates: MetadataUpdates,
        auto_creation: AutoCreation,
        groups: GroupService,
    ) -> None:
        self._clock = clock
        self._cache = cache
        self._metadata_updates = metadata_updates
        self._auto_creation = auto_creation
        self._groups = groups

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        body = cast(FindCoordinatorRequest, request.body)
        is_for_several = request.api_version >= SEVERAL_VERSION

        def answer(_: None) -> None:
            if is_for_several:
                reply.in_turns(self._answer(body, peer))
                return
            found = self._find(body.key, body.key_type, peer)
            reply(
                FindCoordinatorResponse(
                    error_code=found.error_code,
                    error_message=found.error_message,
                    node_id=found.node_id,
                    host=found.host,
                    port=found.port,
                )
            )

        asks_for_groups = body.key_type == GROUP and (not is_for_several or body.coordinator_keys)
        if asks_for_groups and not self._cache.partitions_of(OFFSETS_TOPIC):
            run(self._clock, self._create_topic(), answer)
        else:
            answer(None)

    def _create_topic(self) -> Procedure[None]:
        """Create the topic if there is none, and wait for its leaders."""
        cache, updates = self._cache, self._metadata_updates

        def is_informed() -> bool:
            return not updates.awaits_topics

        def has_leaders() -> bool:
            known = cache.partitions_of(OFFSETS_TOPIC)
            return bool(known) and all(each.leader != NO_LEADER for each in known.values())

        if not (yield from until_metadata_says(cache, self._clock, is_informed, PATIENCE_MS)):
            return
        if cache.partitions_of(OFFSETS_TOPIC) or self._auto_creation.creates_offsets_topic():
            yield from until_metadata_says(cache, self._clock, has_leaders, PATIENCE_MS)

    def _answer(self, body: FindCoordinatorRequest, peer: Peer) -> Steps:
        found: list[Coordinator] = []
        for key in body.coordinator_keys:
            found.append(self._find(key, body.key_type, peer))
            yield
        return FindCoordinatorResponse(coordinators=found)

    def _find(self, key: str, key_type: int, peer: Peer) -> Coordinator:
        if key_type == TRANSACTION:
            # There are none here; for librdkafka no other error is final, and it would retry for
            # ever.  It shows the message, as the Java client does.
            return refused(key, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, NO_TRANSACTIONS)
        if key_type == GROUP:
            coordinator_id = self._groups.coordinator_of(key)
        else:
            return refused(key, ErrorCode.INVALID_REQUEST)
        broker = None if coordinator_id is None else self._cache.brokers.get(coordinator_id)
        endpoint = None if broker is None else broker.endpoints.get(peer.listener)
        if broker is None or endpoint is None:
            return refused(key, ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return Coordinator(key, broker.broker_id, endpoint.host, endpoint.port)


def refused(key: str, error: ErrorCode, message: str | None = None) -> Coordinator:
    return Coordinator(key, NOBODY, "", NOBODY, error, message)
