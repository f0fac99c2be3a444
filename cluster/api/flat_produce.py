"""The flat path of produce: the usual request of one batch, answered in two functions.

A producer sends the same bytes in front of its records again and again, and a batch differs from
the one before in little that matters to a log.  So the beginnings of requests are remembered with
what they mean and with the answer's fixed parts, and a batch about which nothing is unusual is
checked by one condition.  That saves two thirds of the CPU that a small request costs.

Nothing is decided here.  Whatever is not as usual makes the path decline, before it has changed
anything, and the request goes the plain way (`cluster.api.produce`): other versions, several
partitions, acks=0, followers that acks=all waits for, compression, transactions, retries and gaps
of idempotent producers, LogAppendTime, bounds of `message.timestamp.before.max.ms`, a first batch
of an epoch, a segment or an index that is full, a flush that `flush.messages` wants, records that
take long to look at or whose times are not as the header says, everything that is refused, and all
that comes soon after.  What holds:

* answers, bytes on the disk and what stands in memory are those of the plain way, to the last
  attribute: `tests/cluster/api/test_flat_produce.py` compares them after random requests;
* records are looked at by the plain way's own function (`validation.check_at_once`), but for one
  that is alone and as most are;
* the partition, its leader and its configs are asked for with each request: what is remembered is
  of the bytes of a request alone;
* what is remembered is bounded, in number and in size, for all connections together.

It reaches into logs and segments, whose `append` and `adopt` it repeats.  Whoever wants to be rid
of it deletes this module, its test, and what names `flat_produce` in `cluster.runtime`: nothing
will be answered in another way.
"""

import struct
from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias, cast

from crc32c import crc32c

from cluster.api.produce import NO_ERROR, refused
from cluster.broker.handling import Steps, run
from cluster.broker.ports import Clock, Ports
from cluster.broker.replica_manager.appending import ALL_ACKS, LEADER_ACKS, Refusal
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.refused_batches import RefusedBatches
from cluster.formats.indexes import RELATIVE_OFFSET_MAX
from cluster.formats.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    PREFIX_SIZE,
    STAMP_LAYOUT,
    BatchHeader,
)
from cluster.model.errors import ClusterError
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log.partition_log import PartitionLog
from cluster.storage.log_config import NO_BOUND, LogConfig
from cluster.storage.records.record_check import plain_end
from cluster.storage.records.validation import check_at_once
from cluster.storage.segments.segment import BOUNDARIES_MAX, Segment
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_request, encode_response
from cluster.wire.errors import PeerError
from cluster.wire.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from cluster.wire.varint import encode

FlatProduce: TypeAlias = Callable[[memoryview], bytes | None]
"""Answers the request in a frame, or has changed nothing and returns None."""

PREFIXES_MAX: Final = 4096
"""How many beginnings of requests are remembered, with at most 2 KiB each."""
LEARNED_OF: Final = 64
"""Of so many unknown beginnings one takes the place of an old one, when there is no other."""

DECLINED: Final = -1
TAGS_SIZE: Final = 3
"""Of what stands behind the records in flexible versions, where there are no tags: zeros, for the
partition, the topic and the request."""

_INDEX_AND_ERROR: Final = Struct(">i2x")
"""In an answer: the partition's index, and that there is no error."""
_HEAD: Final = Struct(">ii")
"""API key and version as one number, which is the version (Produce has key 0); correlation id."""
_SIZE: Final = Struct(">i")
_SEALED_AT: Final = 21
_FIELDS: Final = Struct(">qi4xbIhiqq14si")
"""The header of a batch without its leader epoch; what is about its producer is in one piece."""
NO_PRODUCER: Final = b"\xff" * 14
_BEGINNING: Final = Struct(">Q")
LONE_SIZE_MIN: Final = HEADER_SIZE + _BEGINNING.size
LONE_SIZE_MAX: Final = 8 * 1024
"""Of a batch whose record is known by its size; for each size that comes it is kept how."""
_CLIENT_ID_AT: Final = 8
"""In a request: where its length stands, of which the second byte is enough."""
_MARK: Final = -0x0101010101010102
"""Three of it in a row are in no answer: its bytes are not UTF-8."""
_MARKS: Final = struct.pack(">3q", _MARK, _MARK, _MARK)
_BEHIND_PREFIX: Final = 8
"""Bytes behind the prefix of a request without records: the partition's index, their size, and in
flexible versions the tags."""

_new: Final = tuple.__new__


def flexible_records(frame: memoryview, at: int) -> memoryview | None:
    """The records whose size stands at *at*, up to 2 MB; None if anything but tags follows them."""
    size = frame[at]
    start = at + 1
    if size >= 1 << 7:
        # Each byte tells by its highest bit that another one follows.
        size += frame[start] - 1 << 7
        start += 1
        if size >= 1 << 14:
            size += frame[start] - 1 << 14
            start += 1
            if size >= 1 << 21:
                return None
    end = start + size - 1
    if end < start + HEADER_SIZE or len(frame) != end + TAGS_SIZE:
        return None
    if frame[end] != 0 or frame[end + 1] != 0 or frame[end + 2] != 0:
        return None
    return frame[start:end]


def plain_records(frame: memoryview, at: int) -> memoryview | None:
    """The records whose size stands at *at*; None if anything follows them."""
    (size,) = _SIZE.unpack_from(frame, at)
    start = at + _SIZE.size
    return frame[start:] if size >= HEADER_SIZE and start + size == len(frame) else None


def unpacking(prefix_size: int) -> Callable[[memoryview], tuple[Any, ...]]:
    """Takes version, correlation id, prefix and the partition's index from a request."""
    return Struct(f">ii{prefix_size}si").unpack_from


class Layout(NamedTuple):
    """Where the prefix of a version's requests ends, before the partition's index, and what follows
    that.
    """

    topic_at: int
    """The last byte of the length of the topic's name, as if the client id were empty."""
    behind_topic: int
    """From there to the end of the prefix, as if that byte were 0."""
    records_of: Callable[[memoryview, int], memoryview | None]


PLAIN: Final = Layout(23, 5, plain_records)
FLEXIBLE: Final = Layout(19, 1, flexible_records)
LAYOUTS: Final = {version: PLAIN if version < 9 else FLEXIBLE for version in range(5, 12)}


class Target(NamedTuple):
    """What a prefix means, and the parts of the answer that are always the same."""

    topic: str
    acks: int
    records_of: Callable[[memoryview, int], memoryview | None]
    records_at: int
    """Where their size stands."""
    unpack: Callable[[memoryview], tuple[Any, ...]]
    """Takes the beginning of a request apart whose prefix is as long as this one."""
    pack: Callable[..., bytes]
    size: int
    head: bytes
    tail: bytes


ONE_PARTITION: Final = {ApiKey.PRODUCE: 2}
"""How many elements there are: a topic and a partition; of a frame with a million no more is read.
"""

UNUSUAL: Final = Target("", 0, plain_records, 0, unpacking(0), bytes, 0, b"", b"")
"""Of a prefix that always goes the plain way."""


def flat_produce(
    ports: Ports, partitions: Partitions, refused_batches: RefusedBatches
) -> FlatProduce | None:
    """The flat path of a broker; None where requests need somebody's permission."""
    if ports.authorizer is not None:
        return None
    return Prefixes(ports.clock, partitions, refused_batches).answer


class Prefixes:
    """The beginnings of produce requests that are remembered, by version."""

    def __init__(
        self, clock: Clock, partitions: Partitions, refused_batches: RefusedBatches
    ) -> None:
        self._led = partitions.led
        self._refused = refused_batches.by_producer
        self._now_ms = clock.now_ms
        self._wall_ms = clock.wall_ms
        self._targets: dict[int, dict[bytes, Target]] = {version: {} for version in LAYOUTS}
        self._unknown_count = 0
        self._unpack = UNUSUAL.unpack
        """As for the last request: the next one is likely to begin as it did."""

    def answer(self, frame: memoryview) -> bytes | None:
        try:
            version, correlation_id, prefix, index = self._unpack(frame)
            targets = self._targets.get(version)
            if targets is None:
                return None
            # A prefix says itself where it ends: bytes that are known are the request's prefix.
            target = targets.get(prefix)
            if target is None:
                target = self._looked_up(frame, version, targets)
                _, _, _, index = target.unpack(frame)
            topic, acks, records_of, records_at, _, pack, answer_size, head, tail = target
            records = records_of(frame, records_at)
        except (IndexError, struct.error):
            return None
        if records is None or target is UNUSUAL or self._refused:
            return None
        hosted = self._led(topic, index)
        if not isinstance(hosted, HostedPartition):
            return None
        replica = hosted.replica
        if acks == ALL_ACKS and (replica.is_under_min_isr or not replica.commits_at_once):
            return None
        log = hosted.log
        now_ms = self._now_ms()
        try:
            base_offset = append(log, records, replica.state.leader_epoch, now_ms, self._wall_ms())
        except KafkaStorageError as error:
            answer = refused(index, Refusal(error.error_code, str(error)))
            return encoded(version, correlation_id, topic, answer)
        if base_offset == DECLINED:
            return None
        replica.advance_high_watermark(log.log_end_offset, len(records), now_ms)
        return pack(
            answer_size,
            correlation_id,
            head,
            index,
            base_offset,
            NO_TIMESTAMP,
            log.log_start_offset,
            tail,
        )

    def _looked_up(self, frame: memoryview, version: int, targets: dict[bytes, Target]) -> Target:
        """What the prefix of *frame* means, found where its own lengths say that it ends."""
        topic_at, behind_topic, _ = LAYOUTS[version]
        at = topic_at + frame[_CLIENT_ID_AT + 1]
        at += frame[at] + behind_topic
        prefix = bytes(frame[_CLIENT_ID_AT:at])
        target = targets.get(prefix) or self._learned(frame, version, prefix)
        if target is not UNUSUAL:
            self._unpack = target.unpack
        return target

    def _learned(self, frame: memoryview, version: int, prefix: bytes) -> Target:
        """What *prefix* means, from now on; UNUSUAL also for what is not worth remembering."""
        remembered = list(self._targets.values())
        if sum(map(len, remembered)) >= PREFIXES_MAX:
            self._unknown_count += 1
            if self._unknown_count % LEARNED_OF != 0:
                return UNUSUAL
            fullest = max(remembered, key=len)
            del fullest[next(iter(fullest))]
        try:
            target = target_of(frame, version, prefix)
        except PeerError:
            # The plain way says what is wrong with it.
            return UNUSUAL
        self._targets[version][prefix] = target
        return target


def target_of(frame: memoryview, version: int, prefix: bytes) -> Target:
    """What *prefix* means in *frame*, by the codec.

    Raises:
        PeerError: the frame is malformed.
    """
    request = decode_request(frame, elements_max=ONE_PARTITION)
    body = cast(ProduceRequest, run(cast(Steps, request.body)))
    if body.acks not in (LEADER_ACKS, ALL_ACKS) or len(body.topic_data) != 1:
        return UNUSUAL
    ((topic, partitions),) = body.topic_data
    if len(partitions) != 1:
        return UNUSUAL
    index = partitions[0].partition_index
    without = body._replace(
        topic_data=[TopicProduceData(topic, [PartitionProduceData(index, b"")])]
    )
    again = joined(encode_request(ApiKey.PRODUCE, version, 0, request.client_id, without))
    if again[_SIZE.size + _CLIENT_ID_AT : -_BEHIND_PREFIX] != prefix:
        return UNUSUAL
    whole = encoded(
        version, 0, topic, PartitionProduceResponse(index, NO_ERROR, _MARK, _MARK, _MARK)
    )
    before, _, tail = whole.partition(_MARKS)
    head = before[_HEAD.size : -_INDEX_AND_ERROR.size]
    layout = Struct(f">ii{len(head)}s{_INDEX_AND_ERROR.format[1:]}qqq{len(tail)}s")
    return Target(
        topic=topic,
        acks=body.acks,
        records_of=LAYOUTS[version].records_of,
        records_at=_CLIENT_ID_AT + len(prefix) + _SIZE.size,
        unpack=unpacking(len(prefix)),
        pack=layout.pack,
        size=len(whole) - _SIZE.size,
        head=head,
        tail=tail,
    )


def encoded(
    version: int, correlation_id: int, topic: str, answer: PartitionProduceResponse
) -> bytes:
    body = ProduceResponse([TopicProduceResponse(topic, [answer])])
    return joined(encode_response(ApiKey.PRODUCE, version, correlation_id, body))


def joined(buffers: Any) -> bytes:
    return b"".join(buffers)


def append(
    log: PartitionLog, records: memoryview, leader_epoch: int, now_ms: int, wall_ms: int
) -> int:
    """Append a producer's batch as `PartitionLog.append` does, and return its base offset.

    DECLINED, with nothing changed, where anything about it is unusual.

    Raises:
        KafkaStorageError: the directory went offline.
    """
    first, length, magic, crc, attributes, delta, base_timestamp, max_timestamp, producer, count = (
        _FIELDS.unpack_from(records)
    )
    size = length + PREFIX_SIZE
    config = log.config
    segment = log._segments[-1]
    starts = log.epochs._starts
    base_offset = log.log_end_offset
    end_offset = base_offset + count
    if (
        # The batch; see `validation`.
        first != 0
        or size != len(records)
        or magic != CURRENT_MAGIC
        or attributes != 0
        or not 0 <= delta == count - 1
        or size > config.message_size_max
        or max_timestamp < 0
        or config.uses_log_append_time
        or config.timestamp_before_max_ms != NO_BOUND
        or max_timestamp - wall_ms > config.timestamp_after_max_ms
        # The log.
        or not has_room(segment, size, max_timestamp, end_offset - 1)
        or end_offset - log.recovery_point >= config.flush_messages
        or not starts
        or starts[-1][0] != leader_epoch
        # What takes longer.
        or crc32c(records[_SEALED_AT:]) != crc
        or not (
            (count == 1 and base_timestamp == max_timestamp and is_plain_record(records, size))
            or are_sound(records, config)
        )
        or (producer != NO_PRODUCER and not is_new(log, records))
    ):
        return DECLINED
    STAMP_LAYOUT.pack_into(records, 0, base_offset, length, leader_epoch)
    position = segment.size
    try:
        (segment._file or segment.file).write(position, records)
        segment.modified_ms = now_ms
        if position == 0 or segment._unindexed_size > config.index_interval_size:
            segment.adopt(position, header_of(records))
        else:
            adopt_unindexed(segment, position + size, size, max_timestamp, end_offset)
    except OSError as error:
        raise log.health.fail(error) from error
    producers = log._producers
    if producer != NO_PRODUCER:
        producers.note(header_of(records), now_ms)
    producers.end_offset = log.log_end_offset = end_offset
    return base_offset


def has_room(segment: Segment, size: int, max_timestamp: int, last_offset: int) -> bool:
    """Whether a batch goes into *segment*; False also where only `Segment.has_room` can tell."""
    config = segment._config
    if segment.size > 0:
        begun = segment._first_timestamp
        if begun is None or begun < 0 or max_timestamp - begun > config.segment_ms:
            return False
    offset_index, time_index = segment.offset_index, segment.time_index
    return (
        segment.size <= config.segment_size_max - size
        and offset_index.count < offset_index.entries_max
        and time_index.count < time_index.entries_max - 1
        and last_offset - segment.base_offset <= RELATIVE_OFFSET_MAX
    )


@cache
def lone_beginning(size: int) -> tuple[int, int]:
    """How a record of *size* bytes begins that has the time of its batch, no key and no headers.

    Up to its value, of the first 8 bytes: those that count, as a mask, and what they are.
    """
    for length_size, value_size in ((1, 1), (2, 1), (2, 2)):
        length = size - length_size
        value = length - 5 - value_size
        beginning = encode(2 * length) + b"\0\0\0\1" + encode(2 * value)
        if len(beginning) == length_size + 4 + value_size:
            unknown_bits = 64 - 8 * len(beginning)
            mask = (1 << 64) - (1 << unknown_bits)
            return mask, int.from_bytes(beginning) << unknown_bits
    return 0, -1


def is_plain_record(records: memoryview, size: int) -> bool:
    """Whether a batch of *size* bytes is one record of the batch's time, and sound.

    False also for what `are_sound` has to look at.
    """
    if LONE_SIZE_MIN <= size < LONE_SIZE_MAX:
        mask, beginning = lone_beginning(size - HEADER_SIZE)
        (found,) = _BEGINNING.unpack_from(records, HEADER_SIZE)
        if found & mask == beginning and records[size - 1] == 0:
            return True
    return plain_end(records, HEADER_SIZE, 0) == (size, 0)


def are_sound(records: memoryview, config: LogConfig) -> bool:
    """Whether the records are as the header says, which is soon seen."""
    try:
        return check_at_once(records, header_of(records), config) is None
    except ClusterError:
        return False


def is_new(log: PartitionLog, records: memoryview) -> bool:
    """Whether the batch is the next one of an idempotent producer, or of none."""
    header = header_of(records)
    if header.producer_id == NO_PRODUCER_ID:
        return True
    if header.producer_epoch < 0 or header.base_sequence < 0:
        return False
    try:
        return log._producers.duplicate_of(header) is None
    except ClusterError:
        return False


def header_of(records: memoryview) -> BatchHeader:
    return _new(BatchHeader, HEADER_LAYOUT.unpack_from(records))


def adopt_unindexed(
    segment: Segment, end: int, size: int, max_timestamp: int, end_offset: int
) -> None:
    """Do what `Segment.adopt` does with a batch that gets no entry in the indexes."""
    if max_timestamp > segment.max_timestamp:
        segment.max_timestamp = max_timestamp
        segment.max_timestamp_offset = end_offset - 1
    segment._unindexed_size += size
    segment.size = end
    if len(segment._boundaries) >= BOUNDARIES_MAX:
        segment.forget_oldest()
    segment._boundaries[end_offset] = end
