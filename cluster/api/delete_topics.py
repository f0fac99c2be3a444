"""DeleteTopics: are these topics on their way out, or out already?

The answer waits until the controller has taken them out of what brokers tell clients, as far as the
request's time allows.

Source: Kafka's ZkAdminManager.deleteTopics.
"""

from functools import partial
from typing import Final, NamedTuple, cast

from cluster.broker.delayed_metadata import when_metadata_says
from cluster.broker.fan_in import FanIn
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import ApiSettings, Clock, Ports, Registration
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)

DISABLED_VERSION: Final = 3
"""The first version whose clients know TOPIC_DELETION_DISABLED."""
ID_VERSION: Final = 6


class Doomed(NamedTuple):
    """A topic as the client names it, by *name* or by *topic_id*."""

    name: str | None
    topic_id: bytes


def handle(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(DeleteTopicsRequest, request.body)
    asked = body.topics
    if request.api_version < ID_VERSION:
        asked = tuple(DeleteTopicState(name=name) for name in body.topic_names)
    topics = dict.fromkeys(Doomed(topic.name, topic.topic_id) for topic in asked)

    def done(results: list[DeletableTopicResult]) -> None:
        reply(DeleteTopicsResponse(responses=results))

    fan_in: FanIn[Doomed, DeletableTopicResult] = FanIn(topics, done)
    fan_in.check()
    for topic in topics:
        name = resolved(cache, topic)
        error = refusal(ports.settings, ports.registration, cache, topic, name, request.api_version)
        if error is not ErrorCode.NONE or name is None:
            fan_in.put(topic, DeletableTopicResult(topic.name, topic.topic_id, error))
            continue
        ports.store.delete_topic(
            name, partial(continue_with, ports.clock, cache, fan_in, topic, name, body.timeout_ms)
        )


def resolved(cache: MetadataCache, topic: Doomed) -> str | None:
    """The topic's name; None for an id that is not known."""
    if topic.topic_id == NO_TOPIC_ID:
        return topic.name
    return cache.topic_name(topic.topic_id)


def refusal(
    settings: ApiSettings,
    registration: Registration,
    cache: MetadataCache,
    topic: Doomed,
    name: str | None,
    version: int,
) -> ErrorCode:
    if cache.live_controller_id != registration.broker_id:
        return ErrorCode.NOT_CONTROLLER
    if not settings.deletes_topics:
        is_known = version >= DISABLED_VERSION
        return ErrorCode.TOPIC_DELETION_DISABLED if is_known else ErrorCode.INVALID_REQUEST
    if (topic.name is None) == (topic.topic_id == NO_TOPIC_ID):
        return ErrorCode.INVALID_REQUEST
    if name is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not cache.partitions_of(name):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.NONE


def continue_with(
    clock: Clock,
    cache: MetadataCache,
    fan_in: FanIn[Doomed, DeletableTopicResult],
    topic: Doomed,
    name: str,
    timeout_ms: int,
    outcome: ApiError,
) -> None:
    """Wait for the topic to go, once that is written."""
    result = DeletableTopicResult(name, cache.topic_id(name))
    if outcome.error is not ErrorCode.NONE:
        fan_in.put(topic, result._replace(error_code=outcome.error, error_message=outcome.message))
        return

    def told(is_gone: bool) -> None:
        error = ErrorCode.NONE if is_gone else ErrorCode.REQUEST_TIMED_OUT
        fan_in.put(topic, result._replace(error_code=error))

    when_metadata_says(
        cache,
        clock,
        lambda: not cache.partitions_of(name),
        timeout_ms,
        told,
    )
