"""A leader selector on a kazoo client: a body runs in a thread while this contender leads."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from cluster.recipes.latch import LeaderLatch
from cluster.recipes.lease import Lease, Loss
from cluster.zk.requests import Check


class Leadership:
    """What a body has while it leads: its epoch and fence, and whether it still leads."""

    def __init__(self, latch: LeaderLatch, lease: Lease) -> None:
        self._latch = latch
        self._lease = lease
        self.lost = threading.Event()
        """Set when the leadership is lost, or is to be given up: the body has to end."""

    @property
    def epoch(self) -> int:
        return self._lease.epoch

    @property
    def fence(self) -> tuple[Check, ...]:
        """Checks with which each transaction of this leader begins."""
        return self._lease.fence

    def is_valid(self) -> bool:
        """Whether it leads now; to be asked before each step that no other leader may see."""
        return not self.lost.is_set() and self._latch.still_valid(self._lease)


class LeaderSelector:
    """Runs *body* each time this contender leads; its return resigns.

    With *requeues* it contends again behind that, and behind each loss, but never before *body* has
    returned.  An exception of *body* ends the selector, and `wait` raises it.
    """

    def __init__(
        self,
        client: Any,
        path: str,
        body: Callable[[Leadership], None],
        *,
        identity: str = "",
        is_fair: bool = True,
        requeues: bool = False,
    ) -> None:
        self._body = body
        self._requeues = requeues
        self._latch = LeaderLatch(
            client,
            path,
            identity=identity,
            is_fair=is_fair,
            rejoins=False,
            on_deposed=self._on_deposed,
        )
        self._leadership: Leadership | None = None
        self._is_closing = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="leader-selector", daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self) -> None:
        self._latch.start()
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the selector has ended, and return whether it has.

        Raises:
            the exception that ended it: of the body, Refusal or MixedElection.
        """
        self._thread.join(timeout_s)
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return not self._thread.is_alive()

    def close(self) -> None:
        """Interrupt the body, wait until it has returned, and resign."""
        self._is_closing = True
        leadership = self._leadership
        if leadership is not None:
            leadership.lost.set()
        else:
            self._latch.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _on_deposed(self, lease: Lease, _loss: Loss) -> None:
        leadership = self._leadership
        # It may be the report on an earlier one.
        if leadership is not None and leadership.epoch == lease.epoch:
            leadership.lost.set()

    def _run(self) -> None:
        try:
            while not self._is_closing:
                lease = self._latch.acquire()
                if lease is not None:
                    self._lead(lease)
                if not self._requeues:
                    break
        except BaseException as error:  # noqa: BLE001 - raised where the end is waited for
            self._error = error
        finally:
            self._latch.close()

    def _lead(self, lease: Lease) -> None:
        self._leadership = leadership = Leadership(self._latch, lease)
        # It may have been lost, or closed, before there was anything to set.
        if self._is_closing or not self._latch.still_valid(lease):
            leadership.lost.set()
        try:
            self._body(leadership)
        finally:
            self._leadership = None
            # Not before the body has returned: the next leader begins then.
            self._latch.release()
