"""A summary of topics: how does it look?"""

from typing import TYPE_CHECKING, Final

from kadmin.plan.health import Finding
from kadmin.render.faults import fault_bodies
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.reports.topic_summary import TopicSummaries, TopicSummary
from kadmin.wording import amount

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = (
    *("topic", "partitions", "replication_factor_min", "replication_factor_max", "size_bytes"),
    *("marked_for_deletion", *(finding.name.lower() for finding in Finding), "unsized_replicas"),
)

WELL: Final = "ok"

TABLE_ROWS_MAX: Final = 2_000
"""Above that a terminal gets plain lines, too: such a table is not readable, and it takes long."""


def summary_document(summaries: TopicSummaries) -> Document:
    """Return one row a topic; as lines, in the form of Kafka's describe lines."""
    is_long = len(summaries.rows) > TABLE_ROWS_MAX
    return Document(
        schema="kadmin.topics.summary/1",
        body=lambda: {
            "topics": [record(row) for row in summaries.rows],
            "hidden_topics": summaries.hidden_count,
            "faults": fault_bodies(summaries.report.snapshot.faults),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, summaries.rows), COLUMNS),
        lines=lambda: map(line, summaries.rows),
        pretty=None if is_long else lambda: pretty(summaries),
    )


def record(row: TopicSummary) -> dict[str, object]:
    return {
        "topic": row.topic.name,
        "partitions": row.partition_count,
        "replication_factor_min": row.replicas_min,
        "replication_factor_max": row.replicas_max,
        "size_bytes": row.size_bytes,
        "unsized_replicas": row.unsized_count,
        "marked_for_deletion": row.topic.is_marked_for_deletion,
        **{finding.name.lower(): row.findings.get(finding, 0) for finding in Finding},
    }


def line(row: TopicSummary) -> str:
    size = "unknown" if row.size_bytes is None else row.size_bytes
    return (
        f"Topic: {row.topic.name}\tPartitionCount: {row.partition_count}"
        f"\tReplicationFactor: {replication(row)}\tSizeBytes: {size}\tHealth: {health(row)}"
    )


def replication(row: TopicSummary) -> str:
    if row.replicas_min == row.replicas_max:
        return str(row.replicas_min)
    return f"{row.replicas_min}-{row.replicas_max}"


def health(row: TopicSummary) -> str:
    return ", ".join(health_words(row)) or WELL


def health_words(row: TopicSummary) -> list[str]:
    """Return how many partitions have what, worst first.

    One that has all its replicas is at min ISR because it has no more of them: that is no news.
    """
    words = [
        f"{count} {finding}"
        for finding, count in row.findings.items()
        if finding is not Finding.AT_MIN_ISR or Finding.UNDER_REPLICATED in row.findings
    ]
    if row.topic.is_marked_for_deletion:
        words.insert(0, "marked for deletion")
    return words


def pretty(summaries: TopicSummaries) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Forms, Screen, Shown, shortened, table_of
    from kadmin.render.topics.table import summary

    report = summaries.report
    if report.emptiness is not None:
        return Text(report.emptiness, "green")

    def size(row: TopicSummary) -> str:
        return "-" if row.size_bytes is None else amount(row.size_bytes)

    def health_cell(row: TopicSummary) -> Forms:
        words = health_words(row)
        style = "red" if row.is_bad else "yellow" if words else "green"
        return shortened([(word,) for word in words or [WELL]], style)

    has_sizes = any(row.size_bytes is not None for row in summaries.rows)
    table = table_of(
        summaries.rows,
        Shown("topic", lambda row: row.topic.name, least=32),
        Shown("partitions", lambda row: str(row.partition_count), right=True, worth=2),
        Shown("replicas", replication, right=True, worth=1),
        Shown("size", size, right=True, worth=3) if has_sizes else None,
        Shown("health", health_cell, least=26),
    )
    return Screen([summary(report), Text(), table])
