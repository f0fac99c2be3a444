"""CreatePartitions: adds partitions to topics, and waits for their leaders.

Source: Kafka's ZkAdminManager.createPartitions and AdminZkClient.addPartitions.
"""

from collections import Counter
from functools import partial
from typing import cast

from cluster.broker.configs.topic_configs import serving_problem
from cluster.broker.delayed_metadata import until_metadata_says
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports, Registration
from cluster.broker.procedures import Procedure, outcome_of, run_all
from cluster.broker.topics.new_partitions import LargerTopic, known_partitions, partitions_to_add
from cluster.broker.topics.placement import NEW_PARTITIONS_MAX, Refused, check_count
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)


def handle(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(CreatePartitionsRequest, request.body)
    counts = Counter(topic.name for topic in body.topics)
    room = NEW_PARTITIONS_MAX
    adding: list[Procedure[CreatePartitionsTopicResult]] = []
    for topic in {topic.name: topic for topic in body.topics}.values():
        added_count = topic.partition_count - len(cache.partitions_of(topic.name))
        refused = refusal(ports.registration, cache, topic, counts[topic.name], added_count, room)
        if refused.error is ErrorCode.NONE:
            room -= max(0, added_count)
        adding.append(add(ports, cache, topic, refused, body))
    run_all(ports.clock, adding, lambda results: reply(CreatePartitionsResponse(results=results)))


def add(
    ports: Ports,
    cache: MetadataCache,
    topic: CreatePartitionsTopic,
    refused: ApiError,
    body: CreatePartitionsRequest,
) -> Procedure[CreatePartitionsTopicResult]:
    """Write the partitions, and wait for their leaders."""

    def has_leaders() -> bool:
        known = cache.partitions_of(topic.name)
        return all(
            index in known and known[index].leader != NO_LEADER
            for index in range(topic.partition_count)
        )

    outcome = refused
    if outcome.error is ErrorCode.NONE:
        outcome = yield from unserved(ports, topic.name)
    if outcome.error is ErrorCode.NONE:
        larger = larger_topic(topic)
        if body.validate_only:
            added = partitions_to_add(cache, larger, known_partitions(cache, topic.name))
            outcome = added if isinstance(added, ApiError) else ApiError()
        else:
            to_add = partial(partitions_to_add, cache, larger)
            outcome = yield from outcome_of(partial(ports.store.add_partitions, topic.name, to_add))
            if outcome.error is ErrorCode.NONE and not (
                yield from until_metadata_says(cache, ports.clock, has_leaders, body.timeout_ms)
            ):
                late = "the partitions have no leaders yet"
                outcome = ApiError(ErrorCode.REQUEST_TIMED_OUT, late)
    return CreatePartitionsTopicResult(topic.name, outcome.error, outcome.message)


def unserved(ports: Ports, topic: str) -> Procedure[ApiError]:
    """Return why brokers like this one would not serve more partitions of *topic*."""
    found = yield from outcome_of(partial(ports.store.read_topic_overrides, (topic,)))
    overrides = found if isinstance(found, ApiError) else found[topic]
    if isinstance(overrides, ApiError):
        return overrides
    problem = serving_problem(overrides, ports.settings)
    return ApiError() if problem is None else ApiError(ErrorCode.INVALID_CONFIG, problem)


def larger_topic(topic: CreatePartitionsTopic) -> LargerTopic:
    assignments = topic.assignments
    if assignments is None:
        return LargerTopic(topic.name, topic.partition_count, None)
    lists = [tuple(map(BrokerId, one.broker_ids)) for one in assignments]
    return LargerTopic(topic.name, topic.partition_count, lists)


def refusal(
    registration: Registration,
    cache: MetadataCache,
    topic: CreatePartitionsTopic,
    count: int,
    added_count: int,
    room: int,
) -> ApiError:
    """Return the errors that can be found without reading ZooKeeper."""
    if cache.live_controller_id != registration.broker_id:
        return ApiError(ErrorCode.NOT_CONTROLLER, "this broker is not the controller")
    if count > 1:
        return ApiError(ErrorCode.INVALID_REQUEST, f"topic '{topic.name}' is named twice")
    if not cache.partitions_of(topic.name):
        message = f"topic '{topic.name}' does not exist"
        return ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    try:
        check_count(added_count, room)
    except Refused as refused:
        return ApiError(refused.error, str(refused))
    return ApiError()
