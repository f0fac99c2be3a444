"""Auto-creation of topics: which topics come into being because somebody asked for them?

Source: Kafka's AutoTopicCreationManager.
"""

from functools import partial
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.topics.placement import new_layout
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.placement import TooFewBrokers
from cluster.model.topic_name import topic_name_problem

AT_ONCE_MAX: Final = 100
"""How many topics are being created at a time: one request may name a million."""


class AutoCreation:
    """The topics that are being created; each is asked for once at a time."""

    __slots__ = ("_cache", "_last_problem", "_ports", "_under_way")

    def __init__(self, ports: Ports, cache: MetadataCache) -> None:
        self._ports = ports
        self._cache = cache
        self._under_way: set[str] = set()
        self._last_problem: str | None = None

    def ask_for(self, topic: str, *, is_allowed: bool) -> ErrorCode:
        """Create an unknown topic where that is allowed; what its client is told meanwhile.

        The client asks again until the topic has leaders, or until there is room to create it.
        """
        if topic_name_problem(topic) is not None:
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        settings = self._ports.settings
        if not (is_allowed and settings.auto_creates_topics):
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if topic in self._under_way:
            return ErrorCode.LEADER_NOT_AVAILABLE
        if len(self._under_way) >= AT_ONCE_MAX:
            # As in Kafka for a creation that its quota puts off.
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        try:
            layout = new_layout(
                self._cache,
                self._ports.chance,
                settings.partition_count,
                settings.replication_factor,
            )
        except TooFewBrokers as error:
            if str(error) != self._last_problem:
                # Once: it is the same with every topic until brokers come or go.
                self._last_problem = str(error)
                self._ports.journal.warning(f"topic {topic} is not created: {error}")
            return ErrorCode.INVALID_REPLICATION_FACTOR
        self._last_problem = None
        self._under_way.add(topic)
        topic_id = self._ports.chance.unique_id()
        self._ports.store.create_topic(topic, topic_id, layout, {}, partial(self._created, topic))
        return ErrorCode.LEADER_NOT_AVAILABLE

    def _created(self, topic: str, outcome: ApiError) -> None:
        self._under_way.discard(topic)
        journal = self._ports.journal
        if outcome.error is ErrorCode.NONE:
            journal.info(f"created topic {topic} because a client asked for it")
        elif outcome.error is not ErrorCode.TOPIC_ALREADY_EXISTS:
            journal.warning(f"topic {topic} is not created: {outcome.message}")
