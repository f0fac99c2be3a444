"""Is everything right in a simulated world that has had time to heal?"""

from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState
from cluster.sim.world import World
from cluster.zk import paths
from cluster.zk.topics import decode_assignment, decode_state


def check_all_is_well(world: World) -> None:
    """Raise an AssertionError that says what has not come right."""
    assert world.schedule.is_empty, f"still busy at {world.now_ms} ms"
    check_one_controller(world)
    check_nothing_is_left_to_do(world)
    states = check_partitions(world)
    for process in world.processes.values():
        check_metadata(world, process.broker_id, states)
        check_replicas(world, process.broker_id, states)


def check_one_controller(world: World) -> None:
    controllers = [p for p in world.processes.values() if p.core.active is not None]
    node = world.zookeeper.node(paths.CONTROLLER)
    assert node is not None, "nobody is the controller"
    sessions = [process.session for process in controllers]
    assert sessions == [node.ephemeral_owner], f"controllers are {sessions}, elected is {node}"
    assert all(process.core.is_idle for process in world.processes.values()), "a core hangs"


def check_nothing_is_left_to_do(world: World) -> None:
    for path in (paths.ISR_CHANGES, paths.LOG_DIR_EVENTS, paths.DELETE_TOPICS):
        left = world.zookeeper.children(path)
        assert not left, f"left in {path}: {left}"


def check_partitions(world: World) -> dict[TopicPartition, PartitionState]:
    """Every partition has a live leader and all its replicas in the ISR; returns the states."""
    states = {}
    for topic in world.zookeeper.children(paths.TOPICS):
        node = world.zookeeper.node(paths.topic(topic))
        assert node is not None
        assignment = decode_assignment(node)
        assert assignment.topic_id is not None, f"{topic} has no id"
        for number, partition in assignment.partitions.items():
            state_node = world.zookeeper.node(paths.state(topic, number))
            assert state_node is not None, f"{topic}-{number} has no state"
            state = decode_state(state_node)
            assert state.leader in partition.replicas, f"{topic}-{number} has no leader: {state}"
            assert set(state.isr) == set(partition.replicas), f"{topic}-{number}: {state}"
            states[TopicPartition(topic, number)] = state
    return states


def check_metadata(
    world: World, broker_id: int, states: dict[TopicPartition, PartitionState]
) -> None:
    """What a broker tells clients is what stands in ZooKeeper."""
    broker = world.processes[world.broker_ids[broker_id]].broker
    told = {partition: published.state for partition, published in broker.metadata.items()}
    assert told == states, f"broker {broker_id} tells {told}, in ZooKeeper are {states}"
    live = sorted(registration.broker_id for registration in broker.live_brokers)
    assert live == list(world.broker_ids), f"broker {broker_id} knows brokers {live}"


def check_replicas(
    world: World, broker_id: int, states: dict[TopicPartition, PartitionState]
) -> None:
    """A broker has the logs that it should have, and leads or follows as ZooKeeper says."""
    broker = world.processes[world.broker_ids[broker_id]].broker
    hosted = {
        partition: (state.leader, state.leader_epoch)
        for partition, state in states.items()
        if broker_id in world.invariants.replicas[partition]
    }
    roles = {
        partition: (role.state.leader, role.state.leader_epoch)
        for partition, role in broker.roles.items()
    }
    assert roles == hosted, f"broker {broker_id} thinks {roles}, in ZooKeeper is {hosted}"
    assert broker.logs.keys() == hosted.keys(), f"broker {broker_id} has logs {broker.logs}"
