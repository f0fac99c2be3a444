"""Notifications in ZooKeeper: how brokers write and remove them."""

from collections.abc import Sequence
from typing import Final

from cluster.coordination.transaction import Fence, commit
from cluster.model.admin import LogDirEvent, PartitionList
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Conflict, ConflictKind, Outcome
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change, encode_log_dir_event
from cluster.zk.requests import Create, Delete, Multi, MultiFailed, Operation
from cluster.zk.steps import Refusal, Steps, read_children, write_each

NO_NUMBER: Final = "-000000001"
"""The number of a node that ZooKeeper never makes: below each that a broker has seen."""

SKIPPED_MAX: Final = 1000
"""How many numbers one transaction skips; ZooKeeper takes no more than 1 MiB."""


def commit_and_notify(
    fence: Fence, operations: Sequence[Operation], prefix: str, data: bytes
) -> Steps[Outcome]:
    """Carry out *operations*, and with them write a notification, numbered behind *prefix*.

    Notifications that were copied from another ZooKeeper can have the number that comes next: the
    transaction would fail for ever.  They are not removed: brokers that have read them ignore
    numbers that are not higher.  So it skips all their numbers: each creation of a child takes one.
    """
    create = Create(prefix, data, is_sequential=True)
    outcome = yield from commit(fence, (*operations, create))
    if outcome != Conflict(prefix, ConflictKind.EXISTS):
        return outcome
    store, _, start = prefix.rpartition("/")
    numbers = [
        int(name.removeprefix(start))
        for name in (yield from read_children(store))
        if name.startswith(start) and name.removeprefix(start).isdecimal()
    ]
    if not numbers:
        return outcome  # Another broker has just removed them.
    # One of them is the next number.
    skipped = min(max(numbers) - min(numbers) + 1, SKIPPED_MAX)
    unused = prefix + NO_NUMBER
    skips = (Create(unused, data), Delete(unused)) * skipped
    return (yield from commit(fence, (*operations, *skips, create)))


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
