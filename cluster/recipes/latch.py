"""A leader latch on a kazoo client: contend, wait until elected, know until when, resign.

For threads.  `selector` runs a body while it leads, `aio` is the same for a loop.
"""

import random
import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from kazoo.exceptions import KazooException

from cluster.recipes.attempt import Attempt, MixedElection
from cluster.recipes.driver import Driver, now_ms
from cluster.recipes.effects import Deposed, Effect, Elected, Failed, Left, Renewed
from cluster.recipes.events import Join, Leave
from cluster.recipes.fair import FairAttempt
from cluster.recipes.lease import Lease, Loss
from cluster.recipes.unfair import UnfairAttempt
from cluster.recipes.view import ElectionView, Participant, read_election
from cluster.zk.paths import is_path
from cluster.zk.requests import ZkReply, ZkRequest
from cluster.zk.steps import Refusal, Steps, from_singles, in_singles, run
from cluster.zkclient.kazoo_requests import SESSION_OVER, begin, reply_to

JITTER_MS: Final = 200
"""How long a contender of an unfair election waits at most when it finds no leader."""
CLOSE_TIMEOUT_S: Final = 5.0
"""How long to wait until ZooKeeper has confirmed that the znode is gone."""


class LeaderLatch:
    """One contender in the election at *path*, which is created where it is missing.

    *client* is a kazoo client, started or not; the latch neither starts nor stops it.  *identity*
    is what others are shown.  The kinds of elections, fair and unfair, do not mix at one path.

    The callbacks are called in a thread of the latch, one after the other; `acquire` raises what
    *on_failed* is called with.  After a loss the znode stays until the lease is over, or until the
    leader's work has stopped: by the return of *on_deposed*, or a call of `acquire` or `release`.
    With *rejoins* it contends again then; else only `acquire` does.
    """

    def __init__(
        self,
        client: Any,
        path: str,
        *,
        identity: str = "",
        is_fair: bool = True,
        rejoins: bool = True,
        on_elected: Callable[[Lease], None] | None = None,
        on_renewed: Callable[[Lease], None] | None = None,
        on_deposed: Callable[[Lease, Loss], None] | None = None,
        on_failed: Callable[[Exception], None] | None = None,
    ) -> None:
        if not is_path(path):
            raise ValueError(f"{path!r} is no path of a znode below the root")
        self.path = path
        self._client = client
        self.identity = identity
        self._kind = FairAttempt if is_fair else UnfairAttempt
        self._rejoins = rejoins
        self._on_elected = on_elected
        self._on_renewed = on_renewed
        self._on_deposed = on_deposed
        self._on_failed = on_failed
        self._failure: Refusal | MixedElection | None = None
        self._wants = False
        self._is_closing = False
        jitter = random.Random()
        self._driver = Driver(
            client,
            self._new_attempt,
            (lambda: 0) if is_fair else (lambda: jitter.randint(0, JITTER_MS)),
            self._react,
        )

    def _new_attempt(self, session_id: int) -> Attempt:
        return self._kind(self.path, str(uuid.uuid4()), session_id, self.identity.encode())

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
        """Contend; without a connection, as soon as there is one."""
        self._wants = True
        self._driver.start()
        self._driver.step(Join())

    def acquire(self, timeout_s: float | None = None) -> Lease | None:
        """Wait until this contender leads, and return its lease; None after *timeout_s*.

        It goes on contending after a timeout.

        Raises:
            Refusal: ZooKeeper refuses what is needed, by an ACL for example.
            MixedElection: the path has an election of the other kind.
        """
        driver = self._driver
        with driver.changed:
            self._wants = True
            # For one that leads or waits it would say that its work has stopped.
            if self._failure is None and not self.has_leadership:
                driver.step(Join())
            driver.changed.wait_for(
                lambda: self.has_leadership or self._failure is not None or self._is_closing,
                timeout_s,
            )
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            return driver.core.lease if self.has_leadership else None

    @property
    def lease(self) -> Lease | None:
        """The present lease; None while another contender leads."""
        with self._driver.changed:
            return self._driver.core.lease if self.has_leadership else None

    @property
    def has_leadership(self) -> bool:
        """Whether it leads now, by the lease and the clock: also behind a pause of the process."""
        with self._driver.changed:
            return self._driver.core.is_leading(now_ms())

    def still_valid(self, lease: Lease) -> bool:
        """Whether the leadership of *lease* goes on; its deadline has moved on meanwhile."""
        present = self.lease
        return present is not None and present.epoch == lease.epoch

    def release(self, timeout_s: float = CLOSE_TIMEOUT_S) -> bool:
        """Resign, or stop waiting; return whether the znode is known to be gone.

        `acquire` contends again.
        """
        driver = self._driver
        with driver.changed:
            self._wants = False
            driver.step(Leave())
            return driver.changed.wait_for(lambda: driver.core.is_out, timeout_s)

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> bool:
        """Resign and end; return whether the znode is known to be gone.

        If it is not, it goes with the session of the client.
        """
        with self._driver.changed:
            self._is_closing = True
            is_gone = self.release(timeout_s)
        self._driver.close()
        return is_gone

    def election(self) -> ElectionView:
        """Read who leads and who waits; without a connection, as soon as there is one.

        Raises:
            Refusal: ZooKeeper refuses it.
            SessionExpiredError, ConnectionClosedError: the client has no session any more.
        """
        view = run_on(self._client, read_election(self.path))
        return view or ElectionView(path=self.path, is_fair=True, participants=())

    def leader(self) -> Participant | None:
        return self.election().leader

    def participants(self) -> tuple[Participant, ...]:
        return self.election().participants

    def _react(self, effect: Effect) -> None:
        match effect:
            case Elected(lease) if self._on_elected is not None:
                self._on_elected(lease)
            case Renewed(lease) if self._on_renewed is not None:
                self._on_renewed(lease)
            case Deposed(lease, loss) if self._on_deposed is not None:
                self._on_deposed(lease, loss)
                self._rejoin()
            case Left():
                self._rejoin()
            case Failed(error):
                with self._driver.changed:
                    self._failure = error
                    self._driver.changed.notify_all()
                if self._on_failed is not None:
                    self._on_failed(error)

    def _rejoin(self) -> None:
        with self._driver.changed:
            if self._rejoins and self._wants and not self._is_closing:
                self._driver.step(Join())


def run_on(client: Any, steps: Steps[Any]) -> Any:
    """Run *steps*, which only read, on a kazoo client, and wait for their result."""

    def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        singles = in_singles(requests)
        replies = []
        for request, started in [(each, begin(each, client)) for each in singles]:
            try:
                replies.append(reply_to(request, started.get()))
            except SESSION_OVER:
                raise
            except KazooException as error:
                replies.append(reply_to(request, error))
        return from_singles(requests, replies)

    return run(steps, serve)
