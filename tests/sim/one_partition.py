"""The plot of one partition: leaders and ISRs change all the time, while somebody produces.

Short and dense: what holds replication together is needed in the moments between a decision and
its news, and these are rare in `faults`.  Whether all comes right in the end is looked at there.

Everything is drawn from the story's seed.
"""

from itertools import takewhile
from random import Random
from typing import Final

from cluster.model.admin import PartitionList, Reassignment
from cluster.model.config_entity import ConfigOverrides
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_id import topic_id_text
from cluster.storage.log.partition_log import PartitionLog
from cluster.zk import paths
from cluster.zk.admin import encode_preferred_election, encode_reassignment
from cluster.zk.configs import encode_config
from cluster.zk.requests import Create
from cluster.zk.topics import encode_assignment
from tests.sim.clients import Client
from tests.sim.clock_steps import plan_clock_steps
from tests.sim.controller import orders_to
from tests.sim.faults import Act, client_moves_log, crash, do, expire, force_move, freeze, keep_up
from tests.sim.history import Incarnation, headers_of
from tests.sim.peers import way_of
from tests.sim.process import Process
from tests.sim.story import Fault
from tests.sim.world import World

PARTITION: Final = TopicPartition("a", 0)
BEGIN_MS: Final = 60
"""When there is a leader, unless something keeps it from being there."""
FAULTS_MS: Final = 1200
HEALING_MS: Final = 250
LOOK_MS: Final = 5
UPKEEP_MS: Final = 50
PRODUCERS: Final = 2
BURSTS: Final = (5, 9)
ACTS_IN_A_BURST: Final = (3, 7)
BURST_MS: Final = 60
HELD_MS: Final = (5, 250)


def play(world: World) -> None:
    plan = Random(f"{world.story.seed} acts")
    begin(world, plan)
    for producer in range(PRODUCERS):
        produce = Client(world, Random(f"{world.story.seed} producer {producer}"))
        world.after(
            BEGIN_MS,
            lambda one=produce: one.produce_steadily(PARTITION.topic, FAULTS_MS),  # type: ignore[misc]
        )
    number = 0
    for _ in range(plan.randint(*BURSTS)):
        burst_ms = plan.randint(BEGIN_MS, FAULTS_MS - BURST_MS)
        for _ in range(plan.randint(*ACTS_IN_A_BURST)):
            act = plan.choice(ACTS)
            number += 1
            # Each has a random stream of its own: to leave one out does not change the others.
            stream = Random(f"{world.story.seed} {number}")
            at_ms = burst_ms + plan.randint(0, BURST_MS)
            world.after(at_ms, lambda act=act, stream=stream: do(world, act, BREAKS, stream))  # type: ignore[misc]
    plan_clock_steps(world, FAULTS_MS)
    observer = Observer(world)
    for at_ms in range(0, FAULTS_MS + HEALING_MS, LOOK_MS):
        world.after(at_ms, observer.look)
    for at_ms in range(UPKEEP_MS, FAULTS_MS + HEALING_MS, UPKEEP_MS):
        world.after(at_ms, lambda: keep_up(world))
    world.run_until(FAULTS_MS)
    heal(world)
    world.run_until(FAULTS_MS + HEALING_MS)
    observer.check_leader()


def begin(world: World, plan: Random) -> None:
    """Make the topic, with a replica on every broker."""
    replicas = tuple(plan.sample(world.broker_ids, len(world.broker_ids)))
    assignment = TopicAssignment(
        partitions={PARTITION.partition: PartitionAssignment(replicas)},
        topic_id=world.new_topic_id(),
    )
    config = ConfigOverrides(values=plan.choice(CONFIGS))
    world.tool(
        Create(paths.topic_config(PARTITION.topic), encode_config(config)),
        Create(paths.topic(PARTITION.topic), encode_assignment(assignment)),
    )


def heal(world: World) -> None:
    """From now on nothing breaks, and every broker comes back."""
    world.is_troubled = False
    for process in list(world.processes.values()):
        process.disk.crash_at = None
        if process.is_frozen:
            process.thaw()
        if not world.processes[process.broker_id].is_up:
            world.start(process.broker_id)


class Observer:
    """Reads whatever a consumer could read, and sees that nothing of it is missing in the ISR."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._read: dict[PartitionLog, tuple[int, int]] = {}
        """Up to where each log was read, and in which leader epoch."""

    def look(self) -> None:
        history = self._world.history
        for process in self._world.processes.values():
            for partition, log in process.open_logs():
                if process.is_up:
                    self._consume(process, log)
                history.check_member(process, partition, log)

    def _consume(self, process: Process, log: PartitionLog) -> None:
        hosted = process.broker.partitions.find(PARTITION)
        if hosted is None or not hosted.replica.is_leader or log.is_offline:
            return
        high_watermark, leader_epoch = hosted.replica.high_watermark, hosted.replica.leader_epoch
        offset, in_epoch = self._read.get(log, (0, -1))
        if in_epoch != leader_epoch:
            offset = log.log_start_offset
        if high_watermark > offset:
            of = Incarnation(topic_id_text(hosted.topic_id), PARTITION)
            headers = takewhile(
                lambda header: header.next_offset <= high_watermark, headers_of(log, offset)
            )
            self._world.history.on_read(of, leader_epoch, headers, high_watermark)
        self._read[log] = (max(offset, high_watermark), leader_epoch)

    def check_leader(self) -> None:
        """See that the leader of the end has everything."""
        for process in self._world.processes.values():
            hosted = process.broker.partitions.find(PARTITION)
            if hosted is None:
                continue
            topic_id = topic_id_text(hosted.topic_id)
            state = self._world.invariants.state_of(topic_id, PARTITION)
            if state is not None and state.leader == process.broker_id:
                self._world.history.check(topic_id, PARTITION, hosted.log)


# What operators do.


def move_leader(world: World, random: Random) -> None:
    """Give the partition another preferred leader, and have it elected."""
    replicas = tuple(random.sample(world.broker_ids, len(world.broker_ids)))
    request = encode_reassignment(Reassignment(targets={PARTITION: replicas}))
    election = encode_preferred_election(PartitionList(partitions=(PARTITION,)))
    world.tool(Create(paths.REASSIGN_PARTITIONS, request))
    world.after(
        random.randint(5, 40),
        lambda: ignore(world.tool(Create(paths.PREFERRED_ELECTION, election))),
    )


def stop_broker(world: World, random: Random) -> None:
    """Without a word to the controller, which hears of it at once."""
    process = random.choice(tuple(world.processes.values()))
    if process.is_up and not process.is_frozen:
        world.stop(process)
        world.start_later(process.broker_id)


# What breaks.


def hold_link(world: World, random: Random) -> None:
    """What one broker asks another is slow, both ways."""
    one, other = random.sample(world.broker_ids, 2)
    world.hold(way_of(one, other), random.randint(*HELD_MS))


def hold_orders(world: World, random: Random) -> None:
    """A broker hears late of what has changed."""
    world.hold(orders_to(random.choice(world.broker_ids)), random.randint(*HELD_MS))


def ignore(result: object) -> None:
    """A request that is still served is in the way of the next one."""


CONFIGS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"flush.messages": "1"},
    {"min.insync.replicas": "2"},
)
BREAKS: Final[dict[Act, Fault]] = {
    crash: Fault.CRASH,
    freeze: Fault.FREEZE,
    expire: Fault.EXPIRY,
    force_move: Fault.FORCED_MOVE,
    hold_orders: Fault.SLOW_ORDER,
}
ACTS: Final[tuple[Act, ...]] = (
    *4 * (move_leader,),
    *3 * (client_moves_log,),
    *2 * (stop_broker,),
    *6 * (hold_link,),
    *3 * (hold_orders,),
    *3 * (freeze,),
    *2 * (crash,),
    expire,
    force_move,
)
