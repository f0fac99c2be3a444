"""The times of the records at offsets, by Fetch, as consumers get them.

Uses the requests of Kafka 0.10 and later, whose records have a time.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from kafka.errors import UnknownError
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
from kadmin.admin.wire.leaders import PASSING, ask_leaders
from kadmin.plan.groups.lag import Position

CONSUMER: Final = -1
VERSION_MIN: Final = 2

SIZE_MIN: Final = 16 * 1024
"""How many bytes of a partition are asked for at first: enough for one offset, nearly always."""
SIZE_MAX: Final = 1024**2
"""How many at most, where many groups have read so far, or where a batch is large."""
REQUEST_SIZE_MAX: Final = 8 * 1024**2
COUNT_MAX: Final = 250
"""Of how many partitions at once."""
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
    offsets: defaultdict[TopicPartition, set[int]] = defaultdict(set)
    for position in positions:
        offsets[position.partition].add(position.offset)
    answers = ask_leaders(connection, offsets, partial(fetch_times, connection, offsets), leaders)
    return {
        Position(partition, offset): time_ms
        for partition, times in answers.found.items()
        for offset, time_ms in times.items()
        if time_ms != NO_TIMESTAMP
    }


@dataclass(slots=True)
class Search:
    """What is still asked of one partition: *left* are offsets, the first one last.

    A fetch answers all offsets that its records cover.  The next one is twice as large if it was
    of use for several, and half as large if not: in all not much more is read than for each offset
    alone.
    """

    left: list[int]
    at: int = 0
    size: int = SIZE_MIN
    is_alone: bool = False
    hops: int = 0
    times: dict[int, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = self.left[-1]

    @property
    def request_count(self) -> int:
        """Of how many partitions like this a request asks.

        A broker returns nothing of a partition whose first batch is larger than what was asked
        for, unless it is alone.
        """
        return 1 if self.is_alone else min(COUNT_MAX, REQUEST_SIZE_MAX // self.size)

    def take(self, end: int, records: bytes) -> None:
        """Take the *records* from `at` on, of a log whose high watermark is *end*."""
        asked = self.at
        next_offset, times = first_times(records, asked, self.left[::-1])
        for time_ms in times:
            self.times[self.left.pop()] = time_ms
        if self.left and asked < end <= next_offset:
            self.times |= dict.fromkeys(self.left)
            self.left.clear()
        elif times:
            self.size = min(SIZE_MAX, 2 * self.size) if len(times) > 1 else self.size // 2
            self.size = max(SIZE_MIN, self.size)
            self.hops = 0
            self._go_on(next_offset)
        elif next_offset > asked and self.hops < HOPS_MAX:
            self.hops += 1
            self._go_on(next_offset)
        elif next_offset == asked and self.size < SIZE_MAX:
            self.size = SIZE_MAX
        elif next_offset == asked and not self.is_alone:
            self.is_alone = True
        else:
            self.give_up()

    def give_up(self) -> None:
        """Leave the first offset without a time."""
        self.left.pop()
        self.size, self.hops = SIZE_MIN, 0
        self._go_on(0)

    def _go_on(self, next_offset: int) -> None:
        self.is_alone = False
        if self.left:
            self.at = max(self.left[-1], next_offset)


def fetch_times(
    connection: WireConnection,
    offsets: Mapping[TopicPartition, Collection[int]],
    broker: BrokerId,
    partitions: Sequence[TopicPartition],
) -> Iterator[tuple[TopicPartition, int, Mapping[int, int | None]]]:
    searches = {each: Search(sorted(offsets[each], reverse=True)) for each in partitions}
    while searches:
        for some, size in requests(searches):
            asked = {each: searches[each].at for each in some}
            answers = {
                each: (code, end, records)
                for each, code, end, records in fetch(connection, broker, asked, size)
            }
            for each in some:
                search = searches[each]
                code, end, records = answers.get(each, (UnknownError.errno, 0, b""))
                if code in PASSING:
                    yield each, code, {}
                    del searches[each]
                    continue
                if code:
                    search.give_up()
                else:
                    search.take(end, records)
                if not search.left:
                    yield each, 0, search.times
                    del searches[each]


def requests(
    searches: Mapping[TopicPartition, Search],
) -> Iterator[tuple[list[TopicPartition], int]]:
    """Return the partitions of each request, and how many bytes of each it asks for."""
    alike: defaultdict[tuple[int, int], list[TopicPartition]] = defaultdict(list)
    for each, search in searches.items():
        alike[search.request_count, search.size].append(each)
    for (count, size), some in alike.items():
        yield from ((chunk, size) for chunk in chunks(sorted(some), count))


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


def first_times(records: bytes, at: int, offsets: Sequence[int]) -> tuple[int, list[int]]:
    """Return the offset behind what was looked at, and the time of the first record of *records*
    that is not before each of the ascending *offsets*: `NO_TIMESTAMP` where it has none.

    *records* begin at or before *at*; those that they do not cover have no time.  The last batch
    may be cut off.  Markers of transactions are no records.
    """
    position, next_offset = 0, at
    times: list[int] = []
    while position + LEGACY_SIZE_MIN[0] <= len(records):
        try:
            header = parse_header(records, position)
            batch = records[position : position + header.size]
            if len(batch) < header.size:
                break
            if not header.is_control and header.next_offset > offsets[len(times)]:
                for offset, time_ms in times_of(batch):
                    while offset >= offsets[len(times)]:
                        times.append(time_ms)
                        if len(times) == len(offsets):
                            return next_offset, times
        except CorruptBatchError:
            break
        position += header.size
        next_offset = max(next_offset, header.next_offset)
    return next_offset, times


def times_of(batch: bytes) -> Iterator[tuple[int, int]]:
    header = parse_header(batch, 0)
    if header.magic == CURRENT_MAGIC:
        yield from record_times(batch, header)
    else:
        # A message may wrap others, each of which has its own.
        yield from ((each.offset, each.timestamp) for each in records_of(batch, header))


assert SIZE_MIN > HEADER_SIZE
