"""A leader that is the controller, whose machine stops, and that is back before the next one looks.

Nobody sees that it was away.  In the same leader epoch it would lead on with less than its
followers have, and give their offsets to other records: replicas that differ for ever.  The
followers stay, or are stopped in order and back, too.
"""

from collections.abc import Callable, Generator, Sequence
from random import Random
from typing import Any

import pytest

from cluster.controller import bounces
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import decode_state, encode_assignment
from tests.sim.clients import Client
from tests.sim.history import headers_of
from tests.sim.shrinking import violation_of
from tests.sim.story import Fault, Plot, Story
from tests.sim.violation import Kind, Violation
from tests.sim.world import World

pytestmark = pytest.mark.sim

A0 = TopicPartition("a", 0)


def state_of(world: World) -> PartitionState:
    node = world.zookeeper.node(paths.state(A0.topic, A0.partition))
    assert node is not None
    return decode_state(node)


def freeze_others(world: World, others: Sequence[BrokerId]) -> None:
    for broker_id in others:
        world.process_of(broker_id).freeze()


def stop_others(world: World, others: Sequence[BrokerId]) -> None:
    """In order, one of them twice, before the controller can hear of it; they are back at once."""
    for broker_id in (*others, *others[:1]):
        world.stop(world.process_of(broker_id))
        world.start(broker_id)
        assert world.process_of(broker_id).is_registered
    freeze_others(world, others)


def play(world: World, act: Callable[[World, Sequence[BrokerId]], None]) -> BrokerId:
    """The story; who led, and was the controller, until its machine stopped.

    *act* is what happens to the others in that moment.
    """
    world.run_until(1000)
    (leader,) = (one.broker_id for one in world.last_processes() if one.controller.core.active)
    others = tuple(broker_id for broker_id in world.broker_ids if broker_id != leader)
    topic = TopicAssignment(
        partitions={0: PartitionAssignment((leader, *others))}, topic_id=world.new_topic_id()
    )
    world.tool(Create(paths.topic("a"), encode_assignment(topic)))
    world.run_until(2000)
    assert state_of(world).leader == leader
    client = Client(world, Random(1))
    client.produce_steadily("a", 3000)
    world.run_until(3500)
    assert world.history.acknowledged_count > 5

    act(world, others)
    world.crash(world.process_of(leader), is_machine=True)
    world.start(leader)
    end_ms = world.now_ms + world.pace.session_timeout_ms + 2 * world.pace.retry_ms
    world.run_until(end_ms)
    assert world.process_of(leader).is_registered
    for broker_id in others:
        world.process_of(broker_id).thaw()

    client.produce_steadily("a", end_ms + 3000)
    world.run_until(end_ms + 5000)
    return leader


def looks_at_no_registration(*args: Any) -> Generator[Any, Any, None]:
    """As Kafka: whoever is registered has been there all the time."""
    return
    yield


@pytest.mark.slow
@pytest.mark.parametrize("act", [freeze_others, stop_others])
def test_somebody_leads_who_has_everything_and_the_replicas_become_equal(act: Any) -> None:
    world = World(Story(1, without=frozenset(fault.name for fault in Fault)))

    former = play(world, act)

    (elected,) = [one.message for one in world.lines if "leaderEpoch=1," in one.message]
    assert f"leader={former}," not in elected
    assert set(state_of(world).isr) == set(world.broker_ids)
    logs = [dict(process.open_logs())[A0] for process in world.last_processes()]
    world.history.check(world.invariants.topic_id("a"), A0, logs[0])
    contents = [tuple(headers_of(log)) for log in logs]
    assert contents.count(contents[0]) == len(contents)


def test_without_this_a_leader_leads_on_with_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounces, "remove_bounced_from_isrs", looks_at_no_registration)
    world = World(Story(1, without=frozenset(fault.name for fault in Fault)))

    with pytest.raises(Violation) as violated:
        play(world, freeze_others)

    assert violated.value.kind is Kind.SECOND_LIFE


def believes_nobody(*args: Any) -> frozenset[BrokerId]:
    """As Kafka: nobody says that it has shut down cleanly …"""
    return frozenset()


def says_nothing(self: BrokerRegistration, zxid: int) -> bool:
    """… or has not."""
    return False


@pytest.mark.slow
def test_without_clean_shutdowns_the_one_leads_that_has_lost_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounces, "_intact", believes_nobody)
    monkeypatch.setattr(BrokerRegistration, "has_lost_since", says_nothing)
    world = World(Story(1, without=frozenset(fault.name for fault in Fault)))

    with pytest.raises(Violation) as violated:
        play(world, stop_others)

    assert violated.value.kind is Kind.LOST_RECORD


@pytest.mark.slow
def test_without_this_some_story_ends_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounces, "remove_bounced_from_isrs", looks_at_no_registration)

    # Of the seeds before, none is such a story so far.
    violations = (violation_of(Story(seed, plot=Plot.PARTITION)) for seed in range(18, 118))

    assert any(one is not None and one.kind is Kind.SECOND_LIFE for one in violations)
