"""A broker whose log directories come from a backup, with the mark of an orderly end.

All brokers are killed at once, so the ISR still has each of them, and the restored one is the first
to be back.  As leader it would have the others drop what was acknowledged since.
"""

from copy import deepcopy
from random import Random

import pytest

from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.storage.directories.log_manager import LogManager
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import decode_state, encode_assignment
from tests.sim.clients import Client
from tests.sim.story import Fault, Story
from tests.sim.violation import Kind, Violation
from tests.sim.world import World

pytestmark = pytest.mark.sim

A0 = TopicPartition("a", 0)


def play(world: World) -> None:
    world.run_until(1000)
    topic = TopicAssignment(
        partitions={0: PartitionAssignment(world.broker_ids)}, topic_id=world.new_topic_id()
    )
    world.tool(Create(paths.topic("a"), encode_assignment(topic)))
    world.run_until(2000)
    restored = world.broker_ids[-1]
    world.stop(world.process_of(restored))
    disk = world.process_of(restored).disk
    backup = deepcopy(disk._root)
    world.start(restored)
    Client(world, Random(1)).produce_steadily("a", 6000)
    world.run_until(6500)
    node = world.zookeeper.node(paths.state(A0.topic, A0.partition))
    assert node is not None
    assert set(decode_state(node).isr) == set(world.broker_ids)
    assert world.history.acknowledged_count > 5

    for process in world.last_processes():
        world.crash(process, is_machine=False)
    disk._root = backup
    world.run_until(world.now_ms + 2 * world.pace.session_timeout_ms)
    for broker_id in (restored, *world.broker_ids[:-1]):
        world.start(broker_id)
        world.run_until(world.now_ms + 2000)
    for process in world.last_processes():
        log = dict(process.open_logs())[A0]
        world.history.check(world.invariants.topic_id("a"), A0, log)


def world_without_faults() -> World:
    return World(Story(1, without=frozenset(fault.name for fault in Fault)))


def test_who_was_restored_waits_for_who_has_everything() -> None:
    play(world_without_faults())


def test_without_the_count_of_starts_what_was_acknowledged_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LogManager, "begin_incarnation", lambda self, registered: None)

    with pytest.raises(Violation) as violated:
        play(world_without_faults())

    assert violated.value.kind is Kind.LOST_RECORD
