"""The offset map: the last offset of each key in the dirty part of a log.

A hash table of a size that is given, with open addressing.  It holds a digest of each key, not the
key, so its memory does not depend on what clients write: 24 bytes for each slot.

Source: Kafka's SkimpyOffsetMap, with BLAKE2 in place of MD5: whoever finds two keys of one digest
can have a record of somebody else removed.
"""

from array import array
from hashlib import blake2b
from typing import Final

DIGEST_SIZE: Final = 16
SLOT_SIZE: Final = DIGEST_SIZE + 8
NOT_FOUND: Final = -1


class OffsetMap:
    """Digests of keys, and an offset for each."""

    __slots__ = ("_digests", "_offsets", "_slot_count", "size")

    def __init__(self, slot_count: int) -> None:
        assert slot_count > 0
        self._slot_count = slot_count
        self._digests = bytearray(DIGEST_SIZE * slot_count)
        self._offsets = array("q", bytes(8 * slot_count))
        """One more than the offset, and 0 where a slot is free."""
        self.size = 0
        """How many keys it has."""

    def put(self, key: bytes, offset: int) -> None:
        """Let *offset* be the last of *key*; there is a free slot, or the key is known."""
        slot, digest = self._find(key)
        if self._offsets[slot] == 0:
            assert self.size < self._slot_count - 1, "one slot stays free: there a search ends"
            at = DIGEST_SIZE * slot
            self._digests[at : at + DIGEST_SIZE] = digest
            self.size += 1
        self._offsets[slot] = offset + 1

    def get(self, key: bytes) -> int:
        """The last offset of *key*; NOT_FOUND where the map does not have it."""
        slot, _ = self._find(key)
        return self._offsets[slot] - 1

    def _find(self, key: bytes) -> tuple[int, bytes]:
        """The slot that *key* has, or may have, and its digest."""
        digest = blake2b(key, digest_size=DIGEST_SIZE).digest()
        digests, offsets = self._digests, self._offsets
        slot = int.from_bytes(digest[:8]) % self._slot_count
        while offsets[slot] != 0:
            at = DIGEST_SIZE * slot
            if digests[at : at + DIGEST_SIZE] == digest:
                break
            slot += 1
            if slot == self._slot_count:
                slot = 0
        return slot, digest
