"""Two logs with any histories become equal, and never lose what both have.

The model of a log is the list of its records, each the epoch in which it was written and who wrote
it.  A leader's epoch begins with its first record at the latest, and one leader writes in an epoch.
"""

from itertools import takewhile
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cluster.replication.truncation import (
    UNDEFINED,
    EpochEnd,
    OwnLog,
    Reset,
    Truncation,
    reset_to,
    truncation_by,
)


def own(
    end_offset: int = 20, high_watermark: int = 12, end: tuple[int, int] = (UNDEFINED, UNDEFINED)
) -> OwnLog:
    return OwnLog(high_watermark, end_offset, lambda epoch: end)


@pytest.mark.parametrize(
    ("told", "log", "expected"),
    [
        # 1. A leader that knows no epochs.
        (EpochEnd(UNDEFINED, UNDEFINED), own(), Truncation(12, True)),
        (EpochEnd(UNDEFINED, UNDEFINED), own(end_offset=9), Truncation(9, True)),
        # 2. A leader that only says where the epoch ended.
        (EpochEnd(UNDEFINED, 15), own(), Truncation(15, True)),
        (EpochEnd(UNDEFINED, 25), own(), Truncation(20, True)),
        # 3. An epoch that is newer than all of ours.
        (EpochEnd(4, 15), own(), Truncation(15, True)),
        # 4. An epoch that we do not have.
        (EpochEnd(4, 15), own(end=(3, 8)), Truncation(8, False)),
        (EpochEnd(4, 5), own(end=(3, 8)), Truncation(8, False)),
        # 5. An epoch that both have.
        (EpochEnd(4, 15), own(end=(4, 18)), Truncation(15, True)),
        (EpochEnd(4, 18), own(end=(4, 15)), Truncation(15, True)),
        (EpochEnd(4, 30), own(end=(4, 20)), Truncation(20, True)),
    ],
)
def test_each_answer_of_a_leader_says_how_much_goes(
    told: EpochEnd, log: OwnLog, expected: Truncation
) -> None:
    assert expected == truncation_by(told, log)


@pytest.mark.parametrize(
    ("leader_start", "leader_end", "expected"),
    [
        (0, 15, Reset(15)),
        (18, 19, Reset(19)),
        (0, 30, Reset(20)),
        (20, 30, Reset(20)),
        (21, 30, Reset(21, restarts=True)),
        (20, 20, Reset(20)),
    ],
)
def test_the_ends_of_the_leaders_log_say_where_to_go_on(
    leader_start: int, leader_end: int, expected: Reset
) -> None:
    assert expected == reset_to(leader_start, leader_end, 20)


class Record(NamedTuple):
    epoch: int
    number: int
    """Of those of its epoch: only one leader writes in it."""


class Log:
    """The model of a log, with the epochs that a broker keeps of it."""

    def __init__(self, records: list[Record], started: int = UNDEFINED) -> None:
        """*started*: an epoch that this log's broker led, and wrote nothing in."""
        self.records = records
        self.started = started

    @property
    def end(self) -> int:
        return len(self.records)

    def starts(self) -> list[tuple[int, int]]:
        starts: list[tuple[int, int]] = []
        for offset, record in enumerate(self.records):
            if not starts or record.epoch > starts[-1][0]:
                starts.append((record.epoch, offset))
        latest = starts[-1][0] if starts else UNDEFINED
        return [*starts, (self.started, self.end)] if self.started > latest else starts

    @property
    def latest(self) -> int:
        starts = self.starts()
        return starts[-1][0] if starts else UNDEFINED

    def end_of(self, epoch: int) -> tuple[int, int]:
        """As `cluster.storage.log.leader_epochs.LeaderEpochs.end_of`."""
        starts = self.starts()
        if not starts or epoch == UNDEFINED or epoch > starts[-1][0]:
            return (UNDEFINED, UNDEFINED)
        if epoch == starts[-1][0]:
            return (epoch, self.end)
        until = [one for one in starts if one[0] <= epoch]
        following = starts[len(until)]
        return (until[-1][0] if until else epoch, following[1])

    def truncate(self, offset: int) -> None:
        del self.records[offset:]
        self.started = UNDEFINED


@st.composite
def histories(draw: st.DrawFn) -> list[Log]:
    """Three brokers that were elected one after the other, as uncleanly as can be.

    In each epoch one of them leads and writes, and some of the others copy a part of what it has,
    after they have truncated their logs to what both have.
    """
    logs = [Log([]) for _ in range(3)]
    for epoch in range(draw(st.integers(1, 8))):
        leader = draw(st.integers(0, 2))
        log = logs[leader]
        if not log.records or log.records[-1].epoch < epoch:
            log.started = epoch
        written = draw(st.integers(0, 3))
        log.records += [Record(epoch, number) for number in range(written)]
        for follower in range(3):
            if follower != leader and draw(st.booleans()):
                other = logs[follower]
                common = common_prefix(other, log)
                other.truncate(common)
                copied = draw(st.integers(0, log.end - common))
                other.records += log.records[common : common + copied]
    return logs


def common_prefix(one: Log, other: Log) -> int:
    pairs = zip(one.records, other.records, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def catch_up(follower: Log, leader: Log, *, in_band: bool) -> None:
    """Follow until both are equal, by answers about epochs as a leader gives them."""
    common = common_prefix(follower, leader)
    for _ in range(20):
        queried = follower.latest
        if queried == UNDEFINED:
            # Nothing was ever written here: nothing can differ.
            assert follower.end == 0
            break
        told = EpochEnd(*leader.end_of(queried))
        is_diverging = told.epoch < queried or told.end_offset < follower.end
        if in_band and not is_diverging:
            break
        cut = truncation_by(told, OwnLog(0, follower.end, follower.end_of))
        assert cut.offset >= common, "what both have is lost"
        follower.truncate(cut.offset)
        if cut.is_last and not in_band:
            break
    else:
        raise AssertionError("it never ends")
    assert follower.records == leader.records[: follower.end]
    follower.records += leader.records[follower.end :]
    assert follower.records == leader.records


@pytest.mark.parametrize("in_band", [True, False])
@given(logs=histories(), data=st.data())
def test_a_follower_becomes_equal_to_any_leader_and_loses_nothing_that_both_have(
    logs: list[Log], in_band: bool, data: st.DataObject
) -> None:
    leader = logs[data.draw(st.integers(0, 2))]
    newest = 1 + max(log.latest for log in logs)
    leader.started = newest
    leader.records += [Record(newest, number) for number in range(data.draw(st.integers(0, 2)))]
    for follower in logs:
        if follower is not leader:
            catch_up(follower, leader, in_band=in_band)


@given(leader_start=st.integers(0, 40), size=st.integers(0, 40), log_end_offset=st.integers(0, 100))
@example(leader_start=5, size=0, log_end_offset=5)
def test_after_a_reset_the_offset_is_one_that_the_leader_has(
    leader_start: int, size: int, log_end_offset: int
) -> None:
    reset = reset_to(leader_start, leader_start + size, log_end_offset)

    assert leader_start <= reset.offset <= leader_start + size
    assert reset.restarts == (reset.offset > log_end_offset)
