"""Writes of the log directories' checkpoints, for requests that wait until these are durable.

A thread writes, one time after the other: requests during one write share the next.
"""

from collections.abc import Callable
from contextlib import ExitStack

from cluster.broker.ports import Ports


class CheckpointWrites:
    """The writes of one broker."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._waiting: list[Callable[[], None]] = []
        self._is_under_way = False

    def write(self, done: Callable[[], None]) -> None:
        """Make recovery points and log starts of now durable, and call *done*, later; a disk that
        fails has the reason in its health.
        """
        self._waiting.append(done)
        if not self._is_under_way:
            self._is_under_way = True
            self._begin()

    def _begin(self) -> None:
        served, self._waiting = self._waiting, []
        self._ports.disks.do(self._ports.logs.write_checkpoints, lambda: self._finish(served))

    def _finish(self, served: list[Callable[[], None]]) -> None:
        if self._waiting:
            self._begin()
        else:
            self._is_under_way = False
        with ExitStack() as stack:
            # All of them hear of it, also where one makes a mistake; the loop logs that.
            for done in reversed(served):
                stack.callback(done)
