"""A saved cluster on one screen: how many of what, how loaded are its brokers, what is wrong?"""

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.health import BAD_FINDINGS, Finding, judge_loads, judge_topic
from kadmin.snapshots.saved import SavedCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSummary:
    """A broker; *size_bytes* is None where it did not return its log directories."""

    broker: BrokerId
    is_live: bool
    rack: str | None
    addresses: tuple[str, ...]
    leaders: int
    replicas: int
    size_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSummary:
    """What is in a saved cluster; *findings* are the partitions with which something is wrong."""

    saved: SavedCluster
    brokers: tuple[BrokerSummary, ...]
    partition_count: int
    replica_count: int
    findings: Mapping[Finding, tuple[TopicPartition, ...]]


def summary_of(saved: SavedCluster, default_min_isr: int = 1) -> SnapshotSummary:
    cluster = saved.cluster
    findings: dict[Finding, list[TopicPartition]] = {}
    for topic in cluster.topics.values():
        for view in judge_topic(cluster, topic, default_min_isr):
            for finding in view.findings:
                if finding in BAD_FINDINGS:
                    partition = TopicPartition(view.topic, view.partition)
                    findings.setdefault(finding, []).append(partition)
    brokers = tuple(
        BrokerSummary(
            broker=broker,
            is_live=broker in cluster.live,
            rack=None if broker not in cluster.brokers else cluster.brokers[broker].rack,
            addresses=()
            if broker not in cluster.brokers
            else tuple(map(str, cluster.brokers[broker].endpoints)),
            leaders=load.leaders,
            replicas=load.replicas,
            size_bytes=size_of(saved, broker),
        )
        for broker, load in judge_loads(cluster).items()
    )
    return SnapshotSummary(
        saved=saved,
        brokers=brokers,
        partition_count=saved.partition_count,
        replica_count=sum(each.replicas for each in brokers),
        findings={each: tuple(findings[each]) for each in Finding if each in findings},
    )


def size_of(saved: SavedCluster, broker: BrokerId) -> int | None:
    if broker not in saved.log_dirs:
        return None
    return sum(
        replica.size_bytes for directory in saved.log_dirs[broker] for replica in directory.replicas
    )
