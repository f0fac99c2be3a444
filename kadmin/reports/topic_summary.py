"""A summary of topics: size, replication, and number of unhealthy partitions of each.

Pure: a report and the sizes that brokers returned in, rows out.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.snapshot import TopicSnapshot
from kadmin.plan.health import BAD_FINDINGS, Finding, judge_topic
from kadmin.reports.topic_sizes import TopicSizes
from kadmin.reports.topics import ClusterReport


class Order(StrEnum):
    """Which topics come first; among equals, the order of names."""

    NAME = "name"
    SIZE = "size"
    PARTITIONS = "partitions"
    HEALTH = "health"
    """Those with the most partitions of which the worst was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSummary:
    """All of one topic, whichever of its partitions were asked for.

    *findings* counts the partitions with each finding.  *size_bytes* is of all replicas but
    *unsized_count*, whose sizes are not known: None where no size is, and both where no broker was
    asked.
    """

    topic: TopicSnapshot
    replicas_min: int
    replicas_max: int
    findings: Mapping[Finding, int]
    size_bytes: int | None
    unsized_count: int | None

    @property
    def partition_count(self) -> int:
        return len(self.topic.assignment.partitions)

    @property
    def is_bad(self) -> bool:
        return self.topic.is_marked_for_deletion or not BAD_FINDINGS.isdisjoint(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSummaries:
    """*rows* are those that are shown, *hidden_count* more are not; *report* has all of them."""

    report: ClusterReport
    rows: tuple[TopicSummary, ...]
    hidden_count: int


KEYS: Final[Mapping[Order, Callable[[TopicSummary], tuple[int, ...]]]] = {
    Order.NAME: lambda _: (),
    Order.SIZE: lambda row: (1 if row.size_bytes is None else -row.size_bytes,),
    Order.PARTITIONS: lambda row: (-row.partition_count,),
    Order.HEALTH: lambda row: tuple(-row.findings.get(finding, 0) for finding in Finding),
}
assert KEYS.keys() == set(Order)


def summarise(
    report: ClusterReport,
    sizes: TopicSizes | None,
    *,
    default_min_isr: int,
    order: Order = Order.NAME,
    limit: int | None = None,
) -> TopicSummaries:
    """Sum up each topic of *report*; no more than *limit* rows, None for all.

    *sizes* are None where no broker was asked.
    """
    rows = sorted(
        (summary_of(report, item.topic, sizes, default_min_isr) for item in report.topics),
        key=lambda row: (KEYS[order](row), row.topic.name),
    )
    shown = tuple(rows[:limit])
    return TopicSummaries(report=report, rows=shown, hidden_count=len(rows) - len(shown))


def summary_of(
    report: ClusterReport,
    topic: TopicSnapshot,
    sizes: TopicSizes | None,
    default_min_isr: int,
) -> TopicSummary:
    views = judge_topic(report.snapshot, topic, default_min_isr)
    counts = Counter(finding for view in views for finding in view.findings)
    replicas = [len(set(view.assignment.origin)) for view in views]
    return TopicSummary(
        topic=topic,
        replicas_min=min(replicas, default=0),
        replicas_max=max(replicas, default=0),
        findings={finding: counts[finding] for finding in Finding if counts[finding]},
        size_bytes=None if sizes is None else sizes.bytes_of(topic.name),
        unsized_count=None if sizes is None else sizes.unsized_count(topic),
    )
