"""Simulations of clusters as nobody would make them: hands have written their znodes."""

import random

import pytest

from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition, ZkVersion
from cluster.model.snapshot import TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from kadmin.simulation.effects import report_on
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.simulate import simulate
from kadmin.simulation.stages import ReassignmentRefused, play
from kadmin.simulation.untouched import Load
from kadmin.simulation.znodes import znodes_of
from tests.kadmin.builders import brokers, cluster
from tests.kadmin.snapshots.builders import saved
from tests.support.seeds import seeds

CLUSTERS = 150


class Draw:
    """What a seed draws; lists of brokers may name one twice, or one that does not exist."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def ids(self) -> tuple[BrokerId, ...]:
        return tuple(BrokerId(self.random.randrange(1, 6)) for _ in range(self.random.randrange(4)))

    def some(self, of: tuple[BrokerId, ...], share: float) -> tuple[BrokerId, ...]:
        return tuple(broker for broker in of if self.often(share))

    def assignment(self) -> PartitionAssignment:
        replicas = self.ids() if self.often(0.3) else tuple(dict.fromkeys(self.ids()))
        adding = self.some(replicas, 0.1)
        removing = tuple(each for each in self.some(replicas, 0.1) if each not in adding)
        return PartitionAssignment(replicas, adding, removing)

    def state(self, replicas: tuple[BrokerId, ...]) -> PartitionState:
        isr = self.ids() if self.often(0.3) else self.some(tuple(dict.fromkeys(replicas)), 0.8)
        return PartitionState(
            self.random.choice([BrokerId(-1), BrokerId(1), *isr, *replicas]),
            isr,
            LeaderEpoch(self.random.randrange(-1, 3)),
            ControllerEpoch(self.random.randrange(-1, 4)),
            self.random.choice([0, 0, 1]),
            zk_version=ZkVersion(0),
        )

    def topic(self) -> TopicSnapshot:
        partitions = {number: self.assignment() for number in range(self.random.randrange(1, 30))}
        unclean = {"unclean.leader.election.enable": "true"} if self.often(0.4) else {}
        return TopicSnapshot(
            name="t",
            assignment=TopicAssignment(partitions=partitions),
            config=ConfigOverrides(values=unclean),
            states={
                number: self.state(part.replicas)
                for number, part in partitions.items()
                if self.often(0.8)
            },
        )

    def scenario(self, live: tuple[BrokerId, ...]) -> Scenario:
        elects_unclean = self.often(0.4)
        if self.often(0.5):
            killed = frozenset(self.some(live, 0.4))
            return Scenario(killed=killed, elects_unclean=elects_unclean)
        targets = {
            TopicPartition("t", number): tuple(dict.fromkeys(self.ids())) for number in (0, 1)
        }
        added = {BrokerId(each): None for each in (5, 9) if each not in live}
        return Scenario(added=added, targets=targets, elects_unclean=elects_unclean)


@pytest.mark.slow
def test_any_cluster_can_be_simulated() -> None:
    for seed in seeds(CLUSTERS):
        draw = Draw(seed)
        live = brokers(" ".join(str(each) for each in range(1, 6) if draw.often(0.7)))
        made = cluster(live, draw.topic())
        scenario = draw.scenario(tuple(live))
        try:
            report = simulate(saved(snapshot=made), scenario)
        except ReassignmentRefused:
            continue

        # What is not touched, or fares as another one does, need not be simulated: all of it
        # together ends alike.
        stages = list(play(made, znodes_of(made), scenario))
        assert report == report_on(made, Load(), scenario, stages, {}, 1), f"seed {seed}"
        left = (live.keys() | scenario.added.keys()) - scenario.killed
        for change in (*report.moved, *report.online, *report.unclean):
            assert change.leader_after in left, f"seed {seed}: {change}"
            # A leader that was damaged before, and is alive again, the controller leaves alone.
            is_elected = change.isr_after != change.isr_before
            assert change.leader_after in change.isr_after or not is_elected, f"seed {seed}"
