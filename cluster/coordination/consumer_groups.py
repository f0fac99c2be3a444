"""Groups of old consumers in ZooKeeper: reads of them, and writes that refuse a group with members.

A write is one transaction under a fence.  It names the version of each offset, and replaces the
node above the members' own: ZooKeeper deletes no node with children, so that a member that has
joined since makes it fail.  Otherwise the `Outcome` is not `Committed`, and nothing was written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from cluster.coordination.consumer_offsets import parents_of
from cluster.coordination.transaction import Fence, commit
from cluster.model.consumer import OldGroup
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.ids import NEVER_READ, TopicPartition
from cluster.model.outcome import Committed, Conflict, ConflictKind, Outcome
from cluster.model.topic_name import topic_name_problem
from cluster.zk import paths
from cluster.zk.consumers import (
    decode_consumer_offset,
    decode_consumer_owner,
    encode_consumer_offset,
)
from cluster.zk.requests import Create, Delete, GetChildren, GetMany, Operation, Refused, SetData
from cluster.zk.steps import (
    Steps,
    items_in,
    names_in,
    read,
    read_children,
    read_each,
    read_paths_below,
)
from cluster.zk.znode import Znode

Value = TypeVar("Value")
Faults: TypeAlias = list[CorruptZnodeError]

Change: TypeAlias = tuple[int | None, int | None]
"""An offset before and after; None for none."""

PARTITION_MAX: Final = 2**31 - 1
PARTS: Final = ("ids", "owners", "offsets")
"""What consumers make below the node of a group."""


class GroupsRead(NamedTuple):
    """The groups that there are, by name; damaged nodes are left out and are among *faults*."""

    groups: Mapping[str, OldGroup]
    faults: tuple[CorruptZnodeError, ...]


class PartitionNode(NamedTuple):
    """A node of *partition* below *root*."""

    root: str
    partition: TopicPartition
    path: str


class OffsetsRead(NamedTuple):
    """The offsets of each group that was asked for; those of damaged nodes are not known."""

    offsets: Mapping[str, Mapping[TopicPartition, int]]
    faults: tuple[CorruptZnodeError, ...]


def read_group_names() -> Steps[tuple[str, ...]]:
    """The names of all groups, sorted.

    Raises:
        Refusal: they may not be read.
    """
    return (yield from read_children(paths.CONSUMERS))


def read_groups(names: Iterable[str]) -> Steps[GroupsRead]:
    """The groups *names*, those that there are, with their members and whose each partition is."""
    by_path = {paths.consumer_group(name): name for name in names}
    faults: Faults = []
    parts = yield from read_names(by_path, faults)
    faults += [
        CorruptZnodeError(f"{path}/{part}", NEVER_READ, "no consumer makes this node")
        for path, found in parts.items()
        for part in found
        if part not in PARTS
    ]
    there = [by_path[path] for path in parts]
    ids = yield from read_names(map(paths.consumer_ids, there), faults)
    nodes = yield from read_partitions(map(paths.consumer_owners, there), faults)
    owners = yield from read_values(decode_consumer_owner, nodes, faults)
    groups = {
        name: OldGroup(
            name=name,
            consumer_ids=ids.get(paths.consumer_ids(name), ()),
            owners=owners.get(paths.consumer_owners(name), {}),
        )
        for name in there
    }
    return GroupsRead(groups, tuple(faults))


def read_group_offsets(names: Iterable[str]) -> Steps[OffsetsRead]:
    """The offsets of the groups *names*; none of one that there is not."""
    by_path = {paths.consumer_offsets(name): name for name in names}
    faults: Faults = []
    nodes = yield from read_partitions(by_path, faults)
    offsets = yield from read_values(decode_consumer_offset, nodes, faults)
    return OffsetsRead(
        {name: offsets.get(path, {}) for path, name in by_path.items()}, tuple(faults)
    )


def write_group_offsets(
    fence: Fence, group: str, changes: Mapping[TopicPartition, Change]
) -> Steps[Outcome]:
    """Make *changes* of the offsets of *group*, unless one is not what it is changed from."""
    where = {paths.consumer_offset(group, each): change for each, change in changes.items()}
    if not where:
        return Committed()
    nodes = yield from read_each(where)
    writes: list[Operation] = []
    for (path, (before, after)), node in zip(where.items(), nodes, strict=True):
        if value_of(node) != before:
            return Conflict(path, ConflictKind.VERSION)
        if after is None:
            assert node is not None, "an offset is deleted that there is not"
            writes.append(Delete(path, node.zk_version))
        elif node is None:
            writes.append(Create(path, encode_consumer_offset(after)))
        else:
            writes.append(SetData(path, encode_consumer_offset(after), node.zk_version))
    ids = paths.consumer_ids(group)
    above = parents_of([ids, *(one.path for one in writes if isinstance(one, Create))])
    ids_node, *above_nodes = yield from read_each([ids, *above])
    guard: list[Operation] = [Create(ids)]
    missing = [Create(path) for path, node in zip(above, above_nodes, strict=True) if node is None]
    if ids_node is not None:
        # Only a node without children is deleted: so a member that joins meanwhile is seen.
        guard = [Delete(ids, ids_node.zk_version), Create(ids, ids_node.data)]
    return (yield from commit(fence, (*missing, *guard, *writes)))


def delete_group(fence: Fence, group: str, offsets: Mapping[TopicPartition, int]) -> Steps[Outcome]:
    """Delete all that consumers make of *group*, unless its offsets are not *offsets* any more.

    A group that there is not is deleted already.
    """
    root = paths.consumer_group(group)
    parts = [f"{root}/{part}" for part in PARTS]
    below_parts = yield from read_paths_below(parts[1:])
    below_topics = yield from read_paths_below(below_parts)
    where = [*below_topics, *below_parts, *parts, root]
    there = [node for node in (yield from read_each(where)) if node is not None]
    known = {paths.consumer_offset(group, each): offset for each, offset in offsets.items()}
    for node in there:
        if node.path.startswith(f"{paths.consumer_offsets(group)}/"):
            value = value_of(node)
            if value is not None and value != known.get(node.path):
                return Conflict(node.path, ConflictKind.VERSION)
    if not there:
        return Committed()
    return (yield from commit(fence, [Delete(node.path, node.zk_version) for node in there]))


def value_of(node: Znode | None) -> int | None:
    """The offset in *node*; None for no node, or one that holds none."""
    if node is None:
        return None
    try:
        return decode_consumer_offset(node)
    except CorruptZnodeError:
        return None


def read_names(above: Iterable[str], faults: Faults) -> Steps[dict[str, tuple[str, ...]]]:
    """The names below each of the nodes *above* that there are."""
    above = tuple(above)
    replies = yield from read(map(GetChildren, above))
    found = {}
    for path, reply in zip(above, replies, strict=True):
        if isinstance(reply, Refused):
            faults.append(may_not_be_read(path))
        elif reply is not None:
            found[path] = names_in(path, reply)
    return found


def read_partitions(above: Iterable[str], faults: Faults) -> Steps[list[PartitionNode]]:
    """The nodes `TOPIC/PARTITION` below each of *above*."""
    topics: dict[str, tuple[str, str]] = {}
    for root, names in (yield from read_names(above, faults)).items():
        for topic in names:
            problem = topic_name_problem(topic)
            if problem is None:
                topics[f"{root}/{topic}"] = (root, topic)
            else:
                faults.append(CorruptZnodeError(f"{root}/{topic}", NEVER_READ, problem))
    found = []
    for path, numbers in (yield from read_names(topics, faults)).items():
        root, topic = topics[path]
        for number in numbers:
            if is_partition(number):
                partition = TopicPartition(topic, int(number))
                found.append(PartitionNode(root, partition, f"{path}/{number}"))
            else:
                reason = "its name is not the number of a partition"
                faults.append(CorruptZnodeError(f"{path}/{number}", NEVER_READ, reason))
    return found


def is_partition(name: str) -> bool:
    is_number = name.isascii() and name.isdecimal() and len(name) <= len(str(PARTITION_MAX))
    return is_number and str(int(name)) == name and int(name) <= PARTITION_MAX


def read_values(
    decode: Callable[[Znode], Value], nodes: Sequence[PartitionNode], faults: Faults
) -> Steps[dict[str, dict[TopicPartition, Value]]]:
    """What *decode* makes of *nodes*, by root and partition, in order of partition; without those
    that are gone."""

    def decoded(node: Znode) -> Value | CorruptZnodeError:
        try:
            return decode(node)
        except CorruptZnodeError as error:
            return error

    request = GetMany([each.path for each in nodes], decoded)
    (reply,) = yield from read((request,))
    items = zip(nodes, items_in(request, reply), strict=True)
    found: dict[str, dict[TopicPartition, Value]] = {}
    for node, item in sorted(items, key=lambda pair: pair[0]):
        if isinstance(item, Refused):
            faults.append(may_not_be_read(node.path))
        elif isinstance(item, CorruptZnodeError):
            faults.append(item)
        elif item is not None:
            found.setdefault(node.root, {})[node.partition] = item
    return found
