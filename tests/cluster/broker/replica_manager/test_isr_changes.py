"""Do proposals reach whoever decides on them, once, and does their fate reach their leader?"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from cluster.broker.handling import Body
from cluster.broker.ports import Endpoint, NoAnswer
from cluster.broker.replica_manager import isr_changes
from cluster.broker.replica_manager.isr_changes import RETRY_BACKOFF_MS
from cluster.controller.requests import (
    AlteredPartition,
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
)
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, ZkVersion
from cluster.replication.replica import Replica
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    ResponsePartitionData,
    ResponseTopicData,
)
from tests.cluster.api.fetching import BY_NAME, fetch, part
from tests.cluster.api.world import ME, TOPIC_ID, World, only_part

LAG_MS = 30_000
ASKED = AskedTopic(name="orders")
MANY_ID = bytes(15) + b"m"


@dataclass
class Connection:
    """To a controller in a test's hands."""

    version_known: int | None
    sent: list[tuple[int, AlterPartitionRequest]] = field(default_factory=list)
    done: Callable[[Body | NoAnswer], None] | None = None
    is_open: bool = True

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        assert api_key is ApiKey.ALTER_PARTITION
        return None if self.version_known is None else min(newest, self.version_known)

    def send(self, api_key: ApiKey, version: int, body: Any, timeout_ms: int, done: Any) -> None:
        self.sent.append((version, body))
        self.done = done

    def close(self) -> None:
        self.is_open = False

    def answer(self, body: Any) -> None:
        done, self.done = self.done, None
        assert done is not None
        done(body)


class Elsewhere:
    """The way to other brokers."""

    def __init__(self) -> None:
        self.connection: Connection | NoAnswer = NoAnswer("nobody is asked")
        self.asked: list[tuple[Endpoint, str]] = []

    def connect(self, endpoint: Endpoint, client_id: str, timeout_ms: int, opened: Any) -> Any:
        self.asked.append((endpoint, client_id))
        opened(self.connection)
        return lambda: None


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def world(elsewhere: Elsewhere) -> World:
    """Broker 1 leads; 2 is not in the ISR yet."""
    world = World(peers=elsewhere)
    world.lead(replicas=[1, 2], isr=[1])
    world.broker.start()
    return world


def replica(world: World) -> Replica:
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    return hosted.replica


def catch_up(world: World) -> None:
    """Let broker 2 fetch from the log's end."""
    hosted = world.broker.partitions.find_index("orders", 0)
    assert hosted is not None
    fetch(world, part(hosted.log.log_end_offset), replica_id=2, max_wait_ms=0)


def alter(world: World, *isr: int, version: int = 1) -> None:
    """Let the controller of this process accept the next proposals."""
    before = replica(world).state
    after = before._replace(isr=tuple(map(BrokerId, isr)), zk_version=ZkVersion(version))
    world.controller.reply = AlterPartitionReply(
        ErrorCode.NONE, {ASKED: {0: AlteredPartition(ErrorCode.NONE, after)}}
    )


# The controller of this process.


def test_who_has_caught_up_joins_when_the_controller_says_so(world: World):
    alter(world, 1, 2)

    catch_up(world)
    assert (1,) == replica(world).state.isr
    world.clock.advance(0)

    (request,) = world.controller.requests
    assert isinstance(request, AlterPartition)
    assert (1, 50) == (request.broker_id, request.broker_epoch)
    ((topic, partitions),) = request.topics.items()
    assert ("orders", [0]) == (topic.name, list(partitions))
    assert (1, 2) == tuple(member.broker_id for member in partitions[0].isr)
    assert (1, 2) == replica(world).state.isr
    assert ["[Partition orders-0 broker=1] ISR updated to 1,2 and version updated to 1"] == [
        line for line in world.journal.infos if "ISR" in line
    ]


def test_who_lags_leaves(world: World):
    world.order("orders", replicas=[1, 2], isr=[1, 2], leader_epoch=1)
    catch_up(world)
    world.produce(acks=1)
    alter(world, 1, version=2)

    world.clock.advance(2 * LAG_MS)

    assert (1,) == replica(world).state.isr
    shrinking = [line for line in world.journal.infos if "Shrinking" in line]
    assert shrinking[0].startswith(
        "[Partition orders-0 broker=1] Shrinking ISR from 1,2 to 1. Leader: (highWatermark: 0, "
        "endOffset: 1). Out of sync replicas: (brokerId: 2, endOffset: 0, lastCaughtUpTimeMs: "
    )


def test_who_lags_leaves_whichever_turn_its_partition_has(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    """Thousands of partitions are checked in turns, and what is gone by its turn is left out."""
    monkeypatch.setattr(isr_changes, "LOOKED_AT_ONCE", 2)
    world.lead("many", partitions=5, replicas=[1, 2], isr=[1, 2], topic_id=MANY_ID)
    for index in range(5):
        world.produce(topic="many", index=index, acks=1)

    world.clock.advance(2 * LAG_MS)

    assert 5 == sum("Shrinking ISR" in line for line in world.journal.infos)


def test_who_was_about_to_join_and_is_gone_holds_nothing_back_for_long(world: World):
    """Nobody else fetches or appends, by which a leader would look again."""
    world.controller.reply = AlterPartitionReply(
        ErrorCode.NONE, {ASKED: {0: AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)}}
    )
    catch_up(world)
    world.clock.advance(0)
    answer = world.produce(timeout_ms=LAG_MS)
    world.tell_all({"orders": {0: [1, 2]}}, brokers=(1,))
    assert answer.is_waiting

    world.clock.advance(LAG_MS // 2)

    assert ErrorCode.NONE == only_part(answer).error_code
    assert 1 == replica(world).high_watermark


def test_what_the_controller_does_not_take_is_proposed_again(world: World):
    catch_up(world)
    world.clock.advance(0)
    assert 1 == len(world.controller.requests)
    alter(world, 1, 2)

    world.clock.advance(RETRY_BACKOFF_MS)

    assert 2 == len(world.controller.requests)
    assert world.controller.requests[0] == world.controller.requests[1]
    assert (1, 2) == replica(world).state.isr


def test_a_replica_that_cannot_join_is_proposed_when_it_fetches_the_next_time(world: World):
    world.controller.reply = AlterPartitionReply(
        ErrorCode.NONE, {ASKED: {0: AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)}}
    )
    catch_up(world)
    world.clock.advance(10 * RETRY_BACKOFF_MS)

    assert 1 == len(world.controller.requests)
    assert (1,) == replica(world).maximal_isr
    catch_up(world)
    world.clock.advance(0)
    assert 2 == len(world.controller.requests)


def told_of_isrs(world: World) -> list[str]:
    return [line for line in world.journal.infos if "ISR" in line]


def test_a_proposal_that_nobody_takes_is_told_once_and_tried_again_and_again(world: World):
    world.controller.reply = AlterPartitionReply(ErrorCode.NOT_CONTROLLER, {})
    catch_up(world)

    world.clock.advance(100 * RETRY_BACKOFF_MS)

    assert 101 == len(world.controller.requests)
    told = "ISR changes are proposed again and again: "
    assert [f"{told}NOT_CONTROLLER"] == told_of_isrs(world)
    # Another reason is another story, and so is the same one after the controller has answered.
    world.tell_all({}, controller=9)
    world.clock.advance(100 * RETRY_BACKOFF_MS)
    world.tell_all({}, controller=1)
    alter(world, 1, 2)
    world.clock.advance(RETRY_BACKOFF_MS)
    world.order("orders", replicas=[1, 2], isr=[1], leader_epoch=1)
    world.controller.reply = AlterPartitionReply(ErrorCode.NOT_CONTROLLER, {})
    catch_up(world)
    world.clock.advance(100 * RETRY_BACKOFF_MS)

    assert [
        f"{told}NOT_CONTROLLER",
        f"{told}no controller is known",
        "[Partition orders-0 broker=1] ISR updated to 1,2 and version updated to 1",
        f"{told}NOT_CONTROLLER",
    ] == told_of_isrs(world)


@pytest.mark.parametrize(
    "error", [ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.INELIGIBLE_REPLICA], ids=lambda e: e.name
)
def test_a_proposal_that_is_refused_again_and_again_is_told_once(world: World, error: ErrorCode):
    """By itself, or with each fetch of who shall join."""

    def refuse(error: ErrorCode) -> None:
        world.controller.reply = AlterPartitionReply(
            ErrorCode.NONE, {ASKED: {0: AlteredPartition(error)}}
        )
        for _ in range(20):
            catch_up(world)
            world.clock.advance(RETRY_BACKOFF_MS)

    refuse(error)

    assert 20 <= len(world.controller.requests)
    refused = "[Partition orders-0 broker=1] the change of the ISR to 1,2 was refused: "
    assert [refused + error.name] == told_of_isrs(world)
    # What is different is told, and the same after a proposal that went through.
    refuse(ErrorCode.NETWORK_EXCEPTION)
    alter(world, 1, 2)
    catch_up(world)
    world.clock.advance(RETRY_BACKOFF_MS)
    assert {} == world.broker.isr_changes._logged_refusals
    world.order("orders", replicas=[1, 2], isr=[1], leader_epoch=1)
    refuse(error)

    assert [
        refused + error.name,
        refused + "NETWORK_EXCEPTION",
        "[Partition orders-0 broker=1] ISR updated to 1,2 and version updated to 1",
        refused + error.name,
    ] == told_of_isrs(world)


def test_refusals_of_partitions_that_are_gone_are_not_kept(world: World):
    world.controller.reply = AlterPartitionReply(
        ErrorCode.NONE, {ASKED: {0: AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)}}
    )
    catch_up(world)
    world.clock.advance(0)
    kept = len(world.broker.isr_changes._logged_refusals)
    (hosted,) = world.broker.partitions
    world.broker.partitions.remove(hosted.partition)

    world.clock.advance(LAG_MS)

    assert (1, 0) == (kept, len(world.broker.isr_changes._logged_refusals))


def test_nothing_is_proposed_for_a_leadership_that_is_over(world: World):
    catch_up(world)
    world.order("orders", leader=2, replicas=[1, 2], leader_epoch=1)

    world.clock.advance(LAG_MS)

    assert [] == world.controller.requests


def test_nothing_is_proposed_after_the_end(world: World):
    catch_up(world)
    world.broker.stop()

    world.clock.advance(9 * LAG_MS)

    assert [] == world.controller.requests
    assert 0 == world.clock.timers


# The controller of another one.


@pytest.fixture
def connection(request: pytest.FixtureRequest, world: World, elsewhere: Elsewhere) -> Connection:
    """To broker 2, which is the controller and speaks AlterPartition up to the version 3."""
    connection = elsewhere.connection = Connection(getattr(request, "param", 3))
    world.tell_all({}, controller=2)
    return connection


def accepted(version: int, *isr: int) -> AlterPartitionResponse:
    return AlterPartitionResponse(
        topics=[
            ResponseTopicData(
                "" if version >= 2 else "orders",
                TOPIC_ID if version >= 2 else bytes(16),
                [ResponsePartitionData(0, 0, ME, 0, isr, 0, 1)],
            )
        ]
    )


@pytest.mark.parametrize("connection", [0, 1, 2, 3], indirect=True)
def test_a_controller_elsewhere_is_asked_in_the_version_that_it_speaks(
    world: World, elsewhere: Elsewhere, connection: Connection
):
    version = connection.version_known
    assert version is not None
    catch_up(world)
    world.clock.advance(0)

    assert [(Endpoint("host2", 9092), "1")] == elsewhere.asked
    ((sent_version, request),) = connection.sent
    assert version == sent_version
    assert (1, 50) == (request.broker_id, request.broker_epoch)
    (topic,) = request.topics
    assert (topic.topic_name, topic.topic_id) == (
        ("", TOPIC_ID) if version >= 2 else ("orders", bytes(16))
    )
    (one,) = topic.partitions
    members = [member.broker_id for member in one.new_isr_with_epochs] or list(one.new_isr)
    assert [1, 2] == members
    assert (version >= 3) == bool(one.new_isr_with_epochs)
    connection.answer(accepted(version, 1, 2))
    assert ((1, 2), 1) == (replica(world).state.isr, replica(world).state.zk_version)


def test_without_a_topic_id_topics_are_called_by_name(world: World, connection: Connection):
    world.lead("old", replicas=[1, 2], isr=[1], topic_id=bytes(16))
    world.tell_all({}, controller=2)
    fetch(world, part(0), topic="old", replica_id=2, version=BY_NAME)
    world.clock.advance(0)

    assert [1] == [version for version, _ in connection.sent]


@pytest.mark.parametrize(
    "answer",
    [NoAnswer("it is gone"), AlterPartitionResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)],
)
def test_an_answer_that_is_none_is_followed_by_the_same_proposal(
    world: World, connection: Connection, answer: Any
):
    catch_up(world)
    world.clock.advance(0)

    connection.answer(answer)
    assert (1, 2) == replica(world).maximal_isr
    world.clock.advance(RETRY_BACKOFF_MS)

    assert 2 == len(connection.sent)
    assert connection.sent[0] == connection.sent[1]
    assert isinstance(answer, NoAnswer) != connection.is_open


def test_an_answer_without_the_partition_is_none(world: World, connection: Connection):
    catch_up(world)
    world.clock.advance(0)

    connection.answer(AlterPartitionResponse())
    world.clock.advance(RETRY_BACKOFF_MS)

    assert 2 == len(connection.sent)


def test_a_controller_that_cannot_be_reached_is_looked_for_again(
    world: World, elsewhere: Elsewhere
):
    world.tell_all({}, controller=2)
    catch_up(world)
    world.clock.advance(3 * RETRY_BACKOFF_MS)
    assert 4 == len(elsewhere.asked)

    alter(world, 1, 2)
    world.tell_all({}, controller=1)
    world.clock.advance(RETRY_BACKOFF_MS)

    assert (1, 2) == replica(world).state.isr


def test_without_a_controller_the_proposal_waits_for_one(world: World):
    alter(world, 1, 2)
    world.tell_all({}, controller=9)
    catch_up(world)
    world.clock.advance(3 * RETRY_BACKOFF_MS)
    assert [] == world.controller.requests

    world.tell_all({}, controller=1)
    world.clock.advance(RETRY_BACKOFF_MS)

    assert (1, 2) == replica(world).state.isr


def test_many_proposals_go_in_several_requests_one_behind_the_other(
    world: World, connection: Connection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(isr_changes, "PROPOSALS_MAX", 2)
    world.lead("many", partitions=5, replicas=[1, 2], isr=[1], topic_id=MANY_ID)
    world.tell_all({}, controller=2)
    for index in range(5):
        fetch(world, part(0, index), topic="many", topic_id=MANY_ID, replica_id=2)
    world.clock.advance(0)
    asked: list[list[int]] = []

    while connection.done is not None:
        (topic,) = connection.sent[-1][1].topics
        asked.append([one.partition_index for one in topic.partitions])
        connection.answer(
            AlterPartitionResponse(
                topics=[
                    ResponseTopicData(
                        "",
                        MANY_ID,
                        [
                            ResponsePartitionData(index, 0, ME, 0, (1, 2), 0, 1)
                            for index in asked[-1]
                        ],
                    )
                ]
            )
        )
        # Without a pause: nothing was refused.
        world.clock.advance(0)

    assert [[0, 1], [2, 3], [4]] == asked
    assert {(1, 2)} == {
        hosted.replica.state.isr
        for hosted in world.broker.partitions
        if hosted.partition.topic == "many"
    }


def test_what_is_refused_of_many_does_not_hold_up_the_others(
    world: World, connection: Connection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(isr_changes, "PROPOSALS_MAX", 1)
    world.lead("many", partitions=2, replicas=[1, 2], isr=[1], topic_id=MANY_ID)
    world.tell_all({}, controller=2)
    for index in range(2):
        fetch(world, part(0, index), topic="many", topic_id=MANY_ID, replica_id=2)
    world.clock.advance(0)
    asked: list[int] = []

    for _ in range(3):
        (topic,) = connection.sent[-1][1].topics
        asked.append(topic.partitions[0].partition_index)
        connection.answer(NoAnswer("nobody is there"))
        world.clock.advance(RETRY_BACKOFF_MS)

    assert [0, 1, 0] == asked


def test_a_connection_that_the_controller_has_ended_is_opened_anew(
    world: World, elsewhere: Elsewhere, connection: Connection
):
    catch_up(world)
    world.clock.advance(0)
    connection.answer(accepted(3, 1, 2))
    connection.is_open = False
    another = elsewhere.connection = Connection(3)
    world.order("orders", replicas=[1, 2], isr=[1], leader_epoch=1)

    catch_up(world)
    world.clock.advance(0)

    assert (1, 1) == (len(connection.sent), len(another.sent))


# An older Kafka.


@pytest.mark.parametrize("connection", [None], indirect=True)
def test_where_the_controller_does_not_know_the_request_zookeeper_is_written(
    world: World, connection: Connection
):
    catch_up(world)
    world.clock.advance(0)

    ((partition, state),) = world.store.isrs[-1].items()

    assert ("orders", (1, 2), 0) == (partition.topic, state.isr, state.zk_version)
    world.settle()
    assert ((1, 2), 1) == (replica(world).state.isr, replica(world).state.zk_version)


@pytest.mark.parametrize("connection", [None], indirect=True)
def test_without_zookeeper_it_is_written_later(world: World, connection: Connection):
    world.store.failure = ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "no session")
    catch_up(world)
    world.clock.advance(0)
    world.settle()
    world.store.failure = None

    world.clock.advance(RETRY_BACKOFF_MS)
    world.settle()

    assert 2 == len(world.store.isrs)
    assert (1, 2) == replica(world).state.isr
