"""What does every client library do in the tests: records there and back, topics, configs?

The values and the calls that the drivers have in common.  Knows no library.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, Protocol

NO_OFFSET: Final = -1
"""What stands for the offset of a record that nobody acknowledged."""

BEGINNING: Final = -2
END: Final = -1
"""Places to consume from, with the numbers that Kafka's requests have for them."""

ALL_CODECS: Final = frozenset({"gzip", "snappy", "lz4", "zstd"})


STARTED_MS: Final = time.time_ns() // 1_000_000
"""So young that no retention takes a record away while a test lasts."""


class Sent(NamedTuple):
    """A record as it is sent."""

    value: bytes | None
    key: bytes | None = None
    partition: int = 0
    timestamp_ms: int = STARTED_MS
    headers: tuple[tuple[str, bytes], ...] = ()


class Got(NamedTuple):
    """A record as it comes back."""

    offset: int
    record: Sent


class Refused(Exception):
    """An error of a broker or of the library, as Kafka's code where the library has one for it.

    Codes below NO_CODE are librdkafka's own.
    """

    NO_CODE: Final = -1

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Producer(Protocol):
    """A producer that stays open."""

    def send(self, topic: str, records: Sequence[Sent]) -> list[int]:
        """Send, wait for all answers, and return the offsets; raises Refused.

        What stands for offsets with acks=0, when nobody knows them, is the library's.
        """
        ...


class Driver(Protocol):
    """A client library at work; every call may raise Refused, and waits OUTER_LIMIT_S at most."""

    codecs: frozenset[str]
    """What the library compresses by without help of others."""

    @property
    def lacks(self) -> frozenset[str]:
        """The calls of this class for which the library has nothing."""
        ...

    def close(self) -> None:
        """End what is kept open between the calls."""
        ...

    def producer(self, **options: Any) -> AbstractContextManager[Producer]:
        """A producer until the end of the block; *options* are named as Kafka's, with `_`."""
        ...

    def produce(self, topic: str, records: Sequence[Sent], **options: Any) -> list[int]:
        """What `Producer.send` does, by a producer for this alone."""
        ...

    def refuse_transactions(self) -> None:
        """Ask for a transactional id, and return only if that is granted."""
        ...

    def consume(
        self, topic: str, partition: int, offset: int, count: int, **options: Any
    ) -> list[Got]:
        """Read *count* records from *offset* on, which may be BEGINNING or END."""
        ...

    def consume_several(
        self, topic: str, offsets: Mapping[int, int], count: int, **options: Any
    ) -> list[Got]:
        """Read *count* records by one consumer, from each partition's offset on."""
        ...

    def ends(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the one behind the last, as a consumer asks for them."""
        ...

    def offset_at(self, topic: str, partition: int, timestamp_ms: int) -> int | None:
        """The first record that is no older; None without one."""
        ...

    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None: ...

    def delete_topic(self, name: str) -> None: ...

    def add_partitions(self, name: str, count: int) -> None:
        """Let the topic have *count* partitions in all."""
        ...

    def topics(self) -> set[str]: ...

    def replicas(self, topic: str) -> dict[int, list[int]]:
        """The brokers of each partition."""
        ...

    def topic_configs(self, topic: str) -> dict[str, str]:
        """What was set for the topic itself."""
        ...

    def broker_configs(self, broker_id: int) -> dict[str, str | None]:
        """Everything that holds for the broker."""
        ...

    def replace_configs(self, topic: str, configs: Mapping[str, str]) -> None:
        """Let *configs* be all that is set for the topic, as AlterConfigs does."""
        ...

    def change_configs(self, topic: str, configs: Mapping[str, str | None]) -> None:
        """Set these, take away those that are None, and leave the others alone."""
        ...

    def log_sizes(self, topic: str) -> dict[int, int]:
        """The bytes that each partition has in the log directories of broker 1."""
        ...

    def producers(self, topic: str, partition: int) -> list[int]:
        """The last sequence number of each idempotent producer, as the leader knows them."""
        ...

    def delete_records(self, topic: str, partition: int, before: int) -> int:
        """Returns the first offset that is left."""
        ...

    def listed_offsets(self, topic: str, partition: int) -> tuple[int, int]:
        """The first offset, and the one behind the last, as an admin client asks for them."""
        ...

    def cluster(self) -> tuple[int, dict[int, int]]:
        """The controller's id, and the port of each broker."""
        ...
