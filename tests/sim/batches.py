"""Record batches as a producer sends them: one record each."""

import struct
from typing import Final

from crc32c import crc32c

HEAD: Final = struct.Struct(">qiib")
"""Base offset, length, leader epoch, magic; behind them stands the checksum of the rest."""
REST: Final = struct.Struct(">hiqqqhii")
MAGIC: Final = 2
NOBODY: Final = -1
"""No producer id, epoch or sequence."""
SIZE_MAX: Final = 50
"""Of a value here, so that each length is one byte of a varint."""


def batch_of(value: bytes, now_ms: int) -> bytes:
    assert len(value) <= SIZE_MAX
    # Attributes, time and offset (relative), no key, the value, no headers.
    record = bytes((0, 0, 0, 1, 2 * len(value))) + value + bytes((0,))
    body = bytes((2 * len(record),)) + record
    rest = REST.pack(0, 0, now_ms, now_ms, NOBODY, NOBODY, NOBODY, 1) + body
    size = HEAD.size - 12 + 4 + len(rest)
    return HEAD.pack(0, size, NOBODY, MAGIC) + crc32c(rest).to_bytes(4, "big") + rest
