"""Copies of what groups have committed: from ZooKeeper to brokers, or back.

They are planned and made as resets of the groups that get them.
"""

from collections.abc import Iterable, Mapping, Sequence

from cluster.model.ids import TopicPartition
from kadmin.admin.ports import GroupAdmin
from kadmin.arguments.groups import GroupSelection, PartitionFilter
from kadmin.execute.change import Begun, Notices, Question, Step
from kadmin.execute.groups import OffsetResets
from kadmin.execute.meant_groups import MeantGroups, Offsets
from kadmin.plan.groups.changes import FromFile, GroupIsAlive, ResetPlan, UnfitReset
from kadmin.wording import counted


class OffsetMigrations(OffsetResets):
    """The offsets that the groups of *selection* have at *source* are committed at *target*, as far
    as *partitions* takes them.

    The groups keep their names; if there is *to_group*, it is that of the only one.
    """

    what = "migrate offsets"

    def __init__(
        self,
        source: GroupAdmin,
        target: GroupAdmin,
        selection: GroupSelection,
        to_group: str | None,
        partitions: PartitionFilter,
        rollback_path: str,
        notices: Notices,
        *,
        is_dry_run: bool = False,
    ) -> None:
        super().__init__(
            target,
            GroupSelection(()),
            partitions,
            FromFile({}),
            rollback_path,
            notices,
            is_dry_run=is_dry_run,
        )
        self.source = MeantGroups(source, selection, notices, is_dry_run=is_dry_run)
        self.to_group = to_group
        self.sources: dict[str, str] = {}
        """The groups whose offsets are copied, by the groups that get them."""

    def steps(self) -> list[Step[ResetPlan]]:
        offsets = self.read()
        if not offsets:
            return []
        self.wanted = FromFile(offsets)
        return super().steps()

    def read(self) -> Mapping[str | None, Offsets]:
        """The offsets to be committed, by the group that gets them.

        Raises:
            NoSuchGroup: one that is named does not exist.
            GroupIsAlive: one that is named has members.
            UnfitReset: one that is named has committed nothing.
        """
        groups = self.source.idle()
        self.source.require(groups)
        committed = self.source.committed(group.name for group in groups)
        taken = {name: set(filter(self.partitions.takes, committed[name])) for name in committed}
        gone = self.admin.logs(set().union(*taken.values()), with_starts=False).gone
        found: dict[str | None, dict[TopicPartition, int]] = {}
        for name in sorted(taken):
            target = name if self.to_group is None else self.to_group
            if not self.source.is_named(name) and not self.admin.can_keep(target):
                self.notices.warn(f"left out: ZooKeeper has no place for a group called '{target}'")
                continue
            left = sorted(self.still_there(taken[name], gone))
            if left:
                self.sources[target] = name
                found[target] = {each: committed[name][each] for each in left}
            elif self.source.is_named(name):
                where = " to these topics" if self.partitions.scopes else ""
                raise UnfitReset([f"group '{name}' has committed nothing{where}"])
        return found

    def is_named(self, name: str) -> bool:
        return self.source.is_named(self.sources[name])

    def prepare(self, plans: Sequence[ResetPlan]) -> Iterable[Begun]:
        """See that no member has joined the source meanwhile, which would read on there."""
        described = self.source.admin.describe(self.sources[plan.group] for plan in plans)
        alive = [described.found[name] for name in sorted(described.found)]
        alive = [group for group in alive if group.is_alive]
        if alive:
            raise GroupIsAlive(alive)
        return super().prepare(plans)

    def question(self, plans: Sequence[ResetPlan]) -> Question | None:
        count = sum(len(plan.changes) for plan in plans)
        whose = f"group '{plans[0].group}'" if len(plans) == 1 else counted(len(plans), "group")
        text = f"Commit the offsets of {counted(count, 'partition')} for {whose}?"
        return Question(text) if count else None
