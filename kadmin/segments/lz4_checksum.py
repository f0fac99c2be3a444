"""The checksum in the header of an LZ4 frame, which Kafka computed wrongly before 0.10.

In messages of magic 0 it covers the frame's magic number as well; readers of the standard refuse
such a frame.

Source: KAFKA-3160 and KIP-57.
"""

from typing import Final

MAGIC_NUMBER: Final = b"\x04\x22\x4d\x18"
DESCRIPTOR_AT: Final = 4
CONTENT_SIZE_FLAG: Final = 0x08
DICTIONARY_FLAG: Final = 0x01

PRIME_1: Final = 2654435761
PRIME_2: Final = 2246822519
PRIME_3: Final = 3266489917
PRIME_4: Final = 668265263
PRIME_5: Final = 374761393
MASK: Final = 2**32 - 1


def with_right_checksum(frame: bytes) -> bytes:
    """*frame* with the checksum that its header has to have; anything else as it is."""
    if len(frame) <= DESCRIPTOR_AT or frame[:DESCRIPTOR_AT] != MAGIC_NUMBER:
        return frame
    flags = frame[DESCRIPTOR_AT]
    size = 2 + 8 * (flags & CONTENT_SIZE_FLAG != 0) + 4 * (flags & DICTIONARY_FLAG != 0)
    end = DESCRIPTOR_AT + size
    checksum = xxh32(frame[DESCRIPTOR_AT:end]) >> 8 & 0xFF
    return frame[:end] + bytes((checksum,)) + frame[end + 1 :]


def xxh32(data: bytes) -> int:
    """The hash of up to 15 bytes, with the seed 0."""
    assert len(data) < 16
    value = PRIME_5 + len(data)
    whole = len(data) - len(data) % 4
    for at in range(0, whole, 4):
        value += int.from_bytes(data[at : at + 4], "little") * PRIME_3
        value = rotated(value & MASK, 17) * PRIME_4
    for byte in data[whole:]:
        value = rotated((value + byte * PRIME_5) & MASK, 11) * PRIME_1
    value &= MASK
    value = (value ^ value >> 15) * PRIME_2 & MASK
    value = (value ^ value >> 13) * PRIME_3 & MASK
    return value ^ value >> 16


def rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & MASK
