"""How brokers leave and remove the notifications by which they tell others what is new."""

from cluster.model.admin import LogDirEvent
from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.admin import encode_log_dir_event
from cluster.zk.requests import Create, Delete, Multi, MultiFailed
from cluster.zk.steps import Refusal, Steps, write_each


def notify_log_dir_failure(broker_id: BrokerId) -> Steps[None]:
    """Leave the news that a log directory of *broker_id* has failed.

    It is left again while the reply is lost: news that stand there twice say nothing else.

    Raises:
        Refusal: ZooKeeper does not take it.
    """
    data = encode_log_dir_event(LogDirEvent(broker_id=broker_id))
    create = Create(paths.log_dir_event_prefix(), data, is_sequential=True)
    (reply,) = yield from write_each((Multi((create,)),))
    if isinstance(reply, MultiFailed):
        raise Refusal(f"{create.path}: {reply.error.name}")


def remove(path: str) -> Steps[None]:
    """Remove a node that others may remove, too.  Raises Refusal if it may not be removed."""
    yield from write_each((Multi((Delete(path),)),))
