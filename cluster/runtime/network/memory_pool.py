"""The memory of requests that are being received, and its limit, `queued.max.request.bytes`.

A large request allocates its size when it begins, so one that has begun can always be received to
its end; while too much is allocated, no other one begins.  Small ones do not count: the connections
share readers for these.

What a request holds after its handler has returned, while a thread works on it, counts as well and
has a limit of its own, for huge requests and for usual ones: these do not wait for those.  Only
what is held, since a thread certainly finishes; what is being received is as slow as its client.
"""

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from cluster.wire.framing import CHUNK_SIZE, FrameReader

UNLIMITED: Final = -1
SPARE_READERS_MAX: Final = 8
SPARE_SIZE_MAX: Final = 4 * 1024**2
"""A reader that received a larger request does not keep its memory."""
HUGE_SIZE: Final = 2 * 1024**2
"""Larger requests are huge: producers send up to 1 MiB by default."""
HELD_SIZE_MAX: Final = 64 * 1024**2
"""What huge requests may hold before others of that kind begin, and the same for usual ones."""


class Waiting(NamedTuple):
    """A request that has not begun yet, and how its connection resumes."""

    size: int
    resume: Callable[[], None]


class MemoryPool:
    """The memory that all connections of a broker share."""

    def __init__(self, request_size_max: int, queued_size_max: int) -> None:
        """Sizes in bytes; a *queued_size_max* of -1 is no limit."""
        self._request_size_max = request_size_max
        self.queued_size_max = queued_size_max
        self.spare = FrameReader(request_size_max)
        """The empty reader that is borrowed next; who leaves nothing in it may use it without
        that.
        """
        self._spare: list[FrameReader] = []
        """Further ones."""
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
        return self.queued_size_max != UNLIMITED and used >= self.queued_size_max

    def _has_room(self, size: int) -> bool:
        held = self._held_by_huge if size > HUGE_SIZE else self._held_by_usual
        return held < HELD_SIZE_MAX and not self.is_full

    @property
    def is_awaited(self) -> bool:
        """Whether a request waits while the pool is full."""
        return bool(self._waiting) and self.is_full

    def borrow_reader(self) -> FrameReader:
        """An empty reader; the last used one, whose memory is in the cache."""
        reader = self.spare
        self.spare = self._spare.pop() if self._spare else FrameReader(self._request_size_max)
        return reader

    def give_back(self, reader: FrameReader) -> None:
        """Take back a reader whose bytes are all processed."""
        reader.release()
        if len(self._spare) < SPARE_READERS_MAX - 1:
            self._spare.append(self.spare)
        self.spare = reader

    def trim(self) -> None:
        """Free memory that large requests have left behind."""
        for reader in (self.spare, *self._spare):
            reader.trim()

    def allocate(self, size: int, resume: Callable[[], None]) -> int | None:
        """Let a request begin of which *size* bytes are missing, and return the counted size.

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
        """Release what `allocate` returned, and resume waiting requests.

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
        """Release what `hold` counted, and resume waiting requests."""
        self.hold(-size, of_size)
        self._resume_waiting()

    def _resume_waiting(self) -> None:
        """In the order of arrival, except those that wait for their own kind."""
        waiting, self._waiting = self._waiting, deque()
        for one in waiting:
            if self._has_room(one.size):
                one.resume()
            else:
                self._waiting.append(one)
