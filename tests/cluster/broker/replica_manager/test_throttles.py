"""Are throttled followers held back by their leader, and nobody else?"""

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.configs import (
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.cluster.api.fetching import BY_NAME, fetch, part
from tests.cluster.api.world import World, only_part
from tests.cluster.storage.batches import batch

RATE = "leader.replication.throttled.rate"
REPLICAS = "leader.replication.throttled.replicas"
BIG = batch([b"x" * 1000])


@pytest.fixture
def world() -> World:
    """Broker 1 leads, and sends its throttled followers 100 bytes a second; 2 is in the ISR."""
    world = World()
    world.store.configs["orders"] = {REPLICAS: "0:1"}
    world.lead(replicas=[1, 2, 3], isr=[1, 2])
    world.broker.throttles.set_rates(BrokerConfigs({RATE: "100"}))
    for _ in range(3):
        world.produce(BIG, acks=1)
    return world


def size(world: World, replica_id: int, offset: int = 0, max_wait_ms: int = 0) -> int:
    """How many bytes a fetch of one batch brings."""
    wanted = part(offset, size_max=1)
    answer = fetch(world, wanted, replica_id=replica_id, version=BY_NAME, max_wait_ms=max_wait_ms)
    return len(bytes(only_part(answer).records))


def test_a_follower_outside_the_isr_waits_until_the_rate_allows_more(world: World) -> None:
    assert len(BIG) == size(world, 3)

    assert 0 == size(world, 3, 1)
    world.clock.advance(len(BIG) * 10 - 1)
    assert 0 == size(world, 3, 1)
    world.clock.advance(1)
    assert len(BIG) == size(world, 3, 1)


def test_a_follower_that_waits_hears_of_the_high_watermark(world: World) -> None:
    size(world, 3)

    answer = fetch(world, part(1), replica_id=3, version=BY_NAME, max_wait_ms=500)
    assert answer.is_waiting
    world.clock.advance(500)

    data = only_part(answer)
    assert (b"", 0) == (bytes(data.records), data.error_code)


@pytest.mark.parametrize("replica_id", [2, -1])
def test_members_of_the_isr_and_consumers_are_not_held_back(world: World, replica_id: int) -> None:
    size(world, 3)
    world.order("orders", replicas=[1, 2, 3], isr=[1, 2], leader_epoch=1)
    for offset in (1, 2, 3):
        fetch(world, part(offset), replica_id=2, version=BY_NAME)

    assert len(BIG) == size(world, replica_id, 1)


def test_what_members_of_the_isr_get_counts_for_the_rate(world: World) -> None:
    size(world, 2)

    assert 0 == size(world, 3)


def test_only_the_replicas_that_the_topic_names_are_held_back() -> None:
    world = World()
    world.store.configs["orders"] = {REPLICAS: "1:1,0:2"}
    world.lead(replicas=[1, 2, 3], isr=[1, 2], partitions=2)
    world.broker.throttles.set_rates(BrokerConfigs({RATE: "1"}))
    for _ in range(2):
        world.produce(BIG, acks=1)

    assert [len(BIG)] * 2 == [size(world, 3), size(world, 3, 1)]


def test_a_throttle_that_is_taken_back_holds_nobody_back_any_more(world: World) -> None:
    size(world, 3)
    change = IncrementalAlterableConfig(REPLICAS, 1, None)
    resource = IncrementalAlterConfigsResource(2, "orders", [change])
    world.ask_now(
        ApiKey.INCREMENTAL_ALTER_CONFIGS, IncrementalAlterConfigsRequest([resource], False)
    )
    world.broker.role_changer.change_topic_configs("orders", world.store.configs["orders"])

    assert len(BIG) == size(world, 3, 1)
