"""Partition state machine: what happens when a partition goes from one state to another.

Every function here is one pass over many partitions: state-change.log names those that may not make
the step, and they stay as they are; the others make it together, and the orders are sent at the
end; very many partitions go in parts.

The order of each step is: write the state to ZooKeeper, note it in the context when the write is
known to have succeeded, send it to the brokers.  A crash before the write leaves nothing, a crash
after it a state that the next controller reads and sends.  If it were sent before it is written, a
leader could append records under an epoch that another controller gives to another leader.

Source: Kafka's PartitionStateMachine.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from cluster.controller import bounces
from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.election import (
    Election,
    Strategy,
    elect_for_reassignment,
    elect_for_shutdown,
    elect_offline,
    elect_preferred,
    first_state,
    is_same_decision,
    needs_unclean,
)
from cluster.controller.partition_states import PARTITION_VALID_PREVIOUS, PartitionStatus
from cluster.controller.procedures import (
    Procedure,
    States,
    is_ahead,
    read_states,
    rewrite_states,
    some_at_once,
    write_states,
)
from cluster.coordination import reads
from cluster.coordination.reads import StatesRead
from cluster.model.ids import NEVER_READ, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.topic import RECOVERING, PartitionState
from cluster.statechange.controller import (
    no_replica_alive,
    partition_changed,
    partition_created,
    partition_elected,
    partition_failed,
    partition_refused,
)
from cluster.zk.requests import Lost, Refused


def permitted(
    active: ActiveController, partitions: Iterable[TopicPartition], target: PartitionStatus
) -> tuple[TopicPartition, ...]:
    """Those of *partitions* that may enter the state *target* from their present one."""
    allowed = PARTITION_VALID_PREVIOUS[target]
    result = []
    for partition in partitions:
        status = active.context.partition_status(partition)
        if status in allowed:
            result.append(partition)
        else:
            active.log(partition_refused(active.tag, partition, status, target, sorted(allowed)))
    return tuple(result)


def make_new(active: ActiveController, partitions: Iterable[TopicPartition]) -> None:
    """Add partitions whose replicas are known from their topic."""
    for partition in permitted(active, partitions, PartitionStatus.NEW):
        replicas = active.context.assignments[partition].replicas
        line = partition_created(
            active.tag,
            partition,
            PartitionStatus.NON_EXISTENT,
            PartitionStatus.NEW,
            replicas,
        )
        active.log(line)
        active.context.set_partition_status(partition, PartitionStatus.NEW)


def take_offline(active: ActiveController, partitions: Iterable[TopicPartition]) -> None:
    """Note that partitions have lost their leader; their states in ZooKeeper stay as they are."""
    _note(active, partitions, PartitionStatus.OFFLINE)


def remove(active: ActiveController, partitions: Iterable[TopicPartition]) -> None:
    """Note that partitions are about to be deleted."""
    _note(active, partitions, PartitionStatus.NON_EXISTENT)


def _note(
    active: ActiveController, partitions: Iterable[TopicPartition], target: PartitionStatus
) -> None:
    context = active.context
    for partition in permitted(active, partitions, target):
        previous = context.partition_status(partition)
        active.log(partition_changed(active.tag, partition, previous, target))
        context.set_partition_status(partition, target)


def bring_leaderless_online(active: ActiveController, topic: str | None = None) -> Procedure[None]:
    """Elect a leader for every partition that has none, of *topic* or of all.

    Topics that are to be deleted need none any more, and new partitions have turns of their own.
    """
    context = active.context
    partitions = tuple(
        partition
        for partition in context.not_online
        if partition not in context.to_be_started
        and not context.is_left_alone(partition)
        and topic in (None, partition.topic)
    )
    yield from bring_online(active, partitions, Strategy.OFFLINE)


def bring_online(
    active: ActiveController, partitions: Iterable[TopicPartition], strategy: Strategy
) -> Procedure[None]:
    """Give partitions a leader: new ones their first, others another one by *strategy*."""
    context = active.context
    batch = OrderBatch(active)
    for able in some_at_once(permitted(active, partitions, PartitionStatus.ONLINE)):
        is_new = {p: context.partition_status(p) is PartitionStatus.NEW for p in able}
        yield from _initialize(active, batch, tuple(p for p in able if is_new[p]))
        yield from _elect(active, batch, tuple(p for p in able if not is_new[p]), strategy)
        batch.send()


def _initialize(
    active: ActiveController, batch: OrderBatch, partitions: tuple[TopicPartition, ...]
) -> Procedure[None]:
    """Create the states of new partitions; members of the first ISR are sent as new replicas.

    Kafka's initializeLeaderAndIsrForPartitions.
    """
    waiting = _first_states(active, partitions)
    while waiting:
        results = yield from write_states(active, waiting, is_new=True)
        unclear: dict[TopicPartition, PartitionState] = {}
        for partition, result in results.items():
            state = waiting[partition]
            if isinstance(result, Committed):
                _set_online(active, partition, state._replace(zk_version=result.zk_version))
                batch.add_leader_and_isr(state.isr, partition, is_new=True)
            elif isinstance(result, Refused):
                _fail(active, partition, f"ZooKeeper refused to create its state {state}")
            else:
                unclear[partition] = state
        # The answer to a successful write may have been lost, or a first try was repeated.
        stored = yield from read_states(active, tuple(unclear))
        waiting = {}
        for partition, state in unclear.items():
            if partition not in stored and isinstance(results[partition], Lost):
                waiting[partition] = state
            elif partition in stored and is_same_decision(stored[partition], state):
                _set_online(active, partition, stored[partition])
                batch.add_leader_and_isr(state.isr, partition, is_new=True)
            else:
                _fail(active, partition, "its state exists already, or its topic is gone")


def _first_states(
    active: ActiveController, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, PartitionState]:
    """The first states of partitions that have a live replica; the others stay new, as do those
    of topics that are to be deleted.
    """
    context = active.context
    states = {}
    for partition in partitions:
        if context.is_to_be_deleted(partition):
            continue
        replicas = context.assignments[partition].replicas
        live = context.live_replicas(partition)
        state = first_state(replicas, live, active.controller_epoch)
        if state is None:
            active.log(no_replica_alive(active.tag, partition, replicas, sorted(context.brokers)))
        else:
            states[partition] = state
    return states


def _elect(
    active: ActiveController,
    batch: OrderBatch,
    partitions: tuple[TopicPartition, ...],
    strategy: Strategy,
) -> Procedure[None]:
    """Read, choose and write; the orders about it are then in *batch*."""
    elections: dict[TopicPartition, Election] = {}

    def decide(found: StatesRead, waiting: Sequence[TopicPartition]) -> Procedure[States]:
        chosen = yield from _choose(active, waiting, found, strategy)
        elections.update(chosen)
        return {partition: election.state for partition, election in chosen.items()}

    def on_written(partition: TopicPartition, state: PartitionState) -> None:
        _set_online(active, partition, state)
        batch.add_leader_and_isr(elections[partition].recipients, partition)

    yield from rewrite_states(active, partitions, decide, on_written, partial(_fail, active))


def _choose(
    active: ActiveController,
    partitions: Sequence[TopicPartition],
    found: StatesRead,
    strategy: Strategy,
) -> Procedure[dict[TopicPartition, Election]]:
    """An election for each partition that has one; the reasons of the others are logged."""
    context, stored = active.context, found.states
    is_offline = strategy in (Strategy.OFFLINE, Strategy.OFFLINE_UNCLEAN)
    flushing = (yield from bounces.flushing_topics(active, found)) if is_offline else frozenset()
    bounced = {
        partition: bounces.bounced_of(active, partition, found, flushing)
        for partition in (stored if is_offline else ())
    }
    unclean_topics: frozenset[str] = frozenset()
    if strategy is Strategy.OFFLINE:
        unclean = dict.fromkeys(
            partition.topic
            for partition in partitions
            if partition in stored
            and needs_unclean(
                stored[partition], set(context.live_replicas(partition)) - bounced[partition].lost
            )
        )
        unclean_topics = yield from reads.read_unclean_topics(active.client, tuple(unclean))
    elections = {}
    for partition in partitions:
        state = stored.get(partition)
        if state is None:
            _fail(active, partition, f"LeaderAndIsr information doesn't exist for {partition}")
            continue
        if is_ahead(active, state):
            _fail(active, partition, _election_aborted(active, partition, state))
            continue
        allows_unclean = strategy is Strategy.OFFLINE_UNCLEAN or partition.topic in unclean_topics
        election = _election(
            active, partition, state, strategy, allows_unclean, bounced.get(partition)
        )
        if election is None:
            _fail(active, partition, no_leader_found(partition, strategy))
        else:
            elections[partition] = election
    return elections


def no_leader_found(partition: TopicPartition, strategy: Strategy) -> str:
    """Kafka's words for an election without a leader."""
    return f"Failed to elect leader for partition {partition} under strategy {strategy.value}"


def _election_aborted(
    active: ActiveController, partition: TopicPartition, state: PartitionState
) -> str:
    """Kafka's words for a state that `is_ahead`."""
    return (
        f"Aborted leader election for partition {partition} since the LeaderAndIsr path was"
        " already written by another controller. This probably means that the current controller"
        f" {active.config.broker_id} went through a soft failure and another controller was"
        f" elected with epoch {state.controller_epoch}."
    )


def _election(
    active: ActiveController,
    partition: TopicPartition,
    state: PartitionState,
    strategy: Strategy,
    allows_unclean: bool,
    bounced: bounces.Bounced | None,
) -> Election | None:
    context, epoch = active.context, active.controller_epoch
    assignment = context.assignments[partition]
    live = context.live_replicas(partition)
    match strategy:
        case Strategy.OFFLINE | Strategy.OFFLINE_UNCLEAN:
            assert bounced is not None, "known for these strategies"
            return elect_offline(
                assignment,
                state,
                live,
                epoch,
                allows_unclean=allows_unclean,
                doubtful=bounced.doubtful,
                lost=bounced.lost,
            )
        case Strategy.CONTROLLED_SHUTDOWN:
            reachable = context.reachable_replicas(partition)
            return elect_for_shutdown(assignment, state, reachable, context.shutting_down, epoch)
        case Strategy.PREFERRED:
            return elect_preferred(assignment, state, live, epoch)
        case Strategy.REASSIGNMENT:
            return elect_for_reassignment(assignment, state, live, epoch)


def _set_online(active: ActiveController, partition: TopicPartition, state: PartitionState) -> None:
    assert state.leader in state.isr, "every strategy elects a member of the new ISR"
    assert state.zk_version != NEVER_READ, "it was written"
    assert state.controller_epoch == active.controller_epoch, "this controller has decided it"
    context = active.context
    previous = context.partition_status(partition)
    known = context.states.get(partition)
    assert known is None or known.leader_epoch <= state.leader_epoch, "no epoch falls"
    context.states[partition] = state
    if state.leader_recovery_state == RECOVERING:
        active.unclean_election_count += 1
    active.log(partition_elected(active.tag, partition, previous, PartitionStatus.ONLINE, state))
    context.set_partition_status(partition, PartitionStatus.ONLINE)


def _fail(active: ActiveController, partition: TopicPartition, reason: str) -> None:
    status = active.context.partition_status(partition)
    active.log(partition_failed(active.tag, partition, status, PartitionStatus.ONLINE, reason))
