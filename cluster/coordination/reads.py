"""Reads of the controller.

A read whose change is a hint arms the watch of what it reads.
Damaged nodes are reported and left out: one broken topic must not stop the cluster.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from cluster.coordination.client import Client, decoded, read_nodes
from cluster.model.admin import Reassignment
from cluster.model.broker import BrokerRegistration
from cluster.model.config_spec import is_true
from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.model.topic import PartitionState, TopicAssignment
from cluster.model.topic_config_specs import FLUSH_MESSAGES, UNCLEAN_LEADER_ELECTION
from cluster.zk import paths
from cluster.zk.admin import (
    decode_isr_change,
    decode_log_dir_event,
    decode_preferred_election,
    decode_reassignment,
)
from cluster.zk.brokers import decode_broker
from cluster.zk.configs import decode_config
from cluster.zk.controller import decode_controller, decode_controller_epoch
from cluster.zk.requests import Exists
from cluster.zk.steps import Refusal, Steps, read, read_children
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zk.znode import Znode

T = TypeVar("T")


class ControllerRead(NamedTuple):
    """*is_own*: this session created the node.  None for what does not exist."""

    controller: Controller | None
    is_own: bool
    epoch: ControllerEpochNode | None


class StatesRead(NamedTuple):
    """Partitions without a state, or with a damaged one, are missing.

    *written* are the transactions that have written the states (their mzxids): a broker with a
    greater epoch registered after them.
    """

    states: Mapping[TopicPartition, PartitionState]
    written: Mapping[TopicPartition, int]


class ReassignmentRead(NamedTuple):
    """*czxid* distinguishes a request from a later one at the same path.

    The request is None when there is none, or a damaged one.
    """

    request: Reassignment | None = None
    czxid: int | None = None


class IsrChangesRead(NamedTuple):
    """*names* are those of all notifications, damaged ones included."""

    names: tuple[str, ...]
    partitions: tuple[TopicPartition, ...]


class LogDirEventsRead(NamedTuple):
    """*names* are those of all notifications, damaged ones included."""

    names: tuple[str, ...]
    broker_ids: tuple[BrokerId, ...]


class PreferredElectionRead(NamedTuple):
    """*zk_version* is None without a request; a damaged request names no *partitions*."""

    zk_version: ZkVersion | None
    partitions: tuple[TopicPartition, ...] = ()


def read_controller(client: Client) -> Steps[ControllerRead]:
    """Read the controller and its epoch.

    The watch is armed first: what is read then is at least as new as the watch.

    Raises:
        Refusal: one of the nodes is damaged; an election needs both.
    """
    yield from read((Exists(paths.CONTROLLER, is_watched=True),))
    nodes = yield from read_nodes(client, (paths.CONTROLLER, paths.CONTROLLER_EPOCH))
    node, epoch_node = nodes.get(paths.CONTROLLER), nodes.get(paths.CONTROLLER_EPOCH)
    try:
        return ControllerRead(
            controller=None if node is None else decode_controller(node),
            is_own=node is not None and node.ephemeral_owner == client.session_id,
            epoch=None if epoch_node is None else decode_controller_epoch(epoch_node),
        )
    except CorruptZnodeError as error:
        client.report(error)
        raise Refusal(str(error)) from error


def read_brokers(client: Client) -> Steps[dict[BrokerId, BrokerRegistration]]:
    names = yield from read_children(paths.BROKER_IDS, is_watched=True)
    nodes = yield from read_nodes(
        client, (f"{paths.BROKER_IDS}/{name}" for name in names), is_watched=True
    )
    brokers = [decoded(client, decode_broker, node) for node in nodes.values()]
    found = sorted((b for b in brokers if b is not None), key=lambda broker: broker.broker_id)
    return {broker.broker_id: broker for broker in found}


def read_topics() -> Steps[tuple[str, ...]]:
    return (yield from read_children(paths.TOPICS, is_watched=True))


def read_assignments(client: Client, topics: tuple[str, ...]) -> Steps[dict[str, TopicAssignment]]:
    """Read the replicas of *topics*; those that are gone, or whose node is damaged, are missing."""
    nodes = yield from read_nodes(client, map(paths.topic, topics), is_watched=True)
    found = {
        topic: decoded(client, decode_assignment, nodes.get(paths.topic(topic))) for topic in topics
    }
    return {topic: value for topic, value in found.items() if value is not None}


def read_states(client: Client, partitions: tuple[TopicPartition, ...]) -> Steps[StatesRead]:
    by_path = {paths.state(p.topic, p.partition): p for p in partitions}
    nodes = yield from read_nodes(client, by_path)
    states, written = {}, {}
    for path, node in nodes.items():
        state = decoded(client, decode_state, node)
        if state is not None:
            partition = by_path[path]
            states[partition] = state
            written[partition] = node.mzxid
    return StatesRead(states, written)


def read_unclean_topics(client: Client, topics: tuple[str, ...]) -> Steps[frozenset[str]]:
    """Read which of *topics* may elect a leader outside their ISR, by their config or the default.

    A damaged config allows nothing: an unclean election costs records, and waiting only time."""
    nodes = yield from read_nodes(client, map(paths.topic_config, topics))
    allowed = set()
    for topic in topics:
        node = nodes.get(paths.topic_config(topic))
        if node is None:
            is_allowed = client.allows_unclean
        else:
            config = decoded(client, decode_config, node)
            own = None if config is None else config.values.get(UNCLEAN_LEADER_ELECTION)
            falls_back = config is not None and own is None
            is_allowed = client.allows_unclean if falls_back else is_true(own or "")
        if is_allowed:
            allowed.add(topic)
    return frozenset(allowed)


def read_flushing_topics(client: Client, topics: tuple[str, ...]) -> Steps[frozenset[str]]:
    """Read which of *topics* flush each record before it is acknowledged, by their own config.

    The brokers' defaults do not count: each broker has its own, which others do not know.
    """
    nodes = yield from read_nodes(client, map(paths.topic_config, topics))
    configs = {
        topic: decoded(client, decode_config, nodes.get(paths.topic_config(topic)))
        for topic in topics
    }
    return frozenset(
        topic
        for topic, config in configs.items()
        if config is not None and config.values.get(FLUSH_MESSAGES) == "1"
    )


def read_deletion_requests() -> Steps[tuple[str, ...]]:
    return (yield from read_children(paths.DELETE_TOPICS, is_watched=True))


def read_reassignment(client: Client) -> Steps[ReassignmentRead]:
    """The watch is armed by `Exists`, so also on a missing node."""
    yield from read((Exists(paths.REASSIGN_PARTITIONS, is_watched=True),))
    nodes = yield from read_nodes(client, (paths.REASSIGN_PARTITIONS,))
    node = nodes.get(paths.REASSIGN_PARTITIONS)
    request = decoded(client, decode_reassignment, node)
    return ReassignmentRead() if node is None else ReassignmentRead(request, node.czxid)


def read_isr_changes(client: Client) -> Steps[IsrChangesRead]:
    names, changes = yield from read_notifications(client, paths.ISR_CHANGES, decode_isr_change)
    changed = dict.fromkeys(partition for change in changes for partition in change.partitions)
    return IsrChangesRead(names=names, partitions=tuple(changed))


def read_log_dir_events(client: Client) -> Steps[LogDirEventsRead]:
    names, events = yield from read_notifications(
        client, paths.LOG_DIR_EVENTS, decode_log_dir_event
    )
    brokers = dict.fromkeys(event.broker_id for event in events)
    return LogDirEventsRead(names=names, broker_ids=tuple(brokers))


def read_preferred_election(client: Client) -> Steps[PreferredElectionRead]:
    """The watch is armed first, by `Exists`, since the node may be missing."""
    path = paths.PREFERRED_ELECTION
    yield from read((Exists(path, is_watched=True),))
    node = (yield from read_nodes(client, (path,))).get(path)
    if node is None:
        return PreferredElectionRead(zk_version=None)
    request = decoded(client, decode_preferred_election, node)
    partitions = () if request is None else request.partitions
    return PreferredElectionRead(zk_version=node.zk_version, partitions=partitions)


def read_notifications(
    client: Client, path: str, decode: Callable[[Znode], T]
) -> Steps[tuple[tuple[str, ...], list[T]]]:
    """The names of all nodes below *path*, and the content of the undamaged ones, in order.

    Arms the watch of their list.
    """
    names = yield from read_children(path, is_watched=True)
    nodes = yield from read_nodes(client, (f"{path}/{name}" for name in names))
    values = (decoded(client, decode, node) for node in nodes.values())
    return names, [one for one in values if one is not None]
