"""Names as long as the protocol has them, beside many partitions: what do they cost?

A name stands once in such a request; whatever repeats it with each partition grows a thousandfold.
"""

from typing import Any

import pytest

from cluster.api.dispatch import SERVED
from cluster.api.orders import NAMES_SIZE_MAX
from cluster.model.ids import TopicPartition
from cluster.model.topic_name import TOPIC_NAME_LENGTH_MAX, can_be, topic_name_problem
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request, encode_response
from cluster.wire.fields import INT32, STRING, UUID, Field, Kind
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.schema import fields_of, request_schema
from tests.cluster.api.world import EPOCH, ME, NEVER, World, versions

LONG = "x" * 32_000
COUNT = 1200
LOGGED_SIZE_MAX = 100_000

NUMBERS: dict[str, Any] = {
    "controller_id": ME,
    "controller_epoch": 1,
    "broker_epoch": EPOCH,
    "timeout_ms": 0,
    "max_wait_ms": 0,
    "acks": 1,
    "resource_type": 2,
    "validate_only": True,
}
"""What has to be said for the rest to be looked at."""

ASKED_OF_CONTROLLER = {
    ApiKey.ALTER_PARTITION,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS,
    ApiKey.ELECT_LEADERS,
    ApiKey.LIST_PARTITION_REASSIGNMENTS,
}
"""What is answered by the controller's word, of which there is none here."""


def has_text(of: Any, version: int) -> bool:
    """Whether structs of this kind have names of their own."""
    return not isinstance(of, Kind) and any(
        version in field.versions and (field.of is STRING or has_text(field.of, version))
        for field in fields_of(of).values()
    )


def message(cls: type[tuple[Any, ...]], version: int, count: int = COUNT) -> Any:
    """One name of each kind, and *count* of what is nameless below it."""
    values = {
        name: value(name, field, version, count)
        for name, field in fields_of(cls).items()
        if version in field.versions and field.tag is None
    }
    return cls(**values)


def value(name: str, field: Field, version: int, count: int) -> Any:
    if not field.is_array:
        return one(name, field.of, version, 0, count)
    if field.of is STRING or has_text(field.of, version):
        return (one(name, field.of, version, 0, count),)
    if isinstance(field.of, Kind):
        return tuple(one(name, field.of, version, number, 2) for number in range(count))
    made = message(field.of, version, 2)
    numbered = [one for one in ("partition", "partition_index") if hasattr(made, one)]
    return tuple(made._replace(**dict.fromkeys(numbered, number)) for number in range(count))


def one(name: str, of: Any, version: int, number: int, count: int) -> Any:
    if not isinstance(of, Kind):
        made = message(of, version, count)
        numbered = [one for one in ("partition", "partition_index") if hasattr(made, one)]
        return made._replace(**dict.fromkeys(numbered, number))
    if of is STRING:
        return LONG
    if of is UUID:
        return bytes(16)
    return number if of is INT32 and number > 0 else NUMBERS.get(name, of.default)


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.lead()
    return world


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in SERVED if key not in ASKED_OF_CONTROLLER])
def test_no_answer_and_no_log_has_a_long_name_again_and_again(world: World, key: ApiKey) -> None:
    for version in versions(key):
        body = message(request_schema(key).message, version)
        frame_size = sum(map(len, encode_request(key, version, 7, "test", body)))
        for lines in (world.journal.infos, world.journal.warnings, world.journal.errors):
            lines.clear()
        world.journal.lines.clear()

        answer = world.ask(key, body, version)
        world.settle()
        world.clock.advance(0)

        if answer.body not in (NEVER, None):
            sent = encode_response(key, version, 7, answer.body)
            assert sum(map(len, sent)) < 4 * frame_size + 1_000_000, f"version {version}"
        lines = [*world.journal.infos, *world.journal.warnings, *world.journal.errors]
        lines += [str(line) for line in world.journal.lines]
        assert sum(map(len, lines)) < 4 * frame_size + LOGGED_SIZE_MAX, f"version {version}"


def longest_order(key: ApiKey, version: int) -> Any:
    """One with as many names in its answer as may be, to the byte, and one with one more."""
    count = NAMES_SIZE_MAX // len(LONG)
    name = LONG[: NAMES_SIZE_MAX // (count + 1)]
    body: Any = message(request_schema(key).message, version)
    field = "topic_states" if version >= 3 or key is ApiKey.LEADER_AND_ISR else "topics"
    (topic,) = getattr(body, field)
    topic = topic._replace(**{next(iter(topic._fields)): name})
    inner = topic._fields[-1]
    element = getattr(topic, inner)[0]
    return [
        body._replace(**{field: (topic._replace(**{inner: (element,) * number}),)})
        for number in (count + 1, count + 2)
    ]


@pytest.mark.parametrize(
    ("key", "version"),
    [(ApiKey.STOP_REPLICA, version) for version in (1, 3, 4)]
    + [(ApiKey.LEADER_AND_ISR, version) for version in (2, 4)],
)
def test_an_order_whose_answer_would_be_too_long_ends_its_connection(
    key: ApiKey, version: int
) -> None:
    world = World()
    world.lead()
    taken, refused = longest_order(key, version)
    assert isinstance(taken, StopReplicaRequest | LeaderAndIsrRequest)

    answers = [world.ask(key, body, version) for body in (taken, refused)]

    assert answers[0].closed is None
    assert "its answer would have the names of its topics again and again" in (
        answers[1].closed or ""
    )


def test_of_partitions_that_cannot_be_an_order_has_some_lines_and_their_number() -> None:
    world = World()
    world.lead()

    world.ask(ApiKey.LEADER_AND_ISR, message(LeaderAndIsrRequest, 5), 5)
    world.settle()
    world.clock.advance(0)

    assert 11 == len(world.journal.errors)
    assert f"{COUNT - 10} more partitions of the same order" in world.journal.errors[-1]


class Long(str):
    """Counts how often it is written out."""

    written = 0

    def __repr__(self) -> str:
        type(self).written += 1
        return super().__repr__()


def test_a_name_that_is_far_too_long_is_not_written_out_to_be_refused() -> None:
    assert not can_be(TopicPartition(Long(LONG), 0))
    assert Long.written == 0
    problem = topic_name_problem(LONG)
    assert problem is not None
    assert len(problem) < TOPIC_NAME_LENGTH_MAX + 200
    assert "has 32000" in problem
