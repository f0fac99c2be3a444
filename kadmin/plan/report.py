"""A report on a cluster: which topics and partitions answer the question that was asked?"""

from collections.abc import Sequence
from dataclasses import dataclass

from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.plan.health import Finding, PartitionView, judge_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicReport:
    """A topic and those of its partitions that are to be shown."""

    topic: TopicSnapshot
    partitions: tuple[PartitionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterReport:
    """The answer to a describe.

    *is_filtered*: only partitions that match are in it, and topics that have one.
    *is_overrides_only*: only topics with a config of their own, without their partitions.
    """

    snapshot: ClusterSnapshot
    topics: tuple[TopicReport, ...]
    is_filtered: bool = False
    is_overrides_only: bool = False

    @property
    def partition_count(self) -> int:
        return sum(len(report.partitions) for report in self.topics)


def report_on(
    snapshot: ClusterSnapshot,
    names: Sequence[str],
    *,
    only: Finding | None = None,
    with_overrides: bool = False,
    default_min_isr: int = 1,
) -> ClusterReport:
    """Report on the topics *names*, in their order.

    *only* keeps the partitions of which it was found; *with_overrides* keeps the topics that have
    configs of their own.  A name that the snapshot does not hold (a damaged topic) is left out.
    """
    reports = []
    for name in names:
        topic = snapshot.topics.get(name)
        if topic is None or (with_overrides and not topic.config.values):
            continue
        partitions = judge_topic(snapshot, topic, default_min_isr)
        if only is not None:
            partitions = [view for view in partitions if only in view.findings]
            if not partitions:
                continue
        reports.append(TopicReport(topic=topic, partitions=tuple(partitions)))
    return ClusterReport(
        snapshot=snapshot,
        topics=tuple(reports),
        is_filtered=only is not None,
        is_overrides_only=with_overrides,
    )
