"""The phases of a partition that a follower fetches, and what may come after what.

Knows no action: `fetch_state` says what leads from one to another.

Source: Kafka's AbstractFetcherThread and PartitionFetchState, which has Truncating and Fetching,
each with an optional delay, and keeps failed partitions apart.  What Kafka does in one breath,
asking the leader for the ends of its log and cutting the own one, takes time here.
"""

from enum import StrEnum
from typing import Final


class FetchPhase(StrEnum):
    TRUNCATING = "Truncating"
    """Where the own log parts from the leader's is yet to be found."""
    OUT_OF_RANGE = "OutOfRange"
    """The leader does not have the offset: where its log begins and ends is yet to be asked."""
    CUTTING = "Cutting"
    """The own log is being cut."""
    FETCHING = "Fetching"
    DELAYED = "Delayed"
    """The leader could not answer, or not well: it is asked again after a while."""
    FAILED = "Failed"
    """Nothing is asked any more until the controller gives another order."""


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
"""For each phase, those after which it may come; the first one is TRUNCATING."""

assert FETCH_VALID_PREVIOUS.keys() == set(FetchPhase)
