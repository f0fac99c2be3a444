"""The unpacked copy of a .gz, of which any part can be read.

Each part is put away in a fast compression of its own, so that the copy takes about the room of
the original.  Knows nothing of lines.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

from kadmin.errors import KadminError
from kadmin.jobs.unpack_bounds import Room

CODEC: Final = "lz4_raw"


class CannotUnpack(KadminError):
    """The disk does not take what a .gz unpacks to."""

    def __init__(self, directory: Path, error: OSError) -> None:
        super().__init__(
            f"cannot unpack into {directory}: {(error.strerror or str(error)).lower()}",
            hint="name a directory with more room by TMPDIR; every worker must see it",
        )


@contextmanager
def block_store(path: Path) -> Iterator[Callable[[memoryview], tuple[int, int]]]:
    """Yield a function that adds a compressed block to the new file *path* and returns its position
    and size.

    Raises:
        CannotUnpack: the disk refuses it, now or later.
    """
    try:
        file = path.open("wb", buffering=0)
    except OSError as error:
        raise CannotUnpack(path.parent, error) from error

    room = Room(path.parent)

    def store(block: memoryview) -> tuple[int, int]:
        buffer = pa.compress(block, codec=CODEC)
        # A view of a buffer that was made smaller shows all that was allocated.
        packed = memoryview(buffer)[: buffer.size]
        at, done = file.tell(), 0
        try:
            room.take(len(packed))
            while done < len(packed):
                done += file.write(packed[done:])
        except OSError as error:
            raise CannotUnpack(path.parent, error) from error
        return at, done

    with file:
        yield store


def load_block(packed: memoryview, size: int) -> pa.Buffer:
    """Return the *size* bytes that were stored as *packed*."""
    return pa.decompress(packed, decompressed_size=size, codec=CODEC)
