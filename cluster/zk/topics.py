"""How do a topic's assignment and its partitions' states stand in ZooKeeper?

`/brokers/topics/<t>` in versions 1 (up to 2.3), 2 (2.4) and 3 (2.8); decoders ignore the number,
as Kafka's do.
"""

from typing import Final

from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.topic import NOTHING, PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk.znode import (
    INT32_MAX,
    JsonObject,
    Znode,
    extra_fields,
    integer,
    json_bytes,
    json_object,
)

ASSIGNMENT_FIELDS: Final = frozenset(
    {"version", "partitions", "topic_id", "adding_replicas", "removing_replicas"}
)
STATE_FIELDS: Final = frozenset(
    {"version", "leader", "isr", "leader_epoch", "controller_epoch", "leader_recovery_state"}
)


def decode_assignment(node: Znode) -> TopicAssignment:
    document = json_object(node)
    replicas = replica_lists(node, document, "partitions", required=True)
    adding = replica_lists(node, document, "adding_replicas")
    removing = replica_lists(node, document, "removing_replicas")
    for partition_id in (*adding, *removing):
        if partition_id not in replicas:
            raise node.corrupt(f"partition {partition_id} is being moved but has no replicas")
    topic_id = document.get("topic_id")
    if topic_id is not None and type(topic_id) is not str:
        raise node.corrupt(f"'topic_id' is not text: {topic_id!r}")
    return TopicAssignment(
        partitions={
            partition_id: PartitionAssignment(
                replicas[partition_id], adding.get(partition_id, ()), removing.get(partition_id, ())
            )
            for partition_id in sorted(replicas)
        },
        version=integer(node, document, "version", default=1),
        topic_id=topic_id,
        zk_version=node.zk_version,
        extra=extra_fields(document, ASSIGNMENT_FIELDS),
    )


def replica_lists(
    node: Znode, document: JsonObject, key: str, *, required: bool = False
) -> dict[int, tuple[BrokerId, ...]]:
    lists = document.get(key)
    if lists is None and not required:
        return {}
    if type(lists) is not dict:
        raise node.corrupt(f"'{key}' is not an object of partitions")
    result = {}
    for text, replicas in lists.items():
        if not (text.isascii() and text.isdigit() and int(text) <= INT32_MAX):
            raise node.corrupt(f"'{key}' names a partition '{text}'")
        result[int(text)] = broker_ids(node, key, replicas)
    return result


def broker_ids(node: Znode, key: str, value: object) -> tuple[BrokerId, ...]:
    if type(value) is not list:
        raise node.corrupt(f"'{key}' holds {value!r} where a list of brokers was expected")
    for broker_id in value:
        if type(broker_id) is not int or not 0 <= broker_id <= INT32_MAX:
            raise node.corrupt(f"'{key}' holds {broker_id!r} where a broker id was expected")
    return tuple(value)


def encode_assignment(assignment: TopicAssignment) -> bytes:
    """Encode in *assignment*'s own version, with the key order of a Kafka of that age."""
    partitions = assignment.partitions
    document: JsonObject = {
        "partitions": {str(number): list(part.replicas) for number, part in partitions.items()}
    }
    if assignment.topic_id is not None:
        document["topic_id"] = assignment.topic_id
    if assignment.version >= 2 or assignment.is_reassigning:
        document["adding_replicas"] = {
            str(number): list(part.adding) for number, part in partitions.items() if part.adding
        }
        document["removing_replicas"] = {
            str(number): list(part.removing) for number, part in partitions.items() if part.removing
        }
    if assignment.version == 1:
        document = {"version": 1, **document}
    else:
        document["version"] = assignment.version
    return json_bytes({**document, **assignment.extra})


def decode_state(node: Znode) -> PartitionState:
    document = json_object(node)
    try:
        leader = document["leader"]
        leader_epoch = document["leader_epoch"]
        controller_epoch = document["controller_epoch"]
        isr = document["isr"]
    except KeyError as error:
        raise node.corrupt(f"has no {error}") from None
    # This runs once a partition of the cluster: the common case takes no call.
    if type(leader) is not int or leader < -1:
        raise node.corrupt(f"'leader' is not a broker id: {leader!r}")
    if type(leader_epoch) is not int or type(controller_epoch) is not int:
        raise node.corrupt("an epoch is not an integer")
    return PartitionState(
        leader=BrokerId(leader),
        isr=broker_ids(node, "isr", isr),
        leader_epoch=LeaderEpoch(leader_epoch),
        controller_epoch=ControllerEpoch(controller_epoch),
        leader_recovery_state=document.get("leader_recovery_state", 0),
        version=document.get("version", 1),
        zk_version=node.zk_version,
        extra=NOTHING if document.keys() <= STATE_FIELDS else extra_fields(document, STATE_FIELDS),
    )


def encode_state(state: PartitionState) -> bytes:
    document: JsonObject = {
        "controller_epoch": state.controller_epoch,
        "leader": state.leader,
        "version": state.version,
        "leader_epoch": state.leader_epoch,
        "isr": list(state.isr),
    }
    if state.leader_recovery_state != 0:
        document["leader_recovery_state"] = state.leader_recovery_state
    return json_bytes({**document, **state.extra})
