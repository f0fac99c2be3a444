"""The time for retention: the machine's clock, without steps that may be mistakes.

The age of a record follows from the timestamp of a client's or broker's clock, so a wall clock is
needed.  But one that was set forward by a year would delete everything, and correcting it brings
nothing back.  Kafka uses the present clock.

While the two differ, the log directories have a note with the settled time: without it a start
could not detect that the clock is wrong.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Final

from cluster.broker.ports import Clock
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import KafkaStorageError
from cluster.storage.files import Files, read_whole, remove_if_there, replace_whole

NAME: Final = ".retention-time"
STEP_STANDS_MS: Final = 24 * 3600 * 1000
"""How long a clock must have run unchanged before retention uses it."""
STEP_MIN_MS: Final = 10_000
"""The smallest change of a clock that counts as a step; smaller ones are followed."""


class SettledClock:
    """A wall clock that follows steps of *clock* a day late.

    Created before any log is opened, and read before the high watermarks are written: their mtime
    gives the next start the time when the broker last ran.
    """

    __slots__ = (
        "_ahead_ms",
        "_clock",
        "_files",
        "_is_noted",
        "_logs",
        "_since_ms",
        "_stepped_ms",
        "_warn",
    )

    def __init__(
        self, clock: Clock, files: Files, logs: LogManager, warn: Callable[[str], None]
    ) -> None:
        self._clock, self._files, self._logs, self._warn = clock, files, logs, warn
        noted_ms = recall(files, logs)
        self._is_noted = noted_ms is not None
        # Without a note the clock was right when the broker last ran, and may be wrong now.
        settled_ms = clock.wall_ms() - logs.idle_ms if noted_ms is None else noted_ms
        self._stepped_ms = clock.wall_ms() - clock.now_ms()
        self._ahead_ms = settled_ms - clock.now_ms()
        """By how much the settled time is ahead of the steady clock."""
        self._since_ms = clock.now_ms()
        """Since when the machine's clock has been ahead by `_stepped_ms`."""
        self.wall_ms()

    def wall_ms(self) -> int:
        now_ms = self._clock.now_ms()
        ahead_ms = self._clock.wall_ms() - now_ms
        if abs(ahead_ms - self._stepped_ms) > STEP_MIN_MS:
            self._since_ms = now_ms
            self._log_step(ahead_ms - self._stepped_ms)
        self._stepped_ms = ahead_ms
        stands = now_ms - self._since_ms >= STEP_STANDS_MS
        if stands or abs(ahead_ms - self._ahead_ms) <= STEP_MIN_MS:
            self._ahead_ms = ahead_ms
        if self._is_noted != (self._ahead_ms != ahead_ms):
            self._is_noted = not self._is_noted
            self._write()
        return now_ms + self._ahead_ms

    def note(self) -> None:
        """Note the settled time, if the machine's clock has another."""
        self.wall_ms()
        if self._is_noted:
            self._write()

    def _write(self) -> None:
        """Write the note, durably, or remove it."""
        for directory in self._logs.online:
            # A directory that fails is offline, which is reported elsewhere.
            with suppress(KafkaStorageError), directory.health.guard():
                if self._is_noted:
                    settled_ms = self._clock.now_ms() + self._ahead_ms
                    content = f"{settled_ms}\n".encode("ascii")
                    replace_whole(self._files, directory.path, NAME, content)
                else:
                    remove_if_there(self._files, f"{directory.path}/{NAME}")

    def _log_step(self, step_ms: int) -> None:
        way = "forward" if step_ms > 0 else "back"
        step = timedelta(seconds=abs(step_ms) // 1000)
        self._warn(
            f"The clock of this machine was set {way} by {step}: for a day, unless it is set right,"
            " retention goes by the time that it would be otherwise"
        )


def recall(files: Files, logs: LogManager) -> int | None:
    """The latest time noted in the log directories; None where there is none."""
    noted: list[int] = []
    for directory in logs.online:
        with suppress(OSError, ValueError):
            content = read_whole(files, f"{directory.path}/{NAME}")
            if content is not None:
                noted.append(int(content.decode("ascii")))
    return max(noted, default=None)
