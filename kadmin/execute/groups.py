"""Changes of groups, from a look at them to the result of each: resets and deletions of offsets,
deletions of groups.

What is deleted or overwritten is in a rollback file before the first write, from which a reset can
put it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from cluster.model.ids import TopicPartition
from kadmin.admin.ports import GroupAdmin, Made, Partly
from kadmin.arguments.group_offsets_file import offsets_text
from kadmin.arguments.groups import GroupSelection, PartitionFilter
from kadmin.execute.change import Begun, Change, Notices, Question, Step
from kadmin.execute.meant_groups import MeantGroups, Offsets, require_partitions
from kadmin.execute.rollback_file import write_rollback_file
from kadmin.plan.groups.changes import (
    FromFile,
    GroupDeletionPlan,
    GroupPlan,
    NotChanged,
    OffsetDeletionPlan,
    ResetPlan,
    ToTime,
    UnfitReset,
    Wanted,
    plan_reset,
    reset_failures,
)
from kadmin.plan.groups.group import DEAD, Group
from kadmin.plan.groups.lag import Position
from kadmin.wording import counted, counted_partitions, listed

Plan = TypeVar("Plan", bound=GroupPlan)


def step_of(plan: Plan) -> Step[Plan]:
    """A step that is never planned anew: a coordinator refuses what has become wrong."""
    return Step(plan=plan, replan=lambda: plan)


class GroupChange(MeantGroups, Change[Plan]):
    """A change of the groups that *selection* means.

    *before* has the offsets that are changed, by group, and *failed* what was not done, and why.
    """

    def __init__(
        self,
        admin: GroupAdmin,
        selection: GroupSelection,
        rollback_path: str,
        notices: Notices,
        *,
        is_dry_run: bool = False,
    ) -> None:
        MeantGroups.__init__(self, admin, selection, notices, is_dry_run=is_dry_run)
        Change.__init__(self, admin)
        self.rollback_path = rollback_path
        self.before: dict[str, Offsets] = {}
        self.has_rollback_file = False
        self.failed: dict[str, str] = {}

    def now(self, group: str) -> tuple[Offsets, str | None]:
        """What *group* has committed after a write, or why its coordinator does not answer."""
        answers = self.admin.committed([group])
        return answers.found.get(group, {}), answers.unanswered.get(group)

    def prepare(self, plans: Sequence[Plan]) -> Iterable[Begun]:
        """Write the rollback file, if anything has to be in it."""
        self.before = {group: found for group, found in self.overwritten(plans).items() if found}
        if self.before:
            text = offsets_text(self.before, with_groups=True)
            write_rollback_file(self.rollback_path, text)
            self.has_rollback_file = True
            yield Begun()

    def overwritten(self, plans: Sequence[Plan]) -> dict[str, Offsets]:
        """What *plans* take away, by group."""
        raise NotImplementedError

    def settle(self, plan: Plan, made: Made) -> None:
        self.failed |= self.failures(plan, made.refused if isinstance(made, Partly) else {})

    def failures(self, plan: Plan, refused: Mapping[Any, str]) -> dict[str, str]:
        """What of *plan* is not done as it is now, and why: an answer may have been lost, so that
        it does not matter alone what was *refused*."""
        raise NotImplementedError

    what = ""
    """What is done to those that fail, in words."""

    def check(self) -> None:
        """Raise NotChanged unless all was done."""
        if self.failed:
            raise NotChanged(self.what, self.failed)


class OffsetResets(GroupChange[ResetPlan]):
    """New offsets as *wanted*, for the partitions that *partitions* takes.

    Without scopes these are the ones that a group has committed to, or that the file names.
    """

    what = "reset offsets"

    def __init__(
        self,
        admin: GroupAdmin,
        selection: GroupSelection,
        partitions: PartitionFilter,
        wanted: Wanted,
        rollback_path: str,
        notices: Notices,
        *,
        is_dry_run: bool = False,
    ) -> None:
        super().__init__(admin, selection, rollback_path, notices, is_dry_run=is_dry_run)
        self.partitions = partitions
        self.wanted = wanted

    def names(self) -> list[str]:
        if isinstance(self.wanted, FromFile) and not self.selection.wanted:
            in_file = [name for name in self.wanted.offsets if name is not None]
            return sorted(in_file) if in_file else super().names()
        return super().names()

    def is_named(self, name: str) -> bool:
        in_file = isinstance(self.wanted, FromFile) and name in self.wanted.offsets
        return in_file or super().is_named(name)

    def steps(self) -> list[Step[ResetPlan]]:
        groups = self.idle()
        return [step_of(plan) for plan in self.plans(groups)]

    def plans(self, groups: Sequence[Group]) -> list[ResetPlan]:
        """Plan from the offsets as they are now.

        Raises:
            UnfitReset: some partitions cannot get what is wanted.
            NoSuchGroup: there is nothing of a group that could be reset.
        """
        committed = self.committed(group.name for group in groups)
        meant = self.meant(groups, committed)
        every = {each for some in meant.values() for each in some}
        logs = self.admin.logs(every, with_starts=True)
        at_time: dict[TopicPartition, int | None] = {}
        if isinstance(self.wanted, ToTime):
            answers = self.admin.offsets_at(every - logs.gone, self.wanted.time_ms)
            if answers.unanswered:
                raise UnfitReset([f"{each}: {why}" for each, why in answers.unanswered.items()])
            at_time = {each: found.offset for each, found in answers.found.items()}
        if not self.partitions.scopes and not isinstance(self.wanted, FromFile):
            meant = {name: self.still_there(some, logs.gone) for name, some in meant.items()}
        plans = [
            plan_reset(group, self.wanted, meant[group.name], committed[group.name], logs, at_time)
            for group in groups
            if meant[group.name]
        ]
        times = self.admin.record_times({each for plan in plans for each in plan.positions})
        return [timed(plan, times) for plan in plans]

    def meant(
        self, groups: Sequence[Group], committed: Mapping[str, Offsets]
    ) -> dict[str, set[TopicPartition]]:
        if isinstance(self.wanted, FromFile):
            found = {group.name: set(self.wanted.of_group(group.name)) for group in groups}
            missing = [name for name, some in found.items() if not some and self.is_named(name)]
            if missing:
                raise UnfitReset([f"the file has no offset of group '{missing[0]}'"])
            return {
                name: {each for each in some if self.partitions.takes(each)}
                for name, some in found.items()
            }
        if not self.partitions.scopes:
            self.require(group for group in groups if not committed[group.name])
            return {group.name: set(committed[group.name]) for group in groups}
        there = self.admin.topic_partitions()
        self.partitions.require(there)
        taken = {each for each in there if self.partitions.takes(each)}
        return {group.name: taken for group in groups}

    def still_there(
        self, partitions: set[TopicPartition], gone: frozenset[TopicPartition]
    ) -> set[TopicPartition]:
        lost = sorted(partitions & gone)
        if lost:
            self.notices.warn(f"left out, since they do not exist any more: {listed(lost)}")
        return partitions - gone

    def warnings(self, plan: ResetPlan) -> Iterable[str]:
        new = [move.partition for move in plan.changes if move.before is None]
        if not plan.exists:
            yield f"there is no group '{plan.group}' yet: it will be made"
        elif new:
            yield (
                f"group '{plan.group}' has committed nothing yet to {counted_partitions(new)};"
                " only --delete-offsets takes that back"
            )
        for move in plan.moves:
            if move.is_clipped:
                edge = "latest" if move.wanted > move.end else "earliest"
                than = "higher than latest" if move.wanted > move.end else "lower than earliest"
                yield (
                    f"new offset ({move.wanted}) is {than} offset for topic partition"
                    f" {move.partition}: it is set to the {edge}, {move.after}"
                )

    def question(self, plans: Sequence[ResetPlan]) -> Question | None:
        count = sum(len(plan.changes) for plan in plans)
        if count == 0:
            return None
        whose = f"group '{plans[0].group}'" if len(plans) == 1 else counted(len(plans), "group")
        return Question(
            f"Reset the offsets of {counted(count, 'partition')} of {whose}?", is_optional=True
        )

    def overwritten(self, plans: Sequence[ResetPlan]) -> dict[str, Offsets]:
        return {
            plan.group: {
                move.partition: move.before for move in plan.changes if move.before is not None
            }
            for plan in plans
        }

    def failures(self, plan: ResetPlan, refused: Mapping[TopicPartition, str]) -> dict[str, str]:
        now, silence = self.now(plan.group)
        return {
            f"{plan.group}: {each}": silence or reason
            for each, reason in reset_failures(plan, refused, now).items()
        }


def timed(plan: ResetPlan, times: Mapping[Position, int | None]) -> ResetPlan:
    """*plan* with the *times* of records."""
    return replace(
        plan,
        moves=tuple(
            replace(
                move,
                before_ms=None
                if move.before is None
                else times.get(Position(move.partition, move.before)),
                after_ms=times.get(Position(move.partition, move.after)),
            )
            for move in plan.moves
        ),
    )


class OffsetDeletions(GroupChange[OffsetDeletionPlan]):
    """The offsets that groups have committed to *partitions* are deleted.

    A group may have members, as long as these do not read the topics, which its coordinator sees
    to.
    """

    what = "delete offsets"

    def __init__(
        self,
        admin: GroupAdmin,
        selection: GroupSelection,
        partitions: PartitionFilter,
        rollback_path: str,
        notices: Notices,
        *,
        is_dry_run: bool = False,
    ) -> None:
        super().__init__(admin, selection, rollback_path, notices, is_dry_run=is_dry_run)
        self.partitions = partitions

    def steps(self) -> list[Step[OffsetDeletionPlan]]:
        groups = self.described()
        self.require(groups)
        committed = self.committed(group.name for group in groups)
        known = (each for some in committed.values() for each in some)
        require_partitions(self.admin, self.partitions, known)
        plans = [
            OffsetDeletionPlan(
                group=group.name,
                offsets={
                    each: committed[group.name][each]
                    for each in sorted(committed[group.name])
                    if self.partitions.takes(each)
                },
            )
            for group in groups
        ]
        return [step_of(plan) for plan in plans if plan.offsets]

    def question(self, plans: Sequence[OffsetDeletionPlan]) -> Question | None:
        count = sum(len(plan.offsets) for plan in plans)
        return Question(f"Delete {counted(count, 'committed offset')}?") if count else None

    def overwritten(self, plans: Sequence[OffsetDeletionPlan]) -> dict[str, Offsets]:
        return {plan.group: plan.offsets for plan in plans}

    def failures(
        self, plan: OffsetDeletionPlan, refused: Mapping[TopicPartition, str]
    ) -> dict[str, str]:
        now, silence = self.now(plan.group)
        return {
            f"{plan.group}: {each}": silence or refused.get(each, "it has been committed again")
            for each in plan.offsets
            if silence or each in now
        }


class GroupDeletions(GroupChange[GroupDeletionPlan]):
    """Groups are deleted, with all that they have committed."""

    what = "delete groups"

    def steps(self) -> list[Step[GroupDeletionPlan]]:
        groups = self.idle()
        self.require(groups)
        if not groups:
            return []
        committed = self.committed(group.name for group in groups)
        plan = GroupDeletionPlan(
            offsets={group.name: dict(sorted(committed[group.name].items())) for group in groups}
        )
        return [step_of(plan)]

    def question(self, plans: Sequence[GroupDeletionPlan]) -> Question | None:
        names = [name for plan in plans for name in plan.groups]
        which = f"group '{names[0]}'" if len(names) == 1 else f"these {len(names):,} groups"
        return Question(f"Delete {which}, with all committed offsets?")

    def overwritten(self, plans: Sequence[GroupDeletionPlan]) -> dict[str, Offsets]:
        return {name: found for plan in plans for name, found in plan.offsets.items()}

    def failures(self, plan: GroupDeletionPlan, refused: Mapping[str, str]) -> dict[str, str]:
        now = self.admin.describe(refused).found if refused else {}
        gone = {name for name, group in now.items() if group.state == DEAD}
        return {name: refused[name] for name in refused.keys() - gone}
