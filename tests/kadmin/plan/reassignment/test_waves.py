"""Waves: is as much asked for at once as fits, and all of it in the end?"""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.admin import Reassignment
from cluster.model.topic import TopicAssignment
from cluster.zk.admin import encode_reassignment
from kadmin.plan.reassignment.moves import MovePlan, plan_moves
from kadmin.plan.reassignment.waves import (
    REQUEST_SIZE_MAX_BYTES,
    TOPIC_OVERHEAD_BYTES,
    in_waves,
)
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.reassignment.builders import targets

NO_TOPIC = TopicAssignment(partitions={})


def plan(topic_count: int, partition_count: int) -> MovePlan:
    names = [f"t{number}" for number in range(topic_count)]
    snapshot = cluster(
        brokers("0 1 2"), *(topic(name, " ".join(["0,1"] * partition_count)) for name in names)
    )
    wanted = targets(*(f"{name}-{n}:1,2" for name in names for n in range(partition_count)))
    return plan_moves(snapshot, wanted, is_additional=False)


def request_bytes(wave: MovePlan) -> int:
    asked = {move.partition: move.target.replicas for move in wave.asked}
    topics = sum(len(name) + TOPIC_OVERHEAD_BYTES for name in wave.before)
    return len(encode_reassignment(Reassignment(targets=asked))) + topics


@given(st.integers(1, 12), st.integers(1, 12), st.integers(400, 5000))
def test_all_is_asked_for_once_in_order_and_no_request_is_too_large(
    topic_count: int, partition_count: int, size_max_bytes: int
) -> None:
    whole = plan(topic_count, partition_count)

    waves = in_waves(whole, size_max_bytes)

    assert whole.moves == tuple(move for wave in waves for move in wave.moves)
    frame = len('{"version":1,"partitions":[]}')
    assert all(request_bytes(wave) <= size_max_bytes + frame for wave in waves)
    for wave, after in pairwise(waves):
        first = after.moves[0]
        one_more = MovePlan(
            moves=(*wave.moves, first), before={**wave.before, first.partition.topic: NO_TOPIC}
        )
        assert request_bytes(one_more) + 1 > size_max_bytes
    assert all({move.partition.topic for move in wave.moves} == set(wave.before) for wave in waves)


@pytest.mark.slow
def test_twelve_thousand_partitions_go_at_once() -> None:
    whole = plan(12, 1_000)

    (wave,) = in_waves(whole)

    assert 12_000 == len(wave.moves)
    assert request_bytes(wave) < REQUEST_SIZE_MAX_BYTES


def test_what_is_there_already_is_not_asked_for() -> None:
    snapshot = cluster(brokers("0 1 2"), topic("t", "0,1 1,2"))
    whole = plan_moves(snapshot, targets("t-0:0,1", "t-1:2,1"), is_additional=False)
    same = plan_moves(snapshot, targets("t-0:0,1"), is_additional=False)

    assert [["t-1"]] == [[str(move.partition) for move in wave.moves] for wave in in_waves(whole)]
    assert [] == in_waves(same)
