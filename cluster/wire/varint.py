"""Varints: lengths and counts in as few bytes as they need.

Unsigned varints, seven bits a byte, the lowest first; five bytes at most.
"""

from typing import Final

from cluster.wire.errors import MalformedFrameError

SMALL: Final = tuple(bytes([value]) for value in range(128))
"""The encoded form of 0 to 127, which most lengths are."""

_BITS_MAX: Final = 35


def read_rest(data: bytes | memoryview, position: int, first: int) -> tuple[int, int]:
    """Finish a varint whose *first* byte, already read, was above 127; returns value and
    position.
    """
    value = first & 0x7F
    shift = 7
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 128:
            return value, position
        shift += 7
        if shift == _BITS_MAX:
            raise MalformedFrameError("a varint of more than five bytes")


def encode(value: int) -> bytes:
    """Encode 0 or a positive number."""
    if value < 128:
        return SMALL[value]
    if value < 16384:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
