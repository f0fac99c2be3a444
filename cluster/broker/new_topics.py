"""The topics that clients may have made, checked and laid out.

Source: Kafka's ZkAdminManager.createTopics.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from cluster.broker.broker import Broker
from cluster.broker.configs.topic_configs import configs_problem
from cluster.broker.placement import Refused, check_count, check_replicas, new_layout
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.placement import Layout, TooFewBrokers
from cluster.model.topic_name import colliding_names, topic_name_problem
from cluster.wire.messages.topics import CreatableTopic

BY_BROKER: Final = -1
"""A count that the broker's own config decides."""


class NewTopic(NamedTuple):
    """A topic that may be made."""

    name: str
    topic_id: bytes
    layout: Layout
    configs: Mapping[str, str]


def new_topic(
    broker: Broker, asked: CreatableTopic, existing: Mapping[str, Sequence[str]], room: int
) -> NewTopic:
    """The topic as it shall be beside the *existing* ones, by the names in their metrics.

    It may have no more than *room* partitions.  Raises Refused.
    """
    name = asked.name
    problem = topic_name_problem(name)
    if problem is not None:
        raise Refused(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
    if broker.cache.partitions_of(name):
        raise Refused(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic '{name}' already exists")
    others = colliding_names(name, existing)
    if others:
        raise Refused(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            f"topic '{name}' collides with existing topics: {', '.join(others)}",
        )
    configs = checked_configs(broker, asked)
    layout = assigned(broker, asked) if asked.assignments else placed(broker, asked, room)
    return NewTopic(name, broker.ports.chance.unique_id(), layout, configs)


def checked_configs(broker: Broker, asked: CreatableTopic) -> Mapping[str, str]:
    configs: dict[str, str] = {}
    for config in asked.configs:
        if config.value is None:
            message = f"null value not supported for topic config {config.name}"
            raise Refused(ErrorCode.INVALID_CONFIG, message)
        configs[config.name] = config.value
    problem = configs_problem(configs, broker.ports.settings)
    if problem is not None:
        raise Refused(ErrorCode.INVALID_CONFIG, problem)
    return configs


def placed(broker: Broker, asked: CreatableTopic, room: int) -> Layout:
    settings = broker.ports.settings
    count, factor = asked.num_partitions, asked.replication_factor
    count = settings.partition_count if count == BY_BROKER else count
    factor = settings.replication_factor if factor == BY_BROKER else factor
    if count <= 0:
        raise Refused(
            ErrorCode.INVALID_PARTITIONS, f"number of partitions must be more than 0, not {count}"
        )
    if factor <= 0:
        raise Refused(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"replication factor must be more than 0, not {factor}",
        )
    check_count(count, room)
    try:
        return new_layout(broker.cache, broker.ports.chance, count, factor)
    except TooFewBrokers as error:
        raise Refused(ErrorCode.INVALID_REPLICATION_FACTOR, str(error)) from error


def assigned(broker: Broker, asked: CreatableTopic) -> Layout:
    """The layout that the client names; Kafka asks no more of it than that it could be."""
    if asked.num_partitions != BY_BROKER or asked.replication_factor != BY_BROKER:
        raise Refused(
            ErrorCode.INVALID_REQUEST,
            "give either an assignment or partitions and replication factor, not both",
        )
    layout = {
        one.partition_index: tuple(map(BrokerId, one.broker_ids)) for one in asked.assignments
    }
    if sorted(layout) != list(range(len(asked.assignments))):
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT, "partitions must be numbered from 0, each once"
        )
    check_replicas(broker.cache, list(layout.values()))
    return layout
