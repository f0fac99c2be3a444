"""Stories of partitions as values: what JSON, YAML and the page of HTML have of them."""

from collections import Counter
from typing import TYPE_CHECKING

from kadmin.story.events import Line
from kadmin.story.unlogged import UNLOGGED_AT_INFO
from kadmin.story.values import Anomaly, Leadership, Story
from kadmin.wording import log_time

if TYPE_CHECKING:
    from kadmin.jobs.story.tell import Analysis


def analysis_body(analysis: "Analysis") -> dict[str, object]:
    return {
        "partitions": [story_body(story) for story in analysis.stories],
        "controllers": [
            {
                "controller_id": term.controller_id,
                "controller_epoch": term.controller_epoch,
                "first": log_time(term.first_ms),
                "last": log_time(term.last_ms),
                "lines": term.lines,
            }
            for term in analysis.coverage.terms
        ],
        "stale_controllers": [anomaly_body(each) for each in analysis.refusals],
        "clocks": [
            {
                "source": each.source,
                "reference": each.reference,
                "ahead_ms": each.ahead_ms,
                "least_ms": each.least_ms,
                "most_ms": each.most_ms,
                "orders": each.pairs,
                "corrected_by_ms": analysis.shifts_ms.get(each.source, 0),
            }
            for each in analysis.clocks
        ],
        # Where no line is read there is neither.
        "first": log_time(analysis.coverage.first_ms) if analysis.coverage.brokers else None,
        "last": log_time(analysis.coverage.last_ms) if analysis.coverage.brokers else None,
        "lines_not_understood": analysis.summary.unknown_lines,
        "has_traces": analysis.coverage.has_traces,
        "not_told": {} if analysis.coverage.has_traces else dict(UNLOGGED_AT_INFO),
        "silent_brokers": [
            {"broker": broker, "partitions": number}
            for broker, number in silent_brokers(analysis).items()
        ],
    }


def story_body(story: Story) -> dict[str, object]:
    return {
        "topic": story.topic,
        "partition": story.partition,
        "topic_id": story.topic_id,
        "incarnation": story.incarnation,
        "incarnations": story.incarnations,
        "ended": None if story.ended_ms is None else log_time(story.ended_ms),
        "replicas": list(story.replicas),
        "moves": story.moves,
        "leaderless_ms": story.leaderless_ms,
        "is_leaderless": story.is_leaderless,
        "leaderships": [leadership_body(each) for each in story.leaderships],
        "leaderless": [
            {
                "start": log_time(each.start_ms),
                "end": None if each.end_ms is None else log_time(each.end_ms),
                "proof": line_body(each.line),
            }
            for each in story.leaderless
        ],
        "anomalies": [anomaly_body(each) for each in story.anomalies],
        "hidden": list(story.hidden),
    }


def leadership_body(each: Leadership) -> dict[str, object]:
    return {
        "leader": each.leader,
        "leader_epoch": each.leader_epoch,
        "since": log_time(each.since_ms),
        "until": None if each.until_ms is None else log_time(each.until_ms),
        "before": each.before,
        "isr_left": list(each.isr_left),
        "isr_joined": list(each.isr_joined),
        "reason": str(each.reason),
        "is_decided": each.is_decided,
        "epochs_missed": each.missed,
        "controller_id": each.controller_id,
        "controller_epoch": each.controller_epoch,
        "isr": [
            {
                "isr": list(change.isr),
                "zk_version": change.zk_version,
                "time": log_time(change.line.time_ms),
            }
            for change in each.isr
        ],
        "roles": [
            {
                "broker": role.broker,
                "is_leader": role.is_leader,
                "time": log_time(role.line.time_ms),
                "delay_ms": role.delay_ms,
            }
            for role in each.roles
        ],
        "proof": [line_body(line) for line in each.proof],
    }


def anomaly_body(each: Anomaly) -> dict[str, object]:
    return {
        "kind": str(each.kind),
        "time": log_time(each.time_ms),
        "text": each.text,
        "proof": [line_body(line) for line in each.proof],
    }


def line_body(line: Line) -> dict[str, object]:
    return {
        "time": log_time(line.time_ms),
        "source": line.source,
        "file": line.file,
        "line": line.number,
        "text": line.text,
    }


def silent_brokers(analysis: "Analysis") -> dict[int, int]:
    """Return the brokers that stories name and that wrote no line, and how many partitions name
    each."""
    counts = Counter(broker for story in analysis.stories for broker in story.silent)
    return dict(sorted(counts.items()))
