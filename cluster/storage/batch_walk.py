"""Batches of a log file, one after the other.

Either by their headers alone, skipping the records, or whole with their checksums, as after a
crash.  Knows no index.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from cluster.model.record_batch import (
    HEADER_SIZE,
    PREFIX_SIZE,
    CorruptBatchError,
    PlacedBatch,
    checksum_matches,
    parse_header,
    whole_batches,
)
from cluster.storage.files import File

LOOK_SIZE: Final = 4096 + HEADER_SIZE
"""One read finds every header of an index interval of the default size."""
SCAN_SIZE: Final = 1024**2


def headers(file: File, position: int, end: int) -> Iterator[PlacedBatch]:
    """The batches from *position* on whose last byte stands before *end*.

    Records and checksums are not read.

    Raises:
        CorruptBatchError: with the position in the file, at bytes that are no batch.
    """
    window = b""
    window_at = position
    while position < end:
        if position - window_at + HEADER_SIZE > len(window):
            window = file.read(position, min(LOOK_SIZE, end - position))
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


class ScannedBatch(NamedTuple):
    """A valid batch of a log file: where it begins in it, and its place in *window*."""

    position: int
    batch: PlacedBatch
    window: bytes


def valid_batches(file: File, size: int) -> Iterator[ScannedBatch]:
    """The batches from the beginning of the first *size* bytes on that are whole and undamaged.

    Ends at the first that is not: from there on nothing can be trusted, since a damaged length
    hides where the next batch would begin.
    """
    position = 0
    window_size = SCAN_SIZE
    while position < size:
        window = file.read(position, min(window_size, size - position))
        read = 0
        try:
            for placed in whole_batches(window):
                if not checksum_matches(window, placed.header, placed.position):
                    return
                yield ScannedBatch(position + placed.position, placed, window)
                read = placed.position + placed.header.size
        except CorruptBatchError:
            return
        if read == 0:
            # The batch is larger than the window, or it is cut off by the end of the file.
            if len(window) < window_size:
                return
            window_size *= 4
        else:
            window_size = SCAN_SIZE
        position += read


class Flaw(NamedTuple):
    """Why no valid batch begins at some byte of a log file."""

    reason: str
    is_torn: bool
    """Whether a batch begins there that goes on behind the end of the file."""


def flaw_at(file: File, position: int, end: int) -> Flaw:
    """What is wrong at *position*, where `valid_batches` has ended; the file ends at *end*."""
    window = file.read(position, min(HEADER_SIZE, end - position))
    if end - position < PREFIX_SIZE:
        return Flaw(f"only {end - position} bytes are left", is_torn=True)
    try:
        header = parse_header(window)
    except CorruptBatchError as error:
        return Flaw(error.reason, is_torn=end - position < HEADER_SIZE)
    if position + header.size > end:
        return Flaw(f"{end - position} bytes are left of a batch of {header.size}", is_torn=True)
    return Flaw("its checksum is wrong", is_torn=False)
