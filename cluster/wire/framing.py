"""Framing: where does a frame end in a stream of bytes?

Knows no socket: whoever has one asks for `space`, receives into it, says how much came, and takes
the frames that are whole.  Memory grows with the bytes that came, never with the size that a peer
announces.
"""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from struct import Struct
from typing import Final

from cluster.wire.errors import FrameSizeError

CHUNK_SIZE: Final = 64 * 1024
"""How much is read at once where no large frame is under way; the least that a reader holds."""
MAPPED_SIZE_MIN: Final = 4 * 1024 * 1024
"""From which size on a frame has a mapping of its own, in which a page is there once it is written
to.  A buffer that grows would be copied again and again, which for 90 MB takes 50 ms each time.
"""
EARNED_BY: Final = 1024 * 1024
"""How much has to have come before a mapping is made: one also uses up addresses."""

_SIZE: Final = Struct(">i")
"""What stands before a frame."""
HEAD_SIZE: Final = _SIZE.size


class FrameReader:
    """The bytes of one connection that came and are not used up yet.

    A frame that was taken lies in the reader's own memory and may be written to.  It is good until
    the next one is asked for; until then nothing is moved or received over it.
    """

    def __init__(self, size_max: int) -> None:
        self._size_max = size_max
        self._hold(memoryview(bytearray(CHUNK_SIZE)))
        self._start = 0
        self._end = 0
        self._missing = 0
        self._is_lent = False

    def _hold(self, buffer: memoryview) -> None:
        self._buffer = buffer
        self._chunk = buffer[:CHUNK_SIZE]
        """The space for what comes into an empty reader."""

    @property
    def buffered_bytes(self) -> int:
        """How much came that is not part of a frame that was taken."""
        return self._end - self._start

    @property
    def missing_bytes(self) -> int:
        """How much of the frame under way has still to come; 0 while its size is not known."""
        return self._missing

    def space(self) -> memoryview:
        """Where the next bytes belong: CHUNK_SIZE, or more for a large frame.

        For a large one no more than what is missing of it, so that the next one begins in an empty
        buffer and need not be moved.
        """
        if self._end == 0:
            # Nothing of a frame is here, so nothing is known to be missing.
            return self._chunk
        wanted = self._missing if self._missing > CHUNK_SIZE else CHUNK_SIZE
        if self._end + wanted > len(self._buffer):
            self._make_room(wanted)
        return self._buffer[self._end : self._end + wanted]

    def lone_frame(self, count: int) -> memoryview | None:
        """The frame in *count* bytes that came into an empty reader and are one; else None.

        Nothing is received by that: the frame is good until something is, which may be these bytes.
        """
        if self._end != 0 or count < HEAD_SIZE:
            return None
        (size,) = _SIZE.unpack_from(self._buffer)
        if size != count - HEAD_SIZE or size > self._size_max:
            return None
        return self._buffer[HEAD_SIZE:count]

    def received(self, count: int) -> None:
        """Say that *count* bytes came into the last `space`."""
        assert 0 <= count <= len(self._buffer) - self._end
        self._end += count

    def next_frame(self) -> memoryview | None:
        """Take the next frame, without its size; None where it is not whole yet.

        The frame before it is over.  Raises FrameSizeError for a size above the highest one or
        below 0; then the stream cannot be followed any further.
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
        return self._buffer[head : head + size]

    def release(self) -> None:
        """Say that the last frame is over, where nothing came behind it."""
        assert self._start == self._end
        self._is_lent = False
        self._start = self._end = self._missing = 0

    def trim(self) -> None:
        """Give back the memory that a large frame has needed, if nothing lies in it.

        A frame that was taken keeps its own until it is let go.
        """
        if self._start == self._end and len(self._buffer) > CHUNK_SIZE:
            self._hold(memoryview(bytearray(CHUNK_SIZE)))
            self._start = self._end = 0

    def _make_room(self, wanted: int) -> None:
        """Put what is left to the front, of a larger buffer where it has earned one.

        Twice what came is allowed: so all copies together are no more than the frame itself, and a
        peer that only announces much gets little.
        """
        kept = self._end - self._start
        size = min(kept + wanted, max(2 * kept, 2 * CHUNK_SIZE))
        rest = self._buffer[self._start : self._end]
        whole = kept + wanted
        if kept >= EARNED_BY and whole >= MAPPED_SIZE_MIN:
            if self._is_lent or whole > len(self._buffer):
                # With room for what is asked for at its end, which would not fit by some bytes.
                self._hold(mapped(whole + CHUNK_SIZE))
        elif self._is_lent or size > len(self._buffer):
            self._hold(memoryview(bytearray(size)))
        self._buffer[:kept] = rest
        self._start, self._end = 0, kept


def mapped(size: int) -> memoryview:
    return memoryview(mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS))
