"""A command that runs only while this process leads an election in ZooKeeper."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Final

from cluster.recipes.latch import CLOSE_TIMEOUT_S
from cluster.recipes.lease import Lease, Loss
from kadmin.admin.zookeeper.leadership import Contender
from kadmin.errors import KadminError, UnreachableError
from kadmin.local.leased_process import LeasedProcess

if TYPE_CHECKING:
    from kadmin.admin.zookeeper.connection import Connection

EPOCH: Final = "KADMIN_LEADER_EPOCH"
PATH: Final = "KADMIN_LEADER_PATH"
NODE: Final = "KADMIN_LEADER_NODE"
"""The leader's znode: it exists in version 0 as long as this leadership lasts."""
HANDED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class ConnectionCostLeadership(UnreachableError):
    """The leadership was lost with the connection, or the session."""


class LeadershipTaken(KadminError):
    """The znode of the leader was removed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: the exit status of the command, and why the leadership was lost, if so."""

    exit_code: int
    loss: Loss | None


class Leading:
    """A contender that runs a command while it leads; to be used with `with`."""

    def __init__(
        self, connection: "Connection", path: str, *, identity: str, is_fair: bool
    ) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._process: LeasedProcess | None = None
        self._epoch = 0
        """Of the leadership under which the process runs."""
        self._losses: dict[int, Loss] = {}
        """Why leaderships ended, by their epochs."""
        self._signals: list[int] = []
        """Those that came before there was a process."""
        self._contender = Contender(
            connection,
            path,
            identity=identity,
            is_fair=is_fair,
            on_renewed=self._on_renewed,
            on_deposed=self._on_deposed,
        )

    def __enter__(self) -> "Leading":
        self._contender.latch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._contender.latch.close()

    def acquire(self, timeout_s: float | None) -> Lease | None:
        """Wait until it leads; see `Contender.acquire`."""
        return self._contender.acquire(timeout_s)

    def run(self, lease: Lease, command: Sequence[str]) -> Ended:
        """Run *command* while *lease* goes on, wait until it has ended, and resign.

        Signals to end go to the command.  It is ended when the leadership is lost, and killed when
        the lease is over, or the leader's znode gone.
        """
        environment = {
            **os.environ,
            EPOCH: str(lease.epoch),
            PATH: lease.path,
            NODE: lease.node,
        }
        # Before the command begins: a signal that ended this process then would remove the znode
        # while the command runs.
        with handing_on(self._hand_on):
            process = LeasedProcess(command, environment, lease.given_up_ms, lease.valid_until_ms)
            with self._lock:
                self._process, self._epoch = process, lease.epoch
                if lease.epoch in self._losses:
                    end(process, self._losses[lease.epoch])
            self._hand_on()
            exit_code = process.wait()
            with self._lock:
                self._process = None
                ended = Ended(exit_code, self._losses.get(lease.epoch))
        # Without a connection there is nothing to wait for.
        self._contender.latch.release(CLOSE_TIMEOUT_S if ended.loss is None else 0)
        return ended

    def error_of(self, loss: Loss, command: Sequence[str]) -> KadminError:
        """Return what an operator is shown about a run that *loss* has ended."""
        kind = LeadershipTaken if loss is Loss.REMOVED else ConnectionCostLeadership
        return kind(
            f"the leadership of {self._path} was lost, and '{command[0]}' was ended: {loss.value}",
            hint=f"see who leads with 'kadmin lead {self._path} --status'; --requeue waits for the"
            " next leadership",
        )

    def _on_renewed(self, lease: Lease) -> None:
        with self._lock:
            if self._process is not None and self._epoch == lease.epoch:
                self._process.renew(lease.given_up_ms, lease.valid_until_ms)

    def _on_deposed(self, lease: Lease, loss: Loss) -> None:
        with self._lock:
            if loss is not Loss.RESIGNED:
                self._losses[lease.epoch] = loss
                if self._process is not None and self._epoch == lease.epoch:
                    end(self._process, loss)

    def _hand_on(self, *numbers: int) -> None:
        """Send signals to the process, if there is one.

        Called by handlers of signals, too, which must not wait for a lock that is held below them.
        """
        self._signals.extend(numbers)
        process = self._process
        if process is not None:
            while self._signals:
                process.signal(self._signals.pop(0))


def end(process: LeasedProcess, loss: Loss) -> None:
    """End *process* before another contender leads; at once, where one may lead already."""
    if loss in (Loss.REMOVED, Loss.EXPIRED):
        process.signal(signal.SIGKILL)
    process.end()


@contextmanager
def handing_on(hand_on: Callable[[int], None]) -> Iterator[None]:
    """Call *hand_on* with each signal to end, but for those that this process ignores."""

    def handle(number: int, _frame: FrameType | None) -> None:
        hand_on(number)

    numbers = [each for each in HANDED_ON if signal.getsignal(each) != signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
