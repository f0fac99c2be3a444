"""Record batches of magic 2, made from records: what a broker appends by itself or converts.

Source: Kafka's MemoryRecordsBuilder and DefaultRecord.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from cluster.formats.compression import pack
from cluster.formats.producer_snapshot import NO_EPOCH, NO_SEQUENCE
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    NO_LEADER_EPOCH,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    PREFIX_SIZE,
    TRANSACTIONAL,
    in_64_bits,
    seal,
)
from cluster.wire.varint import encode

NOTHING: Final = encode(1)
"""The length -1, of a key or a value that is null."""


def build_batch(
    records: Sequence[bytes],
    timestamp_ms: int,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_EPOCH,
    *,
    count: int | None = None,
) -> bytearray:
    """Return an uncompressed batch of *records*, as `record_of` writes them, which all have
    *timestamp_ms*; with a *count* there are so many, several in an item.

    With a producer it is transactional; it has no sequence, as only brokers may append.
    """
    batch = bytearray(HEADER_SIZE)
    batch += b"".join(records)
    attributes = 0 if producer_id == NO_PRODUCER_ID else TRANSACTIONAL
    count = len(records) if count is None else count
    fill_header(batch, count, attributes, timestamp_ms, timestamp_ms, producer_id, producer_epoch)
    return batch


def build_compressed_batch(
    records: Iterable[tuple[int, bytes | None, bytes | None]], codec: int
) -> bytearray:
    """Return a batch of timestamps with keys and values, compressed by *codec*.

    Its base timestamp is that of the first record, whatever that is, as in a batch of Kafka's.
    """
    body = bytearray()
    count, base_ms, max_ms = 0, NO_TIMESTAMP, NO_TIMESTAMP
    for timestamp, key, value in records:
        base_ms = timestamp if count == 0 else base_ms
        max_ms = max(max_ms, timestamp)
        body += record_of(count, timestamp - base_ms, key, value)
        count += 1
    batch = bytearray(HEADER_SIZE) + pack(bytes(body), codec)
    fill_header(batch, count, codec, base_ms, max_ms)
    return batch


def record_of(number: int, delta_ms: int, key: bytes | None, value: bytes | None) -> bytes:
    """Return the *number*th record of a batch, without headers, *delta_ms* from its base
    timestamp.
    """
    delta_ms = in_64_bits(delta_ms)
    body = (
        b"\0"
        + encode(delta_ms << 1 ^ delta_ms >> 63)
        + encode(2 * number)
        + with_length(key)
        + with_length(value)
    )
    return encode(2 * len(body) + 2) + body + b"\0"


def fill_header(
    batch: bytearray,
    count: int,
    attributes: int,
    base_ms: int,
    max_ms: int,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_EPOCH,
) -> None:
    """Write the header of *batch*, whose *count* records have offsets from 0 on."""
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
        base_ms,
        max_ms,
        producer_id,
        producer_epoch,
        NO_SEQUENCE,
        count,
    )
    seal(batch, 0, len(batch))


def with_length(content: bytes | None) -> bytes:
    """Return *content* behind its length, a zigzag number."""
    return NOTHING if content is None else encode(2 * len(content)) + content
