"""The memory of requests that are being received, and its limit, `queued.max.request.bytes`.

A large request takes its size when it begins, so one that has begun can always be received to its
end; while too much is allocated, no other one begins.  Small ones do not count: the connections
share readers for these.

What a request holds after its handler has returned, while a thread looks at it, counts as well and
has a limit of its own, for huge requests and for usual ones: these do not wait for those to go.
Only what is held, since a thread gets through with it for certain; what is being received is as
slow as its client likes.
"""

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from cluster.wire.framing import CHUNK_SIZE, FrameReader

UNLIMITED: Final = -1
SPARE_READERS_MAX: Final = 8
SPARE_SIZE_MAX: Final = 4 * 1024**2
"""Behind a request of more than this no reader keeps its memory."""
HUGE_SIZE: Final = 2 * 1024**2
"""Requests of more are huge: producers send up to 1 MiB unless they are told otherwise."""
HELD_SIZE_MAX: Final = 64 * 1024**2
"""What huge requests may hold before others of that kind begin, and the same for usual ones."""


class Waiting(NamedTuple):
    """A request that has not begun yet, and how its connection goes on."""

    size: int
    resume: Callable[[], None]


class MemoryPool:
    """The memory that all connections of a broker share."""

    def __init__(self, request_size_max: int, queued_size_max: int) -> None:
        """Sizes in bytes; a *queued_size_max* of -1 is no limit."""
        self._request_size_max = request_size_max
        self._queued_size_max = queued_size_max
        self._spare: list[FrameReader] = []
        self._waiting: deque[Waiting] = deque()
        self._held_by_usual = self._held_by_huge = 0
        self.allocated_bytes = 0

    @property
    def held_bytes(self) -> int:
        return self._held_by_usual + self._held_by_huge

    @property
    def is_full(self) -> bool:
        """Whether `queued.max.request.bytes` is used up."""
        used = self.allocated_bytes + self.held_bytes
        return self._queued_size_max != UNLIMITED and used >= self._queued_size_max

    def _has_room(self, size: int) -> bool:
        held = self._held_by_huge if size > HUGE_SIZE else self._held_by_usual
        return held < HELD_SIZE_MAX and not self.is_full

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for room that there is not."""
        return bool(self._waiting) and self.is_full

    def borrow_reader(self) -> FrameReader:
        """A reader with nothing in it; the one that was in use last, whose memory is warm."""
        return self._spare.pop() if self._spare else FrameReader(self._request_size_max)

    def give_back(self, reader: FrameReader) -> None:
        """Take back a reader whose bytes are all used up."""
        reader.release()
        self.take_back(reader)

    def take_back(self, reader: FrameReader) -> None:
        """Take back a reader in which nothing was received."""
        if len(self._spare) < SPARE_READERS_MAX:
            self._spare.append(reader)

    def trim(self) -> None:
        """Let go of what large requests have left behind."""
        for reader in self._spare:
            reader.trim()

    def allocate(self, size: int, resume: Callable[[], None]) -> int | None:
        """Let a request begin of which *size* bytes are missing, and return what is counted for it.

        None where it has to wait: then *resume* is called when it may try again.
        """
        if size <= CHUNK_SIZE:
            return 0
        if not self._has_room(size):
            self._waiting.append(Waiting(size, resume))
            return None
        self.allocated_bytes += size
        return size

    def release(self, size: int) -> None:
        """Give back what `allocate` returned, and let those go on that wait.

        The request's reader has been given back before.
        """
        self.allocated_bytes -= size
        if size > SPARE_SIZE_MAX:
            self.trim()
        self._resume_waiting()

    def hold(self, size: int, of_size: int) -> None:
        """Count *size* bytes that a request which held *of_size* in all keeps for a thread."""
        if of_size > HUGE_SIZE:
            self._held_by_huge += size
        else:
            self._held_by_usual += size

    def let_go(self, size: int, of_size: int) -> None:
        """Take back what `hold` counted, and let those go on that wait."""
        self.hold(-size, of_size)
        self._resume_waiting()

    def _resume_waiting(self) -> None:
        """In the order in which they came, but for those who wait for their own kind."""
        waiting, self._waiting = self._waiting, deque()
        for one in waiting:
            if self._has_room(one.size):
                one.resume()
            else:
                self._waiting.append(one)
