"""The flat path of OffsetCommit: offsets of one topic and nothing else, read without a codec.

A member commits offsets of the same partitions again and again.  So the beginnings of requests are
cached with their meaning, and the answer with the partitions; the offsets behind a beginning are
read as columns.  The coordinator decides as about every other commit (`cluster.group`).

A request that is not the usual one takes the plain path (`cluster.api.offset_commit`), and nothing
has changed then: other versions, several topics, metadata, unknown partitions, and commits that
wait for followers or a disk.  What holds is as in `cluster.api.flat_produce`: answers are those of
the plain path, which `tests/cluster/api/test_flat_commit.py` compares, and the cache depends on the
bytes of a request alone, and is bounded for all connections together.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from struct import Struct
from typing import Any, Final, NamedTuple, cast

from cluster.api.flat_prefixes import Turnover
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Clock
from cluster.group.requests import CommitOffsets
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import PlainOffsets
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_request, encode_response
from cluster.wire.errors import PeerError, UnencodableMessageError
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

NONE: Final = ErrorCode.NONE
COUNT_MAX: Final = 512
"""Up to so many offsets are read as columns."""
LAYOUTS_MAX: Final = 64
"""Of how many counts the layout is cached, each up to 40 KB."""

OFFSET: Final = "iqi2x"
"""A partition, its offset, the leader epoch; then two bytes that are looked at before."""
OFFSET_SIZE: Final = struct.calcsize(f">{OFFSET}")
MARKS_AT: Final = OFFSET_SIZE - 2
COLUMNS: Final = 3
KEY: Final = ApiKey.OFFSET_COMMIT << 16
"""API key and version are read as one number."""
_HEAD: Final = Struct(">ii")
"""Of a request: that number and the correlation id; of an answer: its size and the latter."""
_CLIENT_ID_AT: Final = _HEAD.size


def flexible_prefix(frame: memoryview, _version: int) -> tuple[int, int]:
    """Return where the offsets begin, and how many there are, if each length takes one byte."""
    at = _CLIENT_ID_AT + 3 + frame[_CLIENT_ID_AT + 1]
    # The group and the generation, the member, the static member, and the topic behind their
    # number.
    at += frame[at] + 4
    at += frame[at]
    at += frame[at] or 1
    at += 1
    at += frame[at]
    count = frame[at]
    if count < 1 << 7:
        return at + 1, count - 1
    return at + 2, (count & 0x7F | frame[at + 1] << 7) - 1


def plain_prefix(frame: memoryview, version: int) -> tuple[int, int]:
    """Return the same in versions whose lengths take two bytes, for texts up to 255 bytes."""
    at = _CLIENT_ID_AT + 2 + frame[_CLIENT_ID_AT + 1]
    at += frame[at + 1] + 6
    at += frame[at + 1] + 2
    if version >= STATIC_VERSION:
        at += 2 if frame[at] else frame[at + 1] + 2
    at += 4
    at += frame[at + 1] + 2
    return at + 4, frame[at + 2] << 8 | frame[at + 3]


def flexible_has_no_more(data: bytes, end: int) -> bool:
    """Return whether texts are null or empty, and no struct has tags."""
    texts, tags = data[MARKS_AT:end:OFFSET_SIZE], data[MARKS_AT + 1 : end : OFFSET_SIZE]
    return not texts.strip(b"\0\1") and not tags.strip(b"\0") and data[end:] == b"\0\0"


def plain_has_no_more(data: bytes, end: int) -> bool:
    """Return whether texts are null or empty."""
    high, low = data[MARKS_AT:end:OFFSET_SIZE], data[MARKS_AT + 1 : end : OFFSET_SIZE]
    return high == low and not high.strip(b"\0\xff") and len(data) == end


class Layout(NamedTuple):
    """How requests of a version are read."""

    prefix: Callable[[memoryview, int], tuple[int, int]]
    has_no_more: Callable[[bytes, int], bool]
    behind: int
    """How many bytes follow the offsets."""


STATIC_VERSION: Final = 7
"""The first one with static members."""
PLAIN: Final = Layout(plain_prefix, plain_has_no_more, 0)
FLEXIBLE: Final = Layout(flexible_prefix, flexible_has_no_more, 2)
LAYOUTS: Final = {KEY | version: PLAIN if version < 8 else FLEXIBLE for version in range(6, 10)}


@dataclass(slots=True)
class Target:
    """What a prefix means, and the parts of the answer for the partitions that came last."""

    group_id: str
    generation: int
    member_id: str
    group_instance_id: str | None
    topic: str
    indexes: tuple[int, ...] = ()
    different: frozenset[int] = frozenset()
    """The same partitions as a set."""
    topics: tuple[tuple[str, tuple[int, ...]], ...] = ()
    size: int = 0
    answer: bytes = b""
    """The answer without an error, behind the correlation id."""
    codes: Sequence[int] = field(default=())

    def learn(self, version: int, indexes: tuple[int, ...]) -> None:
        self.indexes = indexes
        self.different = frozenset(indexes)
        self.topics = ((self.topic, indexes),)
        whole = self.encoded(version, 0, NONE)
        self.size, self.answer = len(whole) - 4, whole[_HEAD.size :]
        self.codes = (0,) * len(indexes)

    def encoded(self, version: int, correlation_id: int, error: ErrorCode) -> bytes:
        partitions = [OffsetCommitResponsePartition(index, error) for index in self.indexes]
        body = OffsetCommitResponse(topics=[OffsetCommitResponseTopic(self.topic, partitions)])
        return joined(encode_response(ApiKey.OFFSET_COMMIT, version, correlation_id, body))


class FlatCommits:
    """The beginnings of commits that are remembered, by version."""

    def __init__(
        self,
        clock: Clock,
        cache: MetadataCache,
        groups: GroupService,
        count_errors: Callable[[Sequence[int]], None],
    ) -> None:
        """*count_errors* is called with the error codes of each answer."""
        self._wall_ms = clock.wall_ms
        self._partitions_of = cache.partitions_of
        self._groups = groups
        self._count_errors = count_errors
        self._turnover = Turnover()
        self._targets: dict[tuple[int, bytes], Target] = self._turnover.remembering()

    def answer(self, frame: memoryview) -> bytes | None:
        """Answer the request in *frame*; return None if it is another one than usual."""
        try:
            word, correlation_id = _HEAD.unpack_from(frame)
            layout = LAYOUTS.get(word)
            if layout is None:
                return None
            at, count = layout.prefix(frame, word - KEY)
        except (IndexError, struct.error):
            return None
        end = count * OFFSET_SIZE
        if not 0 < count <= COUNT_MAX or len(frame) != at + end + layout.behind:
            return None
        data = bytes(frame[at:])
        if not layout.has_no_more(data, end):
            return None
        key = word, bytes(frame[_CLIENT_ID_AT:at])
        target = self._targets.get(key) or self._learned(key, layout, count)
        if target is None:
            return None
        columns = layout_of(count)(data)
        indexes = columns[::COLUMNS]
        if indexes != target.indexes:
            target.learn(word - KEY, indexes)
        if (
            len(target.different) != count
            or not target.different <= self._partitions_of(target.topic).keys()
        ):
            return None
        offsets = PlainOffsets(
            target.topics, columns[1::COLUMNS], columns[2::COLUMNS], self._wall_ms()
        )
        error = self._groups.commit_at_once(
            CommitOffsets(
                target.group_id,
                offsets,
                target.member_id,
                target.group_instance_id,
                target.generation,
            )
        )
        if error is None:
            return None
        if error is NONE:
            self._count_errors(target.codes)
            return _HEAD.pack(target.size, correlation_id) + target.answer
        self._count_errors((error,) * count)
        return target.encoded(word - KEY, correlation_id, error)

    def _learned(self, key: tuple[int, bytes], layout: Layout, count: int) -> Target | None:
        """Return what the prefix in *key* means, from now on; None for one that is not usual, or
        not worth remembering.
        """
        if not self._turnover.makes_room():
            return None
        word, prefix = key
        target = target_of(word, prefix, bytes(count * OFFSET_SIZE + layout.behind))
        if target is not None:
            self._targets[key] = target
        return target


def target_of(word: int, prefix: bytes, zeros: bytes) -> Target | None:
    """Return what *prefix* means by the codec, in a request that goes on with *zeros*; None if it
    is not the beginning of a commit of so many offsets of one topic.
    """
    whole = _HEAD.pack(word, 0) + prefix + zeros
    try:
        request = decode_request(memoryview(whole))
        body = cast(OffsetCommitRequest, request.body)
        again = encode_request(
            ApiKey.OFFSET_COMMIT, request.api_version, 0, request.client_id, body
        )
    except (PeerError, UnencodableMessageError):
        # The plain path reports what is wrong with it.
        return None
    if joined(again)[4:] != whole or len(body.topics) != 1:
        return None
    return Target(
        body.group_id,
        body.generation_id_or_member_epoch,
        body.member_id,
        body.group_instance_id,
        body.topics[0].name,
    )


@lru_cache(LAYOUTS_MAX)
def layout_of(count: int) -> Callable[[bytes], tuple[int, ...]]:
    """Return a function that reads the columns of *count* offsets, one behind the other."""
    return Struct(">" + OFFSET * count).unpack_from


def joined(buffers: Any) -> bytes:
    return b"".join(buffers)
