"""Znodes of admin requests and notifications: codecs of those for the controller.

A topic to be deleted is only a child of `/admin/delete_topics` with null data.
"""

from typing import Final

from cluster.model.admin import LogDirEvent, PartitionList, Reassignment
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk.fields import (
    INT32_MAX,
    JsonObject,
    broker_ids,
    extra_fields,
    integer,
    json_bytes,
    json_list,
    json_object,
    shown,
    text,
)
from cluster.zk.znode import Znode

PARTITIONS_FIELDS: Final = frozenset({"version", "partitions"})
EVENT_FIELDS: Final = frozenset({"version", "broker", "event"})


def decode_reassignment(node: Znode) -> Reassignment:
    """Decode the request; if a partition is named twice the last target counts, as in Kafka.

    Only the target of each entry is kept: log directories have no place here.
    """
    document = json_object(node)
    return Reassignment(
        targets={
            topic_partition(node, entry): broker_ids(node, "'replicas'", entry.get("replicas"))
            for entry in partition_entries(node, document)
        },
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, PARTITIONS_FIELDS),
    )


def encode_reassignment(reassignment: Reassignment) -> bytes:
    entries = [
        {"topic": partition.topic, "partition": partition.partition, "replicas": replicas}
        for partition, replicas in reassignment.targets.items()
    ]
    return json_bytes(
        {"version": reassignment.version, "partitions": entries, **reassignment.extra}
    )


def decode_preferred_election(node: Znode) -> PartitionList:
    document = json_object(node)
    return PartitionList(
        partitions=tuple(
            topic_partition(node, entry) for entry in partition_entries(node, document)
        ),
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, PARTITIONS_FIELDS),
    )


def encode_preferred_election(request: PartitionList) -> bytes:
    entries = [
        {"topic": partition.topic, "partition": partition.partition}
        for partition in request.partitions
    ]
    return json_bytes({"version": request.version, "partitions": entries, **request.extra})


# A notification of changed ISRs has the very same form.
decode_isr_change: Final = decode_preferred_election
encode_isr_change: Final = encode_preferred_election


def partition_entries(node: Znode, document: JsonObject) -> list[JsonObject]:
    entries = json_list(node, document, "partitions")
    for entry in entries:
        if type(entry) is not dict:
            raise node.corrupt(f"'partitions' holds {shown(entry)}")
    return entries


def topic_partition(node: Znode, entry: JsonObject) -> TopicPartition:
    return TopicPartition(
        text(node, entry, "topic"), integer(node, entry, "partition", 0, INT32_MAX)
    )


def decode_log_dir_event(node: Znode) -> LogDirEvent:
    document = json_object(node)
    return LogDirEvent(
        broker_id=BrokerId(integer(node, document, "broker", 0)),
        event=integer(node, document, "event"),
        version=integer(node, document, "version", default=1),
        zk_version=node.zk_version,
        extra=extra_fields(document, EVENT_FIELDS),
    )


def encode_log_dir_event(event: LogDirEvent) -> bytes:
    document: JsonObject = {
        "version": event.version,
        "broker": event.broker_id,
        "event": event.event,
    }
    return json_bytes({**document, **event.extra})
