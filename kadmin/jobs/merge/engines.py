"""Who carries out surveys and slices?

An engine takes functions with one argument and gives futures.  The one here works in this
process; `kadmin.jobs.merge.spark` has the other.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol

Work = Callable[[Any], Any]


class Engine(Protocol):
    """Runs module-level functions of kadmin on values that can be pickled."""

    @property
    def width(self) -> int:
        """How many pieces of work run side by side; known once the engine is ready."""
        ...

    @property
    def shares_files(self) -> bool:
        """Whether workers write local files that this process can read."""
        ...

    def is_ready(self) -> bool:
        """Whether work is taken without waiting for the engine's start.

        Raises:
            KadminError: it cannot start.
        """
        ...

    def submit(self, work: Work, argument: Any) -> "Future[Any]":
        """Let a worker do *work*; the future raises what the work raises as KadminError."""
        ...

    def close(self, *, is_abandoned: bool) -> None:
        """End all workers; with work under way that nobody wants any more, or without."""
        ...


class InProcess:
    """Does each piece of work when it is submitted."""

    width = 1
    shares_files = False

    def is_ready(self) -> bool:
        return True

    def submit(self, work: Work, argument: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_result(work(argument))
        return future

    def close(self, *, is_abandoned: bool) -> None:
        """There is nothing to end."""
