"""Record batches as a producer would send them, for the tests of the log."""

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import cramjam
from crc32c import crc32c

from cluster.formats.batch_building import build_batch, record_of

HEADER: Final = struct.Struct(">qiibIhiqqqhii")
SEALED_AT: Final = 21
LAST_OFFSET_DELTA_AT: Final = 23
BASE_TIMESTAMP_AT: Final = 27
MAX_TIMESTAMP_AT: Final = 35
START_MS: Final = 1_700_000_000_000


# Tests make records by the hundred thousand, of the same few sizes and deltas.
@lru_cache(1 << 15)
def varint(number: int) -> bytes:
    raw = (number << 1) ^ (number >> 63)
    out = bytearray()
    while raw & ~0x7F:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)


def varint_of(size: int, number: int) -> bytes:
    """*number* in *size* bytes, more than it needs: the last ones add nothing."""
    short = varint(number)
    assert len(short) < size
    padding = [0x80] * (size - len(short) - 1)
    return bytes((*short[:-1], short[-1] | 0x80, *padding, 0))


def record(offset_delta: int, timestamp_delta: int, value: bytes) -> bytes:
    body = b"\x00" + varint(timestamp_delta) + varint(offset_delta)
    body += varint(-1) + varint(len(value)) + value + varint(0)
    return varint(len(body)) + body


def gzipped(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(content) + packer.flush()


def xerial(content: bytes) -> bytes:
    """Snappy as the Java client frames it, in blocks of 32 KiB."""
    blocks = [content[at : at + 32768] for at in range(0, len(content), 32768)]
    packed = [bytes(cramjam.snappy.compress_raw(block)) for block in blocks]
    head = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    return head + b"".join(struct.pack(">i", len(block)) + block for block in packed)


def lz4_frame(content: bytes) -> bytes:
    """LZ4 with independent blocks of 64 KiB: Kafka's reader knows no others."""
    blocks = [content[at : at + 65536] for at in range(0, len(content), 65536)]
    packed = [bytes(cramjam.lz4.compress_block(block, store_size=False)) for block in blocks]
    body = b"".join(struct.pack("<I", len(block)) + block for block in packed)
    return bytes.fromhex("04224d18604082") + body + bytes(4)


CODECS: Final[Mapping[str, tuple[int, Callable[[bytes], bytes]]]] = {
    "none": (0, bytes),
    "gzip": (1, gzipped),
    "snappy": (2, lambda content: bytes(cramjam.snappy.compress_raw(content))),
    "xerial": (2, xerial),
    "lz4": (3, lz4_frame),
    "zstd": (4, lambda content: bytes(cramjam.zstd.compress(content))),
}


def batch(
    values: Sequence[bytes] | int = 1,
    *,
    times: Sequence[int] | None = None,
    base_offset: int = 0,
    leader_epoch: int = -1,
    attributes: int = 0,
    codec: str = "none",
    producer_id: int = -1,
    producer_epoch: int = -1,
    sequence: int = -1,
) -> bytearray:
    """A batch of *values*, or of that many records of twenty bytes, one millisecond apart."""
    if isinstance(values, int):
        values = [b"%020d" % number for number in range(values)]
    times = times or [START_MS + number for number in range(len(values))]
    records = b"".join(
        record(number, at - times[0], value)
        for number, (at, value) in enumerate(zip(times, values, strict=True))
    )
    number, pack = CODECS[codec]
    body = pack(records)
    content = bytearray(
        HEADER.pack(
            *(base_offset, HEADER.size - 12 + len(body), leader_epoch, 2, 0),
            *(attributes | number, len(values) - 1, times[0], max(times)),
            *(producer_id, producer_epoch, sequence, len(values)),
        )
        + body
    )
    return sealed(content)


def of_pairs(
    records: Iterable[tuple[bytes | None, bytes | None]], timestamp_ms: int, *producer: int
) -> bytearray:
    """A batch of keys and values, as a coordinator appends them."""
    encoded = [record_of(number, 0, *one) for number, one in enumerate(records)]
    return build_batch(encoded, timestamp_ms, *producer)


def batch_around(
    body: bytes, count: int, codec: str = "none", *, packed: bool = False
) -> bytearray:
    """A batch that says that it has *count* records, around *body*, whatever that is.

    With *packed* it is not packed any more.
    """
    number, pack = CODECS[codec]
    content = body if packed else pack(body)
    header = HEADER.pack(
        *(0, HEADER.size - 12 + len(content), -1, 2, 0),
        *(number, count - 1, START_MS, START_MS, -1, -1, -1, count),
    )
    return sealed(bytearray(header + content))


def with_max_timestamp(content: bytearray, max_timestamp: int) -> bytearray:
    """The batch with *max_timestamp* in its header, whatever its records say."""
    struct.pack_into(">q", content, MAX_TIMESTAMP_AT, max_timestamp)
    return sealed(content)


def marker(producer_id: int, offset: int, *, is_abort: bool, leader_epoch: int = 0) -> bytearray:
    """The control batch that ends a transaction."""
    body = b"\x00" + varint(0) + varint(0)
    body += varint(4) + struct.pack(">hh", 0, 0 if is_abort else 1)
    body += varint(6) + struct.pack(">hi", 0, 7) + varint(0)
    content = varint(len(body)) + body
    return sealed(
        bytearray(
            HEADER.pack(
                *(offset, HEADER.size - 12 + len(content), leader_epoch, 2, 0),
                *(0x30, 0, START_MS, START_MS, producer_id, 0, -1, 1),
            )
            + content
        )
    )


def sealed(content: bytearray) -> bytearray:
    """*content* with the checksum that it should have."""
    struct.pack_into(">I", content, 17, crc32c(memoryview(content)[SEALED_AT:]))
    return content
