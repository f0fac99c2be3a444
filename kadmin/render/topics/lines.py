"""A report on topics in Kafka's own lines: those of 2.8's `kafka-topics --zookeeper --describe`,
with what 3.9's and later ones append where brokers list eligible leaders."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, EligibleLeaders, TopicSnapshot
from kadmin.plan.health import PartitionView
from kadmin.render.visible import visible
from kadmin.reports.topics import ClusterReport

MARKED_FIELD: Final = "\tMarkedForDeletion: true"


def describe_lines(report: ClusterReport) -> Iterator[str]:
    for item in report.topics:
        if not report.is_filtered:
            yield topic_line(item.topic)
        if not report.is_overrides_only:
            suffix = MARKED_FIELD if item.topic.is_marked_for_deletion else ""
            for view in item.partitions:
                eligible = eligible_in(report.snapshot, view)
                yield partition_line(view) + eligible_fields(eligible) + suffix


def topic_line(topic: TopicSnapshot) -> str:
    fields = [f"Topic: {topic.name}"]
    if topic.assignment.topic_id is not None:
        fields.append(f"TopicId: {topic.assignment.topic_id}")
    fields.append(f"PartitionCount: {len(topic.assignment.partitions)}")
    fields.append(f"ReplicationFactor: {replication_factor(topic)}")
    fields.append("Configs: " + config_text(topic.config.values))
    if topic.is_marked_for_deletion:
        return "\t".join(fields) + MARKED_FIELD
    return "\t".join(fields)


def partition_line(view: PartitionView) -> str:
    leader = view.leader
    return (
        f"\tTopic: {view.topic}\tPartition: {view.partition}"
        f"\tLeader: {'none' if leader is None else leader}"
        f"\tReplicas: {comma_list(view.assignment.replicas)}\tIsr: {comma_list(view.isr)}"
    )


def eligible_fields(eligible: EligibleLeaders | None) -> str:
    if eligible is None:
        return ""
    last_known = comma_list(eligible.last_known)
    return f"\tElr: {comma_list(eligible.leaders)}\tLastKnownElr: {last_known}"


def eligible_in(snapshot: ClusterSnapshot, view: PartitionView) -> EligibleLeaders | None:
    """Return the eligible leaders of a partition; None where they are unknown."""
    return snapshot.eligible.get(TopicPartition(view.topic, view.partition))


@lru_cache(maxsize=10_000)  # Few lists, each of many partitions.
def comma_list(brokers: tuple[BrokerId, ...]) -> str:
    return ",".join(map(str, brokers))


def config_text(values: Mapping[str, str]) -> str:
    return visible(",".join(f"{key}={value}" for key, value in values.items()))


def replication_factor(topic: TopicSnapshot) -> int:
    """Return the lowest partition's, without the replicas that a reassignment is adding; 0 for
    none."""
    for partition in topic.assignment.partitions.values():
        return len(set(partition.origin))
    return 0
