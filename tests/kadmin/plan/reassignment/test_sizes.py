"""What replicas to come lack: bytes and records, as far as brokers tell."""

from dataclasses import replace

import pytest

from kadmin.plan.reassignment.moves import running_moves
from kadmin.plan.reassignment.sizes import Ends, bytes_left, lags
from tests.kadmin.builders import brokers, cluster, ids, topic
from tests.kadmin.plan.reassignment.builders import part

(MOVE,) = running_moves(
    cluster(brokers("0 1 2 3"), topic("t", "3,2,1,0", adding="3,2", removing="0"))
)


def ends(*known: tuple[int, int]) -> Ends:
    return {part("t-0"): {ids(str(broker))[0]: end for broker, end in known}}


@pytest.mark.parametrize(
    ("known", "behind"),
    [
        (ends((0, 90), (1, 100), (2, 60), (3, 100)), {2: 40, 3: 0}),
        (ends((1, 100), (3, 7)), {3: 93}),
        (ends((3, 7)), {3: 0}),
        (ends((0, 90), (1, 100)), {}),
        ({}, {}),
    ],
)
def test_each_replica_to_come_is_behind_the_longest_that_is_there(
    known: Ends, behind: dict[int, int]
) -> None:
    assert behind == lags(MOVE, known)


def test_before_kafka_2_4_any_replica_may_lack_something_while_it_moves() -> None:
    """The topic has all replicas then, and does not say which of them are new."""
    there = cluster(brokers("0 1"), topic("t", "1,0"))
    (move,) = running_moves(replace(there, moving={part("t-0"): ids("1")}))
    zero, one = ids("0,1")

    assert 70 == bytes_left(move, {part("t-0"): {zero: 100, one: 30}})
    assert {1: 70} == lags(move, ends((0, 100), (1, 30)))


def test_bytes_left_are_what_those_to_come_lack() -> None:
    sizes = {part("t-0"): {ids("0")[0]: 100, ids("1")[0]: 90, ids("3")[0]: 30}}

    assert 170 == bytes_left(MOVE, sizes)
    assert bytes_left(MOVE, {}) is None
