"""Changes of what groups have committed: which offsets does a reset give them, what is deleted?

Knows no broker: the caller passes what brokers have answered.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from cluster.model.ids import TopicPartition
from kadmin.errors import ExitCode, KadminError, RefusedError
from kadmin.plan.groups.group import DEAD, Group
from kadmin.plan.groups.lag import Logs, Position
from kadmin.wording import first_listed, listed

ALIVE_HINT: Final = "stop its members, then run the command again"


class Edge(StrEnum):
    """Offsets that need no number."""

    EARLIEST = "earliest"
    LATEST = "latest"
    CURRENT = "current"


@dataclass(frozen=True, slots=True)
class ToOffset:
    offset: int


@dataclass(frozen=True, slots=True)
class ToTime:
    """To the first record that is not older, or the end of the log."""

    time_ms: int


@dataclass(frozen=True, slots=True)
class ShiftBy:
    """By so many offsets from the committed one; below 0 is back."""

    count: int


@dataclass(frozen=True, slots=True)
class FromFile:
    """To the offsets of a file, by group; those under None are for any."""

    offsets: Mapping[str | None, Mapping[TopicPartition, int]]

    def of_group(self, name: str) -> Mapping[TopicPartition, int]:
        return {**self.offsets.get(None, {}), **self.offsets.get(name, {})}


Wanted: TypeAlias = Edge | ToOffset | ToTime | ShiftBy | FromFile


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetMove:
    """A partition of a group, its committed offset *before* (None for none) and *after*.

    *wanted* is what was asked for, where the log does not reach so far.  The times are those of
    the first records at the two offsets, None where there is none.
    """

    partition: TopicPartition
    before: int | None
    after: int
    start: int
    end: int
    wanted: int
    before_ms: int | None = None
    after_ms: int | None = None

    @property
    def is_change(self) -> bool:
        return self.before != self.after

    @property
    def is_clipped(self) -> bool:
        return self.wanted != self.after

    @property
    def skipped_count(self) -> int:
        """How many records the group will never read."""
        return 0 if self.before is None else max(0, self.after - max(self.before, self.start))

    @property
    def again_count(self) -> int:
        """How many records the group will read again."""
        return 0 if self.before is None else max(0, min(self.before, self.end) - self.after)

    def span_ms(self, now_ms: int) -> int | None:
        """How much time lies between the two offsets; the end of the log is now."""
        if self.before is None:
            return None
        times = [
            now_ms if offset >= self.end else time_ms
            for offset, time_ms in ((self.before, self.before_ms), (self.after, self.after_ms))
        ]
        known = [time_ms for time_ms in times if time_ms is not None]
        return abs(known[0] - known[1]) if len(known) == 2 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetPlan:
    """New offsets of a group, in order of partition; the group may not exist yet."""

    group: str
    moves: tuple[OffsetMove, ...]
    exists: bool = True

    @property
    def changes(self) -> list[OffsetMove]:
        return [move for move in self.moves if move.is_change]

    @property
    def positions(self) -> set[Position]:
        """Where the times of records say how far the group is moved."""
        return {
            Position(move.partition, offset)
            for move in self.changes
            for offset in (move.before, move.after)
            if offset is not None and move.start <= offset < move.end
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetDeletionPlan:
    """Committed offsets of a group that are deleted, with their values, in order of partition."""

    group: str
    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDeletionPlan:
    """Groups that are deleted with all that they have committed, in order of name."""

    offsets: Mapping[str, Mapping[TopicPartition, int]]

    @property
    def groups(self) -> list[str]:
        return list(self.offsets)


GroupPlan: TypeAlias = ResetPlan | OffsetDeletionPlan | GroupDeletionPlan


class GroupIsAlive(RefusedError):
    """Groups whose members would overwrite what is put in their place."""

    def __init__(self, groups: Sequence[Group]) -> None:
        first = groups[0]
        others = f", and {len(groups) - 1} more groups" if len(groups) > 1 else ""
        super().__init__(
            f"group '{first.name}' has members{others}; nothing was written:"
            f" it is {first.state}, with {members_text(first)}",
            hint=ALIVE_HINT,
        )
        self.groups = tuple(each.name for each in groups)


class UnfitReset(KadminError):
    """Offsets that cannot be reset so; *problems* are all of them.

    With *lacks_logs*, some partitions do not exist or have no leader.
    """

    def __init__(self, problems: Sequence[str], *, lacks_logs: bool = False) -> None:
        super().__init__(
            f"nothing is reset: {listed(problems, '; ')}",
            hint="kadmin topics --describe shows the partitions of topics, and their leaders"
            if lacks_logs
            else "kadmin groups --describe shows what is committed",
        )
        self.problems = tuple(problems)


class NotChanged(KadminError):
    """Coordinators refused changes of some groups or partitions."""

    exit_code = ExitCode.FAILED

    def __init__(self, what: str, reasons: Mapping[str, str]) -> None:
        by_reason: dict[str, list[str]] = {}
        for name, reason in sorted(reasons.items()):
            by_reason.setdefault(reason, []).append(name)
        things = [f"{first_listed(names)}: {reason}" for reason, names in by_reason.items()]
        super().__init__(
            f"could not {what}: {listed(things, '; ')}",
            hint="kadmin groups --describe shows how it is now; running the command again is safe",
        )
        self.reasons = dict(reasons)


def members_text(group: Group) -> str:
    """Its members, or why none is named."""
    names = sorted(map(str, group.members))
    return first_listed(names) if names else "members that its coordinator does not name yet"


def plan_reset(
    group: Group,
    wanted: Wanted,
    partitions: Collection[TopicPartition],
    committed: Mapping[TopicPartition, int],
    logs: Logs,
    at_time: Mapping[TopicPartition, int | None],
) -> ResetPlan:
    """Plan the offsets of *partitions*; for a `ToTime`, *at_time* has those of the time, None
    where no record is so young.

    No offset lies outside of its log.

    Raises:
        UnfitReset: a partition has no log, no committed offset to shift, or was not answered for.
    """
    problems: list[str] = []
    moves = []
    for each in sorted(partitions):
        start, end = logs.starts.get(each), logs.ends.get(each)
        if each in logs.gone:
            problems.append(f"there is no partition {each}")
        elif start is None or end is None:
            problems.append(f"{each}: {logs.unknown.get(each, 'no leader returned its offsets')}")
        elif isinstance(wanted, ShiftBy) and each not in committed:
            problems.append(
                f"cannot shift offset for partition {each} since there is no current committed"
                " offset"
            )
        else:
            offset = wanted_offset(group.name, wanted, each, committed, (start, end), at_time)
            moves.append(
                OffsetMove(
                    partition=each,
                    before=committed.get(each),
                    after=min(max(offset, start), end),
                    start=start,
                    end=end,
                    wanted=offset,
                )
            )
    if problems:
        lacks_logs = not logs.starts.keys() & logs.ends.keys() >= set(partitions)
        raise UnfitReset(problems, lacks_logs=lacks_logs)
    return ResetPlan(group=group.name, moves=tuple(moves), exists=group.state != DEAD)


def wanted_offset(
    group: str,
    wanted: Wanted,
    partition: TopicPartition,
    committed: Mapping[TopicPartition, int],
    span: tuple[int, int],
    at_time: Mapping[TopicPartition, int | None],
) -> int:
    start, end = span
    match wanted:
        case Edge.EARLIEST:
            return start
        case Edge.LATEST:
            return end
        case Edge.CURRENT:
            return committed.get(partition, end)
        case ToOffset(offset):
            return offset
        case ToTime():
            found = at_time.get(partition)
            return end if found is None else found
        case ShiftBy(count):
            return committed[partition] + count
        case FromFile():
            return wanted.of_group(group)[partition]


def reset_failures(
    plan: ResetPlan, refused: Mapping[TopicPartition, str], now: Mapping[TopicPartition, int]
) -> dict[TopicPartition, str]:
    """Of which partitions the offset is not that of *plan*, as *now* has it, and why.

    What is committed decides, not the answer, which may have been lost.
    """
    return {
        move.partition: refused.get(move.partition, "another commit has replaced it")
        for move in plan.changes
        if now.get(move.partition) != move.after
    }
