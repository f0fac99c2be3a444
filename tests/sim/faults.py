"""The plot of a simulated cluster: what operators and clients do, and what breaks.

Everything is drawn from the story's seed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final, cast

from cluster.model.admin import PartitionList, Reassignment
from cluster.model.config_entity import (
    ConfigChange,
    ConfigEntity,
    ConfigOverrides,
    Entity,
    EntityKind,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, TopicPartition
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
)
from cluster.zk import paths
from cluster.zk.admin import encode_preferred_election, encode_reassignment
from cluster.zk.configs import encode_config, encode_config_change, entity_path
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment
from tests.sim import network
from tests.sim.clients import PEER, TIMEOUT_MS, Client
from tests.sim.clock_steps import plan_clock_steps
from tests.sim.disk import SimDisk
from tests.sim.liveness import QUIET_MS, all_is_well, check_all_is_well
from tests.sim.process import DIRECTORIES, Process
from tests.sim.story import Fault
from tests.sim.world import World

FAULTS_MS: Final = 8000
HEALING_MS: Final = 30_000
USED_MS: Final = HEALING_MS // 2
"""When somebody uses every topic: whoever has not heard of a broker's failed disk yet does then."""
STEADY_MS: Final = 4000
UPKEEP_MS: Final = 900
UPKEEP_LEFT_MS: Final = 3000
"""For how long it goes on when the faults are over."""
TOPICS: Final = ("a", "b", "c", "d-1")
SHUTDOWN_TRIES: Final = 3
FROZEN_STOP_MS: Final = 200
CRASH_WITHIN: Final = 40
"""A machine that stops amid its work does so within so many operations of its disk."""


def play(world: World) -> None:
    plan = Random(f"{world.story.seed} acts")
    for number in range(plan.randint(16, 36)):
        act = plan.choice(ACTS)
        # Topics come early: most of what happens needs one.
        last_ms = FAULTS_MS // 4 if act in CREATING else FAULTS_MS
        at_ms = plan.randint(0, last_ms)
        # Each has a random stream of its own: to leave one out does not change the others.
        stream = Random(f"{world.story.seed} {number}")
        world.after(at_ms, lambda act=act, stream=stream: do(world, act, BREAKS, stream))  # type: ignore[misc]
    plan_clock_steps(world, FAULTS_MS)
    for at_ms in range(UPKEEP_MS, FAULTS_MS + UPKEEP_LEFT_MS, UPKEEP_MS):
        world.after(at_ms, lambda: keep_up(world))
    world.run_until(FAULTS_MS)
    heal(world)
    world.run_until(FAULTS_MS + USED_MS + QUIET_MS)
    if not all_is_well(world):
        world.run_until(FAULTS_MS + HEALING_MS)
        check_all_is_well(world)


def do(world: World, act: "Act", breaks: "Mapping[Act, Fault]", random: Random) -> None:
    """Let an operator or a client act, or something break that is one of *breaks*, if the world has
    such faults."""
    fault = breaks.get(act)
    if (fault is None or fault in world.faults) and world.comes_up(act.__name__):
        act(world, random)


def keep_up(world: World) -> None:
    for process in world.processes.values():
        process.deliver(process.upkeep)


def heal(world: World) -> None:
    """From now on nothing breaks, every broker comes back, and in the end every topic is there.

    Logs that could not be opened are, after another start, but for those of topics that are to be
    deleted, when nothing has to be moved before: nobody needs to.
    """
    world.is_troubled = False
    to_be_deleted = {
        topic
        for topic in world.zookeeper.children(paths.DELETE_TOPICS)
        if not is_reassigning(world, topic)
    }
    for process in list(world.processes.values()):
        process.disk.crash_at = None
        if process.is_frozen:
            thaw(world, process)
        unopened = {of.topic for one in process.logs.directories for of in one.unopened}
        if process.is_up and (process.has_failed_logs or unopened - to_be_deleted):
            world.stop(process)
        if not world.processes[process.broker_id].is_up:
            world.start(process.broker_id)
    for part in (8, 6, 5, 4):
        world.after(HEALING_MS // part, lambda: clear_disks(world))
    # Whatever became of a topic must not be in the way of the next one of its name.
    world.after(HEALING_MS // 3, lambda: create_all(world))
    world.after(USED_MS, lambda: use_all(world))


def clear_disks(world: World) -> None:
    """Restart brokers whose logs nobody deletes any more, so that an operator can; each of these
    may have been the controller, which others have waited for.
    """
    for process in list(world.processes.values()):
        if process.is_up and world.invariants.abandoned(process.broker_id):
            world.stop(process)
            world.start(process.broker_id)


def is_reassigning(world: World, topic: str) -> bool:
    node = world.zookeeper.node(paths.topic(topic))
    return node is not None and decode_assignment(node).is_reassigning


def create_all(world: World) -> None:
    for topic in TOPICS:
        create(world, Random(f"{world.story.seed} {topic}"), topic)


def use_all(world: World) -> None:
    for topic in TOPICS:
        Client(world, Random(f"{world.story.seed} use {topic}")).produce_and_read(rounds=1)


# What clients do


def client_creates_topic(world: World, random: Random) -> None:
    Client(world, random).create_topic(random.choice(TOPICS))


def client_creates_partitions(world: World, random: Random) -> None:
    Client(world, random).create_partitions(random.choice(TOPICS))


def client_deletes_topic(world: World, random: Random) -> None:
    Client(world, random).delete_topic(random.choice(TOPICS))


def client_elects_leaders(world: World, random: Random) -> None:
    Client(world, random).elect_leaders(random.choice(TOPICS))


def client_reassigns(world: World, random: Random) -> None:
    Client(world, random).reassign(random.choice(TOPICS))


def client_moves_log(world: World, random: Random) -> None:
    """To the other directory of the broker, which may do something else with it by then."""
    process = random.choice(tuple(world.processes.values()))
    logs = tuple(process.open_logs())
    if logs:
        partition, log = random.choice(logs)
        (path,) = (one for one in DIRECTORIES if one != log.health.directory)
        Client(world, random).move_log(process.broker_id, partition, path)


def client_alters_configs(world: World, random: Random) -> None:
    Client(world, random).alter_configs(random.choice(TOPICS))


def client_produces_and_reads(world: World, random: Random) -> None:
    Client(world, random).produce_and_read(random.randint(1, 4))


def client_produces_steadily(world: World, random: Random) -> None:
    until_ms = world.now_ms + random.randint(500, STEADY_MS)
    Client(world, random).produce_steadily(random.choice(TOPICS), min(until_ms, FAULTS_MS))


# What operators do with tools that write ZooKeeper


def create_topic(world: World, random: Random) -> None:
    create(world, random, random.choice(TOPICS))


def create(world: World, random: Random, topic: str) -> None:
    """With an id or without one, as tools of different ages do; nothing if it is there."""
    replica_count = random.randint(1, len(world.broker_ids))
    partitions = {
        number: PartitionAssignment(tuple(random.sample(world.broker_ids, replica_count)))
        for number in range(random.randint(1, 3))
    }
    topic_id = world.new_topic_id() if random.random() < 0.7 else None
    assignment = TopicAssignment(partitions=partitions, topic_id=topic_id)
    config = encode_config(ConfigOverrides(values={}))
    world.tool(
        Create(paths.topic_config(topic), config),
        Create(paths.topic(topic), encode_assignment(assignment)),
    )


def add_partitions(world: World, random: Random) -> None:
    """Also to a topic that is to be deleted, where the controller has to take them back."""
    topic = random.choice(TOPICS)
    node = world.zookeeper.node(paths.topic(topic))
    if node is None:
        return
    assignment = decode_assignment(node)
    count = len(assignment.partitions)
    more = PartitionAssignment(
        tuple(random.sample(world.broker_ids, len(assignment.partitions[0].replicas)))
    )
    grown = replace(assignment, partitions={**assignment.partitions, count: more})
    world.tool(SetData(paths.topic(topic), encode_assignment(grown), MATCH_ANY))


def delete_topic(world: World, random: Random) -> None:
    """Also one that is not there."""
    world.tool(Create(paths.delete_topic(random.choice(TOPICS))))


def reassign(world: World, random: Random) -> None:
    """Some partitions, and some that are not there; nothing while an older request is there."""
    targets = {
        TopicPartition(random.choice(TOPICS), random.randrange(3)): tuple(
            random.sample(world.broker_ids, random.randint(1, len(world.broker_ids)))
        )
        for _ in range(random.randint(1, 4))
    }
    request = encode_reassignment(Reassignment(targets=targets))
    world.tool(Create(paths.REASSIGN_PARTITIONS, request))


def allow_unclean(world: World, random: Random) -> None:
    """In one topic; every broker reads the notification, and tells its controller core."""
    topic = random.choice(TOPICS)
    config = encode_config(ConfigOverrides(values={UNCLEAN_LEADER_ELECTION: "true"}))
    owner = ConfigEntity(Entity(EntityKind.TOPICS, topic))
    change = encode_config_change(ConfigChange(entity_path=entity_path(owner)))
    world.tool(
        SetData(paths.topic_config(topic), config, MATCH_ANY),
        Create(paths.config_change_prefix(), change, is_sequential=True),
    )


def elect_preferred(world: World, random: Random) -> None:
    """Also partitions that are not there; without effect while a request of before is served."""
    partitions = tuple(
        TopicPartition(topic, random.randrange(2)) for topic in random.sample(TOPICS, 3)
    )
    data = encode_preferred_election(PartitionList(partitions=partitions))
    world.tool(Create(paths.PREFERRED_ELECTION, data))


def stop_broker(world: World, random: Random) -> None:
    """In order: the controller is asked to move its leaders first."""
    process = random.choice(tuple(world.processes.values()))
    if process.is_up and process.is_registered:
        ask_to_stop(world, random, process, SHUTDOWN_TRIES)


def ask_to_stop(world: World, random: Random, process: Process, tries: int) -> None:
    """Ask the controller; stop when nothing is left to be moved, or after so many *tries*."""
    controllers = [p for p in world.processes.values() if p.is_up and p.controller.core.active]
    if not process.is_up:
        return
    if tries == 0 or not controllers:
        stop_and_start(world, process)
        return

    def on_answer(answer: Any | None) -> None:
        is_answered = answer is not None and answer.error_code == ErrorCode.NONE
        if is_answered and not cast(ControlledShutdownResponse, answer).remaining_partitions:
            stop_and_start(world, process)
        else:
            world.after(200, lambda: ask_to_stop(world, random, process, tries - 1))

    body = ControlledShutdownRequest(process.broker_id, process.registration.broker_epoch)
    asked = (ApiKey.CONTROLLED_SHUTDOWN, 3, body)
    controller_id = random.choice(controllers).broker_id
    delay_ms = random.randint(1, 10)
    network.ask(world, controller_id, asked, PEER, TIMEOUT_MS, on_answer, delay_ms=delay_ms)


def stop_and_start(world: World, process: Process) -> None:
    """A broker that is frozen by now stops when it has thawed: it has asked for it."""
    if not process.is_up:
        return
    if process.is_frozen:
        world.after(FROZEN_STOP_MS, lambda: stop_and_start(world, process))
        return
    world.stop(process)
    world.start_later(process.broker_id)


# What breaks


def crash(world: World, random: Random) -> None:
    process = random.choice(tuple(world.processes.values()))
    if not process.is_up:
        return
    name = f"b{process.broker_id}"
    if world.does(Fault.MACHINE, 0.3, name):
        process.disk.crash_at = len(process.disk.operations) + random.randint(1, CRASH_WITHIN)
        return
    world.crash(process, is_machine=world.does(Fault.MACHINE, 0.7, name))
    world.start_later(process.broker_id)


def freeze(world: World, random: Random) -> None:
    """Shorter or longer than its session lasts."""
    process = random.choice(tuple(world.processes.values()))
    if not process.is_up or process.is_frozen:
        return
    session = process.session
    process.freeze()

    def expire_if_frozen() -> None:
        is_the_same = process.session == session and not process.is_expiring
        if process.is_up and process.is_frozen and is_the_same:
            world.end_session(process)

    world.after(world.pace.session_timeout_ms, expire_if_frozen)
    world.after(random.randint(*world.pace.frozen_ms), lambda: thaw(world, process))


def fail_disk(world: World, random: Random) -> None:
    """A log directory does nothing any more, which its broker notices when it uses it."""
    process = random.choice(tuple(world.processes.values()))
    if not process.is_registered or not process.is_up:
        return
    directory = random.choice(DIRECTORIES)
    world.invariants.reassignments.on_disk(process.broker_id, works=False)
    process.disk.fault = failing(process.disk, directory)
    world.after(0, lambda: process.deliver(lambda: notice(process, directory)))


def failing(disk: SimDisk, directory: str) -> Callable[[str, str], OSError | None]:
    before = disk.fault

    def fault(kind: str, path: str) -> OSError | None:
        if path.startswith(directory):
            return OSError(5, "input/output error", path)
        return before(kind, path)

    return fault


def notice(process: Process, path: str) -> None:
    for directory in process.logs.directories:
        if directory.path == path and directory.health.failure is None:
            directory.health.fail(OSError(5, "input/output error", path))
    process.look_for_failures()


def thaw(world: World, process: Process) -> None:
    process.thaw()


def expire(world: World, random: Random) -> None:
    process = random.choice(tuple(world.processes.values()))
    if process.is_up and not process.is_expiring:
        world.end_session(process)


def force_move(world: World, random: Random) -> None:
    world.tool(Delete(paths.CONTROLLER))


Act = Callable[[World, Random], None]

BREAKS: Final[dict[Act, Fault]] = {
    crash: Fault.CRASH,
    freeze: Fault.FREEZE,
    fail_disk: Fault.DISK,
    expire: Fault.EXPIRY,
    force_move: Fault.FORCED_MOVE,
}
CREATING: Final = (create_topic, client_creates_topic)
ACTS: Final[tuple[Act, ...]] = (
    *2 * (create_topic,),
    add_partitions,
    delete_topic,
    *2 * (reassign,),
    stop_broker,
    allow_unclean,
    *2 * (elect_preferred,),
    *2 * (client_creates_topic,),
    client_creates_partitions,
    client_deletes_topic,
    client_alters_configs,
    *3 * (client_moves_log,),
    *3 * (client_elects_leaders,),
    *3 * (client_reassigns,),
    *5 * (client_produces_and_reads,),
    *4 * (client_produces_steadily,),
    *2 * tuple(BREAKS),
)
