"""The request to reassign partitions in `/admin/reassign_partitions`: what is left of it?

Tools make the node, and take its end for the end of all that it asks for.
"""

from collections.abc import Callable
from dataclasses import replace

from cluster.controller.active_controller import ActiveController
from cluster.controller.procedures import Procedure, send, settle
from cluster.controller.zookeeper_requests import (
    ReadReassignment,
    ReassignmentRead,
    Verdict,
    WriteReassignment,
)
from cluster.model.ids import BrokerId, TopicPartition
from cluster.statechange.line import Level


def drop(
    active: ActiveController,
    is_over: Callable[[TopicPartition, tuple[BrokerId, ...]], bool],
) -> Procedure[None]:
    """Take out of the request what *is_over*, given a partition and its target; none at all goes.

    Source: Kafka's maybeRemoveFromZkReassignment.
    """
    while True:
        read = yield from send(ReadReassignment(), ReassignmentRead)
        request = read.request
        if request is None:
            return
        left = {
            partition: target
            for partition, target in request.targets.items()
            if not is_over(partition, target)
        }
        if left and len(left) == len(request.targets):
            return
        result = yield from settle(
            WriteReassignment(
                request=replace(request, targets=left), epoch_zk_version=active.epoch_zk_version
            )
        )
        if result.verdict is Verdict.REFUSED:
            active.note("ZooKeeper refuses to change the request to reassign", Level.ERROR)
        if result.verdict is not Verdict.CONFLICT:
            return
