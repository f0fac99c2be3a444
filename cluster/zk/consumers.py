"""Znodes of old consumers: codecs of their members, owners and offsets."""

from typing import Final

from cluster.model.consumer import ConsumerRegistration, ConsumerThread, SubscriptionPattern
from cluster.zk.fields import (
    INT32_MAX,
    INT64_MAX,
    JsonObject,
    decimal,
    extra_fields,
    integer,
    json_bytes,
    json_map,
    json_object,
    optional_integer,
    plain_text,
    shown,
    text,
)
from cluster.zk.znode import Znode

FIELDS: Final = frozenset({"version", "subscription", "pattern", "timestamp"})


def decode_consumer(node: Znode) -> ConsumerRegistration:
    document = json_object(node)
    subscription = json_map(node, document, "subscription")
    pattern = text(node, document, "pattern")
    if pattern not in set(SubscriptionPattern):
        raise node.corrupt(f"{shown(pattern)} is no pattern of a subscription")
    return ConsumerRegistration(
        streams={topic: integer(node, subscription, topic, 0, INT32_MAX) for topic in subscription},
        pattern=SubscriptionPattern(pattern),
        timestamp_ms=optional_integer(node, document, "timestamp", 0, INT64_MAX),
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, FIELDS),
    )


def encode_consumer(consumer: ConsumerRegistration) -> bytes:
    document: JsonObject = {
        "version": consumer.version,
        "subscription": dict(consumer.streams),
        "pattern": consumer.pattern.value,
    }
    if consumer.timestamp_ms is not None:
        document["timestamp"] = str(consumer.timestamp_ms)
    return json_bytes({**document, **consumer.extra})


def decode_consumer_owner(node: Znode) -> ConsumerThread:
    consumer_id, _, thread = plain_text(node).rpartition("-")
    if not consumer_id:
        raise node.corrupt("names no consumer")
    return ConsumerThread(consumer_id, decimal(node, thread, "the thread"))


def encode_consumer_owner(owner: ConsumerThread) -> bytes:
    return str(owner).encode()


def decode_consumer_offset(node: Znode) -> int:
    """The offset of the next record to read."""
    return decimal(node, plain_text(node), "the offset", 0, INT64_MAX)


def encode_consumer_offset(offset: int) -> bytes:
    return str(offset).encode()
