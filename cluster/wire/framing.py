"""Framing: finds the frames in a stream of bytes.

Knows no socket: its user receives into `space`, reports how many bytes arrived, and takes the
complete frames.  Memory grows with the received bytes, never with the size that a peer announces.
"""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from struct import Struct
from typing import Final

from cluster.wire.errors import FrameSizeError

CHUNK_SIZE: Final = 64 * 1024
"""How much is read at once without a large frame in progress; the least that a reader has."""
MAPPED_SIZE_MIN: Final = 4 * 1024 * 1024
"""From this size on a frame has a mapping of its own, whose pages exist once they are written to.
A growing buffer would be copied again and again, which for 90 MB takes 50 ms each time.
"""
EARNED_BY: Final = 1024 * 1024
"""How much must have arrived before a mapping is made: one also uses up addresses."""

_SIZE: Final = Struct(">i")
"""The size before a frame."""
HEAD_SIZE: Final = _SIZE.size
_WORD: Final = Struct(">I")
_HEAD: Final = Struct(">iI")
"""A size, and the first word of its frame."""
NO_WORD: Final = 0xFFFF_FFFF


class FrameReader:
    """The received bytes of one connection that are not processed yet.

    A taken frame lies in the reader's own memory and may be written to.  It is valid until the next
    one is requested; until then nothing is moved or received over it.
    """

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._hold(memoryview(bytearray(CHUNK_SIZE)))
        self._start = 0
        self._end = 0
        self._missing = 0
        self._is_lent = False
        self.word = NO_WORD
        """The first four bytes of the frame that was taken last: a request's API and version.  Of a
        frame that is shorter it means nothing."""

    def _hold(self, buffer: memoryview) -> None:
        self._buffer = buffer
        self.chunk = buffer[:CHUNK_SIZE]
        """The space for what arrives in an empty reader."""

    @property
    def buffered_bytes(self) -> int:
        """How many bytes arrived that are not part of a taken frame."""
        return self._end - self._start

    @property
    def missing_bytes(self) -> int:
        """How much of the current frame is still to arrive; 0 while its size is unknown."""
        return self._missing

    def space(self) -> memoryview:
        """The space for the next bytes: CHUNK_SIZE, or more for a large frame.

        For a large one no more than it lacks, so that the next one begins in an empty buffer and
        need not be moved.
        """
        if self._end == 0:
            # There is no part of a frame, so its size is unknown.
            return self.chunk
        wanted = self._missing if self._missing > CHUNK_SIZE else CHUNK_SIZE
        if self._end + wanted > len(self._buffer):
            self._make_room(wanted)
        return self._buffer[self._end : self._end + wanted]

    def lone_frame(self, count: int) -> memoryview | None:
        """The frame in *count* bytes that arrived in an empty reader, if they are exactly one; else
        None.

        Nothing counts as received by that: the frame is valid until something does, possibly these
        bytes.
        """
        if self._end != 0 or count < HEAD_SIZE:
            return None
        size, self.word = _HEAD.unpack_from(self._buffer)
        if size != count - HEAD_SIZE or size > self._size_max:
            return None
        return self._buffer[HEAD_SIZE:count]

    def received(self, count: int) -> None:
        """Note that *count* bytes arrived in the last `space`."""
        assert 0 <= count <= len(self._buffer) - self._end
        self._end += count

    def next_frame(self) -> memoryview | None:
        """Take the next frame, without its size; None while it is incomplete.

        This ends the frame before it.  Raises FrameSizeError for a size above the highest one or
        below 0; then the stream cannot be read any further.
        """
        self._is_lent = False
        head = self._start + HEAD_SIZE
        if self._end < head:
            self._missing = 0
            if self._start == self._end:
                self._start = self._end = 0
            return None
        (size,) = _SIZE.unpack_from(self._buffer, self._start)
        if not 0 <= size <= self._size_max:
            raise FrameSizeError(size, self._size_max)
        self._missing = head + size - self._end
        if self._missing > 0:
            return None
        self._missing = 0
        self._start = head + size
        self._is_lent = True
        self.word = _WORD.unpack_from(self._buffer, head)[0] if size >= _WORD.size else NO_WORD
        return self._buffer[head : head + size]

    def release(self) -> None:
        """End the last frame, if nothing arrived after it."""
        assert self._start == self._end
        self._is_lent = False
        self._start = self._end = self._missing = 0

    def trim(self) -> None:
        """Free the memory that a large frame has needed, if nothing lies in it.

        A taken frame keeps its own until it is ended.
        """
        if self._start == self._end and len(self._buffer) > CHUNK_SIZE:
            self._hold(memoryview(bytearray(CHUNK_SIZE)))
            self._start = self._end = 0

    def _make_room(self, wanted: int) -> None:
        """Move the rest to the front, into a larger buffer where enough has arrived.

        Twice what arrived is allowed: so all copies together are no more than the frame itself, and
        a peer that only announces much gets little.
        """
        kept = self._end - self._start
        size = min(kept + wanted, max(2 * kept, 2 * CHUNK_SIZE))
        rest = self._buffer[self._start : self._end]
        whole = kept + wanted
        if kept >= EARNED_BY and whole >= MAPPED_SIZE_MIN:
            if self._is_lent or whole > len(self._buffer):
                # With room for a whole read at its end, which would not fit by some bytes.
                self._hold(mapped(whole + CHUNK_SIZE))
        elif self._is_lent or size > len(self._buffer):
            self._hold(memoryview(bytearray(size)))
        self._buffer[:kept] = rest
        self._start, self._end = 0, kept


def mapped(size: int) -> memoryview:
    return memoryview(mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS))
