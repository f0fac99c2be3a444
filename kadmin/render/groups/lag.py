"""The lag of groups: how does it look?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kadmin.plan.groups.lag import Condition, PartitionLag
from kadmin.plan.groups.verdict import Movement
from kadmin.render.fields import csv_rows
from kadmin.render.groups.lines import aligned
from kadmin.render.groups.members import unanswered_records
from kadmin.render.groups.verdicts import movement_record, rounded, span_or_never
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.reports.groups import GroupLag, GroupsReport
from kadmin.wording import counted, span

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kadmin.render.tables import FittedTable

COLUMNS: Final = (
    *("group", "topic", "partition", "current_offset", "log_start_offset", "log_end_offset"),
    *("lag", "lag_ms", "lag_ms_is_lower_bound", "unread_since_ms", "condition"),
    *(
        "read_per_s",
        "written_per_s",
        "caught_up_in_s",
        "consumer_id",
        "host",
        "client_id",
        "reason",
    ),
)
HEADS: Final = (
    *("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"),
    *("CONSUMER-ID", "HOST", "CLIENT-ID"),
)
WIDTHS: Final = (15, 15, 10, 15, 15, 15, 15, 15, 0)

TABLE_ROWS_MAX: Final = 2_000
"""Above that a terminal gets plain lines, too: so long a table takes time and is of no use."""

CONDITIONS: Final = {
    Condition.READING: "",
    Condition.NO_COMMIT: "nothing committed",
    Condition.BEFORE_START: "records gone unread",
    Condition.BEYOND_END: "beyond the end of the log",
    Condition.NO_PARTITION: "partition is gone",
    Condition.NO_RECORDS: "no records are left",
    Condition.UNKNOWN: "end not known",
}
assert CONDITIONS.keys() == set(Condition)


def lag_document(report: GroupsReport) -> Document:
    """The lag of each partition; the lines are those of kafka-consumer-groups."""
    is_long = sum(len(each.rows) for each in report.groups) > TABLE_ROWS_MAX
    return Document(
        schema="kadmin.groups.describe/1",
        body=lambda: {
            "time_ms": report.now_ms,
            "groups": [group_record(each, report) for each in report.groups],
            "hidden_partitions": report.hidden_count,
            "untold": unanswered_records(report.unanswered),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(
            (
                {"group": each.group.name, **row_record(each, row, report)}
                for each in report.groups
                for row in each.rows
            ),
            COLUMNS,
        ),
        lines=lambda: lines(report),
        pretty=None if is_long else lambda: pretty(report),
    )


def group_record(each: GroupLag, report: GroupsReport) -> dict[str, object]:
    return {
        "group": each.group.name,
        "state": each.group.state,
        "member_count": len(each.group.members),
        "lag": each.lag,
        "unknown_lags": each.unknown_count,
        "lag_ms": each.lag_ms(report.now_ms),
        "partitions": [row_record(each, row, report) for row in each.rows],
    }


def row_record(each: GroupLag, row: PartitionLag, report: GroupsReport) -> dict[str, object]:
    member = row.member
    movement = report.movements.get((each.group.name, row.partition))
    return {
        "topic": row.partition.topic,
        "partition": row.partition.partition,
        "current_offset": row.committed,
        "log_start_offset": row.start,
        "log_end_offset": row.end,
        "lag": row.lag,
        "lag_ms": row.lag_ms(report.now_ms),
        "lag_ms_is_lower_bound": row.is_more,
        "unread_since_ms": row.unread_since_ms,
        "condition": row.condition.value,
        **(NO_MOVEMENT if movement is None else moving_record(movement, row.lag or 0)),
        "consumer_id": None if member is None else member.id,
        "host": None if member is None else member.host or None,
        "client_id": None if member is None else member.client_id or None,
        "reason": row.reason or None,
    }


NO_MOVEMENT: Final = {"read_per_s": None, "written_per_s": None, "caught_up_in_s": None}


def moving_record(movement: Movement, lag: int) -> dict[str, object]:
    return {
        **movement_record(movement),
        "caught_up_in_s": rounded(movement.caught_up_in_s(lag)),
    }


def lines(report: GroupsReport) -> Iterator[str]:
    for each in report.groups:
        if not each.rows:
            continue
        yield ""
        yield from aligned(
            HEADS, ([each.group.name, *line_cells(row)] for row in each.rows), WIDTHS
        )


def line_cells(row: PartitionLag) -> Iterator[object]:
    yield from (row.partition.topic, row.partition.partition, row.committed, row.end, row.distance)
    member = row.member
    yield from (
        (None,) * 3
        if member is None
        else (member.id, member.host or None, member.client_id or None)
    )


def pretty(report: GroupsReport) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Screen

    parts: list[RenderableType] = []
    for each in report.groups:
        parts.append(Text(heading(each, report.now_ms), "bold"))
        if each.rows:
            parts.append(table(each, report))
    return Screen(parts)


def heading(each: GroupLag, now_ms: int) -> str:
    """`billing: Stable, 2 members, 30 records behind, the oldest unread for 12 min`."""
    group = each.group
    words = [group.state, counted(len(group.members), "member")]
    if each.rows:
        nothing = "nothing to read" if each.is_known else "lag not known"
        words.append(f"{counted(each.lag, 'record')} behind" if each.lag else nothing)
    lag_ms = each.lag_ms(now_ms)
    if each.lag and lag_ms is not None:
        words.append(f"the oldest unread for {span(lag_ms / 1000)}")
    return f"{visible(group.name)}: {', '.join(words)}"


def table(each: GroupLag, report: GroupsReport) -> "FittedTable":
    from rich.text import Text

    from kadmin.render.tables import Shown, dashed, table_of

    def member(row: PartitionLag) -> str:
        return "-" if row.member is None else visible(row.member.client_id or row.member.id)

    def movement(row: PartitionLag) -> Movement | None:
        return report.movements.get((each.group.name, row.partition))

    def rate(row: PartitionLag, field: str) -> str:
        moving = movement(row)
        return "-" if moving is None else f"{getattr(moving, field):.1f}"

    def caught_up(row: PartitionLag) -> str:
        moving = movement(row)
        if not row.lag or moving is None:
            return ""
        return span_or_never(moving.caught_up_in_s(row.lag))

    has_rates = bool(report.movements)

    def host(row: PartitionLag) -> str:
        return "-" if row.member is None else visible(row.member.host or "-")

    return table_of(
        each.rows,
        Shown("topic", lambda row: row.partition.topic, least=24),
        Shown("partition", lambda row: str(row.partition.partition), right=True),
        Shown("committed", lambda row: dashed(row.committed), right=True, worth=4),
        Shown("end", lambda row: dashed(row.end), right=True, worth=3),
        Shown("lag", lambda row: dashed(row.lag), right=True),
        Shown("unread for", lambda row: time_cell(row, report.now_ms), right=True),
        Shown("read/s", lambda row: rate(row, "read_per_s"), right=True, worth=6)
        if has_rates
        else None,
        Shown("written/s", lambda row: rate(row, "written_per_s"), right=True, worth=6)
        if has_rates
        else None,
        Shown("caught up in", caught_up, right=True, worth=7) if has_rates else None,
        Shown("member", member, worth=2, least=16),
        Shown("host", host, worth=1),
        Shown(
            "",
            lambda row: Text(row.reason or CONDITIONS[row.condition], "red"),
            worth=5,
            least=20,
        ),
    )


def time_cell(row: PartitionLag, now_ms: int) -> str:
    lag_ms = row.lag_ms(now_ms)
    if lag_ms is None or row.lag is None:
        return "-"
    if row.lag == 0:
        return ""
    return f"{'> ' if row.is_more else ''}{span(lag_ms / 1000)}"


def condition_texts(report: GroupsReport) -> Iterator[str]:
    """What lines have no room for, as warnings: commits that do not fit the log."""
    for each in report.groups:
        for row in each.rows:
            if row.condition in (Condition.READING, Condition.NO_COMMIT, Condition.NO_RECORDS):
                continue
            text = row.reason or CONDITIONS[row.condition]
            place = f"offset {row.committed}: " if row.committed is not None else ""
            yield f"{each.group.name}: {row.partition}: {place}{text}"
