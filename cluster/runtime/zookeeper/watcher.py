"""A lasting watch: its nodes are read again after each change.

It lasts for as long as the broker is registered.  Subclasses know what is watched and what follows.
"""

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress

from kazoo.exceptions import SessionExpiredError

from cluster.runtime.zookeeper.session import Session


class Watcher(ABC):
    """Reads once when the broker has registered, and after each change; never twice at a time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._session: Session | None = None
        """The session of the registration; None while there is none."""
        self._task: asyncio.Task[None] | None = None
        self._is_news = False

    @abstractmethod
    async def _read(self, session: Session) -> None:
        """Read what may have changed, with `watched` as the watch for the next change."""

    def joined(self, session: Session) -> None:
        self._session = session
        self._look()

    def left(self) -> None:
        self._session = None

    def connection_changed(self, *, is_connected: bool) -> None:
        if is_connected:
            self._look()

    def watched(self, _event: object) -> None:
        """Called by kazoo's thread; the loop may have ended by now."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        """Read what is new; changes during a read are read after it."""
        self._is_news = True
        if self._task is None and self._session is not None:
            self._task = self._loop.create_task(self._read_all())
            self._task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._task = None
        if not task.cancelled():
            # An unexpected exception is a bug of ours, and goes on to the loop, which logs it.
            task.result()
        if self._is_news:
            self._look()

    async def _read_all(self) -> None:
        while self._is_news and self._session is not None:
            self._is_news = False
            try:
                await self._read(self._session)
            except SessionExpiredError:
                # The watch is gone with it; `joined` begins again.
                return
