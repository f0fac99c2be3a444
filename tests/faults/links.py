"""Links between processes of this machine, which a test can cut: wholly, or one way.

Every way from one process to another goes through a forwarder of its own.  All of them run in one
thread, on a loop of their own.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import TypeVar

CHUNK_SIZE = 1 << 16
BEGIN_S = 10


class Cut(Enum):
    """What a link does with what comes."""

    NONE = "all of it passes"
    WHOLE = "nothing passes, and nobody hears of it: as when a cable is pulled"
    REQUESTS = "what is asked does not arrive"
    ANSWERS = "what is answered does not come back"


class Link:
    """Connections to *port* of this machine, by another port of it."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.port = 0
        self.cut = Cut.NONE
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Take no connection any more, and drop those that are open."""
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._writers):
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def listener(self, way: Cut) -> Callable[[bytes], None]:
        """Who is given all that comes on one way of a connection; nobody here."""
        return lambda data: None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            onward_reader, onward = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self._writers.add(onward)
        there = self._forward(reader, onward, Cut.REQUESTS)
        back = self._forward(onward_reader, writer, Cut.ANSWERS)
        try:
            with suppress(OSError):
                await asyncio.gather(there, back)
        finally:
            for one in (writer, onward):
                one.close()
                self._writers.discard(one)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Cut
    ) -> None:
        """Forward until one side ends; what is held back by a cut is lost with its connection."""
        listen = self.listener(way)
        while data := await reader.read(CHUNK_SIZE):
            listen(data)
            while self.cut in (way, Cut.WHOLE):
                await asyncio.sleep(0.05)
            writer.write(data)
            await writer.drain()
        writer.close()


L = TypeVar("L", bound=Link)


class Links:
    """All links of a test, in a thread of their own."""

    def __init__(self) -> None:
        self._links: list[Link] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links", daemon=True)
        self._thread.start()

    def to(self, port: int) -> Link:
        """A link that is open: whoever connects to its port reaches *port*."""
        return self.open(Link(port))

    def open(self, link: L) -> L:
        """*link*, of whichever kind, open."""
        asyncio.run_coroutine_threadsafe(link.open(), self._loop).result(BEGIN_S)
        self._links.append(link)
        return link

    def close(self) -> None:
        async def end() -> None:
            for link in self._links:
                link.cut = Cut.NONE
                await link.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(BEGIN_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(BEGIN_S)
        self._loop.close()
