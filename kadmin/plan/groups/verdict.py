"""Verdicts on groups: does an operator have to look at this one now?

Judged by time, over looks at the same group some seconds apart: how long its first unread record
has been there, whether what it committed moves, whether a member has the partition.  How old a
commit is does not matter, nor whether the lag was zero for a moment: a quiet topic is no stop, and
a lag that has fallen once is no end of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.plan.groups.group import Group
from kadmin.plan.groups.lag import Condition, PartitionLag
from kadmin.wording import first_listed, span


class Verdict(StrEnum):
    """Verdicts, the worse the later."""

    OK = "ok"
    """All is read, or no record has been unread for longer than it may."""
    UNKNOWN = "unknown"
    """No leader returned where the log ends."""
    BEHIND = "behind"
    """Records have been unread for longer, and the group reads."""
    STALLED = "stalled"
    """A member has the partition and commits nothing, or what is committed is beyond the end."""
    STOPPED = "stopped"
    """No member has the partition."""
    REWOUND = "rewound"
    """The group went back, and has not come again to where it was."""


SEVERITY: Final = {verdict: number for number, verdict in enumerate(Verdict)}

KEEPS_UP_S: Final = 10.0
"""A lag that is read in that time is no backlog: commits are some seconds apart, 5 by default, and
between them lag comes and goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A group at *time_ms*, and what it had read of each partition."""

    time_ms: int
    group: Group
    rows: tuple[PartitionLag, ...]


@dataclass(frozen=True, slots=True)
class Movement:
    """How fast a group reads a partition, and others write it, in records a second."""

    read_per_s: float
    written_per_s: float

    def caught_up_in_s(self, lag: int) -> float | None:
        """When *lag* records will be read; None for never at this rate."""
        if lag == 0:
            return 0.0
        if lag <= self.read_per_s * KEEPS_UP_S:
            return lag / self.read_per_s
        gain = self.read_per_s - self.written_per_s
        return lag / gain if gain > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionVerdict:
    """The verdict on one partition; *movement* is None where there was one look only."""

    row: PartitionLag
    verdict: Verdict
    reason: str
    movement: Movement | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupVerdict:
    """The verdict on a group, that of its worst partition, which comes first.

    Where it is unknown, those of the other partitions are ok.
    """

    group: Group
    time_ms: int
    partitions: tuple[PartitionVerdict, ...]

    @property
    def worst(self) -> PartitionVerdict | None:
        return self.partitions[0] if self.partitions else None

    @property
    def verdict(self) -> Verdict:
        return self.worst.verdict if self.worst is not None else Verdict.OK

    @property
    def reason(self) -> str:
        """Why it is not ok: the worst partition with its reason, and how many others there are."""
        worst = self.worst
        if worst is None or worst.verdict is Verdict.OK:
            return ""
        others = sum(each.verdict is not Verdict.OK for each in self.partitions) - 1
        more = f"; and {others} more" if others else ""
        return f"{worst.row.partition}: {worst.reason}{more}"

    @property
    def lag(self) -> int:
        return sum(each.row.lag or 0 for each in self.partitions)

    @property
    def unknown_count(self) -> int:
        """Of how many partitions the lag is not known, so that `lag` leaves them out."""
        return sum(each.row.lag is None for each in self.partitions)

    @property
    def unknown(self) -> list[PartitionLag]:
        """The partitions whose ends are not known."""
        rows = (each.row for each in self.partitions)
        return [row for row in rows if row.condition is Condition.UNKNOWN]

    @property
    def lag_ms(self) -> int | None:
        """How long its oldest unread record has been there; None where that is not known."""
        if self.lag == 0:
            return None if self.unknown else 0
        times = (each.row.lag_ms(self.time_ms) for each in self.partitions if each.row.lag)
        return max((time_ms for time_ms in times if time_ms is not None), default=None)

    @property
    def movement(self) -> Movement | None:
        """All partitions together."""
        moving = [each.movement for each in self.partitions if each.movement is not None]
        if not moving:
            return None
        return Movement(
            sum(each.read_per_s for each in moving), sum(each.written_per_s for each in moving)
        )

    @property
    def caught_up_in_s(self) -> float | None:
        """When its last partition is read to the end; None for never, or not known."""
        lagging = [each for each in self.partitions if each.row.lag]
        needed = [
            None if each.movement is None else each.movement.caught_up_in_s(each.row.lag or 0)
            for each in lagging
        ]
        known = [each for each in needed if each is not None]
        return max(known, default=0.0) if len(known) == len(needed) else None


def judge(looks: Sequence[Look], behind_ms: int) -> GroupVerdict:
    """Judge a group by *looks* at it, in order of time; no record may be unread for longer than
    *behind_ms*."""
    last = looks[-1]
    pasts: list[Mapping[TopicPartition, PartitionLag]] = [
        {row.partition: row for row in look.rows} for look in looks
    ]
    found = []
    for row in last.rows:
        history = [
            (look.time_ms, past[row.partition])
            for look, past in zip(looks, pasts, strict=True)
            if row.partition in past
        ]
        verdict, reason = verdict_of(looks, history, behind_ms)
        found.append(
            PartitionVerdict(row=row, verdict=verdict, reason=reason, movement=movement_of(history))
        )
    found.sort(key=lambda each: badness(each, last.time_ms), reverse=True)
    return GroupVerdict(group=last.group, time_ms=last.time_ms, partitions=tuple(found))


def badness(each: PartitionVerdict, now_ms: int) -> tuple[int, int, int]:
    """By what partitions compare: of those that are late by the same second, by what is unread."""
    row = each.row
    return SEVERITY[each.verdict], (row.lag_ms(now_ms) or 0) // 1000, row.lag or 0


def movement_of(history: Sequence[tuple[int, PartitionLag]]) -> Movement | None:
    """The movement between the first and the last of *history*; None where one is not known."""
    (first_ms, first), (last_ms, last) = history[0], history[-1]
    if last_ms <= first_ms:
        return None
    ends = (first.committed, last.committed, first.end, last.end)
    known = [each for each in ends if each is not None]
    if len(known) < len(ends):
        return None
    seconds = (last_ms - first_ms) / 1000
    return Movement((known[1] - known[0]) / seconds, (known[3] - known[2]) / seconds)


def verdict_of(
    looks: Sequence[Look], history: Sequence[tuple[int, PartitionLag]], behind_ms: int
) -> tuple[Verdict, str]:
    rows = [past for _, past in history]
    row, last = rows[-1], looks[-1]
    committed = [each.committed for each in rows if each.committed is not None]
    if committed and (row.committed or 0) < max(committed):
        return Verdict.REWOUND, f"went back from offset {max(committed)} to {row.committed}"
    if row.condition is Condition.BEYOND_END:
        return (
            Verdict.STALLED,
            f"committed {row.committed}, beyond the end {row.end}: it reads nothing until then",
        )
    if row.condition is Condition.UNKNOWN:
        return Verdict.UNKNOWN, row.reason or "no leader returned where its log ends"
    if not row.lag:
        return Verdict.OK, ""
    lag_ms = unread_ms_max(history)
    is_lost = row.condition is Condition.BEFORE_START
    if lag_ms is not None and lag_ms <= behind_ms and not is_lost:
        return Verdict.OK, ""
    unread = f"{row.lag:,} unread" + ("" if lag_ms is None else f" for {span(lag_ms / 1000)}")
    is_moving = len(set(committed)) > 1
    # Consumers that assign partitions to themselves are no members, and commit all the same.
    if row.member is None and not last.group.is_rebalancing and not is_moving:
        return Verdict.STOPPED, f"{unread}, and no member has it"
    is_still = len(rows) > 1 and not is_moving
    if is_still and any(each.lag == 0 for each in rows):
        # It had nothing to read for a part of the time.
        is_still = False
    if is_still:
        return Verdict.STALLED, f"{unread}, and {cause_of(looks, row)}"
    if is_lost:
        return Verdict.BEHIND, f"{unread}, and records before are gone that it has not read"
    if lag_ms is None and len(rows) > 1:
        return Verdict.OK, ""
    return Verdict.BEHIND, unread


def unread_ms_max(history: Sequence[tuple[int, PartitionLag]]) -> int | None:
    """How long the first record that is not read has been there, at most; None where that is not
    known.

    It came after the last look at which the log had not reached its offset: a producer may give a
    record any time.
    """
    now_ms, row = history[-1]
    committed = row.committed or 0
    before = [
        time_ms for time_ms, past in history if past.end is not None and past.end <= committed
    ]
    bounds = (row.lag_ms(now_ms), now_ms - before[-1] if before else None)
    return min((each for each in bounds if each is not None), default=None)


def cause_of(looks: Sequence[Look], row: PartitionLag) -> str:
    """Why nothing is committed: a rebalance that does not end, or its member."""
    seconds = span((looks[-1].time_ms - looks[0].time_ms) / 1000)
    if all(each.group.is_rebalancing for each in looks):
        left = {member.id for member in looks[-1].group.members}
        gone = [member for member in looks[0].group.members if member.id not in left]
        holders = gone or looks[-1].group.members
        who = "it waited for" if gone else "it waits for one of"
        return (
            f"the group has been rebalancing for {seconds} or longer:"
            f" {who} {first_listed(sorted(map(str, holders)))}"
        )
    who = "its member" if row.member is None else str(row.member)
    return f"{who} has committed nothing for {seconds}"
