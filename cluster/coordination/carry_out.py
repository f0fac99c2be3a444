"""Which requests carry out an ask of the controller, and what do their replies say to it?"""

from typing import assert_never

from cluster.controller.asks import (
    Answer,
    CreateControllerEpoch,
    CreateStates,
    DeleteTopicNodes,
    DropDeletionRequests,
    DropNotifications,
    Failed,
    LeaveOffice,
    Read,
    ReadAssignments,
    ReadBrokers,
    ReadController,
    ReadDeletionRequests,
    ReadIsrChanges,
    ReadLogDirEvents,
    ReadStates,
    ReadTopics,
    ReadUncleanTopics,
    TakeOffice,
    Wish,
    Write,
    WriteAssignment,
    WriteStates,
)
from cluster.coordination import reads, writes
from cluster.coordination.steps import Client, Refusal, Steps
from cluster.zk import paths


def carry_out(wish: Wish, client: Client) -> Steps[Answer]:
    """Do what *wish* says, step by step, and return what the controller is answered."""
    try:
        if isinstance(wish, Read):
            return (yield from _read(wish, client))
        return (yield from _write(wish, client))
    except Refusal as refusal:
        return Failed(str(refusal))


def _read(wish: Read, client: Client) -> Steps[Answer]:
    match wish:
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
        case ReadIsrChanges():
            return (yield from reads.read_isr_changes(client))
        case ReadLogDirEvents():
            return (yield from reads.read_log_dir_events(client))
    assert_never(wish)


def _write(wish: Write, client: Client) -> Steps[Answer]:
    match wish:
        case CreateControllerEpoch():
            return (yield from writes.create_controller_epoch())
        case TakeOffice():
            return (yield from writes.take_office(client, wish))
        case LeaveOffice():
            return (yield from writes.leave_office(wish.epoch_zk_version))
        case CreateStates():
            return (yield from writes.create_states(wish.writes, wish.epoch_zk_version))
        case WriteStates():
            return (yield from writes.write_states(wish.writes, wish.epoch_zk_version))
        case WriteAssignment(topic=topic, assignment=assignment):
            return (yield from writes.write_assignment(topic, assignment, wish.epoch_zk_version))
        case DeleteTopicNodes(topic=topic):
            return (yield from writes.delete_topic(topic, wish.epoch_zk_version))
        case DropDeletionRequests(topics=topics):
            requests = map(paths.delete_topic, topics)
            return (yield from writes.delete_each(requests, wish.epoch_zk_version))
        case DropNotifications():
            notifications = [f"{paths.ISR_CHANGES}/{name}" for name in wish.isr_changes]
            notifications += [f"{paths.LOG_DIR_EVENTS}/{name}" for name in wish.log_dir_events]
            return (yield from writes.delete_each(notifications, wish.epoch_zk_version))
    assert_never(wish)
