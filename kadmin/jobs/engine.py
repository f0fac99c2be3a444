"""Engines, which carry out the work of a job: in this process, in several, or on Spark.

An engine takes a function and its arguments and gives the results in order.  The one here works in
this process; `kadmin.jobs.processes` and `kadmin.jobs.spark.engine` have the others.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

Work = Callable[[Any], Any]


class Engine(Protocol):
    """Runs module-level functions of kadmin on values that can be pickled."""

    @property
    def in_flight_max(self) -> int:
        """How many results at most are under way while one is taken; waits for the start."""
        ...

    @property
    def shares_files(self) -> bool:
        """Whether workers write local files that this process can read; waits for the start."""
        ...

    def is_ready(self) -> bool:
        """Whether a worker is there, so that work does not wait for the engine's start.

        Raises:
            KadminError: it cannot start.
        """
        ...

    def check_paths(self, paths: Sequence[str]) -> None:
        """See that workers of other machines see *paths*; waits for the start.

        Raises:
            KadminError: one does not.
        """
        ...

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        """Let workers do *work* on each of *arguments*, and give the results in that order.

        Where results are large, *result_bytes* is what one takes at most, about.

        Raises:
            KadminError: the work raised one, or a worker failed.
        """
        ...

    def close(self, *, is_abandoned: bool) -> None:
        """End all workers; with work under way that nobody wants any more, or without."""
        ...


class InProcessEngine:
    """Does each piece of work when its result is taken."""

    in_flight_max = 1
    shares_files = False

    def is_ready(self) -> bool:
        return True

    def check_paths(self, paths: Sequence[str]) -> None:
        """There are no others."""

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        return map(work, arguments)

    def close(self, *, is_abandoned: bool) -> None:
        """There is nothing to end."""
