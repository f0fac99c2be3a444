"""The request to reassign partitions in `/admin/reassign_partitions`, as its parts finish.

Tools create the node, and take its removal as the end of all that it asks for.
"""

from collections.abc import Callable
from dataclasses import replace

from cluster.controller.active_controller import ActiveController
from cluster.controller.procedures import Procedure, fenced
from cluster.coordination import reads, writes
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Conflict
from cluster.statechange.line import Level
from cluster.zk.requests import Refused


def drop(
    active: ActiveController,
    is_over: Callable[[TopicPartition, tuple[BrokerId, ...]], bool],
) -> Procedure[None]:
    """Remove from the request what *is_over*, given a partition and its target; delete an empty
    one.

    Source: Kafka's maybeRemoveFromZkReassignment.
    """
    while True:
        read = yield from reads.read_reassignment(active.client)
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
        wanted = replace(request, targets=left)
        result = yield from fenced(writes.write_reassignment(active.fence, wanted))
        if isinstance(result, Refused):
            active.note("ZooKeeper refuses to change the request to reassign", Level.ERROR)
        if not isinstance(result, Conflict):
            return
