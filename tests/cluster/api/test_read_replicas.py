"""Consumers that say in which rack they stand are sent to a follower there (KIP-392)."""

from typing import Any

import pytest

from cluster.broker.ports import ApiSettings
from cluster.model.error_codes import ErrorCode
from tests.cluster.api.fetching import base_offsets, fetch, indexes, part
from tests.cluster.api.world import PEER, World, only_part
from tests.cluster.storage.batches import batch

RACKS = {1: "a", 2: "b"}
NOBODY = -1
BY_RACK = ApiSettings(selects_by_rack=True)


def leading(settings: ApiSettings = BY_RACK, **told: Any) -> World:
    """Broker 1, which leads one record; broker 2 follows and has it."""
    world = World(settings)
    world.lead(replicas=[1, 2], isr=[1, 2])
    tell(world, **told)
    answer = world.produce(batch(1))
    fetch(world, part(1), replica_id=2)
    assert not answer.is_waiting
    return world


def tell(world: World, **told: Any) -> None:
    said: dict[str, Any] = {"racks": RACKS, "leaders": {("orders", 0): 1}} | told
    world.tell_all({"orders": {0: [1, 2]}}, **said)


@pytest.mark.parametrize("version", range(11, 18))
def test_the_leader_names_the_follower_at_once_and_reads_nothing(version: int) -> None:
    world = leading()

    data = only_part(fetch(world, part(0), rack="b", version=version, max_wait_ms=500))

    assert (2, b"", ErrorCode.NONE) == (
        data.preferred_read_replica,
        bytes(data.records),
        data.error_code,
    )
    assert (1, 1, 0) == (data.high_watermark, data.last_stable_offset, data.log_start_offset)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (BY_RACK, {"rack": "a"}),
        (BY_RACK, {"rack": "c"}),
        (BY_RACK, {"rack": ""}),
        (BY_RACK, {"rack": "b", "version": 10}),
        (BY_RACK, {"rack": "b", "replica_id": 2}),
        (ApiSettings(), {"rack": "b"}),
    ],
)
def test_all_others_are_served(settings: ApiSettings, said: dict[str, Any]) -> None:
    world = leading(settings)

    data = only_part(fetch(world, part(0), **said))

    assert (NOBODY, [0]) == (data.preferred_read_replica, base_offsets(data))


def test_nobody_is_sent_to_who_is_not_alive() -> None:
    world = leading()
    tell(world, brokers=[1])

    assert [0] == base_offsets(only_part(fetch(world, part(0), rack="b")))


def test_nobody_is_sent_where_he_cannot_go() -> None:
    world = leading()
    inside = PEER._replace(listener="INSIDE")

    by_another = only_part(fetch(world, part(0), rack="b", peer=inside))

    assert (NOBODY, [0]) == (by_another.preferred_read_replica, base_offsets(by_another))


def test_errors_are_told_first() -> None:
    world = leading()

    data = only_part(fetch(world, part(0, leader_epoch=7), rack="b"))

    assert (ErrorCode.UNKNOWN_LEADER_EPOCH, NOBODY) == (
        data.error_code,
        data.preferred_read_replica,
    )


def test_a_follower_serves_consumers_of_its_rack_itself() -> None:
    world = World(BY_RACK)
    world.tell_all({"orders": {0: [2, 1]}}, racks={1: "b", 2: "a"})
    world.order("orders", leader=2, replicas=[2, 1])

    data = only_part(fetch(world, part(0), rack="b"))

    assert (ErrorCode.NONE, NOBODY) == (data.error_code, data.preferred_read_replica)


def test_a_session_tells_it_again_until_the_partition_is_fetched_elsewhere() -> None:
    world = leading()

    first = fetch(world, part(1), rack="b", session=(0, 0), max_wait_ms=500)
    again = fetch(world, rack="b", session=(first.body.session_id, 1), max_wait_ms=500)
    without = fetch(world, rack="b", session=(first.body.session_id, 2), forgotten=(0,))

    assert [2, 2] == [only_part(one).preferred_read_replica for one in (first, again)]
    assert [] == indexes(without.body)


def test_a_fetch_that_waits_is_told_as_soon_as_the_follower_has_joined() -> None:
    world = World(BY_RACK)
    world.lead(replicas=[1, 2], isr=[1])
    tell(world)
    waiting = fetch(world, part(0), rack="b", session=(0, 0), max_wait_ms=5000)
    assert waiting.is_waiting

    fetch(world, part(0), replica_id=2)
    world.order("orders", replicas=[1, 2], isr=[1, 2], leader_epoch=1)
    world.produce(batch(1), acks=1)
    fetch(world, part(1), replica_id=2)

    assert 2 == only_part(waiting).preferred_read_replica
