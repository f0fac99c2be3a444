"""Validation and placement of topics that clients create.

Source: Kafka's ZkAdminManager.createTopics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cluster.broker.configs.topic_configs import configs_problem
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import ApiSettings, RandomStream
from cluster.broker.topics.placement import Refused, check_count, check_replicas, new_layout
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, TooFewBrokers
from cluster.model.topic_name import colliding_names, topic_name_problem

BY_BROKER: Final = -1
"""A count for which the broker's own config is used."""


class AskedTopic(NamedTuple):
    """A requested topic: with *assignments* of its partitions, or two counts."""

    name: str
    partition_count: int
    replication_factor: int
    assignments: Sequence[tuple[int, tuple[BrokerId, ...]]]
    configs: Sequence[tuple[str, str | None]]


class NewTopic(NamedTuple):
    """A topic that may be created."""

    name: str
    topic_id: bytes
    layout: Layout
    configs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NewTopics:
    """Validates requested topics, and places them on the live brokers."""

    cache: MetadataCache
    random_stream: RandomStream
    settings: ApiSettings

    def check(
        self, asked: AskedTopic, existing: Mapping[str, Sequence[str]], room: int
    ) -> NewTopic:
        """The topic to create beside the *existing* ones, given by their names in metrics.

        It may have no more than *room* partitions.  Raises Refused.
        """
        name = asked.name
        problem = topic_name_problem(name)
        if problem is not None:
            raise Refused(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
        if self.cache.partitions_of(name):
            raise Refused(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic '{name}' already exists")
        others = colliding_names(name, existing)
        if others:
            raise Refused(
                ErrorCode.INVALID_TOPIC_EXCEPTION,
                f"topic '{name}' collides with existing topics: {', '.join(others)}",
            )
        configs = self._checked_configs(asked)
        layout = assigned(self.cache, asked) if asked.assignments else self._placed(asked, room)
        return NewTopic(name, self.random_stream.unique_id(), layout, configs)

    def _checked_configs(self, asked: AskedTopic) -> Mapping[str, str]:
        configs: dict[str, str] = {}
        for key, value in asked.configs:
            if value is None:
                message = f"null value not supported for topic config {key}"
                raise Refused(ErrorCode.INVALID_CONFIG, message)
            configs[key] = value
        problem = configs_problem(configs, self.settings)
        if problem is not None:
            raise Refused(ErrorCode.INVALID_CONFIG, problem)
        return configs

    def _placed(self, asked: AskedTopic, room: int) -> Layout:
        settings = self.settings
        count, factor = asked.partition_count, asked.replication_factor
        count = settings.partition_count if count == BY_BROKER else count
        factor = settings.replication_factor if factor == BY_BROKER else factor
        if count <= 0:
            raise Refused(
                ErrorCode.INVALID_PARTITIONS,
                f"number of partitions must be more than 0, not {count}",
            )
        if factor <= 0:
            raise Refused(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"replication factor must be more than 0, not {factor}",
            )
        check_count(count, room)
        try:
            return new_layout(self.cache, self.random_stream, count, factor)
        except TooFewBrokers as error:
            raise Refused(ErrorCode.INVALID_REPLICATION_FACTOR, str(error)) from error


def assigned(cache: MetadataCache, asked: AskedTopic) -> Layout:
    """The layout that the client names; Kafka only requires that it is possible."""
    if asked.partition_count != BY_BROKER or asked.replication_factor != BY_BROKER:
        raise Refused(
            ErrorCode.INVALID_REQUEST,
            "give either an assignment or partitions and replication factor, not both",
        )
    layout = dict(asked.assignments)
    if sorted(layout) != list(range(len(asked.assignments))):
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT, "partitions must be numbered from 0, each once"
        )
    check_replicas(cache, list(layout.values()))
    return layout
