"""What does each partition more take of a broker's memory?  A broker has ten thousand of them."""

import gc
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.wire.api_keys import ApiKey
from tests.cluster.api.test_replication import order_for
from tests.cluster.api.world import ME, World

PARTITIONS = 20
PEER = 2
REPLICAS = (ME, PEER, 3)
FOLLOWED_SIZE_MAX = 1_500
LED_SIZE_MAX = 2_150
"""Bytes, some hundred more than they take with Python 3.11."""


def hosted(leader: int) -> tuple[HostedPartition, ...]:
    """The partitions of a broker that was told of all of them in one order."""
    world = World()
    world.tell_all({"orders": dict.fromkeys(range(PARTITIONS), REPLICAS)}, brokers=REPLICAS)
    order = order_for(PARTITIONS, leader=leader, leader_epoch=0, replicas=REPLICAS)
    world.ask_now(ApiKey.LEADER_AND_ISR, order)
    found = tuple(world.broker.partitions)
    assert len(found) == PARTITIONS
    return found


def reached(root: object) -> Iterator[object]:
    """All that *root* refers to, and what that refers to; no types, functions and modules."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType) or callable(one):
            continue
        seen.add(id(one))
        yield one
        waiting += gc.get_referents(one)


def own_size(one: HostedPartition, other: HostedPartition) -> int:
    """The bytes of what *one* has and *other*, which is like it, has not."""
    shared = {id(found) for found in reached(other)}
    return sum(sys.getsizeof(found) for found in reached(one) if id(found) not in shared)


def test_a_partition_that_is_followed_takes_little() -> None:
    one, *_, other = hosted(PEER)

    assert own_size(one, other) <= FOLLOWED_SIZE_MAX


def test_a_partition_that_is_led_takes_little() -> None:
    one, *_, other = hosted(ME)

    assert own_size(one, other) <= LED_SIZE_MAX


@pytest.mark.parametrize("leader", [ME, PEER])
def test_what_an_order_says_alike_of_many_partitions_is_kept_once(leader: int) -> None:
    replicas = [one.replica for one in hosted(leader)]

    assert 1 == len({id(one.state) for one in replicas})
    assert 1 == len({id(one.assignment) for one in replicas})


def test_what_clients_are_told_alike_of_many_partitions_is_kept_once() -> None:
    world = World()
    world.tell_all({"orders": dict.fromkeys(range(PARTITIONS), REPLICAS)}, brokers=REPLICAS)

    assert 1 == len({id(one) for one in world.broker.cache.partitions_of("orders").values()})
