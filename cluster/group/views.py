"""What DescribeGroups and ListGroups show of a group.

Source: Kafka's GroupMetadata.summary and overview.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

from cluster.group.group import Group
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode

CLASSIC: Final = "classic"
"""The type of all groups that this coordinator has."""


class MemberView(NamedTuple):
    """A member; *metadata* and *assignment* are empty unless the group is Stable."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


class GroupView(NamedTuple):
    """A group as DescribeGroups shows it; *protocol* is empty unless the group is Stable."""

    error: ErrorCode
    state: str = ""
    protocol_type: str = ""
    protocol: str = ""
    members: tuple[MemberView, ...] = ()


class ListedGroup(NamedTuple):
    """A group as ListGroups shows it."""

    group_id: str
    protocol_type: str
    state: GroupState


UNKNOWN_GROUP: Final = GroupView(ErrorCode.NONE, GroupState.DEAD)
"""A group that does not exist: Kafka shows it like one that is Dead."""


def describe(group: Group) -> GroupView:
    protocol = group.protocol_name if group.state is GroupState.STABLE else None
    members = tuple(
        MemberView(
            one.member_id,
            one.group_instance_id,
            one.client_id,
            one.client_host,
            b"" if protocol is None else one.metadata(protocol),
            b"" if protocol is None else one.assignment,
        )
        for one in group.members.values()
    )
    protocol_type = group.protocol_type or ""
    return GroupView(ErrorCode.NONE, group.state, protocol_type, protocol or "", members)


def is_listed(group: Group, states: Collection[str], types: Collection[str]) -> bool:
    """Return whether *group* is requested; no states, or no types, mean all of them."""
    is_in_state = not states or group.state.lower() in {one.lower() for one in states}
    return is_in_state and (not types or CLASSIC in {one.lower() for one in types})


def listed(group: Group) -> ListedGroup:
    return ListedGroup(group.group_id, group.protocol_type or "", group.state)
