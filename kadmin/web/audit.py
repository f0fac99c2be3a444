"""The audit log: who asked for which change, when, from where, and what came of it.

A file of JSON lines to which is only ever appended.  A line is on disk before a write begins: a
change that cannot be noted is not made.
"""

import json
import logging
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from kadmin.app.evidence import now_ms
from kadmin.errors import KadminError

LOGGER: Final = logging.getLogger(__name__)

TAIL_SIZE_BYTES: Final = 512 * 1024
"""As much of the end of the file is read for the page."""


class Stage(StrEnum):
    """How far a change was when the line was written."""

    BEGUN = "begun"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


class CannotAudit(KadminError):
    """The audit log at *path* takes no line; what it was about has not been done."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"nothing is changed: the audit log {path} cannot be written: {reason}",
            hint="make room for it, or name another one with --audit-file FILE",
        )
        self.reason = reason


class OutcomeNotNoted(KadminError):
    """A change is behind us, and the audit log at *path* took no line of its outcome."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"what came of it is not in the audit log {path}: {reason}",
            hint="make room for it; the line is on the standard error of kadmin serve",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who asks for a change, by which *role*, on which cluster, from which *address*."""

    name: str
    role: str | None
    cluster: str | None
    address: str


class AuditLog:
    """The file at *path*; several processes may append to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def check(self) -> None:
        """See that lines can be appended, before anything is served.

        Raises:
            CannotAudit: they cannot.
        """
        self._write(b"")

    def refused(self, author: Author, action: str, reason: str) -> None:
        """Note a request that was refused.

        Raises:
            CannotAudit: the file takes no line.
        """
        self._append(author, action, secrets.token_hex(8), Stage.REFUSED, {"reason": reason})

    @contextmanager
    def change(self, author: Author, action: str, plan: object) -> Iterator[dict[str, Any]]:
        """Note a change before the block that makes it, and its outcome behind it.

        What the block puts into the mapping is written with the outcome.

        Raises:
            CannotAudit: the file takes no line, and the block does not run.
            OutcomeNotNoted: the block has run, and the file takes no line any more.
        """
        change_id = secrets.token_hex(8)
        self._append(author, action, change_id, Stage.BEGUN, {"plan": plan})
        outcome: dict[str, Any] = {}
        try:
            yield outcome
        except BaseException as error:
            outcome["error"] = error.message if isinstance(error, KadminError) else repr(error)
            with suppress(OutcomeNotNoted):
                self._close(line_of(author, action, change_id, Stage.FAILED, outcome))
            raise
        self._close(line_of(author, action, change_id, Stage.DONE, outcome))

    def _close(self, line: bytes) -> None:
        """Append an outcome, which is logged where that fails.

        Raises:
            OutcomeNotNoted: it failed.
        """
        try:
            self._write(line)
        except CannotAudit as error:
            not_noted = OutcomeNotNoted(self.path, error.reason)
            LOGGER.error("%s: %s", not_noted.message, line.decode().rstrip())
            raise not_noted from error

    def _append(
        self, author: Author, action: str, change_id: str, stage: Stage, more: dict[str, Any]
    ) -> None:
        self._write(line_of(author, action, change_id, stage, more))

    def _write(self, data: bytes) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            with self._lock:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(self.path, flags, 0o600)
                try:
                    if data and is_cut(descriptor):
                        data = b"\n" + data
                    # One call: lines of two processes do not mix.
                    written = os.write(descriptor, data)
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
        except OSError as error:
            raise CannotAudit(self.path, error.strerror or str(error)) from error
        if written != len(data):
            raise CannotAudit(self.path, "the disk is full")

    def latest(self, count: int) -> list[dict[str, Any]]:
        """Return the last lines, the newest first, as far as they can be read."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - TAIL_SIZE_BYTES))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        found = []
        for line in reversed(lines):
            try:
                value = json.loads(line)
            except ValueError:
                continue  # Cut at the beginning, or by a crash.
            if isinstance(value, dict):
                found.append(value)
            if len(found) == count:
                break
        return found


def line_of(
    author: Author, action: str, change_id: str, stage: Stage, more: dict[str, Any]
) -> bytes:
    at = datetime.fromtimestamp(now_ms() / 1000, UTC)
    line = {
        "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "id": change_id,
        "stage": stage,
        "who": author.name,
        "role": author.role,
        "from": author.address,
        "cluster": author.cluster,
        "action": action,
        **more,
    }
    return (json.dumps(line, ensure_ascii=True, default=str) + "\n").encode()


def is_cut(descriptor: int) -> bool:
    """Return whether a file ends within a line, which a full disk or a crash has cut."""
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
