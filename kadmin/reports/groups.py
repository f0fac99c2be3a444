"""Groups of consumers as they are shown: what each has read, which come first, who is a member."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cluster.model.ids import TopicPartition
from kadmin.plan.groups.group import Group, Member
from kadmin.plan.groups.lag import Condition, PartitionLag
from kadmin.plan.groups.verdict import SEVERITY, GroupVerdict, Movement


class Order(StrEnum):
    """Which groups, and which partitions of them, come first."""

    NAME = "name"
    LAG = "lag"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLag:
    """A group and what it has read of each partition."""

    group: Group
    rows: tuple[PartitionLag, ...]

    @property
    def lag(self) -> int:
        """How many offsets it has to read, in all partitions of which that is known."""
        return sum(row.lag or 0 for row in self.rows)

    @property
    def unknown_count(self) -> int:
        """Of how many partitions that is not known, so that `lag` leaves them out."""
        return sum(row.lag is None for row in self.rows)

    @property
    def is_known(self) -> bool:
        """Whether the ends of all its partitions are known."""
        return all(row.condition is not Condition.UNKNOWN for row in self.rows)

    def lag_ms(self, now_ms: int) -> int | None:
        """How long its oldest record that is not read has been there: 0 where all is read, None
        where no time is known, or the end of a partition is not."""
        unread = [row for row in self.rows if row.unread_since_ms is not None]
        if not unread:
            return 0 if self.lag == 0 and self.is_known else None
        return max(
            (lag_ms for row in unread if (lag_ms := row.lag_ms(now_ms)) is not None), default=None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsReport:
    """Groups at *now_ms*; *unanswered* has those of which no broker answered, each with the reason.

    *hidden_count* partitions are not shown, since no more rows were asked for.
    """

    groups: tuple[GroupLag, ...]
    now_ms: int
    unanswered: Mapping[str, str] = field(default_factory=dict)
    hidden_count: int = 0
    movements: Mapping[tuple[str, TopicPartition], Movement] = field(default_factory=dict)
    """How fast groups read partitions; none where there was one look only."""


def ranked(report: GroupsReport, order: Order, limit: int | None) -> GroupsReport:
    """*report* with groups and their partitions in *order*, no more than *limit* partitions in
    all; None for all."""
    key = rank_of(order, report.now_ms)
    groups: list[GroupLag] = list(report.groups)
    if key is not None:
        groups = [replace(each, rows=tuple(sorted(each.rows, key=key))) for each in groups]
        groups.sort(key=lambda each: min(map(key, each.rows), default=1))
    if limit is None:
        return replace(report, groups=tuple(groups))
    left, kept = limit, []
    for each in groups:
        if left > 0 or not each.rows:
            kept.append(replace(each, rows=each.rows[:left]))
        left -= len(kept[-1].rows) if left > 0 else 0
    shown = sum(len(each.rows) for each in kept)
    count = sum(len(each.rows) for each in report.groups)
    return replace(report, groups=tuple(kept), hidden_count=count - shown)


def rank_of(order: Order, now_ms: int) -> Callable[[PartitionLag], int] | None:
    match order:
        case Order.NAME:
            return None
        case Order.LAG:
            return lambda row: -(row.lag or 0)
        case Order.TIME:
            return lambda row: -(row.lag_ms(now_ms) or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedGroups:
    """Verdicts on groups; no record may be unread for longer than *behind_ms*, and what moves was
    seen over *window_ms*.

    *hidden_count* groups are not shown, since no more rows were asked for.
    """

    groups: tuple[GroupVerdict, ...]
    now_ms: int
    behind_ms: int
    window_ms: int
    unanswered: Mapping[str, str] = field(default_factory=dict)
    hidden_count: int = 0


def ranked_verdicts(judged: JudgedGroups, order: Order | None, limit: int | None) -> JudgedGroups:
    """*judged* in *order*, None for the worst first, no more than *limit* groups; None for all."""

    def rank(each: GroupVerdict) -> tuple[int, int]:
        match order:
            case Order.NAME:
                return (0, 0)
            case Order.LAG:
                return (-each.lag, 0)
            case Order.TIME:
                return (-(each.lag_ms or 0), 0)
            case None:
                return (-SEVERITY[each.verdict], -(each.lag_ms or 0))

    groups = sorted(judged.groups, key=rank)
    shown = groups if limit is None else groups[:limit]
    return replace(judged, groups=tuple(shown), hidden_count=len(groups) - len(shown))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMembers:
    """The members of a group on one host."""

    host: str
    members: tuple[Member, ...]

    @property
    def partition_count(self) -> int:
        return sum(len(each.assigned or ()) for each in self.members)


def by_host(members: Iterable[Member]) -> list[HostMembers]:
    """*members* by host; the host with the most partitions first."""
    hosts: dict[str, list[Member]] = {}
    for each in members:
        hosts.setdefault(each.host, []).append(each)
    found = [HostMembers(host=host, members=tuple(some)) for host, some in hosts.items()]
    return sorted(found, key=lambda each: (-each.partition_count, each.host))
