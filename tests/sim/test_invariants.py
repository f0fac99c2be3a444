"""Invariants of a controlled shutdown: who may stop, and who leads what others could lead?"""

from random import Random

import pytest

from cluster.controller.requests import ControlledShutdown, ControlledShutdownReply
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import decode_state, encode_assignment
from tests.sim.faults import ask_to_stop
from tests.sim.process import Process
from tests.sim.story import Fault, Story
from tests.sim.violation import Kind, Violation
from tests.sim.world import World

pytestmark = pytest.mark.sim

LEADER = BrokerId(1)


@pytest.fixture
def world() -> World:
    """Brokers without a topic, and nothing that breaks of itself."""
    world = World(Story(1, without=frozenset(fault.name for fault in Fault)))
    world.run_until(1000)
    return world


def create_topic(world: World, assignment: PartitionAssignment) -> None:
    """One partition, which broker 1 leads."""
    topic = TopicAssignment(partitions={0: assignment})
    world.tool(Create(paths.topic("a"), encode_assignment(topic)))
    world.run_until(world.now_ms + 1000)
    assert LEADER == leader_of(world)


def leader_of(world: World) -> int:
    node = world.zookeeper.node(paths.state("a", 0))
    assert node is not None
    return decode_state(node).leader


def controller_of(world: World) -> Process:
    (found,) = (one for one in world.last_processes() if one.is_up and one.controller.core.active)
    return found


def lose_controller(world: World) -> None:
    """Crash it, which is not the leader, and wait for the next one."""
    controller = controller_of(world)
    assert LEADER != controller.broker_id
    world.crash(controller, is_machine=False)
    world.run_until(world.now_ms + 2 * world.pace.session_timeout_ms)
    assert controller is not controller_of(world)


def let_leader_stop(world: World) -> None:
    """Let the controller answer that the leader has nothing left to lead."""
    world.invariants.on_controller_reply(
        controller_of(world).broker_id,
        ControlledShutdown(LEADER, BrokerEpoch(-1)),
        ControlledShutdownReply(ErrorCode.NONE),
    )


def test_whoever_leads_what_others_could_lead_may_not_stop(world: World) -> None:
    create_topic(world, PartitionAssignment((BrokerId(1), BrokerId(2))))

    with pytest.raises(Violation) as violated:
        let_leader_stop(world)

    assert Kind.SHUTDOWN is violated.value.kind


def test_the_leader_of_a_topic_whose_deletion_waits_may_stop(world: World) -> None:
    create_topic(world, PartitionAssignment((BrokerId(1), BrokerId(2), BrokerId(0))))
    # The next controller begins no deletion while a broker with a replica is away.
    world.tool(Create(paths.delete_topic("a")))
    lose_controller(world)
    assert LEADER == leader_of(world)

    leader = world.process_of(LEADER)
    ask_to_stop(world, Random(1), leader, tries=1)
    # Shorter than it waits when something is left.
    world.run_until(world.now_ms + 100)

    assert not leader.is_up


def test_the_leader_of_a_topic_that_is_moved_before_its_deletion_may_not_stop(world: World) -> None:
    away = controller_of(world).broker_id
    replicas = (BrokerId(1), BrokerId(2), away)
    lose_controller(world)
    create_topic(world, PartitionAssignment(replicas, adding=(away,)))
    world.tool(Create(paths.delete_topic("a")))
    world.run_until(world.now_ms + 1000)

    with pytest.raises(Violation) as violated:
        let_leader_stop(world)

    assert Kind.SHUTDOWN is violated.value.kind
