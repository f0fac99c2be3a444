"""Record batches of magic 2, made from records: what a broker appends by itself.

Source: Kafka's MemoryRecordsBuilder and DefaultRecord.
"""

from collections.abc import Iterable
from typing import Final

from cluster.formats.producer_snapshot import NO_EPOCH, NO_SEQUENCE
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    NO_LEADER_EPOCH,
    NO_PRODUCER_ID,
    PREFIX_SIZE,
    TRANSACTIONAL,
    seal,
)
from cluster.wire.varint import encode

NOTHING: Final = encode(1)
"""The length -1, of a key or a value that is null."""


def build_batch(
    records: Iterable[tuple[bytes | None, bytes | None]],
    timestamp_ms: int,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_EPOCH,
) -> bytearray:
    """A batch of keys with values, uncompressed, whose records all have *timestamp_ms*.

    With a producer it is transactional; it has no sequence, as only brokers may append.
    """
    batch = bytearray(HEADER_SIZE)
    count = 0
    for key, value in records:
        # Attributes, no difference in time, the place in the batch, key, value, no headers.
        body = b"\0\0" + encode(2 * count) + with_length(key) + with_length(value) + b"\0"
        batch += encode(2 * len(body))
        batch += body
        count += 1
    attributes = 0 if producer_id == NO_PRODUCER_ID else TRANSACTIONAL
    HEADER_LAYOUT.pack_into(
        batch,
        0,
        0,
        len(batch) - PREFIX_SIZE,
        NO_LEADER_EPOCH,
        CURRENT_MAGIC,
        0,
        attributes,
        count - 1,
        timestamp_ms,
        timestamp_ms,
        producer_id,
        producer_epoch,
        NO_SEQUENCE,
        count,
    )
    seal(batch, 0, len(batch))
    return batch


def with_length(content: bytes | None) -> bytes:
    """*content* behind its length, a zigzag number."""
    return NOTHING if content is None else encode(2 * len(content)) + content
