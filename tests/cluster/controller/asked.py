"""What the controller asks of ZooKeeper, recognized by the requests: for tests that lose replies.

Sequences of several steps are named by one of them: a read by its first, the making of states by
that of the states, and the deletion of a topic by its last.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from cluster.model.ids import TopicPartition, ZkVersion
from cluster.model.topic import PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.admin import decode_reassignment
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    GetMany,
    Multi,
    Operation,
    SetData,
    ZkRequest,
)
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zk.znode import Znode

TOPIC: Final = re.compile(r"/brokers/topics/([^/]+)")
STATE: Final = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")
CONFIG: Final = re.compile(r"/config/topics/([^/]+)")

States: TypeAlias = Mapping[TopicPartition, PartitionState]


class Asked:
    """Something that the controller reads or writes."""


@dataclass(frozen=True)
class ReadController(Asked): ...


@dataclass(frozen=True)
class ReadBrokers(Asked): ...


@dataclass(frozen=True)
class ReadTopics(Asked): ...


@dataclass(frozen=True)
class ReadAssignments(Asked):
    topics: tuple[str, ...]


@dataclass(frozen=True)
class ReadStates(Asked): ...


@dataclass(frozen=True)
class ReadUncleanTopics(Asked): ...


@dataclass(frozen=True)
class ReadDeletionRequests(Asked): ...


@dataclass(frozen=True)
class ReadReassignment(Asked): ...


@dataclass(frozen=True)
class ReadIsrChanges(Asked): ...


@dataclass(frozen=True)
class ReadLogDirEvents(Asked): ...


@dataclass(frozen=True)
class ReadPreferredElection(Asked): ...


@dataclass(frozen=True)
class CreateControllerEpoch(Asked): ...


@dataclass(frozen=True)
class RegisterController(Asked):
    controller_epoch: int
    expected_zk_version: ZkVersion


@dataclass(frozen=True)
class RemoveController(Asked): ...


@dataclass(frozen=True)
class CreateStates(Asked): ...


@dataclass(frozen=True)
class WriteStates(Asked):
    states: States


@dataclass(frozen=True)
class WriteAssignment(Asked):
    assignment: TopicAssignment


@dataclass(frozen=True)
class DeleteTopic(Asked): ...


@dataclass(frozen=True)
class DeleteDeletionRequests(Asked): ...


@dataclass(frozen=True)
class WriteReassignment(Asked):
    """*count* partitions are left in it."""

    count: int


@dataclass(frozen=True)
class DeleteNotifications(Asked): ...


@dataclass(frozen=True)
class DeletePreferredElection(Asked): ...


READS: Final = {
    Exists(paths.CONTROLLER, True): ReadController(),
    Exists(paths.REASSIGN_PARTITIONS, True): ReadReassignment(),
    Exists(paths.PREFERRED_ELECTION, True): ReadPreferredElection(),
    GetChildren(paths.BROKER_IDS, True): ReadBrokers(),
    GetChildren(paths.TOPICS, True): ReadTopics(),
    GetChildren(paths.DELETE_TOPICS, True): ReadDeletionRequests(),
    GetChildren(paths.ISR_CHANGES, True): ReadIsrChanges(),
    GetChildren(paths.LOG_DIR_EVENTS, True): ReadLogDirEvents(),
}
DELETES: Final = {
    paths.CONTROLLER: RemoveController(),
    paths.REASSIGN_PARTITIONS: WriteReassignment(0),
    paths.PREFERRED_ELECTION: DeletePreferredElection(),
}
DELETES_BELOW: Final = {
    paths.TOPICS: DeleteTopic(),
    paths.DELETE_TOPICS: DeleteDeletionRequests(),
    paths.ISR_CHANGES: DeleteNotifications(),
    paths.LOG_DIR_EVENTS: DeleteNotifications(),
}


def asked_by(requests: tuple[ZkRequest, ...]) -> Asked | None:
    """What *requests* are for; None for those that go on with what others began."""
    first = requests[0]
    if isinstance(first, Multi):
        operations = [
            operation
            for request in requests
            if isinstance(request, Multi)
            for operation in request.operations
            if not isinstance(operation, Check)
        ]
        return written_by(operations)
    if isinstance(first, Exists | GetChildren):
        return READS.get(first)
    paths_read = [path for request in requests for path in read_by(request)]
    topics = [found[1] for found in map(TOPIC.fullmatch, paths_read) if found is not None]
    if topics:
        return ReadAssignments(tuple(topics))
    if any(map(STATE.fullmatch, paths_read)):
        return ReadStates()
    return ReadUncleanTopics() if any(map(CONFIG.fullmatch, paths_read)) else None


def read_by(request: ZkRequest) -> Iterable[str]:
    match request:
        case GetData(path):
            return (path,)
        case GetMany(many):
            return many
    return ()


def written_by(operations: Sequence[Operation]) -> Asked | None:
    states = {
        TopicPartition(found[1], int(found[2])): decode_state(Znode(one.path, one.data))
        for one in operations
        if isinstance(one, SetData) and (found := STATE.fullmatch(one.path)) is not None
    }
    if states:
        return WriteStates(states)
    if any(isinstance(one, Create) and STATE.fullmatch(one.path) for one in operations):
        return CreateStates()
    match operations:
        case [Create(paths.CONTROLLER_EPOCH)]:
            return CreateControllerEpoch()
        case [Create(paths.CONTROLLER), SetData(_, data, expected_zk_version)]:
            return RegisterController(int(data), expected_zk_version)
        case [SetData(paths.REASSIGN_PARTITIONS, data)]:
            left = decode_reassignment(Znode(paths.REASSIGN_PARTITIONS, data))
            return WriteReassignment(len(left.targets))
        case [SetData(path, data)] if TOPIC.fullmatch(path):
            return WriteAssignment(decode_assignment(Znode(path, data)))
        case [Delete(path), *_]:
            return DELETES.get(path) or DELETES_BELOW.get(path.rpartition("/")[0])
    return None
