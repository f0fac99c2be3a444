"""CreateTopics: creates topics, and waits for their leaders.

The answer waits until the partitions have leaders, up to the request's timeout.

Source: Kafka's ZkAdminManager.createTopics.
"""

from collections import Counter
from collections.abc import Collection
from functools import partial
from typing import cast

from cluster.broker.configs.topic_configs import value_of
from cluster.broker.delayed_metadata import until_metadata_says
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import ApiSettings, Ports
from cluster.broker.procedures import Procedure, outcome_of, run, run_all
from cluster.broker.topics.new_topics import AskedTopic, NewTopic, NewTopics
from cluster.broker.topics.placement import NEW_PARTITIONS_MAX, Refused
from cluster.model.api_error import ApiError
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.model.topic_name import by_metric_name
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)


def handle(
    ports: Ports,
    cache: MetadataCache,
    new_topics: NewTopics,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    reply.in_turns(create(ports, cache, new_topics, cast(CreateTopicsRequest, request.body), reply))


def create(
    ports: Ports,
    cache: MetadataCache,
    new_topics: NewTopics,
    body: CreateTopicsRequest,
    reply: Reply,
) -> Steps:
    """Check all topics, and then create the valid ones."""
    counts = Counter(topic.name for topic in body.topics)
    judged: dict[str, NewTopic | CreatableTopicResult] = {}
    room = NEW_PARTITIONS_MAX
    existing = by_metric_name(cache.topics)
    for asked in {topic.name: topic for topic in body.topics}.values():
        try:
            if cache.live_controller_id != ports.registration.broker_id:
                raise Refused(ErrorCode.NOT_CONTROLLER, "this broker is not the controller")
            if counts[asked.name] > 1:
                raise Refused(ErrorCode.INVALID_REQUEST, f"topic '{asked.name}' is named twice")
            topic = new_topics.check(asked_topic(asked), existing, room)
            room -= len(topic.layout)
            judged[asked.name] = topic
        except Refused as refused:
            judged[asked.name] = failed(asked.name, refused.error, str(refused))
        yield

    def done(results: list[CreatableTopicResult]) -> None:
        reply.in_turns(answer(results))

    if body.validate_only:
        run(ports.clock, validate(ports, judged.values()), done)
    else:
        making = [make(ports, cache, one, body.timeout_ms) for one in judged.values()]
        run_all(ports.clock, making, done)
    return None


def asked_topic(topic: CreatableTopic) -> AskedTopic:
    return AskedTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        [(one.partition_index, tuple(map(BrokerId, one.broker_ids))) for one in topic.assignments],
        topic.configs,
    )


def answer(results: list[CreatableTopicResult]) -> Steps:
    """Build the answer, a step for each topic: it has all its configs, and is long for many."""
    for _ in results:
        yield
    return CreateTopicsResponse(topics=results)


def validate(
    ports: Ports, judged: Collection[NewTopic | CreatableTopicResult]
) -> Procedure[list[CreatableTopicResult]]:
    """Return the result of each topic without creating it, or the error.

    The metadata lacks topics that are being deleted, so ZooKeeper is read.
    """
    names = [one.name for one in judged if isinstance(one, NewTopic)]
    checked = yield from outcome_of(partial(ports.store.check_new_topics, names))
    results: list[CreatableTopicResult] = []
    for one in judged:
        if isinstance(one, NewTopic):
            outcome = checked if isinstance(checked, ApiError) else checked[one.name]
            if outcome.error is ErrorCode.NONE:
                one = created(ports.settings, one._replace(topic_id=NO_TOPIC_ID))
            else:
                one = not_made(one, outcome)
        results.append(one)
    return results


def make(
    ports: Ports, cache: MetadataCache, topic: NewTopic | CreatableTopicResult, timeout_ms: int
) -> Procedure[CreatableTopicResult]:
    """Create a valid topic, and wait for its leaders."""
    if isinstance(topic, CreatableTopicResult):
        return topic
    layout = topic.layout

    def has_leaders() -> bool:
        known = cache.partitions_of(topic.name)
        return all(index in known and known[index].leader != NO_LEADER for index in layout)

    outcome = yield from outcome_of(partial(ports.store.create_topic, *topic))
    if outcome.error is not ErrorCode.NONE:
        return not_made(topic, outcome)
    if (yield from until_metadata_says(cache, ports.clock, has_leaders, timeout_ms)):
        return created(ports.settings, topic)
    message = "the topic is created, but has no leaders yet"
    return failed(topic.name, ErrorCode.REQUEST_TIMED_OUT, message)


def not_made(topic: NewTopic, outcome: ApiError) -> CreatableTopicResult:
    return failed(topic.name, outcome.error, outcome.message or outcome.error.name)


def failed(name: str, error: ErrorCode, message: str) -> CreatableTopicResult:
    return CreatableTopicResult(name, error_code=error, error_message=message)


def created(settings: ApiSettings, topic: NewTopic) -> CreatableTopicResult:
    configs = tuple(
        CreatableTopicConfigs(
            spec.name, value, config_source=source, is_sensitive=spec.is_sensitive
        )
        for spec in TOPIC_CONFIGS.values()
        for value, source in (value_of(spec, topic.configs, settings),)
    )
    return CreatableTopicResult(
        topic.name,
        topic.topic_id,
        num_partitions=len(topic.layout),
        replication_factor=len(topic.layout[0]),
        configs=configs,
    )
