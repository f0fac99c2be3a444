"""Offsets of groups in ZooKeeper, where consumers of Kafka 0.8 keep them.

The last write wins: there are neither members nor generations.

Source: Kafka's KafkaZkClient.setOrCreateConsumerOffset and getConsumerOffset.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from cluster.coordination.transaction import ATTEMPTS_MAX
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import MATCH_ANY, TopicPartition
from cluster.zk import paths
from cluster.zk.consumers import decode_consumer_offset, encode_consumer_offset
from cluster.zk.requests import Create, Exists, Multi, MultiFailed, Operation, SetData
from cluster.zk.steps import Steps, read, read_each, write_each

NODE_NAME: Final = re.compile(r"(?!\.{1,2}\Z)[^/\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff]+")
"""What ZooKeeper takes as the name of a node."""


def can_keep(group: str) -> bool:
    """Whether there can be a znode for *group*, which clients may name as they like."""
    return NODE_NAME.fullmatch(group) is not None


def write_offsets(group: str, offsets: Mapping[TopicPartition, int]) -> Steps[ApiError]:
    """Keep *offsets*; the nodes above them are made where they are missing."""
    left = {
        paths.consumer_offset(group, partition): encode_consumer_offset(offset)
        for partition, offset in offsets.items()
    }
    parents = parents_of(left)
    for _ in range(ATTEMPTS_MAX):
        left = yield from written(
            {path: SetData(path, data, MATCH_ANY) for path, data in left.items()}, left
        )
        if not left:
            return ApiError()
        there = yield from read(map(Exists, parents))
        missing = [path for path, is_there in zip(parents, there, strict=True) if not is_there]
        # Others may create or delete any of them meanwhile: then the next attempt reads anew.
        yield from write_each(Multi((Create(path),)) for path in missing)
        left = yield from written({path: Create(path, data) for path, data in left.items()}, left)
        if not left:
            return ApiError()
    return ApiError(ErrorCode.REQUEST_TIMED_OUT, "Others delete the same without a pause.")


def written(
    operations: Mapping[str, Operation], data: Mapping[str, bytes]
) -> Steps[dict[str, bytes]]:
    """Make each of *operations*, and return the *data* of those that could not be made."""
    replies = yield from write_each(Multi((operation,)) for operation in operations.values())
    return {
        path: data[path]
        for path, reply in zip(operations, replies, strict=True)
        if isinstance(reply, MultiFailed)
    }


def parents_of(nodes: Iterable[str]) -> list[str]:
    """All nodes above *nodes*, parents before children."""
    parents: set[str] = set()
    for path in nodes:
        while (path := path.rpartition("/")[0]) and path not in parents:
            parents.add(path)
    return sorted(parents)


def read_offsets(
    group: str, partitions: Iterable[TopicPartition]
) -> Steps[Mapping[TopicPartition, int | ApiError]]:
    """The offsets of *partitions*, those that there are; the error where one is damaged."""
    partitions = tuple(partitions)
    nodes = yield from read_each(paths.consumer_offset(group, one) for one in partitions)
    found: dict[TopicPartition, int | ApiError] = {}
    for partition, node in zip(partitions, nodes, strict=True):
        if node is None:
            continue
        try:
            found[partition] = decode_consumer_offset(node)
        except CorruptZnodeError as error:
            found[partition] = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error))
    return found
