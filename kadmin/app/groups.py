"""Looks at groups of consumers: what is asked for one, in which order."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kadmin.plan.groups.lag import lags_of, positions_of
from kadmin.reports.groups import GroupLag, GroupsReport

if TYPE_CHECKING:
    from cluster.model.ids import TopicPartition
    from kadmin.admin.ports import GroupAdmin
    from kadmin.arguments.groups import GroupSelection, PartitionFilter
    from kadmin.plan.groups.group import Group


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
    """Raise NoSuchGroup for those of *groups* that *selection* names and that do not exist.

    A coordinator describes one that it does not know as Dead; one that is listed meanwhile, or has
    offsets, does exist.
    """
    from kadmin.plan.groups.group import DEAD, NoSuchGroup

    dead = [group.name for group in groups if group.state == DEAD]
    if dead and selection.wanted:
        known = [each.name for each in admin.listing().groups]
        missing = [name for name in dead if name in selection.wanted and name not in known]
        if missing:
            raise NoSuchGroup(missing, known)


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
    described = admin.describe(names)
    committed = admin.committed(described.told)
    wanted: set[TopicPartition] = set()
    for name, group in described.told.items():
        wanted.update(filter(partitions.takes, committed.told.get(name, ())))
        for member in group.members:
            wanted.update(filter(partitions.takes, member.assigned or ()))
    logs = admin.logs(wanted, with_starts=with_times)
    found = []
    for name in sorted(committed.told.keys() & described.told.keys()):
        rows = lags_of(described.told[name], committed.told[name], logs)
        if partitions.scopes:
            rows = [row for row in rows if partitions.takes(row.partition)]
            if not rows:
                continue
        found.append(GroupLag(group=described.told[name], rows=tuple(rows)))
    if with_times:
        times = admin.record_times({pos for each in found for pos in positions_of(each.rows)})
        found = [
            replace(
                each,
                rows=tuple(
                    row
                    if (position := row.next_position) is None or position not in times
                    else replace(row, unread_since_ms=times[position])
                    for row in each.rows
                ),
            )
            for each in found
        ]
    return GroupsReport(
        groups=tuple(found), now_ms=now_ms, untold={**described.untold, **committed.untold}
    )
