"""The lease of throttles where ZooKeeper cannot be reached: a file, one for each cluster and user.

Brokers keep nothing for kadmin.  Another user finds nothing of it.
"""

from pathlib import Path
from typing import Final
from urllib.parse import quote

from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Outcome
from kadmin.errors import KadminError, RefusedError
from kadmin.plan.reassignment.journal import (
    BadJournal,
    ThrottleJournal,
    journal_text,
    parse_journal,
)
from kadmin.settings.atomic_file import write_atomically
from kadmin.settings.file_lock import locked_file
from kadmin.settings.xdg import user_directory

LOCK_TIMEOUT_S: Final = 10.0


class JournalUnreadable(RefusedError):
    """It is unknown which throttles are an operator's own."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot tell which throttles reassignments have set: {path}: {reason};"
            " no throttle was changed",
            hint=f"look at {path}; without it all throttles count as your own",
        )
        self.path = path


class JournalUnwritable(KadminError):
    """A throttle cannot be set, since it could not be recorded."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"cannot keep in {path} which throttles are set: {reason}",
            hint="check the owner and mode of that file and directory, or let XDG_STATE_HOME name"
            " another directory",
        )
        self.path = path


class JournalFile:
    """The journal of the cluster with *cluster_id*."""

    def __init__(self, cluster_id: str) -> None:
        directory = Path(user_directory("XDG_STATE_HOME", "~/.local/state"), "throttles")
        # An operator may have given the cluster any id; a file has no slash in its name.
        self.path = directory / f"{quote(cluster_id, safe='')}.json"
        self.was_read: str | None = None

    def read(self) -> ThrottleJournal:
        """Return the journal; an empty one where there is none.

        Raises:
            JournalUnreadable: it is damaged, or may not be read.
        """
        try:
            self.was_read = self.text()
            return ThrottleJournal() if self.was_read is None else parse_journal(self.was_read)
        except OSError as error:
            raise JournalUnreadable(self.path, error.strerror or str(error)) from error
        except (BadJournal, UnicodeDecodeError) as error:
            raise JournalUnreadable(self.path, str(error)) from error

    def text(self) -> str | None:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def write(self, journal: ThrottleJournal) -> Outcome:
        """Keep *journal*, on disk when this returns, in the place of the one that was read last.

        Raises:
            JournalUnwritable: the disk refused.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            taken = JournalUnwritable(self.path, "another kadmin holds its lock")
            with locked_file(self.path.with_suffix(".lock"), LOCK_TIMEOUT_S, taken):
                if self.text() != self.was_read:
                    return Conflict(f"the journal of throttles {self.path}", ConflictKind.VERSION)
                if journal.entries:
                    self.was_read = journal_text(journal)
                    write_atomically(self.path, self.was_read)
                else:
                    self.path.unlink(missing_ok=True)
                    self.was_read = None
        except OSError as error:
            raise JournalUnwritable(self.path, error.strerror or str(error)) from error
        return Committed()
