"""Stories of partitions: how is it said who led when, decided by whom, and why it moved?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kadmin.render.merge_logs.story_body import analysis_body
from kadmin.render.merge_logs.story_tables import pretty_overview, pretty_stories
from kadmin.render.merge_logs.story_words import (
    anomaly_counts,
    anomaly_lines,
    answer_line,
    broker_text,
    decided_text,
    head_line,
    isr_text,
    leader_text,
    proof_line,
    shown_leaderships,
    surrounding_lines,
    unseen_lines,
    why_text,
)
from kadmin.render.output import Document
from kadmin.story.values import Leadership, Story
from kadmin.wording import log_time

if TYPE_CHECKING:
    from kadmin.jobs.story.tell import Analysis

SCHEMA: Final = "kadmin.merge-logs.analysis/1"

PARTITION_COLUMNS: Final = (
    *("topic", "partition", "leader", "leader_epoch", "moves", "leadership_count"),
    *("leaderless_ms", "is_leaderless", "anomalies", "incarnation", "ended"),
)

LEADERSHIP_COLUMNS: Final = (
    *("topic", "partition", "since", "until", "before", "leader", "leader_epoch", "isr"),
    *("controller_id", "controller_epoch", "reason", "is_decided", "incarnation"),
)


def analysis_document(analysis: "Analysis", *, proves: bool) -> Document:
    """Return all partitions, the worst first; *proves*: with the lines of the anomalies in a
    text."""
    return Document(
        schema=SCHEMA,
        body=lambda: analysis_body(analysis),
        columns=PARTITION_COLUMNS,
        rows=lambda: map(partition_row, analysis.stories),
        lines=lambda: overview_lines(analysis, proves=proves),
        pretty=lambda: pretty_overview(analysis, proves=proves),
    )


def story_document(analysis: "Analysis", around_ms: int | None, *, proves: bool) -> Document:
    """Return each partition in full, or what was around a time; *proves* as in
    `analysis_document`."""
    return Document(
        schema=SCHEMA,
        body=lambda: analysis_body(analysis),
        columns=LEADERSHIP_COLUMNS,
        rows=lambda: (
            leadership_row(story, each) for story in analysis.stories for each in story.leaderships
        ),
        lines=lambda: full_lines(analysis, around_ms, proves=proves),
        pretty=lambda: pretty_stories(analysis, around_ms, proves=proves),
    )


# What rows say.


def partition_row(story: Story) -> tuple[object, ...]:
    last = story.leaderships[-1] if story.leaderships else None
    return (
        story.topic,
        story.partition,
        None if last is None else last.leader,
        None if last is None else last.leader_epoch,
        story.moves,
        len(story.leaderships),
        story.leaderless_ms,
        "true" if story.is_leaderless else "false",
        anomaly_counts(story),
        story.incarnation,
        None if story.ended_ms is None else log_time(story.ended_ms),
    )


def leadership_row(story: Story, each: Leadership) -> tuple[object, ...]:
    return (
        story.topic,
        story.partition,
        log_time(each.since_ms),
        None if each.until_ms is None else log_time(each.until_ms),
        each.before,
        each.leader,
        each.leader_epoch,
        isr_text(each),
        each.controller_id,
        each.controller_epoch,
        str(each.reason),
        "true" if each.is_decided else "false",
        story.incarnation,
    )


# Text for pipes.


def full_lines(analysis: "Analysis", around_ms: int | None, *, proves: bool) -> Iterator[str]:
    for story in analysis.stories:
        yield head_line(story, has_traces=analysis.coverage.has_traces)
        if around_ms is not None:
            yield answer_line(story, around_ms)
        for each in shown_leaderships(story, around_ms):
            yield "  " + event_line(story, each)
            if proves:
                yield from (f"      {proof_line(line)}" for line in each.proof)
        yield from (f"  {line}" for line in anomaly_lines(story.anomalies, proves=True))
        yield from (f"  not in these logs: {line}" for line in story.hidden)
    yield from surrounding_lines(analysis)


def event_line(story: Story, each: Leadership) -> str:
    epoch = broker_text(each.leader_epoch)
    return (
        f"{log_time(each.since_ms)} {story.name} {leader_text(each)} epoch {epoch} "
        f"ISR {isr_text(each)} controller {decided_text(each)}: {why_text(each)}"
    )


def overview_lines(analysis: "Analysis", *, proves: bool) -> Iterator[str]:
    for story in analysis.stories:
        counts = anomaly_counts(story)
        head = head_line(story, has_traces=analysis.coverage.has_traces)
        yield head + (f"  {counts}" if counts else "")
        if proves:
            yield from (f"  {line}" for line in anomaly_lines(story.anomalies, proves=True))
    yield from surrounding_lines(analysis)
    yield from unseen_lines(analysis)


# A line an event.


def brief_document(analysis: "Analysis", *, proves: bool) -> Document:
    """Return all events of all partitions in one order of time; *proves*: each with its lines."""
    return Document(
        schema=SCHEMA,
        body=lambda: analysis_body(analysis),
        columns=LEADERSHIP_COLUMNS,
        rows=lambda: (leadership_row(story, each) for story, each in brief_events(analysis)),
        lines=lambda: brief_lines(analysis, proves=proves),
    )


def brief_events(analysis: "Analysis") -> list[tuple[Story, Leadership]]:
    """Sort events by time; of one time by name, and of one partition by leader epoch."""
    events = [(story, each) for story in analysis.stories for each in story.leaderships]
    return sorted(events, key=lambda each: (each[1].since_ms, each[0].topic, each[0].partition))


def brief_lines(analysis: "Analysis", *, proves: bool) -> Iterator[str]:
    for story, each in brief_events(analysis):
        yield event_line(story, each)
        if proves:
            yield from (f"    {proof_line(line)}" for line in each.proof)
