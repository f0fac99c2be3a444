"""Znodes of topics: codecs of a topic's assignment and of its partitions' states.

`/brokers/topics/<t>` in versions 1 (up to 2.3), 2 (2.4 to 2.7) and 3 (2.8 and later); decoders
ignore the number, as Kafka's do.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from cluster.model.extra import NOTHING
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.topic import (
    LISTS_MAX,
    RECOVERED,
    PartitionAssignment,
    PartitionState,
    TopicAssignment,
    kept_once,
)
from cluster.zk.fields import (
    INT32_MAX,
    JsonObject,
    broker_ids,
    decimal,
    extra_fields,
    integer,
    json_bytes,
    json_map,
    json_object,
    number,
    shown,
    text,
)
from cluster.zk.znode import Znode

ASSIGNMENT_FIELDS: Final = frozenset(
    {"version", "partitions", "topic_id", "adding_replicas", "removing_replicas"}
)
STATE_FIELDS: Final = frozenset(
    {"version", "leader", "isr", "leader_epoch", "controller_epoch", "leader_recovery_state"}
)

assignment_of: Final = lru_cache(LISTS_MAX)(PartitionAssignment)
"""Returns the first of equal values: thousands of partitions share the same."""


def decode_assignment(node: Znode) -> TopicAssignment:
    document = json_object(node)
    replicas = replica_lists(node, "partitions", json_map(node, document, "partitions"))
    adding = moving_lists(node, document, "adding_replicas", replicas)
    removing = moving_lists(node, document, "removing_replicas", replicas)
    return TopicAssignment(
        partitions={
            partition_id: assignment_of(
                replicas[partition_id], adding.get(partition_id, ()), removing.get(partition_id, ())
            )
            for partition_id in sorted(replicas)
        },
        version=integer(node, document, "version", default=1),
        topic_id=text(node, document, "topic_id") if "topic_id" in document else None,
        zk_version=node.zk_version,
        extra=extra_fields(document, ASSIGNMENT_FIELDS),
    )


def replica_lists(node: Znode, key: str, lists: JsonObject) -> dict[int, tuple[BrokerId, ...]]:
    named, partition_named = f"'{key}'", f"a partition in '{key}'"
    result = {
        decimal(node, text, partition_named): broker_ids(node, named, replicas)
        for text, replicas in lists.items()
    }
    if len(result) != len(lists):
        raise node.corrupt(f"'{key}' names a partition twice")
    return result


def moving_lists(
    node: Znode, document: JsonObject, key: str, replicas: Mapping[int, tuple[BrokerId, ...]]
) -> dict[int, tuple[BrokerId, ...]]:
    """The replicas that are added or removed, which make sense only as a part of *replicas*."""
    if key not in document:
        return {}
    moving = replica_lists(node, key, json_map(node, document, key))
    for partition_id, brokers in moving.items():
        if partition_id not in replicas:
            raise node.corrupt(f"partition {partition_id} is in '{key}' but has no replicas")
        if not set(replicas[partition_id]).issuperset(brokers):
            raise node.corrupt(f"'{key}' of partition {partition_id} is no part of its replicas")
    return moving


def encode_assignment(assignment: TopicAssignment) -> bytes:
    """Encode in *assignment*'s own version, with the key order of a Kafka of that age.

    A topic id and moving replicas are written in any version: known data is never dropped.
    """
    partitions = assignment.partitions
    document: JsonObject = {
        "partitions": {str(number): part.replicas for number, part in partitions.items()}
    }
    if assignment.topic_id is not None:
        document["topic_id"] = assignment.topic_id
    if assignment.version >= 2 or assignment.is_reassigning:
        document["adding_replicas"] = {
            str(number): part.adding for number, part in partitions.items() if part.adding
        }
        document["removing_replicas"] = {
            str(number): part.removing for number, part in partitions.items() if part.removing
        }
    if assignment.version <= 2:
        document = {"version": assignment.version, **document}
    else:
        document["version"] = assignment.version
    return json_bytes({**document, **assignment.extra})


def decode_state(node: Znode) -> PartitionState:
    # This runs once for each partition of the cluster: the common path calls no function, not
    # even a NewType.
    document = json_object(node)
    leader: BrokerId | None = document.get("leader")
    if type(leader) is not int or not -1 <= leader <= INT32_MAX:
        raise node.corrupt(f"'leader' is not a broker id: {shown(leader)}")
    leader_epoch: LeaderEpoch | None = document.get("leader_epoch")
    if type(leader_epoch) is not int or not 0 <= leader_epoch <= INT32_MAX:
        raise node.corrupt(f"'leader_epoch' is not an epoch: {shown(leader_epoch)}")
    controller_epoch: ControllerEpoch | None = document.get("controller_epoch")
    if type(controller_epoch) is not int or not 0 <= controller_epoch <= INT32_MAX:
        raise node.corrupt(f"'controller_epoch' is not an epoch: {shown(controller_epoch)}")
    isr = kept_once(broker_ids(node, "'isr'", document.get("isr")))
    version = document.get("version")
    leader_recovery_state = RECOVERED
    extra = NOTHING
    if type(version) is not int or version != 1 or len(document) != 5:
        version = integer(node, document, "version", default=1)
        if "leader_recovery_state" in document:
            leader_recovery_state = number(node, document, "leader_recovery_state", 0, 1)
        extra = extra_fields(document, STATE_FIELDS)
    return PartitionState(
        leader,
        isr,
        leader_epoch,
        controller_epoch,
        leader_recovery_state,
        version,
        node.zk_version,
        extra,
    )


def encode_state(state: PartitionState) -> bytes:
    document: JsonObject = {
        "controller_epoch": state.controller_epoch,
        "leader": state.leader,
        "version": state.version,
    }
    if state.leader_recovery_state != RECOVERED:
        document["leader_recovery_state"] = state.leader_recovery_state
    document["leader_epoch"] = state.leader_epoch
    document["isr"] = state.isr
    return json_bytes({**document, **state.extra})
