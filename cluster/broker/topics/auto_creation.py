"""Auto-creation of topics that clients request and that do not exist.

Source: Kafka's AutoTopicCreationManager.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.topics.placement import new_layout
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import OFFSETS_TOPIC
from cluster.model.placement import TooFewBrokers
from cluster.model.topic_name import topic_name_problem

AT_ONCE_MAX: Final = 100
"""How many topics are created at a time: one request may name a million."""


class AutoCreation:
    """The topics that are being created; each is requested once at a time."""

    __slots__ = ("_cache", "_ports", "_problems", "_under_way")

    def __init__(self, ports: Ports, cache: MetadataCache) -> None:
        self._ports = ports
        self._cache = cache
        self._under_way: set[str] = set()
        self._problems: set[str] = set()

    def ask_for(self, topic: str, *, is_allowed: bool) -> ErrorCode:
        """Create an unknown topic where that is allowed; the error for its client meanwhile.

        The client retries until the topic has leaders, or until there is room to create it.
        """
        if topic_name_problem(topic) is not None:
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        if not (is_allowed and self._ports.settings.auto_creates_topics):
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return self._create(topic)

    def creates_offsets_topic(self) -> bool:
        """Create the topic of the group coordinators, whatever clients are allowed; returns whether
        that is under way."""
        return self._create(OFFSETS_TOPIC) is ErrorCode.LEADER_NOT_AVAILABLE

    def _create(self, topic: str) -> ErrorCode:
        if topic in self._under_way:
            return ErrorCode.LEADER_NOT_AVAILABLE
        if len(self._under_way) >= AT_ONCE_MAX:
            # As in Kafka for a creation that its quota delays.
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        count, factor, configs = self._plan(topic)
        try:
            layout = new_layout(self._cache, self._ports.random_stream, count, factor)
        except TooFewBrokers as error:
            if str(error) not in self._problems:
                # Once: the problem is the same for every topic until brokers register or go.
                self._problems.add(str(error))
                self._ports.journal.warning(f"topic {topic} is not created: {error}")
            return ErrorCode.INVALID_REPLICATION_FACTOR
        self._problems.clear()
        self._under_way.add(topic)
        topic_id = self._ports.random_stream.unique_id()
        done = partial(self._created, topic)
        self._ports.store.create_topic(topic, topic_id, layout, configs, done)
        return ErrorCode.LEADER_NOT_AVAILABLE

    def _plan(self, topic: str) -> tuple[int, int, Mapping[str, str]]:
        """The partition count, the replication factor and the configs of *topic*."""
        settings = self._ports.settings
        if topic != OFFSETS_TOPIC:
            return settings.partition_count, settings.replication_factor, {}
        groups = settings.groups
        configs = {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(groups.segment_size),
        }
        return groups.partition_count, groups.replication_factor, configs

    def _created(self, topic: str, outcome: ApiError) -> None:
        self._under_way.discard(topic)
        journal = self._ports.journal
        if outcome.error is ErrorCode.NONE:
            journal.info(f"created topic {topic} because a client asked for it")
        elif outcome.error is not ErrorCode.TOPIC_ALREADY_EXISTS:
            journal.warning(f"topic {topic} is not created: {outcome.message}")
