"""Verdicts on groups: how do they look?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from kadmin.plan.groups.verdict import GroupVerdict, Movement, PartitionVerdict, Verdict
from kadmin.render.fields import csv_rows
from kadmin.render.groups.lines import aligned
from kadmin.render.groups.members import unanswered_records
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.reports.groups import JudgedGroups
from kadmin.wording import span

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = (
    *("group", "verdict", "state", "member_count", "lag", "lag_ms"),
    *("read_per_s", "written_per_s", "caught_up_in_s", "topic", "partition", "reason"),
    "unknown_lags",
)
HEADS: Final = (
    *("GROUP", "VERDICT", "STATE", "#MEMBERS", "LAG", "UNREAD-FOR", "CAUGHT-UP-IN", "REASON"),
)
WIDTHS: Final = (15, 8, 15, 8, 10, 12, 12, 0)
STYLES: Final = {
    Verdict.OK: "green",
    Verdict.UNKNOWN: "yellow",
    Verdict.BEHIND: "yellow",
    Verdict.STALLED: "bold red",
    Verdict.STOPPED: "bold red",
    Verdict.REWOUND: "bold red",
}
assert STYLES.keys() == set(Verdict)


def verdict_document(judged: JudgedGroups) -> Document:
    """The verdict on each group with that on its worst partition; the body has all that are not
    ok."""
    groups = judged.groups
    return Document(
        schema="kadmin.groups.verdict/1",
        body=lambda: {
            "time_ms": judged.now_ms,
            "behind_after_ms": judged.behind_ms,
            "window_ms": judged.window_ms,
            "groups": [
                {
                    **record(each),
                    "partitions": [
                        partition_record(part, each.time_ms)
                        for part in each.partitions
                        if part.verdict is not Verdict.OK
                    ],
                }
                for each in groups
            ],
            "hidden_groups": judged.hidden_count,
            "untold": unanswered_records(judged.unanswered),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(({**record(each), **worst_record(each)} for each in groups), COLUMNS),
        lines=lambda: lines(groups),
        pretty=lambda: pretty(groups),
    )


def record(each: GroupVerdict) -> dict[str, object]:
    return {
        "group": each.group.name,
        "verdict": each.verdict.value,
        "state": each.group.state,
        "member_count": len(each.group.members),
        "lag": each.lag,
        "unknown_lags": each.unknown_count,
        "lag_ms": each.lag_ms,
        **movement_record(each.movement),
        "caught_up_in_s": rounded(each.caught_up_in_s),
    }


def movement_record(movement: Movement | None) -> dict[str, object]:
    return {
        "read_per_s": None if movement is None else rounded(movement.read_per_s),
        "written_per_s": None if movement is None else rounded(movement.written_per_s),
    }


def rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)


def worst_record(each: GroupVerdict) -> dict[str, object]:
    worst = each.worst
    if worst is None or worst.verdict is Verdict.OK:
        return {}
    return {
        "topic": worst.row.partition.topic,
        "partition": worst.row.partition.partition,
        "reason": worst.reason,
    }


def partition_record(part: PartitionVerdict, time_ms: int) -> dict[str, object]:
    row = part.row
    return {
        "topic": row.partition.topic,
        "partition": row.partition.partition,
        "verdict": part.verdict.value,
        "reason": part.reason,
        "current_offset": row.committed,
        "log_end_offset": row.end,
        "lag": row.lag,
        "lag_ms": row.lag_ms(time_ms),
        **movement_record(part.movement),
        "consumer_id": None if row.member is None else row.member.id,
        "host": None if row.member is None else row.member.host or None,
    }


def lines(groups: Sequence[GroupVerdict]) -> Iterator[str]:
    yield from aligned(HEADS, (line_cells(each) for each in groups), WIDTHS)


def line_cells(each: GroupVerdict) -> list[object]:
    return [
        each.group.name,
        each.verdict.value,
        each.group.state,
        len(each.group.members),
        each.lag,
        "-" if each.lag_ms is None else span(each.lag_ms / 1000).replace(" ", ""),
        caught_up_text(each).replace(" ", ""),
        each.reason or "-",
    ]


def caught_up_text(each: GroupVerdict) -> str:
    """`12 min`, or `never`; a dash where nothing is known of what moves."""
    if each.lag == 0 or each.movement is None:
        return "-"
    return span_or_never(each.caught_up_in_s)


def span_or_never(seconds: float | None) -> str:
    return "never" if seconds is None else span(seconds)


def pretty(groups: Sequence[GroupVerdict]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Shown, table_of

    def movement(each: GroupVerdict, field: str) -> str:
        return "-" if each.movement is None else f"{getattr(each.movement, field):.0f}"

    return table_of(
        groups,
        Shown("group", lambda each: visible(each.group.name), least=20),
        Shown("verdict", lambda each: Text(each.verdict.value, STYLES[each.verdict])),
        Shown("state", lambda each: each.group.state, worth=2),
        Shown("members", lambda each: str(len(each.group.members)), right=True, worth=3),
        Shown("lag", lambda each: f"{each.lag:,}", right=True),
        Shown(
            "unread for",
            lambda each: "-" if each.lag_ms is None else span(each.lag_ms / 1000),
            right=True,
        ),
        Shown("read/s", lambda each: movement(each, "read_per_s"), right=True, worth=4),
        Shown("written/s", lambda each: movement(each, "written_per_s"), right=True, worth=4),
        Shown("caught up in", caught_up_text, right=True, worth=5),
        Shown("why", lambda each: visible(each.reason), worth=6, least=24),
    )
