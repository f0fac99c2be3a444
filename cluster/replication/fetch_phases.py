"""The phases of a partition that a follower fetches, and what may come after what.

Has no actions: `fetch_state` implements the transitions.

Source: Kafka's AbstractFetcherThread and PartitionFetchState, which has Truncating and Fetching,
each with an optional delay, and keeps failed partitions apart.  What Kafka does in one step, asking
the leader for the ends of its log and truncating its own, takes time here.
"""

from enum import StrEnum
from typing import Final


class FetchPhase(StrEnum):
    TRUNCATING = "Truncating"
    """The offset where the own log diverges from the leader's is not found yet."""
    OUT_OF_RANGE = "OutOfRange"
    """The leader does not have the offset: the start and end of its log are not known yet."""
    CUTTING = "Cutting"
    """The own log is being truncated."""
    FETCHING = "Fetching"
    DELAYED = "Delayed"
    """The leader returned an error, or no answer: it is asked again after a backoff."""
    FAILED = "Failed"
    """Nothing is fetched until the controller sends another order."""


_ASKING: Final = frozenset({FetchPhase.TRUNCATING, FetchPhase.OUT_OF_RANGE, FetchPhase.FETCHING})

FETCH_VALID_PREVIOUS: Final = {
    FetchPhase.TRUNCATING: frozenset(
        {FetchPhase.CUTTING, FetchPhase.FETCHING, FetchPhase.DELAYED, FetchPhase.OUT_OF_RANGE}
    ),
    FetchPhase.OUT_OF_RANGE: frozenset({FetchPhase.FETCHING}),
    FetchPhase.CUTTING: _ASKING,
    FetchPhase.FETCHING: frozenset(
        {FetchPhase.TRUNCATING, FetchPhase.OUT_OF_RANGE, FetchPhase.CUTTING, FetchPhase.DELAYED}
    ),
    FetchPhase.DELAYED: _ASKING,
    FetchPhase.FAILED: _ASKING,
}
"""For each phase, those after which it may follow; the first one is TRUNCATING."""

assert FETCH_VALID_PREVIOUS.keys() == set(FetchPhase)
