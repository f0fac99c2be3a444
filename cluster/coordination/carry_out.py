"""The controller's requests, carried out: by which requests of ZooKeeper, and with which answer."""

from typing import assert_never

from cluster.controller.zookeeper_requests import (
    Answer,
    CreateControllerEpoch,
    CreateStates,
    DeleteTopicNodes,
    DropDeletionRequests,
    DropNotifications,
    DropPreferredElection,
    Failed,
    Read,
    ReadAssignments,
    ReadBrokers,
    ReadController,
    ReadDeletionRequests,
    ReadIsrChanges,
    ReadLogDirEvents,
    ReadPreferredElection,
    ReadReassignment,
    ReadStates,
    ReadTopics,
    ReadUncleanTopics,
    RegisterController,
    RemoveController,
    Write,
    WriteAssignment,
    WriteReassignment,
    WriteStates,
    ZooKeeperRequest,
)
from cluster.coordination import reads, writes
from cluster.coordination.client import Client
from cluster.zk import paths
from cluster.zk.requests import Delete
from cluster.zk.steps import Refusal, Steps


def carry_out(request: ZooKeeperRequest, client: Client) -> Steps[Answer]:
    """Do what *request* says, step by step, and return what the controller is answered."""
    try:
        if isinstance(request, Read):
            return (yield from _read(request, client))
        return (yield from _write(request, client))
    except Refusal as refusal:
        return Failed(str(refusal))


def _read(request: Read, client: Client) -> Steps[Answer]:
    match request:
        case ReadController():
            return (yield from reads.read_controller(client))
        case ReadBrokers():
            return (yield from reads.read_brokers(client))
        case ReadTopics():
            return (yield from reads.read_topics())
        case ReadAssignments(topics):
            return (yield from reads.read_assignments(client, topics))
        case ReadStates(partitions):
            return (yield from reads.read_states(client, partitions))
        case ReadUncleanTopics(topics):
            return (yield from reads.read_unclean_topics(client, topics))
        case ReadDeletionRequests():
            return (yield from reads.read_deletion_requests())
        case ReadReassignment():
            return (yield from reads.read_reassignment(client))
        case ReadIsrChanges():
            return (yield from reads.read_isr_changes(client))
        case ReadLogDirEvents():
            return (yield from reads.read_log_dir_events(client))
        case ReadPreferredElection():
            return (yield from reads.read_preferred_election(client))
    assert_never(request)


def _write(request: Write, client: Client) -> Steps[Answer]:
    match request:
        case CreateControllerEpoch():
            return (yield from writes.create_controller_epoch())
        case RegisterController():
            return (yield from writes.register_controller(client, request))
        case RemoveController():
            return (yield from writes.remove_controller(request.epoch_zk_version))
        case CreateStates():
            return (yield from writes.create_states(request.writes, request.epoch_zk_version))
        case WriteStates():
            return (yield from writes.write_states(request.writes, request.epoch_zk_version))
        case WriteAssignment(topic=topic, assignment=assignment):
            return (yield from writes.write_assignment(topic, assignment, request.epoch_zk_version))
        case DeleteTopicNodes(topic=topic):
            return (yield from writes.delete_topic(topic, request.epoch_zk_version))
        case DropDeletionRequests(topics=topics):
            requests = map(paths.delete_topic, topics)
            return (yield from writes.delete_each(requests, request.epoch_zk_version))
        case WriteReassignment(request=left):
            return (yield from writes.write_reassignment(left, request.epoch_zk_version))
        case DropNotifications():
            notifications = [f"{paths.ISR_CHANGES}/{name}" for name in request.isr_changes]
            notifications += [f"{paths.LOG_DIR_EVENTS}/{name}" for name in request.log_dir_events]
            return (yield from writes.delete_each(notifications, request.epoch_zk_version))
        case DropPreferredElection(zk_version=zk_version):
            delete = Delete(paths.PREFERRED_ELECTION, zk_version)
            guarded = writes.guarded(request.epoch_zk_version, (delete,))
            return (yield from writes.write_one(guarded))
    assert_never(request)
