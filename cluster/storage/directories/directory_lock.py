"""The lock of a log directory, and what the next broker reads in it of how this one ended.

Kafka locks the same file, and neither reads nor writes it.
"""

from contextlib import suppress
from typing import Final

from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerEpoch
from cluster.storage.files import Files

LOCK: Final = ".lock"
BOOT_ID_SIZE: Final = 40
EPOCH_SIZE: Final = 20
INCARNATION_AT: Final = BOOT_ID_SIZE + 2 * EPOCH_SIZE
"""In the lock stand the machine's boot, since when the directory is intact, since when it has what
was flushed, and the number of the broker's start, each as long as ever and in one write over those
before: a crash leaves one of them whole."""


class DirectoryLock:
    """The lock that this process has on one directory."""

    __slots__ = (
        "_boot_id",
        "_file",
        "_files",
        "_noted_boot_id",
        "found_flushed_since",
        "found_intact_since",
        "incarnation",
    )

    def __init__(self, files: Files, directory: str) -> None:
        """Take the lock, and read what the last broker has left in it.

        Raises:
            BlockingIOError: another process has it.
            OSError: the disk fails.
        """
        self._files = files
        self._file = files.lock(f"{directory}/{LOCK}")
        # By the lock's own descriptor: closing any other one of this file would let the lock go.
        content = self._file.read(0, self._file.size()).decode("ascii", "replace")
        self._boot_id = content[:BOOT_ID_SIZE].strip()
        """The boot of the machine in which a broker of this project last used the directory; empty
        for none."""
        self._noted_boot_id = self._boot_id
        """The boot that stands in the lock now."""
        self.found_intact_since = self.found_flushed_since = UNKNOWN_BROKER_EPOCH
        """Since when the directory was intact, and had what was flushed, as far as the last broker
        knew."""
        epochs, incarnation = content[BOOT_ID_SIZE:INCARNATION_AT], content[INCARNATION_AT:].strip()
        with suppress(ValueError):
            self.found_intact_since, self.found_flushed_since = _epochs(epochs)
        self.incarnation = int(incarnation) if incarnation.isdigit() else 0
        """The number of the broker's start: of the last that is known here, then of this one; 0 for
        none."""

    @property
    def machine_stopped(self) -> bool:
        """Return whether the machine has stopped since our broker had the directory last."""
        return self._boot_id not in ("", self._files.boot_id())

    @property
    def machine_went_on(self) -> bool:
        """Return whether all that our last broker wrote is still there: it is the same boot."""
        return self._boot_id != "" and not self.machine_stopped

    def note_boot(self, intact_since: int, flushed_since: int) -> None:
        """Write the boot of the machine, and the epochs beside it, durably."""
        self._noted_boot_id = self._files.boot_id()
        self.note(intact_since, flushed_since)
        self.sync()

    def note(self, intact_since: int, flushed_since: int) -> None:
        """Write since when the directory is intact, and has what was flushed, beside the boot that
        stands there."""
        boot_id = self._noted_boot_id.ljust(BOOT_ID_SIZE)
        epochs = (intact_since, max(intact_since, flushed_since))
        numbers = (*epochs, self.incarnation)
        content = boot_id + "".join(f"{number:<{EPOCH_SIZE}}" for number in numbers)
        self._file.write(0, content.encode("ascii"))

    def sync(self) -> None:
        self._file.sync()

    def close(self) -> None:
        """Let another process take the directory."""
        self._file.close()


def _epochs(text: str) -> tuple[BrokerEpoch, BrokerEpoch]:
    """Decode the lock: since when the directory is intact, and has what was flushed.

    Version 0.2 wrote one number for both.

    Raises:
        ValueError: it is something else.
    """
    intact_since, flushed_since = text[:EPOCH_SIZE], text[EPOCH_SIZE:]
    return BrokerEpoch(int(intact_since)), BrokerEpoch(int(flushed_since or intact_since))
