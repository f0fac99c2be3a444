"""How brokers leave and remove the notifications by which they tell others what is new."""

from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.ids import BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create, Delete, Multi, MultiFailed
from cluster.zk.steps import Refusal, Steps, write_each


def notify_log_dir_failure(broker_id: BrokerId) -> Steps[None]:
    """Leave the news that a log directory of *broker_id* has failed.

    Raises:
        Refusal: ZooKeeper does not take it.
    """
    data = encode_log_dir_event(LogDirEvent(broker_id=broker_id))
    yield from leave(paths.log_dir_event_prefix(), data)


def notify_isr_changes(partitions: tuple[TopicPartition, ...]) -> Steps[None]:
    """Leave the news that leaders have changed the ISRs of *partitions*.

    Raises:
        Refusal: ZooKeeper does not take it.
    """
    data = encode_isr_change(PartitionList(partitions=partitions))
    yield from leave(paths.isr_change_prefix(), data)


def leave(prefix: str, data: bytes) -> Steps[None]:
    """Leave a notification, numbered behind *prefix*.

    It is left again while the reply is lost: news that stand there twice say nothing else.
    """
    create = Create(prefix, data, is_sequential=True)
    (reply,) = yield from write_each((Multi((create,)),))
    if isinstance(reply, MultiFailed):
        raise Refusal(f"{create.path}: {reply.error.name}")


def remove(path: str) -> Steps[None]:
    """Remove a node that others may remove, too.  Raises Refusal if it may not be removed."""
    yield from write_each((Multi((Delete(path),)),))
