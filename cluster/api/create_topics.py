"""CreateTopics: may these topics be made, and are they there?

The answer waits until the partitions have leaders, as far as the request's time allows.

Source: Kafka's ZkAdminManager.createTopics.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple, cast

from cluster.broker.configs.topic_configs import configs_problem, value_of
from cluster.broker.context import Context
from cluster.broker.fan_in import FanIn, when_told
from cluster.broker.handling import Peer, Reply
from cluster.broker.placement import Refused, check_replicas, new_layout
from cluster.broker.ports import Outcome
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId
from cluster.model.placement import Layout, TooFewBrokers
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.model.topic_name import colliding_names, topic_name_problem
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

BY_BROKER = -1
"""A count that the broker's own config decides."""


class NewTopic(NamedTuple):
    """A topic that may be made."""

    name: str
    topic_id: bytes
    layout: Layout
    configs: Mapping[str, str]


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(CreateTopicsRequest, request.body)

    def done(results: list[CreatableTopicResult]) -> None:
        reply(CreateTopicsResponse(topics=results))

    counts = Counter(topic.name for topic in body.topics)
    fan_in: FanIn[str, CreatableTopicResult] = FanIn(counts, done)
    fan_in.check()
    for asked in {topic.name: topic for topic in body.topics}.values():
        try:
            if not context.is_controller:
                raise Refused(ErrorCode.NOT_CONTROLLER, "this broker is not the controller")
            if counts[asked.name] > 1:
                raise Refused(ErrorCode.INVALID_REQUEST, f"topic '{asked.name}' is named twice")
            topic = checked(context, asked)
        except Refused as refused:
            fan_in.put(asked.name, failed(asked.name, refused.error, str(refused)))
            continue
        if body.validate_only:
            result = created(context, topic._replace(topic_id=NO_TOPIC_ID))
            fan_in.put(topic.name, result)
            continue
        context.ports.store.create_topic(
            *topic, partial(continue_with, context, fan_in, topic, body.timeout_ms)
        )


def continue_with(
    context: Context,
    fan_in: FanIn[str, CreatableTopicResult],
    topic: NewTopic,
    timeout_ms: int,
    outcome: Outcome,
) -> None:
    """Wait for the topic's leaders, once it is written."""
    if outcome.error is not ErrorCode.NONE:
        message = outcome.message or outcome.error.name
        fan_in.put(topic.name, failed(topic.name, outcome.error, message))
        return

    def has_leaders() -> bool:
        known = context.cache.partitions_of(topic.name)
        return all(index in known and known[index].leader != NO_LEADER for index in topic.layout)

    def told(is_there: bool) -> None:
        result = created(context, topic)
        if not is_there:
            message = "the topic is created, but has no leaders yet"
            result = failed(topic.name, ErrorCode.REQUEST_TIMED_OUT, message)
        fan_in.put(topic.name, result)

    when_told(context, has_leaders, timeout_ms, told)


def checked(context: Context, asked: CreatableTopic) -> NewTopic:
    """The topic as it shall be; raises Refused."""
    name = asked.name
    problem = topic_name_problem(name)
    if problem is not None:
        raise Refused(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
    if context.cache.partitions_of(name):
        raise Refused(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic '{name}' already exists")
    others = colliding_names(name, context.cache.topics)
    if others:
        raise Refused(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            f"topic '{name}' collides with existing topics: {', '.join(others)}",
        )
    configs = checked_configs(context, asked)
    layout = assigned(context, asked) if asked.assignments else placed(context, asked)
    return NewTopic(name, context.ports.chance.unique_id(), layout, configs)


def checked_configs(context: Context, asked: CreatableTopic) -> Mapping[str, str]:
    configs: dict[str, str] = {}
    for config in asked.configs:
        if config.value is None:
            message = f"null value not supported for topic config {config.name}"
            raise Refused(ErrorCode.INVALID_CONFIG, message)
        configs[config.name] = config.value
    problem = configs_problem(configs, context.ports.settings)
    if problem is not None:
        raise Refused(ErrorCode.INVALID_CONFIG, problem)
    return configs


def placed(context: Context, asked: CreatableTopic) -> Layout:
    settings = context.ports.settings
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
    try:
        return new_layout(context, count, factor)
    except TooFewBrokers as error:
        raise Refused(ErrorCode.INVALID_REPLICATION_FACTOR, str(error)) from error


def assigned(context: Context, asked: CreatableTopic) -> Layout:
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
    check_replicas(context, list(layout.values()))
    return layout


def failed(name: str, error: ErrorCode, message: str) -> CreatableTopicResult:
    return CreatableTopicResult(name, error_code=error, error_message=message)


def created(context: Context, topic: NewTopic) -> CreatableTopicResult:
    configs = tuple(
        CreatableTopicConfigs(
            spec.name, value, config_source=source, is_sensitive=spec.is_sensitive
        )
        for spec in TOPIC_CONFIGS.values()
        for value, source in (value_of(spec, topic.configs, context.ports.settings),)
    )
    return CreatableTopicResult(
        topic.name,
        topic.topic_id,
        num_partitions=len(topic.layout),
        replication_factor=len(topic.layout[0]),
        configs=configs,
    )
