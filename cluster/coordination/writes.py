"""Writes of the controller: how is each made in ZooKeeper?

Every one is a transaction that begins with the check of `/controller_epoch`; many of them are
pipelined.  Unlike those of `cluster.coordination.transaction` they are not sent again nor looked
for when a reply is lost: that is a verdict, upon which the core reads anew what it decides from.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from cluster.controller.zookeeper_requests import (
    RegisterController,
    StateWrite,
    Verdict,
    WriteResult,
    Written,
)
from cluster.coordination.client import Client
from cluster.model.admin import Reassignment
from cluster.model.controller import Controller
from cluster.model.ids import ControllerEpoch, TopicPartition, ZkVersion
from cluster.model.topic import TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.controller import encode_controller, encode_controller_epoch
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Exists,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    Refused,
    SetData,
    ZkError,
    ZkReply,
)
from cluster.zk.steps import Steps, read, read_paths_below
from cluster.zk.topics import encode_assignment, encode_state

DELETES_IN_A_TRANSACTION: Final = 500
"""A transaction must stay under ZooKeeper's limit of 1 MB, at some 300 bytes for a long path."""

STATES_IN_A_TRANSACTION: Final = 50
"""A transaction takes the client, the server and its disk nearly as long for one state."""

TRANSACTIONS_MIN: Final = 8
"""Few states have a transaction each: most of what overtakes a controller concerns few of them."""

DELETE_TRIES: Final = 5
"""Somebody may be making nodes below a topic while it is deleted, but not for ever."""

CONTROLLER_VERSION: Final = 2


def guarded(epoch_zk_version: ZkVersion, operations: Iterable[Operation]) -> Multi:
    return Multi((Check(paths.CONTROLLER_EPOCH, epoch_zk_version), *operations))


def result_of(request: Multi, reply: ZkReply) -> WriteResult:
    """What the reply to a transaction means."""
    if isinstance(reply, MultiDone):
        return WriteResult(Verdict.DONE, reply.zk_versions[-1])
    if isinstance(reply, Lost):
        return WriteResult(Verdict.LOST)
    if isinstance(reply, Refused):
        return WriteResult(Verdict.REFUSED)
    assert isinstance(reply, MultiFailed)
    failed = request.operations[reply.index]
    if isinstance(failed, Check):
        return WriteResult(Verdict.FENCED)
    return WriteResult(Verdict.CONFLICT)


def results_of(request: Multi, reply: ZkReply) -> list[WriteResult]:
    """What the reply means for each operation of *request* behind its check."""
    result = result_of(request, reply)
    if isinstance(reply, MultiDone):
        return [result._replace(zk_version=version) for version in reply.zk_versions[1:]]
    return [result] * (len(request.operations) - 1)


def write_each(requests: Sequence[Multi]) -> Steps[list[WriteResult]]:
    """The result of each of *requests*, which are pipelined."""
    if not requests:
        return []
    replies = yield tuple(requests)
    return [result_of(request, reply) for request, reply in zip(requests, replies, strict=True)]


def write_one(request: Multi) -> Steps[Written]:
    results = yield from write_each((request,))
    return Written(tuple(results))


def create_controller_epoch() -> Steps[Written]:
    data = encode_controller_epoch(ControllerEpoch(0))
    return (yield from write_one(Multi((Create(paths.CONTROLLER_EPOCH, data),))))


def register_controller(client: Client, request: RegisterController) -> Steps[Written]:
    controller = Controller(
        broker_id=client.broker_id, timestamp_ms=client.wall_ms, version=CONTROLLER_VERSION
    )
    epoch_data = encode_controller_epoch(request.controller_epoch)
    transaction = Multi(
        (
            Create(paths.CONTROLLER, encode_controller(controller), is_ephemeral=True),
            SetData(paths.CONTROLLER_EPOCH, epoch_data, request.expected_zk_version),
        )
    )
    return (yield from write_one(transaction))


def remove_controller(epoch_zk_version: ZkVersion) -> Steps[Written]:
    return (yield from write_one(guarded(epoch_zk_version, (Delete(paths.CONTROLLER),))))


def create_states(writes: tuple[StateWrite, ...], epoch_zk_version: ZkVersion) -> Steps[Written]:
    """Make `partitions` for each topic, then for each partition its node and its state at once.

    Where a partition's node is there already, left over from a crash of another kind of
    controller, only its state is made.
    """
    topics = dict.fromkeys(write.partition.topic for write in writes)
    parents = [guarded(epoch_zk_version, (Create(paths.partitions(topic)),)) for topic in topics]
    while parents:
        results = yield from write_each(parents)
        # Whether one was there, or could not be made, shows in what is made below it.
        parents = [
            parent
            for parent, result in zip(parents, results, strict=True)
            if result.verdict is Verdict.LOST
        ]
    requests = []
    for partition, state in writes:
        state_path = paths.state(partition.topic, partition.partition)
        create = Create(state_path, encode_state(state))
        requests.append(guarded(epoch_zk_version, (Create(paths.partition(partition)), create)))
    replies = yield tuple(requests)
    results = [result_of(request, reply) for request, reply in zip(requests, replies, strict=True)]
    halves = [
        index
        for index, reply in enumerate(replies)
        if isinstance(reply, MultiFailed) and (reply.index, reply.error) == (1, ZkError.NODE_EXISTS)
    ]
    states_only = [guarded(epoch_zk_version, requests[index].operations[2:]) for index in halves]
    second_results = yield from write_each(states_only)
    for index, result in zip(halves, second_results, strict=True):
        results[index] = result
    return Written(tuple(results))


def write_states(writes: tuple[StateWrite, ...], epoch_zk_version: ZkVersion) -> Steps[Written]:
    """Overwrite states, of very many some in one transaction.

    A state that was overtaken, or may not be written, fails its transaction; so that it does not
    hold up the others, each of these is then tried alone.
    """
    size = max(1, min(STATES_IN_A_TRANSACTION, len(writes) // TRANSACTIONS_MIN))
    parts = [writes[start : start + size] for start in range(0, len(writes), size)]
    requests = [states_written(part, epoch_zk_version) for part in parts]
    replies = yield tuple(requests)
    results: dict[TopicPartition, WriteResult] = {}
    again: list[StateWrite] = []
    for part, request, reply in zip(parts, requests, replies, strict=True):
        for write, result in zip(part, results_of(request, reply), strict=True):
            results[write.partition] = result
            if len(part) > 1 and result.verdict in (Verdict.CONFLICT, Verdict.REFUSED):
                again.append(write)
    alone = yield from write_each([states_written((write,), epoch_zk_version) for write in again])
    results |= zip((write.partition for write in again), alone, strict=True)
    return Written(tuple(results[write.partition] for write in writes))


def states_written(writes: Iterable[StateWrite], epoch_zk_version: ZkVersion) -> Multi:
    return guarded(
        epoch_zk_version,
        (
            SetData(
                paths.state(partition.topic, partition.partition),
                encode_state(state),
                state.zk_version,
            )
            for partition, state in writes
        ),
    )


def write_assignment(
    topic: str, assignment: TopicAssignment, epoch_zk_version: ZkVersion
) -> Steps[Written]:
    data = encode_assignment(assignment)
    write = SetData(paths.topic(topic), data, assignment.zk_version)
    return (yield from write_one(guarded(epoch_zk_version, (write,))))


def write_reassignment(request: Reassignment, epoch_zk_version: ZkVersion) -> Steps[Written]:
    path = paths.REASSIGN_PARTITIONS
    operation: Operation = Delete(path, request.zk_version)
    if request.targets:
        operation = SetData(path, encode_reassignment(request), request.zk_version)
    return (yield from write_one(guarded(epoch_zk_version, (operation,))))


def delete_each(node_paths: Iterable[str], epoch_zk_version: ZkVersion) -> Steps[Written]:
    """Delete nodes without children; the worst of the results, where one that is gone is done."""
    requests = [guarded(epoch_zk_version, (Delete(path),)) for path in node_paths]
    results = yield from write_each(requests)
    verdicts = {result.verdict for result in results} - {Verdict.DONE, Verdict.CONFLICT}
    for verdict in (Verdict.FENCED, Verdict.REFUSED, Verdict.LOST):
        if verdict in verdicts:
            return Written((WriteResult(verdict),))
    return Written((WriteResult(Verdict.DONE),))


def delete_topic(topic: str, epoch_zk_version: ZkVersion) -> Steps[Written]:
    """Delete what is below the topic, and then the topic, its config and the request as one.

    A crash in between leaves the request and the topic, so that the next controller goes on; a
    config without its topic would be taken over by the next topic of that name.
    """
    result = WriteResult(Verdict.CONFLICT)
    for _ in range(DELETE_TRIES):
        result = yield from _delete_topic_once(topic, epoch_zk_version)
        if result.verdict is not Verdict.CONFLICT:
            break
    return Written((result,))


def _delete_topic_once(topic: str, epoch_zk_version: ZkVersion) -> Steps[WriteResult]:
    below = yield from _tree(paths.partitions(topic))
    for first in range(0, len(below), DELETES_IN_A_TRANSACTION):
        deletes = [Delete(path) for path in below[first : first + DELETES_IN_A_TRANSACTION]]
        (result,) = yield from write_each((guarded(epoch_zk_version, deletes),))
        if result.verdict is not Verdict.DONE:
            return result
    last = (paths.topic(topic), paths.topic_config(topic), paths.delete_topic(topic))
    are_there = yield from read(Exists(path) for path in last)
    deletes = [Delete(path) for path, is_there in zip(last, are_there, strict=True) if is_there]
    (result,) = yield from write_each((guarded(epoch_zk_version, deletes),))
    return WriteResult(result.verdict)


def _tree(root: str) -> Steps[list[str]]:
    """*root* and all nodes below it, children before parents; nothing when it is not there."""
    (is_there,) = yield from read((Exists(root),))
    if not is_there:
        return []
    found = [root]
    level = [root]
    while level:
        level = yield from read_paths_below(level)
        found += level
    return found[::-1]
