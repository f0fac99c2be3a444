"""What happens when a partition goes from one state to another?

Every function here is one pass over many partitions: those that may not make the step are named in
state-change.log and left alone, the others make it together, and brokers are told at the end.

Source: Kafka's PartitionStateMachine.
"""

from collections.abc import Iterable, Mapping

from cluster.controller.asking import (
    Procedure,
    read_states,
    read_unclean_topics,
    write_states,
)
from cluster.controller.asks import Verdict
from cluster.controller.batch import OrderBatch
from cluster.controller.election import (
    Election,
    Strategy,
    elect_for_shutdown,
    elect_offline,
    first_state,
    is_same_decision,
    needs_unclean,
)
from cluster.controller.partition_states import PARTITION_VALID_PREVIOUS, PartitionStatus
from cluster.controller.tenure import Tenure
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState
from cluster.statechange.controller import (
    no_replica_alive,
    partition_changed,
    partition_created,
    partition_elected,
    partition_failed,
    partition_refused,
)


def permitted(
    tenure: Tenure, partitions: Iterable[TopicPartition], target: PartitionStatus
) -> tuple[TopicPartition, ...]:
    """Those of *partitions* that may become *target* from what they are."""
    allowed = PARTITION_VALID_PREVIOUS[target]
    result = []
    for partition in partitions:
        status = tenure.context.partition_status(partition)
        if status in allowed:
            result.append(partition)
        else:
            tenure.log(partition_refused(tenure.tag, partition, status, target, sorted(allowed)))
    return tuple(result)


def make_new(tenure: Tenure, partitions: Iterable[TopicPartition]) -> None:
    """Take up partitions whose replicas are known from their topic."""
    for partition in permitted(tenure, partitions, PartitionStatus.NEW):
        replicas = tenure.context.assignments[partition].replicas
        line = partition_created(
            tenure.tag,
            partition,
            PartitionStatus.NON_EXISTENT,
            PartitionStatus.NEW,
            replicas,
        )
        tenure.log(line)
        tenure.context.set_partition_status(partition, PartitionStatus.NEW)


def take_offline(tenure: Tenure, partitions: Iterable[TopicPartition]) -> None:
    """Note that partitions have lost their leader; what stands in ZooKeeper is left as it is."""
    _note(tenure, partitions, PartitionStatus.OFFLINE)


def remove(tenure: Tenure, partitions: Iterable[TopicPartition]) -> None:
    """Note that partitions are about to be deleted."""
    _note(tenure, partitions, PartitionStatus.NON_EXISTENT)


def _note(tenure: Tenure, partitions: Iterable[TopicPartition], target: PartitionStatus) -> None:
    context = tenure.context
    for partition in permitted(tenure, partitions, target):
        previous = context.partition_status(partition)
        tenure.log(partition_changed(tenure.tag, partition, previous, target))
        context.set_partition_status(partition, target)


def bring_leaderless_online(tenure: Tenure, topic: str | None = None) -> Procedure[None]:
    """Look for a leader of every partition that has none, of *topic* or of all.

    Topics that shall be deleted need none any more.
    """
    context = tenure.context
    partitions = tuple(
        partition
        for partition in context.not_online
        if not context.is_to_be_deleted(partition) and topic in (None, partition.topic)
    )
    yield from bring_online(tenure, partitions, Strategy.OFFLINE)


def bring_online(
    tenure: Tenure, partitions: Iterable[TopicPartition], strategy: Strategy
) -> Procedure[None]:
    """Give partitions a leader: new ones their first, others another by *strategy*."""
    context = tenure.context
    batch = OrderBatch(tenure)
    able = permitted(tenure, partitions, PartitionStatus.ONLINE)
    is_new = {p: context.partition_status(p) is PartitionStatus.NEW for p in able}
    yield from _begin(tenure, batch, tuple(p for p in able if is_new[p]))
    yield from _elect(tenure, batch, tuple(p for p in able if not is_new[p]), strategy)
    batch.send()


def _begin(
    tenure: Tenure, batch: OrderBatch, partitions: tuple[TopicPartition, ...]
) -> Procedure[None]:
    """Make the states of new partitions; who is in the first ISR is told to be a new replica."""
    waiting = _first_states(tenure, partitions)
    while waiting:
        results = yield from write_states(tenure, waiting, is_new=True)
        unclear: dict[TopicPartition, PartitionState] = {}
        for partition, result in results.items():
            state = waiting[partition]
            if result.verdict is Verdict.DONE:
                _set_online(tenure, partition, state._replace(zk_version=result.zk_version))
                batch.add_leader_and_isr(state.isr, partition, is_new=True)
            elif result.verdict is Verdict.REFUSED:
                _fail(tenure, partition, f"ZooKeeper refused to create its state {state}")
            else:
                unclear[partition] = state
        # The answer may have been lost behind a write that landed, or a first try was repeated.
        stored = yield from read_states(tenure, tuple(unclear))
        waiting = {}
        for partition, state in unclear.items():
            if partition not in stored and results[partition].verdict is Verdict.LOST:
                waiting[partition] = state
            elif partition in stored and is_same_decision(stored[partition], state):
                _set_online(tenure, partition, stored[partition])
                batch.add_leader_and_isr(state.isr, partition, is_new=True)
            else:
                _fail(tenure, partition, "its state exists already, or its topic is gone")


def _first_states(
    tenure: Tenure, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, PartitionState]:
    """The first states of partitions that have a live replica; the others stay new."""
    context = tenure.context
    states = {}
    for partition in partitions:
        replicas = context.assignments[partition].replicas
        live = context.live_replicas(partition)
        state = first_state(replicas, live, tenure.controller_epoch)
        if state is None:
            tenure.log(no_replica_alive(tenure.tag, partition, replicas, sorted(context.brokers)))
        else:
            states[partition] = state
    return states


def _elect(
    tenure: Tenure,
    batch: OrderBatch,
    partitions: tuple[TopicPartition, ...],
    strategy: Strategy,
) -> Procedure[None]:
    """Read, choose and write, again for those that somebody else has written in between."""
    waiting = dict.fromkeys(partitions)
    attempted: dict[TopicPartition, Election] = {}
    while waiting:
        stored = yield from read_states(tenure, tuple(waiting))
        for partition, election in attempted.items():
            if partition in stored and is_same_decision(stored[partition], election.state):
                # The write had landed, only its answer was lost.
                del waiting[partition]
                _set_online(tenure, partition, stored[partition])
                batch.add_leader_and_isr(election.recipients, partition)
        attempted = yield from _choose(tenure, tuple(waiting), stored, strategy)
        results = yield from write_states(
            tenure, {partition: election.state for partition, election in attempted.items()}
        )
        for partition, result in results.items():
            election = attempted[partition]
            if result.verdict is Verdict.DONE:
                state = election.state._replace(zk_version=result.zk_version)
                _set_online(tenure, partition, state)
                batch.add_leader_and_isr(election.recipients, partition)
            elif result.verdict is Verdict.REFUSED:
                _fail(tenure, partition, f"ZooKeeper refused to write its state {election.state}")
        attempted = {
            partition: attempted[partition]
            for partition, result in results.items()
            if result.verdict in (Verdict.CONFLICT, Verdict.LOST)
        }
        waiting = dict.fromkeys(attempted)


def _choose(
    tenure: Tenure,
    partitions: tuple[TopicPartition, ...],
    stored: Mapping[TopicPartition, PartitionState],
    strategy: Strategy,
) -> Procedure[dict[TopicPartition, Election]]:
    """An election for each partition that has one; why the others have none is logged."""
    context = tenure.context
    unclean_topics: frozenset[str] = frozenset()
    if strategy is Strategy.OFFLINE:
        unclean = dict.fromkeys(
            partition.topic
            for partition in partitions
            if partition in stored
            and needs_unclean(stored[partition], context.live_replicas(partition))
        )
        unclean_topics = yield from read_unclean_topics(tuple(unclean))
    elections = {}
    for partition in partitions:
        if partition not in stored:
            _fail(tenure, partition, f"LeaderAndIsr information doesn't exist for {partition}")
            continue
        allows_unclean = partition.topic in unclean_topics
        election = _election(tenure, partition, stored[partition], strategy, allows_unclean)
        if election is None:
            reason = f"Failed to elect leader for partition {partition} under strategy "
            _fail(tenure, partition, reason + strategy.value)
        else:
            elections[partition] = election
    return elections


def _election(
    tenure: Tenure,
    partition: TopicPartition,
    state: PartitionState,
    strategy: Strategy,
    allows_unclean: bool,
) -> Election | None:
    context, epoch = tenure.context, tenure.controller_epoch
    assignment = context.assignments[partition]
    match strategy:
        case Strategy.OFFLINE:
            live = context.live_replicas(partition)
            return elect_offline(assignment, state, live, epoch, allows_unclean=allows_unclean)
        case Strategy.CONTROLLED_SHUTDOWN:
            reachable = context.reachable_replicas(partition)
            return elect_for_shutdown(assignment, state, reachable, context.shutting_down, epoch)


def _set_online(tenure: Tenure, partition: TopicPartition, state: PartitionState) -> None:
    context = tenure.context
    previous = context.partition_status(partition)
    context.states[partition] = state
    tenure.log(partition_elected(tenure.tag, partition, previous, PartitionStatus.ONLINE, state))
    context.set_partition_status(partition, PartitionStatus.ONLINE)


def _fail(tenure: Tenure, partition: TopicPartition, reason: str) -> None:
    status = tenure.context.partition_status(partition)
    tenure.log(partition_failed(tenure.tag, partition, status, PartitionStatus.ONLINE, reason))
