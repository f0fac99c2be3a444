"""Whether everything is right in a simulated world that has had time to heal."""

from typing import Final

from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState
from cluster.model.topic_id import topic_id_text
from cluster.zk import paths
from cluster.zk.configs import decode_config
from cluster.zk.topics import decode_assignment, decode_state
from tests.sim.history import headers_of
from tests.sim.process import CONFIGS, Process
from tests.sim.violation import Kind, Violation
from tests.sim.world import World

QUIET_MS: Final = 5000
"""For how long nothing has changed in ZooKeeper in the end.  Followers go on fetching."""

States = dict[TopicPartition, PartitionState]


def check_all_is_well(world: World) -> None:
    """Raise a Violation that says what has not come right."""
    quiet_ms = world.now_ms - world.last_commit_ms
    if quiet_ms < QUIET_MS:
        raise Violation(Kind.STUCK, f"still busy at {world.last_commit_ms} ms")
    check_one_controller(world)
    check_nothing_is_left_to_do(world)
    states = check_partitions(world)
    check_replicas_are_equal(world, states)
    for process in world.processes.values():
        check_metadata(world, process, states)
        check_replicas(world, process, states)
        check_configs(world, process)


def all_is_well(world: World) -> bool:
    """Whether nothing is left to be waited for; what has not come right may yet."""
    try:
        check_all_is_well(world)
    except Violation:
        return False
    return True


def check_one_controller(world: World) -> None:
    cores = [(process.session, process.controller.core) for process in world.processes.values()]
    node = world.zookeeper.node(paths.CONTROLLER)
    sessions = [session for session, core in cores if core.active is not None]
    if node is None or sessions != [node.ephemeral_owner]:
        raise Violation(Kind.NO_CONTROLLER, f"controllers are {sessions}, elected is {node}")
    if not all(core.is_idle for _, core in cores):
        raise Violation(Kind.STUCK, "a controller core hangs")


def check_nothing_is_left_to_do(world: World) -> None:
    for path in (paths.ISR_CHANGES, paths.LOG_DIR_EVENTS, paths.DELETE_TOPICS):
        left = world.zookeeper.children(path)
        if left:
            raise Violation(Kind.LEFTOVER, f"in {path}: {left}")
    for path in (paths.REASSIGN_PARTITIONS, paths.PREFERRED_ELECTION):
        request = world.zookeeper.node(path)
        if request is not None:
            raise Violation(Kind.LEFTOVER, f"{request}")


def check_partitions(world: World) -> States:
    """Every partition has its preferred leader and all replicas in the ISR; returns the states.

    That leader need not have led for long: controllers bring leaderships back.
    """
    states = {}
    for topic in world.zookeeper.children(paths.TOPICS):
        node = world.zookeeper.node(paths.topic(topic))
        assert node is not None
        assignment = decode_assignment(node)
        if assignment.topic_id is None:
            raise Violation(Kind.LEFTOVER, f"{topic} has no id")
        if assignment.is_reassigning:
            raise Violation(Kind.LEFTOVER, f"{topic} is being reassigned: {assignment}")
        for number, partition in assignment.partitions.items():
            state_node = world.zookeeper.node(paths.state(topic, number))
            state = None if state_node is None else decode_state(state_node)
            if (
                state is None
                or state.leader != partition.preferred_leader
                or set(state.isr) != set(partition.replicas)
            ):
                raise Violation(Kind.NOT_LED, f"{topic}-{number}: {state}")
            states[TopicPartition(topic, number)] = state
    return states


def check_replicas_are_equal(world: World, states: States) -> None:
    """All replicas of a partition hold the same batches, and all of them are committed; none is
    missing of what may not vanish.
    """
    for partition, state in states.items():
        hosts = [world.process_of(one).broker.partitions.find(partition) for one in state.isr]
        found = {held_by(hosted) for hosted in hosts if hosted is not None}
        if None in hosts or len(found) != 1:
            raise Violation(Kind.REPLICAS, f"{partition}: {found}")
        leader = world.process_of(state.leader).broker.partitions.find(partition)
        assert leader is not None
        if leader.replica.high_watermark != leader.log.log_end_offset:
            raise Violation(Kind.REPLICAS, f"{partition}: not all is committed")
        world.history.check(topic_id_text(leader.topic_id), partition, leader.log)


def held_by(hosted: HostedPartition) -> tuple[object, ...]:
    """What must be the same of all replicas; epochs in which nothing was written are not."""
    batches = tuple(headers_of(hosted.log))
    epochs = {header.leader_epoch for header in batches}
    starts = tuple(start for start in hosted.log.epochs.starts if start.leader_epoch in epochs)
    return hosted.replica.high_watermark, hosted.log.log_start_offset, batches, starts


def check_metadata(world: World, process: Process, states: States) -> None:
    """What a broker tells clients is what stands in ZooKeeper."""
    cache = process.broker.cache
    told = {
        TopicPartition(topic, index): (known.leader, known.leader_epoch, tuple(known.isr))
        for topic, partitions in cache.topics.items()
        for index, known in partitions.items()
    }
    expected = {of: (one.leader, one.leader_epoch, one.isr) for of, one in states.items()}
    require(Kind.METADATA, process, told, expected)
    require(Kind.METADATA, process, sorted(cache.brokers), list(world.broker_ids))


def check_replicas(world: World, process: Process, states: States) -> None:
    """A broker has the logs that it should have, and leads or follows as ZooKeeper says.

    A replica that was removed by a controller that is gone may have missed that.
    """
    strays = {log.partition for log in world.invariants.abandoned(process.broker_id)}
    expected = {
        partition: (state.leader, state.leader_epoch)
        for partition, state in states.items()
        if process.broker_id in world.invariants.replicas[partition]
    }
    roles = {
        hosted.partition: (hosted.replica.state.leader, hosted.replica.leader_epoch)
        for hosted in process.broker.partitions
        if hosted.partition in expected or hosted.partition not in strays
    }
    require(Kind.ROLE, process, roles, expected)
    for hosted in process.broker.partitions:
        if hosted.partition not in expected:
            continue
        leads = hosted.replica.state.leader == process.broker_id
        require(Kind.ROLE, process, hosted.replica.is_leader, leads)
    strays -= set(expected)
    require(Kind.LEFTOVER, process, set(process.known_logs) - strays, set(expected))
    require(Kind.LEFTOVER, process, process.partitions_on_disk() - strays, set(expected))


def check_configs(world: World, process: Process) -> None:
    """Logs are kept by the configs of their topics."""
    for hosted in process.broker.partitions:
        node = world.zookeeper.node(paths.topic_config(hosted.partition.topic))
        values = {} if node is None else decode_config(node).values
        expected = EffectiveTopicConfigs.parse(CONFIGS.topic_defaults, values).log
        require(Kind.CONFIGS, process, hosted.log.config, expected)


def require(kind: Kind, process: Process, found: object, expected: object) -> None:
    if found != expected:
        text = f"broker {process.broker_id} has {found}, in ZooKeeper is {expected}"
        raise Violation(kind, text)
