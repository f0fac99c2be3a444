"""Engines, which carry out the work of a job: in this process, in several, or on Spark.

An engine takes a function and its arguments and gives the results in order.  The one here works in
this process; `kadmin.jobs.processes` and `kadmin.jobs.spark.engine` have the others.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kadmin.errors import KadminError

Work = Callable[[Any], Any]


class Engine(Protocol):
    """Runs module-level functions of kadmin on values that can be pickled."""

    @property
    def workers(self) -> int:
        """How many arguments are worked on at a time; waits for the start."""
        ...

    @property
    def in_flight_max(self) -> int:
        """How many results at most are under way while one is taken; waits for the start."""
        ...

    @property
    def shares_files(self) -> bool:
        """Whether workers write local files that this process can read; waits for the start."""
        ...

    def is_ready(self) -> bool:
        """Return whether a worker is there, so that work does not wait for the engine's start.

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
        """End all workers; with work under way whose results are not wanted, or without."""
        ...


class InProcessEngine:
    """Does each piece of work when its result is taken."""

    workers = 1
    in_flight_max = 1
    shares_files = False

    def is_ready(self) -> bool:
        return True

    def check_paths(self, paths: Sequence[str]) -> None:
        """Do nothing: there are no other machines."""

    def run(self, work: Work, arguments: Sequence[Any], *, result_bytes: int = 0) -> Iterator[Any]:
        return map(work, arguments)

    def close(self, *, is_abandoned: bool) -> None:
        """Do nothing: there is nothing to end."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A KadminError that ended a piece of work in another process.

    Not every subclass can be unpickled, and Spark would repeat the work and print its traceback.
    """

    message: str
    hint: str | None


def attempt(work: Work, argument: Any) -> Any:
    """Return, in a worker, the result of *work* for *argument*, or the Failure that it
    ended with."""
    try:
        return work(argument)
    except KadminError as error:
        return Failure(error.message, error.hint)


def result_of(outcome: Any) -> Any:
    """Return what the work returned.

    Raises:
        KadminError: the work raised one, of whatever kind.
    """
    if isinstance(outcome, Failure):
        raise KadminError(outcome.message, hint=outcome.hint)
    return outcome


def pack(work: Work, argument: Any) -> bytes:
    """Pickle a piece of work for a worker; a function is pickled by its name."""
    return pickle.dumps((work, argument))


def run_packed(item: bytes) -> bytes:
    """Do a piece of work in a worker, and pack its outcome."""
    work, argument = pickle.loads(item)
    return pickle.dumps(attempt(work, argument))
