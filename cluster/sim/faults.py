"""What do operators do to a simulated cluster, what breaks in it, and does it come right again?

Everything is drawn from the world's seed.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cluster.controller.effects import Reply
from cluster.controller.events import Requested, UncleanElectionEnabled
from cluster.controller.requests import ControlledShutdown
from cluster.model.admin import LogDirEvent
from cluster.model.config_entity import ConfigOverrides
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.sim.leading import watch_all_isrs
from cluster.sim.liveness import check_all_is_well
from cluster.sim.process import Process
from cluster.sim.world import ALL_FENCES, SESSION_TIMEOUT_MS, Fault, Fences, World
from cluster.zk import paths
from cluster.zk.admin import encode_log_dir_event
from cluster.zk.configs import encode_config
from cluster.zk.requests import Create, Delete, SetData
from cluster.zk.topics import decode_assignment, encode_assignment

TROUBLE_MS: Final = 8000
HEALING_MS: Final = 30_000
TOPICS: Final = ("a", "b", "c", "d-1")
SHUTDOWN_TRIES: Final = 3


def run(seed: int, fences: Fences = ALL_FENCES) -> World:
    """Play one story to its end: trouble, healing, and a look at how everything is.

    Raises:
        AssertionError: something happened that must not, or something did not come right.
    """
    world = World(seed, fences)
    for _ in range(world.between(6, 18)):
        world.after(world.between(0, TROUBLE_MS), lambda: do_something(world))
    while world.schedule.run_next(TROUBLE_MS):
        pass
    heal(world)
    while world.schedule.run_next(TROUBLE_MS + HEALING_MS):
        pass
    check_all_is_well(world)
    return world


def heal(world: World) -> None:
    """From now on nothing breaks, every broker comes back, and in the end every topic is there.

    Corrupt logs are mended, but for those of topics that are to be deleted: nobody needs to.
    """
    world.is_troubled = False
    doomed = world.zookeeper.children(paths.DELETE_TOPICS)
    for process in list(world.processes.values()):
        if process.is_frozen:
            thaw(world, process)
        mended = {of for of in process.broker.corrupt if of.topic not in doomed}
        process.broker.corrupt -= mended
        if process.is_up and (process.broker.failed or mended):
            world.stop(process)
        if not process.is_up:
            world.start(process.broker_id)
    watch_all_isrs(world)
    # Whatever became of a topic must not be in the way of the next one of its name.
    world.after(HEALING_MS // 2, lambda: create_all(world))


def create_all(world: World) -> None:
    for topic in TOPICS:
        create(world, topic)


def do_something(world: World) -> None:
    """An operator acts, or something breaks."""
    acts: list[Callable[[World], None]] = [
        create_topic,
        create_topic,
        create_topic,
        add_partitions,
        delete_topic,
        stop_broker,
        allow_unclean,
    ]
    breaks = {
        Fault.CRASH: crash,
        Fault.FREEZE: freeze,
        Fault.DISK: fail_disk,
        Fault.EXPIRY: expire,
        Fault.FORCED_MOVE: force_move,
    }
    acts += 2 * [action for fault, action in breaks.items() if fault in world.faults]
    world.random.choice(acts)(world)


# What operators do


def create_topic(world: World) -> None:
    create(world, world.random.choice(TOPICS))


def create(world: World, topic: str) -> None:
    """With an id or without one, as tools of different ages do; nothing if it is there."""
    replica_count = world.between(1, len(world.broker_ids))
    partitions = {
        number: PartitionAssignment(tuple(world.random.sample(world.broker_ids, replica_count)))
        for number in range(world.between(1, 3))
    }
    topic_id = world.new_topic_id() if world.random.random() < 0.7 else None
    assignment = TopicAssignment(partitions=partitions, topic_id=topic_id)
    config = encode_config(ConfigOverrides(values={}))
    world.tool(
        Create(paths.topic_config(topic), config),
        Create(paths.topic(topic), encode_assignment(assignment)),
    )


def add_partitions(world: World) -> None:
    """Also to a topic that is to be deleted, where the controller has to take them back."""
    topic = world.random.choice(TOPICS)
    node = world.zookeeper.node(paths.topic(topic))
    if node is None:
        return
    assignment = decode_assignment(node)
    count = len(assignment.partitions)
    more = PartitionAssignment(
        tuple(world.random.sample(world.broker_ids, len(assignment.partitions[0].replicas)))
    )
    grown = replace(assignment, partitions={**assignment.partitions, count: more})
    world.tool(SetData(paths.topic(topic), encode_assignment(grown), MATCH_ANY))


def delete_topic(world: World) -> None:
    """Also one that is not there."""
    world.tool(Create(paths.delete_topic(world.random.choice(TOPICS))))


def allow_unclean(world: World) -> None:
    """In one topic; every broker reads the notification, and tells its controller core."""
    topic = world.random.choice(TOPICS)
    config = encode_config(ConfigOverrides(values={UNCLEAN_LEADER_ELECTION: "true"}))
    if world.tool(SetData(paths.topic_config(topic), config, MATCH_ANY)):
        for process in world.processes.values():
            tell_unclean(process, topic)


def tell_unclean(process: Process, topic: str) -> None:
    process.deliver(lambda: process.step(UncleanElectionEnabled(topic)))


def stop_broker(world: World) -> None:
    """In order: the controller is asked to move its leaders first."""
    process = world.random.choice(tuple(world.processes.values()))
    if process.is_up and process.is_registered:
        ask_to_stop(world, process, SHUTDOWN_TRIES)


def ask_to_stop(world: World, process: Process, tries: int) -> None:
    """Ask the controller; stop when nothing is left to be moved, or after so many *tries*."""
    controllers = [p for p in world.processes.values() if p.is_up and p.core.active is not None]
    if not process.is_up:
        return
    if tries == 0 or not controllers:
        stop_and_start(world, process)
        return

    def on_reply(reply: Reply) -> None:
        if reply.reply.error == ErrorCode.NONE and not reply.reply.remaining:
            stop_and_start(world, process)
        else:
            world.after(200, lambda: ask_to_stop(world, process, tries - 1))

    controller = world.random.choice(controllers)
    shutdown = ControlledShutdown(process.broker_id, process.broker.broker_epoch)
    request = Requested(world.expect_reply(on_reply), shutdown)
    world.after(world.between(1, 10), lambda: controller.deliver(lambda: controller.step(request)))


def stop_and_start(world: World, process: Process) -> None:
    if process.is_up:
        world.stop(process)
        start_later(world, process)


def start_later(world: World, process: Process) -> None:
    def start() -> None:
        if not world.processes[process.broker_id].is_up:
            world.start(process.broker_id)

    watch_all_isrs(world)
    world.after(world.between(100, 4000), start)


# What breaks


def crash(world: World) -> None:
    process = world.random.choice(tuple(world.processes.values()))
    if process.is_up:
        world.crash(process)
        start_later(world, process)


def freeze(world: World) -> None:
    """Shorter or longer than its session lasts."""
    process = world.random.choice(tuple(world.processes.values()))
    if not process.is_up or process.is_frozen:
        return
    session = process.session
    process.freeze()
    watch_all_isrs(world)

    def expire_if_frozen() -> None:
        is_the_same = process.session == session and not process.is_expiring
        if process.is_up and process.is_frozen and is_the_same:
            world.end_session(process)

    world.after(SESSION_TIMEOUT_MS, expire_if_frozen)
    world.after(world.between(100, 5000), lambda: thaw(world, process))


def fail_disk(world: World) -> None:
    """The broker says that it has lost something, and says what when the controller asks."""
    process = world.random.choice(tuple(world.processes.values()))
    if not process.is_registered or process.is_frozen or not process.broker.roles:
        return
    for partition in list(process.broker.roles):
        if world.random.random() < 0.5:
            process.broker.fail(partition)
    event = encode_log_dir_event(LogDirEvent(broker_id=process.broker_id))
    world.tool(Create(f"{paths.log_dir_event_prefix()}{world.next_sequence():010d}", event))
    watch_all_isrs(world)


def thaw(world: World, process: Process) -> None:
    process.thaw()
    watch_all_isrs(world)


def expire(world: World) -> None:
    process = world.random.choice(tuple(world.processes.values()))
    if process.is_up and not process.is_expiring:
        world.end_session(process)


def force_move(world: World) -> None:
    world.tool(Delete(paths.CONTROLLER))
