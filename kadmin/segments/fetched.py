"""What brokers return about the replicas that they have, and the port that reads it; no
protocol."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

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
    topic_ids: Mapping[str, str] = MappingProxyType({})
    """By name, of the topics that have one: that of a topic made anew is another."""


class Span(NamedTuple):
    """Where the log of a replica begins and ends."""

    start: int
    end: int


Given: TypeAlias = Mapping[TopicPartition, Fetched | Refusal]


class ReplicaReader(Protocol):
    """Asks brokers for what they have themselves, leaders and followers alike."""

    def placement(self) -> Placement:
        """Return where the replicas are of the topics that are meant."""
        ...

    def fetch(
        self,
        asked: Mapping[BrokerId, Mapping[TopicPartition, int]],
        *,
        size_max: int,
        wait_ms: int,
    ) -> tuple[Mapping[BrokerId, Given], Mapping[BrokerId, str]]:
        """Return what each broker gives from these offsets on, up to *size_max* bytes a
        partition, and why others do not answer.  A broker that is throttled gives nothing of
        some."""
        ...

    def spans(
        self, asked: Mapping[BrokerId, Sequence[TopicPartition]]
    ) -> Mapping[BrokerId, Mapping[TopicPartition, Span]]:
        """Read the log start and end offsets of these replicas; what no broker returns
        is left out."""
        ...
