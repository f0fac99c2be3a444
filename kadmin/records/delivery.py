"""Delivery: the outcome of the records that were sent, and the report of failures.

The caller passes the brokers' answers; no client is known here.
"""

from bisect import insort
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kadmin.errors import KadminError, UnreachableError
from kadmin.records.latencies import Latencies

FAILURES_KEPT: Final = 10


class Failure(NamedTuple):
    """A line whose record was not delivered, or *is_in_doubt*."""

    line: int
    reason: str
    is_in_doubt: bool


@dataclass(slots=True)
class Delivery:
    """What became of the records so far; *bytes* are those of delivered values.

    *in_doubt* of those that *failed* may be in the topic all the same.
    """

    sent: int = 0
    delivered: int = 0
    failed: int = 0
    in_doubt: int = 0
    bytes: int = 0
    unsent_from: int | None = None
    """The line from which on nothing was sent; None where all were, or no more is known."""
    given_up: int = 0
    """How many of those that *failed* got no answer."""
    failures: list[Failure] = field(default_factory=list)
    """The first few that failed, those in doubt before others: only a look at the topic can decide
    these."""
    latencies: Latencies = field(default_factory=Latencies)

    def note_failure(self, failure: Failure) -> None:
        self.failed += 1
        self.in_doubt += failure.is_in_doubt
        insort(self.failures, failure, key=lambda known: (not known.is_in_doubt, known.line))
        del self.failures[FAILURES_KEPT:]

    def give_up(self) -> None:
        """Count records without an answer as failed, and in doubt."""
        self.given_up = self.sent - self.delivered - self.failed
        self.failed += self.given_up
        self.in_doubt += self.given_up


class NotDelivered(KadminError):
    """Some records were not delivered; the message names some of them by their lines."""

    def __init__(self, summary: Delivery) -> None:
        # Those in doubt before others: not the first ones.
        named = "the lines" if summary.failed <= FAILURES_KEPT else f"{FAILURES_KEPT} of the lines"
        super().__init__(
            not_delivered(summary),
            hint=f"{named} that failed are named above"
            + ("; those that did not fail are in the topic" if summary.delivered else ""),
        )


class TopicGone(KadminError):
    """The topic was there when it began, and is not any more."""

    def __init__(self, topic: str, summary: Delivery) -> None:
        super().__init__(
            f"topic '{topic}' has been deleted meanwhile: {not_delivered(summary)}",
            hint="kadmin topics --list",
        )


class BrokenOff(KadminError):
    """The brokers do not know any more what they had taken of this producer: it cannot go on."""

    def __init__(self, summary: Delivery, reason: str) -> None:
        super().__init__(
            f"{not_delivered(summary)}: {reason}",
            hint="brokers may have lost records that they had taken (an unclean election?):"
            " compare the topic with the input before the rest is sent",
        )


class NotTaken(UnreachableError):
    """Some brokers were there, and not all records were taken in time.

    *reason* is what connections to others failed of; empty if none did.
    """

    def __init__(self, topic: str, summary: Delivery, timeout_s: float, reason: str) -> None:
        super().__init__(
            f"the brokers did not acknowledge {summary.failed} of {summary.sent} records of topic"
            f" '{topic}' within {timeout_s:g} s" + (f" ({reason})" if reason else ""),
            hint=f"'kadmin topics --describe --topic {topic}' shows partitions without a leader or"
            " with too small an ISR; records in flight may be in the topic",
        )


def not_delivered(summary: Delivery) -> str:
    """Return how many of the records failed."""
    were = "was" if summary.failed == 1 else "were"
    text = f"{summary.failed:,} of {summary.sent:,} records {were} not "
    if not summary.in_doubt:
        return text + "delivered"
    return text + f"acknowledged ({summary.in_doubt:,} may be in the topic)"
