"""Members and states of groups: how do they look?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kadmin.plan.groups.group import Coordinator, Group, Member
from kadmin.render.fields import csv_rows
from kadmin.render.groups.lines import aligned
from kadmin.render.output import Document
from kadmin.reports.groups import by_host

MEMBER_COLUMNS: Final = (
    *("group", "consumer_id", "group_instance_id", "host", "client_id"),
    *("partition_count", "assignment"),
)
HOST_COLUMNS: Final = ("group", "host", "member_count", "partition_count")
STATE_COLUMNS: Final = (
    *("group", "state", "assignment_strategy", "member_count"),
    *("coordinator", "coordinator_host", "coordinator_port"),
)
WIDTH: Final = 15
INSTANCE_WIDTH: Final = 17
COORDINATOR_WIDTH: Final = 25
STRATEGY_WIDTH: Final = 20


def members_document(
    groups: Sequence[Group], unanswered: Mapping[str, str], *, is_verbose: bool
) -> Document:
    """The members of *groups*; the lines name their partitions only if *is_verbose*."""
    return Document(
        schema="kadmin.groups.members/1",
        body=lambda: {
            "groups": [
                {
                    "group": group.name,
                    "state": group.state,
                    "members": [member_record(each) for each in group.members],
                }
                for group in groups
            ],
            "untold": unanswered_records(unanswered),
        },
        columns=MEMBER_COLUMNS,
        rows=lambda: csv_rows(
            (
                {
                    "group": group.name,
                    **member_record(each),
                    "assignment": assignment_text(each),
                }
                for group in groups
                for each in group.members
            ),
            MEMBER_COLUMNS,
        ),
        lines=lambda: member_lines(groups, is_verbose=is_verbose),
    )


def unanswered_records(unanswered: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"group": name, "reason": reason} for name, reason in sorted(unanswered.items())]


def member_record(member: Member) -> dict[str, object]:
    assigned = member.assigned
    return {
        "consumer_id": member.id,
        "group_instance_id": member.instance_id,
        "host": member.host or None,
        "client_id": member.client_id or None,
        "partition_count": None if assigned is None else len(assigned),
        "assignment": None
        if assigned is None
        else [{"topic": each.topic, "partition": each.partition} for each in assigned],
    }


def member_lines(groups: Sequence[Group], *, is_verbose: bool) -> Iterator[str]:
    for group in groups:
        if not group.members:
            continue
        has_instances = any(each.instance_id for each in group.members)
        heads = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"]
        widths = [WIDTH] * 5
        if has_instances:
            heads.insert(2, "GROUP-INSTANCE-ID")
            widths.insert(2, INSTANCE_WIDTH)
        if is_verbose:
            heads.append("ASSIGNMENT")
            widths.append(0)
        yield ""
        yield from aligned(
            heads,
            (
                [
                    group.name,
                    each.id,
                    *([each.instance_id or ""] if has_instances else []),
                    each.host or None,
                    each.client_id or None,
                    None if each.assigned is None else len(each.assigned),
                    *([assignment_text(each) or "-"] if is_verbose else []),
                ]
                for each in sorted(group.members, key=lambda each: -len(each.assigned or ()))
            ),
            widths,
        )


def assignment_text(member: Member) -> str:
    """`orders(0,1), users(2)`."""
    topics: dict[str, list[str]] = {}
    for each in member.assigned or ():
        topics.setdefault(each.topic, []).append(str(each.partition))
    return ", ".join(f"{topic}({','.join(numbers)})" for topic, numbers in topics.items())


def hosts_document(groups: Sequence[Group], unanswered: Mapping[str, str]) -> Document:
    """The members of *groups*, counted by host."""
    records = [
        {
            "group": group.name,
            "host": each.host,
            "member_count": len(each.members),
            "partition_count": each.partition_count,
        }
        for group in groups
        for each in by_host(group.members)
    ]
    heads = ("GROUP", "HOST", "#MEMBERS", "#PARTITIONS")
    return Document(
        schema="kadmin.groups.hosts/1",
        body=lambda: {"hosts": records, "untold": unanswered_records(unanswered)},
        columns=HOST_COLUMNS,
        rows=lambda: csv_rows(records, HOST_COLUMNS),
        lines=lambda: aligned(heads, (list(each.values()) for each in records), [WIDTH] * 4),
    )


def states_document(groups: Sequence[Group], unanswered: Mapping[str, str]) -> Document:
    """The states of *groups*, with their coordinators."""
    return Document(
        schema="kadmin.groups.states/1",
        body=lambda: {
            "groups": [state_record(each) for each in groups],
            "untold": unanswered_records(unanswered),
        },
        columns=STATE_COLUMNS,
        rows=lambda: csv_rows(map(state_record, groups), STATE_COLUMNS),
        lines=lambda: state_lines(groups),
    )


def state_record(group: Group) -> dict[str, object]:
    coordinator = group.coordinator
    return {
        "group": group.name,
        "state": group.state,
        "assignment_strategy": group.assignor or None,
        "member_count": len(group.members),
        "coordinator": None if coordinator is None else coordinator.id,
        "coordinator_host": None if coordinator is None else coordinator.host,
        "coordinator_port": None if coordinator is None else coordinator.port,
    }


def state_lines(groups: Sequence[Group]) -> Iterator[str]:
    heads = ("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS")
    for group in groups:
        where = coordinator_text(group.coordinator)
        width = max(COORDINATOR_WIDTH, len(where))
        yield ""
        yield from aligned(
            heads,
            [[group.name, where, group.assignor, group.state, len(group.members)]],
            [width, COORDINATOR_WIDTH, STRATEGY_WIDTH, WIDTH, 0],
        )


def coordinator_text(coordinator: Coordinator | None) -> str:
    return (
        "-" if coordinator is None else f"{coordinator.host}:{coordinator.port} ({coordinator.id})"
    )
