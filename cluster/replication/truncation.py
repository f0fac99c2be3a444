"""Where a follower's log parts from its leader's: how much of it must go before it can go on?

Knows epochs and offsets of the two logs, and neither bytes nor who was asked how.

Source: Kafka's AbstractFetcherThread.getOffsetTruncationState (KIP-101, KIP-279) and
fetchOffsetAndTruncate.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

UNDEFINED: Final = -1
"""An epoch or an offset that nobody knows."""

EndOf: TypeAlias = Callable[[int], tuple[int, int]]
"""For an epoch: the largest one up to it that the own log knows, and where that ended."""


class EpochEnd(NamedTuple):
    """What a leader says of an epoch: the largest one up to it that it knows, and where it ended.

    Its epoch is UNDEFINED when the leader is too old to tell it, its end when it knows nothing.
    """

    epoch: int
    end_offset: int


class OwnLog(NamedTuple):
    """What a follower knows of its own log."""

    high_watermark: int
    end_offset: int
    end_of: EndOf


class Truncation(NamedTuple):
    """Everything from *offset* on goes; unless *is_last* the leader has to be asked once more."""

    offset: int
    is_last: bool


def truncation_by(told: EpochEnd, own: OwnLog) -> Truncation:
    """What the leader's answer means for the own log.

    The numbers are those of the cases in Kafka's code.  Nothing is kept back from being truncated
    for the high watermark's sake: the leader is right, also after an unclean election.
    """
    if told.end_offset == UNDEFINED:
        # 1. It knows no epochs: what was committed is all that both have for sure.
        return Truncation(min(own.high_watermark, own.end_offset), is_last=True)
    if told.epoch == UNDEFINED:
        # 2. It has answered for the epoch that was asked for, as before KIP-279.
        return Truncation(min(told.end_offset, own.end_offset), is_last=True)
    epoch, end_offset = own.end_of(told.epoch)
    if end_offset == UNDEFINED:
        # 3. Its epoch is newer than all of ours, or we know none.
        return Truncation(min(told.end_offset, own.end_offset), is_last=True)
    if epoch != told.epoch:
        # 4. We do not have that epoch.  What we have of the one before may still differ: both were
        # elected uncleanly, one after the other, and neither had heard of the other's records.
        return Truncation(min(end_offset, own.end_offset), is_last=False)
    # 5. Both have the epoch: the shorter one of the two is common to both.
    return Truncation(min(told.end_offset, end_offset, own.end_offset), is_last=True)


class Reset(NamedTuple):
    """How a follower goes on whose offset the leader does not have.

    With *restarts* nothing of its log is kept, and it begins at *offset*; else what lies behind
    *offset* goes, which may be nothing.
    """

    offset: int
    restarts: bool = False


def reset_to(leader_start_offset: int, leader_end_offset: int, log_end_offset: int) -> Reset:
    """What the ends of the leader's log mean for a follower whose log has that end.

    A leader that ends before has been elected uncleanly; one that begins behind has dropped what
    this follower lacks.
    """
    if leader_end_offset < log_end_offset:
        return Reset(leader_end_offset)
    if leader_start_offset > log_end_offset:
        return Reset(leader_start_offset, restarts=True)
    return Reset(log_end_offset)
