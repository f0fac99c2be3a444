"""A report on topics, in every form."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cluster.model.ids import UNKNOWN_CONTROLLER_EPOCH
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import PartitionState
from kadmin.plan.health import PartitionView, needed_brokers
from kadmin.render.brokers import time_text
from kadmin.render.faults import fault_bodies
from kadmin.render.output import Document
from kadmin.render.topics.lines import describe_lines, eligible_in, replication_factor
from kadmin.reports.topics import ClusterReport, TopicReport

if TYPE_CHECKING:
    from rich.console import RenderableType

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
    "elr",
    "last_known_elr",
)


def describe_document(report: ClusterReport) -> Document:
    """Describe topics in the lines of Kafka 2.8's `kafka-topics --zookeeper --describe`."""
    return Document(
        schema="kadmin.topics.describe/1",
        body=lambda: describe_body(report),
        columns=DESCRIBE_COLUMNS,
        rows=lambda: describe_rows(report),
        lines=lambda: describe_lines(report),
        pretty=lambda: pretty_describe(report),
    )


def describe_body(report: ClusterReport) -> dict[str, object]:
    snapshot = report.snapshot
    controller = snapshot.controller
    return {
        "controller": None if controller is None else controller.broker_id,
        "brokers": list(snapshot.brokers),
        "topics": [
            topic_body(item, snapshot, not report.is_overrides_only) for item in report.topics
        ],
        "faults": fault_bodies(snapshot.faults),
    }


def topic_body(
    item: TopicReport, snapshot: ClusterSnapshot, with_partitions: bool
) -> dict[str, object]:
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
        body["partitions"] = [
            {
                **partition_body(view, snapshot),
                "leaderless_since": time_text(view.leaderless_since_ms),
                "needs_brokers": needed_brokers(view, snapshot.live),
                "refused_by": {str(broker): why for broker, why in view.refused_by.items()},
            }
            for view in item.partitions
        ]
    return body


def partition_body(view: PartitionView, snapshot: ClusterSnapshot) -> dict[str, object]:
    state = view.state
    eligible = eligible_in(snapshot, view)
    return {
        "partition": view.partition,
        "leader": view.leader,
        "leader_epoch": None if state is None else state.leader_epoch,
        "controller_epoch": controller_epoch_of(state),
        "preferred_leader": view.assignment.preferred_leader,
        "replicas": view.assignment.replicas,
        "isr": view.isr,
        "elr": None if eligible is None else eligible.leaders,
        "last_known_elr": None if eligible is None else eligible.last_known,
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
            body = partition_body(view, report.snapshot)
            yield (
                view.topic,
                *(
                    " ".join(map(str, value)) if isinstance(value, tuple | list) else value
                    for value in (body[column] for column in DESCRIBE_COLUMNS[1:])
                ),
            )


def pretty_describe(report: ClusterReport) -> "RenderableType":
    from kadmin.render.topics.table import describe_table

    return describe_table(report)
