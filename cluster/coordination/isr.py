"""ISR changes that leaders write to ZooKeeper themselves, as in Kafka before AlterPartition (2.7).

Source: Kafka's ReplicationUtils and ZkIsrManager.
"""

from collections.abc import Mapping
from typing import TypeAlias

from cluster.coordination.notifications import notify_isr_changes
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState
from cluster.zk import paths
from cluster.zk.requests import Multi, MultiDone, SetData
from cluster.zk.steps import Steps, read_each, write_each
from cluster.zk.topics import decode_state, encode_state

States: TypeAlias = Mapping[TopicPartition, PartitionState]


def write_isrs(states: States) -> Steps[dict[TopicPartition, PartitionState | None]]:
    """Write each of *states* over the node of its `zk_version`, and notify the controller of those
    that were written.

    Returns the stored states afterwards; None where another writer has changed the node since, or
    it is gone.  Each state is a write of its own.  After a crash before the notification the
    controller has an older version: its next write is refused, and it reads the node again.

    Raises:
        Refusal: ZooKeeper does not take a write from this client.
        CorruptZnodeError: a stored state cannot be read.
    """
    partitions = tuple(states)
    replies = yield from write_each(
        Multi((SetData(path_of(one), encode_state(states[one]), states[one].zk_version),))
        for one in partitions
    )
    written: dict[TopicPartition, PartitionState | None] = {}
    unclear: list[TopicPartition] = []
    for partition, reply in zip(partitions, replies, strict=True):
        if isinstance(reply, MultiDone):
            written[partition] = states[partition]._replace(zk_version=reply.zk_versions[0])
        else:
            unclear.append(partition)
    # A repeated write conflicts with its own version if the first one succeeded without a reply.
    nodes = yield from read_each(map(path_of, unclear))
    for partition, node in zip(unclear, nodes, strict=True):
        stored = None if node is None else decode_state(node)
        wanted = states[partition]
        is_own = stored is not None and stored == wanted._replace(zk_version=stored.zk_version)
        written[partition] = stored if is_own else None
    changed = tuple(partition for partition in partitions if written[partition] is not None)
    if changed:
        yield from notify_isr_changes(changed)
    return written


def path_of(partition: TopicPartition) -> str:
    return paths.state(partition.topic, partition.partition)
