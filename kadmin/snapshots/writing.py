"""The JSON of a saved cluster: always the same order, and a line for each thing.

So two files can also be compared line by line, and one is read in pieces by other tools.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import ConfigEntity, Entity
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic import RECOVERED, PartitionAssignment, PartitionState
from kadmin.plan.acls import order_of as order_of_acl
from kadmin.plan.entity_options import order_of, parts_of
from kadmin.plan.log_dirs import LogDir, pairs
from kadmin.snapshots.saved import SavedCluster, SavedGroup

SCHEMA: Final = "kadmin.snapshot"
VERSION: Final = 1
"""Raised when a field is removed or changes its meaning; fields that come are no new version."""

JsonObject: TypeAlias = dict[str, object]

ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=dict)
"""With a mapping that is no dict as one."""


def lines_of(saved: SavedCluster) -> Iterator[str]:
    """Return the file's lines, each with its end."""
    cluster = saved.cluster
    yield "{\n"
    yield from fields_of(head_of(saved))
    yield from list_of("faults", map(fault_body, saved.faults))
    yield from list_of("brokers", map(broker_body, cluster.brokers.values()))
    yield ' "topics": [\n'
    for number, topic in enumerate(cluster.topics.values()):
        yield ",\n" if number else ""
        yield from topic_lines(topic)
    yield "\n ],\n"
    yield from list_of("moving", moving_bodies(cluster.moving))
    yield from list_of("stale_moves", moving_bodies(cluster.stale_moves))
    entities = sorted(saved.configs, key=lambda each: (each.root.kind, order_of(each)))
    yield from list_of("configs", (config_body(each, saved.configs[each]) for each in entities))
    yield from list_of("secrets_left_out", saved.secrets)
    resources = sorted(saved.acls, key=order_of_acl)
    yield from list_of(
        "acls",
        (
            {
                "resource_type": resource.resource_type,
                "name": resource.name,
                "pattern_type": resource.pattern_type,
                "principal": entry.principal,
                "permission_type": entry.permission_type,
                "operation": entry.operation,
                "host": entry.host,
            }
            for resource in resources
            for entry in saved.acls[resource]
        ),
    )
    yield from list_of("log_dirs", (log_dir_body(*each) for each in pairs(saved.log_dirs)))
    groups = saved.groups
    if groups is not None:
        bodies = (group_body(name, groups[name]) for name in sorted(groups))
        yield from list_of("groups", bodies)
    yield f' "partition_count": {saved.partition_count}\n}}\n'


def text_of(value: object) -> str:
    text = ENCODER.encode(value)
    # Half of a surrogate pair is no UTF-8; its escape is JSON's, too.
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def fields_of(fields: JsonObject) -> Iterator[str]:
    for name, value in fields.items():
        yield f" {text_of(name)}: {text_of(value)},\n"


def list_of(name: str, items: Iterable[object]) -> Iterator[str]:
    """Return the lines of a field that is a list, with an item in each."""
    yield f" {text_of(name)}: ["
    count = 0
    for count, item in enumerate(items, 1):
        yield ("\n  " if count == 1 else ",\n  ") + text_of(item)
    yield "\n ],\n" if count else "],\n"


def head_of(saved: SavedCluster) -> JsonObject:
    cluster = saved.cluster
    controller, epoch, migration = cluster.controller, cluster.controller_epoch, cluster.migration
    fields: JsonObject = {
        "schema": f"{SCHEMA}/{VERSION}",
        "tool_version": saved.tool_version,
        "taken_at_ms": saved.taken_at_ms,
        "source": saved.source,
        "cluster_id": saved.cluster_id,
        "controller": None
        if controller is None
        else {
            "broker": controller.broker_id,
            "elected_at_ms": controller.timestamp_ms,
            "kraft_controller_epoch": controller.kraft_controller_epoch,
        },
        "controller_epoch": None
        if epoch is None
        else {"epoch": epoch.epoch, "zk_version": epoch.epoch_zk_version},
    }
    if migration is not None:
        fields["migration"] = {
            "kraft_controller_id": migration.kraft_controller_id,
            "kraft_controller_epoch": migration.kraft_controller_epoch,
            "kraft_metadata_offset": migration.kraft_metadata_offset,
            "kraft_metadata_epoch": migration.kraft_metadata_epoch,
        }
    return fields | {"broker_defaults": cluster.broker_defaults.values}


def fault_body(fault: Fault) -> JsonObject:
    return {
        "thing": fault.subject.thing.name.lower(),
        "name": fault.subject.name,
        "where": fault.where,
        "zk_version": fault.version,
        "reason": fault.reason,
        "text": fault.text,
    }


def broker_body(broker: BrokerRegistration) -> JsonObject:
    body: JsonObject = {
        "broker": broker.broker_id,
        "rack": broker.rack,
        "broker_epoch": broker.broker_epoch,
        "registered_at_ms": broker.timestamp_ms,
        "registration_version": broker.version,
        "endpoints": [
            {
                "listener": endpoint.listener,
                "security_protocol": endpoint.security_protocol,
                "host": endpoint.host,
                "port": endpoint.port,
            }
            for endpoint in broker.endpoints
        ],
    }
    if broker.refused:
        body["refused"] = [
            {"topic": topic, "partition": number, "reason": reason}
            for (topic, number), reason in sorted(broker.refused.items())
        ]
    return body


def topic_lines(topic: TopicSnapshot) -> Iterator[str]:
    """Return the lines of one topic, the last without its end."""
    assignment = topic.assignment
    body = {
        "topic": topic.name,
        "topic_id": assignment.topic_id,
        "zk_version": known_version(assignment.zk_version),
        "node_version": assignment.version,
        "marked_for_deletion": topic.is_marked_for_deletion,
        "configs": topic.config.values,
    }
    yield f'  {text_of(body)[:-1]}, "partitions": ['
    states, since = topic.states, topic.leaderless_since_ms
    for index, (number, replicas) in enumerate(assignment.partitions.items()):
        yield ",\n   " if index else "\n   "
        yield text_of(partition_body(number, replicas, states.get(number), since.get(number)))
    yield "]}"


def partition_body(
    number: int,
    assignment: PartitionAssignment,
    state: PartitionState | None,
    leaderless_since_ms: int | None,
) -> JsonObject:
    body: JsonObject = {"partition": number, "replicas": assignment.replicas}
    if assignment.adding:
        body["adding"] = assignment.adding
    if assignment.removing:
        body["removing"] = assignment.removing
    if state is not None:
        body |= {
            "leader": state.leader,
            "isr": state.isr,
            "leader_epoch": state.leader_epoch,
            "controller_epoch": state.controller_epoch,
            "zk_version": known_version(state.zk_version),
        }
        if state.leader_recovery_state != RECOVERED:
            body["leader_recovery_state"] = state.leader_recovery_state
    if leaderless_since_ms is not None:
        body["leaderless_since_ms"] = leaderless_since_ms
    return body


def moving_bodies(moves: Mapping[TopicPartition, tuple[BrokerId, ...]]) -> Iterator[JsonObject]:
    for (topic, number), target in sorted(moves.items()):
        yield {"topic": topic, "partition": number, "target": target}


def config_body(entity: ConfigEntity, values: Mapping[str, str]) -> JsonObject:
    return {"entity": [part_body(part) for part in parts_of(entity)], "values": values}


def part_body(entity: Entity) -> JsonObject:
    """The name is null for the default of a kind."""
    body: JsonObject = {"kind": entity.kind, "name": entity.name}
    return body | {"raw": True} if entity.is_raw else body


def log_dir_body(broker: BrokerId, directory: LogDir) -> JsonObject:
    return {
        "broker": broker,
        "path": directory.path,
        "error_code": directory.error_code,
        "total_bytes": directory.total_bytes,
        "usable_bytes": directory.usable_bytes,
        "replicas": [
            [
                replica.partition.topic,
                replica.partition.partition,
                replica.size_bytes,
                replica.lag_records,
                *([True] if replica.is_future else []),
            ]
            for replica in directory.replicas
        ],
    }


def group_body(name: str, group: SavedGroup) -> JsonObject:
    return {
        "group": name,
        "state": group.state,
        "offsets": [[*partition, offset] for partition, offset in sorted(group.offsets.items())],
    }


def known_version(version: ZkVersion) -> int | None:
    return None if version == NEVER_READ else version
