"""The flat path of produce: the usual request of one batch, answered in two functions.

A producer sends the same bytes in front of its records again and again, and a batch differs from
the one before in little that matters to a log.  So the beginnings of requests are remembered with
what they mean and with the answer's fixed parts, and a batch about which nothing is unusual is
checked by one condition.  That saves half of the CPU that a small request costs.

Nothing is decided here.  Whatever is not as usual makes the path decline, before it has changed
anything, and the request goes the plain way (`cluster.api.produce`): other versions, several
partitions, acks=0, followers that acks=all waits for, compression, transactions, retries and gaps
of idempotent producers, LogAppendTime, bounds of `message.timestamp.before.max.ms`, a first batch
of a segment or of an epoch, a segment or an index that is full, a flush that `flush.messages`
wants, records that take long to look at or whose times are not as the header says, everything that
is refused.  What holds:

* answers, bytes on the disk and what stands in memory are those of the plain way, to the last
  attribute: `tests/cluster/api/test_flat_produce.py` compares them after random requests;
* records are looked at by the plain way's own function (`validation.check_at_once`);
* the partition, its leader and its configs are asked for with each request: what is remembered is
  of the bytes of a request alone;
* what is remembered is bounded, in number and in size, for all connections together.

It reaches into logs and segments, whose `append` and `adopt` it repeats.  Whoever wants to be rid
of it deletes this module, its test, and what names `flat_produce` in `cluster.runtime`: nothing
will be answered in another way.
"""

import struct
from collections.abc import Callable
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias, cast

from crc32c import crc32c

from cluster.broker.appending import LEADER_ACKS, NO_ERROR, refused
from cluster.broker.broker import Broker
from cluster.broker.delayed_produce import ALL_ACKS
from cluster.broker.handling import Steps, run
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import ClusterError
from cluster.model.record_batch import (
    CURRENT_MAGIC,
    HEADER_LAYOUT,
    HEADER_SIZE,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    PREFIX_SIZE,
    STAMP_LAYOUT,
    BatchHeader,
)
from cluster.storage.errors import KafkaStorageError
from cluster.storage.log import PartitionLog
from cluster.storage.log_config import NO_BOUND
from cluster.storage.offset_index import RELATIVE_OFFSET_MAX
from cluster.storage.segment import BOUNDARIES_MAX
from cluster.storage.validation import check_at_once
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

FlatProduce: TypeAlias = Callable[[memoryview], bytes | None]
"""Answers the request in a frame, or has changed nothing and returns None."""

PREFIXES_MAX: Final = 4096
"""How many beginnings of requests are remembered, with at most 2 KiB each."""
LEARNED_OF: Final = 64
"""Of so many unknown beginnings one takes the place of an old one, when there is no other."""

DECLINED: Final = -1
NO_TAGS: Final = b"\0\0\0"
"""What stands behind the records in flexible versions: of the partition, topic and request."""

_HEAD: Final = Struct(">ii")
"""API key and version as one number, which is the version (Produce has key 0); correlation id."""
_SIZE: Final = Struct(">i")
_SEALED_AT: Final = 21
_CLIENT_ID_AT: Final = 8
"""In a request: where its length stands, of which the second byte is enough."""
_MARK: Final = -0x0101010101010102
"""Three of it in a row are in no answer: its bytes are not UTF-8."""
_MARKS: Final = struct.pack(">3q", _MARK, _MARK, _MARK)
_BEHIND_PREFIX: Final = 4
"""Bytes behind the prefix of a request without records: their size, and in flexible versions the
tags."""

_new: Final = tuple.__new__


def flexible_records(frame: memoryview, at: int) -> memoryview | None:
    """The records whose size stands at *at*, up to 2 MB; None if anything but tags follows them."""
    size = frame[at]
    start = at + 1
    shift = 7
    while size >> shift:
        if shift == 21:
            return None
        size += (frame[start] << shift) - (1 << shift)
        start += 1
        shift += 7
    end = start + size - 1
    return (
        frame[start:end] if end >= start + HEADER_SIZE and bytes(frame[end:]) == NO_TAGS else None
    )


def plain_records(frame: memoryview, at: int) -> memoryview | None:
    """The records whose size stands at *at*; None if anything follows them."""
    (size,) = _SIZE.unpack_from(frame, at)
    start = at + _SIZE.size
    return frame[start:] if size >= HEADER_SIZE and start + size == len(frame) else None


class Layout(NamedTuple):
    """Where the prefix of a version's requests ends, behind the partition's index, and what then
    follows.
    """

    topic_at: int
    """The last byte of the length of the topic's name, as if the client id were empty."""
    behind_topic: int
    """From there to the end of the prefix, as if that byte were 0."""
    records_of: Callable[[memoryview, int], memoryview | None]


PLAIN: Final = Layout(23, 9, plain_records)
FLEXIBLE: Final = Layout(19, 5, flexible_records)
LAYOUTS: Final = {version: PLAIN if version < 9 else FLEXIBLE for version in range(5, 12)}


class Target(NamedTuple):
    """What a prefix means, and the parts of the answer that are always the same."""

    topic: str
    partition: int
    acks: int
    pack: Callable[..., bytes]
    size: int
    head: bytes
    tail: bytes


class Form(NamedTuple):
    """A `Layout`, and what is remembered of requests that have it."""

    topic_at: int
    behind_topic: int
    records_of: Callable[[memoryview, int], memoryview | None]
    targets: dict[bytes, Target]


ONE_PARTITION: Final = {ApiKey.PRODUCE: 2}
"""How many elements there are: a topic and a partition; of a frame with a million no more is read.
"""

UNUSUAL: Final = Target("", 0, 0, bytes, 0, b"", b"")
"""Of a prefix that always goes the plain way."""


def flat_produce(broker: Broker) -> FlatProduce | None:
    """The flat path of *broker*; None where requests need somebody's permission."""
    return None if broker.ports.authorizer is not None else Prefixes(broker).answer


class Prefixes:
    """The beginnings of produce requests that are remembered, by version."""

    def __init__(self, broker: Broker) -> None:
        self._led = broker.partitions.led
        self._now_ms = broker.ports.clock.now_ms
        self._forms = {version: Form(*layout, {}) for version, layout in LAYOUTS.items()}
        self._unknown_count = 0

    def answer(self, frame: memoryview) -> bytes | None:
        try:
            version, correlation_id = _HEAD.unpack_from(frame)
            form = self._forms.get(version)
            if form is None:
                return None
            topic_at, behind_topic, records_of, targets = form
            at = topic_at + frame[_CLIENT_ID_AT + 1]
            at += frame[at] + behind_topic
            prefix = bytes(frame[_CLIENT_ID_AT:at])
            records = records_of(frame, at)
            if records is None:
                return None
            target = targets.get(prefix) or self._learned(frame, version, prefix)
            topic, index, acks, pack, answer_size, answer_head, answer_tail = target
        except (IndexError, struct.error):
            return None
        if target is UNUSUAL:
            return None
        hosted = self._led(topic, index)
        if isinstance(hosted, ErrorCode):
            return None
        replica = hosted.replica
        state = replica.state
        if acks == ALL_ACKS and (replica.is_under_min_isr or not replica.commits_at_once):
            return None
        log = hosted.log
        now_ms = self._now_ms()
        try:
            base_offset = append(log, records, state.leader_epoch, now_ms)
        except KafkaStorageError as error:
            answer = refused(index, error.error_code, str(error))
            return encoded(version, correlation_id, topic, answer)
        if base_offset == DECLINED:
            return None
        replica.advance_high_watermark(log.log_end_offset, len(records), now_ms)
        return pack(
            answer_size,
            correlation_id,
            answer_head,
            base_offset,
            NO_TIMESTAMP,
            log.log_start_offset,
            answer_tail,
        )

    def _learned(self, frame: memoryview, version: int, prefix: bytes) -> Target:
        """What *prefix* means, from now on; UNUSUAL also for what is not worth remembering."""
        remembered = [form.targets for form in self._forms.values()]
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
        self._forms[version].targets[prefix] = target
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
    answer_head = before[_HEAD.size :]
    layout = Struct(f">ii{len(answer_head)}sqqq{len(tail)}s")
    return Target(topic, index, body.acks, layout.pack, len(whole) - _SIZE.size, answer_head, tail)


def encoded(
    version: int, correlation_id: int, topic: str, answer: PartitionProduceResponse
) -> bytes:
    body = ProduceResponse([TopicProduceResponse(topic, [answer])])
    return joined(encode_response(ApiKey.PRODUCE, version, correlation_id, body))


def joined(buffers: Any) -> bytes:
    return b"".join(buffers)


def append(log: PartitionLog, records: memoryview, leader_epoch: int, now_ms: int) -> int:
    """Append a producer's batch as `PartitionLog.append` does, and return its base offset.

    DECLINED, with nothing changed, where anything about it is unusual.

    Raises:
        KafkaStorageError: the directory went offline.
    """
    fields = HEADER_LAYOUT.unpack_from(records)
    first, length, _, magic, crc, attributes, delta, _, max_timestamp = fields[:9]
    producer_id, producer_epoch, base_sequence, count = fields[9:]
    size = length + PREFIX_SIZE
    config = log.config
    segment = log._segments[-1]
    position = segment.size
    begun = segment._first_timestamp
    offset_index, time_index = segment.offset_index.entries, segment.time_index.entries
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
        or max_timestamp - now_ms > config.timestamp_after_max_ms
        # The segment; see `Segment.has_room`.
        or segment._config is not config
        or position == 0
        or position > config.segment_size_max - size
        or begun is None
        or begun < 0
        or max_timestamp - begun > config.segment_ms
        or offset_index.count >= offset_index.entries_max
        or time_index.count >= time_index.entries_max - 1
        or end_offset - 1 - segment.base_offset > RELATIVE_OFFSET_MAX
        # The log.
        or log.epochs.latest != leader_epoch
        or end_offset - log.recovery_point >= config.flush_messages
        or crc32c(records[_SEALED_AT:]) != crc
    ):
        return DECLINED
    header = _new(BatchHeader, fields)
    try:
        if check_at_once(records, header, config) is not None:
            return DECLINED
        if producer_id != NO_PRODUCER_ID and (
            producer_epoch < 0
            or base_sequence < 0
            or log._producers.duplicate_of(header) is not None
        ):
            return DECLINED
    except ClusterError:
        return DECLINED
    STAMP_LAYOUT.pack_into(records, 0, base_offset, length, leader_epoch)
    try:
        segment.file.write(position, records)
        segment.modified_ms = now_ms
        if segment._unindexed_size > config.index_interval_size:
            segment.adopt(position, stamped(fields, base_offset, leader_epoch))
        else:
            # What `adopt` does.
            if max_timestamp > segment.max_timestamp:
                segment.max_timestamp = max_timestamp
                segment.max_timestamp_offset = end_offset - 1
            segment._unindexed_size += size
            position += size
            segment.size = position
            boundaries = segment._boundaries
            if len(boundaries) >= BOUNDARIES_MAX and end_offset not in boundaries:
                del boundaries[next(iter(boundaries))]
            boundaries[end_offset] = position
    except OSError as error:
        raise log.health.fail(error) from error
    if producer_id != NO_PRODUCER_ID:
        log._producers.note(stamped(fields, base_offset, leader_epoch))
    log._producers.end_offset = log.log_end_offset = end_offset
    return base_offset


def stamped(fields: tuple[int, ...], base_offset: int, leader_epoch: int) -> BatchHeader:
    return _new(BatchHeader, (base_offset, fields[1], leader_epoch, *fields[3:]))
