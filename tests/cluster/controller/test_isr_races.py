"""Leaders that change their ISRs race with brokers that come and go, elections and deletions.

What must never happen is what the simulator's invariants say, after every write.  A failing test
names its seed.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from cluster.controller.active_controller import LeaderRebalance
from cluster.controller.events import Requested
from cluster.controller.requests import (
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    ControlledShutdown,
    ControllerRequest,
    ElectLeaders,
    IsrMember,
    IsrProposal,
)
from cluster.model.ids import (
    NO_LEADER,
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.topic import RECOVERED
from cluster.zk import paths
from cluster.zk.requests import Create, ZkReply
from tests.cluster.controller.asked import (
    Asked,
    ReadController,
    RegisterController,
    RemoveController,
    WriteStates,
)
from tests.cluster.controller.harness import CONFIG, ME, Harness
from tests.sim.invariants import Invariants
from tests.support.examples import example_count
from tests.support.seeds import seeds

BROKERS = (1, 2, 3, 4)
LAYOUT = ((1, 2, 3), (2, 3, 4), (3, 1), (4, 2, 1))
PARTITIONS = tuple(TopicPartition("t", number) for number in range(len(LAYOUT)))
ACTS = 60
SEEDS = example_count(40)
SEEDS_WITH_EVERY_ANSWER = 40
"""From 0 on: so many have all answers."""
REBALANCE = LeaderRebalance(interval_ms=1000, imbalance_percentage=0)
ELECTING = (ReadController, RegisterController, RemoveController)


class Race:
    """One story, which is drawn from *seed*."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.errors: Counter[str] = Counter()
        self.invariants = Invariants(lambda controller_id, broker_id: True)
        config = replace(CONFIG, leader_rebalance=REBALANCE, writes_traces=False)
        self.harness = Harness(*BROKERS, config=config)
        self.harness.on_commit = self.invariants.on_commit
        self.harness.register_controller()
        self.request_count = self.topic_count = 0
        self.make_topic()
        self.harness.before = self.interfere
        self.asked: dict[int, ControllerRequest] = {}
        self.depth = 0
        """1 in what happens while the controller waits, which is not waited for."""

    def interfere(self, request: Asked) -> ZkReply | None:
        """Let something happen, or an answer be lost, while the controller waits for ZooKeeper."""
        if isinstance(request, ELECTING) or self.depth:
            return None
        if self.random.random() < 0.3:
            self.depth += 1
            self.act()
            self.depth -= 1
        if isinstance(request, WriteStates) and self.random.random() < 0.1:
            self.harness.lose_answers_to(WriteStates, has_landed=self.random.random() < 0.5)
            return self.harness.before(request)
        return None

    def act(self) -> None:
        acts = (
            *8 * (self.propose,),
            *3 * (self.come_or_go,),
            self.elect,
            self.stop,
            self.bring_leaders_home,
            self.make_topic,
            self.delete_topic,
        )
        self.random.choice(acts)()

    def settle(self) -> None:
        self.harness.settle()
        for reply in self.harness.replies:
            asked = self.asked.pop(reply.request_id)
            self.invariants.on_controller_reply(ME, asked, reply.reply)
            if isinstance(reply.reply, AlterPartitionReply):
                self.errors[reply.reply.error.name] += 1
                for partitions in reply.reply.topics.values():
                    self.errors.update(altered.error.name for altered in partitions.values())
        self.harness.replies.clear()
        assert self.asked == {}
        for partition, known in self.harness.active.context.states.items():
            assert known == self.harness.state(partition)
            gone = set(known.isr) - self.harness.broker_sessions.keys()
            assert not gone or (gone == set(known.isr) and known.leader == NO_LEADER)

    def ask(self, request: ControllerRequest) -> None:
        self.request_count += 1
        self.asked[self.request_count] = request
        self.invariants.on_controller_request(request)
        self.harness.step(Requested(self.request_count, request))

    # What brokers, operators and fate do

    def propose(self) -> None:
        partition = self.random.choice(PARTITIONS)
        state = self.harness.state(partition)
        if state is None:
            return
        leader = state.leader if self.random.random() < 0.9 else self.random.choice(BROKERS)
        if leader not in self.harness.broker_sessions:
            leader = self.random.choice((*self.harness.broker_sessions, 1))
        replicas = LAYOUT[partition.partition]
        isr = self.random.sample(replicas, self.random.randint(1, len(replicas)))
        if leader not in isr and self.random.random() < 0.9:
            isr[0] = leader
        members = tuple(IsrMember(BrokerId(one), self.epoch_of(one)) for one in isr)
        proposal = IsrProposal(
            LeaderEpoch(state.leader_epoch + self.about()),
            ZkVersion(state.zk_version + self.about()),
            members,
            RECOVERED,
        )
        self.ask(
            AlterPartition(
                BrokerId(leader),
                BrokerEpoch(max(self.epoch_of(leader), 0)),
                {self.name_of(partition.topic): {partition.partition: proposal}},
            )
        )

    def about(self) -> int:
        return self.random.choice((*20 * (0,), -1, 1))

    def epoch_of(self, broker_id: int) -> BrokerEpoch:
        if broker_id not in self.harness.broker_sessions or self.random.random() < 0.2:
            return UNKNOWN_BROKER_EPOCH
        return BrokerEpoch(self.harness.broker_epoch(broker_id) - (self.random.random() < 0.05))

    def name_of(self, topic: str) -> AskedTopic:
        if self.random.random() < 0.5:
            return AskedTopic(name=topic)
        return AskedTopic(topic_id=f"id-{self.random.choice((self.topic_count, 0))}")

    def come_or_go(self) -> None:
        broker_id = self.random.choice(BROKERS)
        if broker_id in self.harness.broker_sessions:
            self.harness.unregister(broker_id)
            if self.random.random() < 0.5:
                return
        self.harness.register(broker_id)

    def elect(self) -> None:
        self.ask(ElectLeaders(PARTITIONS, is_unclean=self.random.random() < 0.3))

    def stop(self) -> None:
        self.ask(ControlledShutdown(BrokerId(self.random.choice(BROKERS)), BrokerEpoch(-1)))

    def bring_leaders_home(self) -> None:
        if self.depth == 0:
            self.harness.pass_time()

    def make_topic(self) -> None:
        if self.harness.zookeeper.node(paths.topic("t")) is None:
            self.topic_count += 1
            self.harness.create_topic("t", *LAYOUT, topic_id=f"id-{self.topic_count}")

    def delete_topic(self) -> None:
        if self.random.random() < 0.3 and not self.harness.zookeeper.children(paths.DELETE_TOPICS):
            self.harness.tool(Create(paths.delete_topic("t")))


def raced(seed: int) -> Race:
    race = Race(seed)
    for _ in range(ACTS):
        race.act()
        race.settle()
    return race


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(SEEDS))
def test_no_race_breaks_what_holds_of_states(seed: int) -> None:
    raced(seed)


@pytest.mark.slow
def test_races_have_every_answer() -> None:
    every = range(SEEDS_WITH_EVERY_ANSWER)
    errors = sum((raced(seed).errors for seed in every), Counter[str]())

    assert set(errors) == {
        "NONE",
        "STALE_BROKER_EPOCH",
        "UNKNOWN_TOPIC_ID",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "NOT_CONTROLLER",
        "FENCED_LEADER_EPOCH",
        "INVALID_REQUEST",
        "INVALID_UPDATE_VERSION",
        "INELIGIBLE_REPLICA",
    }
