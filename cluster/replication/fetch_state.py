"""The state of one partition that a follower fetches: what it asks the leader next.

Knows offsets and epochs; neither the log, nor the leader, nor the protocol.  Each leader epoch has
a state of its own: the answer to a question of another epoch does not affect it.

Source: Kafka's PartitionFetchState, and what AbstractFetcherThread does with errors.
"""

from enum import Enum
from typing import Final

from cluster.model.error_codes import ErrorCode
from cluster.replication.fetch_phases import FETCH_VALID_PREVIOUS, FetchPhase


class Reaction(Enum):
    """The reaction to an error."""

    RESET = "the ends of the leader's log are asked for"
    AWAIT_ORDER = "nothing is asked until the controller, which knows more, orders anew"
    DELAY = "the leader is asked again after a while"


REACTIONS: Final = {
    ErrorCode.OFFSET_OUT_OF_RANGE: Reaction.RESET,
    ErrorCode.FENCED_LEADER_EPOCH: Reaction.AWAIT_ORDER,
}
"""Reactions to a leader's errors for a partition; to all others it is DELAY.  Many of those end
when this broker or the leader receives the controller's next order: NOT_LEADER_OR_FOLLOWER,
UNKNOWN_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION; UNKNOWN_TOPIC_ID, while the leader does not have
the topic's id yet, and INCONSISTENT_TOPIC_ID, while it has that of a former topic of the name."""

NEWS_TO_COME: Final = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)
"""Errors that are normal while leaders move, and not worth logging."""


def reaction_to(error: int) -> Reaction:
    """The reaction to an error code of a fetch, or of a request before it."""
    try:
        return REACTIONS.get(ErrorCode(error), Reaction.DELAY)
    except ValueError:
        # From a later version of Kafka.
        return Reaction.DELAY


class FetchState:
    """One partition, in one leader epoch."""

    __slots__ = (
        "_is_last_cut",
        "_resumed",
        "fetch_offset",
        "last_fetched_epoch",
        "leader_epoch",
        "phase",
    )

    def __init__(self, leader_epoch: int, log_end_offset: int, last_fetched_epoch: int) -> None:
        self.phase = FetchPhase.TRUNCATING
        self.leader_epoch = leader_epoch
        self.fetch_offset = log_end_offset
        """Always the end of the own log."""
        self.last_fetched_epoch = last_fetched_epoch
        """The newest epoch in the own log; -1 without one."""
        self._resumed = FetchPhase.TRUNCATING
        self._is_last_cut = True

    def _enter(self, phase: FetchPhase) -> None:
        assert self.phase in FETCH_VALID_PREVIOUS[phase], f"{self.phase} became {phase}"
        self.phase = phase

    def fetch(self) -> None:
        """Go on: nothing has to be truncated, or each fetch detects a divergence."""
        self._enter(FetchPhase.FETCHING)

    def find_divergence(self) -> None:
        """Look, perhaps once more, for the offset of divergence before fetching."""
        self._enter(FetchPhase.TRUNCATING)

    def lose_range(self) -> None:
        """The leader does not have the offset."""
        self._enter(FetchPhase.OUT_OF_RANGE)

    def cut(self, *, is_last: bool) -> None:
        """The own log is being truncated; unless *is_last*, the leader must be asked once more."""
        self._enter(FetchPhase.CUTTING)
        self._is_last_cut = is_last

    def has_cut(self, log_end_offset: int, last_fetched_epoch: int) -> None:
        """The own log now ends there, with that epoch."""
        assert self.phase is FetchPhase.CUTTING
        self.fetch_offset = log_end_offset
        self.last_fetched_epoch = last_fetched_epoch
        self._enter(FetchPhase.FETCHING if self._is_last_cut else FetchPhase.TRUNCATING)

    def has_fetched(self, log_end_offset: int, last_fetched_epoch: int) -> None:
        """Records were appended, and the own log now ends there."""
        assert log_end_offset >= self.fetch_offset
        self.fetch_offset = log_end_offset
        self.last_fetched_epoch = last_fetched_epoch

    def delay(self) -> None:
        """Ask nothing until `resume`."""
        resumed = self.phase
        self._enter(FetchPhase.DELAYED)
        # The question of before is asked anew; that for the ends of the leader's log, if it has to
        # be.
        self._resumed = resumed if resumed is FetchPhase.TRUNCATING else FetchPhase.FETCHING

    def resume(self) -> None:
        """Continue where `delay` interrupted."""
        assert self.phase is FetchPhase.DELAYED
        self._enter(self._resumed)

    def fail(self) -> None:
        """Ask nothing any more."""
        self._enter(FetchPhase.FAILED)
