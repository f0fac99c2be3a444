"""Stories of partitions as tables on a terminal."""

from typing import TYPE_CHECKING, Final

from kadmin.render.merge_logs.story_words import (
    anomaly_counts,
    anomaly_lines,
    answer_line,
    broker_text,
    decided_text,
    delay_line,
    duration_text,
    head_line,
    isr_text,
    label,
    leader_text,
    proof_line,
    shown_leaderships,
    surrounding_lines,
    unseen_lines,
    why_text,
)
from kadmin.story.values import ANOMALY_MEANINGS, Leadership, Reason, Story
from kadmin.wording import log_time

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from kadmin.jobs.story.tell import Analysis
    from kadmin.render.tables import FittedTable

REASON_STYLES: Final = {
    Reason.BROKER_GONE: "yellow",
    Reason.NOBODY_LEFT: "bold red",
    Reason.DISK_FAILED: "red",
    Reason.UNCLEAN_ELECTION: "bold red",
    Reason.REPLICA_RETURNED: "green",
}


def pretty_overview(analysis: "Analysis", *, proves: bool) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import FittedTable, Screen

    table = FittedTable("partition", "leader")
    table.add_column("epoch", worth=1)
    table.add_column("moves", worth=2)
    table.add_column("without a leader")
    table.add_column("anomalies", least=16)
    for story in analysis.stories:
        last = story.leaderships[-1] if story.leaderships else None
        is_all = analysis.coverage.has_traces and not story.has_missing_epochs
        least = "" if is_all else "≥ "
        table.add_row(
            Text(label(story), style="bold"),
            "?" if last is None else broker_text(last.leader),
            "?" if last is None else broker_text(last.leader_epoch),
            str(story.moves),
            Text(
                f"{least}{duration_text(story.leaderless_ms)}" if story.leaderless else "",
                style="bold red" if story.is_leaderless else "yellow",
            ),
            Text(anomaly_counts(story), style="red"),
        )
    parts: list[RenderableType] = [table]
    if proves:
        for story in analysis.stories:
            parts += [
                Text(f"{story.name} {line}") for line in anomaly_lines(story.anomalies, proves=True)
            ]
    kinds = {each.kind for story in analysis.stories for each in story.anomalies}
    meanings = [
        Text(f"{kind}: {meaning}", style="dim")
        for kind, meaning in ANOMALY_MEANINGS.items()
        if kind in kinds
    ]
    surrounding = [*surrounding_lines(analysis), *unseen_lines(analysis)]
    return Screen([*parts, Text(""), *meanings, *map(Text, surrounding)])


def pretty_stories(
    analysis: "Analysis", around_ms: int | None, *, proves: bool
) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Screen

    parts: list[RenderableType] = []
    for story in analysis.stories:
        head = head_line(story, has_traces=analysis.coverage.has_traces)
        parts.append(Text(head, style="bold"))
        if around_ms is not None:
            parts.append(Text(answer_line(story, around_ms), style="green"))
        parts.append(leaderships_table(story, around_ms, proves=proves))
        parts += [
            Text(line, style="dim" if line.startswith("    ") else "red")
            for line in anomaly_lines(story.anomalies, proves=True)
        ]
        parts += [Text(f"not in these logs: {line}", style="dim") for line in story.hidden]
        parts.append(Text(""))
    return Screen([*parts, *map(Text, surrounding_lines(analysis))])


def leaderships_table(story: Story, around_ms: int | None, *, proves: bool) -> "FittedTable":
    from rich.text import Text

    from kadmin.render.tables import FittedTable

    now = None if around_ms is None else story.at(around_ms)
    table = FittedTable("since", "leader")
    table.add_column("epoch", worth=1)
    table.add_column("ISR", worth=3)
    table.add_column("controller", worth=2)
    table.add_column("why", least=24)
    for each in shown_leaderships(story, around_ms):
        style = REASON_STYLES.get(each.reason, "")
        table.add_row(
            Text(log_time(each.since_ms)),
            Text(leader_text(each), style="bold"),
            broker_text(each.leader_epoch),
            isr_text(each),
            decided_text(each),
            why_cell(each, style, proves=proves),
            style="reverse" if each is now else None,
        )
    return table


def why_cell(each: Leadership, style: str, *, proves: bool) -> "Text":
    from rich.text import Text

    cell = Text(why_text(each), style=style)
    delays = delay_line(each)
    if proves:
        if delays is not None:
            cell.append(f"\n{delays}", style="dim")
        for line in each.proof:
            cell.append(f"\n{proof_line(line)}", style="dim")
    return cell
