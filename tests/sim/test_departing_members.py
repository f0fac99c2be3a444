"""A controller that stands still when a move has reached its target, before the ISR shrinks to it.

The leader has been sent the target, and its ISR still has a replica that is being removed, which
fetches no more.  Nothing may be acknowledged without that member, since it may be elected.
"""

from random import Random
from typing import Any, NamedTuple

import pytest

from cluster.controller import batch
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.replication.replica import Replica
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import decode_state, encode_assignment
from tests.sim.clients import Client
from tests.sim.faults import keep_up
from tests.sim.story import Fault, Story
from tests.sim.violation import Kind, Violation
from tests.sim.world import World

pytestmark = [pytest.mark.sim, pytest.mark.slow]

A0 = TopicPartition("a", 0)
EVERYTHING = 2**62

followers_of = Replica._followers_of


class Seen(NamedTuple):
    """How many records were acknowledged before the controller stood still, and in the end."""

    before: int
    in_the_end: int


def play(world: World) -> Seen:
    world.run_until(1000)
    (controller,) = (one for one in world.last_processes() if one.controller.core.active)
    stays, goes, comes = (one for one in world.broker_ids if one != controller.broker_id)
    topic = TopicAssignment(
        partitions={0: PartitionAssignment((stays, goes))}, topic_id=world.new_topic_id()
    )
    world.tool(Create(paths.topic("a"), encode_assignment(topic)))
    world.run_until(2000)
    client = Client(world, Random(1))
    client.produce_steadily("a", 6000)
    moved = ReassignableTopic("a", [ReassignablePartition(0, (stays, comes))])
    body = AlterPartitionReassignmentsRequest(500, [moved])
    client.ask_controller((ApiKey.ALTER_PARTITION_REASSIGNMENTS, 0, body))

    # Epoch 0 is that of the first order, 1 that of the move, and 2 that of its end.
    for at_ms in range(world.now_ms, 3000):
        active = controller.controller.core.active
        assert active is not None
        if active.context.states[A0].leader_epoch == 2:
            break
        world.run_until(at_ms)
    # The order is under way.
    controller.freeze()
    node = world.zookeeper.node(paths.state(A0.topic, A0.partition))
    assert node is not None
    state = decode_state(node)
    assert (state.leader, set(state.isr)) == (stays, {stays, goes, comes})

    before = world.history.acknowledged_count
    world.run_until(4000)
    keep_up(world)
    controller.thaw()
    world.run_until(6000)
    return Seen(before, world.history.acknowledged_count)


def waits_for_replicas_only(self: Replica, isr: Any, assignment: Any, *rest: Any) -> Any:
    """As Kafka's leaders: a member of the ISR that is no replica any more has everything."""
    followers = followers_of(self, isr, assignment, *rest)
    for broker_id, follower in followers.items():
        if broker_id not in assignment.replicas:
            follower.log_end_offset = EVERYTHING
    return followers


def tells_replicas_only(assignment: Any, isr: Any) -> Any:
    """As Kafka's controllers."""
    return assignment


def world_without_faults() -> World:
    return World(Story(1, without=frozenset(fault.name for fault in Fault)))


def test_members_that_are_no_replicas_any_more_are_waited_for() -> None:
    seen = play(world_without_faults())

    assert 0 < seen.before < seen.in_the_end


def test_leader_and_controller_each_wait_for_members_that_are_no_replicas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as without:
        without.setattr(Replica, "_followers_of", waits_for_replicas_only)
        play(world_without_faults())
    with monkeypatch.context() as without:
        without.setattr(batch, "with_members", tells_replicas_only)
        play(world_without_faults())


def test_without_this_a_member_lacks_what_was_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Replica, "_followers_of", waits_for_replicas_only)
    monkeypatch.setattr(batch, "with_members", tells_replicas_only)

    with pytest.raises(Violation) as violated:
        play(world_without_faults())

    assert violated.value.kind is Kind.LOST_RECORD
