"""Divergence of a follower's log from its leader's: how much of it must be truncated.

Knows epochs and offsets of the two logs, and neither bytes nor requests.

Source: Kafka's AbstractFetcherThread.getOffsetTruncationState (KIP-101, KIP-279) and
fetchOffsetAndTruncate.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

UNDEFINED: Final = -1
"""An unknown epoch or offset."""

EndOf: TypeAlias = Callable[[int], tuple[int, int]]
"""For an epoch: the largest epoch up to it in the own log, and its end offset."""


class EpochEnd(NamedTuple):
    """A leader's answer for an epoch: the largest one up to it in its log, and its end offset.

    The epoch is UNDEFINED when the leader is too old to send it, the end when it has no such epoch.
    """

    epoch: int
    end_offset: int


class OwnLog(NamedTuple):
    """What truncation needs of a follower's own log."""

    high_watermark: int
    end_offset: int
    end_of: EndOf


class Truncation(NamedTuple):
    """Truncate to *offset*; unless *is_last* the leader must be asked once more."""

    offset: int
    is_last: bool


def truncation_by(leaders_end: EpochEnd, own: OwnLog) -> Truncation:
    """The truncation that follows from the leader's answer.

    The numbers are those of the cases in Kafka's code.  The high watermark limits no truncation:
    the leader's log is the right one, also after an unclean election.
    """
    if leaders_end.end_offset == UNDEFINED:
        # 1. It knows no epochs: only what was committed is certainly common to both.
        return Truncation(min(own.high_watermark, own.end_offset), is_last=True)
    if leaders_end.epoch == UNDEFINED:
        # 2. It has answered for the epoch that was requested, as before KIP-279.
        return Truncation(min(leaders_end.end_offset, own.end_offset), is_last=True)
    epoch, end_offset = own.end_of(leaders_end.epoch)
    if end_offset == UNDEFINED:
        # 3. Its epoch is newer than all of ours, or we have none.
        return Truncation(min(leaders_end.end_offset, own.end_offset), is_last=True)
    if epoch != leaders_end.epoch:
        # 4. We do not have that epoch.  What we have of the one before may still differ: both were
        # elected uncleanly, one after the other, and neither had the other's records.
        return Truncation(min(end_offset, own.end_offset), is_last=False)
    # 5. Both have the epoch: the shorter one of the two is common to both.
    return Truncation(min(leaders_end.end_offset, end_offset, own.end_offset), is_last=True)


class Reset(NamedTuple):
    """How a follower goes on after the leader lacks its fetch offset.

    With *restarts* its log is dropped, and begins anew at *offset*; else what lies after *offset*
    is truncated, which may be nothing.
    """

    offset: int
    restarts: bool = False


def reset_to(leader_start_offset: int, leader_end_offset: int, log_end_offset: int) -> Reset:
    """The reset that follows from the ends of the leader's log and the follower's log end.

    A leader whose log ends earlier was elected uncleanly; one whose log starts later has deleted
    what this follower lacks.
    """
    if leader_end_offset < log_end_offset:
        return Reset(leader_end_offset)
    if leader_start_offset > log_end_offset:
        return Reset(leader_start_offset, restarts=True)
    return Reset(log_end_offset)
