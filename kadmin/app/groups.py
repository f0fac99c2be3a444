"""Looks at groups of consumers: what is asked for one, in which order."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kadmin.execute.meant_groups import require_partitions
from kadmin.plan.groups.lag import Condition, PartitionLag, Position, lags_of
from kadmin.plan.groups.verdict import GroupVerdict, Look, Movement, judge, movement_of
from kadmin.reports.groups import GroupLag, GroupsReport

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.admin.ports import GroupAdmin
    from kadmin.app.session import Session
    from kadmin.arguments.groups import GroupSelection, PartitionFilter
    from kadmin.plan.groups.group import Group, ListedGroup, NoSuchGroup
    from kadmin.plan.groups.lag import Logs


LOOKS_MAX: Final = 4


class History:
    """The last looks at groups, those of *window_ms*; few, however many there were.

    Two are kept in any case: without them nothing is known of what moves.
    """

    def __init__(self, window_ms: int) -> None:
        self.window_ms = window_ms
        self._reports: list[tuple[int, dict[str, GroupLag]]] = []

    @property
    def needs_another(self) -> bool:
        return len(self._reports) < 2 and self.window_ms > 0

    def add(self, report: GroupsReport) -> None:
        reports = self._reports
        while len(reports) > 1 and reports[1][0] <= report.now_ms - self.window_ms:
            del reports[0]
        if len(reports) == LOOKS_MAX:
            del reports[2]
        reports.append((report.now_ms, {each.group.name: each for each in report.groups}))

    def looks(self, name: str) -> list[Look]:
        """The looks at the group *name*, in order of time."""
        return [
            Look(time_ms=now_ms, group=groups[name].group, rows=groups[name].rows)
            for now_ms, groups in self._reports
            if name in groups
        ]

    def movements(self) -> dict[tuple[str, "TopicPartition"], Movement]:
        """How fast the groups of the last look read each partition, since the first one."""
        found = {}
        for name in self._reports[-1][1]:
            looks = self.looks(name)
            firsts = {row.partition: row for row in looks[0].rows}
            for row in looks[-1].rows:
                if row.partition in firsts:
                    history = [
                        (looks[0].time_ms, firsts[row.partition]),
                        (looks[-1].time_ms, row),
                    ]
                    if (movement := movement_of(history)) is not None:
                        found[name, row.partition] = movement
        return found

    def verdicts(self, behind_ms: int) -> list[GroupVerdict]:
        """The verdicts on the groups that were there at the last look, by name."""
        return [judge(self.looks(name), behind_ms) for name in sorted(self._reports[-1][1])]


class GroupLooks:
    """Looks at the groups of *selection* and *partitions*, from which verdicts on them follow.

    What moves is judged by looks that are *window_s* apart.
    """

    def __init__(
        self,
        session: "Session",
        selection: "GroupSelection",
        partitions: "PartitionFilter",
        window_s: float,
        *,
        in_zookeeper: bool = False,
    ) -> None:
        self.session = session
        self.selection = selection
        self.partitions = partitions
        self.window_s = window_s
        self.in_zookeeper = in_zookeeper
        self.history = History(round(1000 * window_s))

    def look(self) -> Mapping[str, str]:
        """Look once; returns the groups that no coordinator answered for, with the reasons.

        Raises:
            NoSuchGroup: one that is named does not exist.
        """
        with self.session.groups(in_zookeeper=self.in_zookeeper) as admin:
            names = names_of(admin, self.selection)
            report = read_lags(admin, names, self.partitions, now_ms(), with_times=True)
            require_groups(admin, self.selection, [each.group for each in report.groups])
        self.history.add(report)
        return report.unanswered

    def look_twice(self) -> Mapping[str, str]:
        """Look once, and the first time again after the window; else as `look`."""
        unanswered = self.look()
        if self.history.needs_another:
            self.session.note(f"looking again in {self.window_s:g} s: what moves is judged, too")
            time.sleep(self.window_s)
            self.session.look_again()
            unanswered = {**unanswered, **self.look()}
        return unanswered


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def names_of(admin: "GroupAdmin", selection: "GroupSelection") -> list[str]:
    """The groups that *selection* means; listed only where that is not plain.

    Raises:
        NoSuchGroup: one that is named by a glob that matches none.
    """
    if selection.is_by_name:
        return sorted(selection.wanted)
    return selection.select(each.name for each in admin.listing().groups)


def require_groups(
    admin: "GroupAdmin", selection: "GroupSelection", groups: "Iterable[Group]"
) -> None:
    """Raise NoSuchGroup for those of *groups* that `missing_groups` finds."""
    missing = missing_groups(admin, selection, groups)
    if missing is not None:
        raise missing


def missing_groups(
    admin: "GroupAdmin", selection: "GroupSelection", groups: "Iterable[Group]"
) -> "NoSuchGroup | None":
    """Return the error about those of *groups* that *selection* names and that do not exist; None
    without any.

    A coordinator describes one that it does not know as Dead; one that is listed meanwhile, or has
    offsets, does exist.
    """
    from kadmin.plan.groups.group import DEAD, NoSuchGroup

    dead = [group.name for group in groups if group.state == DEAD]
    if not dead or not selection.wanted:
        return None
    known = [each.name for each in admin.listing().groups]
    missing = [name for name in dead if name in selection.wanted and name not in known]
    return NoSuchGroup(missing, known) if missing else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commits:
    """Groups as their coordinators described them, and what they have committed; *unanswered*
    has those of which no coordinator answered, each with the reason."""

    groups: "Mapping[str, Group]"
    offsets: "Mapping[str, Mapping[TopicPartition, int]]"
    unanswered: Mapping[str, str]

    def partitions(self) -> "Iterator[TopicPartition]":
        """Return the partitions that they have committed to, or that members have; some come
        several times."""
        for name, group in self.groups.items():
            yield from self.offsets.get(name, ())
            for member in group.members:
                yield from member.assigned or ()


def read_lags(
    admin: "GroupAdmin",
    names: "Sequence[str]",
    partitions: "PartitionFilter",
    now_ms: int,
    *,
    with_times: bool,
) -> GroupsReport:
    """Read how far the groups *names* are in *partitions*; without *with_times* neither since when
    they lag nor where logs begin.

    The committed offsets are read before the ends of the logs, so that none seems to be beyond.
    """
    commits = read_commits(admin, names)
    require_partitions(admin, partitions, commits.partitions())
    logs = admin.logs(filter(partitions.takes, commits.partitions()), with_starts=with_times)
    report = report_of(commits, logs, now_ms, partitions.takes if partitions.scopes else None)
    return with_unread_times(admin, report) if with_times else report


def read_commits(admin: "GroupAdmin", names: "Sequence[str]") -> Commits:
    described = admin.describe(names)
    committed = admin.committed(described.found)
    return Commits(
        groups=described.found,
        offsets=committed.found,
        unanswered={**described.unanswered, **committed.unanswered},
    )


def report_of(
    commits: Commits,
    logs: "Logs",
    now_ms: int,
    takes: "Callable[[TopicPartition], bool] | None",
) -> GroupsReport:
    """Compare *commits* with *logs*: those to partitions that *takes* takes, None for all; a group
    that has none of them is left out then, unless it may not exist."""
    from kadmin.plan.groups.group import DEAD

    found = []
    for name in sorted(commits.offsets.keys() & commits.groups.keys()):
        group = commits.groups[name]
        rows = lags_of(group, commits.offsets[name], logs)
        if takes is not None:
            rows = [row for row in rows if takes(row.partition)]
            if not rows and group.state != DEAD:
                continue
        found.append(GroupLag(group=group, rows=tuple(rows)))
    return GroupsReport(groups=tuple(found), now_ms=now_ms, unanswered=commits.unanswered)


def with_unread_times(admin: "GroupAdmin", report: GroupsReport) -> GroupsReport:
    """Read since when there is something to read, and return *report* with it."""
    positions = [[row.next_position for row in each.rows] for each in report.groups]
    times = admin.record_times({each for some in positions for each in some if each is not None})

    def with_time(row: PartitionLag, position: Position | None) -> PartitionLag:
        if position is None or position not in times:
            return row
        time_ms = times[position]
        if time_ms is None and row.condition is Condition.READING:
            return row._replace(condition=Condition.NO_RECORDS)
        return row._replace(unread_since_ms=time_ms)

    groups = tuple(
        replace(each, rows=tuple(map(with_time, each.rows, some)))
        for each, some in zip(report.groups, positions, strict=True)
    )
    return replace(report, groups=groups)


def with_states(admin: "GroupAdmin", groups: "Sequence[ListedGroup]") -> "tuple[ListedGroup, ...]":
    """*groups* with their states, which brokers before 2.6 do not list: they are described then."""
    names = [each.name for each in groups if each.state is None]
    described = admin.describe(names).found if names else {}
    return tuple(
        replace(each, state=described[each.name].state) if each.name in described else each
        for each in groups
    )


def readers_of(
    admin: "GroupAdmin", names: "Sequence[str]", partitions: "PartitionFilter"
) -> set[str]:
    """Those of the groups *names* that have committed to *partitions*, or whose members have one
    of them."""
    committed = admin.committed(names).found
    readers = {name for name in committed if any(map(partitions.takes, committed[name]))}
    described = admin.describe(name for name in names if name not in readers).found
    return readers | {name for name, group in described.items() if has_member_in(group, partitions)}


def has_member_in(group: "Group", partitions: "PartitionFilter") -> bool:
    """Whether a member of *group* has one of *partitions*."""
    return any(partitions.takes(each) for member in group.members for each in member.assigned or ())
