"""How do requests of the admin tools stand in ZooKeeper, below `/admin`?"""

from collections.abc import Iterable, Iterator, Mapping

from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk.znode import JsonObject, Znode, broker_ids, integer, json_bytes, json_object


def decode_reassignment(node: Znode) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    """The targets that `/admin/reassign_partitions` asks for."""
    return {
        partition: broker_ids(node, "replicas", item.get("replicas"))
        for partition, item in partition_items(node)
    }


def encode_reassignment(targets: Mapping[TopicPartition, tuple[BrokerId, ...]]) -> bytes:
    """Encode *targets*; log directories have no place in this znode."""
    return json_bytes(
        {
            "version": 1,
            "partitions": [
                {
                    "topic": partition.topic,
                    "partition": partition.partition,
                    "replicas": list(replicas),
                }
                for partition, replicas in targets.items()
            ],
        }
    )


def decode_preferred_election(node: Znode) -> tuple[TopicPartition, ...]:
    return tuple(partition for partition, _ in partition_items(node))


def encode_preferred_election(partitions: Iterable[TopicPartition]) -> bytes:
    return json_bytes(
        {
            "version": 1,
            "partitions": [
                {"topic": partition.topic, "partition": partition.partition}
                for partition in partitions
            ],
        }
    )


def partition_items(node: Znode) -> Iterator[tuple[TopicPartition, JsonObject]]:
    items = json_object(node).get("partitions")
    if type(items) is not list:
        raise node.corrupt("has no list 'partitions'")
    for item in items:
        if type(item) is not dict or type(item.get("topic")) is not str:
            raise node.corrupt(f"{item!r} names no partition")
        number = integer(node, item, "partition", 0)
        yield TopicPartition(item["topic"], number), item
