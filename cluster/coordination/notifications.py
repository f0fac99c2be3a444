"""Notifications in ZooKeeper: how brokers write and remove them."""

from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create, Delete, Multi, MultiFailed
from cluster.zk.steps import Refusal, Steps, write_each


def notify_log_dir_failure(broker_id: BrokerId) -> Steps[None]:
    """Write a notification that a log directory of *broker_id* has failed.

    Raises:
        Refusal: ZooKeeper refuses it.
    """
    data = encode_log_dir_event(LogDirEvent(broker_id=broker_id))
    yield from leave(paths.log_dir_event_prefix(), data)


def notify_isr_changes(partitions: tuple[TopicPartition, ...]) -> Steps[None]:
    """Write a notification that leaders have changed the ISRs of *partitions*.

    Raises:
        Refusal: ZooKeeper refuses it.
    """
    data = encode_isr_change(PartitionList(partitions=partitions))
    yield from leave(paths.isr_change_prefix(), data)


def leave(prefix: str, data: bytes) -> Steps[None]:
    """Write a notification, numbered behind *prefix*.

    Written again while the reply is lost: a duplicate does no harm.
    """
    create = Create(prefix, data, is_sequential=True)
    (reply,) = yield from write_each((Multi((create,)),))
    if isinstance(reply, MultiFailed):
        raise Refusal(f"{create.path}: {reply.error.name}")


def remove(path: str) -> Steps[None]:
    """Remove a node that others may remove, too.  Raises Refusal if it may not be removed."""
    yield from write_each((Multi((Delete(path),)),))
