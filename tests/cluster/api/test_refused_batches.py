"""What comes behind a batch that was refused for the moment is refused as it was.

The log would say that sequence numbers are missing, or take the second batch for the first.
"""

from collections.abc import Callable

import pytest

from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.broker.replica_manager.refused_batches import REMEMBERED_MAX, REMEMBERED_MS
from cluster.formats.record_batch import SEQUENCE_MAX
from cluster.model.error_codes import ErrorCode
from tests.cluster.api.world import ME, World
from tests.cluster.storage.batches import batch

OTHER = 2
NONE = ErrorCode.NONE
OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def produced(
    world: World, sequence: int, *, count: int = 1, epoch: int = 0, producer_id: int = 5
) -> ErrorCode:
    """The answer to a batch of an idempotent producer."""
    records = batch(count, producer_id=producer_id, producer_epoch=epoch, sequence=sequence)
    return ErrorCode(world.produced(records).error_code)


def end_offset(world: World) -> int:
    hosted = world.broker.partitions.led("orders", 0)
    assert isinstance(hosted, HostedPartition)
    return hosted.log.log_end_offset


def lead(world: World, leader_epoch: int) -> None:
    world.lead(replicas=[ME, OTHER], isr=[ME], leader_epoch=leader_epoch)


def follow(world: World, leader_epoch: int) -> None:
    world.order("orders", leader=OTHER, leader_epoch=leader_epoch, replicas=[ME, OTHER])


def shrink(world: World, leader_epoch: int) -> None:
    world.broker.role_changer.change_topic_configs("orders", {"min.insync.replicas": "2"})


def grow(world: World, leader_epoch: int) -> None:
    world.broker.role_changer.change_topic_configs("orders", {"min.insync.replicas": "1"})


REFUSALS = [
    (follow, lead, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    (shrink, grow, ErrorCode.NOT_ENOUGH_REPLICAS),
]
Act = Callable[[World, int], None]


@pytest.mark.parametrize(("begin", "end", "error"), REFUSALS)
@pytest.mark.parametrize("known", [0, 1, 7])
@pytest.mark.parametrize("refused", [1, 2])
@pytest.mark.parametrize("first", [0, SEQUENCE_MAX - 8])
def test_what_comes_behind_is_refused_until_what_is_missing_has_come(
    world: World, begin: Act, end: Act, error: ErrorCode, known: int, refused: int, first: int
) -> None:
    """*known* batches are in the log, the next ones are refused, and two come behind them."""
    lead(world, 0)
    sequences = [(first + n) & SEQUENCE_MAX for n in range(known + refused + 2)]
    assert {NONE} >= {produced(world, sequence) for sequence in sequences[:known]}

    begin(world, 1)
    assert {produced(world, one) for one in sequences[known : known + refused]} == {error}
    end(world, 2)
    assert {produced(world, one) for one in sequences[known + refused :]} == {error}

    assert {produced(world, one) for one in sequences[known:]} == {NONE}
    assert end_offset(world) == len(sequences)


@pytest.mark.parametrize("known", [0, 1, 7])
@pytest.mark.parametrize("epoch", [0, 1])
def test_what_the_leader_before_has_refused_is_awaited(
    world: World, known: int, epoch: int
) -> None:
    """The first batch was refused by the leader before, and the second comes to this one."""
    lead(world, 0)
    assert {NONE} >= {produced(world, sequence) for sequence in range(known)}
    missing = known if epoch == 0 else 0
    follow(world, 1)
    lead(world, 2)

    behind = [produced(world, missing + n, epoch=epoch) for n in (1, 2)]
    again = [produced(world, missing + n, epoch=epoch) for n in (0, 1, 2)]

    assert behind == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
    assert again == [NONE] * 3
    assert end_offset(world) == known + 3


@pytest.mark.parametrize("known", [0, 1, 7])
def test_what_was_refused_before_a_restart_is_awaited(world: World, known: int) -> None:
    """Whoever leads at once after a restart no longer knows what it refused before."""
    lead(world, 0)
    assert {NONE} >= {produced(world, sequence) for sequence in range(known)}
    shrink(world, 1)
    assert produced(world, known) is ErrorCode.NOT_ENOUGH_REPLICAS
    world = world.restarted()
    lead(world, 1)

    assert produced(world, known + 1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert [produced(world, known), produced(world, known + 1)] == [NONE, NONE]
    assert end_offset(world) == known + 2


def test_what_the_leader_before_has_refused_is_not_awaited_for_ever(world: World) -> None:
    lead(world, 0)
    assert produced(world, 0) == NONE
    follow(world, 1)
    lead(world, 2)

    world.clock.advance(REMEMBERED_MS - 1)
    assert produced(world, 2) == ErrorCode.NOT_LEADER_OR_FOLLOWER
    lead(world, 3)
    world.clock.advance(1)
    assert produced(world, 2) == OUT_OF_ORDER


def test_before_this_broker_had_heard_of_the_partition(world: World) -> None:
    assert produced(world, 0) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    lead(world, 0)

    assert produced(world, 1) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert [produced(world, 0), produced(world, 1)] == [NONE, NONE]


def test_a_retry_of_what_is_in_the_log_is_known_although_it_was_refused_meanwhile(
    world: World,
) -> None:
    """The story of trial 1: three records were there, and nobody had told the producer so."""
    lead(world, 0)
    assert produced(world, 0, count=3) is NONE
    follow(world, 1)
    for sequence, count in ((0, 3), (3, 1)):
        assert produced(world, sequence, count=count) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    lead(world, 2)

    assert produced(world, 4) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    for sequence, count in ((0, 3), (3, 1), (4, 1)):
        assert produced(world, sequence, count=count) is NONE
    assert end_offset(world) == 5


def test_a_gap_that_was_never_refused_is_one(world: World) -> None:
    lead(world, 0)
    assert produced(world, 0) is NONE
    shrink(world, 1)
    assert produced(world, 5) is ErrorCode.NOT_ENOUGH_REPLICAS
    grow(world, 2)

    assert produced(world, 6) is OUT_OF_ORDER


def test_another_producer_another_epoch_or_partition_is_not_concerned(world: World) -> None:
    lead(world, 0)
    assert produced(world, 0) is NONE
    shrink(world, 1)
    assert produced(world, 1) is ErrorCode.NOT_ENOUGH_REPLICAS
    grow(world, 2)

    assert produced(world, 8, producer_id=6) is NONE
    assert produced(world, 0, epoch=1) is NONE
    assert produced(world, 2, epoch=1) is OUT_OF_ORDER


def test_a_producer_that_has_given_up_what_is_missing_hears_so(world: World) -> None:
    """However often it asks meanwhile."""
    lead(world, 0)
    assert produced(world, 0) is NONE
    follow(world, 1)
    assert produced(world, 1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    lead(world, 2)

    world.clock.advance(REMEMBERED_MS - 1)
    assert produced(world, 2) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    world.clock.advance(1)
    assert produced(world, 2) is OUT_OF_ORDER
    assert not world.broker.refused_batches.by_producer


@pytest.mark.slow
def test_what_is_remembered_is_bounded(world: World) -> None:
    follow(world, 0)

    for producer_id in range(REMEMBERED_MAX + 3):
        records = memoryview(bytes(batch(1, producer_id=producer_id, producer_epoch=0, sequence=0)))
        world.broker.refused_batches.note("orders", 0, records, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    assert len(world.broker.refused_batches.by_producer) == REMEMBERED_MAX


@pytest.mark.parametrize("topic", ["", "..", "a/b", "t" * 250])
def test_what_no_topic_can_be_called_is_not_remembered(world: World, topic: str) -> None:
    records = memoryview(bytes(batch(1, producer_id=5, producer_epoch=0, sequence=0)))

    world.broker.refused_batches.note(topic, 0, records, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    assert not world.broker.refused_batches.by_producer


@pytest.mark.parametrize("records", [None, b"", b"x" * 20, b"\0" * 100, bytes(batch(1))])
def test_what_is_no_idempotent_producers_batch_is_not_remembered(
    world: World, records: bytes | None
) -> None:
    for given in (records, None if records is None else memoryview(records)):
        world.broker.refused_batches.note("orders", 0, given, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    assert not world.broker.refused_batches.by_producer
