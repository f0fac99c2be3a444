"""The snapshot of a cluster: what does the cluster look like now?

Three round trips, however large it is: names, then what stands under them, then the partitions'
states.  A znode that cannot be understood or may not be read becomes a fault of the snapshot; one
that vanishes while it is read was not there.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import NO_OVERRIDES, ConfigOverrides, EntityKind
from cluster.model.errors import CorruptZnodeError, may_not_be_read
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment
from cluster.zk.brokers import decode_broker
from cluster.zk.configs import decode_config, decode_mendable_config
from cluster.zk.controller import decode_controller, decode_controller_epoch, decode_migration
from cluster.zk.requests import Children, GetChildren, GetMany, Refused, ZkReply
from cluster.zk.steps import Steps, items_in, names_in, read, read_children
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zk.znode import Znode
from kadmin.admin.answers import NoClusterHere
from kadmin.admin.zookeeper.faults import faults_of, mendable_faults
from kadmin.admin.zookeeper.topic_names import name_fault
from kadmin.arguments.topics import TopicSelection

Value = TypeVar("Value")
Decoding: TypeAlias = GetMany[Value | CorruptZnodeError]
"""A request whose nodes are decoded; a damaged one costs nothing but itself."""

BROKER_DEFAULTS = f"{paths.CONFIG}/brokers/{paths.DEFAULT_ENTITY}"


def read_snapshot(
    cluster: str,
    selection: TopicSelection,
    *,
    with_states: bool = True,
    with_topics: bool = True,
) -> Steps[ClusterSnapshot]:
    """Read brokers, controller, and the topics of *selection* with configs and states.

    Without *with_states* the topics have none, without *with_topics* there are none at all.

    Raises:
        NoClusterHere: there is no `/brokers/topics` at *cluster*.
        Denied: topics are asked for by a pattern, and it may not be seen which there are.
    """
    broker_names, topic_names, marked_names = yield from read(
        map(GetChildren, (paths.BROKER_IDS, paths.TOPICS, paths.DELETE_TOPICS))
    )
    if topic_names is None:
        raise NoClusterHere(cluster, paths.TOPICS)
    faults: list[CorruptZnodeError] = []
    if isinstance(topic_names, Refused) and selection.is_by_name:
        # A topic that is named can be read nevertheless, where its own znode is open.
        faults.append(may_not_be_read(paths.TOPICS))
        topic_names = Children(selection.wanted)
    listed = names_in(paths.TOPICS, topic_names)
    names = selected(selection, listed, faults) if with_topics else []
    fixed = (
        decoding(decode_controller, [paths.CONTROLLER]),
        decoding(decode_controller_epoch, [paths.CONTROLLER_EPOCH]),
        decoding(decode_reassignment, [paths.REASSIGN_PARTITIONS]),
        decoding(decode_config, [BROKER_DEFAULTS]),
        decoding(decode_migration, [paths.MIGRATION]),
    )
    of_brokers = decoding_brokers(visible_names(paths.BROKER_IDS, broker_names, faults))
    of_topics = decoding_topics(names)
    mendable: dict[str, tuple[CorruptZnodeError, ...]] = {}
    of_configs = decoding_configs(names, mendable)
    *of_fixed, broker_reply, topic_reply, config_reply = yield from read(
        (*fixed, of_brokers, of_topics, of_configs)
    )
    assignments = topics_in(names, of_topics, topic_reply, faults)
    leaderless: dict[str, dict[int, int]] = {}
    states = (yield from read_states(assignments, faults, leaderless)) if with_states else {}
    brokers = brokers_in(of_brokers, broker_reply, faults)
    configs = dict(zip(names, understood(of_configs, config_reply, faults), strict=True))
    (controller,) = understood(fixed[0], of_fixed[0], faults)
    (epoch,) = understood(fixed[1], of_fixed[1], faults)
    (moving,) = understood(fixed[2], of_fixed[2], faults)
    (broker_defaults,) = understood(fixed[3], of_fixed[3], faults)
    (migration,) = understood(fixed[4], of_fixed[4], faults)
    if epoch is not None and newest_epoch_in(states) > epoch.epoch:
        # A controller that was elected since the epoch was read has written, or none was elected.
        (reply,) = yield from read((fixed[1],))
        (epoch,) = understood(fixed[1], reply, faults)
    moves: Mapping[TopicPartition, tuple[BrokerId, ...]] = moving or {}
    stale = yield from read_stale(moves, assignments, frozenset(listed))
    marked = frozenset(visible_names(paths.DELETE_TOPICS, marked_names, faults))
    return ClusterSnapshot(
        brokers=brokers,
        topics={
            name: topic_of(name, assignment, configs[name], states, leaderless, marked)
            for name, assignment in assignments.items()
        },
        controller=controller,
        controller_epoch=epoch,
        migration=migration if migration is not None and migration.has_begun else None,
        moving={each: to for each, to in moves.items() if each not in stale},
        stale_moves={each: to for each, to in moves.items() if each in stale},
        stale_deletions=marked.difference(listed),
        broker_defaults=broker_defaults or NO_OVERRIDES,
        faults=faults_of((*faults, *(each for unread in mendable.values() for each in unread))),
    )


def topic_of(
    name: str,
    assignment: TopicAssignment,
    config: ConfigOverrides | None,
    states: Mapping[str, Mapping[int, PartitionState]],
    leaderless: Mapping[str, Mapping[int, int]],
    marked: Container[str],
) -> TopicSnapshot:
    return TopicSnapshot(
        name=name,
        assignment=assignment,
        config=config or NO_OVERRIDES,
        states=states.get(name, {}),
        is_marked_for_deletion=name in marked,
        leaderless_since_ms=leaderless.get(name, {}),
    )


def selected(
    selection: TopicSelection, listed: Iterable[str], faults: list[CorruptZnodeError]
) -> list[str]:
    """Return those of the *listed* names that are meant; what is no name joins the *faults*."""
    names = selection.select(listed)
    wrong = {name: fault for name in names if (fault := name_fault(name)) is not None}
    faults += wrong.values()
    return [name for name in names if name not in wrong]


def visible_names(path: str, reply: ZkReply, faults: list[CorruptZnodeError]) -> tuple[str, ...]:
    """Return `names_in`; none where they may not be seen, which joins the *faults*."""
    if isinstance(reply, Refused):
        faults.append(may_not_be_read(path))
        return ()
    return names_in(path, reply)


def read_stale(
    asked: Iterable[TopicPartition],
    assignments: Mapping[str, TopicAssignment],
    listed: Container[str],
) -> Steps[frozenset[TopicPartition]]:
    """Return those of *asked* that are not there; what cannot be understood is taken to be there.

    *listed* are the names of topics, and *assignments* those that were read.  Both were read before
    the request was, so whatever they lack is read once more.
    """
    doubtful = [
        partition
        for partition in asked
        if partition.topic not in listed
        or (partition.topic in assignments and lacks(assignments, partition))
    ]
    if not doubtful:
        return frozenset()
    names = sorted({partition.topic for partition in doubtful})
    of_topics = decoding_topics(names)
    (reply,) = yield from read((of_topics,))
    faults: list[CorruptZnodeError] = []
    found = topics_in(names, of_topics, reply, faults)
    unclear = {fault.path for fault in faults}
    return frozenset(
        partition
        for partition in doubtful
        if paths.topic(partition.topic) not in unclear and lacks(found, partition)
    )


def lacks(topics: Mapping[str, TopicAssignment], partition: TopicPartition) -> bool:
    topic = topics.get(partition.topic)
    return topic is None or partition.partition not in topic.partitions


def read_brokers() -> Steps[dict[BrokerId, BrokerRegistration]]:
    """Return the brokers that are registered; one that cannot be understood or read is left out."""
    request = decoding_brokers((yield from read_children(paths.BROKER_IDS)))
    (reply,) = yield from read((request,))
    return brokers_in(request, reply, [])


def read_states(
    assignments: Mapping[str, TopicAssignment],
    faults: list[CorruptZnodeError],
    leaderless: dict[str, dict[int, int]],
) -> Steps[dict[str, dict[int, PartitionState]]]:
    """Return the states of all partitions of *assignments*; one that has none yet is left out.

    *leaderless* gets the times of those states that name no leader.
    """
    times_ms: dict[str, int] = {}

    def decode_and_date(node: Znode) -> PartitionState:
        state = decode_state(node)
        if state.leader == NO_LEADER:
            times_ms[node.path] = node.mtime_ms
        return state

    wanted = [
        (name, partition)
        for name, assignment in assignments.items()
        for partition in assignment.partitions
    ]
    request = decoding(decode_and_date, (paths.state(name, number) for name, number in wanted))
    (reply,) = yield from read((request,))
    states: dict[str, dict[int, PartitionState]] = {name: {} for name in assignments}
    for (name, partition), state in zip(wanted, understood(request, reply, faults), strict=True):
        if state is not None:
            states[name][partition] = state
            if state.leader == NO_LEADER:
                time_ms = times_ms[paths.state(name, partition)]
                leaderless.setdefault(name, {})[partition] = time_ms
    return states


def newest_epoch_in(states: Mapping[str, Mapping[int, PartitionState]]) -> int:
    """Return the latest controller epoch of *states*, -1 without any."""
    return max(
        (state.controller_epoch for each in states.values() for state in each.values()), default=-1
    )


def decoding(decode: Callable[[Znode], Value], node_paths: Iterable[str]) -> Decoding[Value]:
    """Return the request that reads *node_paths* and decodes each by *decode*, damage included."""

    def decode_or_fault(node: Znode) -> Value | CorruptZnodeError:
        try:
            return decode(node)
        except CorruptZnodeError as fault:
            return fault

    return GetMany(list(node_paths), decode_or_fault)


def understood(
    request: Decoding[Value], reply: ZkReply, faults: list[CorruptZnodeError]
) -> list[Value | None]:
    """Return what was decoded, path by path; None for a missing node, and for one that is
    damaged or may not be read, which joins the *faults*."""
    found: list[Value | None] = []
    for path, item in zip(request.paths, items_in(request, reply), strict=True):
        if isinstance(item, CorruptZnodeError | Refused):
            faults.append(may_not_be_read(path) if isinstance(item, Refused) else item)
            found.append(None)
        else:
            found.append(item)
    return found


def decoding_brokers(names: Iterable[str]) -> Decoding[BrokerRegistration]:
    return decoding(decode_broker, (f"{paths.BROKER_IDS}/{name}" for name in names))


def brokers_in(
    request: Decoding[BrokerRegistration], reply: ZkReply, faults: list[CorruptZnodeError]
) -> dict[BrokerId, BrokerRegistration]:
    """Return the brokers in order of id."""
    found = understood(request, reply, faults)
    brokers = {broker.broker_id: broker for broker in found if broker is not None}
    return dict(sorted(brokers.items()))


def decoding_topics(names: Iterable[str]) -> Decoding[TopicAssignment]:
    return decoding(decode_assignment, map(paths.topic, names))


def decoding_configs(
    names: Iterable[str], mendable: dict[str, tuple[CorruptZnodeError, ...]]
) -> Decoding[ConfigOverrides]:
    """Return the request for the configs of the topics *names*; what a config has that brokers do
    not understand is added to *mendable*, by path."""

    def decode_and_note(node: Znode) -> ConfigOverrides:
        config = decode_mendable_config(node)
        unread = tuple(mendable_faults(node, EntityKind.TOPICS, config))
        if unread:
            mendable[node.path] = unread
        return config

    return decoding(decode_and_note, map(paths.topic_config, names))


def topics_in(
    names: Sequence[str],
    request: Decoding[TopicAssignment],
    reply: ZkReply,
    faults: list[CorruptZnodeError],
) -> dict[str, TopicAssignment]:
    """Return those of the topics *names*, which were asked for, that are there."""
    found = zip(names, understood(request, reply, faults), strict=True)
    return {name: assignment for name, assignment in found if assignment is not None}
