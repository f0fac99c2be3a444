"""Messages of magic 0 and 1 as brokers before 0.11 wrote them, alone and wrapped."""

import struct
import zlib
from collections.abc import Sequence

from cluster.formats.compression import xxh32
from tests.cluster.storage.batches import CODECS, START_MS


def message(
    value: bytes | None,
    *,
    offset: int = 0,
    key: bytes | None = None,
    magic: int = 1,
    timestamp: int = START_MS,
    attributes: int = 0,
) -> bytes:
    sealed = struct.pack(">bb", magic, attributes)
    if magic == 1:
        sealed += struct.pack(">q", timestamp)
    for field in (key, value):
        sealed += struct.pack(">i", -1 if field is None else len(field)) + (field or b"")
    return struct.pack(">qiI", offset, 4 + len(sealed), zlib.crc32(sealed)) + sealed


def wrapper(
    values: Sequence[bytes],
    *,
    base_offset: int = 0,
    codec: str = "gzip",
    magic: int = 1,
    attributes: int = 0,
    has_old_checksum: bool = False,
) -> bytes:
    """A message that wraps one for each of *values*; LZ4 as Kafka 0.8 *has_old_checksum*."""
    inner = b"".join(
        message(
            value,
            offset=number if magic == 1 else base_offset + number,
            key=b"%d" % number,
            magic=magic,
            timestamp=START_MS + number,
        )
        for number, value in enumerate(values)
    )
    number, pack = CODECS[codec]
    packed = pack(inner)
    if has_old_checksum:
        packed = packed[:6] + bytes((xxh32(packed[:6]) >> 8 & 0xFF,)) + packed[7:]
    return message(
        packed,
        offset=base_offset + len(values) - 1,
        magic=magic,
        timestamp=START_MS + len(values) - 1,
        attributes=number | attributes,
    )
