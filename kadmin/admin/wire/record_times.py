"""The times of the records at offsets, by Fetch: one record of each partition, as consumers get it.

Uses the requests of Kafka 0.10 and later, whose records have a time.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from kafka.protocol.consumer import FetchRequest

from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_SIZE,
    LEGACY_SIZE_MIN,
    NO_TIMESTAMP,
    CorruptBatchError,
    parse_header,
)
from cluster.formats.records import record_times, records_of
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.coordinators import chunks
from kadmin.admin.wire.fetch_request import fetch_request
from kadmin.admin.wire.leaders import ask_leaders, leaders_of
from kadmin.plan.groups.lag import Position

CONSUMER: Final = -1
VERSION_MIN: Final = 2

LOOKS: Final = ((16 * 1024, 250), (1024**2, 8), (1024**2, 1))
"""How many bytes of a partition are asked for, and of how many partitions at once.

A broker returns nothing of a partition whose first batch is larger, unless it is alone.
"""
HOPS_MAX: Final = 10
"""So often is looked further where there are only markers of transactions."""


def read_record_times(
    connection: WireConnection,
    positions: Iterable[Position],
    leaders: Mapping[TopicPartition, BrokerId] | None = None,
) -> dict[Position, int | None]:
    """The time of the first record at or behind each of *positions*, ms since 1970, None where
    there is no record; *leaders* is as for `ask_leaders`.

    Those whose time is not known are left out: the record has none, or no leader returned it.
    """
    if not connection.serves(FetchRequest):
        return {}
    offsets: defaultdict[TopicPartition, list[int]] = defaultdict(list)
    for position in positions:
        offsets[position.partition].append(position.offset)
    found: dict[Position, int | None] = {}
    if leaders is None:
        leaders = leaders_of(connection, offsets)
    # A request has each partition once: those with several offsets come in several.
    while offsets:
        wanted = {partition: left.pop() for partition, left in offsets.items()}
        answers = ask_leaders(connection, wanted, partial(fetch_times, connection, wanted), leaders)
        for partition, time_ms in answers.told.items():
            if time_ms != NO_TIMESTAMP:
                found[Position(partition, wanted[partition])] = time_ms
        offsets = defaultdict(list, {each: left for each, left in offsets.items() if left})
    return found


def fetch_times(
    connection: WireConnection,
    offsets: Mapping[TopicPartition, int],
    broker: BrokerId,
    partitions: Sequence[TopicPartition],
) -> Iterator[tuple[TopicPartition, int, int | None]]:
    left = {partition: offsets[partition] for partition in partitions}
    for _ in range(HOPS_MAX):
        further: dict[TopicPartition, int] = {}
        for size, count in LOOKS:
            larger: dict[TopicPartition, int] = {}
            for some in chunks(sorted(left), count):
                asked = {partition: left[partition] for partition in some}
                for each, code, end, records in fetch(connection, broker, asked, size):
                    next_offset, time_ms = first_time(records, asked[each])
                    if code or time_ms is not None or asked[each] < end <= next_offset:
                        yield each, code, time_ms
                    elif next_offset > asked[each]:
                        further[each] = next_offset
                    else:
                        larger[each] = asked[each]
            left = larger
        for each in left:
            yield each, 0, NO_TIMESTAMP
        left = further
    for each in left:
        yield each, 0, NO_TIMESTAMP


def fetch(
    connection: WireConnection, broker: BrokerId, offsets: Mapping[TopicPartition, int], size: int
) -> Iterator[tuple[TopicPartition, int, int, bytes]]:
    request = fetch_request(offsets, replica_id=CONSUMER, size_max=size, version_min=VERSION_MIN)
    for topic in connection.ask(request, broker).responses:
        for part in topic.partitions:
            yield (
                TopicPartition(topic.topic, part.partition_index),
                part.error_code,
                part.high_watermark,
                bytes(part.records or b""),
            )


def first_time(records: bytes, offset: int) -> tuple[int, int | None]:
    """The offset behind what was looked at, and the time of the first record of *records* that is
    not before *offset*: None where there is none, `NO_TIMESTAMP` where it has none.

    The last batch may be cut off.  Markers of transactions are no records.
    """
    position, next_offset = 0, offset
    while position + LEGACY_SIZE_MIN[0] <= len(records):
        try:
            header = parse_header(records, position)
            batch = records[position : position + header.size]
            if len(batch) < header.size:
                break
            if not header.is_control:
                for at, time_ms in times_of(batch):
                    if at >= offset:
                        return next_offset, time_ms
        except CorruptBatchError:
            break
        position += header.size
        next_offset = max(next_offset, header.next_offset)
    return next_offset, None


def times_of(batch: bytes) -> Iterator[tuple[int, int]]:
    header = parse_header(batch, 0)
    if header.magic == CURRENT_MAGIC:
        yield from record_times(batch, header)
    else:
        # A message may wrap others, each of which has its own.
        yield from ((each.offset, each.timestamp) for each in records_of(batch, header))


assert LOOKS[0][0] > HEADER_SIZE
