"""The groups that an operator means: which are they, and can they be changed?

A group can be changed while it has no members, who would overwrite what is put in its place.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from cluster.model.ids import TopicPartition
from kadmin.admin.ports import GroupAdmin
from kadmin.arguments.groups import GroupSelection, PartitionFilter
from kadmin.errors import UnreachableError
from kadmin.execute.change import Notices
from kadmin.plan.groups.changes import GroupIsAlive, members_text
from kadmin.plan.groups.group import DEAD, Group, NoSuchGroup
from kadmin.plan.offsets import NoSuchPartition
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.wording import LISTED_MAX, counted, with_reasons

Offsets: TypeAlias = Mapping[TopicPartition, int]


class GroupsUnknown(UnreachableError):
    """Groups that cannot be changed, since their coordinators do not say how they are."""

    def __init__(self, unanswered: Mapping[str, str]) -> None:
        super().__init__(
            f"coordinators did not answer; nothing was written: {with_reasons(unanswered.items())}",
            hint="kadmin brokers --describe",
        )


class MeantGroups:
    """The groups that *selection* means, as *admin* returns them.

    A group that is named has to be without members; of many, those with members are left out.
    """

    def __init__(
        self,
        admin: GroupAdmin,
        selection: GroupSelection,
        notices: Notices,
        *,
        is_dry_run: bool,
    ) -> None:
        self.admin = admin
        self.selection = selection
        self.notices = notices
        self.is_dry_run = is_dry_run

    def names(self) -> list[str]:
        if self.selection.is_by_name:
            return sorted(set(self.selection.wanted))
        return self.selection.select(each.name for each in self.admin.listing().groups)

    def described(self) -> list[Group]:
        """The groups that are meant, as their coordinators describe them.

        Raises:
            GroupsUnknown: a coordinator does not answer.
        """
        answers = self.admin.describe(self.names())
        if answers.unanswered:
            raise GroupsUnknown(answers.unanswered)
        return [answers.found[name] for name in sorted(answers.found)]

    def idle(self) -> list[Group]:
        """Those without members.

        A dry run plans for those that are named all the same.

        Raises:
            GroupIsAlive: one that is named has members.
        """
        groups = self.described()
        alive = [group for group in groups if group.is_alive]
        named = [group for group in alive if self.is_named(group.name)]
        if named and not self.is_dry_run:
            raise GroupIsAlive(named)
        others = [group for group in alive if not self.is_named(group.name)]
        for group in named:
            self.notices.warn(f"{with_members(group)}: as long as it is, this is refused")
        for group in others[:LISTED_MAX]:
            self.notices.warn(f"left out: {with_members(group)}")
        if len(others) > LISTED_MAX:
            more = counted(len(others) - LISTED_MAX, "more group")
            self.notices.warn(f"left out: {more} with members")
        return [group for group in groups if not group.is_alive or self.is_named(group.name)]

    def is_named(self, name: str) -> bool:
        return name in self.selection.wanted

    def require(self, groups: Iterable[Group]) -> None:
        """Raise NoSuchGroup unless all of *groups* exist."""
        missing = [group.name for group in groups if group.state == DEAD]
        if missing:
            raise NoSuchGroup(missing, [each.name for each in self.admin.listing().groups])

    def committed(self, names: Iterable[str]) -> Mapping[str, Offsets]:
        answers = self.admin.committed(names)
        if answers.unanswered:
            raise GroupsUnknown(answers.unanswered)
        return answers.found


def with_members(group: Group) -> str:
    return f"group '{group.name}' is {group.state}, with {members_text(group)}"


def require_partitions(
    admin: GroupAdmin, partitions: PartitionFilter, found: Iterable[TopicPartition]
) -> None:
    """Raise unless what *partitions* names is among those *found* of groups, or in the cluster,
    which is asked only where that is not plain.

    Raises:
        NoSuchTopic, NoSuchPartition: something is named that is not there.
    """
    if partitions.scopes:
        known = set(found)
        try:
            partitions.require(known)
        except (NoSuchTopic, NoSuchPartition):
            partitions.require(known | set(admin.topic_partitions()))
