"""The offset map: the last offset of each key in the dirty part of a log.

A dictionary of the latest keys, and behind it, for more of them than that may have, a hash table
of a given size, with open addressing.  The table holds 16 bytes for each key, so its memory does
not depend on what clients write: keys of up to 15 bytes as they are, and a digest of each longer
one.

Source: Kafka's SkimpyOffsetMap, with BLAKE2 in place of MD5: a client that finds two keys with the
same digest could have another client's record removed.
"""

from bisect import bisect_left
from collections.abc import Sequence
from hashlib import blake2b
from itertools import repeat
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
LATEST_SIZE: Final = 144
"""What a key takes in the dictionary beside its own bytes: two objects, and its share of the
dictionary when that has just grown."""


class OffsetMap:
    """Keys, and an offset for each."""

    __slots__ = ("_latest", "_latest_size_max", "_left", "_slot_count", "_sorted", "_table")

    def __init__(self, slot_count: int, latest_size_max: int) -> None:
        """Begin with a table of *slot_count*, and *latest_size_max* bytes for the dictionary."""
        self._slot_count = slot_count
        self._table: Table | None = None
        self._latest: dict[bytes, int] = {}
        self._latest_size_max = latest_size_max
        self._left = latest_size_max
        """Bytes that the dictionary may grow by at least."""
        self._sorted: list[int] | None = None

    def close(self) -> None:
        """Return the memory, which takes its time; nothing else may be called then."""
        self._latest = {}
        if self._table is not None:
            self._table.close()

    @property
    def size(self) -> int:
        """Return how many keys it has."""
        self._flush()
        return 0 if self._table is None else self._table.size

    @property
    def size_max(self) -> int:
        """Return how many keys it has at most, which costs nothing."""
        return len(self._latest) + (0 if self._table is None else self._table.size)

    def put(self, keys: Sequence[bytes], offsets: Sequence[int]) -> None:
        """Let *offsets* be the last of *keys*; there are free slots for those that are new."""
        latest = self._latest
        self._sorted = None
        latest.update(zip(keys, offsets, strict=True))
        self._left -= size_of(keys)
        if self._left < 0:
            # Keys that came several times were counted as often.
            self._left = self._latest_size_max - size_of(latest)
            if self._left < self._latest_size_max // 2:
                self._flush()

    def _flush(self) -> None:
        """Move all from the dictionary into the table."""
        latest = self._latest
        if latest:
            self._latest = {}
            self._left = self._latest_size_max
            if self._table is None:
                self._table = Table(self._slot_count)
            self._table.put(latest)

    def get(self, keys: Sequence[bytes]) -> list[int]:
        """Return the last offset of each of *keys*; NOT_FOUND where the map does not have it."""
        if self._table is None:
            return list(map(self._latest.get, keys, repeat(NOT_FOUND)))
        self._flush()
        return list(map(self._table.get, keys))

    def may_have_between(self, first: int, last: int) -> bool:
        """Return whether the last offset of some key may be one of those from *first* to *last*."""
        if self._table is not None:
            return True
        if self._sorted is None:
            self._sorted = sorted(self._latest.values())
        at = bisect_left(self._sorted, first)
        return at < len(self._sorted) and self._sorted[at] <= last


def size_of(keys: Sequence[bytes] | dict[bytes, int]) -> int:
    return LATEST_SIZE * len(keys) + sum(map(len, keys))


class Table:
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
        self._offsets.release()
        self._pages.close()
        self._entries.close()

    def put(self, last_offsets: dict[bytes, int]) -> None:
        for key, offset in last_offsets.items():
            slot, entry = self._find(key)
            if self._offsets[slot] == 0:
                assert self.size < self._slot_count - 1, "one slot stays free: there a search ends"
                at = ENTRY_SIZE * slot
                self._entries[at : at + ENTRY_SIZE] = entry
                self.size += 1
            self._offsets[slot] = offset + 1

    def get(self, key: bytes) -> int:
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
