"""Producer snapshots: the state of a log's producers, as a `.snapshot` file.

Kafka's format, version 1: of each producer the last batch only.  Its name is the offset up to which
the log was read.
"""

from collections.abc import Iterable
from struct import Struct
from typing import Final, NamedTuple

from crc32c import crc32c

from cluster.formats.errors import CorruptFileError
from cluster.formats.record_batch import SEQUENCE_MAX

NO_SEQUENCE: Final = -1
NO_OFFSET: Final = -1
NO_EPOCH: Final = -1

SUFFIX: Final = ".snapshot"
VERSION: Final = 1
HEADER: Final = Struct(">hIi")
PRODUCER: Final = Struct(">qhiqiqiq")
SEALED_AT: Final = 6
"""Where the bytes begin that the checksum covers: version and checksum stand before."""


class SentBatch(NamedTuple):
    """A batch that is in the log, as far as its producer's retries are concerned."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    """Last offset less first offset."""
    timestamp: int

    @property
    def first_sequence(self) -> int:
        return (self.last_sequence - self.offset_delta) & SEQUENCE_MAX

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class Producer(NamedTuple):
    """The state of one producer in a log."""

    producer_id: int
    epoch: int
    batches: tuple[SentBatch, ...]
    """Oldest first, at most five, all of `epoch`; none behind a mere transaction marker."""
    last_timestamp: int
    coordinator_epoch: int = NO_EPOCH
    transaction_offset: int = NO_OFFSET
    """First offset of the transaction that is open."""

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE


def encode(producers: Iterable[Producer]) -> bytes:
    """Return the content of a snapshot file."""
    rows = [PRODUCER.pack(*row_of(producer)) for producer in producers]
    sealed = HEADER.pack(0, 0, len(rows))[SEALED_AT:] + b"".join(rows)
    return HEADER.pack(VERSION, crc32c(sealed), len(rows))[:SEALED_AT] + sealed


def row_of(producer: Producer) -> tuple[int, ...]:
    last = producer.batches[-1] if producer.batches else SentBatch(-1, NO_OFFSET, 0, 0)
    return (
        producer.producer_id,
        producer.epoch,
        last.last_sequence,
        last.last_offset,
        last.offset_delta,
        producer.last_timestamp,
        producer.coordinator_epoch,
        producer.transaction_offset,
    )


def decode(content: bytes, path: str) -> tuple[Producer, ...]:
    """Return the producers of a snapshot file, in its order.

    Raises:
        CorruptFileError: it was cut off, or its checksum is wrong, or its version unknown.
    """
    if len(content) < HEADER.size:
        raise CorruptFileError(path, f"{len(content)} bytes are less than a header")
    version, crc, count = HEADER.unpack_from(content)
    if version != VERSION:
        raise CorruptFileError(path, f"unknown version {version}")
    if crc32c(memoryview(content)[SEALED_AT:]) != crc:
        raise CorruptFileError(path, "its checksum is wrong")
    if len(content) != HEADER.size + count * PRODUCER.size:
        raise CorruptFileError(path, f"it holds not just {count} producers")
    return tuple(
        producer_of(row) for row in PRODUCER.iter_unpack(memoryview(content)[HEADER.size :])
    )


def producer_of(row: tuple[int, ...]) -> Producer:
    producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, open_at = row
    has_batch = offset >= 0
    return Producer(
        producer_id=producer_id,
        epoch=epoch,
        batches=(SentBatch(sequence, offset, delta, timestamp),) if has_batch else (),
        last_timestamp=timestamp,
        coordinator_epoch=coordinator_epoch,
        transaction_offset=open_at,
    )
