"""Partitions that fare alike: how many are simulated for all?"""

import pytest

from cluster.model.ids import BrokerId, ControllerEpoch, TopicPartition
from kadmin.simulation.alike import members_of, samples_of
from kadmin.simulation.scenario import Scenario
from tests.kadmin.builders import brokers, cluster, state, topic

LIVE = brokers("1 2 3 4 5 6 7 8 9")
KILLED = Scenario(killed=frozenset({BrokerId(1), BrokerId(9)}))


@pytest.mark.parametrize(
    ("replicas", "sampled"),
    [
        ("2,3 4,5 7,8", [0]),
        ("2,3 3,2", [0, 1]),
        ("1,2 1,3 1,8", [0]),
        ("1,2 9,2 2,9 3,9", [0, 1, 2]),
        ("1,9 9,1 1,1", [0, 1, 2]),
        ("2,20 3,21 2,3", [0, 2]),
    ],
)
def test_the_order_of_brokers_and_what_happens_to_them_decides(replicas, sampled):
    made = cluster(LIVE, topic("t", replicas))

    members = list(members_of(made, KILLED))

    assert sampled == sorted({member.sample.partition for member in members})
    assert [*range(len(replicas.split()))] == [each.partition.partition for each in members]


def test_a_state_of_a_later_controller_and_a_topics_configs_are_apart():
    later = state(2, "2,3")._replace(controller_epoch=ControllerEpoch(7))
    unclean = topic("u", "1,2", configs={"unclean.leader.election.enable": "true"})
    made = cluster(LIVE, topic("t", "2,3 3,4 1,2", {0: later, 1: state(3, "3,4")}), unclean)

    assert 4 == len({member.sample for member in members_of(made, KILLED)})


def test_of_the_targets_those_of_samples_are_left_and_those_of_no_partition():
    target = (BrokerId(4), BrokerId(5))
    targets = {TopicPartition("t", number): target for number in (0, 1, 99)}

    samples = samples_of(cluster(LIVE, topic("t", "1,2 2,3")), Scenario(targets=targets))

    assert [0, 99] == [partition.partition for partition in samples.scenario.targets]
    assert [0] == list(samples.cluster.topics["t"].assignment.partitions)
