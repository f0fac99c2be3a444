"""The replica is driven from each role to each other; the table says which it must refuse."""

from collections.abc import Callable

import pytest

from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.replication.replica import Replica
from cluster.replication.replica_roles import ROLE_VALID_PREVIOUS, ReplicaRole
from tests.cluster.replication.leading import EVERYBODY

ME = BrokerId(1)
ALONE = PartitionAssignment((ME,))
LED_HERE = PartitionState(ME, (ME,), LeaderEpoch(0), ControllerEpoch(1))
LED_ELSEWHERE = LED_HERE._replace(leader=BrokerId(2))

STEPS: dict[ReplicaRole, Callable[[Replica], None]] = {
    ReplicaRole.NONE: Replica.end,
    ReplicaRole.LEADER: lambda replica: replica.lead(LED_HERE, ALONE, 0, 0),
    ReplicaRole.FOLLOWER: lambda replica: replica.follow(LED_ELSEWHERE, ALONE),
    ReplicaRole.OFFLINE: Replica.go_offline,
}


@pytest.mark.parametrize("target", ReplicaRole)
@pytest.mark.parametrize("previous", ReplicaRole)
def test_a_replica_takes_exactly_the_roles_of_the_table(
    previous: ReplicaRole, target: ReplicaRole
) -> None:
    replica = Replica(ME, 0, 1, EVERYBODY)
    STEPS[previous](replica)
    assert replica.role is previous

    if previous in ROLE_VALID_PREVIOUS[target]:
        STEPS[target](replica)
        expected = target
    else:
        with pytest.raises(AssertionError):
            STEPS[target](replica)
        expected = previous

    assert expected is replica.role
    assert (expected is ReplicaRole.LEADER) == replica.is_leader


def test_every_role_can_be_reached_from_the_first() -> None:
    reached = {ReplicaRole.NONE}
    while True:
        further = {role for role, before in ROLE_VALID_PREVIOUS.items() if before & reached}
        if further <= reached:
            break
        reached |= further

    assert set(ReplicaRole) == reached


def test_only_a_failed_disk_is_without_return() -> None:
    left_again = set().union(*ROLE_VALID_PREVIOUS.values())

    assert {ReplicaRole.OFFLINE} == set(ReplicaRole) - left_again
