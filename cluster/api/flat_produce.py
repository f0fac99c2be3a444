"""The flat path of produce: the usual request of one batch, read and answered without a codec.

A producer sends the same bytes before its records again and again.  So the beginnings of requests
are cached with their meaning and with the answer's fixed parts; the batch itself is appended as
every other one (`cluster.broker.replica_manager.appending`).

Nothing is decided here.  A request that is not the usual one takes the plain path
(`cluster.api.produce`), and nothing has changed then: other versions, several partitions, acks=0,
requests that wait, records that take long to check, and answers with the leader's address.  What
holds:

* answers are those of the plain path: `tests/cluster/api/test_flat_produce.py` compares them after
  random requests;
* the partition, its leader and its configs are looked up with each request: the cache depends on
  the bytes of a request alone;
* the cache is bounded, in number and in size, for all connections together.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, NamedTuple, cast

from cluster.api.flat_prefixes import Turnover
from cluster.api.leader_hints import HINTED_ERRORS
from cluster.api.produce import NO_ERROR, ZSTD_VERSION, is_closed, refused
from cluster.broker.handling import Steps, run
from cluster.broker.replica_manager.appending import (
    ALL_ACKS,
    LEADER_ACKS,
    Appender,
    Refusal,
    answers_at_once,
)
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.formats.record_batch import HEADER_SIZE
from cluster.model.error_codes import ErrorCode
from cluster.storage.errors import HeavyBatch
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

TAGS_SIZE: Final = 3
"""Of what stands behind the records in flexible versions."""
NO_TAGS: Final = (b"\0\0\0",)
"""None of the partition, the topic and the request."""
_tags_at: Final = Struct("3s").unpack_from

_INDEX_AND_ERROR: Final = Struct(">i2x")
"""In an answer: the partition's index, and that there is no error."""
_HEAD: Final = Struct(">ii")
"""Of an answer: its size and the correlation id."""
_SIZE: Final = Struct(">i")
_CLIENT_ID_AT: Final = 8
"""In a request: where its length stands, of which the second byte is enough."""
_MARK: Final = -0x0101010101010102
"""Three of it in a row are in no answer: its bytes are not UTF-8."""
_MARKS: Final = struct.pack(">3q", _MARK, _MARK, _MARK)
_BEHIND_PREFIX: Final = 8
"""Bytes behind the prefix of a request without records: the partition's index, their size, and in
flexible versions the tags."""


def flexible_records(frame: memoryview, at: int, word: int) -> memoryview | None:
    """Return the records whose size stands at *at*, up to 2 MB; None if anything but tags follows
    them.

    *word* has the four bytes there: seven bits of the size in each, and the highest bit is set if
    another byte follows.
    """
    # The records end where the tags begin: what the size has to be follows from that.
    end = len(frame) - TAGS_SIZE
    size = end - at
    if size < 1 << 7:
        start = at + 1
        wanted, found = size, word >> 24
    elif size <= 1 << 14:
        start = at + 2
        size -= 1
        wanted, found = (size & 0x7F | 0x80) << 8 | size >> 7, word >> 16
    else:
        start = at + 3
        size -= 2
        if size >= 1 << 21:
            return None
        wanted = (size & 0x7F | 0x80) << 16 | (size >> 7 & 0x7F | 0x80) << 8 | size >> 14
        found = word >> 8
    if found != wanted or size <= HEADER_SIZE or _tags_at(frame, end) != NO_TAGS:
        return None
    return frame[start:end]


def plain_records(frame: memoryview, at: int, word: int) -> memoryview | None:
    """Return the records whose size, *word*, stands at *at*; None if anything follows them."""
    start = at + _SIZE.size
    return frame[start:] if word >= HEADER_SIZE and start + word == len(frame) else None


def unpacking(prefix_size: int) -> Callable[[memoryview], tuple[Any, ...]]:
    """Return a function that reads correlation id, prefix and partition of a request, and the four
    bytes where the size of its records stands.
    """
    return Struct(f">4xi{prefix_size}siI").unpack_from


class Layout(NamedTuple):
    """Where the prefix of a version's requests ends, before the partition's index, and what follows
    that.
    """

    topic_at: int
    """The last byte of the length of the topic's name, as if the client id were empty."""
    behind_topic: int
    """From there to the end of the prefix, as if that byte were 0."""
    records_of: Callable[[memoryview, int, int], memoryview | None]


PLAIN: Final = Layout(23, 5, plain_records)
FLEXIBLE: Final = Layout(19, 1, flexible_records)
LAYOUTS: Final = {version: PLAIN if version < 9 else FLEXIBLE for version in range(5, 12)}


@dataclass(frozen=True, slots=True)
class Target:
    """What a prefix means, and the parts of the answer that are always the same."""

    topic: str
    acks: int
    records_of: Callable[[memoryview, int, int], memoryview | None]
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

UNUSUAL: Final = Target("", 0, lambda *_: None, 0, unpacking(0), bytes, 0, b"", b"")
"""Of a prefix that always goes the plain way."""


class FlatProduce:
    """The beginnings of produce requests of one *version* that are remembered."""

    __slots__ = (
        "_append",
        "_led",
        "_refused",
        "_takes_zstd",
        "_targets",
        "_turnover",
        "_unpack",
        "_version",
    )

    def __init__(
        self,
        appender: Appender,
        refused: Callable[[ErrorCode], None],
        turnover: Turnover,
        version: int,
    ) -> None:
        """*refused* is called with the error of an answer that has one."""
        self._version = version
        self._takes_zstd = version >= ZSTD_VERSION
        self._led = appender.partitions.led
        self._append = appender.append_to
        self._refused = refused
        self._turnover = turnover
        self._targets: dict[bytes, Target] = turnover.remembering()
        self._unpack = UNUSUAL.unpack
        """As for the last request: the next one is likely to begin as it did."""

    def answer(self, frame: memoryview) -> bytes | None:
        """Answer the request in *frame*; return None if it is another one than usual."""
        # Python calls a local function for less than one that it looks up as a method first.
        unpack, led, append = self._unpack, self._led, self._append
        try:
            correlation_id, prefix, index, word = unpack(frame)
            # The lengths in a prefix give its end: cached bytes are the request's prefix.
            target = self._targets.get(prefix)
            if target is None:
                target = self._looked_up(frame)
                _, _, index, word = target.unpack(frame)
            records = target.records_of(frame, target.records_at, word)
        except (IndexError, struct.error):
            return None
        if records is None:
            return None
        acks = target.acks
        hosted = led(target.topic, index)
        if not isinstance(hosted, HostedPartition) or not answers_at_once(hosted, acks):
            return None
        try:
            outcome = append(hosted, records, acks, self._takes_zstd)
        except HeavyBatch:
            return None
        if isinstance(outcome, Refusal):
            if outcome.error in HINTED_ERRORS:
                return None
            self._refused(outcome.error)
            return encoded(self._version, correlation_id, target.topic, refused(index, outcome))
        base_offset, _, time_ms, start_offset, _, _ = outcome
        size, head, tail = target.size, target.head, target.tail
        return target.pack(
            size, correlation_id, head, index, base_offset, time_ms, start_offset, tail
        )

    def _looked_up(self, frame: memoryview) -> Target:
        """Return what the prefix of *frame* means, found where its own lengths say that it ends."""
        topic_at, behind_topic, _ = LAYOUTS[self._version]
        at = topic_at + frame[_CLIENT_ID_AT + 1]
        at += frame[at] + behind_topic
        prefix = bytes(frame[_CLIENT_ID_AT:at])
        target = self._targets.get(prefix) or self._learned(frame, prefix)
        if target is not UNUSUAL:
            self._unpack = target.unpack
        return target

    def _learned(self, frame: memoryview, prefix: bytes) -> Target:
        """Return what *prefix* means, from now on; UNUSUAL also for what is not worth
        remembering.
        """
        if not self._turnover.makes_room():
            return UNUSUAL
        try:
            target = target_of(frame, self._version, prefix)
        except PeerError:
            # The plain path reports what is wrong with it.
            return UNUSUAL
        self._targets[prefix] = target
        return target


def target_of(frame: memoryview, version: int, prefix: bytes) -> Target:
    """Return what *prefix* means in *frame*, by the codec.

    Raises:
        PeerError: the frame is malformed.
    """
    request = decode_request(frame, elements_max=ONE_PARTITION)
    body = cast(ProduceRequest, run(cast(Steps, request.body)))
    if body.acks not in (LEADER_ACKS, ALL_ACKS) or len(body.topic_data) != 1:
        return UNUSUAL
    ((topic, partitions),) = body.topic_data
    if len(partitions) != 1 or is_closed(topic, request.client_id):
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
