"""DescribeLogDirs: returns the log directories of this broker, and the sizes of their logs.

Source: Kafka's ReplicaManager.describeLogDirs.
"""

from collections.abc import Collection, Generator, Mapping
from typing import Final, cast

from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.partitions import Partitions
from cluster.model.error_codes import ErrorCode
from cluster.storage.directories.log_directory import LogDirectory
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

NAMED_AT_ONCE: Final = 1000
"""How many partitions are looked up in one step."""


def handle(
    ports: Ports,
    partitions: Partitions,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    """Describe all directories, each with its requested partitions."""
    reply.in_turns(answer(ports, partitions, cast(DescribeLogDirsRequest, request.body)))


def answer(ports: Ports, partitions: Partitions, body: DescribeLogDirsRequest) -> Steps:
    asked: dict[str, set[int]] | None = None
    if body.topics is not None:
        asked = {}
        for topic in body.topics:
            numbers = asked.setdefault(topic.topic, set())
            # A partition may be named a million times: that costs next to nothing, and counts once.
            for start in range(0, len(topic.partitions), NAMED_AT_ONCE):
                numbers.update(topic.partitions[start : start + NAMED_AT_ONCE])
                yield
            yield
    results: list[DescribeLogDirsResult] = []
    for directory in ports.logs.directories:
        results.append((yield from described(ports, partitions, directory, asked)))
    return DescribeLogDirsResponse(results=results)


def described(
    ports: Ports,
    partitions: Partitions,
    directory: LogDirectory,
    asked: Mapping[str, Collection[int]] | None,
) -> Generator[None, None, DescribeLogDirsResult]:
    if directory.health.failure is not None:
        return DescribeLogDirsResult(ErrorCode.KAFKA_STORAGE_ERROR, directory.path)
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    for partition, log in tuple(directory.logs.items()):
        yield
        if asked is None or partition.partition in asked.get(partition.topic, ()):
            hosted = partitions.find(partition)
            # As far as this broker knows; its own high watermark counts where it leads.
            committed = log.log_end_offset if hosted is None else hosted.replica.high_watermark
            lag = max(0, committed - log.log_end_offset)
            topics.setdefault(partition.topic, []).append(
                DescribeLogDirsPartition(partition.partition, log.size, lag)
            )
    for partition, copy in tuple(directory.futures.items()):
        yield
        if asked is None or partition.partition in asked.get(partition.topic, ()):
            copied = ports.logs.log(partition)
            end_offset = copy.log_end_offset if copied is None else copied.log_end_offset
            lag = max(0, end_offset - copy.log_end_offset)
            topics.setdefault(partition.topic, []).append(
                DescribeLogDirsPartition(partition.partition, copy.size, lag, True)
            )
    space = ports.disks.space(directory.path)
    return DescribeLogDirsResult(
        ErrorCode.NONE,
        directory.path,
        tuple(DescribeLogDirsTopic(topic, parts) for topic, parts in topics.items()),
        space.total_size,
        space.usable_size,
    )
