"""Errors that kadmin reports to its operator, each with its exit code.

Knows neither click nor the streams: `kadmin.cli.main` prints these and exits.
"""

from collections.abc import Collection, Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of every kadmin command, an interface for scripts (see the man pages)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    IN_PROGRESS = 3
    FOUND = 4
    UNREACHABLE = 5
    REFUSED = 6
    INTERRUPTED = 130


EXIT_CODE_MEANINGS: dict[ExitCode, str] = {
    ExitCode.DONE: "done",
    ExitCode.FAILED: "failed; the message names the thing and what to do next",
    ExitCode.USAGE: "wrong usage; nothing was read or written",
    ExitCode.IN_PROGRESS: "still in progress; running the same command again is safe",
    ExitCode.FOUND: "found what was looked for: a mismatch, a drift, an unhealthy thing",
    ExitCode.UNREACHABLE: "a server could not be reached, or did not answer in time",
    ExitCode.REFUSED: "refused for safety; nothing was written",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C); no write was left half done",
}
assert EXIT_CODE_MEANINGS.keys() == set(ExitCode)


class KadminError(Exception):
    """A failure in words for an operator: what happened to which thing, and a next step.

    *message* is one line, *details* are those below it, a log's last ones say.  *hint* is one line,
    best a command that can be pasted; None where there is no useful one.  Subclasses carry the
    things they name as attributes and set `exit_code`.
    """

    exit_code: ExitCode = ExitCode.FAILED

    def __init__(
        self, message: str, *, hint: str | None = None, details: Sequence[str] = ()
    ) -> None:
        super().__init__("\n".join([message, *details]))
        self.message = message
        self.details = tuple(details)
        self.hint = hint


class UsageError(KadminError):
    """Options or a settings file that cannot be understood; found before any server is asked."""

    exit_code = ExitCode.USAGE


class RefusedError(KadminError):
    """A change that would be unsafe, or that was not confirmed; nothing was written."""

    exit_code = ExitCode.REFUSED


class UnreachableError(KadminError):
    """A server that did not answer in time."""

    exit_code = ExitCode.UNREACHABLE


class DeniedError(KadminError):
    """Servers refused the credentials, or what was asked with them."""


class InProgressError(KadminError):
    """What was asked for has been started and is not finished yet."""

    exit_code = ExitCode.IN_PROGRESS


def hint_for_missing(wanted: str, known: Collection[str], *, listed_by: str) -> str:
    """Return the hint for the name *wanted*, which is none of *known*: which may have been meant,
    and by which command all of them are listed.

    No command that makes one: a name that is like none that exists may still be mistyped, and must
    not come into being by pasting.
    """
    import difflib

    near = difflib.get_close_matches(wanted, known, n=1)
    if near:
        return f"did you mean '{near[0]}'? '{listed_by}' lists all there are"
    return f"'{listed_by}' lists all there are"
