"""Writes of the controller.

Every one is a transaction under the controller's fence, so that no write of a controller that was
replaced can succeed; many of them are pipelined.  What overwrites something names its zkVersion as
well, so that no unseen change of a leader or of an operator is lost.  Unlike `transaction.commit`
they do not look for a transaction after a lost reply: repeatable ones are sent again, and one that
has succeeded without a reply then meets a `Conflict`; for the others the result is `Lost`, after
which the controller reads anew what it decides from.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

from cluster.coordination.client import Client
from cluster.coordination.transaction import Fence, SentOnce, outcome_of
from cluster.model.admin import Reassignment
from cluster.model.controller import Controller
from cluster.model.ids import NEVER_READ, ControllerEpoch, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from cluster.model.topic import PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.controller import encode_controller, encode_controller_epoch
from cluster.zk.requests import (
    Create,
    Delete,
    Exists,
    MultiDone,
    Operation,
    Refused,
    SetData,
)
from cluster.zk.steps import Steps, read, read_paths_below, until_answered
from cluster.zk.topics import encode_assignment, encode_state

DELETES_IN_A_TRANSACTION: Final = 500
"""A transaction must stay below ZooKeeper's limit of 1 MB, at some 300 bytes for a long path."""

STATES_IN_A_TRANSACTION: Final = 50
"""For one state, a transaction costs the client, the server and its disk nearly as much."""

TRANSACTIONS_MIN: Final = 8
"""A few states have a transaction each: conflicts usually concern few of them."""

DELETE_TRIES: Final = 5
"""Another client may be creating nodes below a topic while it is deleted, but not for ever."""

CONTROLLER_VERSION: Final = 2

UNFENCED: Final = Fence(None)
"""For an election: there is no epoch yet, and its transaction checks the version that was read."""


def write_once(fence: Fence, *operations: Operation) -> Steps[SentOnce]:
    """Carry out *operations*, all or none."""
    (outcome,) = yield from write_each_once(fence, (operations,))
    return outcome


def write_each_once(fence: Fence, each: Iterable[tuple[Operation, ...]]) -> Steps[list[SentOnce]]:
    """As `write_once`, *each* in a transaction of its own; these are pipelined."""
    requests = tuple(map(fence.transaction, each))
    if not requests:
        return []
    replies = yield requests
    return [outcome_of(fence, *both) for both in zip(requests, replies, strict=True)]


def write(fence: Fence, *operations: Operation) -> Steps[SentOnce]:
    """As `write_once`, repeated while the reply is lost."""
    (outcome,) = yield from write_each(fence, (operations,))
    return outcome


def write_each(fence: Fence, each: Iterable[tuple[Operation, ...]]) -> Steps[list[SentOnce]]:
    """As `write`, *each* in a transaction of its own; these are pipelined."""
    requests = tuple(map(fence.transaction, each))
    replies = yield from until_answered(requests)
    return [outcome_of(fence, *both) for both in zip(requests, replies, strict=True)]


def create_controller_epoch() -> Steps[SentOnce]:
    """Create `/controller_epoch` with 0, on a cluster that never had a controller."""
    data = encode_controller_epoch(ControllerEpoch(0))
    return (yield from write_once(UNFENCED, Create(paths.CONTROLLER_EPOCH, data)))


def register_controller(
    client: Client, controller_epoch: ControllerEpoch, expected_zk_version: ZkVersion
) -> Steps[SentOnce]:
    """Create `/controller` and raise the epoch to *controller_epoch*, in one transaction.

    The zkVersion of the result is the new one of `/controller_epoch`, which fences all that
    follows.
    """
    controller = Controller(
        broker_id=client.broker_id, timestamp_ms=client.wall_ms(), version=CONTROLLER_VERSION
    )
    epoch_data = encode_controller_epoch(controller_epoch)
    return (
        yield from write_once(
            UNFENCED,
            Create(paths.CONTROLLER, encode_controller(controller), is_ephemeral=True),
            SetData(paths.CONTROLLER_EPOCH, epoch_data, expected_zk_version),
        )
    )


def remove_controller(fence: Fence) -> Steps[SentOnce]:
    """Remove `/controller`, so that another broker is elected."""
    return (yield from write_once(fence, Delete(paths.CONTROLLER)))


def create_states(
    fence: Fence, states: Mapping[TopicPartition, PartitionState]
) -> Steps[dict[TopicPartition, SentOnce]]:
    """Create `partitions` for each topic, then for each partition its node and its state at once.

    Where a partition's node exists already, left over from a crash of another kind of controller,
    only its state is created.
    """
    assert all(state.zk_version == NEVER_READ for state in states.values())
    topics = dict.fromkeys(partition.topic for partition in states)
    # The creations below it show whether it existed, or could not be created.
    yield from write_each(fence, ((Create(paths.partitions(topic)),) for topic in topics))
    creates = {
        partition: Create(paths.state(partition.topic, partition.partition), encode_state(state))
        for partition, state in states.items()
    }
    outcomes = yield from write_each_once(
        fence, ((Create(paths.partition(one)), create) for one, create in creates.items())
    )
    results = dict(zip(states, outcomes, strict=True))
    halves = [
        partition
        for partition, result in results.items()
        if result == Conflict(paths.partition(partition), ConflictKind.EXISTS)
    ]
    seconds = yield from write_each_once(fence, ((creates[partition],) for partition in halves))
    return results | dict(zip(halves, seconds, strict=True))


def write_states(
    fence: Fence, states: Mapping[TopicPartition, PartitionState]
) -> Steps[dict[TopicPartition, SentOnce]]:
    """Overwrite states; very many go in transactions of several.

    A state that conflicts, or may not be written, fails its transaction; each of the others is then
    written alone, so that it does not hold them up.
    """
    assert all(state.zk_version >= 0 for state in states.values())
    writes = {
        partition: SetData(
            paths.state(partition.topic, partition.partition), encode_state(state), state.zk_version
        )
        for partition, state in states.items()
    }
    size = max(1, min(STATES_IN_A_TRANSACTION, len(writes) // TRANSACTIONS_MIN))
    rest = iter(writes)
    parts = [tuple(islice(rest, size)) for _ in range(0, len(writes), size)]
    requests = tuple(fence.transaction(writes[one] for one in part) for part in parts)
    replies = yield requests
    results: dict[TopicPartition, SentOnce] = {}
    alone: list[TopicPartition] = []
    for part, request, reply in zip(parts, requests, replies, strict=True):
        if isinstance(reply, MultiDone):
            versions = reply.zk_versions[len(fence.checks) :]
            results |= zip(part, map(Committed, versions), strict=True)
            continue
        outcome = outcome_of(fence, request, reply)
        results |= dict.fromkeys(part, outcome)
        if len(part) > 1 and isinstance(outcome, Conflict | Refused):
            alone += part
    outcomes = yield from write_each_once(fence, ((writes[one],) for one in alone))
    return results | dict(zip(alone, outcomes, strict=True))


def write_assignment(fence: Fence, topic: str, assignment: TopicAssignment) -> Steps[SentOnce]:
    """Overwrite the node of *topic*; *assignment* has the expected `zk_version`."""
    return (yield from write_assignments(fence, {topic: assignment}))[topic]


def write_assignments(
    fence: Fence, assignments: Mapping[str, TopicAssignment]
) -> Steps[dict[str, SentOnce]]:
    """As `write_assignment`, of several topics."""
    operations = [
        (SetData(paths.topic(topic), encode_assignment(assignment), assignment.zk_version),)
        for topic, assignment in assignments.items()
    ]
    return dict(zip(assignments, (yield from write_each(fence, operations)), strict=True))


def write_reassignment(fence: Fence, request: Reassignment) -> Steps[SentOnce]:
    """Write the remaining *request* for reassignments; an empty one deletes the node.

    *request* has the expected `zk_version`.
    """
    path = paths.REASSIGN_PARTITIONS
    operation: Operation = Delete(path, request.zk_version)
    if request.targets:
        operation = SetData(path, encode_reassignment(request), request.zk_version)
    return (yield from write(fence, operation))


def delete_preferred_election(fence: Fence, zk_version: ZkVersion) -> Steps[SentOnce]:
    """Delete the request for preferred leaders, unless it was written anew."""
    return (yield from write(fence, Delete(paths.PREFERRED_ELECTION, zk_version)))


def delete_deletion_requests(fence: Fence, topics: Iterable[str]) -> Steps[SentOnce]:
    """Delete the requests to delete *topics*; a missing one is no error."""
    return (yield from delete_each(fence, map(paths.delete_topic, topics)))


def delete_notifications(
    fence: Fence, *, isr_changes: Iterable[str] = (), log_dir_events: Iterable[str] = ()
) -> Steps[SentOnce]:
    """Delete processed notifications; a missing one is no error."""
    notifications = [f"{paths.ISR_CHANGES}/{name}" for name in isr_changes]
    notifications += [f"{paths.LOG_DIR_EVENTS}/{name}" for name in log_dir_events]
    return (yield from delete_each(fence, notifications))


def delete_each(fence: Fence, node_paths: Iterable[str]) -> Steps[SentOnce]:
    """Delete nodes without children; the worst of the results, where a missing one counts as
    done.
    """
    outcomes = yield from write_each(fence, ((Delete(path),) for path in node_paths))
    bad = [one for one in outcomes if isinstance(one, FenceMoved | Refused)]
    return min(bad, key=lambda one: isinstance(one, Refused), default=Committed())


def delete_topic(fence: Fence, topic: str) -> Steps[SentOnce]:
    """Delete what is below the topic, and then the topic, its config and the request in one.

    A crash in between leaves the request and the topic, so that the next controller continues; a
    config without its topic would apply to the next topic of that name.
    """
    # First what is usually there, which saves a look at each of thousands of nodes.
    usual = yield from _usual_tree(paths.partitions(topic))
    outcome = yield from _delete_topic_once(fence, topic, usual)
    for _ in range(DELETE_TRIES):
        if not isinstance(outcome, Conflict):
            break
        tree = yield from _tree(paths.partitions(topic))
        outcome = yield from _delete_topic_once(fence, topic, tree)
    return outcome


def _delete_topic_once(fence: Fence, topic: str, below: list[str]) -> Steps[SentOnce]:
    parts = [
        tuple(map(Delete, below[first : first + DELETES_IN_A_TRANSACTION]))
        for first in range(0, len(below), DELETES_IN_A_TRANSACTION)
    ]
    # ZooKeeper carries them out in this order; if one fails, so does that of the parents.
    for outcome in (yield from write_each_once(fence, parts)):
        if not isinstance(outcome, Committed):
            return outcome
    last = (paths.topic(topic), paths.topic_config(topic), paths.delete_topic(topic))
    are_there = yield from read(map(Exists, last))
    there = [path for path, is_there in zip(last, are_there, strict=True) if is_there]
    return (yield from write_once(fence, *map(Delete, there)))


def _usual_tree(root: str) -> Steps[list[str]]:
    """As `_tree`, if each node below *root* has a state below it and nothing else."""
    (is_there,) = yield from read((Exists(root),))
    if not is_there:
        return []
    nodes = yield from read_paths_below((root,))
    return [path for node in nodes for path in (f"{node}/state", node)] + [root]


def _tree(root: str) -> Steps[list[str]]:
    """*root* and all nodes below it, children before parents; empty if it does not exist."""
    (is_there,) = yield from read((Exists(root),))
    if not is_there:
        return []
    found = [root]
    level = [root]
    while level:
        level = yield from read_paths_below(level)
        found += level
    return found[::-1]
