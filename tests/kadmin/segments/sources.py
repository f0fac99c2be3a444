"""Files of a log that are bytes in memory."""

from dataclasses import dataclass, field


@dataclass
class Bytes:
    """A source, which notes how much was read of it at once."""

    content: bytes
    read_sizes: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.content)

    def read(self, position: int, size: int) -> bytes:
        self.read_sizes.append(size)
        return self.content[position : position + size]
