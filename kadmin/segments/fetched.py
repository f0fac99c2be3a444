"""What brokers tell of the replicas that they have: values, which know no protocol."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from cluster.model.ids import BrokerId, TopicPartition


class Fetched(NamedTuple):
    """What a replica gave from an offset on: batches up to its high watermark."""

    records: bytes
    """The last batch may be cut off."""
    high_watermark: int
    log_start_offset: int = 0


class Refusal(NamedTuple):
    """Why a replica gave nothing."""

    reason: str
    is_out_of_range: bool = False
    """Whether it has no such offset: it begins later, or ends before."""


class Placement(NamedTuple):
    """Where the replicas are; a topic that is gone is in none."""

    replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    addresses: Mapping[BrokerId, str]
    """Of the brokers that are alive."""


class Span(NamedTuple):
    """Where the log of a replica begins and ends."""

    start: int
    end: int


Given: TypeAlias = Mapping[TopicPartition, Fetched | Refusal]
