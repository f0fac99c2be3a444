"""The consumer protocol: what the consumers of a group exchange through the coordinator."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.fields import INT32, STRING, array, data, int32, string
from cluster.wire.schema import payload, struct


@struct
class TopicPartition(NamedTuple):
    topic: str = string()
    partitions: Sequence[int] = array(INT32)


@payload("0-3")
class ConsumerProtocolSubscription(NamedTuple):
    topics: Sequence[str] = array(STRING)
    user_data: bytes | None = data(null="0+", default=None)
    owned_partitions: Sequence[TopicPartition] = array(TopicPartition, "1+")
    generation_id: int = int32("2+", default=-1)
    rack_id: str | None = string("3+", null="3+", default=None)


@payload("0-3")
class ConsumerProtocolAssignment(NamedTuple):
    assigned_partitions: Sequence[TopicPartition] = array(TopicPartition)
    user_data: bytes | None = data(null="0+", default=None)
