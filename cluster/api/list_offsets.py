"""ListOffsets: returns the start and end of a partition, or the offset for a timestamp.

Version 0 returns the offsets at which segments begin that are no younger than a timestamp.

Source: Kafka's ReplicaManager.fetchOffset and Partition.fetchOffsetForTimestamp; for version 0
KafkaApis.handleListOffsetRequestV0.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Final, TypeAlias, cast

from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.ports import Clock, Journal
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import DamagedSegment, LogError
from cluster.storage.log.offset_lookup import (
    FoundOffset,
    earliest,
    first_at,
    latest,
    latest_time,
    segment_starts,
)
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
FIRST_VERSIONS: Final = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""For each special timestamp the first version of the request that may have it."""

SEGMENTS_VERSION: Final = 0
NOT_AVAILABLE_VERSION: Final = 5
"""The first version with OFFSET_NOT_AVAILABLE."""
READ_COMMITTED: Final = 1
DEBUGGER: Final = -2
"""The replica id for answers from any replica, also a follower; Kafka's DEBUGGING_REPLICA_ID."""
CONSUMER: Final = -1
"""The replica id of a client; all others receive the log's end, committed or not."""


def handle(
    clock: Clock,
    journal: Journal,
    partitions: Partitions,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> None:
    body, version = cast(ListOffsetsRequest, request.body), request.api_version
    look_up_one = (
        partial(list_segments, clock, partitions, body)
        if version == SEGMENTS_VERSION
        else partial(look_up, journal, partitions, body, version)
    )
    reply.in_turns(answer(body, look_up_one))


LookUp: TypeAlias = Callable[[str, ListOffsetsPartition], ListOffsetsPartitionResponse]


def answer(body: ListOffsetsRequest, look_up_one: LookUp) -> Steps:
    """Answer for each partition, and refuse those that are named again, as Kafka does: for a
    timestamp records are read, and a repetition takes only a few bytes.
    """
    repeated = yield from named_again(body)
    topics: list[ListOffsetsTopicResponse] = []
    for topic in body.topics:
        parts: list[ListOffsetsPartitionResponse] = []
        for part in topic.partitions:
            index = part.partition_index
            if (topic.name, index) in repeated:
                parts.append(ListOffsetsPartitionResponse(index, ErrorCode.INVALID_REQUEST))
            else:
                parts.append(look_up_one(topic.name, part))
            yield
        topics.append(ListOffsetsTopicResponse(topic.name, parts))
        yield
    return ListOffsetsResponse(topics=topics)


def list_segments(
    clock: Clock,
    partitions: Partitions,
    body: ListOffsetsRequest,
    topic: str,
    part: ListOffsetsPartition,
) -> ListOffsetsPartitionResponse:
    """Return where segments begin, the latest first; in the place of those beyond it the end that
    is committed.
    """
    index = part.partition_index
    hosted = hosted_for(partitions, topic, part, body)
    if isinstance(hosted, ErrorCode):
        return ListOffsetsPartitionResponse(index, hosted)
    starts = segment_starts(hosted.log, clock.now_ms(), clock.wall_ms())
    if part.timestamp == EARLIEST:
        starts = starts[-1:]
    elif part.timestamp != LATEST:
        starts = [start for start in starts if start.modified_ms <= part.timestamp]
    offsets = [start.offset for start in starts[: max(0, part.max_num_offsets)]]
    end = hosted.replica.high_watermark
    if is_client(body) and any(offset > end for offset in offsets):
        offsets = [end, *(offset for offset in offsets if offset <= end)]
    return ListOffsetsPartitionResponse(index, old_style_offsets=offsets)


def named_again(body: ListOffsetsRequest) -> Generator[None, None, set[tuple[str, int]]]:
    """Return the partitions that *body* names more than once."""
    named: set[tuple[str, int]] = set()
    again: set[tuple[str, int]] = set()
    for topic in body.topics:
        for part in topic.partitions:
            key = (topic.name, part.partition_index)
            (again if key in named else named).add(key)
            yield
    return again


def look_up(
    journal: Journal,
    partitions: Partitions,
    body: ListOffsetsRequest,
    version: int,
    topic: str,
    part: ListOffsetsPartition,
) -> ListOffsetsPartitionResponse:
    index = part.partition_index
    if part.timestamp < 0 and not is_served(part.timestamp, version):
        return ListOffsetsPartitionResponse(index, ErrorCode.UNSUPPORTED_VERSION)
    hosted = hosted_for(partitions, topic, part, body)
    if isinstance(hosted, ErrorCode):
        return ListOffsetsPartitionResponse(index, hosted)
    try:
        found = find(hosted, part.timestamp, end_of(hosted, body))
    except LogError as error:
        return ListOffsetsPartitionResponse(index, error.error_code)
    except DamagedSegment as error:
        if hosted.log.is_news(error):
            journal.error(f"{error}; no time can be looked up there")
        return ListOffsetsPartitionResponse(index, ErrorCode.CORRUPT_MESSAGE)
    if is_client(body) and is_settling(hosted) and not is_committed(hosted, found, part.timestamp):
        return ListOffsetsPartitionResponse(
            index,
            ErrorCode.OFFSET_NOT_AVAILABLE
            if version >= NOT_AVAILABLE_VERSION
            else ErrorCode.LEADER_NOT_AVAILABLE,
        )
    if found is None:
        return ListOffsetsPartitionResponse(index)
    return ListOffsetsPartitionResponse(
        index,
        timestamp=found.timestamp,
        offset=found.offset,
        leader_epoch=found.leader_epoch,
    )


def hosted_for(
    partitions: Partitions, topic: str, part: ListOffsetsPartition, body: ListOffsetsRequest
) -> HostedPartition | ErrorCode:
    if body.replica_id == DEBUGGER:
        return partitions.hosted(topic, part.partition_index)
    return partitions.led(topic, part.partition_index, part.current_leader_epoch)


def is_served(timestamp: int, version: int) -> bool:
    return timestamp in (LATEST, EARLIEST) or version >= FIRST_VERSIONS.get(timestamp, version + 1)


def is_client(body: ListOffsetsRequest) -> bool:
    return body.replica_id == CONSUMER


def is_settling(hosted: HostedPartition) -> bool:
    """Return whether a new leader does not know yet whether all its initial records are committed.

    The leader before may have returned offsets beyond the high watermark.
    """
    return hosted.replica.high_watermark < hosted.replica.epoch_start_offset


def is_committed(hosted: HostedPartition, found: FoundOffset | None, timestamp: int) -> bool:
    """Return whether the result holds, whatever happens to the records behind the high
    watermark.
    """
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return True
    if timestamp == LATEST or found is None:
        return False
    return found.offset < hosted.replica.high_watermark


def end_of(hosted: HostedPartition, body: ListOffsetsRequest) -> int:
    """Return the partition's end for the sender of the request."""
    if not is_client(body):
        return hosted.log.log_end_offset
    high_watermark = hosted.replica.high_watermark
    if body.isolation_level == READ_COMMITTED:
        return hosted.log.last_stable_offset(high_watermark)
    return high_watermark


def find(hosted: HostedPartition, timestamp: int, end: int) -> FoundOffset | None:
    """Return the offset; None where no record is that recent, and for tiered storage, which does
    not exist.

    Raises:
        LogError, DamagedSegment
    """
    log = hosted.log
    log.health.check()
    if timestamp == LATEST:
        return latest(log, end)
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return earliest(log)
    if timestamp == MAX_TIMESTAMP:
        return latest_time(log, end)
    return None if timestamp == LATEST_TIERED else first_at(log, timestamp, end)
