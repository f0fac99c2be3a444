"""Actions on groups of consumers: reset offsets, delete."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kadmin.app.actions.action import Action
from kadmin.app.groups import now_ms
from kadmin.arguments.groups import GroupSelection, PartitionFilter
from kadmin.execute.groups import GroupChange, GroupDeletions, OffsetResets
from kadmin.plan.groups.changes import Edge, GroupDeletionPlan, ResetPlan, Wanted
from kadmin.quoting import quoted
from kadmin.render.groups.changes import group_deletion_plan_lines, reset_plan_lines
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.app.session import Session
    from kadmin.execute.change import Change


def named(names: tuple[str, ...]) -> str:
    return f"group {names[0]}" if len(names) == 1 else counted(len(names), "group")


def command_of(*, in_zookeeper: bool) -> str:
    return "kadmin groups --in-zookeeper" if in_zookeeper else "kadmin groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetOffsets(Action):
    """New offsets for a group, as *wanted*; *spec* are the options of the command that say so.

    The group is one of old consumers if it is *in_zookeeper*.
    """

    group: str
    partitions: PartitionFilter
    wanted: Wanted
    spec: str
    topics: tuple[str, ...] = ()
    in_zookeeper: bool = False

    @property
    def verb(self) -> str:
        return f"Reset the offsets of group {self.group}"

    @property
    def command(self) -> str:
        which = " ".join(f"--topic {quoted(topic)}" for topic in self.topics) or "--all-topics"
        group = quoted(self.group)
        command = command_of(in_zookeeper=self.in_zookeeper)
        return f"{command} --reset-offsets --group {group} {which} {self.spec} --execute"

    @property
    def rollback_suffix(self) -> str:
        return ".csv"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[OffsetResets]:
        with session.groups(in_zookeeper=self.in_zookeeper) as admin:
            yield OffsetResets(
                admin,
                GroupSelection((self.group,)),
                self.partitions,
                self.wanted,
                rollback_path,
                session,
            )

    def lines(self, plan: ResetPlan) -> Iterable[str]:
        return reset_plan_lines(plan, now_ms())

    def key(self, plan: ResetPlan) -> object:
        # Where the end is meant, it moves on as records are written.
        keeps_target = self.wanted is not Edge.LATEST
        return (
            plan.group,
            tuple(
                (move.partition, move.before, move.after if keeps_target else None)
                for move in plan.moves
            ),
        )

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, GroupChange)
        change.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteGroups(Action):
    """Groups are deleted, with all that they have committed; those of old consumers if they are
    *in_zookeeper*."""

    names: tuple[str, ...]
    in_zookeeper: bool = False

    @property
    def verb(self) -> str:
        return f"Delete {named(self.names)}"

    @property
    def command(self) -> str:
        groups = " ".join(f"--group {quoted(name)}" for name in self.names)
        return f"{command_of(in_zookeeper=self.in_zookeeper)} --delete {groups}"

    @property
    def to_be_typed(self) -> str:
        return self.names[0] if len(self.names) == 1 else f"delete {named(self.names)}"

    @property
    def rollback_suffix(self) -> str:
        return ".csv"

    @contextmanager
    def change(self, session: "Session", rollback_path: str) -> Iterator[GroupDeletions]:
        with session.groups(in_zookeeper=self.in_zookeeper) as admin:
            yield GroupDeletions(admin, GroupSelection(self.names), rollback_path, session)

    def lines(self, plan: GroupDeletionPlan) -> Iterable[str]:
        return group_deletion_plan_lines(plan)

    def finish(self, session: "Session", change: "Change[Any]") -> None:
        assert isinstance(change, GroupChange)
        change.check()
