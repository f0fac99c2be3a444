"""Consumers of 0.8 and 0.9, which coordinate through ZooKeeper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cluster.model.ids import NEVER_READ, TopicPartition, ZkVersion


class SubscriptionPattern(StrEnum):
    STATIC = "static"
    WHITE_LIST = "white_list"
    BLACK_LIST = "black_list"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerRegistration:
    """The content of `/consumers/<group>/ids/<consumer>`.

    *streams* counts the threads by topic, or by regular expression unless *pattern* is static.
    *timestamp_ms* is when the consumer registered, None where the node lacks it.
    """

    streams: Mapping[str, int]
    pattern: SubscriptionPattern
    timestamp_ms: int | None
    version: int = 1
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConsumerThread:
    """The owner of a partition: a thread, counted from 0, of a consumer."""

    consumer_id: str
    thread: int

    def __str__(self) -> str:
        return f"{self.consumer_id}-{self.thread}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OldGroup:
    """A group of such consumers: the registered ones, sorted, and the owner of each partition."""

    name: str
    consumer_ids: tuple[str, ...]
    owners: Mapping[TopicPartition, ConsumerThread]
