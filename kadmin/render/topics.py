"""How does a report on topics look, as Kafka's own lines and as a document?"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from cluster.model.ids import UNKNOWN_CONTROLLER_EPOCH, BrokerId
from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic import PartitionState
from kadmin.plan.health import PartitionView
from kadmin.plan.report import ClusterReport, TopicReport
from kadmin.render.faults import fault_bodies
from kadmin.render.output import Document

if TYPE_CHECKING:
    from rich.console import RenderableType

MARKED_FIELD: Final = "\tMarkedForDeletion: true"
DESCRIBE_COLUMNS: Final = (
    "topic",
    "partition",
    "leader",
    "leader_epoch",
    "preferred_leader",
    "replicas",
    "isr",
    "adding_replicas",
    "removing_replicas",
    "min_isr",
    "findings",
)


def describe_document(report: ClusterReport) -> Document:
    """The lines are those of Kafka 2.8's `kafka-topics --zookeeper --describe`."""
    return Document(
        schema="kadmin.topics.describe/1",
        body=lambda: describe_body(report),
        columns=DESCRIBE_COLUMNS,
        rows=lambda: describe_rows(report),
        lines=lambda: describe_lines(report),
        pretty=lambda: pretty_describe(report),
    )


def describe_lines(report: ClusterReport) -> Iterator[str]:
    for item in report.topics:
        if not report.is_filtered:
            yield topic_line(item.topic)
        if not report.is_overrides_only:
            suffix = MARKED_FIELD if item.topic.is_marked_for_deletion else ""
            yield from (partition_line(view) + suffix for view in item.partitions)


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


@lru_cache(maxsize=10_000)  # Few lists, each of many partitions.
def comma_list(brokers: tuple[BrokerId, ...]) -> str:
    return ",".join(map(str, brokers))


def config_text(values: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in values.items())


def replication_factor(topic: TopicSnapshot) -> int:
    """The lowest partition's, without the replicas that a reassignment is adding; 0 for none."""
    for partition in topic.assignment.partitions.values():
        return len(partition.origin)
    return 0


def describe_body(report: ClusterReport) -> dict[str, object]:
    snapshot = report.snapshot
    controller = snapshot.controller
    return {
        "controller": None if controller is None else controller.broker_id,
        "brokers": list(snapshot.brokers),
        "topics": [topic_body(item, not report.is_overrides_only) for item in report.topics],
        "faults": fault_bodies(snapshot.faults),
    }


def topic_body(item: TopicReport, with_partitions: bool) -> dict[str, object]:
    topic = item.topic
    body: dict[str, object] = {
        "name": topic.name,
        "topic_id": topic.assignment.topic_id,
        "partition_count": len(topic.assignment.partitions),
        "replication_factor": replication_factor(topic),
        "configs": dict(topic.config.values),
        "internal": topic.is_internal,
        "marked_for_deletion": topic.is_marked_for_deletion,
    }
    if with_partitions:
        body["partitions"] = [partition_body(view) for view in item.partitions]
    return body


def partition_body(view: PartitionView) -> dict[str, object]:
    state = view.state
    return {
        "partition": view.partition,
        "leader": view.leader,
        "leader_epoch": None if state is None else state.leader_epoch,
        "controller_epoch": controller_epoch_of(state),
        "preferred_leader": view.assignment.preferred_leader,
        "replicas": view.assignment.replicas,
        "isr": view.isr,
        "adding_replicas": view.assignment.adding,
        "removing_replicas": view.assignment.removing,
        "min_isr": view.min_isr,
        "findings": [finding.name.lower() for finding in view.findings],
    }


def controller_epoch_of(state: PartitionState | None) -> int | None:
    if state is None or state.controller_epoch == UNKNOWN_CONTROLLER_EPOCH:
        return None
    return state.controller_epoch


def describe_rows(report: ClusterReport) -> Iterator[Sequence[object]]:
    for item in report.topics:
        for view in item.partitions:
            body = partition_body(view)
            yield (
                view.topic,
                *(
                    " ".join(map(str, value)) if isinstance(value, tuple | list) else value
                    for value in (body[column] for column in DESCRIBE_COLUMNS[1:])
                ),
            )


def pretty_describe(report: ClusterReport) -> "RenderableType":
    from kadmin.render.topics_table import describe_table

    return describe_table(report)
