"""The file in which a running broker publishes durations of its controller's events."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from cluster.model.controller_stats import FILE_NAME, ControllerStats, encode_controller_stats

INTERVAL_S: Final = 1.0
"""The shortest interval between two writes; without a change nothing is written."""

logger: Final = logging.getLogger(__name__)


class StatsFile:
    """`controller-stats.json` beside the logs; never older than `INTERVAL_S`.

    A failure to write is logged once, and must not stop the broker.
    """

    def __init__(self, directory: str, stats: Callable[[], ControllerStats]) -> None:
        """*stats* returns the content at the time of each write."""
        self._call_later = asyncio.get_running_loop().call_later
        self._path = os.path.join(directory, FILE_NAME)
        self._stats = stats
        self._is_due = False
        self._has_failed = False

    def note_change(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._call_later(INTERVAL_S, self._write)

    def _write(self) -> None:
        self._is_due = False
        # A reader finds the old file or the new one.  A new one that a kill leaves incomplete is
        # overwritten by the next.
        new, content = f"{self._path}.tmp", encode_controller_stats(self._stats())
        try:
            with open(new, "wb") as file:
                file.write(content)
            os.replace(new, self._path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(new)
            if not self._has_failed:
                self._has_failed = True
                logger.warning("%s cannot be written: %s", self._path, error.strerror)
        else:
            self._has_failed = False
