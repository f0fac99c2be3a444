"""Does the flat path of OffsetCommit differ from the plain way in anything at all?

Two brokers get the same commits; one of them has the flat path.  Compared are their answers, their
partitions and logs, and the offsets of the group.
"""

import struct
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.api.dispatch import SERVED
from cluster.api.flat_commit import COUNT_MAX, KEY, LAYOUTS, FlatCommits
from cluster.api.flat_prefixes import PREFIXES_MAX
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import OFFSETS_TOPIC
from cluster.runtime.network.answer_errors import error_codes_of
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_request, encode_request, encode_response
from cluster.wire.errors import PeerError
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.cluster.api.test_flat_produce import described
from tests.cluster.api.test_groups import coordinating, member_of
from tests.cluster.api.world import World

COMMIT: Final = ApiKey.OFFSET_COMMIT
FLAT: Final = sorted(word - KEY for word in LAYOUTS)


class Side:
    """A broker with a group; *counts* is how often the flat path answered."""

    def __init__(self, *, is_flat: bool = True, partitions: int = 3) -> None:
        self.world = coordinating(partitions=partitions)
        self.world.settle()
        self.codes: list[int] = []
        self.flat = flat_of(self.world, self.codes) if is_flat else None
        self.counts = 0

    def send(self, sent: bytes) -> bytes | None:
        """The answer to a frame; None for one that cannot be read."""
        if self.flat is not None:
            answer = self.flat.answer(memoryview(sent))
            if answer is not None:
                self.counts += 1
                return answer
        try:
            request = decode_request(memoryview(sent), SERVED)
        except PeerError:
            return None
        version = request.api_version
        body = self.world.ask_now(COMMIT, request.body, version)
        self.codes += error_codes_of(COMMIT, version, body)
        return joined(encode_response(COMMIT, version, request.correlation_id, body))

    def offsets(self) -> Any:
        service = self.world.broker.group_service
        return dict(service.fetch_offsets("g", None, requires_stable=False).offsets)

    def state(self) -> Any:
        partitions, disk = list(self.world.broker.partitions), self.world.files
        return self.offsets(), self.codes, described([partitions, disk], {})


def is_offsets(hosted: HostedPartition) -> bool:
    return hosted.partition.topic == OFFSETS_TOPIC


def flat_of(world: World, codes: list[int]) -> FlatCommits:
    broker = world.broker
    return FlatCommits(world.clock, broker.cache, broker.group_service, codes.extend)


def joined(buffers: Any) -> bytes:
    return b"".join(buffers)


def frame(version: int = 8, number: int = 7, *, client: str | None = "c", **body: Any) -> bytes:
    made = OffsetCommitRequest("g", topics=topics([0, 1]))._replace(**body)
    return joined(encode_request(COMMIT, version, number, client, made))[4:]


def topics(indexes: list[int], name: str = "orders") -> list[OffsetCommitRequestTopic]:
    offsets = [OffsetCommitRequestPartition(index, 100 + index, 3) for index in indexes]
    return [OffsetCommitRequestTopic(name, offsets)]


PARTITIONS: Final = st.builds(
    OffsetCommitRequestPartition,
    st.integers(0, 3),
    st.integers(0, 2**63 - 1),
    st.integers(-1, 2**31 - 1),
    st.just(-1),
    st.sampled_from([None, None, "", "note"]),
)
PLAIN: Final = PARTITIONS.map(lambda one: one._replace(committed_metadata=None))
LISTS: Final = st.lists(PLAIN, max_size=3) | st.lists(PARTITIONS, max_size=3)
BODIES: Final = st.builds(
    OffsetCommitRequest,
    st.sampled_from(["g", "g" * 200]),
    st.sampled_from([-1, 1, 2]),
    st.sampled_from(["", "member", "nobody"]),
    st.sampled_from([None, None, "", "static"]),
    st.just(-1),
    st.lists(
        st.builds(OffsetCommitRequestTopic, st.sampled_from(["orders", "orders", "gone"]), LISTS),
        max_size=2,
    ),
)
CHANGES: Final = st.none() | st.tuples(st.integers(0, 200), st.integers(0, 255))
CLIENTS: Final = st.sampled_from([None, "", "client", "c" * 300])


@pytest.mark.slow
@given(
    st.booleans(),
    st.lists(st.tuples(st.sampled_from([5, *FLAT]), CLIENTS, BODIES, CHANGES), max_size=6),
)
def test_commits_are_answered_and_kept_as_on_the_plain_path(
    has_member: bool,
    sent: list[tuple[int, str | None, OffsetCommitRequest, tuple[int, int] | None]],
) -> None:
    """Also those of which a byte is another one, or that are cut off there."""
    sides = [Side(), Side(is_flat=False)]
    ids = {member_of(one.world).member_id if has_member else "member" for one in sides}
    (member_id,) = ids
    for number, (version, client, body, change) in enumerate(sent):
        if body.member_id == "member":
            body = body._replace(member_id=member_id)
        if version < 7:
            body = body._replace(group_instance_id=None)
        data = bytearray(frame(version, number, client=client, **body._asdict()))
        if change is not None and change[0] < len(data):
            # The API stays what it is: the connection looks at it.
            at, byte = max(change[0], 2), change[1]
            data[at : len(data) if byte == 0 else at + 1] = b"" if byte == 0 else bytes([byte])
        answers = [one.send(bytes(data)) for one in sides]

        assert answers[0] == answers[1], (version, body)

    assert sides[0].state() == sides[1].state()


@pytest.mark.parametrize("version", FLAT)
@pytest.mark.parametrize("metadata", [None, ""])
def test_a_member_commits_on_the_flat_path(version: int, metadata: str | None) -> None:
    side = Side()
    member = member_of(side.world)
    (topic,) = topics([0, 2])
    offsets = [one._replace(committed_metadata=metadata) for one in topic.partitions]
    body = {
        "generation_id_or_member_epoch": member.generation_id,
        "member_id": member.member_id,
        "topics": [topic._replace(partitions=offsets)],
    }

    for _ in range(2):
        side.send(frame(version, **body))
    side.send(frame(version, **(body | {"generation_id_or_member_epoch": 9})))

    assert side.counts == 3
    assert [0, 0, 0, 0, *[ErrorCode.ILLEGAL_GENERATION] * 2] == side.codes


@pytest.mark.slow
def test_many_offsets_are_committed_on_the_flat_path() -> None:
    side = Side(partitions=COUNT_MAX + 1)
    for count in (127, 128, COUNT_MAX, COUNT_MAX + 1):
        for version in FLAT:
            side.send(frame(version, topics=topics(list(range(count)))))

    assert side.counts == 3 * len(FLAT)
    assert len(side.offsets()) == COUNT_MAX + 1


@pytest.mark.parametrize(
    "body",
    [
        {"topics": topics([0]) + topics([1])},
        {"topics": topics([0, 0])},
        {"topics": topics([3])},
        {"topics": topics([0], "gone")},
        {"topics": []},
        {"topics": topics([])},
        {"group_id": "g" * 128},
    ],
    ids=["topic twice", "partition twice", "no partition", "gone", "nothing", "empty", "long name"],
)
def test_other_commits_go_the_plain_way(body: dict[str, Any]) -> None:
    side = Side()

    assert side.send(frame(**body)) is not None
    assert side.counts == 0


def test_what_waits_for_followers_goes_the_plain_way() -> None:
    world = World()
    world.lead()
    world.lead(OFFSETS_TOPIC, topic_id=b"\1" * 16, replicas=(world.broker_id, 9))

    assert flat_of(world, []).answer(memoryview(frame())) is None


def test_what_the_log_refuses_is_answered_as_on_the_plain_path() -> None:
    sides = [Side(), Side(is_flat=False)]
    for side in sides:
        (number,) = {one.partition for one in side.world.broker.partitions if is_offsets(one)}
        hosted = side.world.broker.partitions.led(*number)
        assert isinstance(hosted, HostedPartition)
        hosted.log.config = replace(hosted.log.config, message_size_max=50)

    answers = [one.send(frame()) for one in sides]

    assert answers[0] == answers[1]
    assert sides[0].state() == sides[1].state()
    assert (1, {}) == (sides[0].counts, sides[0].offsets())
    assert [ErrorCode.INVALID_COMMIT_OFFSET_SIZE] * 2 == sides[0].codes


@pytest.mark.slow
def test_what_is_remembered_is_bounded() -> None:
    side = Side()
    assert side.flat is not None
    sent = bytearray(frame())
    for number in range(PREFIXES_MAX + 100):
        # The generation stands in the prefix.
        struct.pack_into(">i", sent, 8 + 2 + 1 + 1 + 2, number)
        side.flat.answer(memoryview(sent))

    assert len(side.flat._targets) == PREFIXES_MAX


def test_the_versions_are_served() -> None:
    assert set(FLAT) <= set(SERVED[COMMIT])
