"""CreatePartitions: may these topics have more partitions, and have they got them?

Source: Kafka's ZkAdminManager.createPartitions and AdminZkClient.addPartitions.
"""

from collections import Counter
from functools import partial
from typing import cast

from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.fan_in import FanIn
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock, Ports, Registration
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

    def done(results: list[CreatePartitionsTopicResult]) -> None:
        reply(CreatePartitionsResponse(results=results))

    counts = Counter(topic.name for topic in body.topics)
    fan_in: FanIn[str, CreatePartitionsTopicResult] = FanIn(counts, done)
    fan_in.check()
    room = NEW_PARTITIONS_MAX
    for topic in {topic.name: topic for topic in body.topics}.values():
        added_count = topic.partition_count - len(cache.partitions_of(topic.name))
        refused = refusal(ports.registration, cache, topic, counts[topic.name], added_count, room)
        if refused.error is not ErrorCode.NONE:
            fan_in.put(topic.name, result_of(topic.name, refused))
            continue
        room -= max(0, added_count)
        larger = larger_topic(topic)
        if body.validate_only:
            added = partitions_to_add(cache, larger, known_partitions(cache, topic.name))
            outcome = added if isinstance(added, ApiError) else ApiError()
            fan_in.put(topic.name, result_of(topic.name, outcome))
        else:
            ports.store.add_partitions(
                topic.name,
                partial(partitions_to_add, cache, larger),
                partial(continue_with, ports.clock, cache, fan_in, topic, body.timeout_ms),
            )


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
    """What can be said without a look at what stands in ZooKeeper."""
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


def continue_with(
    clock: Clock,
    cache: MetadataCache,
    fan_in: FanIn[str, CreatePartitionsTopicResult],
    topic: CreatePartitionsTopic,
    timeout_ms: int,
    outcome: ApiError,
) -> None:
    """Wait for the new partitions' leaders, once they are written."""
    if outcome.error is not ErrorCode.NONE:
        fan_in.put(topic.name, result_of(topic.name, outcome))
        return

    def has_leaders() -> bool:
        known = cache.partitions_of(topic.name)
        return all(
            index in known and known[index].leader != NO_LEADER
            for index in range(topic.partition_count)
        )

    def told(is_there: bool) -> None:
        late = ApiError(ErrorCode.REQUEST_TIMED_OUT, "the partitions have no leaders yet")
        fan_in.put(topic.name, result_of(topic.name, ApiError() if is_there else late))

    when_metadata_says(cache, clock, has_leaders, timeout_ms, told)


def result_of(name: str, outcome: ApiError) -> CreatePartitionsTopicResult:
    return CreatePartitionsTopicResult(name, outcome.error, outcome.message)
