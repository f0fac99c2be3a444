"""The snapshot of a cluster: what does the cluster look like now?

Three round trips, however large it is: names, then what stands under them, then the partitions'
states.  A znode that cannot be understood or may not be read becomes a fault of the snapshot; one
that vanishes while it is read was not there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import NO_OVERRIDES
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ, BrokerId
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment
from cluster.zk.brokers import decode_broker
from cluster.zk.configs import decode_config
from cluster.zk.controller import decode_controller, decode_controller_epoch
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zk.znode import Znode
from kadmin.admin.answers import NoClusterHere
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.topic_names import name_fault
from kadmin.plan.select import TopicSelection

Value = TypeVar("Value")

EVERYTHING = TopicSelection()
BROKER_DEFAULTS = f"{paths.CONFIG}/brokers/{paths.DEFAULT_ENTITY}"


def read_snapshot(
    connection: Connection,
    selection: TopicSelection = EVERYTHING,
    *,
    with_states: bool = True,
    with_topics: bool = True,
) -> ClusterSnapshot:
    """Read brokers, controller, and the topics of *selection* with configs and states.

    Without *with_states* the topics have none, without *with_topics* there are none at all.

    Raises:
        NoClusterHere: there is no `/brokers/topics`.
    """
    broker_names, topic_names, marked = connection.children(
        [paths.BROKER_IDS, paths.TOPICS, paths.DELETE_TOPICS]
    )
    if topic_names is None:
        raise NoClusterHere(connection.settings.connect, paths.TOPICS)
    names = selection.select(topic_names) if with_topics else []
    faults: list[CorruptZnodeError] = []
    denied: list[str] = []
    fixed = [
        paths.CONTROLLER,
        paths.CONTROLLER_EPOCH,
        paths.REASSIGN_PARTITIONS,
        BROKER_DEFAULTS,
    ]
    nodes = connection.read(
        [
            *fixed,
            *(f"{paths.BROKER_IDS}/{name}" for name in broker_names or ()),
            *map(paths.topic, names),
            *map(paths.topic_config, names),
        ],
        denied,
    )
    controller, epoch, moving, broker_defaults = nodes[: len(fixed)]
    topics_start = len(nodes) - 2 * len(names)
    broker_nodes = nodes[len(fixed) : topics_start]
    assignments = decode_topics(names, nodes[topics_start : topics_start + len(names)], faults)
    configs = dict(zip(names, nodes[topics_start + len(names) :], strict=True))
    states = read_states(connection, assignments, faults, denied) if with_states else {}
    gone = frozenset(marked or ())
    return ClusterSnapshot(
        brokers=decode_brokers(broker_nodes, faults),
        topics={
            name: TopicSnapshot(
                name=name,
                assignment=assignment,
                config=decode_or_fault(decode_config, configs[name], faults) or NO_OVERRIDES,
                states=states.get(name, {}),
                is_marked_for_deletion=name in gone,
            )
            for name, assignment in assignments.items()
        },
        controller=decode_or_fault(decode_controller, controller, faults),
        controller_epoch=decode_or_fault(decode_controller_epoch, epoch, faults),
        moving=decode_or_fault(decode_reassignment, moving, faults) or {},
        broker_defaults=decode_or_fault(decode_config, broker_defaults, faults) or NO_OVERRIDES,
        faults=(*faults, *map(denial, denied)),
    )


def denial(path: str) -> CorruptZnodeError:
    return CorruptZnodeError(path, NEVER_READ, "may not be read by this user")


def decode_or_fault(
    decode: Callable[[Znode], Value], node: Znode | None, faults: list[CorruptZnodeError]
) -> Value | None:
    """Decode *node*; None for a missing one, and for a corrupt one, which joins the *faults*."""
    if node is None:
        return None
    try:
        return decode(node)
    except CorruptZnodeError as fault:
        faults.append(fault)
        return None


def decode_brokers(
    nodes: Iterable[Znode | None], faults: list[CorruptZnodeError]
) -> dict[BrokerId, BrokerRegistration]:
    found = (decode_or_fault(decode_broker, node, faults) for node in nodes)
    brokers = {broker.broker_id: broker for broker in found if broker is not None}
    return dict(sorted(brokers.items()))


def decode_topics(
    names: Sequence[str], nodes: Sequence[Znode | None], faults: list[CorruptZnodeError]
) -> dict[str, TopicAssignment]:
    result = {}
    for name, node in zip(names, nodes, strict=True):
        unnameable = name_fault(name)
        if unnameable is not None:
            faults.append(unnameable)
            continue
        assignment = decode_or_fault(decode_assignment, node, faults)
        if assignment is not None:
            result[name] = assignment
    return result


def read_states(
    connection: Connection,
    assignments: Mapping[str, TopicAssignment],
    faults: list[CorruptZnodeError],
    denied: list[str],
) -> dict[str, dict[int, PartitionState]]:
    """The states of all partitions of *assignments*; one that has none yet is left out."""
    wanted = [
        (name, partition)
        for name, assignment in assignments.items()
        for partition in assignment.partitions
    ]
    found = connection.read_each(
        [paths.state(name, partition) for name, partition in wanted], decoded_state, denied
    )
    states: dict[str, dict[int, PartitionState]] = {name: {} for name in assignments}
    for (name, partition), state in zip(wanted, found, strict=True):
        if isinstance(state, CorruptZnodeError):
            faults.append(state)
        elif state is not None:
            states[name][partition] = state
    return states


def decoded_state(node: Znode) -> PartitionState | CorruptZnodeError:
    try:
        return decode_state(node)
    except CorruptZnodeError as fault:
        return fault
