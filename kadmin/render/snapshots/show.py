"""A saved cluster: how does it look in a ticket?"""

from collections.abc import Iterator
from typing import Final

from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.snapshots.saved import Source
from kadmin.snapshots.summary import BrokerSummary, SnapshotSummary
from kadmin.wording import abridged, amount, counted, second_text

COLUMNS: Final = ("broker", "state", "rack", "leaders", "replicas", "size_bytes", "addresses")

SOURCES: Final = {Source.ZOOKEEPER: "ZooKeeper", Source.BROKERS: "brokers"}


def snapshot_document(summary: SnapshotSummary) -> Document:
    return Document(
        schema="kadmin.snapshot.show/1",
        body=lambda: body(summary),
        columns=COLUMNS,
        rows=lambda: csv_rows(map(broker_body, summary.brokers), COLUMNS),
        lines=lambda: map(visible, lines(summary)),
    )


def body(summary: SnapshotSummary) -> dict[str, object]:
    saved = summary.saved
    controller = saved.cluster.controller
    return {
        "cluster_id": saved.cluster_id,
        "taken_at_ms": saved.taken_at_ms,
        "source": saved.source,
        "tool_version": saved.tool_version,
        "controller": None if controller is None else controller.broker_id,
        "topics": len(saved.cluster.topics),
        "partitions": summary.partition_count,
        "replicas": summary.replica_count,
        "acls": sum(map(len, saved.acls.values())),
        "groups": None if saved.groups is None else len(saved.groups),
        "brokers": list(map(broker_body, summary.brokers)),
        "findings": {
            str(finding.value): list(map(str, partitions))
            for finding, partitions in summary.findings.items()
        },
        "not_read": [fault.text for fault in saved.faults],
        "secrets_left_out": list(saved.secrets),
    }


def broker_body(broker: BrokerSummary) -> dict[str, object]:
    return {
        "broker": broker.broker,
        "state": "live" if broker.is_live else "dead",
        "rack": broker.rack,
        "leaders": broker.leaders,
        "replicas": broker.replicas,
        "size_bytes": broker.size_bytes,
        "addresses": list(broker.addresses),
    }


def lines(summary: SnapshotSummary) -> Iterator[str]:
    saved, cluster = summary.saved, summary.saved.cluster
    yield (
        f"cluster {saved.cluster_id or 'of unknown id'} at {second_text(saved.taken_at_ms)},"
        f" read from {SOURCES[saved.source]} by kadmin {saved.tool_version}"
    )
    epoch = "" if cluster.controller_epoch is None else f" (epoch {cluster.controller_epoch.epoch})"
    controller = "no controller"
    if cluster.controller is not None:
        controller = f"controller {cluster.controller.broker_id}{epoch}"
    yield (
        f"{counted(len(cluster.brokers), 'broker')}, {controller},"
        f" {counted(len(cluster.topics), 'topic')},"
        f" {counted(summary.partition_count, 'partition')},"
        f" {counted(summary.replica_count, 'replica')}, {rest(summary)}"
    )
    for finding, partitions in summary.findings.items():
        yield f"{finding.value}: {abridged(partitions)}"
    for broker in summary.brokers:
        yield broker_line(broker)
    for text in dict.fromkeys(fault.text for fault in saved.faults):
        yield f"not read: {text}"
    for secret in saved.secrets:
        yield f"left out, since it is secret: {secret}"


def rest(summary: SnapshotSummary) -> str:
    saved = summary.saved
    rules = counted(sum(map(len, saved.acls.values())), "ACL")
    entities = counted(len(saved.configs), "config")
    groups = "" if saved.groups is None else f", {counted(len(saved.groups), 'group')}"
    return f"{rules}, {entities} of brokers and clients{groups}"


def broker_line(broker: BrokerSummary) -> str:
    size = "size unknown" if broker.size_bytes is None else amount(broker.size_bytes)
    rack = "" if broker.rack is None else f", rack {broker.rack}"
    where = "dead" if not broker.is_live else " ".join(broker.addresses)
    return (
        f"broker {broker.broker}{rack}: {counted(broker.leaders, 'leader')},"
        f" {counted(broker.replicas, 'replica')}, {size}; {where}"
    )
