"""Elections by request: an operator wants other leaders, by an API or by a znode.

`election` chooses a leader by a strategy, `partitions` writes and sends it.

Source: Kafka's KafkaController.processReplicaLeaderElection.
"""

from collections.abc import Iterable

from cluster.controller import partitions
from cluster.controller.active_controller import ActiveController
from cluster.controller.election import Strategy
from cluster.controller.procedures import Procedure, fenced
from cluster.controller.requests import ElectionResult, ElectLeaders, ElectLeadersReply
from cluster.coordination import reads, writes
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.statechange.line import Level


def elect_leaders(active: ActiveController, request: ElectLeaders) -> Procedure[ElectLeadersReply]:
    """Elect where it is needed; every partition has its result, in the request's order."""
    is_unclean = request.is_unclean
    strategy = Strategy.OFFLINE_UNCLEAN if is_unclean else Strategy.PREFERRED
    results = {
        partition: _without_election(active, partition, is_unclean=is_unclean)
        for partition in request.partitions
    }
    electable = tuple(partition for partition, result in results.items() if result is None)
    elected = yield from elect(active, electable, strategy)
    failed = (
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
        if is_unclean
        else ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
    )
    for partition in electable:
        if partition in elected:
            leader = active.context.leader_of(partition)
            results[partition] = ElectionResult(ErrorCode.NONE, leader=leader)
        else:
            message = partitions.no_leader_found(partition, strategy)
            results[partition] = ElectionResult(failed, message)
    return ElectLeadersReply(
        {partition: result for partition, result in results.items() if result is not None}
    )


def _without_election(
    active: ActiveController, partition: TopicPartition, *, is_unclean: bool
) -> ElectionResult | None:
    """The result of a partition that needs no election or cannot have one; None for the others.

    Operators ask for an unclean election of all partitions when some have no leader: the others
    keep theirs.
    """
    context = active.context
    if partition not in context.assignments:
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ElectionResult(error, "The partition does not exist.")
    if context.is_to_be_deleted(partition):
        return ElectionResult(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is being deleted")
    if is_unclean:
        is_fine = context.has_live_leader(partition)
    else:
        preferred_leader = context.assignments[partition].preferred_leader
        is_fine = context.leader_of(partition) == preferred_leader
    if is_fine:
        message = "Leader election not needed for topic partition."
        return ElectionResult(ErrorCode.ELECTION_NOT_NEEDED, message)
    return None


def elect(
    active: ActiveController, electable: Iterable[TopicPartition], strategy: Strategy
) -> Procedure[frozenset[TopicPartition]]:
    """Elect a leader for each of *electable*; returns the partitions that have got one.

    The leader epoch shows whether an election succeeded: each election raises it.
    """
    context = active.context
    before = {partition: context.states.get(partition) for partition in electable}
    yield from partitions.bring_online(active, before, strategy)
    elected = set()
    for partition, state in before.items():
        now = context.states.get(partition)
        if now is not None and (state is None or now.leader_epoch > state.leader_epoch):
            elected.add(partition)
    return frozenset(elected)


def refresh_preferred_election(active: ActiveController) -> Procedure[None]:
    """Elect the preferred leaders of the partitions that the znode names, and remove it.

    It is removed last, whatever the results: its absence signals to the tool that the elections are
    over.  After a crash before that the next controller elects for the partitions that are left.  A
    damaged znode is removed as well: it would block the next request.

    A znode that was written anew since it was read stays, and the next hint handles it.
    """
    read = yield from reads.read_preferred_election(active.client)
    if read.zk_version is None:
        return
    electable = []
    for partition in dict.fromkeys(read.partitions):
        result = _without_election(active, partition, is_unclean=False)
        if result is None:
            electable.append(partition)
        elif result.error is not ErrorCode.ELECTION_NOT_NEEDED:
            text = f"partition={partition} gets no preferred leader: {result.message}"
            active.note(text, Level.WARN)
    yield from elect_preferred_leaders(active, electable)
    yield from fenced(writes.delete_preferred_election(active.fence, read.zk_version))


def elect_preferred_leaders(
    active: ActiveController, electable: Iterable[TopicPartition]
) -> Procedure[None]:
    """Elect without a requester that waits for the result; controller.log has the results."""
    electable = tuple(electable)
    elected = yield from elect(active, electable, Strategy.PREFERRED)
    for partition in electable:
        preferred_leader = active.context.assignments[partition].preferred_leader
        if partition in elected:
            active.note(f"partition={partition} is led by its preferred leader {preferred_leader}")
        else:
            leader = active.context.leader_of(partition)
            text = f"partition={partition} is led by {leader} still, not by {preferred_leader}"
            active.note(text, Level.WARN)
