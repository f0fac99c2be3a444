"""DeleteTopics: requests the deletion of topics, and waits for it.

The answer waits until the controller has removed them from the brokers' metadata, up to the
request's timeout.

Source: Kafka's ZkAdminManager.deleteTopics.
"""

from functools import partial
from typing import Final, NamedTuple, cast

from cluster.broker.delayed_metadata import until_metadata_says
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.procedures import Procedure, outcome_of, run_all
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
"""The first version with TOPIC_DELETION_DISABLED."""
ID_VERSION: Final = 6


class DeletedTopic(NamedTuple):
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
    topics = dict.fromkeys(DeletedTopic(topic.name, topic.topic_id) for topic in asked)
    version, timeout_ms = request.api_version, body.timeout_ms
    run_all(
        ports.clock,
        (delete(ports, cache, topic, version, timeout_ms) for topic in topics),
        lambda results: reply(DeleteTopicsResponse(responses=results)),
    )


def delete(
    ports: Ports, cache: MetadataCache, topic: DeletedTopic, version: int, timeout_ms: int
) -> Procedure[DeletableTopicResult]:
    """Write the request for deletion, and wait until the topic has gone."""
    name = resolved(cache, topic)
    error = refusal(ports, cache, topic, name, version)
    if error is not ErrorCode.NONE or name is None:
        return DeletableTopicResult(topic.name, topic.topic_id, error)
    outcome = yield from outcome_of(partial(ports.store.delete_topic, name))
    result = DeletableTopicResult(name, cache.topic_id(name), *outcome)
    if outcome.error is ErrorCode.NONE:
        is_gone = yield from until_metadata_says(
            cache, ports.clock, lambda: not cache.partitions_of(name), timeout_ms
        )
        if not is_gone:
            return result._replace(error_code=ErrorCode.REQUEST_TIMED_OUT)
    return result


def resolved(cache: MetadataCache, topic: DeletedTopic) -> str | None:
    """Return the topic's name; None for an unknown id."""
    if topic.topic_id == NO_TOPIC_ID:
        return topic.name
    return cache.topic_name(topic.topic_id)


def refusal(
    ports: Ports, cache: MetadataCache, topic: DeletedTopic, name: str | None, version: int
) -> ErrorCode:
    if cache.live_controller_id != ports.registration.broker_id:
        return ErrorCode.NOT_CONTROLLER
    if not ports.settings.deletes_topics:
        is_known = version >= DISABLED_VERSION
        return ErrorCode.TOPIC_DELETION_DISABLED if is_known else ErrorCode.INVALID_REQUEST
    if (topic.name is None) == (topic.topic_id == NO_TOPIC_ID):
        return ErrorCode.INVALID_REQUEST
    if name is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not cache.partitions_of(name):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.NONE
