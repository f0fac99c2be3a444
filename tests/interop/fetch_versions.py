"""In which versions of Fetch do followers ask their leader, as it goes over the wire?"""

import struct
from collections.abc import Callable
from typing import Final

from cluster.wire.api_keys import ApiKey
from tests.faults.links import Cut, Link

HEAD: Final = struct.Struct(">ihh")
"""The size of what follows, the API's key, and its version."""
SIZE_SIZE: Final = 4


class ListeningLink(Link):
    """A link that notes the version of each Fetch that passes."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.fetch_versions: set[int] = set()

    def listener(self, way: Cut) -> Callable[[bytes], None]:
        if way is not Cut.REQUESTS:
            return super().listener(way)
        buffer = bytearray()
        left = 0
        """How much of the last request is still to come."""

        def listen(data: bytes) -> None:
            nonlocal left
            buffer.extend(data)
            while left < len(buffer):
                del buffer[:left]
                left = 0
                if len(buffer) < HEAD.size:
                    return
                size, api_key, version = HEAD.unpack_from(buffer)
                left = SIZE_SIZE + size
                if api_key == ApiKey.FETCH:
                    self.fetch_versions.add(version)
            left -= len(buffer)
            buffer.clear()

        return listen
