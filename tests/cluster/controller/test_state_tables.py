"""The controller is driven from each state to each other; the tables say which it must refuse."""

from collections.abc import Callable, Iterable

import pytest

from cluster.controller import partitions, replicas
from cluster.controller.active_controller import ActiveController
from cluster.controller.election import Strategy
from cluster.controller.partition_states import PARTITION_VALID_PREVIOUS, PartitionStatus
from cluster.controller.procedures import Procedure
from cluster.controller.replica_states import REPLICA_VALID_PREVIOUS, Replica, ReplicaStatus
from cluster.model.ids import BrokerId, TopicPartition
from tests.cluster.controller.harness import Harness, tp

PARTITION_STEPS: dict[
    PartitionStatus, Callable[[ActiveController, Iterable[TopicPartition]], Procedure[None] | None]
] = {
    PartitionStatus.NEW: partitions.make_new,
    PartitionStatus.ONLINE: lambda active, members: partitions.bring_online(
        active, members, Strategy.OFFLINE
    ),
    PartitionStatus.OFFLINE: partitions.take_offline,
    PartitionStatus.NON_EXISTENT: partitions.remove,
}
REPLICA_STEPS: dict[
    ReplicaStatus, Callable[[ActiveController, Iterable[Replica]], Procedure[None] | None]
] = {
    ReplicaStatus.NEW: replicas.make_new,
    ReplicaStatus.ONLINE: replicas.bring_online,
    ReplicaStatus.OFFLINE: replicas.take_offline,
    ReplicaStatus.DELETION_STARTED: replicas.start_deletion,
    ReplicaStatus.DELETION_SUCCESSFUL: replicas.complete_deletion,
    ReplicaStatus.DELETION_INELIGIBLE: replicas.fail_deletion,
    ReplicaStatus.NON_EXISTENT: replicas.remove,
}


@pytest.fixture
def harness() -> Harness:
    """A controller that knows the partition t-0, whose state is in ZooKeeper and not in memory."""
    harness = Harness(1, 2, 3)
    harness.create_topic("t", (1, 2, 3))
    harness.register_controller()
    harness.lines.clear()
    return harness


@pytest.mark.parametrize("target", PartitionStatus)
@pytest.mark.parametrize("previous", PartitionStatus)
def test_a_partition_makes_exactly_the_steps_of_the_table(
    harness: Harness, previous: PartitionStatus, target: PartitionStatus
) -> None:
    active, partition = harness.active, tp("t-0")
    if previous is PartitionStatus.NEW:
        harness.remove_state(partition)
    active.context.set_partition_status(partition, previous)

    harness.perform(PARTITION_STEPS[target](active, (partition,)))

    is_allowed = previous in PARTITION_VALID_PREVIOUS[target]
    expected = target if is_allowed else previous
    assert active.context.partition_status(partition) is expected
    complaints = [line for line in harness.lines if "failed to change state" in line]
    assert bool(complaints) is not is_allowed


@pytest.mark.slow
@pytest.mark.parametrize("target", ReplicaStatus)
@pytest.mark.parametrize("previous", ReplicaStatus)
def test_a_replica_makes_exactly_the_steps_of_the_table(
    harness: Harness, previous: ReplicaStatus, target: ReplicaStatus
) -> None:
    active, replica = harness.active, Replica(BrokerId(2), tp("t-0"))
    active.context.set_replica_status(replica, previous)

    harness.perform(REPLICA_STEPS[target](active, (replica,)))

    is_allowed = previous in REPLICA_VALID_PREVIOUS[target]
    expected = target if is_allowed else previous
    assert active.context.replica_status(replica) is expected
    complaints = [line for line in harness.lines if "initiated state change of replica" in line]
    assert bool(complaints) is not is_allowed


def test_a_leader_cannot_be_made_a_new_replica(harness: Harness) -> None:
    active, leader = harness.active, Replica(BrokerId(1), tp("t-0"))
    active.context.set_replica_status(leader, ReplicaStatus.NON_EXISTENT)

    replicas.make_new(active, (leader,))

    assert active.context.replica_status(leader) is ReplicaStatus.NON_EXISTENT


@pytest.mark.parametrize("table", [PARTITION_VALID_PREVIOUS, REPLICA_VALID_PREVIOUS])
def test_every_state_can_be_reached_and_left_again(table: dict[str, frozenset[str]]) -> None:
    (start,) = (state for state in table if state.startswith("NonExistent"))

    reached = reachable(start, lambda state: {s for s, before in table.items() if state in before})
    able_to_end = reachable(start, lambda state: table[state])

    assert reached == table.keys()
    assert able_to_end == table.keys()


def reachable(start: str, neighbours: Callable[[str], Iterable[str]]) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        fresh = set(neighbours(waiting.pop())) - found
        found |= fresh
        waiting += fresh
    return found
