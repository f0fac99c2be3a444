"""The latch and the selector for a loop: waits are awaited, and a loss cancels the body's task."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from cluster.recipes.latch import LeaderLatch
from cluster.recipes.lease import Lease, Loss

T = TypeVar("T")


class LeadershipLost(Exception):
    """The leadership of *lease* was lost while a body ran, which has been cancelled."""

    def __init__(self, lease: Lease, loss: Loss) -> None:
        super().__init__(f"{lease.path}: {loss.value}")
        self.lease = lease
        self.loss = loss


class AsyncLeaderLatch:
    """A `LeaderLatch` whose waits do not hold up the loop.

    Contends from `async with` on.  After a loss `acquire` contends again.
    """

    def __init__(self, client: Any, path: str, *, identity: str = "", is_fair: bool = True) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._losses: dict[int, Loss] = {}
        self._latch = LeaderLatch(
            client,
            path,
            identity=identity,
            is_fair=is_fair,
            rejoins=False,
            on_elected=lambda _: self._post(None, None),
            on_deposed=self._post,
            on_failed=lambda _: self._post(None, None),
        )

    def _post(self, lease: Lease | None, loss: Loss | None) -> None:
        """Called by a thread of the latch; the loop may have ended by now."""

        def note() -> None:
            if lease is not None and loss is not None:
                self._losses[lease.epoch] = loss
            self._changed.set()

        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(note)

    async def __aenter__(self) -> Self:
        self._latch.start()
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def has_leadership(self) -> bool:
        return self._latch.has_leadership

    def still_valid(self, lease: Lease) -> bool:
        return self._latch.still_valid(lease)

    async def acquire(self) -> Lease:
        """Wait until this contender leads, and return its lease; may be cancelled.

        Raises:
            Refusal: ZooKeeper refuses what is needed, by an ACL for example.
            MixedElection: the path has an election of the other kind.
        """
        while True:
            self._changed.clear()
            lease = self._latch.acquire(0)
            if lease is not None:
                return lease
            await self._changed.wait()

    async def release(self) -> bool:
        """Resign, or stop waiting; return whether the znode is known to be gone."""
        return await asyncio.to_thread(self._latch.release)

    async def close(self) -> bool:
        """Resign and end; see `LeaderLatch.close`."""
        return await asyncio.to_thread(self._latch.close)

    async def lead(self, body: Callable[[Lease], Awaitable[T]]) -> T:
        """Await the leadership, then *body*, and resign; a loss cancels *body*.

        The znode is removed only behind the end of *body*.

        Raises:
            LeadershipLost: it was lost, and *body* has ended.
        """
        lease = await self.acquire()
        task = asyncio.ensure_future(body(lease))
        watch = asyncio.ensure_future(self._await_loss(lease))
        try:
            await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            task.cancel()
            await asyncio.wait((task,))
            if not task.cancelled():
                # It has finished, or failed, in spite of that.
                return task.result()
            raise LeadershipLost(lease, watch.result())
        finally:
            for each in (task, watch):
                each.cancel()
            await asyncio.wait((task, watch))
            await self.release()

    async def _await_loss(self, lease: Lease) -> Loss:
        while lease.epoch not in self._losses:
            self._changed.clear()
            await self._changed.wait()
        return self._losses.pop(lease.epoch)
