"""Batches of a log file, one after the other.

Either by their headers alone, skipping the records (`headers`), or with their checksums (`Walk`).
Knows no index, and looks at no record.
"""

import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from crc32c import crc32c

from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    LEGACY_SEALED_AT,
    LEGACY_SIZE_MIN,
    MAGIC_AT,
    SEALED_AT,
    BatchHeader,
    CorruptBatchError,
    PlacedBatch,
    checksum_matches,
    parse_header,
)

LOOK_SIZE: Final = 4096 + HEADER_SIZE
"""One read finds every header of an index interval of the default size."""
WINDOW_SIZE: Final = 1024**2
"""How much is read at once; of a larger batch the checksum is computed piece by piece."""


class Source(Protocol):
    """An open file, read by position."""

    def read(self, position: int, size: int, /) -> bytes:
        """Return up to *size* bytes from *position* on; fewer only where the file ends."""
        ...


def headers(source: Source, position: int, end: int) -> Iterator[PlacedBatch]:
    """Yield the batches from *position* on whose last byte stands before *end*.

    Records and checksums are not read.

    Raises:
        CorruptBatchError: with the position in the file, at bytes that are no batch.
    """
    window = b""
    window_at = position
    while position < end:
        if position - window_at + HEADER_SIZE > len(window):
            window = source.read(position, min(LOOK_SIZE, end - position))
            window_at = position
        try:
            header = parse_header(window, position - window_at)
        except CorruptBatchError as error:
            if end - position < HEADER_SIZE:
                # What is left may be the beginning of a batch that goes on behind the end.
                return
            raise CorruptBatchError(position, error.reason) from None
        if position + header.size > end:
            return
        yield PlacedBatch(position, header)
        position += header.size


def first_header(source: Source, position: int, end: int) -> BatchHeader | None:
    """Return the header of the batch at *position* that ends before *end*; None where there is
    none.
    """
    if position < 0:
        return None
    try:
        found = next(headers(source, position, end), None)
    except CorruptBatchError:
        return None
    return None if found is None else found.header


class WalkedBatch(NamedTuple):
    """A whole batch of a log file, and the byte at which it begins."""

    position: int
    header: BatchHeader
    is_valid: bool
    """Whether its checksum is right."""


class Flaw(NamedTuple):
    """Why no valid batch begins at some byte of a log file."""

    reason: str
    is_torn: bool
    """Whether a batch begins there that continues beyond the end of the file."""


class Tail(NamedTuple):
    """The bytes after the last batch: *size* of them, 0 where the file ends with a batch."""

    position: int
    size: int
    reason: str = ""
    is_torn: bool = False
    """Whether a batch begins there that the end of the file cuts off."""


class Walk:
    """The batches of *source* from *position* up to *end*, with a check of their checksums.

    A wrong checksum does not end the walk, since the length still leads to the next batch; bytes
    that are no batch do.
    """

    def __init__(
        self, source: Source, end: int, *, position: int = 0, window_size: int = WINDOW_SIZE
    ) -> None:
        self._source = source
        self._window_size = window_size
        self._position = position
        self._end = end
        self._window = b""
        self._window_at = position
        self.tail = Tail(end, 0)
        """Known when all batches were yielded."""

    def __iter__(self) -> Iterator[WalkedBatch]:
        position, end = self._position, self._end
        while position < end:
            self._fill(position, HEADER_SIZE)
            window, at = self._window, position - self._window_at
            try:
                header = parse_header(window, at)
            except CorruptBatchError:
                damaged = self._damaged_header(position)
                if damaged is None:
                    break
                yield WalkedBatch(position, damaged, is_valid=False)
                position += damaged.size
                continue
            behind = position + header.size
            if behind > end:
                break
            if at + header.size <= len(window):
                is_valid = checksum_matches(window, header, at)
            else:
                is_valid = self._is_valid(position, header)
            yield WalkedBatch(position, header, is_valid)
            position = behind
        if position < end:
            self.tail = self._tail_at(position)

    def content(self, batch: WalkedBatch) -> bytes:
        """Return all bytes of the batch that was yielded last."""
        size = batch.header.size
        self._fill(batch.position, size)
        start = batch.position - self._window_at
        return self._window[start : start + size]

    def _fill(self, position: int, size: int) -> None:
        """Read the *size* bytes from *position* on into the window, if there are as many."""
        behind = self._window_at + len(self._window)
        if position + size > behind and behind < self._end:
            size = min(size, self._end - position)
            wanted = min(max(size, self._window_size), self._end - position)
            self._window = self._source.read(position, wanted)
            self._window_at = position

    def _damaged_header(self, position: int) -> BatchHeader | None:
        """Return the fields at *position*, which cannot be, if the length among them is right.

        It is believed where the file ends with the batch or a later batch follows it.
        """
        window = self._source.read(position, HEADER_SIZE)
        # Of an old message, which may be smaller than a header, some fields mean nothing.
        header = BatchHeader(*HEADER_LAYOUT.unpack(window.ljust(HEADER_SIZE, b"\0")))
        behind = position + header.size
        if header.size < LEGACY_SIZE_MIN[0] or behind > self._end:
            return None
        following = first_header(self._source, behind, self._end)
        is_followed = following is not None and following.base_offset > header.base_offset
        return header if behind == self._end or is_followed else None

    def _is_valid(self, position: int, header: BatchHeader) -> bool:
        if header.size <= WINDOW_SIZE:
            self._fill(position, header.size)
            return checksum_matches(self._window, header, position - self._window_at)
        is_current = header.magic == CURRENT_MAGIC
        at = position + (SEALED_AT if is_current else LEGACY_SEALED_AT)
        end, crc = position + header.size, 0
        while at < end:
            piece = self._source.read(at, min(WINDOW_SIZE, end - at))
            if not piece:
                return False
            crc = crc32c(piece, crc) if is_current else zlib.crc32(piece, crc)
            at += len(piece)
        return crc == header.crc

    def _tail_at(self, position: int) -> Tail:
        left = self._end - position
        flaw = flaw_at(self._source, position, self._end)
        if left > MAGIC_AT and is_zero(self._source, position, self._end):
            flaw = Flaw(f"{left} zeros up to its end, as after a loss of power", is_torn=True)
        return Tail(position, left, *flaw)


def valid_batches(source: Source, end: int) -> Iterator[PlacedBatch]:
    """Yield the batches of the first *end* bytes up to the first that is damaged or cut off.

    From there on nothing can be trusted, since a damaged length hides where the next batch begins.
    """
    for position, header, is_valid in Walk(source, end):
        if not is_valid:
            return
        yield PlacedBatch(position, header)


def flaw_at(source: Source, position: int, end: int) -> Flaw:
    """Return what is wrong at *position*, where no valid batch begins; the file ends at *end*."""
    left = end - position
    try:
        header = parse_header(source.read(position, min(HEADER_SIZE, left)))
    except CorruptBatchError as error:
        # Of a header that is cut off the fields are not wrong, only missing.
        return Flaw(error.reason, is_torn=left < HEADER_SIZE)
    if header.size > left:
        return Flaw(f"{left} bytes are left of a batch of {header.size}", is_torn=True)
    return Flaw("its checksum is wrong", is_torn=False)


def is_zero(source: Source, position: int, end: int) -> bool:
    """Return whether nothing was written there: preallocated, or a size that precedes its
    content.
    """
    for start in range(position, end, WINDOW_SIZE):
        content = source.read(start, min(WINDOW_SIZE, end - start))
        if not content or content.count(0) < len(content):
            return False
    return True
