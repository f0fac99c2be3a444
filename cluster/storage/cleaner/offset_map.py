"""The offset map: the last offset of each key in the dirty part of a log.

A hash table of a given size, with open addressing.  It holds 16 bytes for each key, so its memory
does not depend on what clients write: keys of up to 15 bytes as they are, and a digest of each
longer one.

Source: Kafka's SkimpyOffsetMap, with BLAKE2 in place of MD5: a client that finds two keys with the
same digest could have another client's record removed.
"""

from hashlib import blake2b
from mmap import mmap
from typing import Final

WHOLE_SIZE_MAX: Final = 15
SIZES: Final = tuple(bytes([size]) for size in range(WHOLE_SIZE_MAX + 1))
"""Behind a key, in whose place there may be zeros."""
DIGESTED: Final = b"\xff"
"""Behind a digest: no key is taken for one."""
ENTRY_SIZE: Final = WHOLE_SIZE_MAX + 1
OFFSET_SIZE: Final = 8
SLOT_SIZE: Final = ENTRY_SIZE + OFFSET_SIZE
NOT_FOUND: Final = -1


class OffsetMap:
    """Keys or their digests, and an offset for each."""

    __slots__ = ("_entries", "_offsets", "_pages", "_slot_count", "size")

    def __init__(self, slot_count: int) -> None:
        assert slot_count > 0
        self._slot_count = slot_count
        # Pages of the kernel, which are zero and not there until they are written: to fill memory
        # of our own would hold up all threads, a large map for half a second.
        self._entries = mmap(-1, ENTRY_SIZE * slot_count)
        self._pages = mmap(-1, OFFSET_SIZE * slot_count)
        self._offsets = memoryview(self._pages).cast("q")
        """One more than the offset, and 0 where a slot is free."""
        self.size = 0
        """How many keys it has."""

    def close(self) -> None:
        """Return the memory, which takes its time; nothing else may be called then."""
        self._offsets.release()
        self._pages.close()
        self._entries.close()

    def put(self, key: bytes, offset: int) -> None:
        """Let *offset* be the last of *key*; there is a free slot, or the key is known."""
        slot, entry = self._find(key)
        if self._offsets[slot] == 0:
            assert self.size < self._slot_count - 1, "one slot stays free: there a search ends"
            at = ENTRY_SIZE * slot
            self._entries[at : at + ENTRY_SIZE] = entry
            self.size += 1
        self._offsets[slot] = offset + 1

    def get(self, key: bytes) -> int:
        """Return the last offset of *key*; NOT_FOUND where the map does not have it."""
        slot, _ = self._find(key)
        return self._offsets[slot] - 1

    def _find(self, key: bytes) -> tuple[int, bytes]:
        """Return the slot that *key* has, or may have, and what stands there for it."""
        size = len(key)
        if size <= WHOLE_SIZE_MAX:
            entry = key.ljust(WHOLE_SIZE_MAX, b"\0") + SIZES[size]
        else:
            entry = blake2b(key, digest_size=WHOLE_SIZE_MAX).digest() + DIGESTED
        entries, offsets = self._entries, self._offsets
        # By Python's own hash, for which no client can choose keys that share a slot.
        slot = hash(entry) % self._slot_count
        while offsets[slot] != 0:
            at = ENTRY_SIZE * slot
            if entries[at : at + ENTRY_SIZE] == entry:
                break
            slot += 1
            if slot == self._slot_count:
                slot = 0
        return slot, entry
