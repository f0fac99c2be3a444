"""A report on a cluster: which topics and partitions answer the question that was asked?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.plan.health import BAD_FINDINGS, Finding, PartitionView, judge_topic
from kadmin.wording import counted, first_listed, verb_of

LOOKED_AT: Final = BAD_FINDINGS | {Finding.REASSIGNING, Finding.RECOVERING}
ORDER: Final = {finding: number for number, finding in enumerate(Finding)}


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
    *emptiness* is a sentence with the number searched, where a filter found nothing.  *whole* is
    the report of which this one has only what is ill; None where it has all.
    """

    snapshot: ClusterSnapshot
    topics: tuple[TopicReport, ...]
    is_filtered: bool = False
    is_overrides_only: bool = False
    emptiness: str | None = None
    whole: "ClusterReport | None" = None

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
    configs of their own.
    """
    reports = []
    judged_count = 0
    for name in names:
        topic = snapshot.topics[name]
        if with_overrides and not topic.config.values:
            continue
        partitions = judge_topic(snapshot, topic, default_min_isr)
        judged_count += len(partitions)
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
        emptiness=None if reports else emptiness(only, with_overrides, judged_count, len(names)),
    )


def folded(report: ClusterReport) -> ClusterReport:
    """Return *report* without the partitions and topics that are well, the worst first.

    The same where nothing is ill: then what is well is the answer.
    """
    topics = [
        replace(item, partitions=tuple(sorted(ill, key=rank)))
        for item in report.topics
        if (ill := [view for view in item.partitions if not is_well(view)])
    ]
    if not topics:
        return report
    topics.sort(key=lambda item: rank(item.partitions[0])[0])
    return replace(report, topics=tuple(topics), whole=report)


def is_well(view: PartitionView) -> bool:
    """Return whether an operator need not look at it.

    At most, another than the preferred replica leads it, or it has more replicas than it needs.
    """
    return LOOKED_AT.isdisjoint(view.findings)


def rank(view: PartitionView) -> tuple[int, int]:
    """Return the key that sorts the worst first."""
    worst = min((ORDER[finding] for finding in view.findings), default=len(ORDER))
    return worst, view.partition


def emptiness(
    only: Finding | None, with_overrides: bool, judged_count: int, topic_count: int
) -> str | None:
    if only is not None:
        return f"none of {counted(judged_count, 'partition')}: {only}"
    if with_overrides:
        return f"none of {counted(topic_count, 'topic')} has configs of its own"
    return None


def dead_leader_warnings(report: ClusterReport) -> list[str]:
    """Return a sentence for each dead broker that partitions still name as their leader.

    The controller writes another, or none, when it learns of the death; while there is none, or it
    has a lot to do, the last one stands there.
    """
    live = report.snapshot.live
    led: dict[BrokerId, list[str]] = {}
    for item in report.topics:
        for view in item.partitions:
            leader = view.leader
            if leader is not None and leader not in live:
                led.setdefault(leader, []).append(f"{view.topic}-{view.partition}")
    return [
        f"broker {leader} is dead, and still named as the leader of"
        f" {counted(len(names), 'partition')}, which {verb_of(names, 'has')} no leader now:"
        f" {first_listed(names)}"
        for leader, names in sorted(led.items())
    ]


def refusal_warnings(report: ClusterReport) -> list[str]:
    """Return a sentence for each broker and reason for which it does not serve partitions."""
    refused: dict[tuple[BrokerId, str], list[str]] = {}
    for item in report.topics:
        for view in item.partitions:
            for broker, reason in view.refused_by.items():
                names = refused.setdefault((broker, reason), [])
                names.append(f"{view.topic}-{view.partition}")
    return [
        f"broker {broker} does not serve {first_listed(names)}: {reason}"
        for (broker, reason), names in sorted(refused.items())
    ]
