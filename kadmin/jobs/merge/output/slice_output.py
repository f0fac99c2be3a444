"""The result of one slice, wherever it is, and the names of part files."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

COPY_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PartFiles:
    """Where workers write the result of each slice themselves, as `part-00000` and so on.

    *directory* is a path or URI that all of them see; it exists.  *options* are those of a URI.
    """

    directory: str
    suffix: str
    options: str = ""

    def path(self, index: int) -> str:
        return f"{self.directory}/part-{index:05d}{self.suffix}{self.options}"


@dataclass(frozen=True, slots=True)
class SliceOutput:
    """The result of one slice: *size* bytes that were made in pieces of *piece_sizes*.

    In *data*, or at the start of the local file *path*.  Where the request names part files, the
    result is in the one at *path* and stays there.
    """

    index: int
    size: int
    piece_sizes: tuple[int, ...]
    data: bytes | None
    path: str | None

    def blocks(self) -> Iterator[memoryview]:
        """Return the bytes of a result that is here or in a local file; each valid until the
        next."""
        if self.data is not None:
            yield memoryview(self.data)
            return
        assert self.path is not None, "a result is here or in a file"
        buffer = memoryview(bytearray(min(self.size, COPY_BYTES)))
        left = self.size
        with open(self.path, "rb", buffering=0) as file:
            while left > 0:
                count = file.readinto(buffer[:left])
                left -= count
                yield buffer[:count]

    def read(self) -> bytes:
        """Return all bytes of such a result."""
        # All blocks share a buffer, so each is copied before the next one is read.
        return b"".join(map(bytes, self.blocks()))
