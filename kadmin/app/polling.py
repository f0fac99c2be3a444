"""Polling: the latest answers to questions about a cluster, asked by one thread for all readers.

A page and an exporter have one `Poller` a cluster, with a `Poll` for each question: the snapshot,
groups with their lag, sizes, findings.  However many readers there are, each question is asked once
an interval, on its own thread, so that a slow one holds up no other.  Only the last answer is kept,
with its age and the error of the last attempt; the reader decides how old an answer may be.  A bug
of kadmin is an error as any other: its trace is logged, and the question is asked again.  Knows
neither clusters nor who reads.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from kadmin.errors import KadminError

T = TypeVar("T")

logger: Final = logging.getLogger(__name__)

SPACING: Final = 3
"""A question is under way for no more than one in so many seconds."""
STOPPING_S: Final = 1.0
"""A question under way at the end is not waited for longer: its thread ends with the process."""


class InternalError(KadminError):
    """A bug of kadmin ended an attempt of the poll *name*."""

    def __init__(self, name: str, bug: Exception) -> None:
        super().__init__(
            f"internal error of kadmin while it read {name}: {type(bug).__name__}: {bug}",
            hint="report it with the trace that this process has logged",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[T]):
    """What is known of a question at one time: the last answer, and how it was had.

    *number* counts the attempts that have ended, *answers* those with an answer; *answer* is None
    where there is none yet.  *error* is that of the last attempt, None where it was answered.
    """

    number: int = 0
    answers: int = 0
    answer: T | None = None
    error: KadminError | None = None
    took_s: float = 0.0
    """How long the last attempt that was answered took."""
    asked_s: float | None = None
    """When it began, by `time.monotonic`."""
    late_count: int = 0
    """How many attempts took longer than the interval."""
    bug_count: int = 0
    """How many attempts a bug of kadmin ended."""

    @property
    def failure_count(self) -> int:
        """How many attempts ended without an answer."""
        return self.number - self.answers

    @property
    def age_s(self) -> float | None:
        """How old the answer is at most: all of it was read after its attempt began."""
        return None if self.asked_s is None else time.monotonic() - self.asked_s

    def answer_within(self, age_max_s: float) -> T | None:
        """Return the answer, unless it is older than *age_max_s*."""
        age_s = self.age_s
        return None if age_s is None or age_s > age_max_s else self.answer


class Poll(Generic[T]):
    """A question, *ask*, which is asked every *interval_s*, on one thread at a time.

    *ask* spends a budget of its own, as a session does whose `look_again` is called first, so that
    no server is waited for longer than its --timeout.  It raises a `KadminError` where the cluster
    does not answer; anything else that it raises is a bug, and becomes an `InternalError`.  Where
    answers cost much, they come less often: see `spacing_s`.
    *after* is called on the same thread behind each attempt.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[], T],
        interval_s: float,
        after: Callable[[Reading[T]], None] | None = None,
    ) -> None:
        self.name = name
        self.ask = ask
        self.interval_s = interval_s
        self.after = after
        self._reading: Reading[T] = Reading()
        self._changed = threading.Condition()
        self._is_hurried = False
        self._began_s: float | None = None
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        """Whether it asks no more."""
        with self._changed:
            return self._is_stopped

    @property
    def reading(self) -> Reading[T]:
        with self._changed:
            return self._reading

    @property
    def waiting_s(self) -> float | None:
        """How long the attempt under way has been waiting; None where there is none."""
        with self._changed:
            return None if self._began_s is None else time.monotonic() - self._began_s

    @property
    def spacing_s(self) -> float:
        """How long after the begin of an attempt the next one begins: the interval, or a few times
        what the last answer took if that is more.  After a failure it is the interval."""
        reading = self.reading
        return self.interval_s if reading.error else max(self.interval_s, SPACING * reading.took_s)

    def stop(self) -> None:
        """Ask no more, and let all who wait go on."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def hurry(self) -> int:
        """Ask now, or again as soon as the attempt under way has ended.

        Returns the number of the last attempt that began before this call: what `wait_beyond` it
        returns was read after the call.
        """
        with self._changed:
            self._is_hurried = True
            self._changed.notify_all()
            return self._reading.number + (self._began_s is not None)

    def wait_beyond(self, number: int, timeout_s: float) -> Reading[T]:
        """Return the first reading behind the attempt *number*; the present one after *timeout_s*,
        or when this is stopped."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_stopped or self._reading.number > number, timeout_s
            )
            return self._reading

    def attempt(self) -> Reading[T]:
        """Ask once, on this thread, and return the reading after that."""
        asked_s = time.monotonic()
        with self._changed:
            self._began_s = asked_s
        error: KadminError | None = None
        answer: T | None = None
        try:
            answer = self.ask()
        except KadminError as raised:
            # Traces would keep all that was read before it, until the next attempt.
            raised.__cause__ = raised.__context__ = None
            error = raised.with_traceback(None)
        except Exception as bug:  # noqa: BLE001 - one bug must not blind a page until its restart
            error = InternalError(self.name, bug)
            self._log(error, bug)
        took_s = time.monotonic() - asked_s
        with self._changed:
            before = self._reading
            reading = replace(
                before,
                number=before.number + 1,
                error=error,
                late_count=before.late_count + (took_s > self.interval_s),
                bug_count=before.bug_count + isinstance(error, InternalError),
            )
            if error is None:
                reading = replace(
                    reading,
                    answers=before.answers + 1,
                    answer=answer,
                    took_s=took_s,
                    asked_s=asked_s,
                )
            self._reading = reading
            self._began_s = None
            self._changed.notify_all()
        if self.after is not None:
            try:
                self.after(reading)
            except Exception:
                logger.exception("cannot report on the poll %s", self.name)
        return reading

    def _log(self, error: KadminError, bug: Exception) -> None:
        """Log the trace of *bug*, once while it is the same."""
        before = self.reading.error
        if before is None or before.message != error.message:
            logger.error("%s; trying again", error.message, exc_info=bug)

    def run(self) -> None:
        """Ask every interval, on this thread, until it is stopped."""
        next_s = time.monotonic()
        while self._wait_until(next_s):
            began_s = time.monotonic()
            self.attempt()
            # What it found may have changed the interval.
            next_s = began_s + self.spacing_s

    def _wait_until(self, next_s: float) -> bool:
        """Wait until it is time, or one who is in a hurry comes; return whether to ask."""
        with self._changed:
            left_s = max(0.0, next_s - time.monotonic())
            self._changed.wait_for(lambda: self._is_stopped or self._is_hurried, left_s)
            self._is_hurried = False
            return not self._is_stopped


class Poller:
    """The polls of one cluster, each on a thread of its own while its block runs."""

    def __init__(self, polls: Iterable[Poll[Any]]) -> None:
        self.polls = {poll.name: poll for poll in polls}
        self._threads = [
            threading.Thread(target=poll.run, name=f"poll {name}", daemon=True)
            for name, poll in self.polls.items()
        ]

    def __enter__(self) -> "Poller":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop all; one that waits for a server ends with the process."""
        for poll in self.polls.values():
            poll.stop()
        until_s = time.monotonic() + STOPPING_S
        for thread in self._threads:
            thread.join(max(0.0, until_s - time.monotonic()))
