"""The batches of a segment, one after the other: where each stands, and whether it is undamaged.

Headers are read and checksums computed; records are not looked at.  A wrong checksum does not end
the walk, since the length still says where the next batch begins; bytes that are no batch do.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from crc32c import crc32c

from cluster.model.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    PREFIX_SIZE,
    BatchHeader,
    CorruptBatchError,
    checksum_matches,
    parse_header,
)
from kadmin.segments.source import Source

WINDOW_SIZE: Final = 1024**2
"""How much is read at once; of a larger batch the checksum is computed piece by piece."""

HEAD_SIZE_MIN: Final = 17
"""Bytes up to and with the magic: where fewer are left no batch begins."""

MESSAGE_SIZE_MIN: Final = 26
"""Bytes of the smallest message of magic 0."""

SEALED_AT: Final = 21
LEGACY_SEALED_AT: Final = 16
"""Where the bytes begin that the checksum covers, in magic 2 and before."""


class WalkedBatch(NamedTuple):
    """A whole batch of a segment, and the byte at which it begins."""

    position: int
    header: BatchHeader
    is_valid: bool
    """Whether its checksum is right."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands behind the last batch: *size* bytes, 0 where the segment ends with a batch."""

    position: int
    size: int
    reason: str
    is_torn: bool
    """Whether a batch begins there that the end of the file cuts off."""


class Walk:
    """The batches of *source* from *position* on, up to *end*."""

    def __init__(
        self,
        source: Source,
        *,
        position: int = 0,
        end: int | None = None,
        window_size: int = WINDOW_SIZE,
    ) -> None:
        self._source = source
        self._window_size = window_size
        self._position = position
        self._end = source.size if end is None else min(end, source.size)
        self._window = b""
        self._window_at = position
        self.tail = Tail(self._end, 0, "", is_torn=False)
        """Known when all batches were taken."""

    def __iter__(self) -> Iterator[WalkedBatch]:
        position, end = self._position, self._end
        while position < end:
            if end - position < HEAD_SIZE_MIN:
                self._stop(position, f"only {end - position} bytes are left", is_torn=True)
                return
            self._fill(position, HEADER_SIZE)
            try:
                header = parse_header(self._window, position - self._window_at)
            except CorruptBatchError as error:
                damaged = self._damaged_header(position)
                if damaged is None:
                    # Of a header that is cut off the fields are not wrong, only missing.
                    is_torn, reason = end - position < HEADER_SIZE, error.reason
                    if self._has_only_zeros(position):
                        is_torn = True
                        reason = f"{end - position} zeros up to its end, as after a loss of power"
                    self._stop(position, reason, is_torn=is_torn)
                    return
                yield WalkedBatch(position, damaged, is_valid=False)
                position += damaged.size
                continue
            size = header.size
            if position + size > end:
                left = end - position
                self._stop(position, f"{left} bytes are left of a batch of {size}", is_torn=True)
                return
            yield WalkedBatch(position, header, self._is_valid(position, header))
            position += size

    def content(self, batch: WalkedBatch) -> bytes:
        """All bytes of the batch that was yielded last."""
        size = batch.header.size
        self._fill(batch.position, size)
        start = batch.position - self._window_at
        return self._window[start : start + size]

    def _fill(self, position: int, size: int) -> None:
        """Have the *size* bytes from *position* on in the window, if there are as many."""
        size = min(size, self._end - position)
        if position + size > self._window_at + len(self._window):
            wanted = min(max(size, self._window_size), self._end - position)
            self._window = self._source.read(position, wanted)
            self._window_at = position

    def _damaged_header(self, position: int) -> BatchHeader | None:
        """The fields at *position*, which cannot be, if the length among them is right.

        It is believed where the segment ends with the batch or a later batch follows it.
        """
        window = self._source.read(position, HEADER_SIZE)
        # Of an old message, which may be smaller than a header, some fields mean nothing.
        header = BatchHeader(*HEADER_LAYOUT.unpack(window.ljust(HEADER_SIZE, b"\0")))
        behind = position + header.size
        if header.size < MESSAGE_SIZE_MIN or behind > self._end:
            return None
        following = first_batch(self._source, behind)
        is_followed = following is not None and following.base_offset > header.base_offset
        return header if behind == self._end or is_followed else None

    def _has_only_zeros(self, position: int) -> bool:
        """Whether there are only zeros from *position* on."""
        while position < self._end:
            content = self._source.read(position, min(WINDOW_SIZE, self._end - position))
            if not content or content.count(0) < len(content):
                return False
            position += len(content)
        return True

    def _is_valid(self, position: int, header: BatchHeader) -> bool:
        if header.size <= WINDOW_SIZE:
            self._fill(position, header.size)
            return checksum_matches(self._window, header, position - self._window_at)
        sealed_at = SEALED_AT if header.magic == CURRENT_MAGIC else LEGACY_SEALED_AT
        at, end, crc = position + sealed_at, position + header.size, 0
        while at < end:
            piece = self._source.read(at, min(WINDOW_SIZE, end - at))
            if not piece:
                return False
            crc = crc32c(piece, crc) if header.magic == CURRENT_MAGIC else zlib.crc32(piece, crc)
            at += len(piece)
        return crc == header.crc

    def _stop(self, position: int, reason: str, *, is_torn: bool) -> None:
        self.tail = Tail(position, self._end - position, reason, is_torn)


def first_batch(source: Source, position: int, size_max: int | None = None) -> BatchHeader | None:
    """The header of the whole batch that begins at *position*; None where none does.

    Nor where it is larger than *size_max* bytes.
    """
    end = source.size if size_max is None else min(source.size, position + size_max)
    if not 0 <= position <= end - PREFIX_SIZE:
        return None
    try:
        header = parse_header(source.read(position, min(HEADER_SIZE, end - position)))
    except CorruptBatchError:
        return None
    return header if position + header.size <= end else None


def headers_from(source: Source, position: int) -> Iterator[BatchHeader]:
    """The headers of the whole batches from *position* on; checksums are not looked at."""
    while (header := first_batch(source, position)) is not None:
        yield header
        position += header.size
