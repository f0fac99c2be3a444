"""Outcomes of changes: what do the answers of brokers mean, and what if there is none?"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kafka.errors import (
    InvalidPartitionsError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    RequestTimedOutError,
    ResourceNotFoundError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Fence, Outcome
from kadmin.errors import KadminError, UnreachableError

NO_FENCE: Final = Fence(mark=None)
"""Brokers take none: what they make of a plan that is out of date is its outcome."""

CONFLICTS: Final = {
    TopicAlreadyExistsError.errno: ConflictKind.EXISTS,
    UnknownTopicOrPartitionError.errno: ConflictKind.MISSING,
    ResourceNotFoundError.errno: ConflictKind.MISSING,
    InvalidPartitionsError.errno: ConflictKind.VERSION,
}
"""What a broker's error means for a plan that was right when it was made."""

UNKNOWN_CONFIG: Final = re.compile(r"Unknown topic config name: ([\w.]+)")
"""The reason of brokers that do not know a config that the topic has had of an older Kafka, too."""


class Refused(KadminError):
    """A broker refused a change; nothing was changed."""

    def __init__(self, what: str, reason: str) -> None:
        unknown = UNKNOWN_CONFIG.search(reason)
        super().__init__(
            f"the brokers refuse to {what}: {reason}",
            hint=unknown
            and f"these brokers have no {unknown[1]}: leave it out; where the topic has it of an"
            f" older Kafka, delete it first: --delete-config {unknown[1]}",
        )


class AnswerLost(UnreachableError):
    """A change was sent, and no answer arrived; some changes may have been made in part."""

    def __init__(self, what: str, reason: str, *, is_whole: bool = True) -> None:
        made = "completely or not at all" if is_whole else "completely, in part or not at all"
        super().__init__(
            f"the answer was lost while the brokers were asked to {what} ({reason}):"
            f" it was done {made}",
            hint="see with a describe which it is, then run the command again if need be",
        )


@contextmanager
def change_of(what: str, *, is_whole: bool = True) -> Iterator[None]:
    """Say of a request without an answer that it may have been carried out; unless it *is_whole*,
    also in part."""
    try:
        yield
    except (KafkaConnectionError, KafkaTimeoutError, RequestTimedOutError) as error:
        raise AnswerLost(what, type(error).__name__, is_whole=is_whole) from error


def outcome(
    code: int, what: str, subject: str, reason: str | None, *, is_whole: bool = True
) -> Outcome:
    """Return what an answer with the error *code* means, 0 for none.

    *reason* is in the broker's words.  Unless the change *is_whole*, a part of it may be made.

    Raises:
        Refused: an error that no other plan would mend.
        KafkaError: one that is not about the change, for example of rights.
    """
    if code == 0:
        return Committed()
    if code in CONFLICTS:
        return Conflict(subject, CONFLICTS[code])
    raise refusal(code, what, reason, is_whole=is_whole)


def refusal(
    code: int, what: str, reason: str | None, *, is_whole: bool = True
) -> KafkaError | KadminError:
    """Return what to raise where brokers did not do *what*, by the error *code*.

    *reason* is theirs.

    A `KafkaError` is not about the change, but for example about rights.
    """
    error = for_code(code)
    if issubclass(error, KafkaTimeoutError | RequestTimedOutError):
        return AnswerLost(what, error.__name__, is_whole=is_whole)
    if "Authorization" in error.__name__:
        return error(what)
    return Refused(what, reason or words_of(code))


def words_of(code: int) -> str:
    """Return the description of the error *code*, where the broker sends no message."""
    error = for_code(code)
    return str(error.description or error.__name__)
